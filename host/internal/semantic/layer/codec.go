package layer

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
)

// The codec writes a value of structs, slices, pointers and what they are made
// of, all exported. A struct begins with a bit for each field that is not zero;
// so, unlike encoding/gob, it tells a pointer to zero from none and an empty
// slice from nil, which mean different things in a definition.

// layout writes what tells whether bytes of one program are read by another.
func layout(w io.Writer, t reflect.Type) {
	fmt.Fprint(w, t, t.Kind())
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			fmt.Fprint(w, t.Field(i).Name)
			layout(w, t.Field(i).Type)
		}
	case reflect.Slice, reflect.Pointer, reflect.Array:
		layout(w, t.Elem())
	}
}

func encode(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		var set uint64
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				set |= 1 << i
			}
		}
		b = binary.AppendUvarint(b, set)
		for i := range v.NumField() {
			if set&(1<<i) != 0 {
				b = encode(b, v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		for i := range v.Len() {
			b = encode(b, v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			b = encode(b, v.Index(i))
		}
	case reflect.Pointer:
		b = encode(b, v.Elem())
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		b = append(b, v.String()...)
	case reflect.Bool: // the field's bit says so; of others there are none
		b = binary.AppendUvarint(b, 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		b = binary.AppendVarint(b, v.Int())
	case reflect.Uint8:
		b = append(b, byte(v.Uint()))
	case reflect.Float64:
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	default:
		panic("no code for " + v.Type().String())
	}
	return b
}

// decoder reads what encode wrote. It panics on anything else.
type decoder struct {
	text string // all of it, of which the strings are parts
	at   int
}

func (d *decoder) uvarint() uint64 {
	var n uint64
	for shift := 0; ; shift += 7 {
		c := d.text[d.at]
		d.at++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
}

// length is a number of things of at least a byte each that follow.
func (d *decoder) length(n uint64) int {
	if n > uint64(len(d.text)-d.at) {
		panic("a length beyond the end")
	}
	return int(n)
}

func (d *decoder) decode(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for set, i := d.uvarint(), 0; set != 0; set, i = set>>1, i+1 {
			if set&1 != 0 {
				d.decode(v.Field(i))
			}
		}
	case reflect.Slice:
		count := d.uvarint()
		if count == 0 {
			return
		}
		n := d.length(count - 1)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			d.decode(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			d.decode(v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(v.Elem())
	case reflect.String:
		n := d.length(d.uvarint())
		v.SetString(d.text[d.at : d.at+n])
		d.at += n
	case reflect.Bool:
		v.SetBool(d.uvarint() == 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n := d.uvarint()
		v.SetInt(int64(n>>1) ^ -int64(n&1))
	case reflect.Uint8:
		v.SetUint(uint64(d.text[d.at]))
		d.at++
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64([]byte(d.text[d.at : d.at+8]))))
		d.at += 8
	default:
		panic("no code for " + v.Type().String())
	}
}

// sum is the hash that a block is verified by.
func sum(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }
