package oracle

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// domain are the groups that are shown: those of every measure together.
func (q *question) domain() (map[string][]any, error) {
	whole := &column{domain: map[string][]any{}}
	for _, c := range q.columns {
		whole.union(c)
	}
	for _, c := range q.measures {
		whole.union(c)
	}
	if len(q.columns) == 0 {
		members, err := q.members(false)
		if err != nil && len(q.measures) > 0 {
			return nil, refuse(Unspecified, "dimensions that only a measure brings together, which is not shown")
		}
		if err != nil {
			return nil, err
		}
		whole.union(&column{domain: members})
	}
	if q.IncludeEmpty && len(q.scope.dims) > 0 {
		members, err := q.members(true)
		if err != nil {
			return nil, err
		}
		whole.union(&column{domain: members})
	}
	if q.FillGaps {
		return q.filled(whole.domain)
	}
	return whole.domain, nil
}

// members are the groups that the sources of the dimensions have by themselves.
// Of the conditions, only those that are about the members count: those on what
// each of them has one of. lenient leaves the others out instead of refusing.
func (q *question) members(lenient bool) (map[string][]any, error) {
	home, err := q.memberSource()
	if err != nil {
		return nil, err
	}
	s := q.scope
	if lenient {
		s.rows, s.segments, s.ranges = nil, nil, nil
		for _, term := range q.scope.rows {
			if f, err := q.world.bind(home, term); err == nil && !finer(f) {
				s.rows = append(s.rows, term)
			}
		}
		if len(q.scope.segments) > 0 || len(q.scope.ranges) > 0 {
			return nil, refuse(Unspecified, "empty members under segments and ranges")
		}
	}
	l, err := q.world.viewOf(home, s)
	if err != nil {
		return nil, err
	}
	g, err := l.group(nil, nil)
	if err != nil {
		return nil, err
	}
	return g.domain, nil
}

func finer(s *scoped) bool {
	for _, p := range s.places {
		if p.downs() > 0 {
			return true
		}
	}
	return false
}

// memberSource is the source of a dimension from which all of them are to-one.
func (q *question) memberSource() (model.SourceID, error) {
	var homes []model.SourceID
	for _, d := range q.Dimensions {
		if d.Measure != "" || len(d.Via) > 0 {
			return 0, refuse(Unspecified, "members of %s", d.Name)
		}
		fields := []string{d.Field}
		if d.Expr != "" {
			tree, err := expression.ParseValue(d.Expr)
			if err != nil || q.IncludeEmpty {
				return 0, refuse(Unspecified, "members of %s", d.Expr)
			}
			fields = nil
			for _, n := range expression.Names(tree) {
				fields = append(fields, n.String())
			}
		}
		for _, field := range fields {
			names, err := parts(field)
			if err != nil {
				return 0, err
			}
			members, err := q.world.model.Lookup(model.Metrics, names...)
			if err != nil {
				return 0, lookupRefusal(err)
			}
			home := members[0].Source
			if len(members[0].Via) > 1 {
				return 0, refuse(Unspecified, "members of %s, which has a role", field)
			}
			fits := !slices.ContainsFunc(q.scope.dims, func(o dimension) bool {
				_, all, err := q.world.places(home, o)
				return err != nil || slices.ContainsFunc(all, func(p place) bool { return p.downs() > 0 })
			})
			if fits && !slices.Contains(homes, home) {
				homes = append(homes, home)
			}
		}
	}
	if len(homes) != 1 {
		return 0, refuse(Unspecified, "members of %d sources", len(homes))
	}
	return homes[0], nil
}

// filled adds every period from the first to the last one, each with the
// combinations of the other dimensions that occur in some group.
func (q *question) filled(domain map[string][]any) (map[string][]any, error) {
	at := -1
	for i, d := range q.scope.dims {
		switch {
		case d.grain == "":
		case at >= 0:
			return nil, refuse(Unspecified, "gaps of two time dimensions")
		default:
			at = i
		}
	}
	if at < 0 {
		return nil, refuse(refusal.CodeGranularity, "there is no time dimension to fill")
	}
	others := map[string][]any{}
	if len(q.scope.dims) == 1 {
		others[keyOf()] = []any{} // a period without any group is shown too
	}
	first, last := "", ""
	for _, tuple := range domain {
		other := slices.Delete(slices.Clone(tuple), at, at+1)
		others[keyOf(other...)] = other
		if p, ok := tuple[at].(string); ok {
			if first == "" || p < first {
				first = p
			}
			last = max(last, p)
		}
	}
	first, last, err := q.limited(at, first, last)
	if err != nil {
		return nil, err
	}
	for _, p := range q.world.periodsIn(q.scope.dims[at].grain, first, last) {
		for _, other := range others {
			tuple := slices.Insert(slices.Clone(other), at, any(p))
			domain[keyOf(tuple...)] = tuple
		}
	}
	return domain, nil
}

