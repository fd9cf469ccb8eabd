package listing

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// group is the definitions of one source, in the order of their layers.
type group struct {
	ref    sdk.TableRef
	layers []layer
	broken bool
}

// grouping puts definitions to the sources that they are about.
type grouping struct {
	all     []*group
	byName  map[string][]*group // folded last part
	shards  map[string][]layer
	persons map[string]*group // that a person's file defines, by the folded name
}

// The turns in which definitions are placed: each is about what those before have.
const (
	ofSchemas = iota
	ofPersons
	ofImports
	ofOverlays
	ofMemory
	turns // of a file that is not valid: it has no part in its source
)

func turnOf(l layer) int {
	switch from := l.file.Layer(); {
	case l.def.Broken != "":
		return turns
	case from == model.MemoryLayer:
		return ofMemory
	case l.def.Shard:
		return ofSchemas
	case !l.file.Defines(l.def):
		return ofOverlays
	case from == model.ImportedLayer:
		return ofImports
	}
	return ofPersons
}

func (g *grouping) place(l layer, turn int) {
	name := parse(l.def.Name.Value)
	key := fold(l.def.Name.Value)
	switch turn {
	case ofSchemas:
		g.shards[fold(name.Name)] = append(g.shards[fold(name.Name)], l)
	case ofOverlays, ofMemory:
		g.overlay(l, name)
		return
	case ofImports:
		if nearer := g.persons[key]; nearer != nil {
			nearer.attach(l)
			return
		}
	}
	if table := parse(l.def.Table.Value); l.def.SQL.Value == "" && covers(name, table) {
		name = table // the source is the table
		if l.def.Shard {
			g.add(name, l)
			return
		}
	}
	one := g.define(l, name)
	if turn == ofPersons && g.persons[key] == nil {
		g.persons[key] = one
	}
}

// overlay puts a definition without a table on the source of its name, which may
// be a table that only a scan knows.
func (g *grouping) overlay(l layer, name sdk.TableRef) {
	var bases []*group
	for _, one := range g.byName[fold(name.Name)] {
		if one.ref == name {
			bases = []*group{one}
			break
		}
		if covers(name, one.ref) {
			bases = append(bases, one)
		}
	}
	switch len(bases) {
	case 0:
		g.add(name, l)
	case 1:
		bases[0].attach(l)
	}
}

// define adds a source, or takes the place of a shard's table of its name.
func (g *grouping) define(l layer, name sdk.TableRef) *group {
	for _, one := range g.byName[fold(name.Name)] {
		if !l.def.Shard && one.layers[0].def.Shard && (name.Schema == "" || covers(name, one.ref)) {
			*one = group{ref: name}
		} else if one.ref != name {
			continue
		}
		one.attach(l)
		return one
	}
	return g.add(name, l)
}

func (g *grouping) add(ref sdk.TableRef, l layer) *group {
	one := &group{ref: ref}
	one.attach(l)
	g.all = append(g.all, one)
	g.byName[fold(ref.Name)] = append(g.byName[fold(ref.Name)], one)
	return one
}

// attach puts a definition to those that a source has, unless a nearer one says that
// the rows are others. Two files of one layer must not say what one source is.
func (o *group) attach(l layer) {
	of := l.file.Layer()
	for _, before := range o.layers {
		if before.file.Layer() > of && before.file.Defines(before.def) && l.file.Defines(l.def) && !model.SameRows(before.def, l.def, nil) {
			return
		}
	}
	if at := slices.IndexFunc(o.layers, func(before layer) bool { return before.file.Layer() == of }); at >= 0 {
		if of == model.MemoryLayer { // it breaks itself alone
			o.layers = slices.Delete(o.layers, at, at+1)
			return
		}
		o.broken = true
	}
	o.layers = append(o.layers, l)
	slices.SortStableFunc(o.layers, func(a, b layer) int { return int(a.file.Layer()) - int(b.file.Layer()) })
}

// inherited returns the shard's table that a source takes columns from; nil when
// there is none or more than one.
func (g *grouping) inherited(o *group) (found *layer) {
	for _, l := range o.layers {
		if l.def.InheritsFrom.Value == "" {
			continue
		}
		want := parse(l.def.InheritsFrom.Value)
		for _, shard := range g.shards[fold(want.Name)] {
			if want.Schema != "" && !covers(want, parse(shard.def.Table.Value)) {
				continue
			}
			if found != nil {
				return nil
			}
			found = &shard
		}
	}
	return found
}
