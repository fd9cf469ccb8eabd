package model

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// group is everything that makes up one source: what a scan found, and above it
// what files say.
type group struct {
	ref    sdk.TableRef // the parts of its identity
	table  *Table       // nil when no scan found it, or a file replaces it
	query  *Query       // of the nearest definition; nil = a table, or not described
	layers []Definition
	// hidden are definitions that a nearer one replaces, and invalid those of files
	// that are not valid.
	hidden, invalid []Definition
	// inherits is where the columns of a definition get what it leaves out.
	inherits columnsFrom
	// broken says why the layers cannot be put together, "" = they can.
	broken string
}

// columnsFrom is a table that columns are taken from: a scanned one or a
// shard's.
type columnsFrom struct {
	table *Table
	def   *SourceDef
}

// same reports whether two groups are made of the same things.
func (g *group) same(o *group) bool {
	return g.table == o.table && g.query == o.query && g.inherits == o.inherits && g.broken == o.broken && g.ref == o.ref && slices.Equal(g.layers, o.layers) &&
		slices.Equal(g.hidden, o.hidden) && slices.Equal(g.invalid, o.invalid)
}

// grouping puts definitions to the sources that they are about.
type grouping struct {
	dialect  *dialect.Dialect
	groups   []*group
	byName   map[string][]*group // folded last part
	shards   map[string][]*SourceDef
	persons  map[string]*group // that a person's file defines, by the folded name
	problems []Problem
	unknown  []unknownBase
}

// unknownBase is a problem about a name, for which similar ones are looked for
// when all are known.
type unknownBase struct {
	problem int
	name    string
}

// groupAll returns the sources of tables and files, ordered by identity.
func groupAll(in *Input) ([]*group, []Problem) {
	g := &grouping{dialect: in.Dialect, byName: make(map[string][]*group, len(in.Tables)+len(in.Files)), shards: map[string][]*SourceDef{}, persons: map[string]*group{}}
	for _, t := range in.Tables {
		g.add(&group{ref: t.Ref, table: t})
	}
	for rank, l := range Ranked(in.Files) {
		g.place(l, rank)
	}
	for _, c := range g.groups {
		c.settle()
	}
	g.describe(in.Queries)
	for _, c := range g.groups {
		for _, l := range c.layers {
			g.inherit(c, l)
		}
	}
	slices.SortFunc(g.groups, func(a, b *group) int { return compareRefs(a.ref, b.ref) })
	g.guess()
	return g.groups, g.problems
}

func (g *grouping) add(n *group) *group {
	g.groups = append(g.groups, n)
	key := fold(n.ref.Name)
	g.byName[key] = append(g.byName[key], n)
	return n
}

func (g *grouping) place(l Definition, rank Rank) {
	switch rank {
	case RankInvalid:
		g.invalid(l)
	case RankOverlay, RankMemory:
		g.overlay(l)
	case RankImported:
		g.imported(l)
	default:
		g.base(l)
	}
}

// name returns the name of a definition by its parts.
func (g *grouping) name(def *SourceDef) sdk.TableRef {
	name, ok := split(def.Name.Value, g.dialect)
	if !ok {
		name = sdk.TableRef{Name: def.Name.Value}
	}
	return name
}

// identity returns the name of the source that a definition is about: that of its
// table where it is called like it.
func (g *grouping) identity(def *SourceDef) sdk.TableRef {
	name := g.name(def)
	if table, ok := split(def.Table.Value, g.dialect); ok && Covers(name, table) {
		return table
	}
	return name
}

// base places a definition that says what the rows of its source are.
func (g *grouping) base(l Definition) {
	name := g.name(l.Def)
	if l.Def.Shard {
		g.shards[fold(name.Name)] = append(g.shards[fold(name.Name)], l.Def)
	}
	var c *group
	if l.Def.SQL.Value != "" {
		c = g.define(l, name)
	} else {
		c = g.tableSource(l, name)
	}
	if key := fold(l.Def.Name.Value); l.File.Layer() == PersonLayer && c.broken == "" && g.persons[key] == nil {
		g.persons[key] = c
	}
}

// overlay puts a definition without a table on the source of its name.
func (g *grouping) overlay(l Definition) {
	name := g.name(l.Def)
	bases := g.find(name)
	if len(bases) == 1 {
		g.attach(bases[0], l)
		return
	}
	var candidates []string
	msg := fmt.Sprintf("nothing that was scanned is called %s, and the file has neither table nor sql", l.Def.Name.Value)
	if len(bases) > 1 {
		msg = fmt.Sprintf("%s is not unique; put the schema in front of the name", l.Def.Name.Value)
		for _, b := range bases {
			candidates = append(candidates, identity(b.ref))
		}
	}
	g.problem(l, l.Def.Name, candidates, msg)
	if len(bases) == 0 {
		g.unknown = append(g.unknown, unknownBase{len(g.problems) - 1, name.Name})
	}
	if l.File.Layer() != MemoryLayer {
		g.add(&group{ref: name, layers: []Definition{l}, broken: msg})
	}
}

