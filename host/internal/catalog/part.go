package catalog

import (
	"crypto/sha256"
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
	err = s.part(i, func(d *decoder) {
		d.columns(func(string, string) {})
		d.rest = strings.Clone(d.rest) // the keys outlive the block
		for _, k := range list(d, d.key) {
			if k.Kind == sdk.KeyForeign {
				keys = append(keys, k)
			}
		}
	})
	return keys, err
}

// part calls read with the block of a table from its columns on.
func (s *Snapshot) part(i int, read func(*decoder)) error {
	return s.pack.visit(s.pack.record(i).table(), func(plain []byte) error {
		d := decoder{rest: unsafe.String(unsafe.SliceData(plain), len(plain))}
		d.skip(4) // kind, comment, definition, fingerprint
		d.times(func() { d.skip(2) })
		if read(&d); d.err != nil {
			return damaged(s.pack.path, d.err)
		}
		return nil
	})
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
