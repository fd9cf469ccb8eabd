package bigquery

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	bq "google.golang.org/api/bigquery/v2"
)

// cell is a value as the API writes it: {"v": …}.
type cell struct {
	V any `json:"v"`
}

// row is a row or a record: {"f": […]}.
type row struct {
	F []cell `json:"f"`
}

// encode writes a value of DuckDB's in the API's form: text, null, a record or an array.
// Errors: *Error, for a value that BigQuery's type does not hold.
func encode(f *bq.TableFieldSchema, v any, micros bool) (any, error) {
	if f.Mode == "REPEATED" {
		list, ok := v.([]any)
		if !ok && v != nil {
			return nil, fmt.Errorf("a %T for an array", v)
		}
		element := *f
		element.Mode = "NULLABLE"
		cells := make([]cell, 0, len(list)) // NULL becomes an empty one
		for _, e := range list {
			if e == nil {
				return nil, invalid("Array cannot have a null element; error in writing field %s", f.Name)
			}
			x, err := encode(&element, e, micros)
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell{x})
		}
		return cells, nil
	}
	if v == nil {
		return nil, nil
	}
	if f.Type == "RECORD" {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("a %T for a record", v)
		}
		r := row{F: []cell{}}
		for _, k := range f.Fields {
			x, err := encode(k, m[k.Name], micros)
			if err != nil {
				return nil, err
			}
			r.F = append(r.F, cell{x})
		}
		return r, nil
	}
	return scalar(f, v, micros)
}

func scalar(f *bq.TableFieldSchema, v any, micros bool) (any, error) {
	switch x := v.(type) {
	case bool:
		return strconv.FormatBool(x), nil
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return fmt.Sprint(x), nil
	case *big.Int:
		if !x.IsInt64() {
			return nil, invalid("int64 overflow: %s", x)
		}
		return x.String(), nil
	case float32:
		return float(float64(x)), nil
	case float64:
		return float(x), nil
	case duckdb.Decimal:
		return decimal(x), nil
	case string:
		return x, nil
	case []byte:
		if f.Type == "STRING" { // a UUID
			u := duckdb.UUID(x)
			return u.String(), nil
		}
		return base64.StdEncoding.EncodeToString(x), nil
	case duckdb.UUID:
		return x.String(), nil
	case duckdb.Interval:
		return interval(x), nil
	case map[string]any:
		if s, ok := x[geography].(string); ok && f.Type == "GEOGRAPHY" {
			return s, nil
		}
	case time.Time:
		return moment(f, x.UTC(), micros)
	}
	return nil, lacking("a %T as %s", v, f.Type)
}

// float writes a number as the service does: 1.0, 1.5E20, NaN, Infinity.
func float(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	if a := math.Abs(x); a == 0 || a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(x, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'E', -1, 64), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent) // FormatFloat wrote it
	return mantissa + "E" + strconv.Itoa(n)
}

// decimal writes a NUMERIC without the zeros that say nothing.
func decimal(d duckdb.Decimal) string {
	digits := new(big.Int).Abs(d.Value).String()
	if n := int(d.Scale) + 1; len(digits) < n {
		digits = strings.Repeat("0", n-len(digits)) + digits
	}
	point := len(digits) - int(d.Scale)
	s := digits[:point]
	if fraction := strings.TrimRight(digits[point:], "0"); fraction != "" {
		s += "." + fraction
	}
	if d.Value.Sign() < 0 {
		s = "-" + s
	}
	return s
}

// interval writes Y-M D H:M:S.F, the sign before each part.
func interval(x duckdb.Interval) string {
	sign := func(n int64) (string, int64) {
		if n < 0 {
			return "-", -n
		}
		return "", n
	}
	s1, months := sign(int64(x.Months))
	s2, us := sign(x.Micros)
	s := fmt.Sprintf("%s%d-%d %d %s%d:%d:%d", s1, months/12, months%12, x.Days, s2, us/3600e6, us/60e6%60, us/1e6%60)
	if us%1e6 != 0 {
		s += fmt.Sprintf(".%06d", us%1e6)
	}
	return s
}

func moment(f *bq.TableFieldSchema, x time.Time, micros bool) (any, error) {
	if y := x.Year(); f.Type != "TIME" && (y < 1 || y > 9999) {
		return nil, invalid("Cannot return an invalid %s value of %d microseconds relative to the Unix epoch.", strings.ToLower(f.Type), x.UnixMicro())
	}
	fraction := ""
	if x.Nanosecond() != 0 {
		fraction = ".000000"
	}
	switch f.Type {
	case "DATE":
		return x.Format("2006-01-02"), nil
	case "TIME":
		return x.Format("15:04:05" + fraction), nil
	case "DATETIME":
		return x.Format("2006-01-02T15:04:05" + fraction), nil
	case "TIMESTAMP":
		if micros {
			return strconv.FormatInt(x.UnixMicro(), 10), nil
		}
		return float(float64(x.UnixMicro()) / 1e6), nil
	}
	return nil, lacking("a time as %s", f.Type)
}
