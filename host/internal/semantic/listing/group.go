package listing

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// group is the definitions of one source, the lowest first.
type group struct {
	ref    sdk.TableRef
	layers []layer
	broken bool
}

// grouping puts definitions to the sources that they are about.
type grouping struct {
	all    []*group
	byName map[string][]*group // folded last part
	shards map[string][]layer
}

// turnOf is tables of shards first, then what defines sources, then overlays.
func turnOf(def *model.SourceDef) int {
	switch {
	case def.Shard:
		return 0
	case !overlay(def):
		return 1
	}
	return 2
}

func overlay(def *model.SourceDef) bool { return def.Table.Value == "" && def.SQL.Value == "" }

func (g *grouping) place(l layer) {
	name := parse(l.def.Name.Value)
	key := fold(name.Name)
	if l.def.Shard {
		g.shards[key] = append(g.shards[key], l)
	}
	if overlay(l.def) {
		g.overlay(l, name)
		return
	}
	if table := parse(l.def.Table.Value); l.def.SQL.Value == "" && covers(name, table) {
		name = table // the source is the table
		if l.def.Shard {
			g.add(name, l)
			return
		}
	}
	g.define(l, name)
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
func (g *grouping) define(l layer, name sdk.TableRef) {
	for _, one := range g.byName[fold(name.Name)] {
		if !l.def.Shard && one.layers[0].def.Shard && (name.Schema == "" || covers(name, one.ref)) {
			*one = group{ref: name}
		} else if one.ref != name {
			continue
		}
		one.attach(l)
		return
	}
	g.add(name, l)
}

func (g *grouping) add(ref sdk.TableRef, l layer) {
	one := &group{ref: ref}
	one.attach(l)
	g.all = append(g.all, one)
	g.byName[fold(ref.Name)] = append(g.byName[fold(ref.Name)], one)
}

// attach puts a definition above those that a source has. Of a table in a shard
// there may be one more; else two files must not say what one source is.
func (o *group) attach(l layer) {
	o.broken = o.broken || l.def.Broken != "" || slices.ContainsFunc(o.layers, func(before layer) bool { return !before.def.Shard || l.def.Shard })
	o.layers = append(o.layers, l)
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
