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
	layers []layer
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

// layer is a definition and the file that it is in.
type layer struct {
	file *File
	def  *SourceDef
}

// same reports whether two groups are made of the same things.
func (g *group) same(o *group) bool {
	return g.table == o.table && g.inherits == o.inherits && g.broken == o.broken && g.ref == o.ref && slices.Equal(g.layers, o.layers)
}

// grouping puts definitions to the sources that they are about.
type grouping struct {
	dialect  *dialect.Dialect
	groups   []*group
	byName   map[string][]*group // folded last part
	shards   map[string][]*SourceDef
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
	g := &grouping{dialect: in.Dialect, byName: make(map[string][]*group, len(in.Tables)+len(in.Files)), shards: map[string][]*SourceDef{}}
	for _, t := range in.Tables {
		g.add(&group{ref: t.Ref, table: t})
	}
	// Each is about what the ones before have.
	for turn := range 3 {
		for _, f := range in.Files {
			for i := range f.Sources {
				if def := &f.Sources[i]; turnOf(def) == turn {
					g.place(layer{f, def})
				}
			}
		}
	}
	for _, c := range g.groups {
		for _, l := range c.layers {
			g.inherit(c, l)
		}
	}
	slices.SortFunc(g.groups, func(a, b *group) int { return compareRefs(a.ref, b.ref) })
	g.guess()
	return g.groups, g.problems
}

// turnOf is shards first, then what defines sources, then overlays.
func turnOf(def *SourceDef) int {
	switch {
	case def.Shard:
		return 0
	case !def.overlay():
		return 1
	}
	return 2
}

func (g *grouping) add(n *group) *group {
	g.groups = append(g.groups, n)
	key := fold(n.ref.Name)
	g.byName[key] = append(g.byName[key], n)
	return n
}

func (g *grouping) place(l layer) {
	name, ok := split(l.def.Name.Value, g.dialect)
	if !ok {
		name = sdk.TableRef{Name: l.def.Name.Value}
	}
	if l.def.Shard {
		g.shards[fold(name.Name)] = append(g.shards[fold(name.Name)], l.def)
	}
	switch {
	case l.def.overlay():
		g.overlay(l, name)
	case l.def.SQL.Value != "":
		g.define(l, name)
	default:
		g.tableSource(l, name)
	}
}

// overlay puts a definition without a table on the source of its name.
func (g *grouping) overlay(l layer, name sdk.TableRef) {
	bases := g.find(name)
	switch {
	case len(bases) == 1:
		g.attach(bases[0], l)
		return
	case l.def.Broken != "":
		// Nobody knows what the file was about: its name must not mean another.
		g.add(&group{ref: name, layers: []layer{l}, broken: l.def.Broken})
		return
	}
	var candidates []string
	msg := fmt.Sprintf("nothing that was scanned is called %s, and the file has neither table nor sql", l.def.Name.Value)
	if len(bases) > 1 {
		msg = fmt.Sprintf("%s is not unique; put the schema in front of the name", l.def.Name.Value)
		for _, b := range bases {
			candidates = append(candidates, identity(b.ref))
		}
	}
	g.problem(l, l.def.Name, candidates, msg)
	if len(bases) == 0 {
		g.unknown = append(g.unknown, unknownBase{len(g.problems) - 1, name.Name})
	}
	g.add(&group{ref: name, layers: []layer{l}, broken: msg})
}

// tableSource puts a definition of a table on the scanned one, or beside them.
func (g *grouping) tableSource(l layer, name sdk.TableRef) {
	table, ok := split(l.def.Table.Value, g.dialect)
	if !ok {
		msg := fmt.Sprintf("%q names no table; write schema.table", l.def.Table.Value)
		g.problem(l, l.def.Table, nil, msg)
		g.add(&group{ref: name, layers: []layer{l}, broken: msg})
		return
	}
	var scanned []*group
	for _, c := range g.byName[fold(table.Name)] {
		if c.table != nil && covers(table, c.ref) {
			scanned = append(scanned, c)
		}
	}
	if len(scanned) > 1 && table.Schema == "" && g.dialect != nil {
		scanned = slices.DeleteFunc(scanned, func(c *group) bool { return c.ref.Schema != g.dialect.DefaultSchema })
	}
	own := fold(name.Name) == fold(table.Name) && covers(name, table)
	switch {
	case len(scanned) == 1 && own:
		g.attach(scanned[0], l)
	case own && !l.def.Shard:
		g.define(l, table)
	case own:
		g.add(&group{ref: table, layers: []layer{l}})
	default:
		g.define(l, name)
	}
}

// define adds a source. It takes the place of a shard's table of the same name,
// which is how ktx projects redefine one.
func (g *grouping) define(l layer, name sdk.TableRef) {
	for _, c := range g.byName[fold(name.Name)] {
		replaces := len(c.layers) > 0 && c.layers[0].def.Shard && !l.def.Shard
		switch {
		case replaces && (name.Schema == "" || covers(name, c.ref)):
			c.ref, c.table, c.layers = name, nil, nil
		case c.ref == name:
			c.table = nil
		default:
			continue
		}
		g.attach(c, l)
		return
	}
	g.add(&group{ref: name, layers: []layer{l}})
}

// attach puts a definition above those that a source has. Two files must not
// say what one source is.
func (g *grouping) attach(c *group, l layer) {
	for _, before := range c.layers {
		if before.def.Shard && !l.def.Shard {
			if l.def.overlay() {
				continue
			}
			c.layers = nil // a definition replaces the shard's, not the scan's
			break
		}
		msg := fmt.Sprintf("%s is defined in %s too; keep one of the files", l.def.Name.Value, before.file.Path)
		g.problem(l, l.def.Name, nil, msg)
		c.broken = fmt.Sprintf("it is defined in both %s and %s", before.file.Path, l.file.Path)
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
		if covers(name, c.ref) {
			all = append(all, c)
		}
	}
	return all
}

// inherit finds the table that a definition takes columns from: by its name,
// with as much of what stands before it as was written.
func (g *grouping) inherit(c *group, l layer) {
	if l.def.InheritsFrom.Value == "" {
		return
	}
	want, ok := split(l.def.InheritsFrom.Value, g.dialect)
	var found []columnsFrom
	for _, def := range g.shards[fold(want.Name)] {
		table, _ := split(def.Table.Value, g.dialect)
		if want.Schema == "" || covers(want, table) {
			found = append(found, columnsFrom{def: def})
		}
	}
	for _, o := range g.byName[fold(want.Name)] {
		if o.table != nil && covers(want, o.ref) && len(found) == 0 {
			found = append(found, columnsFrom{table: o.table})
		}
	}
	if !ok || len(found) != 1 {
		msg := fmt.Sprintf("%s is no table that was scanned", l.def.InheritsFrom.Value)
		if len(found) > 1 {
			msg = fmt.Sprintf("%s is not unique; put the schema in front of the name", l.def.InheritsFrom.Value)
		}
		g.problems = append(g.problems, Problem{
			File: l.file.Path, Pos: l.def.InheritsFrom.Pos, Path: "inherits_columns_from", Source: c.ref.Name, Msg: msg,
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

func (g *grouping) problem(l layer, where Text, candidates []string, msg string) {
	g.problems = append(g.problems, Problem{
		File: l.file.Path, Pos: where.Pos, Path: "name", Source: l.def.Name.Value, Msg: msg, Candidates: candidates,
	})
}
