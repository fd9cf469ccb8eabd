package search

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/connection"
)

func (a *commands) contextCommand() *cobra.Command {
	var r assemble.ContextRequest
	var id, depth string
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Say what the project is about, within a budget of tokens",
		Long: `Lists schemas, conventions, the glossary, approved queries and, in order of relevance, tables:
as much as fits into a budget of tokens. Relevant is what --query finds, then what a semantic
layer file defines, what was used lately, what has many foreign keys or many rows. Nothing is
asked of a warehouse. It returns the same as the tool get_context.`,
		Example: `  loam context --depth domain
  loam context -c warehouse --depth columns --tables sales.orders,sales.customers
  loam context -c warehouse --query "revenue by customer" --budget 4000`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.Depth, r.Connection = assemble.Depth(depth), connection.ID(id)
			return a.open(cmd.Context(), func(services *Services) error {
				answer, err := services.Assemble.Context(cmd.Context(), r)
				if err != nil {
					return err
				}
				return a.term.Answer(answer, func() error { return a.printContext(answer) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&id, "connection", "c", "", "the connection; may be left out if there is one, or with --depth domain")
	flags.StringVar(&depth, "depth", "entities", "how much of each table: domain (nothing), entities, tables or columns")
	flags.IntVar(&r.Budget, "budget", 0, "most tokens of the answer as JSON, 200 to 20000 (default 500, 2000, 4000 or 8000 by depth)")
	flags.StringVar(&r.Query, "query", "", "what is about this comes first")
	flags.StringSliceVar(&r.Tables, "tables", nil, "only these tables")
	flags.StringVar(&r.Cursor, "cursor", "", "go on from the cursor of the answer before")
	flags.BoolVar(&r.WithoutRelationships, "no-relationships", false, "leave foreign keys out")
	return cmd
}

func (a *commands) printContext(answer *assemble.ContextAnswer) error {
	a.printDomain(answer)
	for _, print := range []func(*assemble.ContextAnswer) error{a.printListed, a.printColumns, a.printLinks, a.printWords} {
		if err := print(answer); err != nil {
			return err
		}
	}
	a.term.Notes(answer.Notes)
	if p := answer.ExtractionProgress; p != nil {
		a.term.Infof("a scan runs since %s", p.StartedAt)
	}
	a.term.Infof("%d of %d tokens%s", answer.Tokens.Estimated, answer.Tokens.Budget, leftText(answer.Omitted))
	if answer.NextCursor != nil {
		a.term.Infof("the next tables: --cursor %s", *answer.NextCursor)
	}
	return nil
}

func (a *commands) printDomain(answer *assemble.ContextAnswer) {
	d := answer.Domain
	if d == nil {
		return
	}
	if d.Description != "" {
		_ = a.term.Raw(d.Description + "\n") // a closed pipe shows with the next table
	}
}

// printListed prints areas, conventions, entities and tables.
func (a *commands) printListed(answer *assemble.ContextAnswer) error {
	if d := answer.Domain; d != nil {
		var areas, conventions [][]string
		for _, area := range d.Areas {
			areas = append(areas, []string{area.Name, strconv.Itoa(area.Tables)})
		}
		for _, c := range d.Conventions {
			conventions = append(conventions, []string{c.Kind, c.Ref, c.Statement, c.Trust})
		}
		if err := a.term.Section([]string{"AREA", "TABLES"}, areas); err != nil {
			return err
		}
		if err := a.term.Section([]string{"CONVENTION", "OF", "SAYS", "TRUST"}, conventions); err != nil {
			return err
		}
	}
	var entities, tables [][]string
	for i := range answer.Entities {
		e := &answer.Entities[i]
		entities = append(entities, []string{e.Name, e.Table, countText(e.RowCount), strings.Join(e.KeyColumns, ", "), strings.Join(e.Measures, ", "), aboutText(e.Description, e.Trust)})
	}
	for i := range answer.Tables {
		t := &answer.Tables[i]
		tables = append(tables, []string{t.Table, t.Kind, countText(t.RowCount), strconv.Itoa(t.Columns), strings.Join(t.KeyColumns, ", "), aboutText(t.Description, t.Trust)})
	}
	if err := a.term.Section([]string{"ENTITY", "TABLE", "ROWS", "KEYS", "MEASURES", "ABOUT"}, entities); err != nil {
		return err
	}
	return a.term.Section([]string{"TABLE", "KIND", "ROWS", "COLUMNS", "KEYS", "ABOUT"}, tables)
}

func (a *commands) printColumns(answer *assemble.ContextAnswer) error {
	for i := range answer.Columns {
		t := &answer.Columns[i]
		head := "\n" + t.Table
		if t.RowCount != nil {
			head += fmt.Sprintf("; %d rows", *t.RowCount)
		}
		if about := aboutText(t.Description, t.Trust); about != "" {
			head += ": " + about
		}
		lines := append([]string{head}, t.Columns...)
		if t.Left > 0 {
			lines = append(lines, fmt.Sprintf("… and %d more columns", t.Left))
		}
		if err := a.term.Raw(strings.Join(lines, "\n  ") + "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (a *commands) printLinks(answer *assemble.ContextAnswer) error {
	var rows [][]string
	for _, r := range answer.Relationships {
		rows = append(rows, []string{r.From, r.To, strings.Join(r.Columns, ", "), r.Origin})
	}
	return a.term.Section([]string{"FROM", "TO", "COLUMNS", "ORIGIN"}, rows)
}

// printWords prints the glossary and the approved queries.
func (a *commands) printWords(answer *assemble.ContextAnswer) error {
	var terms, queries [][]string
	for _, t := range answer.Glossary {
		terms = append(terms, []string{t.Term, aboutText(t.Definition, t.Trust), t.Ref})
	}
	for _, q := range answer.ApprovedQueries {
		queries = append(queries, []string{q.Name, string(q.ConnectionID), q.Title})
	}
	if err := a.term.Section([]string{"TERM", "MEANS", "PAGE"}, terms); err != nil {
		return err
	}
	return a.term.Section([]string{"APPROVED QUERY", "CONNECTION", "TITLE"}, queries)
}

// leftText says how much is left out.
func leftText(o assemble.Omitted) string {
	var parts []string
	for _, one := range []struct {
		n    int
		noun string
	}{{o.Entities, "entities"}, {o.Tables, "tables"}, {o.Columns, "columns"}, {o.Relationships, "relationships"}, {o.Glossary, "terms"}} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.noun))
		}
	}
	if parts == nil {
		return ""
	}
	return "; left out: " + strings.Join(parts, ", ")
}
