package ask

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// bound returns JSON values as the values of placeholders. A number with a fraction stays a text, so that no digit is
// lost.
// Errors: KindInvalid for a list or an object, and a number that is no integer of 64 bits, decimal or float.
func bound(values Values) ([]sdk.Value, error) {
	all := make([]sdk.Value, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil, bool, string:
			all[i] = v
		case json.Number:
			if n, err := v.Int64(); err == nil {
				all[i] = n
			} else if !strings.ContainsAny(v.String(), "eE") {
				all[i] = v.String()
			} else if f, err := v.Float64(); err == nil {
				all[i] = f
			} else {
				return nil, badParameter(i, "the number "+v.String()+", which is beyond a float")
			}
		default:
			return nil, badParameter(i, kindOf(v))
		}
	}
	return all, nil
}

func kindOf(v any) string {
	if _, list := v.([]any); list {
		return "a list"
	}
	return "an object"
}

func badParameter(i int, is string) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "parameters[%d] is %s", i, is).
		WithHint("give a text, a number, true, false or null for each placeholder, in the order of the placeholders")
}

// countPlaceholders returns the number of values that the placeholders of a text take by position; ok is false where
// the dialect cannot tell.
func countPlaceholders(sql string, d *dialect.Dialect) (n int, ok bool) {
	prefix, ok := map[dialect.ParameterStyle]string{
		dialect.ParameterQuestion: "?", dialect.ParameterDollar: "$", dialect.ParameterAt: "@p", dialect.ParameterColon: ":",
	}[d.Parameter]
	tokens, err := d.Tokens(sql, nil)
	if !ok || err != nil {
		return 0, false
	}
	for _, t := range tokens {
		if t.Kind != dialect.TokenParameter {
			continue
		}
		text := t.Text(sql)
		if text == "?" && d.Parameter == dialect.ParameterQuestion {
			n++
			continue
		}
		number, numbered := strings.CutPrefix(text, prefix)
		at, err := strconv.Atoi(number)
		if !numbered || err != nil {
			return 0, false // a named one
		}
		n = max(n, at)
	}
	return n, true
}

// checkCount compares the placeholders of a text with the number of values; without values nothing is compared.
// Errors: KindInvalid.
func checkCount(s *Statement, d *dialect.Dialect) error {
	if s.Parameters == nil || d == nil {
		return nil
	}
	if n, ok := countPlaceholders(s.SQL, d); ok && n != len(s.Parameters) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the statement takes %d values and parameters has %d", n, len(s.Parameters)).
			WithHint("give one value for each placeholder, in their order")
	}
	return nil
}
