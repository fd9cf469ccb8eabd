package sdk

import (
	"errors"
	"math"
)

// Sizes of the contract: the knee of throughput against first-row time lies at
// 1,000 to 4,000 rows, and agents mostly ask for less than one batch.
const (
	DefaultMaxCellBytes = 1 << 20
	DefaultBatchRows    = 2048
	FirstBatchRows      = 128
	// MaxRowBytes is the largest encoded row: it must fit a message of 16 MiB
	// behind a batch of MaxBatchBytes that was almost full.
	MaxRowBytes   = 14 << 20
	MaxBatchBytes = 1 << 20
)

// Infinity and NegativeInfinity are the values of a DATE, TIMESTAMP or
// TIMESTAMP_TZ cell for the engines that have such values.
const (
	Infinity         = math.MaxInt64
	NegativeInfinity = math.MinInt64
)

// ErrLimit is the error of a RowWriter that has reached its limits: stop reading, cancel the
// rest in the engine, and return nil from Execute. A sink may return it too.
var ErrLimit = errors.New("result limit reached")

// ResultSink receives a result: Started at most once, then Columns exactly
// once, then batches; Progress and Notice at any time. An error from it ends
// the result.
type ResultSink interface {
	Started(queryID string) error
	Columns([]Column) error
	Batch(*Batch) error
	Progress(Progress)
	Notice(Warning)
}

// RowWriter turns rows into batches and enforces the limits: rows, bytes,
// cell size. Whoever calls Execute makes it and calls Close afterwards; a
// connector writes Columns once and then rows, either with Row or with one
// typed append per column and EndRow.
// Units: a batch without its last row is below limits.BatchBytes encoded bytes:
// 8 for a number or a time of any digits, 4 and the content for an arena cell, 1 for a bool; a
// NULL costs what a zero or empty value costs.
// Errors: ErrLimit from EndRow, Row and Batch when enough was written; every
// other error repeats on each later call.
// Concurrency: one goroutine; Progress and Notice may come from another.
type RowWriter struct {
	sink    ResultSink
	limits  Limits
	columns []Column
	batch   Batch
	col     int   // next column of the current row
	rowSize int   // encoded bytes of the current row
	clipped int64 // clipped cells of the current row
	size    int   // encoded bytes of the batch
	target  int   // rows at which the batch is sent
	mark    []int // arena length per column before the current row
	sum     Summary
	started bool
	hasCols bool
	err     error
}

// NewRowWriter writes to sink within limits.
func NewRowWriter(sink ResultSink, limits Limits) *RowWriter {
	if limits.MaxCellBytes <= 0 {
		limits.MaxCellBytes = DefaultMaxCellBytes
	}
	if limits.BatchRows <= 0 {
		limits.BatchRows = DefaultBatchRows
	}
	if limits.BatchBytes <= 0 || limits.BatchBytes > MaxBatchBytes {
		limits.BatchBytes = MaxBatchBytes
	}
	return &RowWriter{sink: sink, limits: limits, target: min(FirstBatchRows, limits.BatchRows)}
}

// Started reports the warehouse's own id of the query, before Columns.
func (w *RowWriter) Started(queryID string) error {
	if w.err != nil || w.started {
		return w.err
	}
	w.started, w.sum.QueryID = true, queryID
	return w.fail(w.sink.Started(queryID))
}

// Columns fixes the result's columns. Names may repeat and may be empty.
func (w *RowWriter) Columns(columns ...Column) error {
	if w.err != nil {
		return w.err
	}
	if w.hasCols {
		return w.fail(Errorf(KindInternal, SourceConnector, "columns were written twice"))
	}
	w.hasCols, w.columns = true, columns
	w.batch.Columns = make([]Vector, len(columns))
	w.mark = make([]int, len(columns))
	for i := range columns {
		if columns[i].Type.Layout() == LayoutArena {
			w.batch.Columns[i].Offsets = []uint32{0}
		}
	}
	return w.fail(w.sink.Columns(columns))
}

// Progress reports best-effort progress.
func (w *RowWriter) Progress(p Progress) { w.sink.Progress(p) }

// Notice forwards a notice of the engine.
func (w *RowWriter) Notice(n Warning) { w.sink.Notice(n) }

