package conform

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// answer is the result of a statement.
type answer struct {
	queryID string
	columns []sdk.Column
	rows    [][]any // as Vector.Value gives them, bytes copied
	batches []batchSize
	notices []sdk.Warning
	summary sdk.Summary
}

type batchSize struct{ rows, bytes, lastRow int }

// collector is the sink of every statement of the suite. It reports each violation of the stream's
// order to the current check.
type collector struct {
	p        *probe
	limits   sdk.Limits
	answer   *answer
	received int64
	first    func() error // called at the first batch; its error is returned to the connector

	mu   sync.Mutex // progress and notices may come from another goroutine
	last map[string]sdk.Progress
}

func (c *collector) Started(id string) error {
	if c.answer.columns != nil {
		c.p.errorf("the query's id came after the columns")
	}
	c.answer.queryID = id
	return nil
}

func (c *collector) Columns(columns []sdk.Column) error {
	c.answer.columns = append(make([]sdk.Column, 0, len(columns)), columns...)
	for i, column := range columns {
		if column.Type == sdk.TypeUnspecified || typeNamed(column.Type.String()) != column.Type {
			c.p.errorf("column %d (%q) has no type", i+1, column.Name)
		}
	}
	return nil
}

func (c *collector) Batch(b *sdk.Batch) error {
	if c.first != nil && len(c.answer.batches) == 0 {
		if err := c.first(); err != nil {
			return err
		}
	}
	if err := b.Check(c.answer.columns); err != nil {
		c.p.errorf("batch %d: %v", len(c.answer.batches)+1, err)
		return err
	}
	c.received += int64(b.Rows)
	size := batchSize{rows: b.Rows}
	for row := range b.Rows {
		cells := make([]any, len(c.answer.columns))
		size.lastRow = 0
		for i, column := range c.answer.columns {
			cells[i] = b.Columns[i].Value(column.Type, row)
			if nanos := b.Columns[i].Nano(row); nanos > 0 && cells[i] != nil {
				cells[i] = finer{b.Columns[i].I64[row], nanos}
			}
			if raw, ok := cells[i].([]byte); ok {
				cells[i] = slices.Clone(raw)
			}
			size.lastRow += encodedSize(column.Type, &b.Columns[i], row)
		}
		size.bytes += size.lastRow
		c.answer.rows = append(c.answer.rows, cells)
	}
	c.answer.batches = append(c.answer.batches, size)
	c.bounds(size)
	return nil
}

// encodedSize counts a cell as sdk.RowWriter documents it.
func encodedSize(t sdk.Type, v *sdk.Vector, row int) int {
	switch t.Layout() {
	case sdk.LayoutBits:
		return 1
	case sdk.LayoutArena:
		return len(v.Bytes(row)) + 4
	default:
		return 8
	}
}

// bounds checks a batch against the limits that the request set.
func (c *collector) bounds(size batchSize) {
	maxRows, maxBytes := c.limits.BatchRows, c.limits.BatchBytes
	if maxRows <= 0 {
		maxRows = sdk.DefaultBatchRows
	}
	if maxBytes <= 0 {
		maxBytes = sdk.MaxBatchBytes
	}
	if size.rows == 0 {
		c.p.errorf("batch %d is empty", len(c.answer.batches))
	}
	if size.rows > maxRows {
		c.p.errorf("batch %d has %d rows; the limit is %d", len(c.answer.batches), size.rows, maxRows)
	}
	if size.bytes-size.lastRow >= maxBytes {
		c.p.errorf("batch %d has %d bytes before its last row; the limit is %d", len(c.answer.batches), size.bytes-size.lastRow, maxBytes)
	}
}

func (c *collector) Progress(p sdk.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	watchProgress(c.p, c.last, p)
}

// watchProgress reports progress that decreases.
func watchProgress(p *probe, last map[string]sdk.Progress, progress sdk.Progress) {
	p.watch("progress", progress.Phase+" "+progress.Message)
	if before, ok := last[progress.Phase]; ok && progress.Unit == before.Unit && progress.Done < before.Done {
		p.errorf("progress of phase %q fell from %d to %d %s", progress.Phase, before.Done, progress.Done, progress.Unit)
	}
	last[progress.Phase] = progress
}

func (c *collector) Notice(n sdk.Warning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.p.watch("notice", n.Object+" "+n.Message)
	c.answer.notices = append(c.answer.notices, n)
}

// execute runs a statement to its end, as a host does.
func (p *probe) execute(ctx context.Context, s sdk.Session, req sdk.ExecuteRequest) (*answer, error) {
	return p.executeInto(ctx, s, req, nil)
}

// executeInto is execute with a function that is called at the first batch.
func (p *probe) executeInto(ctx context.Context, s sdk.Session, req sdk.ExecuteRequest, first func() error) (*answer, error) {
	sink := &collector{p: p, limits: req.Limits, answer: &answer{}, last: map[string]sdk.Progress{}, first: first}
	w := sdk.NewRowWriter(sink, req.Limits)
	p.asks(req.SQL)
	err := s.Execute(ctx, req, w)
	if err == nil {
		err = w.Close()
	}
	sink.answer.summary = w.Summary()
	if errors.Is(err, sdk.ErrLimit) {
		p.errorf("Execute returned ErrLimit; it must return nil once the receiver has enough")
	}
	if err == nil && sink.answer.summary.Rows != sink.received {
		p.errorf("the summary has %d rows, %d were sent", sink.answer.summary.Rows, sink.received)
	}
	return sink.answer, err
}

// query runs a statement on the shared session. An error fails the check.
func (p *probe) query(sql string, limits sdk.Limits) *answer {
	return p.queryOn(p.shareSession(), sql, limits)
}

func (p *probe) queryOn(s sdk.Session, sql string, limits sdk.Limits) *answer {
	var a *answer
	var err error
	p.within(patience, "the statement", func() { a, err = p.execute(p.ctx, s, sdk.ExecuteRequest{SQL: sql, Limits: limits}) })
	p.must(firstLine(sql), err)
	return a
}

// try runs a statement that may fail, on the shared session.
func (p *probe) try(req sdk.ExecuteRequest) (*answer, error) {
	s := p.shareSession()
	var a *answer
	var err error
	p.within(patience, "the statement", func() { a, err = p.execute(p.ctx, s, req) })
	return a, err
}
