package statement

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk/dialect"
)

// build writes a relation as a SELECT whose tables take their aliases from aliases.
func (w *writer) build(r plan.Relation, aliases names) (*block, error) {
	if err := w.ended(); err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *plan.Scan:
		if w.optional && w.d.Forms[dialect.Nullable] != "" {
			return w.nullable(r, aliases)
		}
		return w.scan(r, aliases), nil
	case *plan.Shared:
		return w.reference(r, aliases)
	case *plan.Spine:
		return w.spine(r, aliases)
	case *plan.Filter:
		return w.filter(r, aliases)
	case *plan.Join:
		return w.join(r, aliases)
	case *plan.Project:
		return w.project(r, aliases)
	case *plan.Aggregate:
		return w.aggregate(r, aliases)
	case *plan.Window:
		return w.window(r, aliases)
	case *plan.Union:
		return w.union(r, aliases)
	case *plan.Sort:
		return w.sort(r, aliases)
	}
	return nil, broken("a relation has no form")
}

// input is build for what needs a block in some state.
func (w *writer) input(r plan.Relation, aliases names, fits func(*block) bool) (*block, error) {
	b, err := w.build(r, aliases)
	if err != nil || fits(b) {
		return b, err
	}
	return b.wrap(aliases)
}

func (w *writer) scan(s *plan.Scan, aliases names) *block {
	b := w.newBlock()
	b.hint, b.of = s.Table.Name, s
	alias := w.quote(w.alias(aliases, s.Table.Name))
	b.from, b.scans[s] = w.table(s.Table, alias), alias
	for _, f := range s.Fields {
		b.texts[f.ID] = alias + "." + w.quote(f.Physical)
		b.physical[strings.ToLower(f.Physical)] = true
	}
	return b
}

// reference reads a shared relation, which is written before the first one.
func (w *writer) reference(s *plan.Shared, aliases names) (*block, error) {
	known, ok := w.shared[s]
	if !ok {
		inner, err := w.build(s.In, w.scope())
		if err != nil {
			return nil, err
		}
		text, called, err := inner.query("\n  ")
		if err != nil {
			return nil, err
		}
		known = &cte{w.unique(w.taken, s.Name, nil), called}
		w.shared[s] = known
		w.ctes = append(w.ctes, w.quote(known.name)+" AS (\n  "+text+"\n)")
		w.length += len(text)
	}
	return w.from(w.quote(known.name), s, known.name, known.names, aliases), nil
}

// spine lists periods by the dialect's own query.
func (w *writer) spine(s *plan.Spine, aliases names) (*block, error) {
	form, texts := dialect.Spine(s.Grain), map[string]string{}
	if over := dialect.SpineOver(s.Grain); s.Ends != nil && w.d.Forms[over] != "" {
		form = over
	}
	ends, err := w.ends(s, form)
	if err != nil {
		return nil, err
	}
	texts["ends"] = ends.from
	for name, x := range map[string]expression.Node{"from": s.From, "to": s.To} {
		if texts[name], err = ends.printer().Operand(x); err != nil {
			return nil, err
		}
	}
	text, ok := w.d.Expand(form, texts)
	if !ok {
		return nil, w.unsupported("listing periods of a "+string(s.Grain), "leave fill_gaps out, and measures that add up over time")
	}
	b := w.newBlock()
	b.hint, b.of = "periods", s
	alias := w.quote(w.alias(aliases, b.hint))
	b.from = "(" + text + ") AS " + alias
	b.texts[s.Out.ID] = alias + ".period"
	return b, nil
}

// ends writes what the ends of periods are read from: a table, or a subquery for each
// end where the form has no place for a table.
func (w *writer) ends(s *plan.Spine, form dialect.Form) (*block, error) {
	out := w.newBlock()
	if s.Ends == nil {
		return out, nil
	}
	inner, err := w.build(s.Ends, w.scope())
	if err != nil {
		return nil, err
	}
	if inner.captures(s.Ends.Columns()) {
		if inner, err = inner.wrap(w.scope()); err != nil {
			return nil, err
		}
	}
	if form == dialect.SpineOver(s.Grain) {
		inner.hint = "ends"
		return inner.wrap(w.scope())
	}
	for _, c := range s.Ends.Columns() {
		if !w.used[c.ID] {
			continue
		}
		items, err := inner.items([]plan.Column{c}, nil)
		if err != nil {
			return nil, err
		}
		text, err := inner.selected(items, " ")
		if err != nil {
			return nil, err
		}
		out.texts[c.ID] = "(" + text + ")"
	}
	return out, nil
}

func (w *writer) filter(f *plan.Filter, aliases names) (*block, error) {
	terms := expression.Conjuncts(f.Cond)
	b, err := w.input(f.In, aliases, func(b *block) bool { return !b.closed() && !(b.grouped && b.split(terms)) })
	if err != nil {
		return nil, err
	}
	if b.grouped {
		b.having = append(b.having, terms...)
	} else {
		b.where = append(b.where, terms...)
	}
	return b, nil
}

