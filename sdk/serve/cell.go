package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/loam-data/loam/sdk"
)

// cell returns a cell as encoding/json should see it, in the forms that the
// host shows: integers beyond 2^53, decimals, NaN and infinities as strings,
// times in RFC 3339, bytes in base64.
func cell(t sdk.Type, v *sdk.Vector, row int) any {
	switch x := v.Value(t, row).(type) {
	case int64:
		return wordCell(t, x)
	case float64:
		return floatCell(x)
	case []byte:
		if (t == sdk.TypeJSON || t == sdk.TypeNestedJSON) && json.Valid(x) {
			return json.RawMessage(x)
		}
		if t == sdk.TypeBytes {
			return x
		}
		return string(x)
	default: // nil, bool
		return x
	}
}

func floatCell(x float64) any {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	default:
		return x
	}
}

func wordCell(t sdk.Type, n int64) any {
	switch {
	case t == sdk.TypeInt64 && (n > 1<<53 || n < -1<<53):
		return strconv.FormatInt(n, 10)
	case t == sdk.TypeInt64:
		return n
	case t == sdk.TypeTime:
		return time.UnixMicro(n).UTC().Format("15:04:05.999999")
	case n == sdk.Infinity:
		return "infinity"
	case n == sdk.NegativeInfinity:
		return "-infinity"
	case t == sdk.TypeDate:
		return date(time.Unix(n*24*60*60, 0).UTC())
	}
	at := time.UnixMicro(n).UTC()
	text := date(at) + "T" + at.Format("15:04:05.999999")
	if t == sdk.TypeTimestampTZ {
		text += "Z"
	}
	return text
}

// date writes a year outside 0 to 9999 in ISO 8601's expanded form.
func date(t time.Time) string {
	if t.Year() < 0 || t.Year() > 9999 {
		return fmt.Sprintf("%+07d", t.Year()) + t.Format("-01-02")
	}
	return t.Format("2006-01-02")
}
