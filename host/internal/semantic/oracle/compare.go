package oracle

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Same compares values; the engine has 1 for TRUE, and sums in its own order.
func Same(want, got any) bool {
	want, got = asNumber(want), asNumber(got)
	x, isNumber := want.(float64)
	y, too := got.(float64)
	if isNumber && too {
		return x == y || math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	}
	return want == got
}

func asNumber(v any) any {
	switch v {
	case true:
		return 1.0
	case false:
		return 0.0
	}
	return v
}

// Difference says how rows differ from an answer, "" = not at all. Rows whose
// keys are equal may change places, also across the ends of what is shown.
func Difference(want *Rows, got [][]any) string {
	if len(got) != want.To-want.From {
		return fmt.Sprintf("%d rows, not %d", len(got), want.To-want.From)
	}
	used := make([]bool, len(want.All))
	for i, row := range got {
		key := want.All[want.From+i].Key
		at := 0
		for at < len(used) && (used[at] || !slices.EqualFunc(want.All[at].Values, row, Same) || !slices.EqualFunc(want.All[at].Key, key, Same)) {
			at++
		}
		if at == len(used) {
			return fmt.Sprintf("row %d is not expected there: %s", i+1, FormatRow(row))
		}
		used[at] = true
	}
	return ""
}

// Shown writes the rows of an answer that are shown.
func (r *Rows) Shown() string {
	var lines []string
	for _, row := range r.All[r.From:r.To] {
		lines = append(lines, FormatRow(row.Values))
	}
	return strings.Join(lines, "\n")
}

// FromCell returns a value of a batch as the oracle has it.
// Units: times are cut to seconds.
func FromCell(v any, t sdk.Type) (any, error) {
	switch v := v.(type) {
	case int64:
		switch t {
		case sdk.TypeDate:
			return time.Unix(v*24*60*60, 0).UTC().Format(time.DateOnly), nil
		case sdk.TypeTimestamp, sdk.TypeTimestampTZ:
			return time.UnixMicro(v).UTC().Format(time.DateTime), nil
		}
		return float64(v), nil
	case []byte:
		if t == sdk.TypeDecimal {
			return strconv.ParseFloat(string(v), 64)
		}
		return string(v), nil
	}
	return v, nil
}
