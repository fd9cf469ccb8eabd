package snowflake

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowStream writes rows as a stream of one batch, with the layouts that the
// service chooses: the narrowest integer that holds the numbers of the batch,
// an instant as a count of its scale or, of nine digits, as seconds and nanoseconds.
func arrowStream(columns []column, rows [][]cell) ([]byte, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowType(c.sqlType, rows, i), Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{
			"logicalType": strings.ToUpper(c.name), "precision": strconv.Itoa(c.precision), "scale": strconv.Itoa(c.scale),
		})}
	}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	for _, row := range rows {
		for i, v := range row {
			appendCell(builder.Field(i), columns[i].sqlType, v)
		}
	}
	record := builder.NewRecordBatch()
	defer record.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(record); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

var (
	epoch    = arrow.Field{Name: "epoch", Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	fraction = arrow.Field{Name: "fraction", Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	zone     = arrow.Field{Name: "timezone", Type: arrow.PrimitiveTypes.Int32, Nullable: true}
)

func arrowType(t sqlType, rows [][]cell, column int) arrow.DataType {
	switch t.name {
	case "fixed":
		return integerFor(t, rows, column)
	case "real":
		return arrow.PrimitiveTypes.Float64
	case "boolean":
		return arrow.FixedWidthTypes.Boolean
	case "binary":
		return arrow.BinaryTypes.Binary
	case "date":
		return arrow.FixedWidthTypes.Date32
	case "time":
		return arrow.PrimitiveTypes.Int64
	case "timestamp_tz":
		return arrow.StructOf(epoch, fraction, zone)
	case "timestamp_ntz", "timestamp_ltz":
		if t.scale > 7 {
			return arrow.StructOf(epoch, fraction)
		}
		return arrow.PrimitiveTypes.Int64
	}
	return arrow.BinaryTypes.String
}

// integerFor returns the narrowest type for the units of a column.
func integerFor(t sqlType, rows [][]cell, column int) arrow.DataType {
	bits := 0
	for _, row := range rows {
		if n, ok := row[column].(*big.Int); ok {
			bits = max(bits, n.BitLen())
		}
	}
	switch {
	case bits < 8:
		return arrow.PrimitiveTypes.Int8
	case bits < 16:
		return arrow.PrimitiveTypes.Int16
	case bits < 32:
		return arrow.PrimitiveTypes.Int32
	case bits < 64:
		return arrow.PrimitiveTypes.Int64
	}
	return &arrow.Decimal128Type{Precision: 38, Scale: int32(t.scale)}
}

func appendCell(b array.Builder, t sqlType, v cell) {
	switch v := v.(type) {
	case string:
		b.(*array.StringBuilder).Append(v)
	case float64:
		b.(*array.Float64Builder).Append(v)
	case bool:
		b.(*array.BooleanBuilder).Append(v)
	case []byte:
		b.(*array.BinaryBuilder).Append(v)
	case *big.Int:
		appendInteger(b, v)
	case clock:
		appendClock(b, t, v)
	default:
		b.AppendNull()
	}
}

func appendInteger(b array.Builder, n *big.Int) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(n.Int64()))
	case *array.Int16Builder:
		b.Append(int16(n.Int64()))
	case *array.Int32Builder:
		b.Append(int32(n.Int64()))
	case *array.Int64Builder:
		b.Append(n.Int64())
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(n))
	}
}

func appendClock(b array.Builder, t sqlType, c clock) {
	unit := int64(1) // nanoseconds that the scale leaves out
	for range 9 - t.scale {
		unit *= 10
	}
	switch b := b.(type) {
	case *array.Date32Builder:
		b.Append(arrow.Date32(c.days))
	case *array.Int64Builder:
		if t.name == "time" {
			b.Append(c.nanos / unit)
		} else {
			b.Append(c.seconds*(1e9/unit) + c.nanos/unit)
		}
	case *array.StructBuilder:
		b.Append(true)
		b.FieldBuilder(0).(*array.Int64Builder).Append(c.seconds)
		b.FieldBuilder(1).(*array.Int32Builder).Append(int32(c.nanos))
		if t.name == "timestamp_tz" {
			b.FieldBuilder(2).(*array.Int32Builder).Append(int32(c.offset + 1440))
		}
	}
}
