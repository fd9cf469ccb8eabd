package statement

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk/dialect"
)

// block is one SELECT while it is put together.
type block struct {
	w      *writer
	prints *expression.Printer
	// of is the relation that is written so far.
	of plan.Relation
	// hint is what its rows are called.
	hint string

	from string
	// joined: from has more than one table.
	joined bool
	where  []expression.Node
	by     []int
	having []expression.Node
	order  []plan.Order
	limit  int
	offset int

	grouped, distinct, windowed, sorted bool
	many                                bool // groups, as plan.Aggregate says
	// whole is written among the columns: "o".*
	whole string

	// texts are the columns of FROM, values are computed from them; marks are values
	// that have a subquery.
	texts  map[int]string
	values map[int]expression.Node
	marks  map[int]bool
	// scans are the aliases of tables.
	scans map[*plan.Scan]string
	// physical are the names of the tables' columns, in lower case.
	physical map[string]bool
}

func (w *writer) newBlock() *block {
	return &block{w: w, texts: map[int]string{}, values: map[int]expression.Node{}, marks: map[int]bool{},
		scans: map[*plan.Scan]string{}, physical: map[string]bool{}}
}

// open reports whether more tables can be joined to the block.
func (b *block) open() bool { return !b.grouped && !b.closed() }

// closed reports whether the block's columns can only be shown as they are.
func (b *block) closed() bool { return b.distinct || b.windowed || b.sorted || b.whole != "" }

// printer writes expressions over the columns of the block.
func (b *block) printer() *expression.Printer {
	if b.prints == nil {
		b.prints = &expression.Printer{Dialect: b.w.d, Column: b.column, Name: unresolved}
	}
	return b.prints
}

func unresolved(n *expression.Name) (string, error) {
	return "", broken("the name " + n.String() + " was not resolved")
}

func (b *block) column(c *expression.Column) (string, error) {
	if text, ok := b.texts[c.ID]; ok {
		return text, nil
	}
	if x, ok := b.values[c.ID]; ok {
		return b.printer().Operand(x)
	}
	return "", broken("there is no column " + strconv.Itoa(c.ID))
}

// text writes a column of the block.
func (b *block) text(id int) (string, error) {
	if x, ok := b.values[id]; ok {
		return b.printer().Value(x)
	}
	return b.column(expression.NewColumn(id, 0))
}

// marked reports whether an expression is made of a subquery.
func (b *block) marked(n expression.Node) bool {
	return expression.AnyColumn(n, func(c *expression.Column) bool {
		x, computed := b.values[c.ID]
		return b.marks[c.ID] || computed && b.marked(x)
	})
}

// origin is what a column is computed from, through all its names; nil = it is one of
// a table.
func (b *block) origin(id int) expression.Node {
	for {
		x, computed := b.values[id]
		if !computed {
			return nil
		}
		c, renamed := x.(*expression.Column)
		if !renamed {
			return x
		}
		id = c.ID
	}
}

// constant reports whether a value is made of no column.
func (b *block) constant(n expression.Node) bool {
	return !expression.AnyColumn(n, func(c *expression.Column) bool {
		x, computed := b.values[c.ID]
		return !computed || !b.constant(x)
	})
}

// items writes columns for a SELECT under their names, or those that names gives.
func (b *block) items(columns []plan.Column, names map[int]string) ([]string, error) {
	var all []string
	for _, c := range columns {
		text, err := b.text(c.ID)
		if err != nil {
			return nil, err
		}
		name := c.Name
		if names != nil {
			name = names[c.ID]
		}
		all = append(all, text+" AS "+b.w.quote(name))
	}
	if b.whole != "" {
		all = append(all, b.whole)
	}
	return all, nil
}

// captures reports whether a column of the result would be called as a column of a
// table that it is not: some engines read it where the table's is meant.
func (b *block) captures(columns []plan.Column) bool {
	return slices.ContainsFunc(columns, func(c plan.Column) bool {
		return b.physical[strings.ToLower(c.Name)] && !b.is(c.ID, c.Name)
	})
}

// is reports whether a column is one of a table, of a name.
func (b *block) is(id int, name string) bool {
	for {
		c, ok := b.values[id].(*expression.Column)
		if !ok {
			break
		}
		id = c.ID
	}
	text, ok := b.texts[id]
	return ok && strings.HasSuffix(text, "."+b.w.quote(name))
}

// wrap makes a subquery of the block, so that anything can be done to its columns.
func (b *block) wrap(aliases names) (*block, error) {
	if b.limit == 0 {
		b.order = nil // rows of a subquery have no order, and not every engine takes one
	}
	text, called, err := b.query(" ")
	if err != nil {
		return nil, err
	}
	return b.w.from("("+text+")", b.of, b.hint, called, aliases), nil
}

// from is a block that reads what has columns of some names.
func (w *writer) from(text string, of plan.Relation, hint string, called map[int]string, aliases names) *block {
	b := w.newBlock()
	b.hint, b.of = hint, of
	alias := w.quote(w.alias(aliases, hint))
	if b.from = text; text != alias {
		b.from += " AS " + alias
	}
	for id, name := range called {
		b.texts[id] = alias + "." + w.quote(name)
	}
	return b
}

