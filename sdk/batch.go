package sdk

import "slices"

// Batch is a run of rows in columnar form, the shape in which results cross
// the wire. Shape: Columns matches the result's columns in order and length.
// Concurrency: a batch belongs to its receiver until the receiver's call
// returns; whoever keeps it longer copies it.
type Batch struct {
	Rows    int
	Columns []Vector
}

// Vector holds one column's values of a batch.
// Shape: exactly one payload is set, fixed by the type's Layout: I64 and F64
// have Rows entries, Bits one bit per row (LSB first), Offsets Rows+1 entries
// into Data. A NULL row has a zero entry. Valid is a bitmap with a set bit for
// each NON-null row; nil means that no row is NULL. Nanos has Rows entries or none.
type Vector struct {
	Valid   []byte
	I64     []int64
	F64     []float64
	Bits    []byte
	Offsets []uint32
	Data    []byte
	// Nanos are the nanoseconds beyond the microseconds of I64, 0 to 999, of a column
	// whose TimeDigits are above 6; none = all 0. They count forward, before 1970 too.
	Nanos []uint32
}

// IsNull reports whether a row is NULL.
func (v *Vector) IsNull(row int) bool {
	return v.Valid != nil && v.Valid[row>>3]&(1<<(row&7)) == 0
}

// Bool returns a row of a LayoutBits vector.
func (v *Vector) Bool(row int) bool { return v.Bits[row>>3]&(1<<(row&7)) != 0 }

// Bytes returns a row of a LayoutArena vector, without copying.
func (v *Vector) Bytes(row int) []byte { return v.Data[v.Offsets[row]:v.Offsets[row+1]] }

// Nano returns the nanoseconds beyond the microseconds of a row.
func (v *Vector) Nano(row int) uint32 {
	if len(v.Nanos) == 0 {
		return 0
	}
	return v.Nanos[row]
}

// Value returns a row as null, bool, int64, float64 or []byte (not copied).
func (v *Vector) Value(t Type, row int) any {
	if v.IsNull(row) {
		return nil
	}
	switch t.Layout() {
	case LayoutBits:
		return v.Bool(row)
	case LayoutInt64:
		return v.I64[row]
	case LayoutFloat64:
		return v.F64[row]
	default:
		return v.Bytes(row)
	}
}

// Check returns the first mismatch between the batch and its columns; a batch from
// another process is checked before it is indexed.
func (b *Batch) Check(columns []Column) error {
	if len(b.Columns) != len(columns) {
		return Errorf(KindInternal, SourceConnector, "a batch has %d columns, its schema %d", len(b.Columns), len(columns))
	}
	for i := range b.Columns {
		if !b.Columns[i].fits(&columns[i], b.Rows) {
			return Errorf(KindInternal, SourceConnector, "column %d (%s) of a batch of %d rows is malformed", i+1, columns[i].Type, b.Rows)
		}
	}
	return nil
}

func (v *Vector) fits(c *Column, rows int) bool {
	bitmap := (rows + 7) / 8
	if v.Valid != nil && len(v.Valid) < bitmap {
		return false
	}
	switch c.Type.Layout() {
	case LayoutBits:
		return len(v.Bits) >= bitmap
	case LayoutInt64:
		return len(v.I64) == rows && v.nanosFit(c, rows)
	case LayoutFloat64:
		return len(v.F64) == rows
	}
	if len(v.Offsets) != rows+1 || v.Offsets[0] != 0 || int(v.Offsets[rows]) != len(v.Data) {
		return false
	}
	for i := range rows {
		if v.Offsets[i] > v.Offsets[i+1] {
			return false
		}
	}
	return true
}

func (v *Vector) nanosFit(c *Column, rows int) bool {
	if len(v.Nanos) == 0 {
		return true
	}
	if len(v.Nanos) != rows || !c.Finer() {
		return false
	}
	for _, n := range v.Nanos {
		if n > maxNano {
			return false
		}
	}
	return true
}

// Head returns the first rows of b, sharing its memory.
func (b *Batch) Head(rows int, columns []Column) *Batch {
	if rows >= b.Rows {
		return b
	}
	head := &Batch{Rows: rows, Columns: make([]Vector, len(b.Columns))}
	for i, v := range b.Columns {
		switch columns[i].Type.Layout() {
		case LayoutInt64:
			v.I64 = v.I64[:rows]
			v.Nanos = v.Nanos[:min(rows, len(v.Nanos))]
		case LayoutFloat64:
			v.F64 = v.F64[:rows]
		case LayoutArena:
			v.Offsets = v.Offsets[:rows+1]
			v.Data = v.Data[:v.Offsets[rows]]
		case LayoutBits:
		}
		head.Columns[i] = v
	}
	return head
}

// size returns the encoded bytes of a batch, counted as a RowWriter counts them.
func (b *Batch) size(columns []Column) int64 {
	var n int64
	for i := range columns {
		switch columns[i].Type.Layout() {
		case LayoutArena:
			n += int64(b.Columns[i].Offsets[b.Rows]) + 4*int64(b.Rows)
		case LayoutBits:
			n += int64(b.Rows)
		case LayoutInt64, LayoutFloat64:
			n += 8 * int64(b.Rows)
		}
	}
	return n
}

// rowSize returns the encoded bytes of one row with its cells clipped to maxCell.
func (b *Batch) rowSize(row int, columns []Column, maxCell int) int64 {
	var n int64
	for i := range columns {
		switch columns[i].Type.Layout() {
		case LayoutArena:
			cell := b.Columns[i].Bytes(row)
			if len(cell) > maxCell {
				cell = cell[:clipAt(columns[i].Type, cell, maxCell)]
			}
			n += int64(len(cell)) + 4
		case LayoutBits:
			n++
		case LayoutInt64, LayoutFloat64:
			n += 8
		}
	}
	return n
}

// clip returns b with every arena cell cut to limit bytes, and how many were
// cut; a batch that needs nothing is returned as it is.
func (b *Batch) clip(columns []Column, limit int) (*Batch, int64, error) {
	clipped := b
	var cells int64
	for i := range columns {
		if columns[i].Type.Layout() != LayoutArena || !b.Columns[i].longer(limit) {
			continue
		}
		if clipped == b {
			clipped = &Batch{Rows: b.Rows, Columns: slices.Clone(b.Columns)}
		}
		v, n, err := b.Columns[i].clip(&columns[i], limit)
		if err != nil {
			return nil, 0, err
		}
		clipped.Columns[i] = v
		cells += n
	}
	return clipped, cells, nil
}

func (v *Vector) longer(limit int) bool {
	if len(v.Data) <= limit {
		return false
	}
	for row := range len(v.Offsets) - 1 {
		if len(v.Bytes(row)) > limit {
			return true
		}
	}
	return false
}

func (v *Vector) clip(c *Column, limit int) (Vector, int64, error) {
	out := Vector{Valid: v.Valid, Offsets: make([]uint32, 1, len(v.Offsets))}
	var cells int64
	for row := range len(v.Offsets) - 1 {
		cell := v.Bytes(row)
		if len(cell) > limit {
			if err := clippable(c, len(cell), limit); err != nil {
				return Vector{}, 0, err
			}
			cell = cell[:clipAt(c.Type, cell, limit)]
			cells++
		}
		out.Data = append(out.Data, cell...)
		out.Offsets = append(out.Offsets, uint32(len(out.Data)))
	}
	return out, cells, nil
}
