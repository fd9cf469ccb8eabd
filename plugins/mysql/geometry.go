package mysql

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/loam-data/loam/sdk"
)

// decodeGeometry writes a geometry as well-known text. On the wire it is a
// number of its reference system and well-known binary.
// Source: the MySQL 8.0 manual, section 13.4.3, and OGC 06-103r4, section 8.
func decodeGeometry(w *sdk.RowWriter, v driver.Value) error {
	raw, ok := v.([]byte)
	if !ok {
		return unexpected(v, "a geometry")
	}
	if len(raw) < 4 {
		return errGeometry
	}
	g := geometry{raw: raw[4:]}
	out, err := g.read(nil, true)
	if err != nil {
		return err
	}
	if len(g.raw) > 0 {
		return errGeometry
	}
	w.Bytes(out)
	return nil
}

var errGeometry = errors.New("the geometry is not of a known form")

// maxNesting bounds collections within collections.
const maxNesting = 32

// geometry is well-known binary on its way to text.
type geometry struct {
	raw   []byte
	order binary.ByteOrder
	depth int
}

// The kinds of geometries, by their numbers.
const (
	wkbPoint = iota + 1
	wkbLine
	wkbPolygon
	wkbMultiPoint
	wkbMultiLine
	wkbMultiPolygon
	wkbCollection
)

var wkbNames = [...]string{
	wkbPoint: "POINT", wkbLine: "LINESTRING", wkbPolygon: "POLYGON", wkbMultiPoint: "MULTIPOINT",
	wkbMultiLine: "MULTILINESTRING", wkbMultiPolygon: "MULTIPOLYGON", wkbCollection: "GEOMETRYCOLLECTION",
}

// read appends the geometry that comes next, with its name unless it is the
// part of one that says it.
func (g *geometry) read(out []byte, named bool) ([]byte, error) {
	if len(g.raw) < 5 || g.raw[0] > 1 || g.depth > maxNesting {
		return nil, errGeometry
	}
	g.order = binary.BigEndian
	if g.raw[0] == 1 {
		g.order = binary.LittleEndian
	}
	kind := g.order.Uint32(g.raw[1:])
	if kind < wkbPoint || kind > wkbCollection {
		return nil, errGeometry
	}
	g.raw = g.raw[5:]
	if named {
		out = append(out, wkbNames[kind]...)
	}
	switch kind {
	case wkbPoint:
		return g.parenthesized(out, g.point)
	case wkbLine, wkbPolygon:
		return g.list(out, map[uint32]part{wkbLine: g.point, wkbPolygon: g.ring}[kind])
	default:
		g.depth++
		defer func() { g.depth-- }()
		return g.list(out, func(out []byte) ([]byte, error) { return g.read(out, kind == wkbCollection) })
	}
}

type part func(out []byte) ([]byte, error)

func (g *geometry) parenthesized(out []byte, inner part) ([]byte, error) {
	out, err := inner(append(out, '('))
	return append(out, ')'), err
}

// list appends parts in parentheses, as many as the number before them says.
func (g *geometry) list(out []byte, each part) ([]byte, error) {
	if len(g.raw) < 4 {
		return nil, errGeometry
	}
	n := g.order.Uint32(g.raw)
	g.raw = g.raw[4:]
	if n == 0 {
		return append(out, " EMPTY"...), nil
	}
	return g.parenthesized(out, func(out []byte) ([]byte, error) {
		for i := range n {
			if i > 0 {
				out = append(out, ',')
			}
			var err error
			if out, err = each(out); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

func (g *geometry) ring(out []byte) ([]byte, error) { return g.list(out, g.point) }

// point appends coordinates: the shortest text that is the same number.
func (g *geometry) point(out []byte) ([]byte, error) {
	if len(g.raw) < 16 {
		return nil, errGeometry
	}
	for i := range 2 {
		if i > 0 {
			out = append(out, ' ')
		}
		out = strconv.AppendFloat(out, math.Float64frombits(g.order.Uint64(g.raw[8*i:])), 'g', -1, 64)
	}
	g.raw = g.raw[16:]
	return out, nil
}

func float32At(raw []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(raw)) }
