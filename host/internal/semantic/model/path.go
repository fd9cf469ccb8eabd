package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Step is one join on a path.
type Step struct {
	*Edge
	// Down: from To to From, where each row has any number of rows.
	Down bool
}

// Source returns the source that the step leads to.
func (s Step) Source() SourceID {
	if s.Down {
		return s.From
	}
	return s.To
}

// Path is a sequence of joins from a home to the source of a reference.
// Shape: no step for the home itself; equal paths have equal steps. A path goes up
// only, so that each row of the home has one row there, or first down, so that the
// rows there are finer than the home.
type Path struct {
	Home  SourceID
	Steps []Step
	// Note lists other paths that were not used; "" = there are none.
	Note string
}

// ToOne reports whether each row of the home leads to at most one row.
func (p *Path) ToOne() bool {
	return !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Down })
}

// Source returns the last source of the path.
func (p *Path) Source() SourceID {
	if len(p.Steps) == 0 {
		return p.Home
	}
	return p.Steps[len(p.Steps)-1].Source()
}

// Path returns the joins from a home to the source of a reference.
//
// Paths that lead to the same row are equal, and the shortest is used. A path that
// the reference spells out step by step is preferred, so a direct join is
// preferred to longer paths; Note lists the others. If several different paths are
// left the reference is refused. Length alone decides nothing.
//
// Errors: *sdk.Error with a Code: CodeAmbiguousPath with references to choose
// from, CodeNoPath, CodeBroken. KindInternal for an id that is none.
func (m *Model) Path(home SourceID, ref Ref) (*Path, error) {
	if m.outline(home) == nil || m.outline(ref.Source) == nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "a path between sources that are not in the model")
	}
	via := ref.Via
	if len(via) == 0 {
		if ref.Source == home {
			return &Path{Home: home}, nil
		}
		via = []string{m.sources[ref.Source].Identity}
	}
	c := m.closure(home)
	found := c.matching(m, ref.Source, via)
	if len(found) > 0 {
		return m.choose(c, found, ref, via)
	}
	if !c.whole {
		return nil, m.tooMany(home, ref)
	}
	return m.descend(home, ref, via)
}

func (m *Model) tooMany(home SourceID, ref Ref) error {
	return invalid(CodeAmbiguousPath, nil, "%s leads to %s in more ways than can be told apart", m.sources[home].Name, m.sources[ref.Source].Name).
		WithHint("give the joins between them roles, or disable those that are not meant")
}

// choose takes one of the nodes that a reference may mean.
func (m *Model) choose(c *closure, found []int, ref Ref, via []string) (*Path, error) {
	at, ok := c.pick(m, found, via)
	switch {
	case !ok && !c.whole:
		return nil, m.tooMany(c.home, ref)
	case !ok:
		return nil, m.ambiguous(c, found, ref)
	}
	if why := c.nodes[at].broken; why != "" {
		return nil, invalid(CodeBroken, nil, "the join from %s to %s cannot be used: %s", m.sources[c.home].Name, m.sources[ref.Source].Name, why)
	}
	p := &Path{Home: c.home, Steps: c.steps(at)}
	if len(found) > 1 {
		p.Note = m.leftAside(c, found, at, ref)
	}
	return p, nil
}

// pick returns the node that names spell out step by step: by what the joins
// are called, else by where they lead. One that is alone needs no spelling.
func (c *closure) pick(m *Model, found []int, via []string) (int, bool) {
	if len(found) == 1 && c.whole {
		return found[0], true
	}
	for _, byName := range []bool{true, false} {
		exact := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return !c.spelled(m, i, via, byName) })
		if len(exact) > 0 {
			return exact[0], len(exact) == 1
		}
	}
	return 0, false
}

func (c *closure) steps(at int) []Step {
	steps := make([]Step, c.nodes[at].depth)
	for i := at; i > 0; i = c.nodes[i].parent {
		steps[c.nodes[i].depth-1] = Step{Edge: c.nodes[i].edge}
	}
	return steps
}

