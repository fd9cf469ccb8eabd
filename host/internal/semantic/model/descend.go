package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// descend finds the way to a source that the home does not lead to: down to
// finer rows, and from them up. A way up and then down again would relate rows
// that only share a parent, and is refused.
func (m *Model) descend(home SourceID, ref Ref, via []string) (*Path, error) {
	below := m.graph.below(ref.Source)
	c := &closure{home: home, whole: true, nodes: []closureNode{{source: home, parent: -1}}}
	known := map[string]int{}
	var found []*Path
	for at := 0; at < len(c.nodes); at++ {
		if at > 0 && below[c.nodes[at].source] {
			found = append(found, m.upFrom(c, at, ref)...)
		}
		for _, e := range m.graph.down[c.nodes[at].source] {
			if c.repeats(at, e.From) > 0 {
				continue
			}
			if !c.step(at, e, true, known) {
				return nil, m.tooMany(home, ref)
			}
		}
	}
	found = withoutDetours(slices.DeleteFunc(found, func(p *Path) bool { return !m.fits(p.Steps, via, inOrder) }))
	if len(found) == 0 {
		return nil, m.unreachable(home, ref, via)
	}
	return m.chooseDown(found, ref, via)
}

// below returns the sources that lead up to one, and the one itself.
func (g *graph) below(source SourceID) map[SourceID]bool {
	all := map[SourceID]bool{source: true}
	for queue := []SourceID{source}; len(queue) > 0; queue = queue[1:] {
		for _, e := range g.down[queue[0]] {
			if !all[e.From] {
				all[e.From] = true
				queue = append(queue, e.From)
			}
		}
	}
	return all
}

// upFrom returns the ways from a finer row up to a source; one that starts with
// the join that led down is none, for it leads back.
func (m *Model) upFrom(c *closure, at int, ref Ref) (paths []*Path) {
	var down []Step
	for i := at; i > 0; i = c.nodes[i].parent {
		down = append(down, Step{Edge: c.nodes[i].edge, Down: true})
	}
	slices.Reverse(down)
	if c.nodes[at].source == ref.Source {
		paths = append(paths, &Path{Home: c.home, Steps: down})
	}
	up := m.closure(c.nodes[at].source)
	for i := range up.nodes {
		if up.nodes[i].source != ref.Source || i == 0 {
			continue
		}
		if steps := up.steps(i); steps[0].Edge != c.nodes[at].edge {
			paths = append(paths, &Path{Home: c.home, Steps: append(slices.Clip(down), steps...)})
		}
	}
	return paths
}

// withoutDetours leaves out the ways that go on from one of the others with joins up:
// the manager of an employee is an employee too, and is asked for by that role.
func withoutDetours(found []*Path) []*Path {
	all := slices.Clone(found)
	return slices.DeleteFunc(found, func(p *Path) bool {
		return slices.ContainsFunc(all, func(o *Path) bool {
			n := len(o.Steps)
			return n < len(p.Steps) && slices.Equal(o.Steps, p.Steps[:n]) && !slices.ContainsFunc(p.Steps[n:], func(s Step) bool { return s.Down })
		})
	})
}

// spelling says how much of a way names have to be.
type spelling int

const (
	inOrder  spelling = iota // steps may be between them
	stepwise                 // every step has one
	byName                   // every step has what its join is called
)

// fits reports whether a way has the names in their order, the last of them at
// its end.
func (m *Model) fits(steps []Step, via []string, s spelling) bool {
	return m.fit(steps, via, s, true)
}

func (m *Model) fit(steps []Step, via []string, s spelling, end bool) bool {
	if len(steps) == 0 || len(via) == 0 {
		return len(via) == 0 && (len(steps) == 0 || s == inOrder && !end)
	}
	last := steps[len(steps)-1]
	for n := range takes(m, last.name(), last.Source(), via) {
		switch {
		case n == 0 && (end || s != inOrder), n == 1 && s == byName && !m.calls(last.Edge, last.Source(), via[len(via)-1]):
		case m.fit(steps[:len(steps)-1], via[:len(via)-n], s, false):
			return true
		}
	}
	return false
}

// name is what a step is called: its role, else where it leads.
func (s Step) name() string {
	if s.Down {
		return s.Role
	}
	return s.Name
}

func (m *Model) chooseDown(found []*Path, ref Ref, via []string) (*Path, error) {
	p := found[0]
	if len(found) > 1 {
		if p = m.spelledOut(found, via); p == nil {
			return nil, m.ambiguousDown(found, ref)
		}
		var others []string
		for _, o := range found {
			if o != p {
				others = append(others, m.wordsOf(o))
			}
		}
		p.Note = fmt.Sprintf("%s is taken %s, not %s", m.fieldName(ref), m.wordsOf(p), strings.Join(others, ", nor "))
	}
	for _, s := range p.Steps {
		if s.Broken != "" {
			return nil, invalid(CodeBroken, nil, "the join from %s to %s cannot be used: %s", m.sources[s.From].Name, m.sources[s.To].Name, s.Broken)
		}
	}
	return p, nil
}

