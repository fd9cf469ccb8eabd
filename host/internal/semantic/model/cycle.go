package model

import (
	"fmt"
	"slices"
	"strings"
)

// node is a member whose definition has others in it: a measure or a dimension.
type node struct {
	measure   MeasureID
	dimension DimensionID
}

func (n node) source() SourceID {
	if n.dimension != 0 {
		return n.dimension.Source()
	}
	return n.measure.Source()
}

// walker finds definitions that go round in circles (Tarjan's strongly connected
// components) or grow beyond maxDefinition, and takes what is broken to everything that is
// made of it. What it finds does not depend on where it starts.
type walker struct {
	model *Model
	// fresh are the sources that are being made; others are looked at only.
	fresh map[SourceID]bool
	// stale are the others of which something is not as they say.
	stale map[SourceID]bool
	seen  map[node]*visit
	stack []node
	next  int
}

// visit is what is known of a node.
type visit struct {
	index, low int
	open       bool   // on the stack
	why        string // it cannot be used
	written    int    // bytes of the definition, each name written out
}

// maxDefinition is the longest definition with all names in it written out: each of a few
// members that names the one before twice doubles it.
const maxDefinition = 256 << 10

func (w *walker) source(s *Source) {
	for i := range s.Dimensions {
		if s.Dimensions[i].Expr != nil {
			w.visit(node{dimension: s.Dimensions[i].ID})
		}
	}
	for i := range s.Measures {
		w.visit(node{measure: s.Measures[i].ID})
	}
}

func (w *walker) visit(n node) *visit {
	if v := w.seen[n]; v != nil {
		return v
	}
	v := &visit{index: w.next, low: w.next, open: true}
	w.seen[n] = v
	w.next++
	w.stack = append(w.stack, n)
	for _, part := range w.parts(n) {
		if p := w.visit(part); p.open {
			v.low = min(v.low, p.low)
		}
	}
	if v.low == v.index {
		at := slices.Index(w.stack, n)
		w.close(slices.Clone(w.stack[at:]))
		w.stack = w.stack[:at]
	}
	return v
}

// close settles the nodes of a component; everything that they are made of is
// settled already.
func (w *walker) close(all []node) {
	why := ""
	if len(all) > 1 || slices.Contains(w.parts(all[0]), all[0]) {
		why = w.circle(all)
	}
	for _, n := range all {
		v := w.seen[n]
		v.open, v.why = false, why
		if why == "" {
			v.why = w.inherited(n)
		}
		if v.why == "" {
			v.why = w.tooLong(n, v)
		}
		broken, inherited := w.broken(n)
		switch {
		case *broken == v.why:
		case w.fresh[n.source()]:
			*broken, *inherited = v.why, true
		default:
			w.stale[n.source()] = true
		}
	}
}

// inherited is why a node that is in no circle cannot be used.
func (w *walker) inherited(n node) string {
	if own := w.own(n); own != "" {
		return own
	}
	for _, part := range w.parts(n) {
		if why := w.seen[part].why; why != "" {
			if strings.HasPrefix(why, goesRound) || strings.HasPrefix(why, growsBeyond) {
				return why
			}
			if part.measure != 0 && w.model.Measure(part.measure).Name == "" {
				return why // an aggregate of the definition itself
			}
			return w.name(part) + " cannot be used: " + why
		}
	}
	return ""
}

const (
	goesRound   = "the definition goes round in a circle: "
	growsBeyond = "the definition is too long with the members that it is made of: "
)

// tooLong is why a definition, all of whose parts are settled, cannot be written out;
// it is reported there.
func (w *walker) tooLong(n node, v *visit) string {
	for _, e := range w.expressions(n) {
		v.written += len(e.Value)
	}
	for _, part := range w.parts(n) {
		v.written += w.seen[part].written
	}
	if v.written <= maxDefinition {
		return ""
	}
	why := fmt.Sprintf("%s%s would have more than %d bytes", growsBeyond, w.name(n), maxDefinition)
	w.report(n, why)
	return why
}