func (m *Model) ambiguous(c *closure, found []int, ref Ref) error {
	var candidates, ways []string
	for _, i := range found {
		candidates = append(candidates, m.reference(c, i, ref))
		ways = append(ways, m.words(c, i))
	}
	return invalid(CodeAmbiguousPath, candidates, "%s leads to %s in several ways: %s", m.sources[c.home].Name, m.sources[ref.Source].Name, strings.Join(ways, "; "))
}

func (m *Model) leftAside(c *closure, found []int, at int, ref Ref) string {
	var others []string
	for _, i := range found {
		if i != at {
			others = append(others, m.words(c, i))
		}
	}
	return fmt.Sprintf("%s is taken %s, not %s", m.fieldName(ref), m.words(c, at), strings.Join(others, ", nor "))
}

// words writes the way to a node: "over lineitem → orders → customer".
func (m *Model) words(c *closure, at int) string {
	names := []string{m.sources[c.home].Name}
	for _, s := range c.steps(at) {
		names = append(names, s.Name)
	}
	return "over " + strings.Join(names, " → ")
}

// fieldName writes a field with its source, as a request can say it.
func (m *Model) fieldName(ref Ref) string {
	return (&expression.Name{Parts: m.fieldParts(ref)}).String()
}

func (m *Model) fieldParts(ref Ref) []string {
	name := ref.Column
	switch {
	case ref.Dimension != 0:
		name = m.sources[ref.Dimension.Source()].full().dims[place(ref.Dimension)].Name.Value
	case ref.Measure != 0:
		name = m.sources[ref.Measure.Source()].full().measures[place(ref.Measure)].Name.Value
	}
	if name == "" {
		return []string{m.sources[ref.Source].Name}
	}
	return []string{m.sources[ref.Source].Name, name}
}

// reference writes a reference that means one node: the shortest end of its way
// that no other node has, or all of it.
func (m *Model) reference(c *closure, at int, ref Ref) string {
	field := m.fieldParts(ref)[1:]
	var all []string
	for _, s := range c.steps(at) {
		all = append(all, s.Name)
	}
	for n := 1; n <= min(len(all), maxWritten); n++ {
		if via := all[len(all)-n:]; m.means(c, at, via, n == len(all)) {
			return (&expression.Name{Parts: slices.Concat(via, field)}).String()
		}
	}
	return viaReference(m.fieldName(ref), all[:len(all)-1])
}

// viaReference is a reference as an object.
func viaReference(field string, way []string) string {
	via := make([]string, len(way))
	for i, w := range way {
		via[i] = (&expression.Name{Parts: []string{w}}).String()
	}
	text, err := json.Marshal(struct {
		Field string   `json:"field"`
		Via   []string `json:"via"`
	}{field, via})
	if err != nil {
		panic(err) // texts only
	}
	return string(text)
}

// matching returns the nodes of a source that a path of names may mean: the home
// itself when that is what they name, else every way to the source under
// whatever roles. A way that goes on from one of them is another matter: the
// customer's partner is a customer too, and is asked for by that role.
func (c *closure) matching(m *Model, source SourceID, via []string) (found []int) {
	for _, i := range c.of[source] {
		if !c.ends(m, i, via) {
			continue
		}
		if i == 0 {
			return []int{0}
		}
		if !c.beyond(i, found) {
			found = append(found, i)
		}
	}
	// Round after round of a join with itself is meant only when it is written.
	if straight := slices.DeleteFunc(slices.Clone(found), c.round); len(straight) > 0 {
		return straight
	}
	return found
}

// round reports whether the way to a node takes a join twice.
func (c *closure) round(at int) bool {
	for ; at > 0; at = c.nodes[at].parent {
		for above := c.nodes[at].parent; above > 0; above = c.nodes[above].parent {
			if c.nodes[above].edge == c.nodes[at].edge {
				return true
			}
		}
	}
	return false
}

