package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// facts are what a statement says, in an order that does not depend on who read it.
type facts struct{ tables, joins, conditions, aggregates []string }

func (f *facts) String() string {
	for _, list := range [][]string{f.tables, f.joins, f.conditions, f.aggregates} {
		slices.Sort(list)
	}
	return fmt.Sprintf("tables %q, joins %q, conditions %q, aggregates %q", f.tables, slices.Compact(f.joins), slices.Compact(f.conditions), f.aggregates)
}

// dual is the table of no rows that one of the parsers leaves out.
const dual = "dual"

func pair(a, b string) string { return min(a, b) + " = " + max(a, b) }

// number gives equal numbers one spelling.
func number(text string) string {
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return text
}

// textOf writes a text. Backslashes are left out: the reader marks a text with one as not sure.
func textOf(s string) string { return strconv.Quote(strings.ReplaceAll(s, `\`, "")) }

// aggregates are the functions of which both sides list the calls.
var aggregates = strings.Fields(`count sum avg min max stddev stddev_pop stddev_samp variance var_pop var_samp string_agg
	array_agg json_agg jsonb_agg group_concat bool_and bool_or every mode percentile_cont percentile_disc bit_and bit_or bit_xor`)

// operators are those of conditions that both sides list.
var operators = []string{"=", "<>", "<", "<=", ">", ">=", "IN", "LIKE", "ILIKE", "BETWEEN", "IS NULL"}

// origin is the column of a table that a value is from; "" = an expression.
type output struct{ name, origin string }

// source is a relation whose columns were found.
type source struct {
	*relation
	label   string
	outputs []output
	known   bool
}

// scope is what the names of a block may mean.
type scope struct {
	sources []*source
	item    int // that is being visited; -1 = none
	merged  []string
	block   *block
	around  *scope
}

// finder finds the facts of a tree.
type finder struct {
	facts
	schema map[string][]string
}

// query returns the columns of a query; known = all of them are.
func (f *finder) query(q *query, env map[string]*result, around *scope) *result {
	inner := make(map[string]*result, len(env))
	for name, r := range env {
		inner[name] = r
	}
	for _, l := range q.with {
		if q.recursive {
			inner[l.name] = (&result{}).renamed(l.columns)
		}
		inner[l.name] = f.query(l.query, inner, around).renamed(l.columns)
	}
	var all *result
	take := func(r *result) {
		if all == nil {
			all = r
			return
		}
		joined := &result{known: all.known}
		for i, o := range all.outputs {
			if !r.known || i >= len(r.outputs) || r.outputs[i].origin != o.origin {
				o.origin = ""
			}
			joined.outputs = append(joined.outputs, o)
		}
		all = joined
	}
	for _, n := range q.nested {
		take(f.query(n, inner, around))
	}
	for _, b := range q.branches {
		take(f.block(b, inner, around))
	}
	if all == nil {
		all = &result{}
	}
	return all
}

type result struct {
	outputs []output
	known   bool
}

func (r *result) renamed(names []string) *result {
	if len(names) == 0 {
		return r
	}
	n := &result{known: true, outputs: slices.Clone(r.outputs)}
	for i, name := range names {
		if i < len(n.outputs) {
			n.outputs[i].name = name
		} else {
			n.outputs = append(n.outputs, output{name: name})
		}
	}
	return n
}

func (f *finder) block(b *block, env map[string]*result, around *scope) *result {
	s := &scope{block: b, around: around, item: -1}
	for _, r := range b.relations {
		s.sources = append(s.sources, f.relation(r, env, around))
	}
	for _, j := range b.joins {
		f.merge(s, j)
	}
	for _, j := range b.joins {
		f.conjuncts(s, j.on)
		f.visit(s, env, j.on)
	}
	f.conjuncts(s, b.where)
	f.visit(s, env, b.where)
	for i := range b.items {
		s.item = i
		f.visit(s, env, b.items[i].value)
	}
	s.item = -1
	for _, n := range b.rest {
		f.visit(s, env, n)
	}
	for _, r := range b.relations {
		for _, n := range r.args {
			f.visit(s, env, n)
		}
	}
	return s.result()
}

func (f *finder) relation(r *relation, env map[string]*result, around *scope) *source {
	s := &source{relation: r, label: r.alias}
	switch {
	case r.query != nil:
		of := f.query(r.query, env, around).renamed(r.columns)
		s.outputs, s.known = of.outputs, of.known
	case r.function:
	default:
		last := r.path[len(r.path)-1]
		if s.label == "" {
			s.label = last
		}
		if of := env[last]; of != nil && len(r.path) == 1 {
			of = of.renamed(r.columns)
			s.outputs, s.known = of.outputs, of.known
			return s
		}
		if last != dual {
			f.tables = append(f.tables, last)
		}
		if columns, known := f.schema[last]; known {
			s.known = true
			for _, c := range columns {
				s.outputs = append(s.outputs, output{c, last + "." + c})
			}
		}
	}
	return s
}

// merge adds the equalities of USING and NATURAL.
func (f *finder) merge(s *scope, j join) {
	names := j.using
	if j.natural {
		for _, right := range s.sources[j.begin:j.end] {
			for _, o := range right.outputs {
				if slices.ContainsFunc(s.sources[j.first:j.begin], func(l *source) bool { return l.find(o.name) != nil }) {
					names = append(names, o.name)
				}
			}
		}
	}
	for _, name := range names {
		s.merged = append(s.merged, name)
		left, right := first(s.sources[j.first:j.begin], name), first(s.sources[j.begin:j.end], name)
		if left != "" && right != "" {
			f.joins = append(f.joins, pair(left, right))
		}
	}
}

func first(sources []*source, name string) string {
	for _, s := range sources {
		if o := s.find(name); o != nil {
			return s.of(o)
		}
	}
	if len(sources) == 1 && !sources[0].known {
		return sources[0].label + "." + name
	}
	return ""
}

func (s *source) find(name string) *output {
	for i := range s.outputs {
		if s.outputs[i].name == name {
			return &s.outputs[i]
		}
	}
	return nil
}

// of returns what stands for a column: the column of a table, else that of the relation.
func (s *source) of(o *output) string {
	if o.origin != "" {
		return o.origin
	}
	return s.label + "." + o.name
}

// resolve returns what stands for a name, and its relation; "" = it is no column, or not known.
func (s *scope) resolve(name []string) (text string, of *source, outer bool) {
	last := name[len(name)-1]
	if len(name) > 1 {
		for at := s; at != nil; at = at.around {
			for _, one := range at.sources {
				if one.label != name[len(name)-2] {
					continue
				}
				if o := one.find(last); o != nil {
					return one.of(o), one, at != s
				}
				if one.known {
					return "", nil, false
				}
				return one.label + "." + last, one, at != s
			}
		}
		return "", nil, false
	}
	for at := s; at != nil; at = at.around {
		var found, open []*source
		for _, one := range at.sources {
			if one.find(last) != nil {
				found = append(found, one)
			} else if !one.known {
				open = append(open, one)
			}
		}
		alias := at == s && s.aliased(last)
		switch {
		case alias || len(found) > 1 && !slices.Contains(at.merged, last):
			return "", nil, false
		case len(found) > 0:
			return found[0].of(found[0].find(last)), found[0], at != s
		case len(open) == 1 && open[0].label != last:
			return open[0].label + "." + last, open[0], at != s
		case len(open) > 0:
			return "", nil, false
		}
	}
	return "", nil, false
}

// aliased reports whether another item than the visited one has a name as its alias, and is not the column of that name:
// engines differ in which of the two they mean.
func (s *scope) aliased(name string) bool {
	for at, i := range s.block.items {
		if i.alias == name && at != s.item && !(i.value != nil && i.value.kind == column && i.value.name[len(i.value.name)-1] == name) {
			return true
		}
	}
	return false
}

// conjuncts adds the equalities of two columns of a condition that every row fulfils.
func (f *finder) conjuncts(s *scope, n *node) {
	if n == nil {
		return
	}
	if n.kind == and {
		for _, a := range n.args {
			f.conjuncts(s, a)
		}
		return
	}
	if n.kind != comparison || n.operator != "=" || len(n.args) != 2 || n.args[0].kind != column || n.args[1].kind != column {
		return
	}
	left, a, outerLeft := s.resolve(n.args[0].name)
	right, b, outerRight := s.resolve(n.args[1].name)
	if left != "" && right != "" && a != b && !outerLeft && !outerRight {
		f.joins = append(f.joins, pair(left, right))
	}
}

// visit adds the conditions, aggregates and queries of an expression.
func (f *finder) visit(s *scope, env map[string]*result, n *node) {
	if n == nil {
		return
	}
	switch n.kind {
	case comparison:
		f.condition(s, n)
	case call:
		f.aggregate(s, n)
	}
	if n.query != nil {
		f.query(n.query, env, s)
	}
	for _, a := range n.args {
		f.visit(s, env, a)
	}
}

var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (f *finder) condition(s *scope, n *node) {
	of, values, operator := n.args[0], n.args[1:], n.operator
	if of.kind == literal && len(values) == 1 && mirrored[operator] != "" {
		of, values, operator = values[0], n.args[:1], mirrored[operator]
	}
	if of.kind != column {
		return
	}
	text, _, _ := s.resolve(of.name)
	var literals []string
	for _, v := range values {
		if v.kind == literal && v.text != "" {
			literals = append(literals, v.text)
		}
	}
	if text != "" && (len(literals) > 0 || operator == "IS NULL") {
		f.conditions = append(f.conditions, conditionText(text, operator, n.negated, literals))
	}
}

func conditionText(column, operator string, negated bool, literals []string) string {
	return fmt.Sprintf("%s %t %s %s", column, negated, operator, strings.Join(literals, ","))
}

func (f *finder) aggregate(s *scope, n *node) {
	name := n.name[len(n.name)-1]
	if n.window || !slices.Contains(aggregates, name) || len(n.args) > 1 && extremes(name) {
		return
	}
	var args []string
	for _, a := range n.args {
		switch a.kind {
		case literal:
		case column:
			text, _, _ := s.resolve(a.name)
			args = append(args, text)
		default:
			args = append(args, "…")
		}
	}
	f.aggregates = append(f.aggregates, aggregateText(name, n.distinct, args))
}

// extremes reports whether a function with several arguments is an aggregate to some engines and none to others.
func extremes(name string) bool { return name == "min" || name == "max" }

func aggregateText(name string, distinct bool, args []string) string {
	return fmt.Sprintf("%s %t %s", name, distinct, strings.Join(args, ","))
}

// result returns the columns of a block.
func (s *scope) result() *result {
	r := &result{known: true}
	for _, i := range s.block.items {
		switch {
		case i.all:
			matched := false
			for at, one := range s.sources {
				if i.star != "" && one.label != i.star {
					continue
				}
				matched = true
				if !one.known {
					return &result{}
				}
				for _, o := range one.outputs {
					if at > 0 && i.star == "" && slices.Contains(s.merged, o.name) {
						continue
					}
					r.outputs = append(r.outputs, o)
				}
			}
			if !matched {
				return &result{}
			}
		case i.value != nil && i.value.kind == column:
			o := output{name: i.alias}
			if o.name == "" {
				o.name = i.value.name[len(i.value.name)-1]
			}
			if _, of, _ := s.resolve(i.value.name); of != nil {
				if found := of.find(i.value.name[len(i.value.name)-1]); found != nil {
					o.origin = found.origin
				}
			}
			r.outputs = append(r.outputs, o)
		default:
			name := i.alias
			if name == "" && i.value != nil && i.value.kind == call {
				name = i.value.name[len(i.value.name)-1]
			}
			r.outputs = append(r.outputs, output{name: name})
		}
	}
	return r
}
