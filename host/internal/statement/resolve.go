package statement

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// resolver finds what the names of a statement mean.
type resolver struct {
	statement  *Statement
	schema     Schema
	folding    dialect.Folding
	aggregates set
	work       int // names looked up
	expanded   int // columns that * stood for
}

// locals are the common table expressions that a query sees.
type locals struct {
	byName map[string]*local
	around *locals
}

func (l *locals) find(name string) *local {
	key := strings.ToLower(name)
	for ; l != nil; l = l.around {
		if found := l.byName[key]; found != nil {
			return found
		}
	}
	return nil
}

// scope is what the names of a block may mean.
type scope struct {
	block   *Block
	around  *scope
	merged  map[string]bool // columns of USING and NATURAL, in lower case
	aliases map[string]int  // of items, in lower case
}

// query resolves a query and returns its columns.
func (r *resolver) query(q *query, env *locals, around *scope) *result {
	if len(q.with) > 0 {
		env = &locals{byName: make(map[string]*local, len(q.with)), around: env}
		for _, l := range q.with {
			key := strings.ToLower(l.name.Text)
			if l.recursive {
				l.result = (&result{known: false}).rename(l.columns)
				env.byName[key] = l
			}
			l.result = r.query(l.query, env, around).rename(l.columns)
			env.byName[key] = l
		}
	}
	var all *result
	for i, b := range q.branches {
		one := unknown
		switch {
		case b.block != nil:
			one = r.block(b.block, env, around)
		case b.query != nil:
			one = r.query(b.query, env, around)
		}
		if i == 0 {
			all = one
		} else {
			all = united(all, one)
		}
	}
	if all == nil {
		return unknown
	}
	return all
}

// united returns the columns of a set operation: those of the first query, of whose values only
// those are known that all queries have from the same column.
func united(a, b *result) *result {
	if !a.known {
		return a
	}
	both := &result{known: true, outputs: make([]output, len(a.outputs))}
	for i, o := range a.outputs {
		if o.column == nil || !b.known || i >= len(b.outputs) || b.outputs[i].column == nil ||
			b.outputs[i].column.Table != o.column.Table || b.outputs[i].column.Index != o.column.Index {
			o.column = nil
		}
		both.outputs[i] = o
	}
	return both
}

// block resolves a block and returns its columns.
func (r *resolver) block(b *Block, env *locals, around *scope) *result {
	s := &scope{block: b, around: around}
	for _, rel := range b.Relations {
		r.relation(b, rel, env, around)
	}
	for i := range b.joined {
		r.merge(s, &b.joined[i])
	}
	if n := len(b.Items); n > 0 {
		for i := range b.Items {
			if name := b.Items[i].Alias.Text; name != "" {
				if s.aliases == nil {
					s.aliases = make(map[string]int, n)
				}
				s.aliases[strings.ToLower(name)] = i
			}
		}
	}
	for _, e := range b.refs {
		if !e.local {
			r.ref(s, e)
		}
	}
	for _, q := range b.queries {
		r.query(q, env, s)
	}
	if b.Reason != "" {
		return unknown
	}
	return r.outputs(s)
}

// relation resolves a table or a query of FROM.
func (r *resolver) relation(b *Block, rel *Relation, env *locals, around *scope) {
	switch {
	case rel.query != nil:
		rel.result = r.query(rel.query, env, around).rename(rel.names)
	case rel.Function:
		rel.result = unknown.rename(rel.names)
		if rel.result.known { // the names may be fewer than its columns
			rel.result.known = false
		}
	default:
		if len(rel.Name) == 1 {
			if l := env.find(rel.Name[0].Text); l != nil {
				rel.Local, rel.result = true, l.result.rename(rel.names)
				return
			}
		}
		rel.result = unknown
		if r.schema != nil {
			rel.Table = r.schema.Table(rel.Name)
		}
		if len(rel.names) > 0 {
			r.doubt(b, "the columns of a table are named anew")
		}
	}
}

func (r *resolver) doubt(b *Block, reason string) {
	if b.Reason == "" {
		b.Reason = reason
	}
}

