package model

import (
	"slices"
	"strings"
)

// node is a member whose definition has others in it: a measure or a dimension.
type node struct {
	measure   MeasureID
	dimension DimensionID
}

// state is how far a walk is with a node.
type state struct {
	open bool
	why  string // it cannot be used
}

// walker finds definitions that go in circles, and takes what is broken to
// everything that is made of it.
type walker struct {
	*Model
	// fresh are the sources that are being made; others are looked at only.
	fresh map[SourceID]bool
	state map[node]state
	path  []node
}

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

// visit returns why a node cannot be used, "" = it can.
func (w *walker) visit(n node) string {
	if at, seen := w.state[n]; seen {
		if at.open {
			return w.circle(n)
		}
		return at.why
	}
	broken := w.broken(n)
	if *broken != "" {
		w.state[n] = state{why: *broken}
		return *broken
	}
	unusable := ""
	w.state[n] = state{open: true}
	w.path = append(w.path, n)
	for _, part := range w.parts(n) {
		if why := w.visit(part); why != "" {
			if !strings.HasPrefix(why, goesRound) {
				why = w.name(part) + " cannot be used: " + why
			}
			unusable = why
			break
		}
	}
	w.path = w.path[:len(w.path)-1]
	w.state[n] = state{why: unusable}
	if unusable != "" && w.fresh[n.source()] {
		*broken = unusable
	}
	return unusable
}

func (n node) source() SourceID {
	if n.dimension != 0 {
		return n.dimension.Source()
	}
	return n.measure.Source()
}

const goesRound = "the definition goes round in a circle: "

// circle describes the path that came back to a node.
func (w *walker) circle(n node) string {
	at := slices.Index(w.path, n)
	names := make([]string, 0, len(w.path)-at+1)
	for _, p := range append(slices.Clone(w.path[at:]), n) {
		names = append(names, w.name(p))
	}
	why := goesRound + strings.Join(names, " → ")
	if s, pos, path := w.place(n); w.fresh[s.ID] {
		p := Problem{File: s.File, Pos: pos, Path: path, Source: s.Name, Member: memberOf(path), Msg: why}
		s.problems = append(s.problems, p)
	}
	return why
}

func (w *walker) place(n node) (*Source, Pos, string) {
	if n.dimension != 0 {
		s := w.sources[n.dimension.Source()]
		d := w.Dimension(n.dimension)
		return s, d.Pos, under("dimensions", d.Name)
	}
	s, m := w.sources[n.measure.Source()], w.Measure(n.measure)
	section := "measures"
	if s.ID == Metrics {
		section = "metrics"
	}
	return s, m.Pos, under(section, m.Name)
}

func (w *walker) broken(n node) *string {
	if n.dimension != 0 {
		return &w.Dimension(n.dimension).Broken
	}
	return &w.Measure(n.measure).Broken
}

func (w *walker) name(n node) string {
	id, name := n.source(), ""
	if n.dimension != 0 {
		name = w.Dimension(n.dimension).Name
	} else if name = w.Measure(n.measure).Name; name == "" {
		name = "an aggregate in it"
	}
	if id == Metrics {
		return name
	}
	return w.sources[id].Name + "." + name
}

// parts are the members that a definition has in it.
func (w *walker) parts(n node) (all []node) {
	fields := func(e *Expr) {
		if e == nil {
			return
		}
		for i := range e.Refs {
			if d := e.Refs[i].Dimension; d != 0 {
				all = append(all, node{dimension: d})
			}
		}
	}
	if n.dimension != 0 {
		fields(w.Dimension(n.dimension).Expr)
		return all
	}
	m := w.Measure(n.measure)
	for _, id := range m.Uses {
		all = append(all, node{measure: id})
	}
	fields(m.Expr)
	for _, f := range m.Filter {
		fields(f)
	}
	for _, id := range m.Segments {
		fields(w.Segment(id).Expr)
	}
	for _, r := range append(slices.Clone(m.Within), m.Per...) {
		if r.Dimension != 0 {
			all = append(all, node{dimension: r.Dimension})
		}
	}
	return all
}
