package query

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// semanticResult prints an answer as it arrives; finish is called once, after the
// last row, unless the query failed.
type semanticResult interface {
	semanticquery.Sink
	finish(*semanticquery.Compiled, query.Summary) error
}

func newSemanticResult(format string, term *terminal.Terminal) semanticResult {
	if format == "json" {
		return &semanticJSON{jsonResult{term: term}}
	}
	return &semanticTable{tableResult{term: term}}
}

// semanticTable is the form for people: units are in the headers.
type semanticTable struct{ tableResult }

func (r *semanticTable) Columns(c *semanticquery.Compiled, columns []sdk.Column) error {
	named := make([]sdk.Column, len(columns))
	for i, column := range columns {
		q := c.Query.Columns[i]
		named[i] = sdk.Column{Name: header(q), Type: cmp.Or(q.Type, column.Type)}
	}
	return r.tableResult.Columns(named)
}

// header is a column's name with its unit.
func header(c compile.Column) string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " (" + c.Unit + ")"
}

func (r *semanticTable) finish(c *semanticquery.Compiled, out query.Summary) error {
	if err := r.tableResult.finish(query.Summary{RowCount: out.RowCount, Elapsed: out.Elapsed}); err != nil {
		return err
	}
	r.term.Notes(c.Notes)
	r.term.Notes(out.Notes)
	if c.IncludeSQL {
		r.term.Infof("%s", terminal.EscapeText(c.Query.SQL))
	}
	if c.IncludePlan {
		r.term.Infof("%s", strings.TrimSuffix(planText(c.Query.Plan), "\n"))
	}
	return nil
}

// semanticJSON is one document, written as the rows come: the same fields as the
// MCP tool's answer.
type semanticJSON struct{ jsonResult }

type semanticHead struct {
	ConnectionID connection.ID          `json:"connectionId"`
	Columns      []semanticquery.Column `json:"columns"`
	Headers      []string               `json:"headers"`
}

func (r *semanticJSON) Columns(c *semanticquery.Compiled, columns []sdk.Column) error {
	head := semanticHead{ConnectionID: c.Connection, Columns: c.Columns(columns)}
	for _, column := range head.Columns {
		head.Headers = append(head.Headers, column.Name)
	}
	return r.open(head)
}

func (r *semanticJSON) finish(c *semanticquery.Compiled, out query.Summary) error {
	tail := struct {
		resultTail
		Notes []string      `json:"notes"` // also when there are none
		SQL   string        `json:"sql,omitempty"`
		Plan  *compile.Plan `json:"plan,omitempty"`
	}{
		resultTail: resultTail{RowCount: out.RowCount, Truncated: out.Truncated, TruncatedBy: out.TruncatedBy, ElapsedMs: out.Elapsed.Milliseconds()},
		Notes:      append(append([]string{}, c.Notes...), out.Notes...),
	}
	if c.IncludeSQL {
		tail.SQL = c.Query.SQL
	}
	if c.IncludePlan {
		tail.Plan = &c.Query.Plan
	}
	return r.rows.End(tail)
}

// printCompiled prints a statement, or how it gets its rows, and nothing else.
func (a *commands) printCompiled(format string, c *semanticquery.Compiled) error {
	text := c.Query.SQL + "\n"
	if format == "plan" {
		text = planText(c.Query.Plan)
	}
	if terminal.IsTerminal(a.term.Out) {
		text = terminal.EscapeText(text)
	}
	if _, err := io.WriteString(a.term.Out, text); err != nil {
		return err
	}
	notes := c.Notes
	if limit := c.LimitNote(); format == "sql" && limit != "" && !slices.Contains(notes, limit) {
		notes = append(slices.Clone(notes), limit)
	}
	a.term.Notes(notes)
	return nil
}

// planText is a plan in lines: each home with what is measured there, over which
// joins, under which conditions.
func planText(p compile.Plan) string {
	var b strings.Builder
	list := func(indent, name string, all []string) {
		if len(all) > 0 {
			fmt.Fprintf(&b, "%s%s %s\n", indent, name, strings.Join(all, "; "))
		}
	}
	for _, branch := range p.Branches {
		fmt.Fprintf(&b, "from %s\n", branch.Home)
		measures := make([]string, len(branch.Measures))
		for i, m := range branch.Measures {
			if measures[i] = m; i < len(branch.Classes) {
				measures[i] += " (" + string(branch.Classes[i]) + ")"
			}
		}
		list("  ", "measure", measures)
		list("  ", "join", branch.Joins)
		list("  ", "where", branch.Filters)
		if branch.Fanout {
			b.WriteString("  each row counts once in every group that it belongs to\n")
		}
	}
	list("", "by", p.Dimensions)
	list("", "having", p.Having)
	return b.String()
}
