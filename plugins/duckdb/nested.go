//go:build cgo

package duckdb

import (
	"encoding/base64"
	"strconv"

	duck "github.com/duckdb/duckdb-go-bindings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
)

// appendJSON appends a row in the form of a nested value. What is inside
// follows the rules of a result's cells: integers beyond ±2^53, decimals, NaN
// and infinities are strings, times are ISO 8601, bytes base64. A STRUCT is an
// object, or a list where its fields have no names; a MAP is an object whose
// keys are text; a UNION is an object of the one member that is set.
func appendJSON(dst []byte, v *engine.Vector, row int) []byte {
	if v.Null(row) {
		return append(dst, "null"...)
	}
	switch v.Type.ID {
	case duck.TypeBoolean:
		return strconv.AppendBool(dst, engine.Get[uint8](v, row) != 0)
	case duck.TypeTinyInt, duck.TypeSmallInt, duck.TypeInteger, duck.TypeUTinyInt, duck.TypeUSmallInt, duck.TypeUInteger, duck.TypeBigInt:
		return sdk.AppendJSONInteger(dst, integer(v, row))
	case duck.TypeFloat:
		return sdk.AppendJSONFloat(dst, float64(engine.Get[float32](v, row)))
	case duck.TypeDouble:
		return sdk.AppendJSONFloat(dst, engine.Get[float64](v, row))
	case duck.TypeVarchar:
		if v.Type.Alias == "JSON" {
			return append(dst, v.Bytes(row)...)
		}
		return appendString(dst, v.Bytes(row))
	case duck.TypeBlob:
		dst = base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes(row))
		return append(dst, '"')
	case duck.TypeDate, duck.TypeTimestamp, duck.TypeTimestampS, duck.TypeTimestampMS, duck.TypeTimestampTZ, duck.TypeTime:
		return append(appendMoment(append(dst, '"'), logicalType(v.Type), timeOf(v, row)), '"')
	case duck.TypeTimestampNS, duck.TypeTimeNS:
		micros, nanos := nanoMoment(v, row)
		moment := sdk.Vector{I64: []int64{micros}, Nanos: []uint32{uint32(nanos)}}
		return append(moment.AppendText(append(dst, '"'), logicalType(v.Type), 0), '"')
	case duck.TypeEnum:
		return appendString(dst, []byte(v.Word(row)))
	case duck.TypeList:
		first, end := v.List(row)
		return appendList(dst, v.Children[0], first, end)
	case duck.TypeArray:
		return appendList(dst, v.Children[0], row*v.Type.Size, (row+1)*v.Type.Size)
	case duck.TypeStruct:
		return appendStruct(dst, v, row)
	case duck.TypeMap:
		return appendMap(dst, v, row)
	case duck.TypeUnion:
		tag := int(engine.Get[uint8](v.Children[0], row))
		dst = append(appendString(append(dst, '{'), []byte(v.Type.Names[tag])), ':')
		return append(appendJSON(dst, v.Children[tag+1], row), '}')
	default:
		return append(appendText(append(dst, '"'), v, row), '"') // plain ASCII
	}
}

// timeOf is moment, and the microseconds of a TIME.
func timeOf(v *engine.Vector, row int) int64 {
	if v.Type.ID == duck.TypeTime {
		return engine.Get[int64](v, row)
	}
	return moment(v, row)
}

func appendList(dst []byte, elements *engine.Vector, first, end int) []byte {
	dst = append(dst, '[')
	for i := first; i < end; i++ {
		if i > first {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, elements, i)
	}
	return append(dst, ']')
}

func appendStruct(dst []byte, v *engine.Vector, row int) []byte {
	unnamed := len(v.Type.Names) > 0 && v.Type.Names[0] == ""
	open, end := byte('{'), byte('}')
	if unnamed {
		open, end = '[', ']'
	}
	dst = append(dst, open)
	for i, field := range v.Children {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !unnamed {
			dst = append(appendString(dst, []byte(v.Type.Names[i])), ':')
		}
		dst = appendJSON(dst, field, row)
	}
	return append(dst, end)
}

func appendMap(dst []byte, v *engine.Vector, row int) []byte {
	keys, values := v.Children[0].Children[0], v.Children[0].Children[1]
	first, end := v.List(row)
	dst = append(dst, '{')
	for i := first; i < end; i++ {
		if i > first {
			dst = append(dst, ',')
		}
		key := len(dst)
		dst = appendJSON(dst, keys, i)
		if dst[key] != '"' { // a number, a truth or a nested value
			dst = append(dst[:key], appendString(nil, dst[key:])...)
		}
		dst = appendJSON(append(dst, ':'), values, i)
	}
	return append(dst, '}')
}

// appendString writes text as a JSON string.
func appendString(dst, s []byte) []byte {
	dst, _ = sdk.AppendJSONText(dst, s) // DuckDB's texts are UTF-8
	return dst
}
