package saved

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/savedquery"
)

const (
	// prefix begins the names of the fields that are parameters of the query.
	prefix = "p."
	// defaultRows is the row limit that the form offers.
	defaultRows = 200
	rowsField   = "rows"
)

// Field is a parameter of the query in the form.
type Field struct {
	Name     string
	Type     savedquery.Type
	About    string
	Required bool
	// Kind is text, number, date, select or lines.
	Kind  string
	Value string
	// Options are the choices of a select; the first one of a parameter that is not required is "".
	Options []Option
	// Hint names the limits of the value.
	Hint string
}

// Option is a choice of a Field.
type Option struct {
	Value, Label string
	Now          bool
}

// ID is the name of the field in the form.
func (f *Field) ID() string { return prefix + f.Name }

// fields returns the form of the parameters, filled with the given values, else with their defaults.
func fields(parameters []savedquery.Parameter, given url.Values) []Field {
	all := make([]Field, len(parameters))
	for i := range parameters {
		p := &parameters[i]
		f := Field{Name: p.Name, Type: p.Type, About: result.Short(p.Description, maxAbout), Required: p.Required && p.Default == nil, Kind: kindOf(p), Hint: result.Short(hint(p), maxAbout)}
		if p.Default != nil {
			f.Value = strings.Join(typed(p, p.Default), "\n")
		}
		if values, ok := given[f.ID()]; ok {
			f.Value = strings.Join(values, "\n")
		}
		if f.Kind == "select" {
			f.Options = options(p, f.Value)
		}
		all[i] = f
	}
	return all
}

// typed returns a value of the declarations as a person types it: one text, for a list one for each element.
func typed(p *savedquery.Parameter, v any) (all []string) {
	if accepted, err := p.Accept(v); err == nil { // a time of YAML becomes a day
		v = accepted
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, one := range list {
		s, ok := one.(string)
		if !ok {
			raw, err := json.Marshal(one)
			if err != nil {
				continue
			}
			s = string(raw)
		}
		all = append(all, s)
	}
	return all
}

func kindOf(p *savedquery.Parameter) string {
	switch {
	case p.Type.List():
		return "lines"
	case len(p.Values) > 0, p.Type == savedquery.Boolean:
		return "select"
	case p.Type == savedquery.Date:
		return "date"
	case p.Type == savedquery.Integer, p.Type == savedquery.Decimal:
		return "number"
	}
	return "text"
}

// options returns the choices of a parameter with few values.
func options(p *savedquery.Parameter, value string) (all []Option) {
	if !p.Required || p.Default != nil || value == "" {
		all = append(all, Option{"", "not given", value == ""})
	}
	values := p.Values
	if len(values) == 0 {
		values = []any{true, false}
	}
	for _, v := range values {
		for _, s := range typed(p, v) {
			all = append(all, Option{s, result.Short(s, maxName), s == value})
		}
	}
	return all
}

// hint describes the limits of a value.
func hint(p *savedquery.Parameter) string {
	var all []string
	add := func(word string, v any) {
		if v != nil {
			all = append(all, word+" "+strings.Join(typed(p, v), ", "))
		}
	}
	add("at least", p.Minimum)
	add("at most", p.Maximum)
	if p.Pattern != "" {
		all = append(all, "matches "+p.Pattern)
	}
	if p.Type.List() {
		all = append(all, "one on each line")
		for _, v := range p.Values {
			add("may be", v)
		}
	}
	if p.Type == savedquery.Timestamp {
		all = append(all, "such as 2024-01-31T12:00:00Z")
	}
	return strings.Join(all, ", ")
}

// values returns the parameters that a form gives, in the form of JSON. It does not check them. An empty field gives
// none.
func values(parameters []savedquery.Parameter, form url.Values) map[string]any {
	all := map[string]any{}
	for i := range parameters {
		p := &parameters[i]
		raw := strings.ReplaceAll(strings.Join(form[prefix+p.Name], "\n"), "\r\n", "\n")
		if !p.Type.List() {
			if v := value(p.Type, raw); v != "" {
				all[p.Name] = v
			}
			continue
		}
		var list []any
		for line := range strings.SplitSeq(raw, "\n") {
			if v := value(p.Type.Element(), strings.TrimSpace(line)); v != "" {
				list = append(list, v)
			}
		}
		if list != nil {
			all[p.Name] = list
		}
	}
	return all
}

// value returns the JSON value that a text stands for; the text itself where it stands for none of the type.
func value(t savedquery.Type, text string) any {
	if t != savedquery.String {
		text = strings.TrimSpace(text)
	}
	switch {
	case text == "":
		return ""
	case t == savedquery.Integer:
		return json.Number(text)
	case t == savedquery.Boolean && (text == "true" || text == "false"):
		return text == "true"
	}
	return text
}

// rowsOf returns the row limit of a form, within those that an agent has.
func rowsOf(form url.Values) int {
	n, err := strconv.Atoi(strings.TrimSpace(form.Get(rowsField)))
	if err != nil || n < 1 {
		return defaultRows
	}
	return min(n, approved.MaxRows)
}
