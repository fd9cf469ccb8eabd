package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

var (
	dimensionKeys    = []string{"field", "granularity", "date_range", "via", "expr", "measure", "per", "filter", "fill", "name"}
	dimensionAliases = map[string]string{
		"dimension": "field", "member": "field", "id": "field", "column": "field", "grain": "granularity", "time_granularity": "granularity",
		"time_grain": "granularity", "timeframe": "granularity", "daterange": "date_range", "alias": "name", "as": "name",
		"path": "via", "expression": "expr", "sql": "expr", "formula": "expr", "where": "filter", "filters": "filter", "fill_gaps": "fill",
	}
)

func (n *normaliser) dimensions(g given) error {
	all, err := n.list(g, maxMembers)
	if err != nil {
		return err
	}
	for _, one := range all {
		switch v := one.value.(type) {
		case string:
			o, ok := n.encodedObject(one, v)
			if ok {
				err = n.dimensionObject(one, o)
				break
			}
			var d Dimension
			d, err = n.dimensionText(one, v)
			n.r.Dimensions = append(n.r.Dimensions, d)
		case *object:
			err = n.dimensionObject(one, v)
		default:
			err = refusal.Invalid(one.key, "a dimension is a text or an object, not %s", ValueWords(v)).
				Advise(`write "customers.segment" or {"field": "orders.created_at", "granularity": "month"}`)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dimensionText reads a name, with the period behind it that times are cut to:
// orders.created_at.month, orders.created_at__month, date_trunc('month', …).
func (n *normaliser) dimensionText(g given, text string) (Dimension, error) {
	if strings.TrimSpace(text) == "" || len(text) > expression.MaxTextBytes {
		_, err := n.name(g)
		return Dimension{}, err
	}
	tree, err := expression.ParseValue(text)
	if err != nil {
		return Dimension{}, refusal.InExpression(g.key, text, err)
	}
	if call, ok := tree.(*expression.Call); ok && call.Function == "date_trunc" {
		unit, isText := call.Args[0].(*expression.Literal)
		name, isName := call.Args[1].(*expression.Name)
		if isText && isName {
			grain, err := n.grain(given{g.key, unit.Value})
			if err != nil {
				return Dimension{}, err
			}
			return n.cut(g, Dimension{Field: name.String(), Grain: grain}), nil
		}
	}
	name, ok := tree.(*expression.Name)
	if !ok {
		return Dimension{Expr: strings.TrimSpace(text)}, nil
	}
	grouped, _, _ := strings.Cut(g.key, "[")
	if snake(grouped) == "group_by" {
		if name = n.joined(g, name); len(name.Parts) > 1 {
			text = name.String()
		}
	}
	if field, grain, ok := CutGrain(name); ok {
		return n.cut(g, Dimension{Field: field, Grain: grain}), nil
	}
	return Dimension{Field: n.trimmed(g.key, text)}, nil
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

func (n *normaliser) cut(g given, d Dimension) Dimension {
	n.note("grain", fmt.Sprintf("%s was read as %s with the granularity %s", g.key, refusal.Short(d.Field), d.Grain))
	return d
}

// CutGrain takes the period off a name. Only a third part is one, as orders.month is
// a dimension called month, or the second of metric_time.month.
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

// GrainOf reads a granularity.
func GrainOf(where, word string, more ...string) (dialect.Grain, error) {
	if g, ok := exactGrain(word); ok {
		return g, nil
	}
	known := make([]string, 0, 8)
	for _, g := range dialect.Grains() {
		known = append(known, string(g))
	}
	known = append(known, more...)
	return "", refusal.Invalid(where, "there is no granularity %s", refusal.Quote(word)).Meant(refusal.Nearest(word, known)).Advise("use one of %s", refusal.Listed(known))
}

func (n *normaliser) dimensionObject(g given, o *object) error {
	d, r, err := n.dimension(g, o)
	if err != nil {
		return err
	}
	n.r.Dimensions = append(n.r.Dimensions, d)
	if r != nil {
		n.r.DateRanges = append(n.r.DateRanges, *r)
	}
	return nil
}

// dimension reads an object, and the range that it may have.
func (n *normaliser) dimension(g given, o *object) (d Dimension, r *DateRange, err error) {
	fields, err := n.keys(g.key, o, dimensionKeys, dimensionAliases)
	if err != nil {
		return d, nil, err
	}
	if f := fields["name"]; f != nil && fields["field"] == nil && fields["measure"] == nil && fields["expr"] == nil {
		n.note("name for field", fmt.Sprintf("%s.name was read as field", g.key))
		fields["field"], fields["name"] = f, nil
	}
	for _, f := range dimensionFields {
		if one := fields[f.key]; one != nil {
			if err := f.read(n, one[0], &d); err != nil {
				return d, nil, err
			}
		}
	}
	switch {
	case d.Field == "" && d.Measure == "" && d.Expr == "":
		return d, nil, refusal.Invalid(g.key, "it names no dimension").Advise(`write {"field": "orders.created_at", "granularity": "month"}`)
	case d.Field != "" && (d.Measure != "" || d.Per != nil || d.Filter != ""):
		return d, nil, refusal.Invalid(g.key, "it is a field and the value of a measure at once").Advise(`write {"field": …}, or {"measure": "orders.order_count", "per": ["customers.id"]}`)
	case d.Expr != "" && (d.Field != "" || d.Measure != "" || d.Per != nil || d.Filter != "" || d.Grain != ""):
		return d, nil, refusal.Invalid(g.key, "it is an expression and something else at once").Advise(`write {"expr": "date_trunc('month', orders.created_at)", "name": "month"}`)
	case d.Field == "" && (d.Via != nil || fields["date_range"] != nil):
		return d, nil, refusal.Invalid(g.key, "what is computed has no way and no range").Advise("leave them out, and limit a field in date_ranges")
	}
	if f := fields["date_range"]; f != nil {
		one, err := n.rangeValue(f[0])
		if err != nil {
			return d, nil, err
		}
		one.Field, one.Via = d.Field, d.Via
		r = &one
	}
	return d, r, nil
}

var dimensionFields = []struct {
	key  string
	read func(*normaliser, given, *Dimension) error
}{
	{"field", func(n *normaliser, g given, d *Dimension) (err error) { d.Field, err = n.name(g); return err }},
	{"expr", func(_ *normaliser, g given, d *Dimension) (err error) { d.Expr, _, err = g.expression(); return err }},
	{"measure", func(n *normaliser, g given, d *Dimension) (err error) { d.Measure, err = n.name(g); return err }},
	{"granularity", func(n *normaliser, g given, d *Dimension) (err error) { d.Grain, err = n.grain(g); return err }},
	{"via", func(n *normaliser, g given, d *Dimension) (err error) { d.Via, err = n.names(g); return err }},
	{"per", func(n *normaliser, g given, d *Dimension) (err error) { d.Per, err = n.names(g); return err }},
	{"filter", func(n *normaliser, g given, d *Dimension) (err error) {
		d.Filter, err = g.condition()
		return err
	}},
	{"name", func(n *normaliser, g given, d *Dimension) (err error) { d.Name, err = g.column(); return err }},
	{"fill", func(n *normaliser, g given, _ *Dimension) error {
		var fill bool
		err := n.truth(g, &fill)
		n.r.FillGaps = n.r.FillGaps || fill
		return err
	}},
}

// grainWords are other words for granularities.
var grainWords = map[string]dialect.Grain{
	"hourly": dialect.Hour, "daily": dialect.Day, "date": dialect.Day, "weekly": dialect.Week, "monthly": dialect.Month,
	"quarterly": dialect.Quarter, "yearly": dialect.Year, "annual": dialect.Year, "annually": dialect.Year,
}

func (n *normaliser) grain(g given) (dialect.Grain, error) {
	s, err := g.text("a granularity")
	if err != nil {
		return "", err
	}
	word := strings.ToLower(strings.TrimSpace(s))
	grain, ok := grainWords[word]
	if !ok {
		grain, ok = exactGrain(strings.TrimSuffix(word, "s"))
	}
	if name, err := expression.ParseName(word); !ok && err == nil && len(name.Parts) <= expression.MaxNameParts {
		return dialect.Grain(strings.TrimSpace(s)), nil // of a calendar, which the model knows
	}
	if !ok {
		_, err = GrainOf(g.key, s)
		return "", err
	}
	if string(grain) != s {
		n.note("granularity", fmt.Sprintf("%s %s was read as %s", g.key, refusal.Quote(s), grain))
	}
	return grain, nil
}