// tableSource puts a definition of a table on the scanned one, or beside them.
func (g *grouping) tableSource(l Definition, name sdk.TableRef) *group {
	table, ok := split(l.Def.Table.Value, g.dialect)
	if !ok {
		msg := fmt.Sprintf("%q names no table; write schema.table", l.Def.Table.Value)
		g.problem(l, l.Def.Table, nil, msg)
		return g.add(&group{ref: name, layers: []Definition{l}, broken: msg})
	}
	var scanned []*group
	for _, c := range g.byName[fold(table.Name)] {
		if c.table != nil && Covers(table, c.ref) {
			scanned = append(scanned, c)
		}
	}
	if len(scanned) > 1 && table.Schema == "" && g.dialect != nil {
		scanned = slices.DeleteFunc(scanned, func(c *group) bool { return c.ref.Schema != g.dialect.DefaultSchema })
	}
	own := fold(name.Name) == fold(table.Name) && Covers(name, table)
	switch {
	case len(scanned) == 1 && own:
		g.attach(scanned[0], l)
		return scanned[0]
	case own && !l.Def.Shard:
		return g.define(l, table)
	case own:
		return g.add(&group{ref: table, layers: []Definition{l}})
	}
	return g.define(l, name)
}

// define adds a source. It takes the place of a shard's table of the same name,
// which is how ktx projects redefine one.
func (g *grouping) define(l Definition, name sdk.TableRef) *group {
	for _, c := range g.byName[fold(name.Name)] {
		replaces := len(c.layers) > 0 && c.layers[0].Def.Shard && !l.Def.Shard
		switch {
		case replaces && (name.Schema == "" || Covers(name, c.ref)):
			c.ref, c.table, c.layers = name, nil, nil
		case c.ref != name:
			continue
		case c.definition() == nil:
			c.table = nil
		}
		g.attach(c, l)
		return c
	}
	return g.add(&group{ref: name, layers: []Definition{l}})
}

// attach puts a definition to those that a source has. Two files of one layer must
// not say what one source is.
func (g *grouping) attach(c *group, l Definition) {
	of := l.File.Layer()
	if base := c.definition(); base != nil && l.File.Defines(l.Def) && base.File.Layer() > of && !SameRows(base.Def, l.Def, g.dialect) {
		c.hidden = append(c.hidden, l)
		return
	}
	if l.File.Defines(l.Def) && !l.Def.Shard { // a definition replaces the schema's, not the scan's
		c.layers = slices.DeleteFunc(c.layers, func(before Definition) bool { return before.Def.Shard })
	}
	if of == MemoryLayer && slices.ContainsFunc(c.invalid, func(before Definition) bool { return before.File.Layer() == of }) {
		c.invalid = append(c.invalid, l)
		return
	}
	for i, before := range c.layers {
		if before.File.Layer() != of {
			continue
		}
		g.problem(l, l.Def.Name, nil, fmt.Sprintf("%s is defined in %s too; keep one of the files", l.Def.Name.Value, before.File.Path))
		if of == MemoryLayer { // it breaks itself alone
			c.layers, c.invalid = slices.Delete(c.layers, i, i+1), append(c.invalid, before, l)
			return
		}
		c.broken = fmt.Sprintf("it is defined in both %s and %s", before.File.Path, l.File.Path)
		break
	}
	c.layers = append(c.layers, l)
}

// find returns the sources that a name may mean: the one that is called exactly
// so, else all that it fits.
func (g *grouping) find(name sdk.TableRef) (all []*group) {
	for _, c := range g.byName[fold(name.Name)] {
		if c.ref == name {
			return []*group{c}
		}
		if Covers(name, c.ref) {
			all = append(all, c)
		}
	}
	return all
}

// inherit finds the table that a definition takes columns from: by its name,
// with as much of what stands before it as was written.
func (g *grouping) inherit(c *group, l Definition) {
	if l.Def.InheritsFrom.Value == "" {
		return
	}
	want, ok := split(l.Def.InheritsFrom.Value, g.dialect)
	var found []columnsFrom
	for _, def := range g.shards[fold(want.Name)] {
		table, _ := split(def.Table.Value, g.dialect)
		if want.Schema == "" || Covers(want, table) {
			found = append(found, columnsFrom{def: def})
		}
	}
	for _, o := range g.byName[fold(want.Name)] {
		if o.table != nil && Covers(want, o.ref) && len(found) == 0 {
			found = append(found, columnsFrom{table: o.table})
		}
	}
	if !ok || len(found) != 1 {
		msg := fmt.Sprintf("%s is no table that was scanned", l.Def.InheritsFrom.Value)
		if len(found) > 1 {
			msg = fmt.Sprintf("%s is not unique; put the schema in front of the name", l.Def.InheritsFrom.Value)
		}
		g.problems = append(g.problems, Problem{
			File: l.File.Path, Pos: l.Def.InheritsFrom.Pos, Path: "inherits_columns_from", Source: c.ref.Name, Msg: msg,
		})
		g.unknown = append(g.unknown, unknownBase{len(g.problems) - 1, want.Name})
		return
	}
	c.inherits = found[0]
}

// guess completes problems about unknown names with similar ones, as long as
// they are few.
func (g *grouping) guess() {
	if len(g.unknown) == 0 {
		return
	}
	names := make([]string, 0, len(g.groups))
	for _, c := range g.groups {
		if c.broken == "" {
			names = append(names, c.ref.Name)
		}
	}
	w := newWords(slices.Compact(names))
	for _, u := range g.unknown[:min(len(g.unknown), 1000)] {
		p := &g.problems[u.problem]
		p.Candidates = w.near(u.name)
		p.Msg += didYouMean(p.Candidates)
	}
}

func (g *grouping) problem(l Definition, where Text, candidates []string, msg string) {
	g.problems = append(g.problems, Problem{
		File: l.File.Path, Pos: where.Pos, Path: "name", Source: l.Def.Name.Value, Msg: msg, Candidates: candidates,
	})
}
