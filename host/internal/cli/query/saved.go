package query

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/text"
)

// suggesting proposes a saved query; *memory.Service implements it.
type suggesting interface {
	ProposeQuery(context.Context, memory.Call, memory.QueryProposal) (*memory.SuggestedQuery, error)
}

func (a *commands) savedCommand() *cobra.Command {
	return command.Group("queries", "List, run and check saved queries: SQL files with parameters",
		a.savedListCommand(), a.savedShowCommand(), a.savedRunCommand(), a.savedAddCommand(), a.savedCheckCommand(), a.historyCommand())
}

func (a *commands) savedListCommand() *cobra.Command {
	var r approved.ListRequest
	var id string
	cmd := &cobra.Command{
		Use:   "list [WORD]...",
		Short: "List saved queries",
		Long: `Lists the saved queries that a person reviewed, with their parameters and how often agents
ran them; with --all the others too. WORDs select by name, title, description, tags and
parameters, the best first. No connector is started.`,
		Example: `  loam queries list
  loam queries list revenue -c shop
  loam queries list --tag finance --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Connection, r.Query = connection.ID(id), strings.Join(args, " ")
			return a.open(cmd.Context(), func(services *Services) error {
				l, err := services.Approved.List(cmd.Context(), r)
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.term.Document(l)
				}
				return a.printSaved(l, &r)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&id, "connection", "c", "", "only this connection (default: all)")
	flags.StringSliceVar(&r.Tags, "tag", nil, "only queries with this tag; repeat it for several")
	flags.BoolVar(&r.All, "all", false, "queries that nobody has reviewed too")
	flags.IntVarP(&r.Limit, "limit", "n", approved.DefaultQueries, "most queries to list, 1 to 200")
	flags.StringVar(&r.Cursor, "cursor", "", "nextCursor of the list before")
	return cmd
}

func (a *commands) printSaved(l *approved.Listing, r *approved.ListRequest) error {
	rows := make([][]string, len(l.Queries))
	for i, q := range l.Queries {
		state := "reviewed"
		if q.Unreviewed {
			state = "unreviewed"
		}
		rows[i] = []string{string(q.ConnectionID), q.Name, state, usageShown(q.Usage), parametersShown(q.Parameters), terminal.Cut(q.Title, terminal.MaxAbout)}
	}
	if len(rows) > 0 {
		if err := a.term.Table([]string{"CONNECTION", "NAME", "STATE", "RUNS", "PARAMETERS", "TITLE"}, rows); err != nil {
			return err
		}
	}
	a.term.Notes(l.Notes)
	switch {
	case l.NextCursor != nil:
		a.term.Infof("%d of %d; more: --limit %d, or --cursor %s", len(l.Queries), l.Total, approved.MaxQueries, *l.NextCursor)
	case len(rows) == 0 && (r.Query != "" || len(r.Tags) > 0):
		a.term.Infof("no reviewed query fits; all of them: loam queries list --all")
	case len(rows) == 0 && !r.All:
		a.term.Infof("no query is reviewed; the others: loam queries list --all; docs/queries.md shows how to write one")
	}
	return nil
}

func usageShown(u *approved.Usage) string {
	if u == nil {
		return ""
	}
	return text.Count(u.Runs, "run")
}

// parametersShown lists parameters, those that need no value in brackets.
func parametersShown(all []savedquery.Parameter) string {
	shown := make([]string, len(all))
	for i, p := range all {
		shown[i] = p.Name
		if !p.Required || p.Default != nil {
			shown[i] = "[" + p.Name + "]"
		}
	}
	return strings.Join(shown, " ")
}

func (a *commands) savedShowCommand() *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use:   "show NAME [-c CONNECTION]",
		Short: "Show a saved query: parameters, output, SQL",
		Long:  "Shows a saved query, reviewed or not: its parameters with types and defaults, its columns, caveats, examples, and its SQL.",
		Example: `  loam queries show top-hosts
  loam queries show top-hosts -c shop --json`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				q, err := services.Approved.Show(cmd.Context(), args[0], connection.ID(id))
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.term.Document(q)
				}
				return a.printQuery(q)
			})
		},
	}
	cmd.Flags().StringVarP(&id, "connection", "c", "", "connection id, where several have a query of this name")
	return cmd
}

func (a *commands) printQuery(q *approved.Shown) error {
	lines := []string{q.Title, q.File + ", version " + q.Version}
	if q.Unreviewed {
		lines[1] += ", not reviewed"
	}
	add := func(s string) {
		if s != "" {
			lines = append(lines, s)
		}
	}
	add(q.Description)
	if q.Constraints != nil {
		add("Caveats: " + *q.Constraints)
	}
	for _, p := range q.Parameters {
		add("  " + parameterShown(&p))
	}
	for _, c := range q.Output {
		add(strings.TrimSpace("  → " + c.Name + " " + c.Type))
	}
	for _, e := range q.Examples {
		example, err := json.Marshal(e)
		if err != nil {
			return err
		}
		add("  for example " + string(example))
	}
	for i := range lines {
		lines[i] = terminal.EscapeText(lines[i])
	}
	_, err := a.term.Out.Write([]byte(strings.Join(lines, "\n") + "\n\n" + terminal.EscapeText(q.SQL) + "\n"))
	return err
}

// parameterShown describes a parameter in one line.
func parameterShown(p *savedquery.Parameter) string {
	line := p.Name + " " + string(p.Type)
	for _, c := range []struct {
		name  string
		value any
	}{{"default", p.Default}, {"at least", p.Minimum}, {"at most", p.Maximum}} {
		if c.value != nil {
			text, _ := json.Marshal(c.value) // it is decoded YAML of plain values
			line += ", " + c.name + " " + string(text)
		}
	}
	if len(p.Values) > 0 {
		text, _ := json.Marshal(p.Values)
		line += ", one of " + string(text)
	}
	switch {
	case p.Pattern != "":
		line += ", matches " + p.Pattern
	case p.Required && p.Default == nil:
		line += ", required"
	}
	if p.Description != "" {
		line += ": " + p.Description
	}
	return line
}
