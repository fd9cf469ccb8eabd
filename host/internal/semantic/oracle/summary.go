package oracle

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// summarised adds to the groups that are shown the rows that are over several of
// them: what the limit leaves out, subtotals and the total. all are the groups in
// their order, out those that are shown. The last columns of a row say what it is.
func (q *question) summarised(out *Rows, left []Row) (*Rows, error) {
	if !q.Totals && !q.Rest {
		return out, nil
	}
	if len(q.Measures) == 0 || q.Rest && (q.FillGaps || q.IncludeEmpty) || len(q.having) > 0 && (q.FillGaps || q.IncludeEmpty) {
		return nil, refuse(Unspecified, "summaries without measures, or of groups without rows")
	}
	shown := out.All[out.From:out.To]
	sum := &Rows{}
	add := func(values, key []any, total, rest float64) {
		for _, mark := range []struct {
			asked bool
			value float64
		}{{q.Totals, total}, {q.Rest, rest}} {
			if mark.asked {
				values = append(values, mark.value)
			}
		}
		sum.All = append(sum.All, Row{Values: values, Key: append([]any{total, rest}, key...)})
	}
	for _, r := range shown {
		add(slices.Clone(r.Values), r.Key, 0, 0)
	}
	n := len(q.scope.dims)
	if q.Rest {
		kept := make([]bool, n)
		for _, at := range q.per() {
			kept[at] = true
		}
		rows, err := q.over(kept, tuples(left, kept, shown), set(left, n))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			add(r.Values, r.Key, 0, 1)
		}
	}
	for level := n - 1; q.Totals && level >= 0; level-- {
		kept := make([]bool, n)
		for i := range level {
			kept[i] = true
		}
		var only map[string]bool
		if len(q.having) > 0 {
			only = set(slices.Concat(out.All, left), n)
		}
		groups := tuples(shown, kept, shown)
		if level == 0 {
			groups = [][]any{make([]any, n)} // over all, if there are any or not
		}
		rows, err := q.over(kept, groups, only)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			add(r.Values, r.Key, float64(n-level), 0)
		}
	}
	sum.To = len(sum.All)
	return sum, nil
}

// per are the places of the dimensions that groups are limited per.
func (q *question) per() (all []int) {
	if q.LimitPer != nil {
		for _, by := range q.LimitPer.By {
			all = append(all, q.place(by))
		}
	}
	return all
}

// first parts sorted groups into those that the limit per group keeps and the others.
func (q *question) first(all []Row) (kept, left []Row, err error) {
	if q.LimitPer == nil && !q.Rest {
		return all, nil, nil
	}
	n := q.Limit
	if n == 0 {
		n = request.DefaultLimit
	}
	if q.LimitPer != nil {
		n = q.LimitPer.N
	}
	switch per := q.per(); {
	case len(q.OrderBy) == 0:
		return nil, nil, refuse(refusal.CodeInvalidRequest, "the first groups of no order")
	case q.Rest && q.Offset > 0, q.LimitPer != nil && len(per) >= len(q.scope.dims), len(q.scope.dims) == 0:
		return nil, nil, refuse(refusal.CodeInvalidRequest, "nothing is left out, or at both ends")
	case slices.ContainsFunc(per, func(at int) bool { return at < 0 || at >= len(q.scope.dims) }):
		return nil, nil, refuse(refusal.CodeInvalidRequest, "limit_per of what is no dimension")
	}
	count := map[string]int{}
	for _, r := range all {
		var group []any
		for _, at := range q.per() {
			group = append(group, r.Values[at])
		}
		if key := keyOf(group...); count[key] < n {
			count[key]++
			kept = append(kept, r)
		} else {
			left = append(left, r)
		}
	}
	return kept, left, nil
}

// set are the groups of rows.
func set(rows []Row, n int) map[string]bool {
	all := map[string]bool{}
	for _, r := range rows {
		all[keyOf(r.Values[:n]...)] = true
	}
	return all
}

// tuples are what rows have of the dimensions that are kept, where one of the groups
// that are shown has it too; NULL stands for the others.
func tuples(rows []Row, kept []bool, shown []Row) (all [][]any) {
	part := func(r Row) []any {
		tuple := make([]any, len(kept))
		for i := range kept {
			if kept[i] {
				tuple[i] = r.Values[i]
			}
		}
		return tuple
	}
	there, seen := map[string]bool{}, map[string]bool{}
	for _, r := range shown {
		there[keyOf(part(r)...)] = true
	}
	for _, r := range rows {
		t := part(r)
		if key := keyOf(t...); there[key] && !seen[key] {
			seen[key] = true
			all = append(all, t)
		}
	}
	return all
}

// over are the rows of the request for coarser groups: the dimensions that are not
// kept are rolled up, and only rows of some of the groups count; nil = all.
func (q *question) over(kept []bool, groups [][]any, only map[string]bool) ([]Row, error) {
	sub := *q
	sub.columns, sub.measures = nil, map[string]*column{}
	sub.scope.dims = slices.Clone(q.scope.dims)
	for i := range kept {
		sub.scope.dims[i].dropped = !kept[i]
	}
	if only != nil {
		n := len(kept)
		sub.scope.only = func(tuple []any) bool { return only[keyOf(tuple[:n]...)] }
		sub.scope.conditional = len(q.having) > 0
	}
	if err := sub.shown(); err != nil {
		return nil, err
	}
	if err := sub.hidden(); err != nil {
		return nil, err
	}
	sub.having = nil
	domain := map[string][]any{}
	for _, g := range groups {
		domain[keyOf(g...)] = g
	}
	return sub.sorted(domain)
}
