// Package result shows the rows of a statement in the console: it collects them for a table of bounded size, and writes
// them as CSV.
package result

import (
	"embed"
	"time"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

//go:embed template/*.html
var templates embed.FS

// Group returns the templates of this package, without a page. The console parses them once.
//
//	{{template "result.table" dict "Result" .Data.Result "Caption" "Orders by month"}}
func Group() page.Group { return page.Group{Templates: templates} }

// Result is the rows of a statement, or those of them for which the page has room.
// Shape: no list is nil; each row has one cell per column.
type Result struct {
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`
	// RowCount is how many rows the statement delivered. Rows has fewer where the page would become too large.
	RowCount int `json:"rowCount"`
	// Truncated: the statement has more rows than it delivered.
	Truncated bool `json:"truncated,omitempty"`
	// Hidden is how many columns are left out, behind those in Columns.
	Hidden int      `json:"hiddenColumns,omitempty"`
	Took   string   `json:"took"`
	Notes  []string `json:"notes,omitempty"`
}

// Column is a column of a result.
type Column struct {
	Name string `json:"name"`
	// Type is the engine's own name of the type; that of sdk.Type where the engine names none.
	Type string `json:"type,omitempty"`
	// Number: its cells are numbers, or texts with the digits of one.
	Number bool `json:"number,omitempty"`
}

// Cut reports whether rows are missing that the statement has.
func (r *Result) Cut() bool { return r.Truncated || len(r.Rows) < r.RowCount }

// Says describes the number of rows in one sentence.
func (r *Result) Says() string {
	shown, delivered := text.Count(len(r.Rows), "row"), text.Count(r.RowCount, "row")
	switch {
	case r.RowCount == 0:
		return "The statement returned no row."
	case len(r.Rows) < r.RowCount && r.Truncated:
		return "First " + shown + " of " + delivered + "; the statement has more, which were not read."
	case len(r.Rows) < r.RowCount:
		return "First " + shown + " of " + delivered + "; the page has no room for the others."
	case r.Truncated:
		return "First " + shown + ", truncated: the statement has more."
	}
	return "All " + delivered + "."
}

// Units: Bytes of HTML of a table; a page may have 60 KB in all.
const (
	DefaultBytes = 40_000
	maxColumns   = 200
	maxName      = 120 // characters of the name of a column, and of its type
)

// Table is a query.Sink that collects a Result.
// Concurrency: one goroutine.
type Table struct {
	result Result
	budget int // bytes of HTML that are left
	full   bool
}

// NewTable returns a Table whose HTML has about so many bytes at most; 0 = DefaultBytes. The first row is kept in any
// case, with its cells cut.
func NewTable(bytes int) *Table {
	if bytes == 0 {
		bytes = DefaultBytes
	}
	return &Table{result: Result{Columns: []Column{}, Rows: [][]Cell{}}, budget: bytes}
}

// Columns implements query.Sink.
func (t *Table) Columns(columns []sdk.Column) error {
	t.result.Hidden = max(0, len(columns)-maxColumns)
	for _, c := range columns[:min(len(columns), maxColumns)] {
		kind := c.NativeType
		if kind == "" {
			kind = c.Type.String()
		}
		shown := Column{Name: Short(c.Name, maxName), Type: Short(kind, maxName), Number: numeric(c.Type)}
		t.budget -= markup + weight(shown.Name) + weight(shown.Type)
		t.result.Columns = append(t.result.Columns, shown)
	}
	return nil
}

// Row implements query.Sink. Rows behind the first one without room are counted, not kept.
func (t *Table) Row(cells [][]byte) error {
	t.result.RowCount++
	if t.full {
		return nil
	}
	row := make([]Cell, 0, len(t.result.Columns))
	size := len("<tr></tr>\n")
	for _, cell := range cells[:min(len(cells), len(t.result.Columns))] {
		c := newCell(cell)
		size += c.size()
		row = append(row, c)
	}
	if size > t.budget {
		t.full = true
		if len(t.result.Rows) > 0 {
			return nil
		}
		for i := range row {
			row[i].Whole = ""
		}
	}
	t.budget -= size
	t.result.Rows = append(t.result.Rows, row)
	return nil
}

// Result returns the collected rows with the statement's summary.
func (t *Table) Result(s query.Summary) *Result {
	r := t.result
	r.Truncated, r.Notes, r.Took = s.Truncated, s.Notes, s.Elapsed.Round(time.Millisecond).String()
	return &r
}

// numeric reports whether the cells of a type are aligned as numbers.
func numeric(t sdk.Type) bool {
	return t == sdk.TypeInt64 || t == sdk.TypeDecimal || t == sdk.TypeFloat64
}
