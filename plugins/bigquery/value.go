package bigquery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"

	"github.com/loam-data/loam/sdk"
)

// kept are the types whose values the client reads without a loss. It has no sign for
// -0:30 of an INTERVAL, no RANGE in a record, and numbers and times without their text.
var kept = map[sdk.Type]bigquery.FieldType{
	sdk.TypeBool: bigquery.BooleanFieldType, sdk.TypeInt64: bigquery.IntegerFieldType, sdk.TypeFloat64: bigquery.FloatFieldType,
	sdk.TypeTimestampTZ: bigquery.TimestampFieldType, sdk.TypeBytes: bigquery.BytesFieldType, sdk.TypeDate: bigquery.DateFieldType,
	sdk.TypeTime: bigquery.TimeFieldType, sdk.TypeTimestamp: bigquery.DateTimeFieldType,
}

// exact returns a schema for the client to read rows by: what it does not keep is text,
// as the service sends it.
func exact(schema bigquery.Schema, inside bool) bigquery.Schema {
	var of bigquery.Schema
	for _, f := range schema {
		field, typ := *f, typeOf(element(f))
		field.Type, field.Schema = cmp.Or(kept[typ], bigquery.StringFieldType), exact(f.Schema, true)
		switch typ {
		case sdk.TypeBytes, sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp:
			if inside || f.Repeated { // of JSON, which has their text
				field.Type = bigquery.StringFieldType
			}
		}
		of = append(of, &field)
	}
	return of
}

// write appends a value that the client read by exact; buf is for reuse.
func write(w *sdk.RowWriter, buf []byte, f *bigquery.FieldSchema, v bigquery.Value) ([]byte, error) {
	if f.Repeated || v != nil && f.Schema != nil {
		buf, err := appendJSON(buf[:0], f, v)
		w.Bytes(buf)
		return buf, err
	}
	switch t := v.(type) {
	case []bigquery.Value:
		return buf, odd(fmt.Errorf("column %s: %v", f.Name, v))
	case civil.Date:
		v = t.In(time.UTC)
	case civil.DateTime:
		v = t.In(time.UTC)
	case civil.Time:
		v = time.Date(1, 1, 1, t.Hour, t.Minute, t.Second, t.Nanosecond, time.UTC)
	}
	w.Value(v)
	return buf, nil
}

// odd is about an answer that no such type has, or that the client cannot read.
func odd(err error) *sdk.Error {
	return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the service sent a value in a form that is not known: %w", err).
		WithHint("cast the columns to STRING, and report this")
}

// appendJSON appends a value as JSON results have it.
func appendJSON(dst []byte, f *bigquery.FieldSchema, v bigquery.Value) (_ []byte, err error) {
	list, many := v.([]bigquery.Value)
	switch {
	case f.Repeated && !many && v != nil, !f.Repeated && v != nil && many != (f.Schema != nil), many && !f.Repeated && len(list) != len(f.Schema):
		return dst, odd(fmt.Errorf("field %s: %v", f.Name, v))
	case f.Repeated:
		one := *f
		one.Repeated = false
		dst = append(dst, '[')
		for i, element := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, &one, element); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case many:
		for i, field := range f.Schema {
			dst = append(dst, "{,"[min(i, 1)])
			dst, _ = sdk.AppendJSONText(dst, []byte(field.Name))
			if dst, err = appendJSON(append(dst, ':'), field, list[i]); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int64:
		return sdk.AppendJSONInteger(dst, v), nil
	case float64:
		return sdk.AppendJSONFloat(dst, v), nil
	case time.Time:
		return v.AppendFormat(dst, `"2006-01-02T15:04:05.999999Z"`), nil
	case string:
		if f.Type != bigquery.JSONFieldType {
			dst, _ = sdk.AppendJSONText(dst, []byte(v))
			return dst, nil
		}
		if json.Valid([]byte(v)) {
			return append(dst, v...), nil
		}
	}
	return dst, odd(fmt.Errorf("field %s: %v", f.Name, v))
}
