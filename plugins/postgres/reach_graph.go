package postgres

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
)

// object returns an object by its key; of what is not named there is none.
func (k *known) object(at key) (reach.Object, bool) {
	if at.class == "pg_proc" {
		if f := k.functions[at.oid]; f != nil {
			return f.Object, true
		}
		d, known := k.denied[at.oid]
		return d.Object, known
	}
	if o := k.objects[at]; o != nil && o.Kind != "" {
		return o.Object, true
	}
	return reach.Object{}, false
}

// trees calls each for whatever calls a denied function in its tree.
func (k *known) trees(each func(user key, d denied)) {
	for at, o := range k.objects {
		for _, call := range o.calls {
			d, known := k.denied[call]
			if !known {
				continue
			}
			if o.Kind != "" {
				each(at, d)
				continue
			}
			for _, user := range o.users {
				each(user, d)
			}
		}
	}
	for _, f := range k.functions {
		for _, call := range slices.Concat(f.calls, f.parts) {
			if d, known := k.denied[call]; known {
				each(key{"pg_proc", f.oid}, d)
			}
		}
	}
}

// dangerous reports whether anything that users made may leave the transaction.
func (k *known) dangerous() bool {
	found := len(k.foreign) > 0
	k.trees(func(key, denied) { found = true })
	for _, f := range k.functions {
		_, leaves := k.denied[f.oid]
		if found || leaves || f.does != nil && (f.does.copies || f.does.calls || f.does.hidden || f.does.dynamic && len(k.strong) > 0 || len(f.does.texts) > 0) {
			return true
		}
	}
	return found
}

// lenders lists the SECURITY DEFINER functions that leave the transaction: whoever may
// call one can leave it. A function that runs SQL which is put together is one of them
// when a superuser owns it.
func (k *known) lenders(on *dialect.Dialect, exceptions *reach.Exceptions) (found []*function) {
	if !k.lends() {
		return nil
	}
	var dynamic []reach.Object
	g := k.leaving(on, exceptions, func(o reach.Object) { dynamic = append(dynamic, o) })
	m := g.Solve()
	for _, o := range dynamic {
		g.Leaves(o, reach.Reason{})
	}
	all := g.Solve()
	for _, f := range k.functions {
		if f.definer && (m.Path(f.Object) != nil || f.super && all.Path(f.Object) != nil) {
			found = append(found, f)
		}
	}
	return found
}

// dynamic reports whether a function runs SQL that is put together.
func (k *known) dynamic() bool {
	for _, f := range k.functions {
		if f.does != nil && f.does.dynamic {
			return true
		}
	}
	return false
}

// related reports whether a relation or a type leaves the transaction.
func related(m *reach.Map) bool {
	return slices.ContainsFunc([]reach.Kind{reach.Table, reach.View, reach.ForeignTable, storedView, reach.Type, reach.Domain}, m.Reaches)
}

// lends reports whether a function runs with the rights of its owner.
func (k *known) lends() bool {
	for _, f := range k.functions {
		if f.definer && !f.judged() {
			return true
		}
	}
	return false
}

// solve makes the map, and finds out whether links matter. SQL that a function puts together can do what the role may
// do that it runs as. That is the session's, or the owner of the function that
// runs with its owner's rights and calls it: a first graph finds those.
func (k *known) solve(on *dialect.Dialect, exceptions *reach.Exceptions) *reach.Map {
	var definers []*function
	if k.self == "" {
		for _, f := range k.functions {
			if _, strong := k.strong[f.owner]; f.definer && strong {
				definers = append(definers, f)
			}
		}
	}
	if len(definers) > 0 {
		g := reach.New(on, nil)
		k.fill(g, on, func(o reach.Object) { g.Leaves(o, reach.Reason{}) })
		m := g.Solve()
		definers = slices.DeleteFunc(definers, func(f *function) bool { return m.Path(f.Object) == nil })
	}
	var dynamic []reach.Object
	g := k.leaving(on, exceptions, func(o reach.Object) { dynamic = append(dynamic, o) })
	if self, strong := k.strong[k.self]; strong {
		for _, o := range dynamic {
			g.Leaves(o, reach.Reason{Text: "runs SQL that is put together, as " + self.name + ", " + self.may})
		}
	}
	for _, f := range definers {
		owner := k.strong[f.owner]
		g.Leaves(f.Object, reach.Reason{Text: "runs SQL that is put together, as its owner " + owner.name + ", " + owner.may})
	}
	m := g.Solve()
	if k.linked = related(m); !k.linked { // nor where all that is put together left, which the role decides
		for _, o := range dynamic {
			g.Leaves(o, reach.Reason{})
		}
		k.linked = len(dynamic) > 0 && related(g.Solve())
	}
	return m
}