// project computes values where they are read, so that they need no SELECT of their
// own.
func (w *writer) project(p *plan.Project, aliases names) (*block, error) {
	b, err := w.input(p.In, aliases, func(b *block) bool {
		if b.sorted && !b.windowed && renames(p) {
			return true
		}
		return !b.closed() && !(b.grouped && (p.Distinct || b.split(expressions(p.Values)) || b.loses(p.Values)))
	})
	if err != nil {
		return nil, err
	}
	for _, v := range p.Values {
		if c, ok := v.X.(*expression.Column); !ok || c.ID != v.ID {
			b.values[v.ID] = v.X
		}
		if b.marked(v.X) {
			b.marks[v.ID] = true
		}
	}
	b.of, b.distinct = p, p.Distinct
	if p.Whole != nil {
		if b.scans[p.Whole] == "" {
			return nil, broken("a table is not where all its columns are asked for")
		}
		b.whole = b.scans[p.Whole] + ".*"
	}
	return b, nil
}

// renames reports whether a projection only leaves columns out.
func renames(p *plan.Project) bool {
	return !p.Distinct && p.Whole == nil && !slices.ContainsFunc(p.Values, func(v plan.Value) bool {
		c, ok := v.X.(*expression.Column)
		return !ok || c.ID != v.ID
	})
}

// split reports whether an expression is made of more than a computed key of the
// groups: not every engine finds the key in it again.
func (b *block) split(all []expression.Node) bool {
	return slices.ContainsFunc(all, func(x expression.Node) bool {
		_, alone := x.(*expression.Column)
		return !alone && expression.AnyColumn(x, func(c *expression.Column) bool {
			return slices.Contains(b.by, c.ID) && b.origin(c.ID) != nil
		})
	})
}

// loses reports whether no value would say that the block is one row of all.
func (b *block) loses(values []plan.Value) bool {
	return len(b.by) == 0 && !slices.ContainsFunc(values, func(v plan.Value) bool {
		return expression.AnyColumn(v.X, func(*expression.Column) bool { return true })
	})
}

func expressions(values []plan.Value) []expression.Node {
	all := make([]expression.Node, len(values))
	for i, v := range values {
		all[i] = v.X
	}
	return all
}

func (w *writer) aggregate(a *plan.Aggregate, aliases names) (*block, error) {
	b, err := w.input(a.In, aliases, func(b *block) bool { return b.open() && b.groups(a) })
	if err != nil {
		return nil, err
	}
	b.grouped, b.many, b.by = true, a.Many, a.By
	for _, v := range a.Values {
		b.values[v.ID] = v.X
	}
	b.of = a
	return b, nil
}

// groups reports whether the block can be grouped as it is: by columns, or by
// expressions where the engine finds them again in the order; without subqueries in
// what is grouped or aggregated.
func (b *block) groups(a *plan.Aggregate) bool {
	once := strings.Count(b.w.d.Forms[dialect.AscNullsLast], "{x}") == 1
	for _, id := range a.By {
		x := b.origin(id)
		if b.marked(expression.NewColumn(id, 0)) || x != nil && (!once || b.constant(x)) {
			return false
		}
	}
	return !slices.ContainsFunc(a.Values, func(v plan.Value) bool { return b.marked(v.X) })
}

func (w *writer) window(p *plan.Window, aliases names) (*block, error) {
	b, err := w.input(p.In, aliases, func(b *block) bool { return b.open() })
	if err != nil {
		return nil, err
	}
	b.of = p
	for _, v := range p.Values {
		if !w.used[v.ID] {
			continue
		}
		if b.texts[v.ID], err = b.over(v); err != nil {
			return nil, err
		}
		b.windowed = true
	}
	return b, nil
}

// over writes a window value.
func (b *block) over(v plan.WindowValue) (string, error) {
	x, over := "", []string{}
	if v.X != nil {
		var err error
		if x, err = b.printer().Value(v.X); err != nil {
			return "", err
		}
	}
	if len(v.Partition) > 0 {
		keys := make([]string, len(v.Partition))
		for i, k := range v.Partition {
			var err error
			if keys[i], err = b.printer().Value(k); err != nil {
				return "", err
			}
		}
		over = append(over, "PARTITION BY "+strings.Join(keys, ", "))
	}
	if len(v.By) > 0 {
		order, err := (&block{w: b.w, texts: b.texts, values: b.values, order: v.By}).orderBy()
		if err != nil {
			return "", err
		}
		over = append(over, "ORDER BY "+order)
	}
	switch {
	case v.Last > 0:
		rows, ok := b.w.d.Expand(dialect.LastRows(v.X.Type().String()), map[string]string{"n": strconv.Itoa(v.Last - 1)})
		if !ok {
			return "", broken("a frame that the dialect has no form for")
		}
		over = append(over, rows)
	case v.Frame != plan.WholeFrame:
		over = append(over, string(v.Frame))
	}
	return string(v.Function) + "(" + x + ") OVER (" + strings.Join(over, " ") + ")", nil
}

func (w *writer) sort(s *plan.Sort, aliases names) (*block, error) {
	b, err := w.input(s.In, aliases, func(b *block) bool {
		return !b.distinct && !b.sorted && b.whole == "" && !b.captures(w.root)
	})
	if err != nil {
		return nil, err
	}
	if s.Limit == 0 && s.Offset > 0 {
		return nil, broken("rows are left out at the start without a limit")
	}
	b.order, b.limit, b.offset, b.sorted = s.By, s.Limit, s.Offset, true
	return b, nil
}
