package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/sqlkit"
)

var measureForm = form[Measure]{
	members: []member[Measure]{
		{"filters", func(n *normaliser, g given, m *Measure) { m.Filters = append(m.Filters, n.filterList(g)...) }},
		{"name", func(n *normaliser, g given, m *Measure) { m.Name = n.column(g) }},
		{"measure", nil}, {"expr", nil}, {"agg", nil}, {"field", nil},
	},
	aliases: map[string]string{
		"metric": "measure", "member": "measure", "id": "measure", "expression": "expr", "sql": "expr", "formula": "expr",
		"alias": "name", "as": "name", "filter": "filters", "where": "filters",
		"aggregation": "agg", "aggregate": "agg", "function": "agg", "column": "field", "dimension": "field",
	},
}

const measureExample = `write {"measure": "orders.revenue"} or {"expr": "sum(orders.amount)", "name": "total"}`

func (n *normaliser) measures(g given, r *Request) {
	for _, one := range n.list(g, maxMembers) {
		switch v := n.unpacked(one).(type) {
		case string:
			r.Measures = append(r.Measures, n.measureText(one, v))
		case *object:
			r.Measures = append(r.Measures, n.measureObject(one, v))
		default:
			n.invalid(one.key, "a measure is a text or an object, not %s", ValueWords(v)).
				Advise(`write "orders.revenue" or {"expr": "sum(orders.amount)", "name": "total"}`)
		}
	}
}

// measureText reads a name, or an aggregate in its place, with or without a name
// for its column behind AS.
func (n *normaliser) measureText(g given, text string) Measure {
	if strings.TrimSpace(text) == "" || len(text) > expression.MaxTextBytes {
		return Measure{Name: n.name(g)}
	}
	tree, err := expression.ParseValue(text)
	called := ""
	if err != nil {
		if before, name, ok := cutAlias(text); ok {
			if aliased, failed := expression.ParseValue(before); failed == nil {
				text, tree, called, err = before, aliased, name, nil
			}
		}
	}
	if err != nil {
		n.fail(refusal.InExpression(g.key, text, err))
	}
	if _, ok := tree.(*expression.Name); ok && called == "" {
		return Measure{Name: n.name(g)}
	}
	n.note("ad-hoc", fmt.Sprintf("%s was read as an ad-hoc measure, {\"expr\": …}", g.key))
	return Measure{Name: called, Expr: strings.TrimSpace(text)}
}

// cutAlias cuts "… AS name" at the last AS.
func cutAlias(s string) (before, name string, ok bool) {
	const as = " as "
	for i := len(s) - len(as); i >= 0; i-- {
		if strings.EqualFold(s[i:i+len(as)], as) {
			name, err := expression.ParseName(s[i+len(as):])
			if err != nil || len(name.Parts) != 1 {
				return "", "", false
			}
			return s[:i], name.Parts[0], true
		}
	}
	return "", "", false
}

func (n *normaliser) measureObject(g given, o *object) (m Measure) {
	said := measureForm.read(n, g.key, o, &m)
	switch {
	case n.refused != nil:
	case said.has("agg"), said.has("field") && !said.has("expr", "measure"):
		m.Expr = n.composed(g, said)
	case said.has("measure") && said.has("expr"), said.has("field"):
		n.invalid(g.key, "it names a measure and composes one").Advise(measureExample)
	case said.has("measure") && m.Name == "":
		m.Name = n.name(said["measure"][0])
	case said.has("measure"):
		m.Expr = n.name(said["measure"][0]) // which is an expression too, with a name of its own
	case said.has("expr"):
		m.Expr = n.expression(said["expr"][0])
	case m.Name != "" && len(said) == 1:
		n.note("name for measure", fmt.Sprintf("%s.name was read as measure", g.key))
		return n.measureText(given{said["name"][0].key, m.Name}, m.Name)
	default:
		n.invalid(g.key, "it names no measure").Advise(measureExample)
	}
	return m
}

// aggregateWords are other words for aggregates.
var aggregateWords = map[string]string{"average": "avg", "mean": "avg", "countdistinct": "count_distinct", "minimum": "min", "maximum": "max"}

// composed reads {agg, field} as an aggregate.
func (n *normaliser) composed(g given, said fields) string {
	over := slices.Concat(said["field"], said["expr"])
	if !said.has("agg") || len(over) != 1 || said.has("measure") {
		n.invalid(g.key, "an ad-hoc measure has an aggregate and what it is over").Advise(`write {"expr": "sum(orders.amount)", "name": "total"}`)
		return ""
	}
	agg := said["agg"][0]
	function, argument := n.text(agg, "an aggregate"), n.expression(over[0])
	known := make([]string, 0, 16)
	for _, f := range expression.Aggregates() {
		known = append(known, string(f))
	}
	spelled := snake(function)
	if word, ok := aggregateWords[spelled]; ok {
		spelled = word
	}
	if !slices.Contains(known, spelled) {
		n.invalid(agg.key, "there is no aggregate %s", refusal.Quote(function)).Meant(sqlkit.Nearest(spelled, known)).Advise("use one of %s", refusal.Listed(known))
	}
	text := spelled + "(" + argument + ")"
	if _, err := expression.ParseValue(text); err != nil {
		n.fail(refusal.InExpression(g.key, text, err))
	}
	n.note("composed", fmt.Sprintf("%s was read as {\"expr\": %s}", g.key, refusal.Quote(text)))
	return text
}
