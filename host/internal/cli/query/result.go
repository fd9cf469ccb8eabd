package query

import (
	"bytes"
	"fmt"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// resultWriter prints a result as it arrives; finish is called once, after the
// last row, unless the query failed.
type resultWriter interface {
	query.Sink
	finish(query.Summary) error
}

func newResultWriter(format string, term *terminal.Terminal) resultWriter {
	switch format {
	case "json":
		return &jsonResult{term: term}
	case "csv":
		return &csvResult{w: term.Out}
	default:
		return &tableResult{term: term}
	}
}

// tableResult is the form for people: NULL is shown as NULL.
type tableResult struct {
	term  *terminal.Terminal
	table *terminal.Table
	cells []string
}

func (r *tableResult) Columns(columns []sdk.Column) error {
	headers, numeric := make([]string, len(columns)), make([]bool, len(columns))
	for i, c := range columns {
		headers[i] = c.Name
		numeric[i] = c.Type == sdk.TypeInt64 || c.Type == sdk.TypeFloat64 || c.Type == sdk.TypeDecimal
	}
	r.table = terminal.NewTable(r.term.Out, headers, numeric)
	r.table.Bold = r.term.Style(r.term.Out, "1")
	r.cells = make([]string, len(columns))
	return nil
}

func (r *tableResult) Row(cells [][]byte) error {
	for i, cell := range cells {
		if bytes.Equal(cell, []byte("null")) {
			r.cells[i] = "NULL"
			continue
		}
		text, err := plain(cell)
		if err != nil {
			return err
		}
		r.cells[i] = text
	}
	return r.table.Row(r.cells)
}

func (r *tableResult) finish(s query.Summary) error {
	if err := r.table.Flush(); err != nil {
		return err
	}
	if r.table.Shortened {
		r.term.Infof("note: texts are shortened to fit the terminal; --json shows them whole")
	}
	unit := "rows"
	if s.RowCount == 1 {
		unit = "row"
	}
	r.term.Infof("%s", r.term.Style(r.term.Err, "2")(fmt.Sprintf("%d %s in %d ms", s.RowCount, unit, s.Elapsed.Milliseconds())))
	return nil
}

// plain returns the text of a JSON cell without quotes.
func plain(cell []byte) (string, error) {
	if len(cell) == 0 || cell[0] != '"' {
		return string(cell), nil
	}
	text, err := query.AppendUnescaped(nil, cell)
	return string(text), err
}

// jsonResult is one document, written as the rows come: the same fields as the
// MCP tool's answer.
type jsonResult struct {
	term *terminal.Terminal
	rows *terminal.List
}

func (r *jsonResult) Columns(columns []sdk.Column) error {
	names, types := make([]string, len(columns)), make([]string, len(columns))
	typed := false
	for i, c := range columns {
		names[i], types[i] = c.Name, c.NativeType
		typed = typed || c.NativeType != ""
	}
	head := struct {
		Headers     []string `json:"headers"`
		HeaderTypes []string `json:"headerTypes,omitempty"`
	}{Headers: names}
	if typed {
		head.HeaderTypes = types
	}
	return r.open(head)
}

func (r *jsonResult) open(head any) (err error) {
	r.rows, err = r.term.List(head, "rows")
	return err
}

func (r *jsonResult) Row(cells [][]byte) error {
	return r.rows.AddJSON([]byte("["), bytes.Join(cells, []byte(",")), []byte("]"))
}

// resultTail is what is known of a result after its last row.
type resultTail struct {
	RowCount    int             `json:"rowCount"`
	Truncated   bool            `json:"truncated"`
	TruncatedBy sdk.TruncatedBy `json:"truncatedBy,omitempty"`
	ElapsedMs   int64           `json:"elapsedMs"`
	Notes       []string        `json:"notes,omitempty"`
}

func newResultTail(s query.Summary) resultTail {
	return resultTail{s.RowCount, s.Truncated, s.TruncatedBy, s.Elapsed.Milliseconds(), s.Notes}
}

func (r *jsonResult) finish(s query.Summary) error { return r.rows.End(newResultTail(s)) }

// shownResult and shownAnswer remove the line of progress before a result begins,
// whose rows it would stand among.
type (
	shownResult struct {
		resultWriter
		line *terminal.Progress
	}
	shownAnswer struct {
		semanticResult
		line *terminal.Progress
	}
)

func (r shownResult) Columns(columns []sdk.Column) error {
	r.line.Clear()
	return r.resultWriter.Columns(columns)
}

func (r shownAnswer) Columns(c *semanticquery.Compiled, columns []sdk.Column) error {
	r.line.Clear()
	return r.semanticResult.Columns(c, columns)
}
