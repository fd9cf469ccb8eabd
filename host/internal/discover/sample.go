package discover

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/scan/privacy"
)

// MaxSample is how many rows of a table an answer shows at most.
const MaxSample = 5

const (
	null        = "NULL"
	notProfiled = "(not profiled)"
)

// sample takes the cells of a few rows from a table's profile, and says why there
// are none.
func (l *look) sample(e *Entity, p *catalog.Profile) {
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

// cells returns what so many rows have in a column, as it is written in them.
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

// cellChars is what the cells of a column take in an answer, with its name above them.
func (c *Column) cellChars() (chars int) {
	for _, cell := range c.cells {
		chars += length(cell) + len(", ")
	}
	if len(c.cells) > 0 {
		chars += length(word(c.Name)) + len(", ")
	}
	return chars
}

// drawSample writes the rows: a line of the columns that are shown, then one of each row.
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
