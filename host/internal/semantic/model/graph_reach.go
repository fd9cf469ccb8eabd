package model

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// Reach is a source that is to-one from a home.
type Reach struct {
	Path *Path
	// Reference is the qualifier that a request writes before a member reached by
	// Path: "customers", "ship_region.region"; "" = only Via identifies it.
	Reference string
	// Via are the roles and sources on the way, one per step.
	Via []string
}

// Reachable returns the sources that are to-one from a home, the nearest first, at
// most most of them; whole: there are no more. Paths over broken joins, repeated
// self-joins, and hidden or broken sources are left out.
//
// Shape: read-only; the next call may return the same.
func (m *Model) Reachable(home SourceID, most int) (all []Reach, whole bool) {
	c := m.closure(home)
	r := c.reached.Load()
	if r == nil || r.most != most {
		r = &reached{most: most}
		r.all, r.whole = m.reachable(c, most)
		c.reached.Store(r)
	}
	return r.all, r.whole
}

// reached is an answer of Reachable.
type reached struct {
	most  int
	all   []Reach
	whole bool
}

func (m *Model) reachable(c *closure, most int) (all []Reach, whole bool) {
	for at := 1; at < len(c.nodes); at++ {
		s := m.sources[c.nodes[at].source]
		if c.nodes[at].broken != "" || s.Broken != "" || s.Visibility == Hidden || c.round(at) {
			continue
		}
		if len(all) == most {
			return all, false
		}
		all = append(all, m.reach(c, at))
	}
	return all, c.whole
}

// reach tells how a query means one node: by the shortest end of its way that no
// other node has, or by all of it.
func (m *Model) reach(c *closure, at int) Reach {
	r := Reach{Path: &Path{Home: c.home, Steps: c.steps(at)}}
	for _, s := range r.Path.Steps {
		r.Via = append(r.Via, s.Name)
	}
	for n := 1; n <= min(len(r.Via), maxWritten); n++ {
		if end := r.Via[len(r.Via)-n:]; m.means(c, at, end, n == len(r.Via)) {
			r.Reference = (&expression.Name{Parts: end}).String()
			break
		}
	}
	return r
}

// maxWritten is how many names of a way stand in a reference before its field.
const maxWritten = 4

// means reports whether a part of the way to a node is enough to mean it: no other
// node fits it, or it is all of the way.
func (m *Model) means(c *closure, at int, via []string, all bool) bool {
	found := c.matching(m, c.nodes[at].source, via)
	picked, ok := c.pick(m, found, via)
	return ok && picked == at && (len(found) == 1 || all)
}

// Incoming returns the joins that only other sources declare, in the direction
// away from this one: up where each of its rows has at most one row there, else
// down.
func (m *Model) Incoming(id SourceID) (all []Step) {
	s := m.sources[id]
	for _, e := range m.graph.up[id] {
		if e.Join.Source() != id {
			all = append(all, Step{Edge: e})
		}
	}
	for _, e := range m.graph.down[id] {
		oneToOne := slices.ContainsFunc(all, func(up Step) bool { return !up.Down && up.Join == e.Join })
		declared := slices.ContainsFunc(s.Joins, func(j Join) bool {
			back := make([]Pair, len(j.Equal))
			for i, p := range j.Equal {
				back[i] = Pair{p.To, p.From}
			}
			sortPairs(back)
			return j.To == e.From && j.mirrored == e.rest && slices.Equal(back, e.Equal)
		})
		if e.Join.Source() != id && !oneToOne && !declared {
			all = append(all, Step{Edge: e, Down: true})
		}
	}
	return all
}
