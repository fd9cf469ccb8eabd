package sqlite

import (
	"strings"
	"time"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
)

// exactInteger is the magnitude up to which a double holds every integer.
const exactInteger = 1 << 53

// declared returns the logical type that a declared type means. SQLite itself
// only knows affinities; names beyond them are read as every other engine
// reads them.
// Source of the last five rules: https://sqlite.org/datatype3.html, section 3.1.
func declared(name string) sdk.Type {
	base, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(name)), "(")
	base = strings.TrimSpace(base)
	switch base {
	case "BOOLEAN", "BOOL":
		return sdk.TypeBool
	case "DATE":
		return sdk.TypeDate
	case "DATETIME", "TIMESTAMP", "TIMESTAMP WITHOUT TIME ZONE":
		return sdk.TypeTimestamp
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "DATETIMEOFFSET":
		return sdk.TypeTimestampTZ
	case "TIME", "JSON", "JSONB", "UUID", "GUID", "UNIQUEIDENTIFIER", "INTERVAL", "ANY":
		return sdk.TypeText
	}
	has := func(part string) bool { return strings.Contains(base, part) }
	switch {
	case has("INT"):
		return sdk.TypeInt64
	case has("CHAR"), has("CLOB"), has("TEXT"), has("STRING"):
		return sdk.TypeText
	case has("BLOB"), has("BINARY"):
		return sdk.TypeBytes
	case has("REAL"), has("FLOA"), has("DOUBLE"), has("NUM"), has("DEC"), has("MONEY"):
		return sdk.TypeFloat64
	default:
		return sdk.TypeText
	}
}

// seen is what the values of a column were, as a set of flags.
type seen uint8

const (
	seenInteger seen = 1 << iota
	seenInexact      // an integer that no double holds
	seenNoBool       // an integer that is neither 0 nor 1
	seenFloat        //
	seenText         //
	seenNoDate       // text that is no YYYY-MM-DD
	seenBlob         //
)

// add notes a value.
func (s *seen) add(class engine.Class, number int64, data []byte) {
	switch class {
	case engine.Integer:
		*s |= seenInteger
		if number < -exactInteger || number > exactInteger {
			*s |= seenInexact
		}
		if number != 0 && number != 1 {
			*s |= seenNoBool
		}
	case engine.Float:
		*s |= seenFloat
	case engine.Text:
		*s |= seenText
		if _, ok := parseDate(data); !ok {
			*s |= seenNoDate
		}
	case engine.Blob:
		*s |= seenBlob
	}
}

// mixed reports whether the values were of several types that only TEXT holds.
func (s seen) mixed() bool {
	classes := s & (seenInteger | seenFloat | seenText | seenBlob)
	return classes&(classes-1) != 0
}

// decide returns the type that holds all values seen exactly, and is closest to
// the declared one. See the package's documentation.
func decide(declaredType string, s seen) sdk.Type {
	want := declared(declaredType)
	switch s & (seenInteger | seenFloat | seenText | seenBlob) {
	case 0:
		return ofNothing(want)
	case seenInteger:
		switch {
		case want == sdk.TypeBool && s&seenNoBool == 0:
			return sdk.TypeBool
		case want == sdk.TypeFloat64 && s&seenInexact == 0:
			return sdk.TypeFloat64
		}
		return sdk.TypeInt64
	case seenFloat, seenFloat | seenInteger:
		if s&seenInexact == 0 {
			return sdk.TypeFloat64
		}
	case seenText:
		if want == sdk.TypeDate && s&seenNoDate == 0 {
			return sdk.TypeDate
		}
	case seenBlob:
		return sdk.TypeBytes
	}
	return sdk.TypeText
}

// ofNothing is the type of a column without values: the declared one, except
// where only text can be told apart from it by its values.
func ofNothing(want sdk.Type) sdk.Type {
	if want == sdk.TypeTimestamp || want == sdk.TypeTimestampTZ {
		return sdk.TypeText
	}
	return want
}

// parseDate reads YYYY-MM-DD, and nothing else, as days since 1970-01-01.
func parseDate(text []byte) (days int64, ok bool) {
	if len(text) != len(time.DateOnly) || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	t, err := time.Parse(time.DateOnly, string(text))
	return sdk.DaysOf(t), err == nil
}

// appendBlob writes a blob as the SQL literal X'…'.
func appendBlob(dst, blob []byte) []byte {
	const digits = "0123456789ABCDEF"
	dst = append(dst, 'X', '\'')
	for _, b := range blob {
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return append(dst, '\'')
}
