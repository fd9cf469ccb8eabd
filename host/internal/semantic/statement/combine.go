package statement

import (
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

var joinWords = map[plan.JoinKind]string{plan.Inner: "JOIN", plan.Left: "LEFT JOIN", plan.Cross: "CROSS JOIN"}

func (w *writer) join(j *plan.Join, aliases names) (*block, error) {
	l, err := w.input(j.L, aliases, (*block).open)
	if err != nil {
		return nil, err
	}
	r, err := w.partner(j, l, aliases)
	if err != nil {
		return nil, err
	}
	both := l
	if j.Kind == plan.Mark { // what it joins is seen by its condition alone
		both = &block{w: w, texts: maps.Clone(l.texts), values: maps.Clone(l.values)}
	}
	maps.Copy(both.texts, r.texts)
	maps.Copy(both.values, r.values)
	if j.Kind == plan.Mark {
		condition, err := both.printer().Predicate(expression.Conjoin(append(slices.Clone(r.where), expression.Conjuncts(j.On)...)...))
		if err != nil {
			return nil, err
		}
		l.texts[j.Mark.ID] = "(EXISTS (SELECT 1 FROM " + r.from + " WHERE " + condition + "))"
		l.marks[j.Mark.ID] = true
		l.of = j
		return l, nil
	}
	l.from += " " + joinWords[j.Kind] + " " + r.from
	if j.On != nil {
		on, err := both.printer().Predicate(j.On)
		if err != nil {
			return nil, err
		}
		l.from += " ON " + on
	}
	l.joined = true
	l.where = append(l.where, r.where...)
	maps.Copy(l.physical, r.physical)
	maps.Copy(l.marks, r.marks)
	maps.Copy(l.scans, r.scans)
	l.of = j
	return l, nil
}

// partner writes the right side of a join as one table, or the rows of an EXISTS.
func (w *writer) partner(j *plan.Join, l *block, aliases names) (*block, error) {
	if s, ok := j.R.(*plan.Scan); ok && j.Kind != plan.Cross && w.d.Forms[dialect.Nullable] != "" {
		return w.nullable(s, aliases)
	}
	if before := w.optional; j.Kind == plan.Mark {
		w.optional = true
		defer func() { w.optional = before }()
	}
	return w.input(j.R, aliases, func(b *block) bool {
		switch {
		case !b.open() || b.meets(l) && !b.renamed():
			return false
		case j.Kind == plan.Mark:
			return true
		}
		return !b.joined && (len(b.where) == 0 || j.Kind == plan.Inner) && (len(b.values) == 0 || j.Kind != plan.Left)
	})
}

// meets reports whether two blocks read one shared relation: a column of it is not the
// same value in both.
func (b *block) meets(o *block) bool {
	for id := range b.texts {
		if _, both := o.texts[id]; both {
			return true
		}
	}
	return false
}

// renamed gives a block the columns of its table under their new numbers alone, and
// reports whether it has nothing else.
func (b *block) renamed() bool {
	texts := map[int]string{}
	for _, c := range b.of.Columns() {
		if _, computed := b.values[c.ID]; !computed || b.origin(c.ID) != nil {
			return false
		}
		id := c.ID
		for b.values[id] != nil {
			id = b.values[id].(*expression.Column).ID
		}
		texts[c.ID] = b.texts[id]
	}
	if len(b.where) > 0 {
		return false
	}
	b.texts, b.values = texts, map[int]expression.Node{}
	return true
}

// nullable reads a table whose columns an outer join leaves open, in an engine that
// fills them with defaults unless they can be NULL. Tables of inner joins are read in
// the same way: one of them takes a table that is named like an alias for what the
// alias stands for.
func (w *writer) nullable(s *plan.Scan, aliases names) (*block, error) {
	inner := w.scan(s, names{})
	called := map[int]string{}
	var items []string
	for _, f := range s.Fields {
		if !w.used[f.ID] {
			continue
		}
		x, ok := w.d.Expand(dialect.Nullable, map[string]string{"x": inner.texts[f.ID]})
		if !ok {
			return nil, w.unsupported("an outer join", "ask for fields of one source")
		}
		items = append(items, x+" AS "+w.quote(f.Physical))
		called[f.ID] = f.Physical
	}
	text, err := inner.selected(items, " ")
	b := w.from("("+text+")", s, s.Table.Name, called, aliases)
	b.physical = inner.physical
	return b, err
}

// union writes its inputs below each other.
func (w *writer) union(u *plan.Union, aliases names) (*block, error) {
	var used []plan.UnionColumn
	called, inside := map[int]string{}, names{}
	for _, c := range u.Out {
		if w.used[c.ID] {
			used = append(used, c)
			called[c.ID] = w.unique(inside, c.Name, nil)
		}
	}
	var parts []string
	for i, in := range u.In {
		inner, err := w.build(in, w.scope())
		if err != nil {
			return nil, err
		}
		if inner.sorted || inner.distinct || inner.captures(given(used, called, i)) {
			if inner, err = inner.wrap(w.scope()); err != nil {
				return nil, err
			}
		}
		var items []string
		for _, c := range used {
			var text string
			if c.From[i] != 0 {
				text, err = inner.text(c.From[i])
			} else {
				text, err = w.null(u, c)
			}
			if err != nil {
				return nil, err
			}
			items = append(items, text+" AS "+w.quote(called[c.ID]))
		}
		text, err := inner.selected(items, " ")
		if err != nil {
			return nil, err
		}
		parts = append(parts, text)
	}
	return w.from("("+strings.Join(parts, "\nUNION ALL ")+")", u, "parts", called, aliases), nil
}

// given are the columns that an input of a union gives, under the union's names.
func given(used []plan.UnionColumn, called map[int]string, input int) (all []plan.Column) {
	for _, c := range used {
		if id := c.From[input]; id != 0 {
			all = append(all, plan.Column{ID: id, Name: called[c.ID]})
		}
	}
	return all
}

// null writes a NULL of a column's type; of one that nobody knows, that of another
// input's column. What a file calls a number may be a float: an engine that has no
// type for both, and none for decimals of any scale, needs the column too.
func (w *writer) null(u *plan.Union, c plan.UnionColumn) (string, error) {
	b := w.newBlock()
	if c.Type != sdk.TypeUnspecified && (c.Type != sdk.TypeDecimal || w.d.Forms[dialect.Nullable] == "") {
		return b.printer().Value(&expression.Cast{X: expression.Null(), To: c.Type})
	}
	for i, id := range c.From {
		s, ok := u.In[i].(*plan.Shared)
		if id == 0 || !ok {
			continue
		}
		like, err := w.reference(s, w.scope())
		if err != nil {
			return "", err
		}
		return "(SELECT MAX(" + like.texts[id] + ") FROM " + like.from + " WHERE 1 = 0)", nil
	}
	return "NULL", nil
}