// circle describes a shortest way round from the first of the nodes by name, and
// reports it there.
func (w *walker) circle(all []node) string {
	first := slices.MinFunc(all, func(a, b node) int { return strings.Compare(w.name(a), w.name(b)) })
	before := map[node]node{}
	queue := []node{first}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, part := range w.parts(queue[0]) {
			if _, seen := before[part]; !seen && slices.Contains(all, part) {
				before[part] = queue[0]
				queue = append(queue, part)
			}
		}
	}
	names := []string{w.name(first)}
	for n := before[first]; n != first; n = before[n] {
		names = append(names, w.name(n))
	}
	names = append(names, w.name(first))
	slices.Reverse(names)
	why := goesRound + strings.Join(names, " → ")
	w.report(first, why)
	return why
}

// report adds a problem of a member, unless its source was made before.
func (w *walker) report(n node, why string) {
	if s, pos, path := w.place(n); w.fresh[s.ID] {
		s.problems = append(s.problems, Problem{File: s.File, Pos: pos, Path: path, Source: s.Name, Member: memberOf(path), Msg: why})
	}
}

func (w *walker) place(n node) (*Source, Pos, string) {
	if n.dimension != 0 {
		s := w.model.sources[n.dimension.Source()]
		d := w.model.Dimension(n.dimension)
		return s, d.Pos, under("dimensions", d.Name)
	}
	s, m := w.model.sources[n.measure.Source()], w.model.Measure(n.measure)
	section := "measures"
	if s.ID == Metrics {
		section = "metrics"
	}
	return s, m.Pos, under(section, m.Name)
}

// broken returns why a member cannot be used, and whether that is for what it is
// made of.
func (w *walker) broken(n node) (why *string, inherited *bool) {
	if n.dimension != 0 {
		d := w.model.Dimension(n.dimension)
		return &d.Broken, &d.inherited
	}
	m := w.model.Measure(n.measure)
	return &m.Broken, &m.inherited
}

// own is why a member cannot be used by itself, whatever it is made of.
func (w *walker) own(n node) string {
	if why, inherited := w.broken(n); !*inherited {
		return *why
	}
	return ""
}

func (w *walker) name(n node) string {
	id, name := n.source(), ""
	if n.dimension != 0 {
		name = w.model.Dimension(n.dimension).Name
	} else if name = w.model.Measure(n.measure).Name; name == "" {
		name = "an aggregate in it"
	}
	if id == Metrics {
		return name
	}
	return w.model.sources[id].Name + "." + name
}

// expressions are what a member is defined by.
func (w *walker) expressions(n node) []*Expr {
	if n.dimension != 0 {
		return present(w.model.Dimension(n.dimension).Expr)
	}
	m := w.model.Measure(n.measure)
	all := present(m.Expr)
	all = append(all, m.Filter...)
	for _, id := range m.Segments {
		all = append(all, present(w.model.Segment(id).Expr)...)
	}
	return all
}

func present(e *Expr) []*Expr {
	if e == nil {
		return nil
	}
	return []*Expr{e}
}

// parts are the members that a definition has in it, as often as an expression names
// them; none of one that is broken by itself.
func (w *walker) parts(n node) (all []node) {
	if w.own(n) != "" {
		return nil
	}
	for _, e := range w.expressions(n) {
		for i := range e.Refs {
			if r := e.Refs[i]; r.Dimension != 0 || r.Measure != 0 {
				all = append(all, node{measure: r.Measure, dimension: r.Dimension})
			}
		}
	}
	if n.dimension != 0 {
		return all
	}
	m := w.model.Measure(n.measure)
	if m.Kind != Derived {
		for _, id := range m.Uses {
			all = append(all, node{measure: id})
		}
	}
	for _, r := range append(slices.Clone(m.Within), m.Per...) {
		if r.Dimension != 0 {
			all = append(all, node{dimension: r.Dimension})
		}
	}
	return all
}
