//go:build cgo

package engine

import (
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// Chunk is up to 2,048 rows of a result. What it shows is the library's memory.
type Chunk struct {
	Rows    int
	chunk   duck.DataChunk
	vectors []*Vector
}

// Column returns a column of the rows.
func (c *Chunk) Column(i int) *Vector { return c.vectors[i] }

func (c *Chunk) bind() {
	for i, v := range c.vectors {
		v.bind(duck.DataChunkGetVector(c.chunk, duck.IdxT(i)))
	}
}

// Vector is the values of one column.
type Vector struct {
	Type     *Type
	Children []*Vector
	data     unsafe.Pointer
	valid    unsafe.Pointer // a bitmap of 64-bit words; nil: no value is NULL
}

func newVectors(columns []Column) []*Vector {
	all := make([]*Vector, len(columns))
	for i, c := range columns {
		all[i] = newVector(c.Type)
	}
	return all
}

func newVector(t *Type) *Vector {
	v := &Vector{Type: t}
	switch t.ID {
	case duck.TypeMap: // a list of structs of a key and a value
		v.Children = []*Vector{newVector(&Type{ID: duck.TypeStruct, Names: []string{"key", "value"}, Children: t.Children})}
	case duck.TypeUnion: // a struct of the tag and the members
		v.Children = []*Vector{newVector(&Type{ID: duck.TypeUTinyInt})}
		for _, child := range t.Children {
			v.Children = append(v.Children, newVector(child))
		}
	default:
		for _, child := range t.Children {
			v.Children = append(v.Children, newVector(child))
		}
	}
	return v
}

func (v *Vector) bind(from duck.Vector) {
	v.data, v.valid = duck.VectorGetData(from), duck.VectorGetValidity(from)
	switch v.Type.ID {
	case duck.TypeList, duck.TypeMap:
		v.Children[0].bind(duck.ListVectorGetChild(from))
	case duck.TypeArray:
		v.Children[0].bind(duck.ArrayVectorGetChild(from))
	case duck.TypeStruct, duck.TypeUnion:
		for i, child := range v.Children {
			child.bind(duck.StructVectorGetChild(from, duck.IdxT(i)))
		}
	}
}

// Null reports whether a row is NULL.
func (v *Vector) Null(row int) bool {
	if v.valid == nil {
		return false
	}
	word := *(*uint64)(unsafe.Add(v.valid, row>>6<<3))
	return word&(1<<(row&63)) == 0
}

// Get returns a row of a vector whose values are stored as T.
func Get[T any](v *Vector, row int) T {
	var t T
	return *(*T)(unsafe.Add(v.data, uintptr(row)*unsafe.Sizeof(t)))
}

// inlined is the length up to which a string lies in its vector.
// Source: duckdb_string_t in duckdb.h.
const inlined = 12

// Bytes returns a row of strings or blobs without copying.
func (v *Vector) Bytes(row int) []byte {
	at := unsafe.Add(v.data, row*16)
	n := *(*uint32)(at)
	if n <= inlined {
		return unsafe.Slice((*byte)(unsafe.Add(at, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(at, 8)), n)
}

// List returns where the elements of a row of a LIST or MAP lie in the child.
func (v *Vector) List(row int) (first, end int) {
	type entry struct{ offset, length uint64 }
	e := Get[entry](v, row)
	return int(e.offset), int(e.offset + e.length)
}

// Word returns a row of an ENUM.
func (v *Vector) Word(row int) string {
	var i int
	switch v.Type.Internal {
	case duck.TypeUTinyInt:
		i = int(Get[uint8](v, row))
	case duck.TypeUSmallInt:
		i = int(Get[uint16](v, row))
	default:
		i = int(Get[uint32](v, row))
	}
	return v.Type.Words[i]
}

// Hugeint is a 128-bit integer of two's complement.
type Hugeint struct {
	Low  uint64
	High int64
}
