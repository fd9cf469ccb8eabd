package sdk

import "unicode/utf8"

// Batch passes on a batch that is complete in itself, cut to the limits.
// Errors: ErrLimit; KindLimit for a cell that may not be clipped;
// KindInternal for a batch that does not fit the columns.
func (w *RowWriter) Batch(b *Batch) error {
	if w.err != nil {
		return w.err
	}
	if !w.hasCols || w.col != 0 {
		return w.fail(Errorf(KindInternal, SourceConnector, "a batch came before the columns or inside a row"))
	}
	if err := b.Check(w.columns); err != nil {
		return w.fail(err)
	}
	if err := w.flush(); err != nil {
		return err
	}
	b, reason := w.cut(b)
	b, clipped, err := b.clip(w.columns, w.limits.MaxCellBytes)
	if err != nil {
		return w.fail(err)
	}
	if b.Rows > 0 {
		w.sum.Rows += int64(b.Rows)
		w.sum.Bytes += b.size(w.columns)
		w.sum.CellsClipped += clipped
		if err := w.fail(w.sink.Batch(b)); err != nil {
			return err
		}
	}
	if reason != TruncatedNot {
		w.sum.TruncatedBy, w.err = reason, ErrLimit
		return ErrLimit
	}
	return nil
}

// cut returns the rows of b that the limits leave room for. A cell counts for
// MaxBytes as it will be after clipping.
func (w *RowWriter) cut(b *Batch) (*Batch, TruncatedBy) {
	reason := TruncatedNot
	if w.limits.MaxRows > 0 && int64(b.Rows) > w.limits.MaxRows-w.sum.Rows {
		reason, b = TruncatedByRows, b.Head(int(w.limits.MaxRows-w.sum.Rows), w.columns)
	}
	room := w.limits.MaxBytes - w.sum.Bytes
	if w.limits.MaxBytes <= 0 || b.size(w.columns) <= room {
		return b, reason
	}
	for row := range b.Rows {
		if room -= b.rowSize(row, w.columns, w.limits.MaxCellBytes); room < 0 {
			return b.Head(row, w.columns), TruncatedByBytes
		}
	}
	return b, reason
}

func rowTooLong(size int64) error {
	return Errorf(KindLimit, SourceCaller, "a row has %d encoded bytes; the limit is %d", size, MaxRowBytes).
		WithHint("select fewer or shorter columns")
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

// dropRow takes the current, complete row back out of the batch. The bitmaps
// may keep a bit of it: they are read up to Rows only.
func (w *RowWriter) dropRow() {
	rows := w.batch.Rows
	for i := range w.columns {
		v := &w.batch.Columns[i]
		switch w.columns[i].Type.Layout() {
		case LayoutInt64:
			v.I64 = v.I64[:rows]
			v.Nanos = v.Nanos[:min(rows, len(v.Nanos))]
		case LayoutFloat64:
			v.F64 = v.F64[:rows]
		case LayoutArena:
			v.Offsets, v.Data = v.Offsets[:rows+1], v.Data[:w.mark[i]]
		case LayoutBits:
		}
	}
	w.col, w.rowSize, w.clipped = 0, 0, 0
}

// clip returns how many bytes of the current column's cell to keep.
func clip[B string | []byte](w *RowWriter, cell B) int {
	if len(cell) <= w.limits.MaxCellBytes {
		return len(cell)
	}
	c := &w.columns[w.col-1]
	if err := clippable(c, len(cell), w.limits.MaxCellBytes); err != nil {
		_ = w.fail(err)
		return 0
	}
	w.clipped++
	return clipAt(c.Type, cell, w.limits.MaxCellBytes)
}

// clippable refuses a cell that would mean something else when cut.
func clippable(c *Column, size, limit int) error {
	if c.Type == TypeText || c.Type == TypeBytes {
		return nil
	}
	return Errorf(KindLimit, SourceCaller, "a %s value of column %q has %d bytes; the limit of a cell is %d", c.Type, c.Name, size, limit).
		WithHint("leave the column out or extract the part you need")
}

// clipAt returns where to cut a longer cell: at limit, or before the code point
// that limit would split.
func clipAt[B string | []byte](t Type, cell B, limit int) int {
	if t != TypeText {
		return limit
	}
	for n := limit; n > max(0, limit-utf8.UTFMax); n-- {
		if utf8.RuneStart(cell[n]) {
			return n
		}
	}
	if limit < utf8.UTFMax {
		return 0
	}
	return limit // not UTF-8
}