// SetBytesScanned records the engine's own figure for the summary.
func (w *RowWriter) SetBytesScanned(n int64) { w.sum.BytesScanned = n }

// SetBytesBilled records the bytes that the engine bills, for the summary.
func (w *RowWriter) SetBytesBilled(n int64) { w.sum.BytesBilled = n }

// Null appends a NULL.
func (w *RowWriter) Null() {
	v := w.next(LayoutArena, true)
	if v == nil {
		return
	}
	row := w.batch.Rows
	if v.Valid == nil {
		v.Valid = make([]byte, 0, (w.target+7)/8)
		for i := range row {
			v.Valid = setBit(v.Valid, i, true)
		}
	}
	v.Valid = setBit(v.Valid, row, false)
	switch w.columns[w.col-1].Type.Layout() {
	case LayoutInt64:
		w.appendInt64(v, 0)
	case LayoutFloat64:
		w.appendFloat64(v, 0)
	case LayoutBits:
		w.appendBool(v, false)
	case LayoutArena:
		w.endCell(v, 0)
	}
}

// Int64 appends to a column of LayoutInt64.
func (w *RowWriter) Int64(x int64) {
	if v := w.next(LayoutInt64, false); v != nil {
		w.appendInt64(v, x)
	}
}

// Moment appends to a TIME, TIMESTAMP or TIMESTAMP_TZ column: microseconds, and the
// nanoseconds beyond them, 0 to 999, which count forward before 1970 too. More digits
// than the column's TimeDigits are an error.
func (w *RowWriter) Moment(micros int64, nanos int) {
	v := w.next(LayoutInt64, false)
	if v == nil {
		return
	}
	w.appendInt64(v, micros)
	if nanos == 0 {
		return
	}
	c := &w.columns[w.col-1]
	if nanos < 0 || nanos > maxNano || !c.Finer() || !wholeDigits(nanos, c.TimeDigits) {
		_ = w.fail(Errorf(KindInternal, SourceConnector,
			"a time with %d nanoseconds beyond its microseconds does not fit column %q of type %s with %d digits of a second",
			nanos, c.Name, c.Type, max(c.TimeDigits, microDigits)))
		return
	}
	v.Nanos = append(padNanos(v.Nanos, w.batch.Rows), uint32(nanos))
}

// wholeDigits reports whether nanoseconds need no more than so many digits.
func wholeDigits(nanos, digits int) bool {
	unit := 1
	for range nanoDigits - digits {
		unit *= 10
	}
	return nanos%unit == 0
}

// padNanos returns nanos with a 0 for each row that had none.
func padNanos(nanos []uint32, rows int) []uint32 {
	for len(nanos) < rows {
		nanos = append(nanos, 0)
	}
	return nanos
}

// Float64 appends to a FLOAT64 column.
func (w *RowWriter) Float64(x float64) {
	if v := w.next(LayoutFloat64, false); v != nil {
		w.appendFloat64(v, x)
	}
}

// Bool appends to a BOOL column.
func (w *RowWriter) Bool(x bool) {
	if v := w.next(LayoutBits, false); v != nil {
		w.appendBool(v, x)
	}
}

// Text appends to a column of LayoutArena.
func (w *RowWriter) Text(s string) {
	if v := w.next(LayoutArena, false); v != nil {
		s = s[:clip(w, s)]
		v.Data = append(v.Data, s...)
		w.endCell(v, len(s))
	}
}

// Bytes appends to a column of LayoutArena; b is copied.
func (w *RowWriter) Bytes(b []byte) {
	if v := w.next(LayoutArena, false); v != nil {
		b = b[:clip(w, b)]
		v.Data = append(v.Data, b...)
		w.endCell(v, len(b))
	}
}

func (w *RowWriter) appendInt64(v *Vector, x int64) {
	v.I64 = append(v.I64, x)
	w.rowSize += 8
}

func (w *RowWriter) appendFloat64(v *Vector, x float64) {
	v.F64 = append(v.F64, x)
	w.rowSize += 8
}

func (w *RowWriter) appendBool(v *Vector, x bool) {
	v.Bits = setBit(v.Bits, w.batch.Rows, x)
	w.rowSize++
}

func (w *RowWriter) endCell(v *Vector, size int) {
	v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	w.rowSize += size + 4
}

