package catalog

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/loam-data/loam/sdk"
)

// encoder appends values to a block.
type encoder []byte

func (e *encoder) uint(n uint64)     { *e = binary.AppendUvarint(*e, n) }
func (e *encoder) int(n int64)       { *e = binary.AppendVarint(*e, n) }
func (e *encoder) fixed(n uint64)    { *e = binary.LittleEndian.AppendUint64(*e, n) }
func (e *encoder) float(f float64)   { e.fixed(math.Float64bits(f)) }
func (e *encoder) string(s string)   { e.uint(uint64(len(s))); *e = append(*e, s...) }
func (e *encoder) list(all []string) { each(e, all, e.string) }

func (e *encoder) bool(b bool) {
	if b {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

func (e *encoder) time(t time.Time) {
	e.bool(!t.IsZero())
	if !t.IsZero() {
		e.int(t.Unix())
		e.uint(uint64(t.Nanosecond()))
	}
}

func (e *encoder) optional(s *string) {
	e.bool(s != nil)
	if s != nil {
		e.string(*s)
	}
}

func (e *encoder) properties(m map[string]string) {
	e.uint(uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		e.string(k)
		e.string(m[k])
	}
}

func each[T any](e *encoder, all []T, one func(T)) {
	e.uint(uint64(len(all)))
	for _, v := range all {
		one(v)
	}
}

// appendTable encodes what the directory does not have of a table.
func appendTable(dst []byte, t *sdk.Table) []byte {
	e := (*encoder)(&dst)
	e.string(string(t.Kind))
	e.string(t.Comment)
	e.string(t.Definition)
	e.string(t.Fingerprint)
	e.properties(t.Properties)
	each(e, t.Columns, e.column)
	each(e, t.Keys, e.key)
	if slices.ContainsFunc(t.Columns, detailed) { // a table without ends here, as all did before
		e.details(t.Columns)
	}
	return dst
}

// detailed reports whether a column has what column does not encode.
func detailed(c sdk.Column) bool { return c.TimeDigits != 0 || c.Repeated || len(c.Fields) > 0 }

// details encodes what column does not, of those columns that have it.
func (e *encoder) details(columns []sdk.Column) {
	var with []int
	for i, c := range columns {
		if detailed(c) {
			with = append(with, i)
		}
	}
	each(e, with, func(i int) {
		e.uint(uint64(i))
		e.int(int64(columns[i].TimeDigits))
		e.bool(columns[i].Repeated)
		each(e, columns[i].Fields, e.column)
		e.details(columns[i].Fields)
	})
}

func (e *encoder) column(c sdk.Column) {
	e.string(c.Name)
	e.uint(uint64(c.Type))
	e.string(c.NativeType)
	e.bool(c.Nullable)
	e.bool(c.Generated)
	e.int(int64(c.Precision))
	e.int(int64(c.Scale))
	e.string(c.Comment)
	e.string(c.Default)
	e.properties(c.Properties)
}

func (e *encoder) key(k sdk.Key) {
	e.uint(uint64(k.Kind))
	e.string(k.Name)
	e.list(k.Columns)
	e.ref(k.Ref)
	e.list(k.RefColumns)
	e.bool(k.Enforced)
}

func (e *encoder) ref(r sdk.TableRef) {
	e.string(r.Catalog)
	e.string(r.Schema)
	e.string(r.Name)
}

func appendProfile(dst []byte, p *Profile) []byte {
	e := (*encoder)(&dst)
	e.time(p.At)
	each(e, p.Stats, e.stats)
	each(e, p.Withheld, func(w Withheld) {
		e.string(w.Column)
		e.string(w.Reason)
	})
	if p.Sampled { // a profile without rows ends here, as all did before
		e.bool(true)
		each(e, p.Cells, e.cells)
	}
	return dst
}

func (e *encoder) cells(c Cells) {
	e.string(c.Column)
	each(e, c.Values, e.optional)
}

func (e *encoder) stats(s sdk.ColumnStats) {
	e.string(s.Column)
	e.int(s.Rows)
	e.bool(s.Complete)
	e.int(s.Nulls)
	e.int(s.Distinct)
	e.bool(s.DistinctApprox)
	e.optional(s.Min)
	e.optional(s.Max)
	e.list(s.Quantiles)
	e.int(s.MinLength)
	e.int(s.MaxLength)
	e.float(s.AvgLength)
	e.list(s.Values)
	each(e, s.Counts, e.int)
	e.bool(s.ValuesComplete)
	each(e, s.Sketch, e.fixed)
}

var errShort = errors.New("a block is shorter than what is in it")

// decoder reads a block. Its strings share the block's memory.
type decoder struct {
	rest string
	err  error
}

// times reads a list and keeps nothing of it.
func (d *decoder) times(one func()) {
	for n := d.uint(); n > 0 && d.err == nil; n-- {
		one()
	}
}

// skip reads strings and keeps nothing of them.
func (d *decoder) skip(strings int) {
	for range strings {
		_ = d.string()
	}
}

func (d *decoder) fail() {
	d.err = errShort
	d.rest = ""
}

func (d *decoder) uint() uint64 {
	var n uint64
	for i := range min(len(d.rest), binary.MaxVarintLen64) {
		b := d.rest[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.rest = d.rest[i+1:]
			return n
		}
	}
	d.fail()
	return 0
}

func (d *decoder) int() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) bool() bool { return d.uint() != 0 }

func (d *decoder) fixed() uint64 {
	if len(d.rest) < 8 {
		d.fail()
		return 0
	}
	var n uint64
	for i := range 8 {
		n |= uint64(d.rest[i]) << (8 * i)
	}
	d.rest = d.rest[8:]
	return n
}

func (d *decoder) string() string {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.fail()
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) optional() *string {
	if !d.bool() {
		return nil
	}
	s := d.string()
	return &s
}

func (d *decoder) time() time.Time {
	if !d.bool() {
		return time.Time{}
	}
	seconds := d.int()
	return time.Unix(seconds, int64(d.uint())).UTC()
}

// list reads a list whose elements take at least one byte each, so that a
// damaged length reserves no more than the block's own size of them.
func list[T any](d *decoder, one func() T) []T {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.fail()
	}
	if n == 0 || d.err != nil {
		return nil
	}
	all := make([]T, n)
	for i := range all {
		if d.err != nil {
			return nil
		}
		all[i] = one()
	}
	return all
}

