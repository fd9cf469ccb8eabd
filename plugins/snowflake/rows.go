package snowflake

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/sdk"
)

// rows is a result as the service sends it: text, or Arrow, and the rest in chunks of
// the same form that are read one after the other. Its values are nil, bool, int64,
// float64, string, []byte and moment.
type rows struct {
	ctx     context.Context // of the statement: chunks are fetched while rows are read
	columns []sdk.Column
	format  []format
	text    [][]*string                    // rows that came with the answer
	chunks  []gosnowflake.ArrowStreamBatch // not yet read
	arrow   bool
	stream  io.ReadCloser // of the chunk that is being read
	records *ipc.Reader
	record  arrow.RecordBatch
	lines   *json.Decoder
	at      int // row of record
}

// format is how the values of a column come.
type format struct {
	typ    sdk.Type
	scale  int
	offset bool // a time has its offset behind it
}

// moment is a time in microseconds, and the nanoseconds beyond them.
type moment struct {
	micros int64
	nanos  int
}

func newRows(ctx context.Context, loader gosnowflake.ArrowStreamLoader) (*rows, error) {
	r := &rows{ctx: ctx, text: loader.JSONData()}
	for _, t := range loader.RowTypes() {
		c := columnOf(t.Name, nativeOf(t.Type, t.Precision, t.Scale, t.Length))
		c.Nullable = t.Nullable
		r.columns = append(r.columns, c)
		r.format = append(r.format, format{c.Type, int(t.Scale), strings.EqualFold(t.Type, "TIMESTAMP_TZ")})
	}
	var err error
	r.chunks, err = loader.GetBatches()
	return r, err
}

// Columns implements driver.Rows.
func (r *rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i := range r.columns {
		names[i] = r.columns[i].Name
	}
	return names
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	if r.records != nil {
		r.records.Release()
	}
	var err error
	if r.stream != nil {
		err = r.stream.Close()
	}
	r.stream, r.records, r.record, r.lines, r.chunks = nil, nil, nil, nil, nil
	return err
}

// Next implements driver.Rows.
func (r *rows) Next(row []driver.Value) error {
	for {
		switch {
		case len(r.text) > 0:
			line := r.text[0]
			r.text = r.text[1:]
			return r.decode(line, row)
		case r.record != nil && r.at < int(r.record.NumRows()):
			for i := range r.format {
				row[i] = r.format[i].arrow(r.record.Column(i), r.at)
			}
			r.at++
			return nil
		case r.records != nil && r.records.Next():
			r.record, r.at = r.records.RecordBatch(), 0
		case r.records != nil && r.records.Err() != nil:
			return r.records.Err()
		case r.lines != nil && r.lines.More():
			var line []*string
			if err := r.lines.Decode(&line); err != nil {
				return err
			}
			return r.decode(line, row)
		default:
			if err := r.chunk(); err != nil {
				return err
			}
		}
	}
}

// chunk opens the next chunk; io.EOF behind the last one. Its first byte tells a list
// of rows, which has no brackets around it, from Arrow.
func (r *rows) chunk() error {
	chunks := r.chunks
	if err := r.Close(); err != nil {
		return err
	}
	if len(chunks) == 0 {
		return io.EOF
	}
	r.chunks = chunks[1:]
	stream, err := chunks[0].GetStream(r.ctx)
	if err != nil {
		return err
	}
	r.stream = stream
	var first [1]byte
	if _, err := io.ReadFull(stream, first[:]); err != nil {
		return fmt.Errorf("a part of the result is empty: %w", err)
	}
	whole := io.MultiReader(strings.NewReader(string(first[:])), stream)
	if first[0] == '[' {
		r.lines = json.NewDecoder(io.MultiReader(strings.NewReader("["), whole, strings.NewReader("]")))
		_, err = r.lines.Token()
	} else {
		r.records, err = ipc.NewReader(whole)
	}
	return err
}

