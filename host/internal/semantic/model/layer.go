package model

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Layer is the origin of a part of a source. Layers are merged in this order.
type Layer uint8

const (
	ScannedLayer  Layer = iota // a scanned table
	SchemaLayer                // a file of tables, below _schema/
	ImportedLayer              // a file of an importer, below imported/
	PersonLayer                // a person's file
	// MemoryLayer is a file below _memory/. It comes last and only adds: every other
	// layer takes precedence.
	MemoryLayer
	// DescribedLayer is the columns that the engine reports for a source's query.
	DescribedLayer
)

// The folders of a connection whose files no person writes.
const (
	importedFolder = "imported/"
	memoryFolder   = "_memory/"
)

var layerNames = [...]string{"scanned", "schema", "imported", "person", "memory", "described"}

// String returns the layer's name in answers.
func (l Layer) String() string { return layerNames[l] }

// layerOf returns the layer of a file by its path; "" = what a scan found.
func layerOf(path string) Layer {
	switch {
	case path == "":
		return ScannedLayer
	case strings.HasPrefix(path, shards):
		return SchemaLayer
	case strings.HasPrefix(path, importedFolder):
		return ImportedLayer
	case strings.HasPrefix(path, memoryFolder):
		return MemoryLayer
	}
	return PersonLayer
}

// Layer returns the layer that the file belongs to.
func (f *File) Layer() Layer { return layerOf(f.Path) }

// Defines reports whether the definition names the table or query of its source. Any
// other definition adds to a source. A file of _memory only adds.
func (f *File) Defines(def *SourceDef) bool { return f.Layer() != MemoryLayer && !def.overlay() }

// SameRows reports whether two definitions of a source have the same table or query,
// so that their members can be merged.
func SameRows(a, b *SourceDef, d *dialect.Dialect) bool {
	if a.SQL.Value != "" || b.SQL.Value != "" {
		return body(a.SQL.Value, d) == body(b.SQL.Value, d)
	}
	x, ok := split(a.Table.Value, d)
	y, okay := split(b.Table.Value, d)
	return ok && okay && (Covers(x, y) || Covers(y, x))
}

// definition returns the nearest layer that says what the rows are; nil = a scan
// does, or nothing.
func (g *group) definition() *Definition {
	for i := range slices.Backward(g.layers) {
		if l := &g.layers[i]; l.File.Defines(l.Def) {
			return l
		}
	}
	return nil
}

// settle orders the layers of a group. One that nothing gives rows to is broken by
// the file that would.
func (g *group) settle() {
	slices.SortStableFunc(g.layers, func(a, b Definition) int { return int(a.File.Layer()) - int(b.File.Layer()) })
	if g.table != nil || g.broken != "" || len(g.invalid) == 0 || g.definition() != nil {
		return
	}
	if first := g.invalid[0]; len(g.layers) == 0 && first.File.Defines(first.Def) {
		g.layers, g.invalid = g.invalid[:1:1], g.invalid[1:] // what it says is known, and that it is broken
		return
	}
	g.broken = g.invalid[0].Def.Broken
}

// invalid places the definitions of files that are not valid: they have no part in
// their source, and are known, so that who uses the source is told.
func (g *grouping) invalid(l Definition) {
	name := g.identity(l.Def)
	bases := g.find(name)
	if len(bases) == 1 {
		bases[0].invalid = append(bases[0].invalid, l)
		return
	}
	if l.File.Layer() != MemoryLayer { // its name must not mean another source
		g.add(&group{ref: name, invalid: []Definition{l}})
	}
}

// imported places the definition of a file of an importer. A person's definition of
// that name with other rows replaces it whole; one of the same rows is merged with it.
func (g *grouping) imported(l Definition) {
	nearer := g.persons[fold(l.Def.Name.Value)]
	switch {
	case nearer == nil:
		g.base(l)
	case SameRows(nearer.definition().Def, l.Def, g.dialect):
		g.attach(nearer, l)
	default:
		nearer.hidden = append(nearer.hidden, l)
	}
}

// faults are the files that have no part in the source because they are not valid.
func (g *group) faults() (all []Problem) {
	for _, l := range g.invalid {
		p := Problem{File: l.File.Path, Source: g.ref.Name, Msg: l.Def.Broken}
		for _, own := range l.File.Problems {
			if own.Member == "" {
				p.Pos = own.Pos
				break
			}
		}
		all = append(all, p)
	}
	return all
}

// lists are the layers of a group with those that have no part in it.
func (g *group) lists() [3]*[]Definition { return [...]*[]Definition{&g.layers, &g.hidden, &g.invalid} }

func (g *group) has(f *File) bool {
	return slices.ContainsFunc(g.layers, func(l Definition) bool { return l.File == f }) ||
		slices.ContainsFunc(g.hidden, func(l Definition) bool { return l.File == f }) ||
		slices.ContainsFunc(g.invalid, func(l Definition) bool { return l.File == f })
}

// added puts a new file of _memory to the source that it names in full, or to the metrics.
// Shape: nil = the sources of other files may change too.
func added(groups []*group, f *File, d *dialect.Dialect) []*group {
	if f.Layer() != MemoryLayer || len(f.Sources) > 1 {
		return nil
	}
	if len(f.Sources) == 0 {
		return groups
	}
	l := Definition{f, &f.Sources[0]}
	name := (&grouping{dialect: d}).name(l.Def)
	at, found := slices.BinarySearchFunc(groups, name, func(g *group, name sdk.TableRef) int { return compareRefs(g.ref, name) })
	if !found || l.rank() != RankMemory || l.Def.InheritsFrom.Value != "" || at+1 < len(groups) && groups[at+1].ref == name {
		return nil
	}
	g := *groups[at]
	if g.broken != "" || len(g.invalid) > 0 || len(g.layers) > 0 && g.layers[len(g.layers)-1].File.Layer() == MemoryLayer {
		return nil
	}
	g.layers = append(slices.Clone(g.layers), l)
	groups[at] = &g
	return groups
}

// replaced returns the group with another version of a file that defines the same.
func (g *group) replaced(old, f *File) *group {
	fresh := *g
	for _, list := range fresh.lists() {
		own := slices.Clone(*list)
		for i, l := range own {
			for d := range old.Sources {
				if l.Def == &old.Sources[d] {
					own[i] = Definition{f, &f.Sources[d]}
				}
			}
		}
		*list = own
	}
	return &fresh
}
