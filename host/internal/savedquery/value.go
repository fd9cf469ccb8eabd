package savedquery

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/text"
)

// maxElements bounds the elements of a list, maxString a text in bytes.
const maxElements, maxString = 1000, 64 << 10

// maxWhole is the largest integer up to which float64 is exact.
const maxWhole = 1 << 53

var (
	decimalText = text.Pattern(`^-?[0-9]{1,38}(?:\.[0-9]{1,38})?$`)
	uuidText    = text.Pattern(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// samples has a value of each type, for hints and for Query.Sample.
var samples = map[Type]any{
	String: "text", Integer: int64(1), Decimal: "1.5", Boolean: true, Date: "2024-01-31", Timestamp: "2024-01-31T12:00:00Z",
	UUID: "123e4567-e89b-12d3-a456-426614174000",
}

// Accept returns a decoded JSON or YAML value as a value of the parameter's type, if it also meets Values, Minimum,
// Maximum and Pattern.
// Shape: a string for string, decimal, date, timestamp and uuid (in lower case), an int64, a bool; for a list []any of
// those, with 1 to 1,000 elements. Values of other types are refused, not converted: 3.9 and "3" are no integers, "yes"
// is no boolean; but a decimal may be a number.
// Errors: KindInvalid with the parameter, what was expected and an example.
func (p *Parameter) Accept(value any) (any, error) {
	if !p.Type.List() {
		return p.one(value)
	}
	list, ok := value.([]any)
	if !ok || len(list) == 0 || len(list) > maxElements {
		return nil, p.unfit("a list of 1 to %d elements", maxElements)
	}
	all := make([]any, len(list))
	for i, v := range list {
		var err error
		if all[i], err = p.one(v); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (p *Parameter) one(value any) (any, error) {
	v, ok := coerced(p.Type.Element(), value)
	if !ok {
		return nil, p.unfit("of type %s", p.Type.Element())
	}
	if text, ok := v.(string); ok && p.Pattern != "" {
		if re, err := regexp.Compile(`^(?:` + p.Pattern + `)$`); err != nil || !re.MatchString(text) {
			return nil, p.unfit("a text that matches %s", p.Pattern)
		}
	}
	if len(p.Values) > 0 && !slices.ContainsFunc(p.Values, func(known any) bool {
		k, ok := coerced(p.Type.Element(), known)
		return ok && k == v
	}) {
		return nil, p.unfit("one of %s", list(p.Values))
	}
	if p.Minimum != nil && p.below(v, p.Minimum) {
		return nil, p.unfit("at least %v", p.Minimum)
	}
	if p.Maximum != nil && p.below(p.Maximum, v) {
		return nil, p.unfit("at most %v", p.Maximum)
	}
	return v, nil
}

func (p *Parameter) unfit(format string, args ...any) error {
	return invalid("the parameter %s must be %s", p.Name, fmt.Sprintf(format, args...)).WithHint("give a value such as %s", p.shown())
}

// list returns values with commas between them.
func list(values []any) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprint(v)
	}
	return strings.Join(all, ", ")
}

// shown returns the sample as JSON.
func (p *Parameter) shown() string {
	text, err := json.Marshal(p.sample())
	if err != nil { // of a value of YAML that JSON does not have
		return fmt.Sprint(p.sample())
	}
	return string(text)
}

// sample returns a value that the parameter accepts, except perhaps for its pattern.
func (p *Parameter) sample() any {
	element := samples[p.Type.Element()]
	switch {
	case p.Default != nil:
		return p.Default
	case len(p.Values) > 0:
		element = p.Values[0]
	case p.Minimum != nil:
		element = p.Minimum
	case p.Maximum != nil:
		element = p.Maximum
	}
	if p.Type.List() {
		return []any{element}
	}
	return element
}

// coerced returns a value as a value of a type that is not a list; false = it is none.
func coerced(t Type, value any) (any, bool) {
	switch t {
	case String:
		text, ok := value.(string)
		return text, ok && len(text) <= maxString && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
	case Boolean:
		b, ok := value.(bool)
		return b, ok
	case Integer:
		return whole(value)
	case Decimal:
		return decimal(value)
	case UUID:
		text, ok := value.(string)
		return strings.ToLower(text), ok && uuidText().MatchString(text)
	case Date:
		return moment(value, time.DateOnly)
	case Timestamp:
		return moment(value, time.RFC3339)
	}
	return nil, false
}

func whole(value any) (any, bool) {
	switch n := value.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) <= maxWhole
	case json.Number:
		digits, fraction, _ := strings.Cut(string(n), ".") // 3.0 is a whole number in JSON too
		i, err := strconv.ParseInt(digits, 10, 64)
		return i, err == nil && strings.Trim(fraction, "0") == ""
	}
	return nil, false
}

