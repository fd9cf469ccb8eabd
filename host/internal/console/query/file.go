package query

import (
	"context"
	"fmt"
	"io"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// maxFile bounds the rows of a file, in characters of their JSON. Rows are written as they arrive, so that a file may be
// larger than an answer.
const maxFile = 16 << 20

// csvSink is the sink of a file.
type csvSink struct{ *result.CSV }

func (c csvSink) Measured(_ *semanticquery.Compiled, columns []sdk.Column) error {
	return c.Columns(columns)
}

// file runs the statement and sends its rows as CSV. A result that was cut says so in its last line.
func (s *service) file(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	f := read(r.Form)
	if err := f.check(); err != nil {
		return s.faulty(ctx, r, f, err)
	}
	s.recent.add(r.Session, f)
	one, err := s.running.add(r.Session, f, r.Now)
	if err != nil {
		return s.faulty(ctx, r, f, err)
	}
	write := func(ctx context.Context, w io.Writer) error {
		ctx, end := s.running.begin(ctx, one)
		defer end()
		sink := csvSink{result.NewCSV(w)}
		summary, err := s.execute(ctx, r, f, sink, maxFile)
		if err != nil || !summary.Truncated {
			return err
		}
		return sink.Record(fmt.Sprintf("truncated: the statement has more than these %d rows", summary.RowCount))
	}
	return &page.Outcome{View: &page.View{File: &page.File{Name: "result.csv", Type: "text/csv; charset=utf-8", Write: write}}}, nil
}
