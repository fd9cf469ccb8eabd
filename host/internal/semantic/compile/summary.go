package compile

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// A summary is rows that are over several groups of a request: subtotals, the total,
// what a limit leaves out. It is the request once more, with some of its dimensions
// rolled up and over the rows of some of its groups, so that every kind of measure has
// the value that it has for these rows.
type summary struct {
	// of is the request.
	of *compiler
	// kept are the places of the dimensions that are not rolled up.
	kept []int
	// only are the groups whose rows count; nil = all.
	only *members
	// among are groups of which each row has one; none = every row is shown.
	among []*members
	// total and rest mark the rows.
	total, rest int64
}

// members are groups of a request.
type members struct {
	rel  plan.Relation
	dims []plan.Column
	// same are the columns of a dimension by which equal values are found; none = the
	// dimension itself.
	same [][]plan.Column
}

// comparable adds to the groups the columns by which equal values are found. An engine
// finds rows by a column of a relation, and reads all of it for an expression over one.
func (m *members) comparable(c *compiler) {
	p := only(m.rel, m.rel.Columns())
	m.same = make([][]plan.Column, len(m.dims))
	for i, d := range m.dims {
		for k, x := range sameParts(d.Ref(), d.Type) {
			m.same[i] = append(m.same[i], p.Compute(c.numbers, d.Name+[]string{"_or_blank", "_is_null"}[k], x.Type(), x))
		}
	}
	m.rel = p
}

// extra are the last columns of an answer with summaries.
func (c *compiler) extra() (all []string) {
	if c.r.Totals {
		all = append(all, "_total")
	}
	if c.r.Rest {
		all = append(all, "_rest")
	}
	return all
}

// maxTotals bounds the dimensions of a request with totals. Each of them has a level of
// subtotals, whose statement names the dimensions before it: long before that many, it is
// longer than a statement may be.
const maxTotals = 64

// checkSummaries refuses rows over groups that nobody can tell.
func (c *compiler) checkSummaries() error {
	per, err := c.limitPer()
	switch partly := c.r.Rest || c.r.LimitPer != nil; {
	case err != nil:
		return err
	case len(c.columns) == 0 && len(c.extra()) > 0:
		return refusal.Invalid("measures", "totals and the rest are of measures, and there are none").Advise("add a measure")
	case c.r.Totals && len(c.dims) > maxTotals:
		return refusal.Invalid("totals", "each of the %d dimensions would have its subtotals, and the statement would be too long", len(c.dims)).
			Advise("ask for totals of %d dimensions at most, or leave totals out", maxTotals)
	case partly && len(c.dims) == 0:
		return refusal.Invalid("dimensions", "without dimensions there is one row, and no first ones").Advise("add a dimension")
	case partly && len(c.order) == 0:
		return refusal.Invalid("order_by", "it does not say which groups are the first").Advise("write %s", c.firstOrder())
	case c.r.LimitPer != nil && len(per) == len(c.dims):
		return refusal.Invalid("limit_per", "it names all dimensions, so that each group is the first one").Advise("leave the dimension out whose members are to be limited")
	case c.r.Rest && c.r.Offset > 0:
		return refusal.Invalid("offset", "the rest is what comes after the first rows, and an offset leaves those out").Advise("leave offset or rest out")
	}
	empty := c.r.FillGaps || c.r.IncludeEmpty
	switch {
	case c.r.Rest && empty:
		return refusal.New(refusal.CodeNotSupported, "the rest of groups without rows has no rows to be measured").Advise("leave rest out, or fill_gaps and include_empty")
	case len(c.extra()) == 0 || len(c.having) == 0:
		return nil
	case empty:
		return refusal.New(refusal.CodeNotSupported, "totals over the groups that a condition on measures leaves, some of which have no rows").Advise("leave totals or the condition out, or fill_gaps and include_empty")
	case slices.ContainsFunc(c.bases, func(b *base) bool { return b.under.total }):
		return refusal.New(refusal.CodeNotSupported, "a share in a row over the groups that a condition on measures leaves could be one of all groups or of those").Advise("leave the share, the condition, or totals and rest out")
	}
	return nil
}

