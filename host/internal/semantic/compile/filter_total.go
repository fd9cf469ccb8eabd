package compile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// onGrandTotal refuses a condition on measures in a request without dimensions. It
// would keep or drop the one row of the answer, where people mean each entity: the
// customers with more than one order.
func (c *compiler) onGrandTotal(f formula) error {
	var measure string
	for _, n := range expression.Names(f.tree) {
		if measure == "" && c.isMeasure(n) {
			measure = nameText(n)
		}
	}
	e := refusal.New(refusal.CodeFilter, "%s: %s limits groups, and a request without dimensions has one group, the grand total: the filter can mean each entity or the total",
		f.where, refusal.Quote(f.written)).About(measure)
	read := "drop the filter and read the total itself"
	if measure != "" {
		read += fmt.Sprintf(` with "measures": [%s]`, refusal.Quote(measure))
	}
	filter, comparison := perEntity(f.tree)
	for _, per := range c.entityKeys(measure) {
		filter.Per = per
		total := "or " + read
		grouped := c.answers(c.r.Filters, per...)
		if grouped {
			total = fmt.Sprintf(`add "dimensions": [%s] to limit groups, %s`, quotedList(per), total)
		}
		switch {
		case comparison && c.answers([]request.Filter{filter}):
			text, err := json.Marshal(filter)
			if err != nil {
				return err
			}
			return e.Advise("write %s to keep the rows whose %s has such a value, %s", text, refusal.Listed(per), total)
		case grouped:
			return e.Advise("%s", total)
		}
	}
	return e.Advise("add the dimension whose groups it limits, or %s", read)
}

// answers reports whether the request has an answer with these filters and dimensions.
func (c *compiler) answers(filters []request.Filter, dimensions ...string) bool {
	trial := newCompiler(c.m, c.d, &plan.Numbers{})
	trial.r, trial.o = c.r, c.o
	trial.r.Filters, trial.r.Dimensions = filters, nil
	for _, field := range dimensions {
		trial.r.Dimensions = append(trial.r.Dimensions, request.Dimension{Field: field})
	}
	return trial.prepare() == nil
}

// entityKeys are the keys that a condition on a measure could be about, likely ones
// first: what else is measured, what its rows belong to, the rows themselves.
func (c *compiler) entityKeys(measure string) (all [][]string) {
	var homes []model.SourceID
	for _, b := range c.bases {
		if !slices.Contains(homes, b.home) {
			homes = append(homes, b.home)
		}
	}
	own := func(home model.SourceID, called string) {
		s := c.m.Source(home)
		_, keys := publicDimensions(s, called)
		if known := slices.ContainsFunc(all, func(o []string) bool { return slices.Equal(o, keys) }); len(keys) > 0 && len(keys) == len(s.Grain) && !known {
			all = append(all, keys)
		}
	}
	var of model.SourceID
	if name, err := expression.ParseName(measure); err == nil {
		if m, err := c.measureOf(name); err == nil {
			of = m.Home
		}
	}
	for _, home := range homes {
		if home != of {
			own(home, c.m.Source(home).Name)
		}
	}
	for _, home := range homes {
		for i := range c.m.Source(home).Joins {
			if j := &c.m.Source(home).Joins[i]; j.Broken == "" && j.Relationship != model.OneToMany {
				own(j.To, cmp.Or(j.Role, c.m.Source(j.To).Name))
			}
		}
	}
	for _, home := range homes {
		own(home, c.m.Source(home).Name)
	}
	const most = 8 // each is tried
	return all[:min(most, len(all))]
}

// perEntity writes a comparison of a measure with values as a filter that lacks its
// entity; false = the condition has no such form.
func perEntity(tree expression.Node) (f request.Filter, ok bool) {
	var x expression.Node
	var values []expression.Node
	switch n := tree.(type) {
	case *expression.Binary:
		for op, same := range comparisons {
			if same == n.Op && op != request.OpBefore && op != request.OpAfter {
				f.Op = op
			}
		}
		x, values = n.Left, []expression.Node{n.Right}
	case *expression.Between:
		f.Op, x, values = request.OpBetween, n.X, []expression.Node{n.Low, n.High}
		ok = n.Negated
	case *expression.In:
		f.Op, x, values = request.OpIn, n.X, n.List
		if n.Negated {
			f.Op = request.OpNotIn
		}
	}
	name, isName := x.(*expression.Name)
	if ok || !isName || f.Op == "" {
		return f, false
	}
	f.Measure = nameText(name)
	for _, v := range values {
		l, ok := v.(*expression.Literal)
		if !ok || l.IsNull() {
			return f, false
		}
		switch {
		case isNumberType(l.Type()):
			f.Values = append(f.Values, json.Number(l.Value))
		case l.Type() == sdk.TypeBool:
			f.Values = append(f.Values, l.Value == "true")
		default:
			f.Values = append(f.Values, l.Value)
		}
	}
	return f, true
}

func quotedList(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = refusal.Quote(name)
	}
	return strings.Join(all, ", ")
}