// next returns the vector of the next column, with a set validity bit where the
// column has NULLs already.
func (w *RowWriter) next(layout Layout, null bool) *Vector {
	if w.err != nil {
		return nil
	}
	if w.col >= len(w.columns) {
		_ = w.fail(Errorf(KindInternal, SourceConnector, "a row has more values than the %d columns", len(w.columns)))
		return nil
	}
	c := &w.columns[w.col]
	if !null && c.Type.Layout() != layout {
		_ = w.fail(Errorf(KindInternal, SourceConnector, "a value does not fit column %q of type %s", c.Name, c.Type))
		return nil
	}
	v := &w.batch.Columns[w.col]
	w.mark[w.col] = len(v.Data)
	if !null && v.Valid != nil {
		v.Valid = setBit(v.Valid, w.batch.Rows, true)
	}
	w.col++
	return v
}

func setBit(bits []byte, row int, on bool) []byte {
	if row>>3 == len(bits) {
		bits = append(bits, 0)
	}
	if on {
		bits[row>>3] |= 1 << (row & 7)
	}
	return bits
}

// EndRow ends a row that was appended value by value.
func (w *RowWriter) EndRow() error {
	if w.err != nil {
		return w.err
	}
	if w.col != len(w.columns) || !w.hasCols {
		return w.fail(Errorf(KindInternal, SourceConnector, "a row has %d values, its result %d columns", w.col, len(w.columns)))
	}
	if w.rowSize > MaxRowBytes {
		return w.fail(rowTooLong(int64(w.rowSize)))
	}
	if reason := w.overLimit(w.rowSize); reason != TruncatedNot {
		w.dropRow()
		return w.truncate(reason)
	}
	w.batch.Rows++
	w.sum.Rows++
	w.sum.Bytes += int64(w.rowSize)
	w.sum.CellsClipped += w.clipped
	w.size += w.rowSize
	w.col, w.rowSize, w.clipped = 0, 0, 0
	if w.batch.Rows >= w.target || w.size >= w.limits.BatchBytes {
		return w.flush()
	}
	return nil
}

func (w *RowWriter) flush() error {
	if w.batch.Rows == 0 {
		return nil
	}
	for i := range w.batch.Columns {
		if v := &w.batch.Columns[i]; len(v.Nanos) > 0 {
			v.Nanos = padNanos(v.Nanos, w.batch.Rows)
		}
	}
	err := w.fail(w.sink.Batch(&w.batch))
	for i := range w.batch.Columns {
		v := &w.batch.Columns[i]
		v.Valid, v.Bits, v.Data = nil, v.Bits[:0], v.Data[:0]
		v.I64, v.F64, v.Nanos = v.I64[:0], v.F64[:0], v.Nanos[:0]
		if v.Offsets != nil {
			v.Offsets = v.Offsets[:1]
		}
	}
	w.batch.Rows, w.size, w.target = 0, 0, w.limits.BatchRows
	return err
}

// Close sends the remaining rows. After a nil return the result is complete, or truncated with
// the reason in Summary.
func (w *RowWriter) Close() error {
	if errors.Is(w.err, ErrLimit) {
		return nil
	}
	if w.err != nil {
		return w.err
	}
	if !w.hasCols {
		return w.fail(Errorf(KindInternal, SourceConnector, "the result has no columns: Columns was never called"))
	}
	if w.col != 0 {
		return w.fail(Errorf(KindInternal, SourceConnector, "the last row was not ended"))
	}
	return w.flush()
}

// Summary returns what was written so far; Elapsed is left to the caller.
func (w *RowWriter) Summary() Summary { return w.sum }

// Adopt copies the figures of a remote summary that only the remote side knows.
func (w *RowWriter) Adopt(remote Summary) {
	if w.sum.TruncatedBy == TruncatedNot {
		w.sum.TruncatedBy = remote.TruncatedBy
	}
	w.sum.CellsClipped += remote.CellsClipped
	w.sum.BytesScanned, w.sum.BytesBilled = remote.BytesScanned, remote.BytesBilled
	if remote.QueryID != "" {
		w.sum.QueryID = remote.QueryID
	}
}

func (w *RowWriter) fail(err error) error {
	if err != nil && w.err == nil {
		w.err = err
	}
	return err
}
