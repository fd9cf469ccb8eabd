package scan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

const (
	// sampleRows is how many random rows of a table are kept.
	sampleRows = 5
	// maxCell is the length of a cell in characters, leastCell that in a table too wide for it.
	maxCell   = 100
	leastCell = 16
	// maxCells is how many bytes the cells of a table have; one with more keeps
	// fewer rows.
	maxCells = 32 << 10
)

// sampled receives the rows of a profile. It implements sdk.ResultSink.
type sampled struct {
	columns []sdk.Column
	cells   []catalog.Cells
	rows    int
}

func (*sampled) Started(string) error  { return nil }
func (*sampled) Progress(sdk.Progress) {}
func (*sampled) Notice(sdk.Warning)    {}

func (s *sampled) Columns(columns []sdk.Column) error {
	s.columns, s.cells = columns, make([]catalog.Cells, len(columns))
	for i := range columns {
		s.cells[i].Column = columns[i].Name
	}
	return nil
}

func (s *sampled) Batch(b *sdk.Batch) error {
	n := min(b.Rows, sampleRows-s.rows)
	for i := range s.cells {
		for row := range n {
			s.cells[i].Values = append(s.cells[i].Values, cell(&b.Columns[i], s.columns[i].Type, row))
		}
	}
	s.rows += n
	return nil
}

// cell returns a value as a profile has it. One that is too long to be listed there is
// not kept here either: nothing has judged it.
func cell(v *sdk.Vector, t sdk.Type, row int) *string {
	if v.IsNull(row) {
		return nil
	}
	text := v.AppendText(nil, t, row)
	if len(text) > maxValueBytes {
		return new(fmt.Sprintf("(%d bytes)", len(text)))
	}
	return new(strings.ToValidUTF8(string(text), "\ufffd"))
}

// cutCells shortens what is kept of rows to what a catalog has room for.
func cutCells(p *catalog.Profile) {
	size := shorten(p.Cells, maxCell)
	for rows := sampleRows - 1; size > maxCells && rows > 0; rows-- {
		size = 0
		for i := range p.Cells {
			c := &p.Cells[i]
			c.Values = c.Values[:min(rows, len(c.Values))]
			size += bytesOf(c.Values)
		}
	}
	if size > maxCells {
		shorten(p.Cells, leastCell)
	}
}

// shorten cuts the cells that have more characters, marks them, and returns the
// bytes of all.
func shorten(all []catalog.Cells, most int) (size int) {
	for i := range all {
		for j, v := range all[i].Values {
			if v != nil && utf8.RuneCountInString(*v) > most {
				all[i].Values[j] = new(string([]rune(*v)[:most]) + "…")
			}
		}
		size += bytesOf(all[i].Values)
	}
	return size
}

func bytesOf(values []*string) (size int) {
	for _, v := range values {
		if v != nil {
			size += len(*v)
		}
		size++
	}
	return size
}
