package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// grouping is what an entry of dimensions says: the dimension, and what it says of the
// request besides.
type grouping struct {
	Dimension
	fill   bool
	within *DateRange
}

var dimensionForm = form[grouping]{
	members: []member[grouping]{
		{"field", func(n *normaliser, g given, d *grouping) { d.Field = n.name(g) }},
		{"expr", func(n *normaliser, g given, d *grouping) { d.Expr = n.expression(g) }},
		{"measure", func(n *normaliser, g given, d *grouping) { d.Measure = n.name(g) }},
		{"granularity", func(n *normaliser, g given, d *grouping) { d.Grain = n.grain(g) }},
		{"via", func(n *normaliser, g given, d *grouping) { d.Via = n.names(g) }},
		{"per", func(n *normaliser, g given, d *grouping) { d.Per = n.names(g) }},
		{"filter", func(n *normaliser, g given, d *grouping) { d.Filter = n.condition(g) }},
		{"name", nil},
		{"fill", func(n *normaliser, g given, d *grouping) { d.fill = n.truth(g) }},
		{"date_range", nil},
	},
	aliases: map[string]string{
		"dimension": "field", "member": "field", "id": "field", "column": "field", "grain": "granularity", "time_granularity": "granularity",
		"time_grain": "granularity", "timeframe": "granularity", "daterange": "date_range", "alias": "name", "as": "name",
		"path": "via", "expression": "expr", "sql": "expr", "formula": "expr", "where": "filter", "filters": "filter", "fill_gaps": "fill",
	},
}

func (n *normaliser) dimensions(g given, r *Request) {
	for _, one := range n.list(g, maxMembers) {
		switch v := n.unpacked(one).(type) {
		case string:
			r.Dimensions = append(r.Dimensions, n.dimensionText(one, v))
		case *object:
			d := n.dimension(one, v)
			r.Dimensions = append(r.Dimensions, d.Dimension)
			r.apply(d)
		default:
			n.invalid(one.key, "a dimension is a text or an object, not %s", ValueWords(v)).
				Advise(`write "customers.segment" or {"field": "orders.created_at", "granularity": "month"}`)
		}
	}
}

// timeDimensions reads Cube's list: a granularity makes a dimension of an entry, a
// range limits it.
func (n *normaliser) timeDimensions(g given, r *Request) {
	const example = `write {"field": "orders.created_at", "granularity": "month"} in dimensions`
	all := n.list(g, maxMembers)
	if len(all) > 0 {
		n.note("time dimensions", g.key+" was read as dimensions with a granularity and date_ranges")
	}
	for _, one := range all {
		o, ok := one.value.(*object)
		if !ok {
			n.invalid(one.key, "it is an object, not %s", ValueWords(one.value)).Advise(example)
			return
		}
		d := n.dimension(one, o)
		if d.Grain != "" {
			r.Dimensions = append(r.Dimensions, d.Dimension)
		} else if d.within == nil {
			n.invalid(one.key, "it has neither a granularity nor a range").Advise(example)
		}
		r.apply(d)
	}
}

// apply adds what an entry of dimensions says of the request.
func (r *Request) apply(d grouping) {
	r.FillGaps = r.FillGaps || d.fill
	if d.within != nil {
		r.DateRanges = append(r.DateRanges, *d.within)
	}
}

// dimension reads an object.
func (n *normaliser) dimension(g given, o *object) (d grouping) {
	said := dimensionForm.read(n, g.key, o, &d)
	for _, name := range said["name"] {
		if said.has("field", "measure", "expr") {
			d.Name = n.column(name)
		} else {
			n.note("name for field", fmt.Sprintf("%s.name was read as field", g.key))
			d.Field = n.name(name)
		}
	}
	ofMeasure := d.Measure != "" || d.Per != nil || d.Filter != ""
	switch {
	case d.Field == "" && d.Measure == "" && d.Expr == "":
		n.invalid(g.key, "it names no dimension").Advise(`write {"field": "orders.created_at", "granularity": "month"}`)
	case d.Field != "" && ofMeasure:
		n.invalid(g.key, "it is a field and the value of a measure at once").Advise(`write {"field": …}, or {"measure": "orders.order_count", "per": ["customers.id"]}`)
	case d.Expr != "" && (d.Field != "" || ofMeasure || d.Grain != ""):
		n.invalid(g.key, "it is an expression and something else at once").Advise(`write {"expr": "date_trunc('month', orders.created_at)", "name": "month"}`)
	case d.Field == "" && (d.Via != nil || said.has("date_range")):
		n.invalid(g.key, "what is computed has no way and no range").Advise("leave them out, and limit a field in date_ranges")
	}
	for _, within := range said["date_range"] {
		r := n.rangeValue(within)
		r.Field, r.Via, d.within = d.Field, d.Via, &r
	}
	return d
}