// leaving makes the graph of what leaves the transaction by itself; dynamic is called
// for what runs SQL that is put together.
func (k *known) leaving(on *dialect.Dialect, exceptions *reach.Exceptions, dynamic func(reach.Object)) *reach.Graph {
	g := reach.New(on, exceptions)
	k.fill(g, on, dynamic)
	for _, d := range k.denied {
		switch d.effect {
		case runsText:
		case evaluates:
			k.fillEvaluated(g, d.Object)
		default:
			g.Leaves(d.Object, reach.Reason{Text: d.reason})
		}
	}
	for oid, reason := range k.foreign {
		if table, known := k.object(key{"pg_class", oid}); known {
			g.Leaves(table, reason)
		}
	}
	for symbol, words := range operatorWords {
		g.Keywords(symbol, words...)
	}
	return g
}

// fillEvaluated tells a graph that a function may use each type and each table.
func (k *known) fillEvaluated(g *reach.Graph, from reach.Object) {
	for _, o := range k.objects {
		switch o.Kind {
		case reach.Type, reach.Domain, reach.Table:
			g.Uses(from, o.Object)
		}
	}
}

// operatorWords are the operators that the grammar writes as words.
// Source: src/backend/parser/gram.y, makeSimpleA_Expr and its like.
var operatorWords = map[string][]string{
	"=":    {"IN", "ANY", "SOME", "ALL", "CASE", "NULLIF", "DISTINCT", "USING", "NATURAL"},
	"<>":   {"IN", "ANY", "SOME", "ALL"},
	"<=":   {"BETWEEN"},
	">=":   {"BETWEEN"},
	"<":    {"BETWEEN", "ORDER"},
	">":    {"BETWEEN", "ORDER"},
	"~~":   {"LIKE"},
	"!~~":  {"LIKE"},
	"~~*":  {"ILIKE"},
	"!~~*": {"ILIKE"},
	"~":    {"SIMILAR"},
	"!~":   {"SIMILAR"},
}

// fill tells a graph what uses what; dynamic is called for what runs SQL that is
// put together.
func (k *known) fill(g *reach.Graph, on *dialect.Dialect, dynamic func(reach.Object)) {
	g.Expect(len(k.objects) + len(k.functions) + len(k.denied))
	parents := k.parents()
	for table := range parents {
		g.Add(alone(table))
	}
	for at, o := range k.objects {
		k.fillObject(g, at, o, parents)
	}
	for _, f := range k.functions {
		g.Add(f.Object)
		if !f.judged() || f.Kind == reach.Aggregate {
			k.fillUses(g, f.Object, f.uses)
		}
		if f.does == nil {
			continue
		}
		if f.does.copies {
			g.Leaves(f.Object, copying)
		}
		if f.does.dynamic {
			dynamic(f.Object)
		}
		if body, readable := f.body(); readable {
			if f.text == nil {
				f.text = reach.Read(body, on)
			}
			g.DefineText(f.Object, f.text)
			if other, tokens := escaping(body, on); other != nil {
				g.DefineText(f.Object, reach.ReadTokens(body, tokens, other))
			}
		}
		defineTexts(g, on, f.Object, f.does)
	}
	k.trees(func(user key, d denied) {
		from, known := k.object(user)
		if !known {
			return
		}
		if d.effect != runsText {
			g.Uses(from, d.Object)
			if parents[from] {
				g.Uses(alone(from), d.Object)
			}
			return
		}
		if text, shown := k.texts[user.oid]; shown && user.class == "pg_class" {
			does := look(text, on, k.names)
			defineTexts(g, on, from, &does)
			if does.copies {
				g.Leaves(from, copying)
			}
			if !does.dynamic {
				return
			}
		}
		dynamic(from)
		if parents[from] {
			dynamic(alone(from))
		}
	})
}

// fillObject tells a graph what an object uses, and what runs it. Tables with children do
// the same without them, but for what their children do.
func (k *known) fillObject(g *reach.Graph, at key, o *object, parents map[reach.Object]bool) {
	if o.Kind != "" {
		g.Add(o.Object)
		k.fillUses(g, o.Object, o.uses)
		if parents[o.Object] {
			k.fillUses(g, alone(o.Object), o.uses)
		}
	}
	for _, user := range o.users {
		from, known := k.object(user)
		if !known {
			continue
		}
		users := []reach.Object{from}
		if parents[from] && at.class != "pg_inherits" {
			users = append(users, alone(from))
		}
		for _, from := range users {
			if o.Kind != "" {
				g.Uses(from, o.Object)
			} else {
				k.fillUses(g, from, o.uses)
			}
		}
	}
}

func (k *known) fillUses(g *reach.Graph, from reach.Object, uses []key) {
	for _, use := range uses {
		if to, known := k.object(use); known {
			g.Uses(from, to)
		}
	}
}

var copying = reach.Reason{Text: "reads or writes files of the server, or runs a program there, with COPY or LOAD"}

// defineTexts tells a graph what an object runs beside its own text.
func defineTexts(g *reach.Graph, on *dialect.Dialect, o reach.Object, does *deed) {
	if does.hidden {
		g.Leaves(o, reach.Reason{Text: "runs a text that is written in escapes, which hide what it names"})
	}
	for _, text := range does.texts {
		// A part of a text need not be of the lexis; what can be read of it counts.
		tokens, _ := on.Tokens(text, nil)
		g.DefineText(o, reach.ReadTokens(text, tokens, on))
	}
}
