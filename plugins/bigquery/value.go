package bigquery

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	bigquery "google.golang.org/api/bigquery/v2"

	"github.com/loam-data/loam/sdk"
)

// cell writes the values of one field.
type cell struct {
	name     string
	typ      sdk.Type // of one element of a repeated field
	repeated bool
	fields   []cell // of a record
	buf      []byte
}

func newCell(f *bigquery.TableFieldSchema) cell {
	c := cell{name: f.Name, repeated: f.Mode == "REPEATED"}
	element := *f
	element.Mode = ""
	c.typ = typeOf(native(&element))
	for _, inner := range f.Fields {
		c.fields = append(c.fields, newCell(inner))
	}
	return c
}

// The layouts of DATE, TIME and DATETIME.
var layouts = map[sdk.Type]string{sdk.TypeDate: "2006-01-02", sdk.TypeTime: "15:04:05.999999", sdk.TypeTimestamp: "2006-01-02T15:04:05.999999"}

// write appends a value as the service sends it: text, a list or a record.
func (c *cell) write(w *sdk.RowWriter, v any) (err error) {
	if v == nil && !c.repeated {
		w.Null()
		return nil
	}
	if c.repeated || c.fields != nil {
		c.buf, err = c.json(c.buf[:0], v)
		w.Bytes(c.buf)
		return err
	}
	text, ok := v.(string)
	if !ok {
		return c.odd(v)
	}
	switch c.typ {
	case sdk.TypeBool:
		var b bool
		b, err = strconv.ParseBool(text)
		w.Bool(b)
	case sdk.TypeInt64, sdk.TypeTimestampTZ:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		w.Int64(n)
	case sdk.TypeFloat64:
		var f float64
		f, err = strconv.ParseFloat(text, 64)
		w.Float64(f)
	case sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp:
		var t time.Time
		t, err = time.Parse(layouts[c.typ], text)
		w.Value(t)
	case sdk.TypeBytes:
		c.buf, err = base64.StdEncoding.AppendDecode(c.buf[:0], []byte(text))
		w.Bytes(c.buf)
	default:
		w.Text(text)
	}
	if err != nil {
		return c.odd(v)
	}
	return nil
}

// odd is about a value that no such type has.
func (c *cell) odd(v any) error {
	return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the service sent a %s of column %q in a form that is not known (%T)", c.typ, c.name, v).
		WithHint("cast the column to STRING, and report this")
}

// json appends a value as JSON results have it.
func (c *cell) json(dst []byte, v any) (_ []byte, err error) {
	if c.repeated {
		one := *c
		one.repeated = false
		list, ok := v.([]any)
		if !ok && v != nil {
			return dst, c.odd(v)
		}
		dst = append(dst, '[')
		for i, element := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = one.json(dst, under(element, "v")); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	}
	if v == nil {
		return append(dst, "null"...), nil
	}
	if c.fields != nil {
		values, _ := under(v, "f").([]any)
		if len(values) != len(c.fields) {
			return dst, c.odd(v)
		}
		for i := range c.fields {
			dst = append(dst, "{,"[min(i, 1)])
			dst, _ = sdk.AppendJSONText(dst, []byte(c.fields[i].name))
			if dst, err = c.fields[i].json(append(dst, ':'), under(values[i], "v")); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	text, ok := v.(string)
	if !ok {
		return dst, c.odd(v)
	}
	return c.scalar(dst, text)
}

func (c *cell) scalar(dst []byte, text string) ([]byte, error) {
	switch c.typ {
	case sdk.TypeInt64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return sdk.AppendJSONInteger(dst, n), nil
		}
	case sdk.TypeFloat64:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return sdk.AppendJSONFloat(dst, f), nil
		}
	case sdk.TypeTimestampTZ:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return fmt.Appendf(dst, "%q", time.UnixMicro(n).UTC().Format("2006-01-02T15:04:05.999999Z")), nil
		}
	case sdk.TypeBool, sdk.TypeJSON:
		if json.Valid([]byte(text)) {
			return append(dst, text...), nil
		}
	default:
		dst, _ = sdk.AppendJSONText(dst, []byte(text))
		return dst, nil
	}
	return dst, c.odd(text)
}

// under returns what an object of the service holds.
func under(v any, key string) any {
	object, _ := v.(map[string]any)
	return object[key]
}
