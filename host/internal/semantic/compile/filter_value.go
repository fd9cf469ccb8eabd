package compile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// filterField is what a structured filter compares.
type filterField struct {
	// Name stands for it in an expression.
	Name *expression.Name
	// Type of its values, as queries see them; TypeUnspecified = not known.
	Type sdk.Type
	// Time is set for a time dimension, whatever is known of how it is stored.
	Time bool
	// Zone of its times without one; "" = UTC.
	Zone string
	// Values that there are, when they are few and known.
	Values []string
}

func (f *filterField) isTime() bool { return f.Time || isTime(f.Type) }

// String is the field as it was written.
func (f filterField) String() string { return refusal.Short(nameText(f.Name)) }

// filterField finds the field of a filter.
func (c *compiler) filterField(f *request.Filter, where string) (filterField, error) {
	if f.Measure != "" {
		return c.entityField(f, where)
	}
	n, err := fieldName(where+".field", f.Field, f.Via)
	if err != nil {
		return filterField{}, err
	}
	if c.time != nil && c.isMetricTime(n) {
		n = c.time.name
		ref, err := c.dimensionOf(c.time.home, n)
		return c.fieldOf(n, ref), err
	}
	x := filterField{Name: n}
	if c.isMeasure(n) {
		return x, nil
	}
	ref, err := c.fieldRef(takesDimension, n)
	if err != nil {
		return filterField{}, err
	}
	x = c.fieldOf(n, ref)
	if members := c.conformed(n.Parts); members != nil {
		all, err := c.conformedFields(n.Parts[0], members)
		if err != nil {
			return filterField{}, err
		}
		x.Values = conformedValues(all)
	}
	return x, nil
}

// fieldNamed is the field of a name in a condition; false = it stands for something else.
func (c *compiler) fieldNamed(n *expression.Name) (filterField, bool) {
	if n.Means != nil {
		return filterField{}, false
	}
	ref, err := c.fieldRef(takesDimension, n)
	if err != nil {
		return filterField{}, false
	}
	return c.fieldOf(n, ref), true
}

// fieldOf is a dimension as filters and ranges compare it.
func (c *compiler) fieldOf(n *expression.Name, ref model.Ref) filterField {
	d := c.m.Dimension(ref.Dimension)
	x := filterField{Name: n, Type: c.typeOf(ref.Dimension), Time: d.Type == model.Time, Values: d.Values}
	if _, converted := storageForms[d.ColumnType]; !converted {
		x.Zone = c.m.Source(ref.Dimension.Source()).TimeZone
	}
	return x
}

// compared is the part of a filter that says what is compared, as it is written.
func compared(f *request.Filter) string {
	if f.Measure == "" {
		return `"field": ` + refusal.Quote(f.Field)
	}
	text := fmt.Sprintf(`"measure": %s, "per": [%s]`, refusal.Quote(f.Measure), quotedList(f.Per))
	if f.Rows != "" {
		text += `, "filter": ` + refusal.Quote(f.Rows)
	}
	return text
}

// value returns a literal of the field's type. A text is converted to a number or a truth
// value if the field is of that type; nothing else is converted.
func (f *filterField) value(v any, where string) (expression.Node, error) {
	text, isText := v.(string)
	if isText {
		if err := request.CheckText(where, text); err != nil {
			return nil, err
		}
	}
	wrong := func(fix string) error {
		return refusal.Invalid(where, "%s is %s, not %s", f, typeWords(f.Type), request.ValueWords(v)).About(f.String()).Advise(fix)
	}
	switch f.Type {
	case sdk.TypeUnspecified:
		if isText {
			return expression.Text(text), nil
		}
		if b, ok := v.(bool); ok {
			return expression.Bool(b), nil
		}
		if n, ok := numberOf(v); ok {
			return n, nil
		}
		return nil, wrong("write a text, a number, true or false")
	case sdk.TypeBool:
		switch {
		case v == true, isText && strings.EqualFold(text, "true"), isNumberText(v, "1"):
			return expression.Bool(true), nil
		case v == false, isText && strings.EqualFold(text, "false"), isNumberText(v, "0"):
			return expression.Bool(false), nil
		}
		return nil, wrong("write true or false")
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		if isText && json.Valid([]byte(text)) {
			v = json.Number(text)
		}
		if n, ok := numberOf(v); ok {
			return n, nil
		}
		return nil, wrong("write a number, without quotes: 12.5")
	}
	if !isText {
		return nil, wrong(fmt.Sprintf("write a text, in quotes: %q", request.ValueText(v)))
	}
	return expression.Text(text), nil
}

// numberOf makes a literal of a number.
func numberOf(v any) (expression.Node, bool) {
	switch v := v.(type) {
	case int:
		return expression.Int(int64(v)), true
	case int64:
		return expression.Int(v), true
	case float64:
		return expression.Float(v)
	case json.Number:
		n, err := expression.Parse(string(v))
		return n, err == nil && isNumber(n)
	}
	return nil, false
}