// beyond reports whether the way to a node goes through one of others.
func (c *closure) beyond(at int, others []int) bool {
	for at = c.nodes[at].parent; at > 0; at = c.nodes[at].parent {
		if slices.Contains(others, at) {
			return true
		}
	}
	return false
}

// ends reports whether a way to a node ends with the names, others between them.
func (c *closure) ends(m *Model, at int, via []string) bool {
	if len(via) > 1 || at == 0 {
		return c.through(m, at, via, map[[2]int]bool{})
	}
	return m.names1(c.nodes[at].source, via[0]) ||
		slices.ContainsFunc(c.nodes[at].arrivals, func(a arrival) bool { return strings.EqualFold(a.edge.Name, via[0]) })
}

// through reports whether a way to a node has the names in their order, the
// last of them at its end. seen keeps it from going round.
func (c *closure) through(m *Model, at int, via []string, seen map[[2]int]bool) bool {
	key := [2]int{at, len(via)}
	if at == 0 || seen[key] {
		return len(via) == 1 && at == 0 && m.names1(c.home, via[0])
	}
	seen[key] = true
	for _, a := range c.nodes[at].arrivals {
		for n := range takes(m, a.edge.Name, c.nodes[at].source, via) {
			if n > 0 && c.above(m, a.parent, via[:len(via)-n], seen) {
				return true
			}
		}
	}
	return false
}

// above is through for what is before the end: names may be left out.
func (c *closure) above(m *Model, at int, via []string, seen map[[2]int]bool) bool {
	if len(via) == 0 {
		return true
	}
	key := [2]int{at, -len(via)}
	if at == 0 || seen[key] {
		return at == 0 && len(via) == 1 && m.names1(c.home, via[0])
	}
	seen[key] = true
	for _, a := range c.nodes[at].arrivals {
		for n := range takes(m, a.edge.Name, c.nodes[at].source, via) {
			if c.above(m, a.parent, via[:len(via)-n], seen) {
				return true
			}
		}
	}
	return false
}

// spelled reports whether the names are one way to a node, step by step; byName:
// with what the joins are called, not with where they lead alone.
func (c *closure) spelled(m *Model, at int, via []string, byName bool) bool {
	if at == 0 || len(via) == 0 {
		return at == 0 && (len(via) == 0 || len(via) == 1 && m.names1(c.home, via[0]))
	}
	for _, a := range c.nodes[at].arrivals {
		for n := range takes(m, a.edge.Name, c.nodes[at].source, via) {
			if n == 1 && byName && !m.calls(a.edge, c.nodes[at].source, via[len(via)-1]) {
				continue
			}
			if n > 0 && c.spelled(m, a.parent, via[:len(via)-n], byName) {
				return true
			}
		}
	}
	return false
}

// takes yields how many of the last names a step may stand for: none, its name
// or its source, or its name and then its source.
func takes(m *Model, name string, source SourceID, via []string) func(func(int) bool) {
	return func(yield func(int) bool) {
		n := len(via)
		bySource := n > 0 && m.names1(source, via[n-1])
		if n > 1 && bySource && strings.EqualFold(via[n-2], name) && !yield(2) {
			return
		}
		if n > 0 && (bySource || strings.EqualFold(via[n-1], name)) && !yield(1) {
			return
		}
		yield(0)
	}
}

// calls reports whether a name is what a join is called: its role, and the name of
// the source that it leads to where it has none.
func (m *Model) calls(e *Edge, to SourceID, name string) bool {
	return strings.EqualFold(e.Role, name) || e.Role == "" && m.names1(to, name)
}

// names1 reports whether one name means a source.
func (m *Model) names1(s SourceID, name string) bool {
	return strings.EqualFold(name, m.sources[s].Name) || strings.EqualFold(name, m.sources[s].Identity)
}
