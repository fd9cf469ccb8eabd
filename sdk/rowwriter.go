package sdk

import (
	"errors"
	"math"
	"unicode/utf8"
)

// Sizes of the contract. Source: spec "connector contract", decision 3; the
// knee of throughput against first-row time lies at 1,000 to 4,000 rows.
const (
	DefaultMaxCellBytes = 1 << 20
	DefaultBatchRows    = 2048
	DefaultBatchBytes   = 1 << 20
	FirstBatchRows      = 128
	// MaxRowBytes is the largest encoded row: it must fit a message of 16 MiB
	// behind a batch that was almost full.
	MaxRowBytes = 14 << 20
)

// Infinity and NegativeInfinity are the values of a DATE, TIMESTAMP or
// TIMESTAMP_TZ cell for the engines that have such values.
const (
	Infinity         = math.MaxInt64
	NegativeInfinity = math.MinInt64
)

// ErrLimit is what a RowWriter returns once the caller has enough: stop
// reading, cancel the rest in the engine, and return nil from Execute.
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

// RowWriter turns rows into batches and holds them to the limits: rows, bytes,
// cell size. Whoever calls Execute makes it and calls Close afterwards; a
// connector writes Columns once and then rows, either with Row or with one
// typed append per column and EndRow.
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
	if limits.BatchBytes <= 0 {
		limits.BatchBytes = DefaultBatchBytes
	}
	return &RowWriter{sink: sink, limits: limits, target: min(FirstBatchRows, limits.BatchRows)}
}

// Started tells the warehouse's own id of the query, before Columns.
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

// Notice passes on what the engine remarked.
func (w *RowWriter) Notice(n Warning) { w.sink.Notice(n) }

// SetBytesScanned records the engine's own figure for the summary.
func (w *RowWriter) SetBytesScanned(n int64) { w.sum.BytesScanned = n }

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
		v.I64 = append(v.I64, 0)
	case LayoutFloat64:
		v.F64 = append(v.F64, 0)
	case LayoutBits:
		v.Bits = setBit(v.Bits, row, false)
	case LayoutArena:
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	}
	w.rowSize++
}

// Int64 appends to a column of LayoutInt64.
func (w *RowWriter) Int64(x int64) {
	if v := w.next(LayoutInt64, false); v != nil {
		v.I64 = append(v.I64, x)
		w.rowSize += 8
	}
}

// Float64 appends to a FLOAT64 column.
func (w *RowWriter) Float64(x float64) {
	if v := w.next(LayoutFloat64, false); v != nil {
		v.F64 = append(v.F64, x)
		w.rowSize += 8
	}
}

// Bool appends to a BOOL column.
func (w *RowWriter) Bool(x bool) {
	if v := w.next(LayoutBits, false); v != nil {
		v.Bits = setBit(v.Bits, w.batch.Rows, x)
		w.rowSize++
	}
}

// Text appends to a column of LayoutArena.
func (w *RowWriter) Text(s string) {
	if v := w.next(LayoutArena, false); v != nil {
		keep := w.clip(len(s), func(n int) bool { return utf8.RuneStart(s[n]) })
		v.Data = append(v.Data, s[:keep]...)
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
		w.rowSize += keep + 4
	}
}

// Bytes appends to a column of LayoutArena; b is copied.
func (w *RowWriter) Bytes(b []byte) {
	if v := w.next(LayoutArena, false); v != nil {
		text := w.columns[w.col-1].Type == TypeText
		keep := w.clip(len(b), func(n int) bool { return !text || utf8.RuneStart(b[n]) })
		v.Data = append(v.Data, b[:keep]...)
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
		w.rowSize += keep + 4
	}
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

// clip returns how many of size bytes to keep; boundary tells whether the cell
// may be cut before a byte.
func (w *RowWriter) clip(size int, boundary func(int) bool) int {
	limit := w.limits.MaxCellBytes
	if size <= limit {
		return size
	}
	c := &w.columns[w.col-1]
	if c.Type != TypeText && c.Type != TypeBytes {
		_ = w.fail(Errorf(KindLimit, SourceCaller, "a %s value of column %q has %d bytes; the limit of a cell is %d", c.Type, c.Name, size, limit).
			WithHint("leave the column out or extract the part you need"))
		return 0
	}
	w.sum.CellsClipped++
	for limit > 0 && !boundary(limit) {
		limit--
	}
	return limit
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
		return w.fail(Errorf(KindLimit, SourceCaller, "a row has %d encoded bytes; the limit is %d", w.rowSize, MaxRowBytes).
			WithHint("select fewer or shorter columns"))
	}
	if reason := w.overLimit(w.rowSize); reason != TruncatedNot {
		w.dropRow()
		return w.truncate(reason)
	}
	w.batch.Rows++
	w.sum.Rows++
	w.sum.Bytes += int64(w.rowSize)
	w.size += w.rowSize
	w.col, w.rowSize = 0, 0
	if w.batch.Rows >= w.target || w.size >= w.limits.BatchBytes {
		return w.flush()
	}
	return nil
}