// decode reads a row of text.
func (r *rows) decode(line []*string, row []driver.Value) (err error) {
	if len(line) != len(r.format) {
		return fmt.Errorf("a row has %d values, its result %d columns", len(line), len(r.format))
	}
	for i, text := range line {
		if row[i] = nil; text == nil {
			continue
		}
		if row[i], err = r.format[i].text(*text); err != nil {
			return fmt.Errorf("column %q: %w", r.columns[i].Name, err)
		}
	}
	return nil
}

// text reads a value that came as text. Times are seconds with a fraction; one with
// an offset has it behind a space.
func (f *format) text(s string) (driver.Value, error) {
	switch f.typ {
	case sdk.TypeInt64, sdk.TypeDate:
		return strconv.ParseInt(s, 10, 64)
	case sdk.TypeFloat64:
		return strconv.ParseFloat(s, 64)
	case sdk.TypeBool:
		return s == "1" || strings.EqualFold(s, "true"), nil
	case sdk.TypeBytes:
		return hex.DecodeString(s)
	case sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		s, _, _ = strings.Cut(s, " ")
		whole, fraction, _ := strings.Cut(s, ".")
		if len(fraction) > nanoDigits {
			return nil, errors.New("a time has more digits than nanoseconds")
		}
		n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", nanoDigits-len(fraction)), 10)
		if !ok {
			return nil, fmt.Errorf("%q is no time", s)
		}
		return momentOf(n), nil
	default:
		return s, nil
	}
}

const nanoDigits = 9

// momentOf makes a moment of nanoseconds: they count forward, before 1970 too.
func momentOf(nanos *big.Int) moment {
	micros, rest := new(big.Int).DivMod(nanos, big.NewInt(1000), new(big.Int))
	return moment{micros.Int64(), int(rest.Int64())}
}

// seconds makes a moment of an epoch in units of 10^-scale seconds and nanoseconds.
func momentIn(epoch int64, scale int, nanos int64) moment {
	n := new(big.Int).Mul(big.NewInt(epoch), power(nanoDigits-scale))
	return momentOf(n.Add(n, big.NewInt(nanos)))
}

func power(digits int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
}

// arrow reads a value that came as Arrow.
func (f *format) arrow(a arrow.Array, i int) driver.Value {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Int8:
		return f.integer(int64(a.Value(i)))
	case *array.Int16:
		return f.integer(int64(a.Value(i)))
	case *array.Int32:
		return f.integer(int64(a.Value(i)))
	case *array.Int64:
		return f.integer(a.Value(i))
	case *array.Decimal128:
		return decimal(a.Value(i).BigInt().String(), f.scale)
	case *array.Float64:
		return a.Value(i)
	case *array.Boolean:
		return a.Value(i)
	case *array.String:
		return a.Value(i)
	case *array.Binary:
		return a.Value(i)
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Struct:
		return f.record(a, i)
	default:
		return a.ValueStr(i)
	}
}

// integer is a number or a time in units of its scale.
func (f *format) integer(n int64) driver.Value {
	switch f.typ {
	case sdk.TypeDecimal:
		return decimal(strconv.FormatInt(n, 10), f.scale)
	case sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return momentIn(n, f.scale, 0)
	default:
		return n
	}
}

// record is a time in seconds and nanoseconds, or a time in units of its scale, the
// offset behind it; or a DECFLOAT.
func (f *format) record(a *array.Struct, i int) driver.Value {
	epoch, ok := a.Field(0).(*array.Int64)
	if !ok {
		return a.ValueStr(i)
	}
	if fraction, ok := a.Field(1).(*array.Int32); ok && (a.NumField() == 3 || !f.offset) {
		return momentIn(epoch.Value(i), 0, int64(fraction.Value(i)))
	}
	return momentIn(epoch.Value(i), f.scale, 0)
}

// decimal puts the point into the digits of a number.
func decimal(digits string, scale int) string {
	if scale <= 0 {
		return digits
	}
	digits, negative := strings.CutPrefix(digits, "-")
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	if negative {
		return "-" + digits
	}
	return digits
}
