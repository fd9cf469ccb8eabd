package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// sql writes a leg: its rows, what is computed over them, and the groups.
func (l *leg) sql() (string, error) {
	inner, err := l.projection()
	if err != nil {
		return "", err
	}
	if l.take.window != nil {
		if inner, err = l.overWindow(inner); err != nil {
			return "", err
		}
	}
	if l.windows != nil {
		inner = l.withWindows(inner)
	}
	groups := l.groups()
	text, err := l.aggregated("("+inner+") AS r", slices.Concat(groups, l.entityNames()))
	if err != nil || l.take.nested == nil {
		return text, err
	}
	return l.outer(text, groups)
}

// groups are the columns of the dimensions that the leg is grouped by.
func (l *leg) groups() (all []string) {
	for i, d := range l.dims {
		if d != nil {
			all = append(all, l.rows.c.dims[i].column)
		}
	}
	return all
}

func (l *leg) entityNames() (all []string) {
	for _, e := range l.entities {
		all = append(all, e.name)
	}
	return all
}

// aggregated aggregates rows r by groups.
func (l *leg) aggregated(from string, groups []string) (string, error) {
	columns := prefixed("r.", groups)
	for _, b := range l.bases {
		text, err := l.aggregate(b)
		if err != nil {
			return "", err
		}
		columns = append(columns, text+" AS "+b.name)
	}
	return selected(columns, from, prefixed("r.", groups)), nil
}

// selected writes a SELECT with groups.
func selected(columns []string, from string, groups []string) string {
	text := "SELECT " + strings.Join(columns, ", ") + " FROM " + from
	if len(groups) > 0 {
		text += " GROUP BY " + strings.Join(groups, ", ")
	}
	return text
}

func prefixed(prefix string, names []string) []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = prefix + n
	}
	return all
}

// aggregate writes a base over the inputs.
func (l *leg) aggregate(b *base) (string, error) {
	c := l.rows.c
	if b.agg == "" {
		return c.print.Value(b.x.tree)
	}
	var x expression.Node
	for _, in := range l.inputs {
		if in.name == b.input("v") {
			x = cell("r."+in.name, in.value.Type())
		}
	}
	if b.measure != nil && b.measure.NonAdditive != nil {
		kept := expression.Conjoin(
			&expression.Binary{Op: expression.Equal, Left: cell("r."+b.input("w"), sdk.TypeInt64), Right: expression.Int(1)},
			&expression.IsNull{X: cell("r."+b.input("t"), sdk.TypeUnspecified), Negated: true})
		x = &expression.Case{Whens: []expression.When{{Condition: kept, Result: x}}}
	}
	var tree expression.Node = &expression.Aggregate{Function: b.agg, X: x, Parameter: b.parameter}
	if c.emulated(b) {
		tree = b.interpolated(x)
	}
	checked, err := expression.Check(tree, ownType)
	if err != nil {
		return "", err
	}
	return c.print.Value(checked)
}

// emulated reports whether the dialect has no form for an order statistic.
func (c *compiler) emulated(b *base) bool {
	return b.agg == expression.Median && c.d.Forms[dialect.Median] == "" || b.agg == expression.Percentile && c.d.Forms[dialect.Percentile] == ""
}

// ranked adds the ranks that an order statistic is made of.
func (l *leg) ranked(b *base) error {
	if !l.rows.c.emulated(b) {
		return nil
	}
	if b.measure != nil && b.measure.NonAdditive != nil {
		return unsupported(l.rows.c.d.Name, "a "+string(b.agg)+" that is not additive over time", "use another aggregate").about(b.label)
	}
	by, err := l.rows.c.sorted(dialect.AscNullsLast, "q."+b.input("v"))
	if err != nil {
		return err
	}
	part := l.partition(nil)
	l.windows = append(l.windows,
		window{b.input("n"), "ROW_NUMBER() OVER (" + strings.TrimSpace(part+" ORDER BY "+by) + ")"},
		window{b.input("c"), "COUNT(q." + b.input("v") + ") OVER (" + part + ")"})
	return nil
}

// interpolated is an order statistic over ranked values: each counts by how near
// its rank is to the one that is asked for, so that the two around it share.
func (b *base) interpolated(x expression.Node) expression.Node {
	fraction := expression.Node(b.parameter)
	if b.agg == expression.Median {
		fraction = half
	}
	binary := func(op expression.BinaryOp, a, b expression.Node) expression.Node {
		return &expression.Binary{Op: op, Left: a, Right: b}
	}
	one := expression.Int(1)
	rank, count := cell("r."+b.input("n"), sdk.TypeInt64), cell("r."+b.input("c"), sdk.TypeInt64)
	wanted := binary(expression.Multiply, fraction, binary(expression.Subtract, count, one))
	distance := &expression.Call{Function: "abs", Args: []expression.Node{binary(expression.Subtract, binary(expression.Subtract, rank, one), wanted)}}
	share := binary(expression.Multiply, &expression.Cast{X: x, To: sdk.TypeFloat64}, binary(expression.Subtract, one, distance))
	near := &expression.Case{Whens: []expression.When{{Condition: binary(expression.Less, distance, one), Result: share}}}
	return &expression.Aggregate{Function: expression.Sum, X: near}
}