func (w *RowWriter) overLimit(size int) TruncatedBy {
	if w.limits.MaxRows > 0 && w.sum.Rows >= w.limits.MaxRows {
		return TruncatedByRows
	}
	if w.limits.MaxBytes > 0 && w.sum.Bytes+int64(size) > w.limits.MaxBytes {
		return TruncatedByBytes
	}
	return TruncatedNot
}

func (w *RowWriter) truncate(reason TruncatedBy) error {
	w.sum.TruncatedBy = reason
	if err := w.flush(); err != nil {
		return err
	}
	w.err = ErrLimit
	return ErrLimit
}

// dropRow takes the current, complete row back out of the batch.
func (w *RowWriter) dropRow() {
	rows := w.batch.Rows
	for i := range w.columns {
		v := &w.batch.Columns[i]
		switch w.columns[i].Type.Layout() {
		case LayoutInt64:
			v.I64 = v.I64[:rows]
		case LayoutFloat64:
			v.F64 = v.F64[:rows]
		case LayoutArena:
			v.Offsets, v.Data = v.Offsets[:rows+1], v.Data[:w.mark[i]]
		case LayoutBits:
		}
	}
	w.col, w.rowSize = 0, 0
}

func (w *RowWriter) flush() error {
	if w.batch.Rows == 0 {
		return nil
	}
	err := w.fail(w.sink.Batch(&w.batch))
	for i := range w.batch.Columns {
		v := &w.batch.Columns[i]
		v.Valid, v.Bits, v.Data = nil, v.Bits[:0], v.Data[:0]
		v.I64, v.F64 = v.I64[:0], v.F64[:0]
		if v.Offsets != nil {
			v.Offsets = v.Offsets[:1]
		}
	}
	w.batch.Rows, w.size, w.target = 0, 0, w.limits.BatchRows
	return err
}

// Batch passes on a batch that is complete in itself, cut to the limits. Not to
// be mixed with rows.
func (w *RowWriter) Batch(b *Batch) error {
	if w.err != nil {
		return w.err
	}
	if !w.hasCols {
		return w.fail(Errorf(KindInternal, SourceConnector, "a batch came before the columns"))
	}
	if err := b.Check(w.columns); err != nil {
		return w.fail(err)
	}
	reason, keep, size := TruncatedNot, b.Rows, b.size(w.columns)
	if w.limits.MaxRows > 0 && w.sum.Rows+int64(keep) > w.limits.MaxRows {
		reason, keep = TruncatedByRows, int(w.limits.MaxRows-w.sum.Rows)
		size = b.Head(keep, w.columns).size(w.columns)
	}
	if w.limits.MaxBytes > 0 && w.sum.Bytes+size > w.limits.MaxBytes {
		reason = TruncatedByBytes
		for keep, size = 0, 0; w.sum.Bytes+size+b.rowSize(keep, w.columns) <= w.limits.MaxBytes; keep++ {
			size += b.rowSize(keep, w.columns)
		}
	}
	w.sum.Rows += int64(keep)
	w.sum.Bytes += size
	if keep > 0 {
		if err := w.fail(w.sink.Batch(b.Head(keep, w.columns))); err != nil {
			return err
		}
	}
	if reason != TruncatedNot {
		w.sum.TruncatedBy, w.err = reason, ErrLimit
		return ErrLimit
	}
	return nil
}

// Close sends what is left. After a nil return the result is whole, or cut with
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
	return w.flush()
}

// Summary returns what was written so far; Elapsed is left to the caller.
func (w *RowWriter) Summary() Summary { return w.sum }

// Adopt takes over from a remote summary what only the other side can know.
func (w *RowWriter) Adopt(remote Summary) {
	if w.sum.TruncatedBy == TruncatedNot {
		w.sum.TruncatedBy = remote.TruncatedBy
	}
	w.sum.CellsClipped += remote.CellsClipped
	w.sum.BytesScanned = remote.BytesScanned
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

// size returns the encoded bytes of a batch, counted as EndRow counts them.
func (b *Batch) size(columns []Column) int64 {
	var n int64
	for row := range b.Rows {
		n += b.rowSize(row, columns)
	}
	return n
}

func (b *Batch) rowSize(row int, columns []Column) int64 {
	var n int64
	for i := range columns {
		v := &b.Columns[i]
		switch {
		case v.IsNull(row), columns[i].Type == TypeBool:
			n++
		case columns[i].Type.Layout() == LayoutArena:
			n += int64(v.Offsets[row+1]-v.Offsets[row]) + 4
		default:
			n += 8
		}
	}
	return n
}
