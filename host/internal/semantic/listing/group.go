package listing

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// group is the definitions of one source, in the order of their layers.
type group struct {
	ref    sdk.TableRef
	layers []model.Definition
	broken bool
}

// grouping assigns definitions to sources.
type grouping struct {
	all     []*group
	byName  map[string][]*group // folded last part
	shards  map[string][]model.Definition
	persons map[string]*group // defined in a person's file, by the folded name
}

func (g *grouping) place(l model.Definition, rank model.Rank) {
	name := parse(l.Def.Name.Value)
	key := fold(l.Def.Name.Value)
	switch rank {
	case model.RankSchema:
		g.shards[fold(name.Name)] = append(g.shards[fold(name.Name)], l)
	case model.RankOverlay, model.RankMemory:
		g.overlay(l, name)
		return
	case model.RankImported:
		if nearer := g.persons[key]; nearer != nil {
			nearer.attach(l)
			return
		}
	}
	if table := parse(l.Def.Table.Value); l.Def.SQL.Value == "" && model.Covers(name, table) {
		name = table // the source is the table
		if l.Def.Shard {
			g.add(name, l)
			return
		}
	}
	one := g.define(l, name)
	if rank == model.RankPerson && g.persons[key] == nil {
		g.persons[key] = one
	}
}

// overlay adds a definition without a table to the source of its name. If there is none, it may be
// a table that only a scan knows.
func (g *grouping) overlay(l model.Definition, name sdk.TableRef) {
	var bases []*group
	for _, one := range g.byName[fold(name.Name)] {
		if one.ref == name {
			bases = []*group{one}
			break
		}
		if model.Covers(name, one.ref) {
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

// define adds a source, or replaces the table of a shard with its name.
func (g *grouping) define(l model.Definition, name sdk.TableRef) *group {
	for _, one := range g.byName[fold(name.Name)] {
		if !l.Def.Shard && one.layers[0].Def.Shard && (name.Schema == "" || model.Covers(name, one.ref)) {
			*one = group{ref: name}
		} else if one.ref != name {
			continue
		}
		one.attach(l)
		return one
	}
	return g.add(name, l)
}

func (g *grouping) add(ref sdk.TableRef, l model.Definition) *group {
	one := &group{ref: ref}
	one.attach(l)
	g.all = append(g.all, one)
	g.byName[fold(ref.Name)] = append(g.byName[fold(ref.Name)], one)
	return one
}

// attach adds a definition to a source, unless a definition of a higher layer has other rows. Two
// definitions of one layer make the source broken.
func (o *group) attach(l model.Definition) {
	of := l.File.Layer()
	for _, before := range o.layers {
		if before.File.Layer() > of && before.File.Defines(before.Def) && l.File.Defines(l.Def) && !model.SameRows(before.Def, l.Def, nil) {
			return
		}
	}
	if at := slices.IndexFunc(o.layers, func(before model.Definition) bool { return before.File.Layer() == of }); at >= 0 {
		if of == model.MemoryLayer { // two overlays of the memory cancel each other only
			o.layers = slices.Delete(o.layers, at, at+1)
			return
		}
		o.broken = true
	}
	o.layers = append(o.layers, l)
	slices.SortStableFunc(o.layers, func(a, b model.Definition) int { return int(a.File.Layer()) - int(b.File.Layer()) })
}

// inherited returns the definition in a shard from which a source inherits columns; nil when there
// is none or more than one.
func (g *grouping) inherited(o *group) (found *model.Definition) {
	for _, l := range o.layers {
		if l.Def.InheritsFrom.Value == "" {
			continue
		}
		want := parse(l.Def.InheritsFrom.Value)
		for _, shard := range g.shards[fold(want.Name)] {
			if want.Schema != "" && !model.Covers(want, parse(shard.Def.Table.Value)) {
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
