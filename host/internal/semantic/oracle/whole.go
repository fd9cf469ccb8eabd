package oracle

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// defined are the dimensions that a definition refers to.
func (w *world) defined(refs []model.Ref, owner model.SourceID) (all []dimension) {
	for _, ref := range refs {
		label := ref.Column
		if ref.Dimension != 0 {
			label = w.model.Dimension(ref.Dimension).Name
		}
		all = append(all, dimension{label: label, cut: ref.Grain, find: func(home model.SourceID) (place, error) {
			if len(ref.Via) == 0 && home != owner {
				ref.Via = []string{w.model.Source(owner).Identity}
			}
			return w.reach(home, ref)
		}})
	}
	return all
}

// share is the base as a part of what it is within a coarser group.
func (w *world) share(m *model.Measure, s scope) (*column, error) {
	home := w.simpleOf(m.Base).Home
	var kept []int
	for _, d := range w.defined(m.Within, m.ID.Source()) {
		want, err := d.find(home)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(s.dims, func(o dimension) bool {
			p, err := o.find(home)
			return err == nil && o.grain == "" && p.equal(want)
		})
		if at < 0 {
			return nil, refuse(Unspecified, "%s is within %s, which was not asked for", m.Name, d.label)
		}
		kept = append(kept, at)
	}
	part, err := w.measure(m.Base, s)
	if err != nil {
		return nil, err
	}
	if s.conditional {
		return nil, refuse(Unspecified, "a share among the groups that conditions leave")
	}
	coarse := s
	coarse.dims, coarse.only = nil, nil
	for _, at := range kept {
		coarse.dims = append(coarse.dims, s.dims[at])
	}
	whole, err := w.measure(m.Base, coarse)
	if err != nil {
		return nil, err
	}
	return &column{part.domain, part.rows, func(tuple []any) any {
		var group []any
		for _, at := range kept {
			group = append(group, tuple[at])
		}
		return operate("/", part.at(tuple), whole.at(group))
	}}, nil
}

// nested aggregates what the base is for each entity.
func (w *world) nested(m *model.Measure, s scope) (*column, error) {
	finer := s
	finer.dims = append(slices.Clone(s.dims), w.defined(m.Per, m.ID.Source())...)
	base, err := w.measure(m.Base, finer)
	if err != nil {
		return nil, err
	}
	c := &column{domain: map[string][]any{}, rows: map[string][]any{}}
	for _, tuple := range base.domain { // some group has rows in some period
		c.domain[keyOf(tuple[:len(s.dims)]...)] = tuple[:len(s.dims)]
	}
	values := map[string][]any{}
	for _, tuple := range base.rows { // an entity counts where it has rows
		group := tuple[:len(s.dims)]
		key := keyOf(group...)
		c.rows[key] = group
		if !slices.Contains(tuple[len(s.dims):], nil) { // nobody is no entity
			values[key] = append(values[key], base.at(tuple))
		}
	}
	switch {
	case len(s.dims) == 0:
		c.domain[keyOf()] = []any{}
	case len(s.dims) == 1 && w.within(m.Base, model.Cumulative) != "": // a window is there in every period, with entities or without
		for _, p := range s.shown {
			c.domain[keyOf(p)] = []any{p}
		}
	}
	c.at = func(tuple []any) any { return aggregate(m.Agg, values[keyOf(tuple...)], m.Parameter) }
	return c, nil
}