// spelledOut returns the only way of which names say each step; nil = there is none.
func (m *Model) spelledOut(found []*Path, via []string) *Path {
	for _, s := range []spelling{byName, stepwise} {
		if exact := slices.DeleteFunc(slices.Clone(found), func(p *Path) bool { return !m.fits(p.Steps, via, s) }); len(exact) > 0 {
			if len(exact) > 1 {
				return nil
			}
			return exact[0]
		}
	}
	return nil
}

func (m *Model) ambiguousDown(found []*Path, ref Ref) error {
	const most = 8
	home := m.sources[found[0].Home].Name
	var candidates, ways []string
	for _, p := range found[:min(most, len(found))] {
		candidates = append(candidates, m.referenceDown(found, p, ref))
		ways = append(ways, m.wordsOf(p))
	}
	more := ""
	if len(found) > most {
		more = fmt.Sprintf("; and %d more", len(found)-most)
	}
	return invalid(CodeAmbiguousPath, candidates, "%s leads to %s in several ways: %s%s", home, m.sources[ref.Source].Name, strings.Join(ways, "; "), more)
}

// referenceDown writes a reference that means one of some ways: as a name with each step, which an expression may have too,
// else as an object. The role of a join down is no such step, for to rows below it means what is above them.
func (m *Model) referenceDown(found []*Path, p *Path, ref Ref) string {
	var via []string
	for _, s := range p.Steps {
		via = append(via, m.stepName(s))
	}
	turned := slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Down && s.Role != "" })
	if to := m.targets(m.sources[p.Home], via); !turned && len(via) <= maxWritten && len(to) == 1 && to[0].source == ref.Source && m.spelledOut(found, to[0].via) == p {
		return (&expression.Name{Parts: slices.Concat(via, m.fieldParts(ref)[1:])}).String()
	}
	if last := p.Steps[len(p.Steps)-1]; last.Role == "" && len(via) > 1 {
		via = via[:len(via)-1]
	}
	return viaReference(m.fieldName(ref), via)
}

func (m *Model) stepName(s Step) string {
	if name := s.name(); name != "" {
		return name
	}
	return m.sources[s.Source()].Name
}

func (m *Model) wordsOf(p *Path) string {
	names := []string{m.sources[p.Home].Name}
	for _, s := range p.Steps {
		names = append(names, m.stepName(s))
	}
	return "over " + strings.Join(names, " → ")
}

// unreachable says how far a home is from a source: over rows that only share a
// parent, or not at all.
func (m *Model) unreachable(home SourceID, ref Ref, via []string) error {
	name, other := m.sources[home].Name, m.sources[ref.Source].Name
	steps := m.graph.anyWay(home, ref.Source)
	if steps == nil {
		if err := m.undecided(home, ref); err != nil {
			return err
		}
		return invalid(CodeNoPath, nil, "no join leads from %s to %s", name, other).
			WithHint("add a join between a source that %s leads to and one that %s leads to", name, other)
	}
	up := slices.IndexFunc(steps, func(s Step) bool { return !s.Down })
	if up < 0 || !slices.ContainsFunc(steps[up:], func(s Step) bool { return s.Down }) { // it is the names that lead nowhere
		return invalid(CodeUnreachable, nil, "%s reaches %s, but not over %s", name, other, list(via, "and")).
			WithHint("leave the way out, or write the roles of joins that there are")
	}
	var ways []string
	for _, s := range steps {
		how := "many_to_one"
		if s.Down {
			how = "one_to_many"
		}
		ways = append(ways, fmt.Sprintf("%s (%s)", m.stepName(s), how))
	}
	return invalid(CodeUnreachable, nil, "%s reaches %s only through %s", name, other, strings.Join(ways, ", then ")).
		WithHint("ask for the measures of %s and of %s separately", name, other)
}

// anyWay is a shortest way in whatever directions; nil = there is none.
func (g *graph) anyWay(from, to SourceID) []Step {
	before := map[SourceID]Step{}
	seen := map[SourceID]bool{from: true}
	for queue := []SourceID{from}; len(queue) > 0 && !seen[to]; queue = queue[1:] {
		var steps []Step
		for _, e := range g.up[queue[0]] {
			steps = append(steps, Step{Edge: e})
		}
		for _, e := range g.down[queue[0]] {
			steps = append(steps, Step{Edge: e, Down: true})
		}
		for _, s := range steps {
			if at := s.Source(); !seen[at] {
				seen[at] = true
				before[at] = s
				queue = append(queue, at)
			}
		}
	}
	if !seen[to] {
		return nil
	}
	var way []Step
	for at := to; at != from; {
		s := before[at]
		way = append(way, s)
		if at = s.From; s.Down {
			at = s.To
		}
	}
	slices.Reverse(way)
	return way
}