// firstOrder is an order key of a request, as it could be written: its first measure that
// has a name, else its first dimension.
func (c *compiler) firstOrder() string {
	field := cmp.Or(c.r.Dimensions[0].Name, c.r.Dimensions[0].Field)
	for _, m := range slices.Backward(c.r.Measures) {
		field = cmp.Or(m.Name, field)
	}
	key, err := json.Marshal(struct {
		Field     string `json:"field"`
		Direction string `json:"direction"`
	}{field, "desc"})
	if err != nil {
		panic(err) // two texts have none
	}
	return string(key)
}

// limitPer are the places of the dimensions that groups are limited per.
func (c *compiler) limitPer() (all []int, err error) {
	if c.r.LimitPer == nil {
		return nil, nil
	}
	for _, field := range c.r.LimitPer.By {
		d, err := c.dimensionCalled("limit_per.by", field)
		if err != nil {
			return nil, err
		}
		if at := slices.Index(c.dims, d); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all, nil
}

// outcome is groups with the columns of the result.
type outcome struct {
	members
	// measures and keys are those that are shown and those that rows are sorted by; a
	// key that is a dimension has its column.
	measures, keys []plan.Column
}

// orderBy sorts by the keys, and then by the dimensions, so that the same rows come in
// the same order.
func (a *outcome) orderBy(c *compiler) (all []plan.Order) {
	for i, k := range c.order {
		all = append(all, plan.Order{X: a.keys[i].Ref(), Desc: k.desc, NullsFirst: k.first})
	}
	for _, d := range a.dims {
		if !slices.Contains(a.keys, d) {
			all = append(all, plan.Order{X: d.Ref()})
		}
	}
	return all
}

func (c *compiler) limit() int {
	if c.r.Limit == 0 {
		return request.DefaultLimit
	}
	return c.r.Limit
}

// ranked adds the place of each group in its order, per group of some dimensions.
func (c *compiler) ranked(a *outcome) (rank plan.Column) {
	per, _ := c.limitPer() // checked
	w := plan.WindowValue{Column: c.column("place", sdk.TypeInt64), Function: plan.RowNumber, By: a.orderBy(c)}
	for _, at := range per {
		w.Partition = append(w.Partition, a.dims[at].Ref())
	}
	if c.r.Rest { // below the window, which no engine moves the columns above
		a.comparable(c)
	}
	a.rel = &plan.Shared{In: &plan.Window{In: a.rel, Values: []plan.WindowValue{w}}, Name: "ranked"}
	return w.Column
}

// first are the groups that are shown, in their order, and those that a limit of
// groups leaves out.
func (c *compiler) first(a *outcome) (shown *plan.Sort, left *members) {
	shown = &plan.Sort{In: a.rel, Limit: c.limit(), Offset: c.r.Offset}
	if c.r.LimitPer != nil || c.r.Rest {
		rank, most := c.ranked(a), c.limit()
		if c.r.LimitPer != nil {
			most = c.r.LimitPer.N
		}
		compare := func(op expression.BinaryOp) *plan.Filter {
			return &plan.Filter{In: a.rel, Cond: binary(op, rank.Ref(), expression.Int(int64(most)))}
		}
		shown.In, left = compare(expression.LessEqual), &members{compare(expression.Greater), a.dims, a.same}
	}
	shown.By = a.orderBy(c)
	return shown, left
}

// summarised are the groups that are shown, and below them the rows over several.
func (c *compiler) summarised(a *outcome) (plan.Relation, error) {
	if len(c.having) > 0 && c.r.Totals && !c.r.Rest && c.r.LimitPer == nil {
		a.comparable(c)
		a.rel = &plan.Shared{In: a.rel, Name: "groups"}
	}
	sorted, left := c.first(a)
	if len(c.extra()) == 0 {
		return only(sorted, a.dims, a.measures), nil
	}
	shown := *a
	shown.rel = &plan.Shared{In: sorted, Name: "shown"}
	per, _ := c.limitPer() // checked
	var all []*summary
	if c.r.Rest {
		s := &summary{kept: per, only: left, among: []*members{left}, rest: 1}
		if len(per) > 0 {
			s.among = append(s.among, &shown.members)
		}
		all = append(all, s)
	}
	for n := len(c.dims) - 1; c.r.Totals && n >= 0; n-- {
		s := &summary{total: int64(len(c.dims) - n)}
		for i := range n {
			s.kept = append(s.kept, i)
		}
		if n > 0 {
			s.among = []*members{&shown.members}
		}
		if len(c.having) > 0 {
			s.only = &a.members
		}
		all = append(all, s)
	}
	return c.below(&shown, all)
}

// below writes the rows over several groups under those of the groups.
func (c *compiler) below(shown *outcome, all []*summary) (plan.Relation, error) {
	u := &plan.Union{}
	add := func(a *outcome, total, rest int64) (columns []plan.Column) {
		p := only(a.rel, a.dims, a.measures)
		for i, k := range a.keys {
			if c.order[i].dim == nil {
				p.Keep(k)
			}
		}
		u.In = append(u.In, &plan.Shared{In: p, Name: "rows"})
		return append(slices.Concat(a.dims, a.measures, a.keys),
			p.Compute(c.numbers, "_total", sdk.TypeInt64, expression.Int(total)), p.Compute(c.numbers, "_rest", sdk.TypeInt64, expression.Int(rest)))
	}
	lists := [][]plan.Column{add(shown, 0, 0)}
	for _, s := range all {
		a, err := c.again(s)
		if err != nil {
			return nil, err
		}
		lists = append(lists, add(a, s.total, s.rest))
	}
	for i, col := range lists[0] {
		from := make([]plan.Column, len(lists))
		for k, l := range lists {
			from[k] = l[i]
		}
		u.Stack(c.numbers, col.Name, col.Type, from...)
	}
	out := u.Columns()
	n := len(c.dims)
	a := &outcome{members: members{dims: out[:n]}, measures: out[n : n+len(c.columns)], keys: out[n+len(c.columns) : len(out)-2]}
	for i, k := range c.order {
		if k.dim != nil {
			a.keys[i] = a.dims[slices.Index(c.dims, k.dim)]
		}
	}
	total, rest := out[len(out)-2], out[len(out)-1]
	by := []plan.Order{{X: total.Ref()}, {X: rest.Ref()}}
	p := only(&plan.Sort{In: only(u, out), By: append(by, a.orderBy(c)...)}, a.dims, a.measures)
	if c.r.Totals {
		p.Keep(total)
	}
	if c.r.Rest {
		p.Keep(rest)
	}
	return p, nil
}

// only is a relation with some of its columns alone.
func only(in plan.Relation, columns ...[]plan.Column) *plan.Project {
	p := &plan.Project{In: in}
	for _, some := range columns {
		p.Keep(some...)
	}
	return p
}

// again makes the rows of a summary.
func (c *compiler) again(s *summary) (*outcome, error) {
	sub := newCompiler(c.m, c.d, c.numbers)
	sub.r, sub.o, sub.types, sub.summary = c.r, c.o, c.types, s
	sub.r.FillGaps, sub.r.IncludeEmpty, sub.r.Totals, sub.r.Rest, sub.r.LimitPer = false, false, false, false, nil
	s.of = c
	if err := sub.prepare(); err != nil {
		return nil, err
	}
	sub.having = nil // only has the groups that satisfy them
	return sub.answer()
}

// rolls reports whether a dimension is rolled up.
func (s *summary) rolls(at int) bool { return s != nil && !slices.Contains(s.kept, at) }

// restrict joins the rows of a branch with the groups whose rows count, and rolls
// dimensions up.
func (br *branch) restrict() {
	s := br.rows.c.summary
	if s == nil || br.under.total {
		return
	}
	if s.only != nil {
		groups, on := s.only.join(br.rows.c, br.dims)
		br.rows.only = &plan.Join{R: groups, On: on, ToOne: true}
	}
	for i := range br.dims {
		if s.rolls(i) {
			br.dims[i] = nil
		}
	}
}

// join is the groups under new columns, and the condition that values are those of
// one of them.
func (m *members) join(c *compiler, values []expression.Node) (plan.Relation, expression.Node) {
	p := &plan.Project{In: m.rel}
	renamed := func(of plan.Column) expression.Node { return p.Compute(c.numbers, of.Name, of.Type, of.Ref()).Ref() }
	var on []expression.Node
	for i, d := range m.dims {
		parts := sameParts(values[i], d.Type)
		if parts == nil {
			on = append(on, binary(expression.NotDistinct, values[i], renamed(d)))
		}
		for k, x := range parts {
			on = append(on, equal(x, renamed(m.same[i][k])))
		}
	}
	return p, expression.Conjoin(on...)
}

// sameParts are values that two values have in common exactly when they are equal or both
// NULL: some value in the place of NULL, and whether it is NULL. Not every engine hashes a
// comparison in which NULL equals NULL, and all of them hash plain equality. There are none
// for types without such a value.
func sameParts(x expression.Node, t sdk.Type) []expression.Node {
	var blank expression.Node
	switch t {
	case sdk.TypeText:
		blank = expression.Text("")
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		blank = expression.Int(0)
	default:
		return nil
	}
	isNull := expression.When{Condition: &expression.IsNull{X: x}, Result: expression.Int(1)}
	return []expression.Node{
		expression.As(&expression.Call{Function: "coalesce", Args: []expression.Node{x, blank}}, t),
		expression.As(&expression.Case{Whens: []expression.When{isNull}, Else: expression.Int(0)}, sdk.TypeInt64),
	}
}

// stage is the groups as part of a stage, with the dimensions that are kept.
func (m *members) stage(c *compiler) (*stage, plan.Column) {
	out := &stage{dims: make([]plan.Column, len(c.dims)), values: map[*base]plan.Column{}}
	p := &plan.Project{In: m.rel, Distinct: true}
	for i, d := range m.dims {
		if !c.summary.rolls(i) {
			out.dims[i] = p.Compute(c.numbers, d.Name, d.Type, d.Ref())
		}
	}
	mark := p.Compute(c.numbers, "there", sdk.TypeInt64, expression.Int(1))
	out.rel = p
	if len(c.totals) > 0 {
		out.number(c, 0)
	}
	return out, mark
}

// addUp is the stage of a branch made of the groups of the request, where the values
// add up: every row is in one of them.
func (br *branch) addUp() (*stage, bool) {
	c := br.rows.c
	s := c.summary
	if s == nil || s.of == nil || br.under.total || br.sub != nil {
		return nil, false
	}
	for i, o := range s.of.branches {
		if o.sub != nil || o.spans() || o.home != br.home || o.under.rowsKey() != br.under.rowsKey() || len(o.keys) > 0 || len(o.bases) == 0 {
			continue
		}
		if out, ok := br.combine(o, s.of.stages[i]); ok {
			return out, true
		}
	}
	return nil, false
}

// combine makes the bases of those of finer groups.
func (br *branch) combine(o *branch, finer *stage) (*stage, bool) {
	c := br.rows.c
	s := c.summary
	a := &plan.Aggregate{In: finer.rel}
	if s.only != nil {
		groups, on := s.only.join(c, refs(finer.dims))
		a.In = &plan.Join{L: finer.rel, R: groups, On: on, ToOne: true}
	}
	out := &stage{rel: a, dims: slices.Clone(finer.dims), values: map[*base]plan.Column{}}
	for i := range out.dims {
		if s.rolls(i) {
			out.dims[i] = plan.Column{}
		}
	}
	a.By = out.groups()
	for _, b := range br.bases {
		at := slices.IndexFunc(o.bases, func(part *base) bool { return part.name == b.name && part.key == b.key })
		if at < 0 || !b.addsUp() {
			return nil, false
		}
		part := o.bases[at]
		out.values[b] = a.Compute(c.numbers, b.called(), part.typ, plan.Again(b.agg, finer.values[part].Ref()))
	}
	return out, len(br.bases) > 0
}
