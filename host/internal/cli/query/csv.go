package query

import (
	"io"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

// csvResult writes lines of CSV, as RFC 4180 ends them.
type csvResult struct {
	w      io.Writer
	buffer []byte // lines that are not yet written
	csv    query.CSV
}

// csvFlush is how many bytes are collected before they are written.
const csvFlush = 64 << 10

func (r *csvResult) Columns(columns []sdk.Column) error {
	for i, c := range columns {
		r.separate(i)
		r.buffer = r.csv.Field(r.buffer, []byte(c.Name))
	}
	return r.endLine()
}

func (r *csvResult) Row(cells [][]byte) (err error) {
	for i, cell := range cells {
		r.separate(i)
		if r.buffer, err = r.csv.Cell(r.buffer, cell); err != nil {
			return err
		}
	}
	return r.endLine()
}

func (r *csvResult) separate(i int) {
	if i > 0 {
		r.buffer = append(r.buffer, ',')
	}
}

func (r *csvResult) endLine() error {
	r.buffer = append(r.buffer, '\r', '\n')
	if len(r.buffer) < csvFlush {
		return nil
	}
	return r.flush()
}

func (r *csvResult) flush() error {
	_, err := r.w.Write(r.buffer)
	r.buffer = r.buffer[:0]
	return err
}

func (r *csvResult) finish(query.Summary) error { return r.flush() }
