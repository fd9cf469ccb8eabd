package terminal

import (
	"bufio"
	"io"
	"slices"
	"strings"
)

// sampleRows is the number of rows from which a table chooses its column widths; later
// rows are written at once, so that a large result needs no memory.
const (
	sampleRows = 200
	// MaxCellWidth is the widest column; wider cells make their line longer.
	MaxCellWidth = 60
)

// Table is a streamed text table: the headers and the first rows fix the column widths,
// wider cells make their line longer; on a terminal, texts are shortened to its width.
// Control characters are escaped, so that a cell stays on its line.
type Table struct {
	w       *bufio.Writer
	headers []string
	numeric []bool // right-aligned columns
	widths  []int
	sample  [][]string
	cells   []string // of the row that is being written
	started bool
	columns int  // of the terminal, 0 = it is none
	fitted  bool // widths are those of the terminal: longer texts are shortened
	Bold    func(string) string
	// Shortened: a cell was shortened.
	Shortened bool
}

// NewTable starts a table; numeric marks the columns of numbers, nil = none.
func NewTable(w io.Writer, headers []string, numeric []bool) *Table {
	if numeric == nil {
		numeric = make([]bool, len(headers))
	}
	return &Table{w: bufio.NewWriter(w), headers: EscapeAll(headers), numeric: numeric, cells: make([]string, len(headers)), columns: columnsOf(w), Bold: func(s string) string { return s }}
}

// Row writes a row; cells is not kept.
func (t *Table) Row(cells []string) error {
	for i, cell := range cells {
		t.cells[i] = Escape(cell)
	}
	if t.started {
		return t.write(t.cells)
	}
	t.sample = append(t.sample, slices.Clone(t.cells))
	if len(t.sample) == sampleRows {
		return t.start()
	}
	return nil
}

// Rows writes the last rows.
func (t *Table) Rows(rows [][]string) error {
	for _, row := range rows {
		if err := t.Row(row); err != nil {
			return err
		}
	}
	return t.Flush()
}

// Flush writes the remaining rows.
func (t *Table) Flush() error {
	if !t.started {
		if err := t.start(); err != nil {
			return err
		}
	}
	return t.w.Flush()
}

func (t *Table) start() error {
	t.started = true
	t.widths = make([]int, len(t.headers))
	for _, row := range append([][]string{t.headers}, t.sample...) {
		for i, cell := range row {
			t.widths[i] = min(max(t.widths[i], Width(cell)), MaxCellWidth)
		}
	}
	if t.fitted = t.columns > 0 && len(t.widths) > 1; t.fitted {
		fit(t.widths, t.numeric, t.columns)
	}
	if len(t.headers) > 0 {
		var line strings.Builder
		t.line(&line, t.headers)
		if _, err := t.w.WriteString(t.Bold(line.String()) + "\n"); err != nil {
			return err
		}
	}
	for _, row := range t.sample {
		if err := t.write(row); err != nil {
			return err
		}
	}
	t.sample = nil
	return nil
}

func (t *Table) write(cells []string) error {
	var line strings.Builder
	t.line(&line, cells)
	_, err := t.w.WriteString(line.String() + "\n")
	return err
}

// line writes a line without the blanks that would end it.
func (t *Table) line(b *strings.Builder, cells []string) {
	blanks := 0
	for i, cell := range cells {
		if t.fitted && !t.numeric[i] && Width(cell) > t.widths[i] {
			cell, t.Shortened = Cut(cell, t.widths[i]), true
		}
		pad := max(0, t.widths[i]-Width(cell))
		if t.numeric[i] {
			blanks, pad = blanks+pad, 0
		}
		if cell != "" {
			b.WriteString(strings.Repeat(" ", blanks))
			b.WriteString(cell)
			blanks = 0
		}
		blanks += pad + 2
	}
}
