package sqlkit

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Dialects decodes a dialect, or a list of them, that was written as JSON with
// the names of dialect.Dialect's fields. It panics on any other text: the file
// is part of the program.
func Dialects(text []byte) []dialect.Dialect {
	var one dialect.Dialect
	if err := json.Unmarshal(text, &one); err == nil {
		return []dialect.Dialect{one}
	}
	var list []dialect.Dialect
	if err := json.Unmarshal(text, &list); err != nil {
		panic("sqlkit: no dialect: " + err.Error())
	}
	return list
}

// ByCode makes a Driver's Errors of a table from a driver's native codes to
// kinds. code returns the code of the driver's error type: (*sqlite.Error).Code,
// say. Every other error has kind other: KindInvalid where only the statement
// can cause it, "" for an internal error.
// Shape: SourceCaller, with the native code.
func ByCode[E error, C comparable](code func(E) C, kinds map[C]sdk.Kind, other sdk.Kind) func(error) *sdk.Error {
	return func(err error) *sdk.Error {
		kind, text := other, ""
		if native, ok := errors.AsType[E](err); ok {
			text = fmt.Sprint(code(native))
			if known := kinds[code(native)]; known != "" {
				kind = known
			}
		}
		if kind == "" {
			return nil
		}
		e := sdk.Errorf(kind, sdk.SourceCaller, "%w", err)
		e.Code = text
		return e
	}
}