// query writes the SELECT of the columns that somebody reads, and what they are called.
func (b *block) query(between string) (string, map[int]string, error) {
	used, called := b.shown()
	items, err := b.items(used, called)
	if err != nil {
		return "", nil, err
	}
	text, err := b.selected(items, between)
	return text, called, err
}

// shown are the columns that somebody reads, and what they are called.
func (b *block) shown() (used []plan.Column, called map[int]string) {
	called, inside := map[int]string{}, names{}
	for _, c := range b.of.Columns() {
		if !b.w.used[c.ID] || called[c.ID] != "" {
			continue
		}
		used = append(used, c)
		name := c.Name
		called[c.ID] = b.w.unique(inside, name, func(low string) bool { return b.physical[low] && !(low == strings.ToLower(name) && b.is(c.ID, name)) })
	}
	return used, called
}

// selected writes the SELECT with a line or a space between its clauses.
func (b *block) selected(items []string, between string) (string, error) {
	if len(items) == 0 {
		items = []string{"1 AS " + b.w.quote("one")}
	}
	head := "SELECT "
	if many := b.w.d.Forms[dialect.ManyGroups]; b.many && many != "" {
		head += many + " "
	}
	if b.distinct {
		head += "DISTINCT "
	}
	order, err := b.orderBy()
	if err != nil {
		return "", err
	}
	top, tail := b.limited(order != "")
	tails, err := b.clauses()
	if err != nil {
		return "", err
	}
	if order != "" {
		tails = append(tails, "ORDER BY "+order)
	}
	var out strings.Builder
	size := len(head) + len(top) + len(between) + len("FROM ") + len(b.from)
	for _, part := range items {
		size += len(part) + len(", ")
	}
	for _, clause := range append(tails, tail...) {
		size += len(clause) + len(between)
	}
	if err := b.w.fits(size); err != nil {
		return "", err
	}
	out.Grow(size)
	out.WriteString(head + top)
	for i, item := range items {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(item)
	}
	out.WriteString(between + "FROM ")
	out.WriteString(b.from)
	for _, clause := range append(tails, tail...) {
		out.WriteString(between)
		out.WriteString(clause)
	}
	return out.String(), nil
}

// clauses are WHERE, GROUP BY and HAVING.
func (b *block) clauses() (all []string, err error) {
	condition := func(keyword string, terms []expression.Node) error {
		if len(terms) == 0 {
			return nil
		}
		text, err := b.printer().Predicate(expression.Conjoin(terms...))
		all = append(all, keyword+text)
		return err
	}
	if err := condition("WHERE ", b.where); err != nil {
		return nil, err
	}
	if len(b.by) > 0 {
		keys := make([]string, len(b.by))
		for i, id := range b.by {
			if keys[i], err = b.text(id); err != nil {
				return nil, err
			}
		}
		all = append(all, "GROUP BY "+strings.Join(keys, ", "))
	}
	return all, condition("HAVING ", b.having)
}

func (b *block) orderBy() (string, error) {
	var parts []string
	for _, o := range b.order {
		x, err := b.printer().Operand(o.X)
		if err != nil {
			return "", err
		}
		by, err := b.w.ordered(o, x)
		if err != nil {
			return "", err
		}
		if !slices.Contains(parts, by) {
			parts = append(parts, by)
		}
	}
	return strings.Join(parts, ", "), nil
}

// ordered writes an order key.
func (w *writer) ordered(o plan.Order, x string) (string, error) {
	form := dialect.AscNullsLast
	if o.AnyNulls {
		place := w.d.NullsAscending
		if o.Desc {
			place = w.d.NullsDescending
		}
		o.NullsFirst = place == dialect.NullsFirst
	}
	switch {
	case o.Desc && o.NullsFirst:
		form = dialect.DescNullsFirst
	case o.Desc:
		form = dialect.DescNullsLast
	case o.NullsFirst:
		form = dialect.AscNullsFirst
	}
	by, ok := w.d.Expand(form, map[string]string{"x": x})
	if !ok {
		return "", w.unsupported("sorting", "leave order_by out")
	}
	return by, nil
}

// limited bounds the rows in the way of the dialect: behind SELECT, and at the end.
func (b *block) limited(ordered bool) (top string, tail []string) {
	if b.limit == 0 {
		return "", nil
	}
	n, m := strconv.Itoa(b.limit), strconv.Itoa(b.offset)
	switch style := b.w.d.Limit; {
	case style == dialect.LimitTop && b.offset == 0:
		return "TOP (" + n + ") ", nil
	case style == dialect.LimitTop:
		if !ordered {
			tail = []string{"ORDER BY (SELECT NULL)"} // OFFSET needs an order there
		}
		return "", append(tail, "OFFSET "+m+" ROWS FETCH NEXT "+n+" ROWS ONLY")
	case style == dialect.LimitFetch:
		return "", []string{"OFFSET " + m + " ROWS FETCH FIRST " + n + " ROWS ONLY"}
	case b.offset == 0:
		return "", []string{"LIMIT " + n}
	}
	return "", []string{"LIMIT " + n + " OFFSET " + m}
}
