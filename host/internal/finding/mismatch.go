package finding

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk"
)

// mismatch reports a literal that no value of its column's type can equal.
func (r *reading) mismatch(c *statement.Condition, t *table, column *sdk.Column) bool {
	switch c.Operator {
	case "=", "<>", "<", "<=", ">", ">=", "IN", "BETWEEN", "<=>":
	default:
		return false
	}
	if column.NativeType == "" || column.Type == sdk.TypeText && !isText(column) {
		return false
	}
	for _, v := range c.Values {
		if !v.Sure {
			continue
		}
		wrong, right := misfit(column.Type, v)
		if wrong == "" || r.has(t, column, v) {
			continue
		}
		r.add(Finding{
			Code:       TypeMismatch,
			Message:    fmt.Sprintf("%s is %s, and %s is %s.", t.name(column.Name), typeWords[column.Type], literal(v), wrong),
			Evidence:   fmt.Sprintf("The scan found the type %s.", column.NativeType),
			Suggestion: right,
		}, v.At)
		return true
	}
	return false
}

// has reports whether a column has a value of another type than it declares, as some engines
// allow.
func (r *reading) has(t *table, column *sdk.Column, v statement.Literal) bool {
	values := t.values(column.Name, r.warehouse.Scan)
	return values != nil && values.exact[v.Text]
}

// typeWords are the types in sentences.
var typeWords = map[sdk.Type]string{
	sdk.TypeBool: "a truth value", sdk.TypeInt64: "an integer", sdk.TypeFloat64: "a number", sdk.TypeDecimal: "a number",
	sdk.TypeText: "a text", sdk.TypeDate: "a date", sdk.TypeTimestamp: "a time", sdk.TypeTimestampTZ: "a time", sdk.TypeUUID: "a UUID",
}

// misfit returns in which way a literal is no value of a type, and how to write one; "" = it
// may be one.
func misfit(typ sdk.Type, v statement.Literal) (wrong, right string) {
	text := strings.TrimSpace(v.Text)
	switch typ {
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		if v.Kind == statement.String && !number(text) {
			return "no number", "Compare it with a number, or name the column that has this text."
		}
	case sdk.TypeText:
		if v.Kind == statement.Number {
			return "a number", "Write " + quote(v.Text) + "."
		}
	case sdk.TypeBool:
		if v.Kind == statement.String && !truths[strings.ToLower(text)] || v.Kind == statement.Number && text != "0" && text != "1" {
			return "no truth value", "Write TRUE or FALSE."
		}
	case sdk.TypeUUID:
		if v.Kind == statement.String && !uuid(text) {
			return "no UUID", "Compare it with a UUID, or name the column that has this text."
		}
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return untimely(v, text)
	}
	return "", ""
}

// truths are the texts that engines read as truth values.
var truths = map[string]bool{"t": true, "f": true, "true": true, "false": true, "y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "1": true, "0": true}

func number(text string) bool {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "nan", "inf", "infinity":
		return true
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || strings.HasPrefix(err.Error(), "strconv.ParseFloat: parsing") && strings.HasSuffix(err.Error(), "value out of range")
}

func uuid(text string) bool {
	digits := strings.NewReplacer("-", "", "{", "", "}", "").Replace(strings.TrimPrefix(strings.ToLower(text), "urn:uuid:"))
	return len(digits) == 32 && strings.Trim(digits, "0123456789abcdef") == ""
}

// A year alone is compared with a time as a count of days or seconds, if at all.
const firstYear, lastYear = 1900, 2100

// untimely is misfit for a column of dates or times. Engines read many forms of dates, of which
// only those are judged that all read alike.
func untimely(v statement.Literal, text string) (wrong, right string) {
	switch {
	case v.Kind == statement.Number:
		if n, err := strconv.Atoi(text); err == nil && n >= firstYear && n <= lastYear {
			return "a number", fmt.Sprintf("Write a range, such as >= '%d-01-01' AND < '%d-01-01'.", n, n+1)
		}
	case v.Kind != statement.String:
	case len(text) >= len(time.DateOnly) && dashed(text):
		if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err != nil {
			return "no date", "Write a day that exists as 'YYYY-MM-DD'."
		}
	case !strings.ContainsAny(text, "0123456789") && !momentWords[strings.ToLower(text)]:
		return "no date", "Write a date as 'YYYY-MM-DD'."
	}
	return "", ""
}

// dashed reports whether a text begins with the form of YYYY-MM-DD.
func dashed(text string) bool {
	for i, c := range []byte(text[:len(time.DateOnly)]) {
		if (i == 4 || i == 7) != (c == '-') || c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// momentWords are the texts without a digit that an engine reads as a time.
var momentWords = map[string]bool{"now": true, "today": true, "yesterday": true, "tomorrow": true, "infinity": true, "-infinity": true, "epoch": true, "localtime": true}