var half = mustParse("0.5")

func mustParse(text string) expression.Node {
	n, err := expression.Parse(text)
	if err != nil {
		panic(err)
	}
	return n
}

// semiAdditive adds the rank of each row in time within its group and what the
// rule is per, among the rows that the measure is about.
func (l *leg) semiAdditive(b *base, condition expression.Node) error {
	rule := b.measure.NonAdditive
	at, err := l.rows.dimension(0, rule.Dimension)
	if err != nil {
		return err
	}
	if condition != nil {
		at = &expression.Case{Whens: []expression.When{{Condition: condition, Result: at}}}
	}
	l.inputs = append(l.inputs, input{b.input("t"), at})
	var per []string
	for i, ref := range rule.Per {
		value, err := l.rows.value(0, ref, place{})
		if err != nil {
			return err
		}
		name := b.input("p") + "_" + strconv.Itoa(i+1)
		l.inputs, per = append(l.inputs, input{name, value}), append(per, name)
	}
	form := dialect.DescNullsLast
	if rule.Pick == "first" {
		form = dialect.AscNullsLast
	}
	by, err := l.rows.c.sorted(form, "q."+b.input("t"))
	if err != nil {
		return err
	}
	l.windows = append(l.windows, window{b.input("w"), "RANK() OVER (" + strings.TrimSpace(l.partition(per)+" ORDER BY "+by) + ")"})
	return nil
}

// partition is the part of a window that a group is.
func (l *leg) partition(more []string) string {
	names := slices.Concat(l.groups(), l.entityNames(), more)
	if len(names) == 0 {
		return ""
	}
	return "PARTITION BY " + strings.Join(prefixed("q.", names), ", ")
}

// sorted writes an order key.
func (c *compiler) sorted(form dialect.Form, x string) (string, error) {
	by, ok := c.d.Expand(form, map[string]string{"x": x})
	if !ok {
		return "", unsupported(c.d.Name, "sorting", "leave order_by out")
	}
	return by, nil
}

// withWindows computes windows over rows.
func (l *leg) withWindows(rows string) string {
	columns := prefixed("q.", slices.Concat(l.groups(), l.entityNames(), l.inputNames()))
	for _, w := range l.windows {
		columns = append(columns, w.sql+" AS "+w.name)
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM (" + rows + ") AS q"
}

func (l *leg) inputNames() (all []string) {
	for _, in := range l.inputs {
		all = append(all, in.name)
	}
	return all
}

// projection writes the rows of a leg: keys where each must count once, the
// dimensions, and what is aggregated.
func (l *leg) projection() (string, error) {
	c := l.rows.c
	var columns []string
	add := func(n expression.Node, name string, nullable bool) error {
		text, err := c.print.Value(n)
		if err != nil {
			return err
		}
		if nullable {
			if x, ok := c.d.Expand(dialect.Nullable, map[string]string{"x": text}); ok {
				text = x
			}
		}
		columns = append(columns, text+" AS "+name)
		return nil
	}
	for i, k := range l.keys {
		if err := add(k, "k"+strconv.Itoa(i+1), false); err != nil {
			return "", err
		}
	}
	for i, d := range l.dims {
		name := c.dims[i].column
		if d == nil {
			continue
		}
		if l.time != nil && i == l.periodAt {
			d, name = l.time, "t0"
		}
		if err := add(d, name, false); err != nil {
			return "", err
		}
	}
	for _, in := range slices.Concat(l.entities, l.inputs) {
		if err := add(in.value, in.name, true); err != nil {
			return "", err
		}
	}
	if l.all {
		columns = append(columns, c.d.QuoteIdentifier(l.rows.nodes[0].alias)+".*")
	}
	if len(columns) == 0 {
		columns = []string{"1 AS v0"}
	}
	from, err := l.rows.from()
	if err != nil {
		return "", err
	}
	text := "SELECT "
	if len(l.keys) > 0 {
		text += "DISTINCT "
	}
	text += strings.Join(columns, ", ") + " FROM " + from
	if where := expression.Conjoin(l.where...); where != nil {
		condition, err := c.print.Predicate(where)
		if err != nil {
			return "", err
		}
		text += " WHERE " + condition
	}
	return text, nil
}