// dimensionText reads a name, with the period behind it that times are cut to:
// orders.created_at.month, orders.created_at__month, date_trunc('month', …).
func (n *normaliser) dimensionText(g given, text string) Dimension {
	if strings.TrimSpace(text) == "" || len(text) > expression.MaxTextBytes {
		return Dimension{Field: n.name(g)}
	}
	tree, err := expression.ParseValue(text)
	if err != nil {
		n.fail(refusal.InExpression(g.key, text, err))
		return Dimension{}
	}
	if call, ok := tree.(*expression.Call); ok && call.Function == "date_trunc" {
		unit, isText := call.Args[0].(*expression.Literal)
		name, isName := call.Args[1].(*expression.Name)
		if isText && isName {
			return n.cut(g, name.String(), n.grain(given{g.key, unit.Value}))
		}
	}
	name, ok := tree.(*expression.Name)
	if !ok {
		return Dimension{Expr: strings.TrimSpace(text)}
	}
	grouped, _, _ := strings.Cut(g.key, "[")
	if snake(grouped) == "group_by" {
		if name = n.joined(g, name); len(name.Parts) > 1 {
			text = name.String()
		}
	}
	if field, grain, ok := CutGrain(name); ok {
		return n.cut(g, field, grain)
	}
	return Dimension{Field: n.trimmed(g.key, text)}
}

// joined reads entity__dimension, as MetricFlow groups by, as entity.dimension. The
// period stays behind two underscores.
func (n *normaliser) joined(g given, name *expression.Name) *expression.Name {
	if len(name.Parts) != 1 {
		return name
	}
	parts := strings.Split(name.Parts[0], "__")
	if _, ok := exactGrain(parts[len(parts)-1]); ok && len(parts) > 1 {
		last := len(parts) - 2
		parts[last] += "__" + parts[last+1]
		parts = parts[:last+1]
	}
	if len(parts) < 2 || len(parts) > expression.MaxNameParts || slices.Contains(parts, "") {
		return name
	}
	name = &expression.Name{Parts: parts}
	n.note("entity", fmt.Sprintf("%s was read as %s", g.key, refusal.Short(name.String())))
	return name
}

func (n *normaliser) cut(g given, field string, grain dialect.Grain) Dimension {
	n.note("grain", fmt.Sprintf("%s was read as %s with the granularity %s", g.key, refusal.Short(field), grain))
	return Dimension{Field: field, Grain: grain}
}

// CutGrain splits the period off a name: the third part, or the second of
// metric_time.month. orders.month is a dimension named month.
func CutGrain(name *expression.Name) (string, dialect.Grain, bool) {
	last := len(name.Parts) - 1
	leaf := name.Parts[last]
	if g, ok := exactGrain(leaf); ok && (last >= 2 || last == 1 && strings.EqualFold(name.Parts[0], MetricTime)) {
		return (&expression.Name{Parts: name.Parts[:last]}).String(), g, true
	}
	if at := strings.LastIndex(leaf, "__"); at > 0 {
		if g, ok := exactGrain(leaf[at+2:]); ok {
			parts := slices.Clone(name.Parts)
			parts[last] = leaf[:at]
			return (&expression.Name{Parts: parts}).String(), g, true
		}
	}
	return "", "", false
}

func exactGrain(word string) (dialect.Grain, bool) {
	g := dialect.Grain(strings.ToLower(word))
	return g, slices.Contains(dialect.Grains(), g)
}

// GrainNames lists the granularities, with more of a model.
func GrainNames(more ...string) (all []string) {
	for _, g := range dialect.Grains() {
		all = append(all, string(g))
	}
	return append(all, more...)
}

// NoGrain returns the error for a word that is no granularity.
func NoGrain(where, word string, more ...string) *refusal.Error {
	known := GrainNames(more...)
	return refusal.Invalid(where, "there is no granularity %s", refusal.Quote(word)).Meant(sqlkit.Nearest(word, known)).Advise("use one of %s", refusal.Listed(known))
}

// grainWords are other words for granularities.
var grainWords = map[string]dialect.Grain{
	"hourly": dialect.Hour, "daily": dialect.Day, "date": dialect.Day, "weekly": dialect.Week, "monthly": dialect.Month,
	"quarterly": dialect.Quarter, "yearly": dialect.Year, "annual": dialect.Year, "annually": dialect.Year,
}

func (n *normaliser) grain(g given) dialect.Grain {
	s := n.text(g, "a granularity")
	word := strings.ToLower(strings.TrimSpace(s))
	grain, ok := grainWords[word]
	if !ok {
		grain, ok = exactGrain(strings.TrimSuffix(word, "s"))
	}
	if name, err := expression.ParseName(word); !ok && err == nil && len(name.Parts) <= expression.MaxNameParts {
		return dialect.Grain(strings.TrimSpace(s)) // of a calendar, which the model knows
	}
	if !ok {
		n.fail(NoGrain(g.key, s))
		return ""
	}
	if string(grain) != s {
		n.note("granularity", fmt.Sprintf("%s %s was read as %s", g.key, refusal.Quote(s), grain))
	}
	return grain
}
