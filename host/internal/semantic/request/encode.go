package request

import (
	"encoding/json"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// MarshalJSON writes the request in normal form, which conforms to the published
// schema and which Normalise reads without notes. Requests that differ only in
// written defaults have the same form.
func (r Request) MarshalJSON() ([]byte, error) {
	if r.Limit == DefaultLimit {
		r.Limit = 0
	}
	type plain Request
	return json.Marshal(plain(r))
}

// MarshalJSON writes a measure that only has a name as a string.
func (m Measure) MarshalJSON() ([]byte, error) {
	if m.Expr == "" && len(m.Filters) == 0 {
		return json.Marshal(m.Name)
	}
	form := struct {
		Measure string   `json:"measure,omitempty"`
		Expr    string   `json:"expr,omitempty"`
		Name    string   `json:"name,omitempty"`
		Filters []Filter `json:"filters,omitempty"`
	}{"", m.Expr, m.Name, m.Filters}
	if m.Expr == "" {
		form.Measure, form.Name = m.Name, ""
	}
	return json.Marshal(form)
}

// MarshalJSON writes a dimension that only has a field as a string.
func (d Dimension) MarshalJSON() ([]byte, error) {
	simple := d.Grain == "" && len(d.Via) == 0 && d.Measure == "" && d.Expr == "" && d.Name == ""
	// A name that ends like a period must not be read as one.
	if name, err := expression.ParseName(d.Field); err == nil && simple && strings.TrimSpace(d.Field) == d.Field {
		if _, _, ok := CutGrain(name); !ok {
			return json.Marshal(d.Field)
		}
	}
	type plain Dimension
	return json.Marshal(plain(d))
}

// MarshalJSON writes the condition in the normal form.
func (f Filter) MarshalJSON() ([]byte, error) {
	if f.SQL != "" {
		return json.Marshal(f.SQL)
	}
	if f.Op == "" {
		return json.Marshal(struct {
			And  []Filter `json:"and,omitempty"`
			Or   []Filter `json:"or,omitempty"`
			Not  *Filter  `json:"not,omitempty"`
			Any  *Filter  `json:"any,omitempty"`
			None *Filter  `json:"none,omitempty"`
			All  *Filter  `json:"all,omitempty"`
		}{f.And, f.Or, f.Not, f.Any, f.None, f.All})
	}
	form := struct {
		Field   string   `json:"field,omitempty"`
		Left    string   `json:"left,omitempty"`
		Via     []string `json:"via,omitempty"`
		Measure string   `json:"measure,omitempty"`
		Per     []string `json:"per,omitempty"`
		Filter  string   `json:"filter,omitempty"`
		Op      Op       `json:"op"`
		Values  []any    `json:"values,omitempty"`
		Right   *Operand `json:"right,omitempty"`
	}{f.Field, "", f.Via, f.Measure, f.Per, f.Rows, f.Op, f.Values, f.Right}
	if f.Right != nil {
		form.Field, form.Left = "", f.Field
	}
	return json.Marshal(form)
}

// MarshalJSON writes a measure at a fixed grain.
func (o Operand) MarshalJSON() ([]byte, error) {
	form := struct {
		Measure string   `json:"measure"`
		Per     []string `json:"per,omitempty"`
		Scope   string   `json:"scope,omitempty"`
		Times   float64  `json:"times,omitempty"`
	}{o.Measure, o.Per, "", o.Times}
	if o.Unfiltered {
		form.Scope = "unfiltered"
	}
	return json.Marshal(form)
}

// MarshalJSON writes an order key without its defaults.
func (o Order) MarshalJSON() ([]byte, error) {
	form := struct {
		Field     string `json:"field"`
		Direction string `json:"direction,omitempty"`
		Nulls     Nulls  `json:"nulls,omitempty"`
	}{Field: o.Field}
	if o.Desc {
		form.Direction = "desc"
	}
	if o.Nulls == NullsFirst {
		form.Nulls = o.Nulls
	}
	return json.Marshal(form)
}
