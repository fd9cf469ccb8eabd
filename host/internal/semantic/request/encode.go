package request

import (
	"encoding/json"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk/dialect"
)

// The wire forms of a request, in the order of the published schema.
type (
	requestForm struct {
		Measures     []measureForm   `json:"measures,omitempty"`
		Dimensions   []dimensionForm `json:"dimensions,omitempty"`
		DateRanges   []rangeForm     `json:"date_ranges,omitempty"`
		Filters      []Filter        `json:"filters,omitempty"`
		Segments     []string        `json:"segments,omitempty"`
		OrderBy      []orderForm     `json:"order_by,omitempty"`
		Limit        int             `json:"limit,omitempty"`
		Offset       int             `json:"offset,omitempty"`
		IncludeEmpty bool            `json:"include_empty,omitempty"`
		FillGaps     bool            `json:"fill_gaps,omitempty"`
		Totals       bool            `json:"totals,omitempty"`
		LimitPer     *limitPerForm   `json:"limit_per,omitempty"`
		Rest         bool            `json:"rest,omitempty"`
		TimeZone     string          `json:"time_zone,omitempty"`
		Fanout       Fanout          `json:"fanout,omitempty"`
	}
	measureForm   Measure
	dimensionForm Dimension
	rangeForm     struct {
		Field    string   `json:"field,omitempty"`
		Via      []string `json:"via,omitempty"`
		From     string   `json:"from,omitempty"`
		To       string   `json:"to,omitempty"`
		Relative string   `json:"relative,omitempty"`
	}
	limitPerForm struct {
		By []string `json:"by"`
		N  int      `json:"n"`
	}
	orderForm struct {
		Field     string `json:"field"`
		Direction string `json:"direction,omitempty"`
		Nulls     Nulls  `json:"nulls,omitempty"`
	}
)

// MarshalJSON writes the request in its normal form, which fits the published
// schema and which Normalise reads without notes. Requests that mean the same by
// default have the same form.
func (r Request) MarshalJSON() ([]byte, error) {
	form := requestForm{
		Measures: make([]measureForm, len(r.Measures)), Filters: r.Filters, Segments: r.Segments, Limit: r.Limit, Offset: r.Offset,
		IncludeEmpty: r.IncludeEmpty, FillGaps: r.FillGaps, Totals: r.Totals, LimitPer: (*limitPerForm)(r.LimitPer), Rest: r.Rest, TimeZone: r.TimeZone, Fanout: r.Fanout,
	}
	for i, m := range r.Measures {
		form.Measures[i] = measureForm(m)
	}
	for _, d := range r.Dimensions {
		form.Dimensions = append(form.Dimensions, dimensionForm(d))
	}
	for _, d := range r.DateRanges {
		form.DateRanges = append(form.DateRanges, rangeForm(d))
	}
	for _, o := range r.OrderBy {
		one := orderForm{Field: o.Field}
		if o.Desc {
			one.Direction = "desc"
		}
		if o.Nulls == NullsFirst {
			one.Nulls = o.Nulls
		}
		form.OrderBy = append(form.OrderBy, one)
	}
	if form.Limit == DefaultLimit {
		form.Limit = 0
	}
	return json.Marshal(form)
}

func (m measureForm) MarshalJSON() ([]byte, error) {
	if m.Expr == "" && len(m.Filters) == 0 {
		return json.Marshal(m.Name)
	}
	form := struct {
		Measure string   `json:"measure,omitempty"`
		Expr    string   `json:"expr,omitempty"`
		Name    string   `json:"name,omitempty"`
		Filters []Filter `json:"filters,omitempty"`
	}{Expr: m.Expr, Filters: m.Filters}
	if m.Expr == "" {
		form.Measure = m.Name
	} else {
		form.Name = m.Name
	}
	return json.Marshal(form)
}

func (d dimensionForm) MarshalJSON() ([]byte, error) {
	form := struct {
		Field       string        `json:"field,omitempty"`
		Granularity dialect.Grain `json:"granularity,omitempty"`
		Via         []string      `json:"via,omitempty"`
		Expr        string        `json:"expr,omitempty"`
		Measure     string        `json:"measure,omitempty"`
		Per         []string      `json:"per,omitempty"`
		Filter      string        `json:"filter,omitempty"`
		Name        string        `json:"name,omitempty"`
	}{d.Field, d.Grain, d.Via, d.Expr, d.Measure, d.Per, d.Filter, d.Name}
	plain := d.Grain == "" && len(d.Via) == 0 && d.Measure == "" && d.Expr == "" && d.Name == ""
	// A name that ends like a period must not be read as one.
	if name, err := expression.ParseName(d.Field); err == nil && plain && strings.TrimSpace(d.Field) == d.Field {
		if _, _, ok := CutGrain(name); !ok {
			return json.Marshal(d.Field)
		}
	}
	return json.Marshal(form)
}

// MarshalJSON writes the condition as Normalise reads it.
func (f Filter) MarshalJSON() ([]byte, error) {
	switch {
	case f.SQL != "":
		return json.Marshal(f.SQL)
	case f.And != nil:
		return json.Marshal(map[string][]Filter{"and": f.And})
	case f.Or != nil:
		return json.Marshal(map[string][]Filter{"or": f.Or})
	case f.Not != nil:
		return json.Marshal(map[string]*Filter{"not": f.Not})
	case f.Any != nil:
		return json.Marshal(map[string]*Filter{"any": f.Any})
	case f.None != nil:
		return json.Marshal(map[string]*Filter{"none": f.None})
	case f.All != nil:
		return json.Marshal(map[string]*Filter{"all": f.All})
	}
	form := struct {
		Field   string       `json:"field,omitempty"`
		Left    string       `json:"left,omitempty"`
		Via     []string     `json:"via,omitempty"`
		Measure string       `json:"measure,omitempty"`
		Per     []string     `json:"per,omitempty"`
		Filter  string       `json:"filter,omitempty"`
		Op      Op           `json:"op"`
		Values  []any        `json:"values,omitempty"`
		Right   *operandForm `json:"right,omitempty"`
	}{f.Field, "", f.Via, f.Measure, f.Per, f.Rows, f.Op, f.Values, nil}
	if f.Right != nil {
		form.Field, form.Left = "", f.Field
		form.Right = &operandForm{Measure: f.Right.Measure, Per: f.Right.Per, Times: f.Right.Times}
		if f.Right.Unfiltered {
			form.Right.Scope = "unfiltered"
		}
	}
	return json.Marshal(form)
}

type operandForm struct {
	Measure string   `json:"measure"`
	Per     []string `json:"per,omitempty"`
	Scope   string   `json:"scope,omitempty"`
	Times   float64  `json:"times,omitempty"`
}