func isNumber(n expression.Node) bool {
	if u, ok := n.(*expression.Unary); ok && u.Op == expression.Negate {
		n = u.X
	}
	l, ok := n.(*expression.Literal)
	return ok && isNumberType(l.Type())
}

func isNumberText(v any, text string) bool {
	switch v := v.(type) {
	case json.Number:
		return string(v) == text
	case int, int64, float64:
		return fmt.Sprint(v) == text
	}
	return false
}

// one does the same for a value that the field is compared with for equality: it must be one of
// the known values.
func (f *filterField) one(v any, where string) (expression.Node, error) {
	if text, ok := v.(string); ok && len(f.Values) > 0 && !slices.Contains(f.Values, text) {
		return nil, valueNotFound(where, f.String(), text, sqlkit.Nearest(text, f.Values), f.Values)
	}
	return f.value(v, where)
}

// moment returns a literal of a time that a field is compared with for equality. A day is
// accepted only if the values have no time of day.
func (c *compiler) moment(f *request.Filter, x filterField, v any, where string) (expression.Node, error) {
	b, err := c.momentOf(v, x, where)
	if err != nil {
		return nil, err
	}
	if !b.Day.IsZero() && x.hasClock() {
		day := b.Day.Format(time.DateOnly)
		return nil, refusal.Invalid(where, "%s is a day, and %s has times of day: %s would compare with midnight alone", refusal.Quote(day), x, f.Op).About(f.Field).
			Advise(`write {%s, "op": "in_date_range", "values": [%q, %q]} for the whole day, or a time: %q`, compared(f), day, day, day+" 00:00")
	}
	return x.literal(where, b)
}

// hasClock reports whether the values have a time of day.
func (f *filterField) hasClock() bool {
	return f.Type == sdk.TypeTimestamp || f.Type == sdk.TypeTimestampTZ
}

// momentOf reads a day, a time of the query's zone, or an instant.
func (c *compiler) momentOf(v any, x filterField, where string) (*timerange.Bound, error) {
	text, ok := v.(string)
	if !ok {
		return nil, refusal.Invalid(where, "%s is a time, not %s", x, request.ValueWords(v)).About(x.String()).Advise("write %s", timerange.DateForms)
	}
	zone, err := timerange.Zone(c.r.TimeZone)
	if err != nil {
		return nil, err
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil && day.Year() > 0 {
		return timerange.Beginning(day, zone), nil
	}
	if len(text) > timerange.MaxText {
		return nil, timerange.BadDate(where, text).About(x.String())
	}
	at, err := timerange.ParseMoment(where, text, zone)
	if err != nil {
		return nil, err
	}
	if clock := timerange.Clock(at); !x.hasClock() && clock.Equal(clock.Truncate(24*time.Hour)) {
		return timerange.Beginning(clock, zone), nil // the midnight of a day that has no times
	}
	return &timerange.Bound{At: at}, nil
}

// ordered compares times. A day means its beginning where readers mean that as well; where they
// could mean the whole day, it is refused.
func (c *compiler) ordered(f *request.Filter, x filterField, where string) (expression.Node, error) {
	bounds := make([]*timerange.Bound, len(f.Values))
	for i, v := range f.Values {
		var err error
		if bounds[i], err = c.momentOf(v, x, fmt.Sprintf("%s.values[%d]", where, i)); err != nil {
			return nil, err
		}
	}
	if f.Op == request.OpBetween {
		low, high := *bounds[0], *bounds[1]
		if high.Day.IsZero() {
			high.Closed = true
		} else {
			zone, err := timerange.Zone(c.r.TimeZone)
			if err != nil {
				return nil, err
			}
			high = *timerange.Beginning(high.Day.AddDate(0, 0, 1), zone)
		}
		return x.within(where, timerange.Interval{From: &low, Until: &high})
	}
	if b := bounds[0]; !b.Day.IsZero() && x.hasClock() && (f.Op == request.OpAtMost || f.Op == request.OpGreater || f.Op == request.OpAfter) {
		day, next := b.Day.Format(time.DateOnly), b.Day.AddDate(0, 0, 1).Format(time.DateOnly)
		instead := request.OpLess
		if f.Op != request.OpAtMost {
			instead = request.OpAtLeast
		}
		return nil, refusal.Invalid(where+".values[0]", "%s is a day, and %s has times of day: %s could mean its beginning or its end", refusal.Quote(day), x, f.Op).About(f.Field).
			Advise(`write {%s, "op": %q, "values": [%q]} for its end, or a time: %q`, compared(f), instead, next, day+" 00:00")
	}
	literal, err := x.literal(where+".values[0]", bounds[0])
	if err != nil {
		return nil, err
	}
	return binary(comparisons[f.Op], x.Name, literal), nil
}

// typeWords names a type in a sentence.
func typeWords(t sdk.Type) string {
	switch t {
	case sdk.TypeUnspecified:
		return "of unknown type"
	case sdk.TypeBool:
		return "a boolean"
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		return "a number"
	case sdk.TypeText:
		return "text"
	case sdk.TypeTimestampTZ:
		return "an instant"
	}
	return "of type " + t.String()
}
