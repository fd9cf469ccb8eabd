package model

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// Reach is a source of which each row of a home has at most one row.
type Reach struct {
	Path *Path
	// Reference is what stands before the name of a member of the source, when a
	// query means the row that Path leads to: "customers", "ship_region.region";
	// "" = only Via tells it apart.
	Reference string
	// Via are the roles and sources on the way, one per step.
	Via []string
}

// Reachable returns what each row of a home leads to, the nearest first, at most
// most of them; whole: there are no more. Ways that a broken join is on and rounds
// of a join with itself are left out, and so are hidden and broken sources.
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

// Incoming returns the joins of a source that others declare and it does not
// itself, in the direction away from it: up where each of its rows has at most one
// of the other's, else down.
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
