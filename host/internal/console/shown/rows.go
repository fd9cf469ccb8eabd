package shown

import (
	"html/template"
	"strings"

	"github.com/loam-data/loam/host/internal/console/chart"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

const (
	// alone is how many bytes of HTML a table has: a page has 60 KB, with the query and the recent ones.
	alone = 32_000
	// besideChart is how many bytes of HTML a table has beside a chart.
	besideChart = 20_000
	// longCell is the longest value that a chart could show.
	longCell = 500
	// wideChart is how many columns of a result a chart looks at.
	wideChart = 20
)

// Rows collects the rows of a query for the table and, if asked for, for a chart. It is a query.Sink.
// Concurrency: one goroutine.
type Rows struct {
	Table   *result.Table
	charted bool
	columns []chart.Column
	rows    [][]chart.Cell
	text    []byte
}

// Chart is a picture of a result, or why there is none.
type Chart struct {
	Kind   string        `json:"kind"`
	Reason string        `json:"reason"`
	Left   []string      `json:"left,omitempty"`
	SVG    template.HTML `json:"-"`
}

// NewRows returns Rows for a table, and with charted for a chart beside it.
func NewRows(charted bool) *Rows {
	room := alone
	if charted {
		room = besideChart
	}
	return &Rows{Table: result.NewTable(room), charted: charted}
}

// Columns implements query.Sink.
func (c *Rows) Columns(columns []sdk.Column) error {
	for _, one := range columns[:min(len(columns), wideChart)] {
		c.columns = append(c.columns, chart.Column{Name: one.Name, Type: one.Type})
	}
	return c.Table.Columns(columns)
}

// Measured is Columns for measures, which have units.
func (c *Rows) Measured(compiled *semanticquery.Compiled, columns []sdk.Column) error {
	err := c.Columns(columns)
	for i, one := range compiled.Columns(columns)[:len(c.columns)] {
		c.columns[i].Unit = one.Unit
	}
	return err
}

// Row implements query.Sink.
func (c *Rows) Row(cells [][]byte) error {
	if c.charted && len(c.rows) <= chart.MaxPoints {
		row := make([]chart.Cell, len(c.columns))
		for i := range row {
			row[i] = c.cell(cells[i])
		}
		c.rows = append(c.rows, row)
	}
	return c.Table.Row(cells)
}

// cell reads a JSON value for a chart.
func (c *Rows) cell(cell []byte) chart.Cell {
	switch {
	case len(cell) == 0 || string(cell) == "null":
		return chart.Cell{Null: true}
	case cell[0] != '"':
		return chart.Cell{Text: string(cell[:min(len(cell), longCell)])}
	}
	var err error
	if c.text, err = query.AppendUnescaped(c.text[:0], cell); err != nil {
		return chart.Cell{Text: "?"}
	}
	return chart.Cell{Text: strings.ToValidUTF8(string(c.text[:min(len(c.text), longCell)]), "")}
}

// Chart draws the collected rows; nil = no chart was asked for.
func (c *Rows) Chart() *Chart {
	if !c.charted {
		return nil
	}
	picture := chart.For(c.columns, c.rows)
	return &Chart{Kind: string(picture.Kind), Reason: picture.Reason, Left: picture.Left, SVG: picture.SVG("chart", "Chart of the result")}
}