// known reports whether all columns of a relation are.
func (rel *Relation) known() bool { return rel.Table != nil || rel.result.known }

// named reports whether a relation answers to a name in front of a dot.
func (rel *Relation) named(name Part) bool {
	if rel.Alias.Text != "" {
		return strings.EqualFold(rel.Alias.Text, name.Text)
	}
	return len(rel.Name) > 0 && strings.EqualFold(rel.Name[len(rel.Name)-1].Text, name.Text)
}

// column returns the column of a relation with a name; nil = it has none, or that is not known.
func (r *resolver) column(rel *Relation, name Part) *Column {
	r.work++
	if rel.Table != nil {
		if i, ok := rel.Table.column(name, r.folding); ok {
			return &Column{Relation: rel, Table: rel.Table, Index: i, Name: rel.Table.Columns[i]}
		}
		return nil
	}
	o, ok := rel.result.output(name.Text)
	if !ok {
		return nil
	}
	c := &Column{Relation: rel, Name: o.name.Text, Through: true}
	if o.column != nil {
		c.Table, c.Index, c.Nested = o.column.Table, o.column.Index, o.column.Nested
		if c.Table != nil {
			c.Name = c.Table.Columns[c.Index]
		}
	}
	return c
}

// ref finds what a name means.
func (r *resolver) ref(s *scope, e *Expr) {
	if r.work > maxWork {
		r.doubt(s.block, "it has too many names")
		return
	}
	if len(e.Name) == 1 {
		r.unqualified(s, e)
		return
	}
	for at := s; at != nil; at = at.around {
		rel, rest, many := r.qualifier(at.block, e.Name)
		if many {
			r.doubt(s.block, quoted(e.Name[0].Text)+" is the name of several tables")
			return
		}
		if rel == nil {
			continue
		}
		c := r.column(rel, rest[0])
		switch {
		case c != nil:
		case rel.known() && values().has(rest[0].Text):
			return
		case rel.known():
			r.doubt(s.block, "there is no column "+quoted(rest[0].Text))
			return
		default:
			c = &Column{Relation: rel, Name: rest[0].Text}
		}
		c.Nested = c.Nested || len(rest) > 1
		c.Outer = at != s
		e.Column = c
		return
	}
	first := Expr{Name: e.Name[:1]}
	r.unqualified(s, &first)
	if e.Column = first.Column; e.Column != nil {
		e.Column.Nested = true
	}
}

// qualifier returns the relation that the first parts of a name are of, and the other parts.
func (r *resolver) qualifier(b *Block, name []Part) (found *Relation, rest []Part, many bool) {
	for _, rel := range b.Relations {
		r.work++
		if rel.named(name[0]) {
			if found != nil && found.Alias.Text == rel.Alias.Text {
				return nil, nil, true
			}
			found = rel
		}
	}
	if found != nil {
		return found, name[1:], false
	}
	for parts := 2; parts < len(name); parts++ {
		for _, rel := range b.Relations {
			if rel.Alias.Text == "" && ends(rel.Name, name[:parts]) {
				return rel, name[parts:], false
			}
		}
	}
	return nil, nil, false
}

// ends reports whether a name ends with these parts.
func ends(name, parts []Part) bool {
	if len(name) < len(parts) {
		return false
	}
	name = name[len(name)-len(parts):]
	for i := range parts {
		if !strings.EqualFold(name[i].Text, parts[i].Text) {
			return false
		}
	}
	return true
}

func quoted(name string) string {
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "") + "…"
	}
	return `"` + name + `"`
}