func (d *decoder) properties() map[string]string {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.fail()
	}
	if n == 0 || d.err != nil {
		return nil
	}
	m := make(map[string]string, n)
	for range n {
		k := d.string()
		m[k] = d.string()
	}
	return m
}

func decodeTable(block string, t *sdk.Table) error {
	d := decoder{rest: block}
	t.Kind = sdk.TableKind(d.string())
	t.Comment = d.string()
	t.Definition = d.string()
	t.Fingerprint = d.string()
	t.Properties = d.properties()
	t.Columns = list(&d, d.column)
	t.Keys = list(&d, d.key)
	if d.rest != "" {
		d.details(t.Columns)
	}
	return d.end()
}

func (d *decoder) details(columns []sdk.Column) {
	list(d, func() struct{} {
		i := d.uint()
		if i >= uint64(len(columns)) {
			d.fail()
			return struct{}{}
		}
		c := &columns[i]
		c.TimeDigits, c.Repeated, c.Fields = int(d.int()), d.bool(), list(d, d.column)
		d.details(c.Fields)
		return struct{}{}
	})
}

func (d *decoder) column() sdk.Column {
	return sdk.Column{
		Name: d.string(), Type: sdk.Type(d.uint()), NativeType: d.string(),
		Nullable: d.bool(), Generated: d.bool(), Precision: int(d.int()), Scale: int(d.int()),
		Comment: d.string(), Default: d.string(), Properties: d.properties(),
	}
}

func (d *decoder) key() sdk.Key {
	return sdk.Key{
		Kind: sdk.KeyKind(d.uint()), Name: d.string(), Columns: list(d, d.string),
		Ref:        sdk.TableRef{Catalog: d.string(), Schema: d.string(), Name: d.string()},
		RefColumns: list(d, d.string), Enforced: d.bool(),
	}
}

func decodeProfile(block string) (*Profile, error) {
	d := decoder{rest: block}
	p := &Profile{At: d.time(), Stats: list(&d, d.stats)}
	p.Withheld = list(&d, func() Withheld { return Withheld{Column: d.string(), Reason: d.string()} })
	if d.rest != "" {
		p.Sampled = d.bool()
		p.Cells = list(&d, func() Cells { return Cells{Column: d.string(), Values: list(&d, d.optional)} })
	}
	return p, d.end()
}

func (d *decoder) stats() sdk.ColumnStats {
	return sdk.ColumnStats{
		Column: d.string(), Rows: d.int(), Complete: d.bool(), Nulls: d.int(), Distinct: d.int(), DistinctApprox: d.bool(),
		Min: d.optional(), Max: d.optional(), Quantiles: list(d, d.string),
		MinLength: d.int(), MaxLength: d.int(), AvgLength: math.Float64frombits(d.fixed()),
		Values: list(d, d.string), Counts: list(d, d.int), ValuesComplete: d.bool(), Sketch: list(d, d.fixed),
	}
}

func (d *decoder) end() error {
	if d.err == nil && d.rest != "" {
		return errors.New("a block is longer than what is in it")
	}
	return d.err
}
