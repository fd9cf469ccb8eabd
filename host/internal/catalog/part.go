package catalog

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"unsafe"

	"github.com/loam-data/loam/sdk"
)

// Shape returns a hash of the names and native types of a table's columns, in their order. Unlike At it makes no
// table: a question may compare thousands.
// Errors: KindUnavailable with ErrDamaged.
func (s *Snapshot) Shape(i int) (shape Hash, err error) {
	digest := sha256.New()
	err = s.part(i, func(d *decoder) {
		d.columns(func(name, native string) {
			for _, text := range []string{name, native} {
				_, _ = digest.Write(unsafe.Slice(unsafe.StringData(text), len(text))) // writing to a hash never fails
				_, _ = digest.Write([]byte{0})
			}
		})
	})
	copy(shape[:], digest.Sum(nil))
	return shape, err
}

// ForeignKeys returns the declared foreign keys of a table. It reads nothing of a table without any.
// Errors: KindUnavailable with ErrDamaged.
func (s *Snapshot) ForeignKeys(i int) (keys []sdk.Key, err error) {
	if s.pack.record(i).foreignKeys() == 0 {
		return nil, nil
	}
	err = s.EachForeignKey([]int{i}, func(_ int, k sdk.Key) { keys = append(keys, k) })
	return keys, err
}

// Referring returns the positions of the tables with foreign keys, in the order of the file.
func (s *Snapshot) Referring() (all []int) {
	for i := range s.Len() {
		if s.pack.record(i).foreignKeys() > 0 {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b int) int {
		return cmp.Compare(s.pack.record(a).table().offset, s.pack.record(b).table().offset)
	})
	return all
}

// EachForeignKey calls one with the declared foreign keys of tables. In the order of Referring it reads many tables at
// once.
// Errors: KindUnavailable with ErrDamaged.
func (s *Snapshot) EachForeignKey(tables []int, one func(i int, key sdk.Key)) error {
	places := make([]place, len(tables))
	for n, i := range tables {
		places[n] = s.pack.record(i).table()
	}
	return s.pack.visitAll(places, func(n int, plain []byte) error {
		return s.rest(plain, func(d *decoder) {
			d.columns(func(string, string) {})
			d.rest = strings.Clone(d.rest) // the keys outlive the block
			d.times(func() {
				if k := d.key(); k.Kind == sdk.KeyForeign {
					one(tables[n], k)
				}
			})
		})
	})
}

// part calls read with the block of a table from its columns on.
func (s *Snapshot) part(i int, read func(*decoder)) error {
	return s.pack.visit(s.pack.record(i).table(), func(plain []byte) error { return s.rest(plain, read) })
}

// rest calls read with a block from its columns on.
func (s *Snapshot) rest(plain []byte, read func(*decoder)) error {
	d := decoder{rest: unsafe.String(unsafe.SliceData(plain), len(plain))}
	d.skip(4) // kind, comment, definition, fingerprint
	d.times(func() { d.skip(2) })
	if read(&d); d.err != nil {
		return damaged(s.pack.path, d.err)
	}
	return nil
}

// columns reads the columns and keeps nothing of them.
func (d *decoder) columns(one func(name, native string)) {
	d.times(func() {
		name := d.string()
		d.uint() // type
		native := d.string()
		d.uint() // nullable
		d.uint() // generated
		d.uint() // precision
		d.uint() // scale
		d.skip(2)
		d.times(func() { d.skip(2) })
		one(name, native)
	})
}
