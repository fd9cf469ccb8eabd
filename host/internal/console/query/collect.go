package query

import (
	"strings"

	"github.com/loam-data/loam/host/internal/console/chart"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

const (
	// besideChart is how many bytes of HTML a table has beside a chart.
	besideChart = 20_000
	// longCell is the longest value that a chart could show.
	longCell = 500
	// wideChart is how many columns of a result a chart looks at.
	wideChart = 20
)

// collector collects the rows for the table and, if asked for, for a chart.
// Concurrency: one goroutine.
type collector struct {
	table   *result.Table
	charted bool
	columns []chart.Column
	rows    [][]chart.Cell
	text    []byte
}

func newCollector(charted bool) *collector {
	room := 0
	if charted {
		room = besideChart
	}
	return &collector{table: result.NewTable(room), charted: charted}
}

// Columns implements query.Sink.
func (c *collector) Columns(columns []sdk.Column) error {
	for _, one := range columns[:min(len(columns), wideChart)] {
		c.columns = append(c.columns, chart.Column{Name: one.Name, Type: one.Type})
	}
	return c.table.Columns(columns)
}

// semantic is Columns for measures, which have units.
func (c *collector) semantic(compiled *semanticquery.Compiled, columns []sdk.Column) error {
	err := c.Columns(columns)
	for i, one := range compiled.Columns(columns)[:len(c.columns)] {
		c.columns[i].Unit = one.Unit
	}
	return err
}

// Row implements query.Sink.
func (c *collector) Row(cells [][]byte) error {
	if c.charted && len(c.rows) <= chart.MaxPoints {
		row := make([]chart.Cell, len(c.columns))
		for i := range row {
			row[i] = c.cell(cells[i])
		}
		c.rows = append(c.rows, row)
	}
	return c.table.Row(cells)
}

// cell reads a JSON value for a chart.
func (c *collector) cell(cell []byte) chart.Cell {
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

// draw draws the collected rows.
func (c *collector) draw() *drawing {
	picture := chart.For(c.columns, c.rows)
	return &drawing{Kind: string(picture.Kind), Reason: picture.Reason, Left: picture.Left, SVG: picture.SVG("chart", "Chart of the result")}
}
