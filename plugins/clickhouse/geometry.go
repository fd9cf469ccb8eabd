package clickhouse

import (
	"github.com/loam-data/loam/sdk"
)

// shape is a geometric type: how often points are nested in arrays, and its name
// in well-known text. A ring is a line in WKT.
type shape struct {
	depth int
	wkt   string
}

var shapes = map[string]shape{
	"Point": {0, "POINT"}, "Ring": {1, "LINESTRING"}, "LineString": {1, "LINESTRING"},
	"Polygon": {2, "POLYGON"}, "MultiLineString": {2, "MULTILINESTRING"}, "MultiPolygon": {3, "MULTIPOLYGON"},
}

// geometries are the types of a Geometry, in the order of their discriminators.
var geometries = []string{"LineString", "MultiLineString", "MultiPolygon", "Point", "Polygon", "Ring"}

// newGeometry returns the column of a geometric type, nil if it is none.
func newGeometry(t *typeName) (column, error) {
	if t.name == "Geometry" {
		c := &geometry{}
		for _, name := range geometries {
			c.types = append(c.types, newShape(name))
		}
		return c, nil
	}
	if _, ok := shapes[t.name]; !ok {
		return nil, nil
	}
	return newShape(t.name), nil
}

// points is a column of a geometric type.
type points struct {
	shape
	ends []sizes // from the outside in
	x, y fixed
	buf  []byte
}

func newShape(name string) *points {
	s := shapes[name]
	return &points{shape: s, ends: make([]sizes, s.depth), x: fixed{scalar: scalars["Float64"]}, y: fixed{scalar: scalars["Float64"]}}
}

func (*points) prefix(*reader) error { return nil }

func (c *points) read(r *reader, rows int) (err error) {
	for i := range c.ends {
		if rows, err = c.ends[i].read(r, rows); err != nil {
			return err
		}
	}
	if err := c.x.read(r, rows); err != nil {
		return err
	}
	return c.y.read(r, rows)
}

func (*points) null(int) bool { return false }

func (c *points) write(w *sdk.RowWriter, row int) {
	c.buf = c.text(c.buf[:0], row)
	w.Bytes(c.buf)
}

func (c *points) json(dst []byte, row int) []byte {
	c.buf = c.text(c.buf[:0], row)
	return appendQuoted(dst, c.buf)
}

// text appends well-known text.
func (c *points) text(dst []byte, row int) []byte {
	dst = append(append(dst, c.wkt...), ' ')
	if c.depth == 0 {
		return append(c.point(append(dst, '('), row), ')')
	}
	return c.list(dst, 0, row)
}

// list appends the elements of a row on a level.
func (c *points) list(dst []byte, level, row int) []byte {
	start, end := c.ends[level].of(row)
	if start == end {
		return append(dst, "EMPTY"...)
	}
	dst = append(dst, '(')
	for i := start; i < end; i++ {
		if i > start {
			dst = append(dst, ", "...)
		}
		if level == len(c.ends)-1 {
			dst = c.point(dst, i)
		} else {
			dst = c.list(dst, level+1, i)
		}
	}
	return append(dst, ')')
}

func (c *points) point(dst []byte, i int) []byte {
	dst = append(sdk.AppendFloat(dst, c.x.float64(i)), ' ')
	return sdk.AppendFloat(dst, c.y.float64(i))
}

// geometry is a Geometry: a Variant of the geometric types.
type geometry struct{ variant }

func (c *geometry) write(w *sdk.RowWriter, row int) { c.types[c.kinds[row]].write(w, c.places[row]) }
