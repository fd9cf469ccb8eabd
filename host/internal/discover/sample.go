package discover

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/scan/privacy"
)

// MaxSample is the largest number of sample rows per table in an answer.
const MaxSample = 5

const (
	null        = "NULL"
	notProfiled = "(not profiled)"
)

// sample adds the first l.rows rows of a table's profile, or a note why there are none.
func (l *entityReader) sample(e *Entity, p *catalog.Profile) {
	note := func(format string, args ...any) {
		l.answer.Notes = append(l.answer.Notes, fmt.Sprintf(format, args...))
	}
	switch rows := p.Rows(); {
	case p == nil && l.rowless:
		note("%s has no rows to show: the project keeps none (scan.withhold_rows).", e.Display)
	case p == nil:
		note("%s has no rows to show, because it has no profile: loam scan %s --mode enriched makes one, except of views and tables of other servers, which loam.yaml has to ask for.", e.Display, l.connection)
	case !p.Sampled && l.rowless:
		note("%s has no rows to show: the project keeps none (scan.withhold_rows).", e.Display)
	case !p.Sampled:
		note("%s was profiled when no rows were kept: run loam scan %s.", e.Display, l.connection)
	case len(p.Stats) > 0 && p.Stats[0].Rows == 0:
		note("%s was empty at its last profile.", e.Display)
	case rows == 0 && len(p.Withheld) > 0:
		note("%s has no rows to show: all its values are withheld.", e.Display)
	case rows == 0:
		note("%s has no rows to show: they are too large to keep.", e.Display)
	default:
		e.rows = min(l.rows, rows)
		for i := range e.Columns {
			e.Columns[i].cells = cells(&e.Columns[i], p, e.rows)
		}
	}
}

// cells returns a column's values in the first rows of the profile, as they are printed.
func cells(c *Column, p *catalog.Profile, rows int) []string {
	all := make([]string, rows)
	values := p.Sample(c.Name)
	for i := range all {
		switch {
		case c.Withheld != "":
			all[i] = privacy.Masked
		case i >= len(values):
			all[i] = notProfiled
		case values[i] == nil:
			all[i] = null
		case *values[i] == null:
			all[i] = `"NULL"`
		default:
			all[i] = quoted(*values[i])
		}
	}
	return all
}

// cellChars returns the size of a column's cells and their heading, in characters.
func (c *Column) cellChars() (chars int) {
	for _, cell := range c.cells {
		chars += length(cell) + len(", ")
	}
	if len(c.cells) > 0 {
		chars += length(word(c.Name)) + len(", ")
	}
	return chars
}

// drawSample fills in Sample: a line with the names of the shown columns, then one per row.
func (e *Entity) drawSample() {
	if e.rows == 0 || len(e.Columns) == 0 {
		return
	}
	parts := make([]string, len(e.Columns))
	draw := func(part func(c *Column) string) {
		for i := range e.Columns {
			parts[i] = part(&e.Columns[i])
		}
		e.Sample = append(e.Sample, strings.Join(parts, ", "))
	}
	draw(func(c *Column) string { return word(c.Name) })
	for row := range e.rows {
		draw(func(c *Column) string { return c.cells[row] })
	}
}
