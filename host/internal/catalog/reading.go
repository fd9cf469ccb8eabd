package catalog

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// Written is a table of a Writer as Commit would store it now.
type Written struct {
	sdk.Table
	// New: the base has no table of that name. Changed: the base has another version
	// of it.
	New, Changed bool
	// EstimateBefore is the base's RowEstimate; -1 = unknown.
	EstimateBefore int64
	// Profile is the new one, or the part of the base's that is still valid; nil =
	// none.
	Profile *Profile
	// Counted: Profile is a new one.
	Counted bool
}

// Refs lists the tables that were added so far, in the order of their names.
func (w *Writer) Refs() []sdk.TableRef {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Keys(w.tables), compareRefs)
}

// Unchanged reports whether the added tables and profiles are those of the base.
func (w *Writer) Unchanged() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.base == nil || len(w.tables) != w.base.Len() {
		return false
	}
	for _, r := range w.tables {
		if r.before < 0 || r.counted || r.table.hash != w.base.pack.record(r.before).table().hash {
			return false
		}
	}
	return true
}

// Read returns an added table.
// Errors: KindInternal for a table that was not added, KindUnavailable with
// ErrDamaged, KindDenied.
func (w *Writer) Read(ref sdk.TableRef) (*Written, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.tables[ref]
	if r == nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "table %s was not found", Display(ref)).WithHint("report this")
	}
	t := &Written{New: r.before < 0, EstimateBefore: -1, Counted: r.counted}
	t.TableRef, t.RowEstimate, t.ByteEstimate = ref, r.rows, r.bytes
	block, err := w.out.read(&r.table)
	if err != nil {
		return nil, w.explain(err)
	}
	if err := decodeTable(block, &t.Table); err != nil {
		return nil, damaged(w.out.file.Name(), err)
	}
	if !t.New {
		old := w.base.pack.record(r.before)
		t.Changed, t.EstimateBefore = old.table().hash != r.table.hash, old.rows()
	}
	t.Profile, err = w.written(r)
	return t, err
}

// written returns a table's new profile, or what stays of the base's.
func (w *Writer) written(r *row) (*Profile, error) {
	switch {
	case r.counted:
		block, err := w.out.read(&r.profile)
		if err != nil {
			return nil, w.explain(err)
		}
		p, err := decodeProfile(block)
		if err != nil {
			return nil, damaged(w.out.file.Name(), err)
		}
		return p, nil
	case r.before < 0:
		return nil, nil
	case r.changed != nil:
		return w.remains(r)
	}
	return w.profileBefore(r)
}

// profileBefore returns a copy of the base's profile; nil when it has none.
func (w *Writer) profileBefore(r *row) (*Profile, error) {
	p, err := w.base.Profile(r.before)
	if err != nil || p == nil {
		return nil, err
	}
	return p.Clone(), nil
}

// remains returns what the base's profile says of columns that are still the
// same; nil when there is nothing.
func (w *Writer) remains(r *row) (*Profile, error) {
	p, err := w.profileBefore(r)
	if err != nil || p == nil {
		return nil, err
	}
	was, err := w.base.At(r.before)
	if err != nil {
		return nil, err
	}
	gone := func(column string) bool {
		i, j := columnAt(was.Columns, column), columnAt(r.changed, column)
		return i < 0 || j < 0 || was.Columns[i].NativeType != r.changed[j].NativeType
	}
	p.Stats = slices.DeleteFunc(p.Stats, func(s sdk.ColumnStats) bool { return gone(s.Column) })
	p.Withheld = slices.DeleteFunc(p.Withheld, func(h Withheld) bool { return gone(h.Column) })
	p.Cells = slices.DeleteFunc(p.Cells, func(c Cells) bool { return gone(c.Column) })
	if len(p.Stats)+len(p.Withheld) == 0 {
		return nil, nil
	}
	return p, nil
}

// read returns a block that was put, verified.
func (o *output) read(at *place) (string, error) {
	if o.zstd == nil {
		for _, w := range slices.Backward(o.waiting) { // the last one counts
			if w.into == at {
				return string(w.plain), nil
			}
		}
		return "", ErrDamaged
	}
	if o.reader == nil {
		p, err := newDecoder(o.words)
		if err != nil {
			return "", err
		}
		o.reader = &pack{path: o.file.Name(), file: o.file, zstd: p}
	}
	return o.reader.block(*at)
}
