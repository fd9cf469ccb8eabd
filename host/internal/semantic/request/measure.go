package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

var (
	measureKeys    = []string{"measure", "expr", "name", "filters", "agg", "field"}
	measureAliases = map[string]string{
		"metric": "measure", "member": "measure", "id": "measure", "expression": "expr", "sql": "expr", "formula": "expr",
		"alias": "name", "as": "name", "filter": "filters", "where": "filters",
		"aggregation": "agg", "aggregate": "agg", "function": "agg", "column": "field", "dimension": "field",
	}
)

func (n *normaliser) measures(g given) error {
	all, err := n.list(g, maxMembers)
	if err != nil {
		return err
	}
	for _, one := range all {
		m, err := n.measure(one)
		if err != nil {
			return err
		}
		n.r.Measures = append(n.r.Measures, m)
	}
	return nil
}

func (n *normaliser) measure(g given) (Measure, error) {
	switch v := g.value.(type) {
	case string:
		return n.measureText(g, v)
	case *object:
		return n.measureObject(g, v)
	}
	return Measure{}, refusal.Invalid(g.key, "a measure is a text or an object, not %s", ValueWords(g.value)).
		Advise(`write "orders.revenue" or {"expr": "sum(orders.amount)", "name": "total"}`)
}

// measureText reads a name, or an aggregate in its place, with or without a name
// for its column behind AS.
func (n *normaliser) measureText(g given, text string) (Measure, error) {
	if o, ok := n.encodedObject(g, text); ok {
		return n.measureObject(g, o)
	}
	if strings.TrimSpace(text) == "" || len(text) > expression.MaxTextBytes {
		_, err := n.name(g)
		return Measure{}, err
	}
	tree, err := expression.ParseValue(text)
	var called string
	if err != nil {
		if before, after, ok := cutLast(text, " as "); ok {
			if name, failed := expression.ParseName(after); failed == nil && len(name.Parts) == 1 {
				if aliased, failed := expression.ParseValue(before); failed == nil {
					text, tree, called, err = strings.TrimSpace(before), aliased, name.Parts[0], nil
				}
			}
		}
	}
	if err != nil {
		return Measure{}, refusal.InExpression(g.key, text, err)
	}
	if _, ok := tree.(*expression.Name); ok && called == "" {
		name, err := n.name(g)
		return Measure{Name: name}, err
	}
	n.note("ad-hoc", fmt.Sprintf("%s was read as an ad-hoc measure, {\"expr\": …}", g.key))
	return Measure{Name: called, Expr: strings.TrimSpace(text)}, nil
}

// cutLast cuts at the last occurrence of an ASCII separator, without regard to case.
func cutLast(s, separator string) (before, after string, ok bool) {
	for i := len(s) - len(separator); i >= 0; i-- {
		if strings.EqualFold(s[i:i+len(separator)], separator) {
			return s[:i], s[i+len(separator):], true
		}
	}
	return s, "", false
}

// encodedObject reads an object that is written as JSON in a text. No reference
// has a colon, so that {name} is none.
func (n *normaliser) encodedObject(g given, text string) (*object, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, false
	}
	v, err := decode([]byte(text))
	o, ok := v.(*object)
	if err != nil || !ok {
		return nil, false
	}
	n.note("encoded", g.key+" was read from a JSON text")
	return o, true
}

func (n *normaliser) measureObject(g given, o *object) (m Measure, err error) {
	fields, err := n.keys(g.key, o, measureKeys, measureAliases)
	if err != nil {
		return m, err
	}
	for _, f := range fields["filters"] {
		filters, err := n.filterList(f)
		if err != nil {
			return m, err
		}
		m.Filters = append(m.Filters, filters...)
	}
	if f := fields["name"]; f != nil {
		if m.Name, err = f[0].column(); err != nil {
			return m, err
		}
	}
	if fields["agg"] != nil || fields["field"] != nil && fields["expr"] == nil && fields["measure"] == nil {
		return n.composed(g, m, fields)
	}
	switch measure, expr := fields["measure"], fields["expr"]; {
	case measure != nil && expr != nil || fields["field"] != nil:
		return m, refusal.Invalid(g.key, "it names a measure and composes one").Advise(`write {"measure": "orders.revenue"} or {"expr": "sum(orders.amount)", "name": "total"}`)
	case measure != nil:
		ref, err := n.name(measure[0])
		if m.Name == "" {
			m.Name = ref
		} else {
			m.Expr = ref // which is an expression too, with a name of its own
		}
		return m, err
	case expr != nil:
		m.Expr, _, err = expr[0].expression()
		return m, err
	case m.Name != "" && len(fields) == 1:
		n.note("name for measure", fmt.Sprintf("%s.name was read as measure", g.key))
		return n.measureText(given{fields["name"][0].key, m.Name}, m.Name)
	}
	return m, refusal.Invalid(g.key, "it names no measure").Advise(`write {"measure": "orders.revenue"} or {"expr": "sum(orders.amount)", "name": "total"}`)
}

// composed reads {agg, field} as an aggregate.
func (n *normaliser) composed(g given, m Measure, fields map[string][]given) (Measure, error) {
	agg, field := fields["agg"], fields["field"]
	if field == nil {
		field = fields["expr"]
	} else if fields["expr"] != nil {
		field = nil
	}
	if agg == nil || field == nil || fields["measure"] != nil {
		return m, refusal.Invalid(g.key, "an ad-hoc measure has an aggregate and what it is over").Advise(`write {"expr": "sum(orders.amount)", "name": "total"}`)
	}
	function, err := agg[0].text("an aggregate")
	if err != nil {
		return m, err
	}
	over, _, err := field[0].expression()
	if err != nil {
		return m, err
	}
	known := make([]string, 0, 16)
	for _, f := range expression.Aggregates() {
		known = append(known, string(f))
	}
	spelled := snake(function)
	if alias, ok := map[string]string{"average": "avg", "mean": "avg", "countdistinct": "count_distinct", "minimum": "min", "maximum": "max"}[spelled]; ok {
		spelled = alias
	}
	if !slices.Contains(known, spelled) {
		return m, refusal.Invalid(agg[0].key, "there is no aggregate %s", refusal.Quote(function)).Meant(refusal.Nearest(spelled, known)).Advise("use one of %s", refusal.Listed(known))
	}
	m.Expr = spelled + "(" + over + ")"
	if _, err := expression.ParseValue(m.Expr); err != nil {
		return m, refusal.InExpression(g.key, m.Expr, err)
	}
	n.note("composed", fmt.Sprintf("%s was read as {\"expr\": %s}", g.key, refusal.Quote(m.Expr)))
	return m, nil
}

// names reads a list of references.
func (n *normaliser) names(g given) ([]string, error) {
	all, err := n.list(g, maxMembers)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, one := range all {
		name, err := n.name(one)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (n *normaliser) segments(g given) (err error) {
	n.r.Segments, err = n.names(g)
	return err
}
