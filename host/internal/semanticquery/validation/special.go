package validation

import (
	"context"
	"errors"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk/dialect"
)

// computedMeasure returns a measure with what a request for it has to have besides,
// false where nobody can tell what that is.
func (v *validation) computedMeasure(ctx context.Context, s *model.Source, m *model.Measure) (one computed, ok bool) {
	ref, section := v.reference(s, m.Name), "measures."
	if s.ID == model.Metrics {
		section = "metrics."
	}
	for _, dimensions := range v.besides(m) {
		one = computed{source: s, name: m.Name, key: section + m.Name, pos: m.Pos, beside: dimensions, ask: func(r *request.Request) {
			r.Measures = append(r.Measures, request.Measure{Name: ref})
			for _, d := range dimensions {
				if !slices.ContainsFunc(r.Dimensions, func(o request.Dimension) bool { return o.Field == d.Field && o.Grain == d.Grain }) {
					r.Dimensions = append(r.Dimensions, d)
				}
			}
		}}
		if dimensions == nil {
			return one, true
		}
		_, err := v.probe(ctx, []computed{one})
		e, refused := errors.AsType[*refusal.Error](err)
		if err == nil || refused && (e.Code == refusal.CodeNotSupported || e.Code == refusal.CodeUnsupported) {
			return one, true
		}
	}
	return computed{}, false
}

// besides returns the lists of dimensions of which one makes a request for a measure
// whole; a single nil = it needs none.
func (v *validation) besides(m *model.Measure) (all [][]request.Dimension) {
	n := needs{validation: v, seen: map[model.MeasureID]bool{}}
	n.of(m)
	if len(n.grains) == 0 {
		return [][]request.Dimension{n.within}
	}
	for _, time := range n.times {
		for _, grain := range n.grains {
			all = append(all, append(slices.Clone(n.within), request.Dimension{Field: time, Grain: grain}))
		}
	}
	return all
}

// needs are the dimensions that a measure, and all that it is made of, is nothing
// without: those that shares are within, and time.
type needs struct {
	validation *validation
	seen       map[model.MeasureID]bool
	within     []request.Dimension
	grains     []dialect.Grain
	times      []string
}

func (n *needs) of(m *model.Measure) {
	if n.seen[m.ID] {
		return
	}
	n.seen[m.ID] = true
	switch m.Kind {
	case model.Simple:
		if home := n.validation.state.Model.Source(m.Home); home.DefaultTime != 0 {
			n.times = appendNew(n.times, n.validation.reference(home, n.validation.state.Model.Dimension(home.DefaultTime).Name))
		}
	case model.Cumulative:
		if m.Window.N > 0 {
			n.grains = appendNew(n.grains, m.Window.Grain)
		} else {
			n.grains = appendNew(n.grains, dialect.Day)
		}
	case model.TimeShift:
		n.grains = appendNew(n.grains, m.Offset.Grain)
	case model.Share:
		for _, ref := range m.Within {
			field := n.validation.reference(n.validation.state.Model.Source(ref.Source), n.validation.state.Model.Dimension(ref.Dimension).Name)
			n.within = append(n.within, request.Dimension{Field: field})
		}
	}
	for _, part := range m.Uses {
		n.of(n.validation.state.Model.Measure(part))
	}
}

func appendNew[T comparable](all []T, v T) []T {
	if slices.Contains(all, v) {
		return all
	}
	return append(all, v)
}