// unqualified finds what a name without a table means: a column, an item, a whole row.
func (r *resolver) unqualified(s *scope, e *Expr) {
	name := e.Name[0]
	for at := s; at != nil; at = at.around {
		c, many, open, opens := r.search(at, name)
		item, aliased := at.aliases[strings.ToLower(name.Text)]
		aliased = aliased && at == s && !s.block.Items[item].spans(e)
		switch {
		case many:
			r.doubt(s.block, "column "+quoted(name.Text)+" is in several tables")
			return
		case c != nil && aliased && !s.block.Items[item].holds(c):
			return // engines differ in which of the two they mean
		case c != nil:
			c.Outer = at != s
			e.Column = c
			return
		case aliased:
			return
		case at.block.has(name): // a whole row, or the value of a function
			return
		case opens == 1:
			e.Column = &Column{Relation: open, Name: name.Text, Outer: at != s}
			return
		case opens > 1 && !values().has(name.Text):
			r.doubt(s.block, "it is not known which table has column "+quoted(name.Text))
			return
		case at.block.Reason != "":
			r.doubt(s.block, "it is about a block that is not understood")
			return
		}
	}
	if values().has(name.Text) || e.argument && unit(name.Text) {
		return
	}
	r.doubt(s.block, "there is no column "+quoted(name.Text))
}

// search looks for a column in the relations of a block. many: several have it. opens are the
// relations whose columns are not known, open is one of them.
func (r *resolver) search(s *scope, name Part) (found *Column, many bool, open *Relation, opens int) {
	for _, rel := range s.block.Relations {
		c := r.column(rel, name)
		switch {
		case c == nil && !rel.known():
			open = rel
			opens++
		case c != nil && found == nil:
			found = c
		case c != nil && !s.merged[strings.ToLower(name.Text)]:
			many = true
		}
	}
	return found, many, open, opens
}

// has reports whether a relation has this name.
func (b *Block) has(name Part) bool {
	for _, rel := range b.Relations {
		if rel.named(name) {
			return true
		}
	}
	return false
}

// spans reports whether an item has an expression in it: its own name means something else there.
func (i *Item) spans(e *Expr) bool { return e.Start >= i.Expr.Start && e.End <= i.Expr.End }

// holds reports whether the item with a name is that column.
func (i *Item) holds(c *Column) bool {
	return i.Expr.Kind == Ref && i.Expr.Column != nil && i.Expr.Column.Relation == c.Relation && i.Expr.Column.Name == c.Name
}

// outputs returns the columns of a block.
func (r *resolver) outputs(s *scope) *result {
	b := s.block
	all := &result{known: true, outputs: make([]output, 0, len(b.Items))}
	for _, item := range b.Items {
		switch e := item.Expr; {
		case e.Kind == Star:
			if !r.star(s, e, all) {
				return unknown
			}
		case e.Kind == Ref:
			o := output{name: item.Alias, column: e.Column}
			if o.name.Text == "" {
				o.name = e.Name[len(e.Name)-1]
			}
			all.outputs = append(all.outputs, o)
		case item.Alias.Text == "" && e.Kind != Call:
			all.outputs = append(all.outputs, output{})
		case item.Alias.Text == "":
			all.outputs = append(all.outputs, output{name: e.Name[0]}) // what most engines call it
		default:
			all.outputs = append(all.outputs, output{name: item.Alias})
		}
	}
	return all
}

// star adds the columns that * or t.* stand for; false = they are not known.
func (r *resolver) star(s *scope, e *Expr, all *result) bool {
	matched := false
	for i, rel := range s.block.Relations {
		if len(e.Name) > 0 {
			if !rel.named(e.Name[len(e.Name)-1]) {
				continue
			}
		}
		matched = true
		if !rel.known() {
			return false
		}
		add := func(name string, c *Column) bool {
			if i > 0 && len(e.Name) == 0 && s.merged[strings.ToLower(name)] {
				return true
			}
			r.expanded++
			all.outputs = append(all.outputs, output{name: Part{Text: name, Quoted: true}, column: c})
			return r.expanded <= maxOutputs
		}
		if rel.Table != nil {
			for at, name := range rel.Table.Columns {
				if !add(name, &Column{Relation: rel, Table: rel.Table, Index: at, Name: name}) {
					return false
				}
			}
			continue
		}
		for _, o := range rel.result.outputs {
			c := o.column
			if !add(o.name.Text, c) {
				return false
			}
		}
	}
	return matched
}