// limited are the first and the last period that a range of the dimension says, as
// far as there is one.
func (q *question) limited(at int, first, last string) (string, string, error) {
	d := q.scope.dims[at]
	for _, r := range q.scope.ranges {
		about := 0
		for _, m := range q.Measures {
			id, err := q.measureID(m.Name)
			if err != nil || len(q.scope.ranges) > 1 {
				return "", "", refuse(Unspecified, "gaps at the ends of several ranges, or beside an expression")
			}
			if d.axis != r.axis && len(q.world.times(id)) > 1 {
				return "", "", refuse(Unspecified, "gaps of metric_time at the ends of a range of a field")
			}
			same := false
			simple := q.world.simpleOf(id)
			err = q.world.timed(simple, func() error {
				p, errP := d.find(simple.Home)
				o, errO := r.find(simple.Home)
				same = errP == nil && errO == nil && p.equal(o)
				return nil
			})
			if err != nil {
				return "", "", err
			}
			if same {
				about++
			}
		}
		switch {
		case about == 0 && len(q.Measures) > 0:
			continue
		case about < len(q.Measures) || len(q.Measures) == 0:
			return "", "", refuse(Unspecified, "gaps at the ends of a range that is not about every measure")
		}
		if r.from != "" {
			first = q.world.firstFrom(d.grain, r.from)
		}
		if r.before != "" {
			last = q.world.lastBefore(d.grain, r.before)
		}
	}
	return first, last, nil
}

// rows are those of groups that are shown.
func (q *question) rows(domain map[string][]any) (*Rows, error) {
	all, err := q.sorted(domain)
	if err != nil {
		return nil, err
	}
	out := &Rows{}
	var left []Row
	if out.All, left, err = q.first(all); err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit == 0 {
		limit = request.DefaultLimit
	}
	out.From = min(q.Offset, len(out.All))
	out.To = min(out.From+limit, len(out.All))
	return q.summarised(out, left)
}

// sorted makes the rows of groups, drops those that conditions on measures do not
// hold for, and sorts them: by the order, and then by the dimensions.
func (q *question) sorted(domain map[string][]any) ([]Row, error) {
	var all []Row
	for _, tuple := range domain {
		kept, err := q.kept(tuple)
		if err != nil {
			return nil, err
		}
		if !kept {
			continue
		}
		r := Row{Values: slices.Clone(tuple)}
		for _, c := range q.columns {
			r.Values = append(r.Values, c.at(tuple))
		}
		for _, o := range q.OrderBy {
			if at := q.place(o.Field); at >= 0 {
				r.Key = append(r.Key, q.called(r.Values)[at])
			} else {
				r.Key = append(r.Key, q.measures[o.Field].at(tuple))
			}
		}
		all = append(all, r)
	}
	n := len(q.scope.dims)
	slices.SortFunc(all, func(a, b Row) int {
		if c := q.order(a.Key, b.Key); c != 0 {
			return c
		}
		return ascending(q.called(a.Values)[:n], q.called(b.Values)[:n])
	})
	return all, nil
}

// called are the values of a row with the periods of calendars as they are called.
func (q *question) called(values []any) []any {
	values = slices.Clone(values)
	for i, d := range q.scope.dims {
		values[i] = q.world.shownAs(d.grain, values[i])
	}
	return values
}

// ascending compares values one after the other, NULL last.
func ascending(a, b []any) int {
	for i := range a {
		switch {
		case a[i] == nil && b[i] == nil:
			continue
		case a[i] == nil:
			return 1
		case b[i] == nil:
			return -1
		}
		if c := compareValues(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func (q *question) kept(tuple []any) (bool, error) {
	for _, term := range q.having {
		term, err := expression.Check(term, unknownTypes)
		if err != nil {
			return false, refuse(refusal.CodeInvalidExpression, "%v", err)
		}
		if (env{name: func(n *expression.Name) any { return q.measures[n.String()].at(tuple) }}).eval(term) != true {
			return false, nil
		}
	}
	return true, nil
}

// order compares keys; NULL comes last in both directions unless it is to come
// first.
func (q *question) order(a, b []any) int {
	for i, o := range q.OrderBy {
		x, y := a[i], b[i]
		var c int
		switch {
		case x == nil && y == nil:
			continue
		case x == nil || y == nil:
			if c = 1; (x == nil) == (o.Nulls == request.NullsFirst) {
				c = -1
			}
		default:
			if c = compareValues(x, y); o.Desc {
				c = -c
			}
		}
		if c != 0 {
			return c
		}
	}
	return 0
}
