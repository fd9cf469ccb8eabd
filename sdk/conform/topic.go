package conform

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// topic is an edge case of the contract that some Case must cover.
type topic struct {
	name  string
	what  string
	shown func(*answer) bool
}

const (
	largeCell   = 1 << 20 // the default limit of a cell
	wideResult  = 500
	exactFloats = 1 << 53 // beyond it a double cannot count
)

var topics = []topic{
	{"null", "a NULL", func(a *answer) bool { return hasCell(a, func(_ sdk.Type, v any) bool { return v == nil }) }},
	{"nan", "NaN", func(a *answer) bool { return hasFloat(a, math.IsNaN) }},
	{"infinity", "the infinity of a FLOAT64", func(a *answer) bool { return hasFloat(a, func(x float64) bool { return math.IsInf(x, 1) }) }},
	{"negative_infinity", "the negative infinity of a FLOAT64", func(a *answer) bool { return hasFloat(a, func(x float64) bool { return math.IsInf(x, -1) }) }},
	{"empty_text", "a TEXT of no characters beside NULL", func(a *answer) bool {
		return hasValue(a, sdk.TypeText, func(v any) bool { return len(v.([]byte)) == 0 })
	}},
	{"large_cell", "a TEXT or BYTES cell of 1 MiB", func(a *answer) bool {
		large := func(v any) bool { return len(v.([]byte)) == largeCell }
		return hasValue(a, sdk.TypeText, large) || hasValue(a, sdk.TypeBytes, large)
	}},
	{"invalid_utf8", "a TEXT that is not UTF-8, and what becomes of it", func(a *answer) bool {
		return hasValue(a, sdk.TypeText, func(v any) bool {
			return !utf8.Valid(v.([]byte)) || bytes.ContainsRune(v.([]byte), utf8.RuneError)
		})
	}},
	{"unicode", "text outside ASCII", func(a *answer) bool {
		return hasValue(a, sdk.TypeText, func(v any) bool {
			return utf8.Valid(v.([]byte)) && slices.ContainsFunc(v.([]byte), func(b byte) bool { return b >= utf8.RuneSelf })
		})
	}},
	{"large_integer", "an integer that no double holds", func(a *answer) bool {
		return hasValue(a, sdk.TypeInt64, func(v any) bool { x := v.(int64); return x > exactFloats || x < -exactFloats })
	}},
	{"exact_decimal", "a DECIMAL of more than 17 digits", func(a *answer) bool {
		return hasValue(a, sdk.TypeDecimal, func(v any) bool { return digits(v.([]byte)) > 17 })
	}},
	{"raw_bytes", "BYTES with a zero and with what is not UTF-8", func(a *answer) bool {
		return hasValue(a, sdk.TypeBytes, func(v any) bool { return bytes.IndexByte(v.([]byte), 0) >= 0 && !utf8.Valid(v.([]byte)) })
	}},
	{"infinite_time", "an infinite DATE or TIMESTAMP", func(a *answer) bool {
		return hasTime(a, func(x int64) bool { return x == sdk.Infinity || x == sdk.NegativeInfinity })
	}},
	{"early_time", "a DATE or TIMESTAMP before 1970", func(a *answer) bool {
		return hasTime(a, func(x int64) bool { return x < 0 && x != sdk.NegativeInfinity })
	}},
	{"wide", "500 columns", func(a *answer) bool { return len(a.columns) >= wideResult && len(a.rows) > 0 }},
	{"duplicate_names", "two columns of the same name", func(a *answer) bool {
		seen := map[string]bool{}
		return slices.ContainsFunc(a.columns, func(c sdk.Column) bool { twice := seen[c.Name]; seen[c.Name] = true; return twice })
	}},
	{"empty_name", "a column without a name", func(a *answer) bool {
		return slices.ContainsFunc(a.columns, func(c sdk.Column) bool { return c.Name == "" })
	}},
	{"zero_rows", "columns without rows", func(a *answer) bool { return len(a.rows) == 0 && len(a.columns) > 0 }},
	{"zero_columns", "rows without columns", func(a *answer) bool { return len(a.columns) == 0 && len(a.rows) > 0 }},
}

// hasCell reports whether wanted returns true for some cell, including NULLs.
func hasCell(a *answer, wanted func(sdk.Type, any) bool) bool {
	return slices.ContainsFunc(a.rows, func(row []any) bool {
		for i, v := range row {
			if wanted(a.columns[i].Type, v) {
				return true
			}
		}
		return false
	})
}

// hasValue reports whether wanted returns true for some value of a type.
func hasValue(a *answer, t sdk.Type, wanted func(any) bool) bool {
	return hasCell(a, func(of sdk.Type, v any) bool { return of == t && v != nil && wanted(v) })
}

func hasFloat(a *answer, wanted func(float64) bool) bool {
	return hasValue(a, sdk.TypeFloat64, func(v any) bool { return wanted(v.(float64)) })
}

func hasTime(a *answer, wanted func(int64) bool) bool {
	is := func(v any) bool {
		if f, ok := v.(finer); ok {
			return wanted(f.micros)
		}
		return wanted(v.(int64))
	}
	return hasValue(a, sdk.TypeDate, is) || hasValue(a, sdk.TypeTimestamp, is) || hasValue(a, sdk.TypeTimestampTZ, is)
}

func digits(text []byte) int {
	n := 0
	for _, b := range text {
		if b >= '0' && b <= '9' {
			n++
		}
	}
	return n
}
