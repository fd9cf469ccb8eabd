package catalog

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/scan/privacy"
)

// SampleDocument is a few rows of a table as they were at its last profile, without
// the columns whose values are withheld. A long value is cut and ends with ….
type SampleDocument struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
}

// newSampleDocument returns the rows that are asked for; nil when there are none.
func newSampleDocument(e *entity) *SampleDocument {
	n := min(e.rows, e.profile.Rows())
	if n == 0 {
		return nil
	}
	d := &SampleDocument{Rows: make([][]*string, n)}
	for _, c := range e.profile.Cells {
		d.Columns = append(d.Columns, c.Column)
		for i := range d.Rows {
			d.Rows[i] = append(d.Rows[i], c.Values[i])
		}
	}
	return d
}

// printSample prints the rows that are asked for, or why there are none.
func (a *commands) printSample(s *scanned, e *entity) error {
	if e.rows == 0 || e.profile == nil { // which was said
		return nil
	}
	d := newSampleDocument(e)
	switch {
	case d != nil:
	case s.Scan.WithholdRows:
		a.term.Infof("no rows: the project keeps none (scan.withhold_rows)")
		return nil
	case !e.profile.Sampled:
		a.term.Infof("no rows: the table was profiled when none were kept; run loam scan %s", s.ID)
		return nil
	default:
		a.term.Infof("no rows: the table was empty, its values are withheld or too large to keep")
		return nil
	}
	var headers []string
	for _, c := range e.table.Columns {
		headers = append(headers, c.Name)
	}
	rows := make([][]string, len(d.Rows))
	for i := range rows {
		for _, c := range e.table.Columns {
			rows[i] = append(rows[i], sampleCell(e.profile, c.Name, i))
		}
	}
	fmt.Fprintln(a.term.Out)
	return a.term.NewTable(headers).Rows(rows)
}

// sampleCell is what a row has in a column.
func sampleCell(p *catalog.Profile, column string, row int) string {
	values := p.Sample(column)
	if _, withheld := find(p, column); withheld != "" {
		return privacy.Masked
	}
	if row >= len(values) {
		return "(not profiled)"
	}
	if values[row] == nil {
		return "NULL"
	}
	return terminal.Cut(*values[row], terminal.MaxValue)
}