func decimal(value any) (any, bool) {
	var text string
	switch n := value.(type) {
	case int, int64, json.Number:
		text = fmt.Sprint(n)
	case float64:
		text = strconv.FormatFloat(n, 'f', -1, 64)
	case string:
		text = n
	}
	return text, decimalText().MatchString(text)
}

// moment returns a time as text; YAML decodes unquoted times to time.Time. Times finer than a microsecond are refused: few
// engines keep them.
func moment(value any, layout string) (any, bool) {
	switch v := value.(type) {
	case time.Time:
		if layout == time.RFC3339 {
			return v.Format(time.RFC3339Nano), v.Nanosecond()%1000 == 0 && v.Year() > 0
		}
		return v.Format(layout), v.Equal(v.Truncate(24*time.Hour)) && v.Year() > 0
	case string:
		at, err := time.Parse(layout, v)
		return v, err == nil && at.Nanosecond()%1000 == 0 && at.Year() > 0
	}
	return nil, false
}

// below reports whether a is less than b. Both are values of the parameter's type.
func (p *Parameter) below(a, b any) bool {
	a, okA := coerced(p.Type.Element(), a)
	b, okB := coerced(p.Type.Element(), b)
	if !okA || !okB {
		return false
	}
	switch p.Type.Element() {
	case Integer:
		return a.(int64) < b.(int64)
	case Decimal:
		x, fineX := new(big.Rat).SetString(a.(string)) // its form was checked, and has no exponent
		y, fineY := new(big.Rat).SetString(b.(string))
		return fineX && fineY && x.Cmp(y) < 0
	case Timestamp:
		x, _ := time.Parse(time.RFC3339, a.(string))
		y, _ := time.Parse(time.RFC3339, b.(string))
		return x.Before(y)
	case Date:
		return a.(string) < b.(string)
	}
	return false
}

// validate returns an error for an unknown type, and for a constraint or a default that the type does not allow.
func (p *Parameter) validate() error {
	ordered := slices.Contains([]Type{Integer, Decimal, Date, Timestamp}, p.Type.Element())
	switch {
	case !slices.Contains(types, p.Type):
		return invalid("the parameter %s has the type %q", p.Name, p.Type).WithHint("use one of %s", strings.Trim(fmt.Sprint(types), "[]"))
	case (p.Minimum != nil || p.Maximum != nil) && !ordered:
		return invalid("the parameter %s of type %s has no minimum or maximum", p.Name, p.Type).WithHint("use values or pattern")
	case p.Pattern != "" && p.Type.Element() != String:
		return invalid("the parameter %s of type %s has no pattern", p.Name, p.Type).WithHint("use a pattern for strings alone")
	}
	if _, err := regexp.Compile(p.Pattern); err != nil {
		return invalid("the pattern of %s is no regular expression: %w", p.Name, err).WithHint("write RE2")
	}
	for _, v := range append(slices.Clone(p.Values), p.Minimum, p.Maximum) {
		if _, ok := coerced(p.Type.Element(), v); v != nil && !ok {
			return p.unfit("of type %s, in values, minimum and maximum too", p.Type.Element())
		}
	}
	if p.Default != nil {
		_, err := p.Accept(p.Default)
		return err
	}
	return nil
}

// literals returns a value as expressions, one per element of a list.
func literals(t Type, value any) (all []expression.Node, ok bool) {
	list, listed := value.([]any)
	if !listed {
		list = []any{value}
	}
	for _, v := range list {
		var n expression.Node
		switch v := v.(type) {
		case int64:
			n = expression.Int(v)
		case bool:
			n = expression.Bool(v)
		case string:
			if n, ok = literal(t.Element(), v); !ok {
				return nil, false
			}
		default:
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}

func literal(t Type, text string) (expression.Node, bool) {
	switch t {
	case Date:
		l, ok := expression.Date(text)
		return l, ok
	case Timestamp:
		l, ok := expression.TimestampTZ(text) // an instant, as Bind binds it
		return l, ok
	case Decimal:
		n, err := expression.Parse(text)
		return n, err == nil
	}
	return expression.Text(text), true
}
