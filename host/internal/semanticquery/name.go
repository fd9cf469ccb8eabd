package semanticquery

import (
	"cmp"
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Name is the name of a source or a member in requests.
type Name struct {
	Reference string
	// About is its description, else its definition; it may have several lines.
	About string
}

// The kinds of names.
const (
	SourceNames    = "source"
	MeasureNames   = "measure"
	DimensionNames = "dimension"
	SegmentNames   = "segment"
)

// Names returns the usable names of a kind that begin with a text: metrics, names from
// files, then scanned tables.
// Units: most bounds their number; members of sources without such names are not built.
// Errors: those of Compile for the connection; those of the layer. No connector is needed.
func (s *Service) Names(ctx context.Context, id connection.ID, kind, begun string, most int) ([]Name, error) {
	_, state, _, err := s.state(ctx, id, scanned)
	if err != nil {
		return nil, err
	}
	n := naming{model: state.Model, kind: kind, begun: begun, named: map[string]int{}}
	for source := range n.model.Outlines() {
		if source.Visibility == model.Public {
			n.named[source.Name]++
		}
	}
	if kind == MeasureNames {
		n.members(n.model.Source(model.Metrics), nil)
	}
	for _, defined := range []bool{true, false} {
		for source := range n.model.Outlines() {
			if len(n.found) >= most {
				return n.found[:most], nil
			}
			if source.Visibility == model.Public && source.Broken == "" && (source.File != "") == defined {
				n.source(source)
			}
		}
	}
	return n.found[:min(most, len(n.found))], nil
}

// naming collects names.
type naming struct {
	model       *model.Model
	kind, begun string
	named       map[string]int // how many sources have a name
	found       []Name
}

// source adds a source, or its members.
func (n *naming) source(s *model.Source) {
	parts := []string{s.Name}
	if n.named[s.Name] > 1 {
		if s.Table.Schema == "" {
			return // its schema is what would tell it apart
		}
		parts = []string{s.Table.Schema, s.Name}
	}
	if n.kind == SourceNames {
		if name := strings.Join(parts, "."); strings.HasPrefix(name, n.begun) {
			n.found = append(n.found, Name{name, s.Description})
		}
		return
	}
	for c := range s.Called() { // an outline knows what its members are called
		if c.Kind == n.kind && c.Visibility == model.Public && strings.HasPrefix(reference(parts, c.Name), n.begun) {
			n.members(n.model.Source(s.ID), parts)
			return
		}
	}
}

// members adds the members of a source that is whole.
func (n *naming) members(s *model.Source, parts []string) {
	add := func(v model.Visibility, broken, name, about string) {
		if ref := reference(parts, name); v == model.Public && broken == "" && name != "" && strings.HasPrefix(ref, n.begun) {
			n.found = append(n.found, Name{ref, about})
		}
	}
	switch n.kind {
	case MeasureNames:
		for i := range s.Measures {
			m := &s.Measures[i]
			add(m.Visibility, m.Broken, m.Name, cmp.Or(m.Description, m.Label, made(m)))
		}
	case DimensionNames:
		for i := range s.Dimensions {
			d := &s.Dimensions[i]
			add(d.Visibility, d.Broken, d.Name, cmp.Or(d.Description, d.Label, d.Type.String()))
		}
	case SegmentNames:
		for i := range s.Segments {
			g := &s.Segments[i]
			add(g.Visibility, g.Broken, g.Name, cmp.Or(g.Description, g.Label, text(g.Expr)))
		}
	}
}

// made says what a measure is made of.
func made(m *model.Measure) string {
	switch {
	case m.Kind != model.Simple:
		return string(m.Kind)
	case m.Expr == nil:
		return string(m.Agg)
	}
	return string(m.Agg) + " of " + aggregated(m)
}

// reference is the name of a member as requests write it.
func reference(parts []string, name string) string {
	return expression.String(&expression.Name{Parts: append(parts[:len(parts):len(parts)], name)})
}
