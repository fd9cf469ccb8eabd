package postgres

import (
	"github.com/loam-data/loam/sdk/reach"
)

// key is an object of the system tables: the table and the OID.
type key struct{ class, oid string }

// catalogue is what the system tables know of names and uses.
type catalogue struct {
	names map[key]reach.Object
	uses  [][2]key
}

// typedOperator is an operator that is found by the types it takes: its symbol
// says nothing.
const typedOperator reach.Kind = "operator of its types"

// storedView is a view whose rows are stored: reading it runs nothing of its text.
const storedView reach.Kind = "materialized view"

var relationKinds = map[byte]reach.Kind{
	'v': reach.View, 'f': reach.ForeignTable, 'm': storedView, 'c': reach.Type,
}

// parts are the system tables of what belongs to another object.
var parts = map[string]bool{"pg_rewrite": true, "pg_constraint": true, "pg_policy": true, "pg_attrdef": true, "pg_statistic_ext": true}

func (c *catalogue) load(r *reading) error {
	err := r.query(namesSQL, nil, func(v [][]byte) error {
		o := reach.Object{Schema: string(v[3]), Name: string(v[4])}
		switch class := string(v[0]); class {
		case "pg_class":
			if o.Kind = relationKinds[v[2][0]]; o.Kind == "" {
				o.Kind = reach.Table
			}
		case "pg_type":
			if o.Kind = reach.Type; string(v[2]) == "d" {
				o.Kind = reach.Domain
			}
		case "pg_operator":
			// Overloads of a symbol count as one.
			if o.Kind = reach.Operator; string(v[2]) == "typed" {
				o.Kind = typedOperator
			}
		default:
			o.Kind = reach.Cast
		}
		c.names[key{string(v[0]), string(v[1])}] = o
		return nil
	})
	if err != nil {
		return err
	}
	owners := map[key]key{}
	err = r.query(ownersSQL, nil, func(v [][]byte) error {
		owners[key{string(v[0]), string(v[1])}] = key{string(v[2]), string(v[3])}
		return nil
	})
	if err != nil {
		return err
	}
	return r.query(usesSQL, nil, func(v [][]byte) error {
		user, used := key{string(v[0]), string(v[1])}, key{string(v[2]), string(v[3])}
		if owner, owned := owners[user]; owned {
			user = owner
		} else if parts[user.class] {
			return nil // it does not run when its owner is read
		}
		c.uses = append(c.uses, [2]key{user, used})
		return nil
	})
}

// object returns an object by its key; of what is not named there is none.
func (a *around) object(c *catalogue, k key) (reach.Object, bool) {
	if k.class == "pg_proc" {
		if f := a.byOID[k.oid]; f != nil {
			return f.Object, true
		}
		d, known := a.denied[k.oid]
		return d.Object, known
	}
	o, known := c.names[k]
	return o, known
}

// solve makes the map. SQL that a function puts together can do what the role may
// do that it runs as. That is the session's, or the owner of the function that
// runs with its owner's rights and calls it: a first graph finds those.
func (a *around) solve(c *catalogue, exceptions *reach.Exceptions) *reach.Map {
	var definers []*function
	if a.self == "" && len(a.strong) > 0 {
		g := reach.New(a.r.s.dialect, nil)
		a.fill(g, c, func(o reach.Object) { g.Leaves(o, reach.Reason{}) })
		m := g.Solve()
		for _, f := range a.functions {
			if _, strong := a.strong[f.owner]; f.definer && strong && m.Path(f.Object) != nil {
				definers = append(definers, f)
			}
		}
	}
	g := reach.New(a.r.s.dialect, exceptions)
	a.fill(g, c, func(o reach.Object) {
		if self, strong := a.strong[a.self]; strong {
			g.Leaves(o, reach.Reason{Text: "runs SQL that is put together, as " + self.name + ", " + self.may})
		}
	})
	for _, d := range a.denied {
		if d.effect != runsText {
			g.Leaves(d.Object, reach.Reason{Text: d.reason})
		}
	}
	for _, f := range definers {
		owner := a.strong[f.owner]
		g.Leaves(f.Object, reach.Reason{Text: "runs SQL that is put together, as its owner " + owner.name + ", " + owner.may})
	}
	for _, f := range a.foreign {
		g.Leaves(f.Object, f.reason)
	}
	for symbol, words := range operatorWords {
		g.Keywords(symbol, words...)
	}
	return g.Solve()
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
func (a *around) fill(g *reach.Graph, c *catalogue, dynamic func(reach.Object)) {
	for _, o := range c.names {
		g.Add(o)
	}
	for _, f := range a.functions {
		g.Add(f.Object)
		if f.does == nil {
			continue
		}
		if f.does.copies {
			g.Leaves(f.Object, reach.Reason{Text: "reads or writes files of the server, or runs a program there, with COPY or LOAD"})
		}
		if f.does.dynamic {
			dynamic(f.Object)
		}
		if body, readable := f.body(); readable {
			g.Define(f.Object, body)
		}
		a.defineTexts(g, f.Object, f.does)
	}
	for _, use := range c.uses {
		from, known := a.object(c, use[0])
		to, alsoKnown := a.object(c, use[1])
		if f := a.byOID[use[0].oid]; use[0].class == "pg_proc" && f != nil && f.judged() && f.Kind != reach.Aggregate {
			continue
		}
		if known && alsoKnown {
			g.Uses(from, to)
		}
	}
	for _, use := range a.trees {
		from, known := a.object(c, key{use.class, use.oid})
		if !known {
			continue
		}
		d := a.denied[use.function]
		if d.effect != runsText {
			g.Uses(from, d.Object)
			continue
		}
		if text, shown := a.views[use.oid]; shown && use.class == "pg_class" {
			does := look(text, a.r.s.dialect, a.names)
			a.defineTexts(g, from, &does)
			if !does.dynamic {
				continue
			}
		}
		dynamic(from)
	}
}

// defineTexts tells a graph what an object runs beside its own text.
func (a *around) defineTexts(g *reach.Graph, o reach.Object, does *deed) {
	for _, text := range does.texts {
		// A part of a text need not be of the lexis; what can be read of it counts.
		tokens, _ := a.r.s.dialect.Tokens(text, nil)
		g.DefineTokens(o, text, tokens)
	}
}
