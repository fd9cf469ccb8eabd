package model

import (
	"iter"
	"slices"
)

// A model knows of each source what others need of it, its outline: what it is made of,
// the joins, what the members are called and which are broken. The members and their
// drafts are made of that when somebody asks for the source, and kept from then on: of ten
// thousand sources, queries use a few.

// flaw is a member that cannot be used.
type flaw struct {
	kind  memberKind
	place int32
	// inherited: it is for what the member is made of.
	inherited bool
	why       string
}

// outline returns a source that may be without its members; nil for an id that is none.
func (m *Model) outline(id SourceID) *Source {
	if id < 0 || int(id) >= len(m.sources) {
		return nil
	}
	return m.sources[id]
}

// whole returns a source with its members. To make those looks at no member of any
// source, so that sources that refer to each other can be made at the same time.
// Concurrency: any number of goroutines; of several models that share the source too,
// for its names mean the same in each.
func (m *Model) whole(s *Source) *Source {
	if s == nil || s.whole.Load() {
		return s
	}
	one := newSource(s.ID, s.Name, s.Identity, s.full())
	m.shape(one)
	one.Joins = s.Joins
	one.breaks(s.flaws, false)
	(&linker{model: m, s: one, r: one.full()}).members()
	one.breaks(s.flaws, true)
	s.making.Lock()
	defer s.making.Unlock()
	if !s.whole.Load() {
		s.Members = one.Members
		s.whole.Store(true)
	}
	return s
}

// breaks notes in the members why they cannot be used.
func (s *Source) breaks(flaws []flaw, inherited bool) {
	for _, f := range flaws {
		if f.inherited != inherited {
			continue
		}
		switch f.kind {
		case isDimension:
			s.Dimensions[f.place].Broken, s.Dimensions[f.place].inherited = f.why, inherited
		case isMeasure:
			s.Measures[f.place].Broken, s.Measures[f.place].inherited = f.why, inherited
		case isSegment:
			s.Segments[f.place].Broken = f.why
		}
	}
}

// findFlaws notes which members cannot be used.
func (s *Source) findFlaws() {
	s.flaws = nil
	add := func(kind memberKind, at int, why string, inherited bool) {
		if why != "" {
			s.flaws = append(s.flaws, flaw{kind, int32(at), inherited, why})
		}
	}
	for i := range s.Dimensions {
		add(isDimension, i, s.Dimensions[i].Broken, s.Dimensions[i].inherited)
	}
	for i := range s.Measures {
		add(isMeasure, i, s.Measures[i].Broken, s.Measures[i].inherited)
	}
	for i := range s.Segments {
		add(isSegment, i, s.Segments[i].Broken, false)
	}
}

// reduce leaves the outlines of sources that nobody has yet. Who has the members of a source from the model before asks
// for them again, so that its draft is kept to make them of.
func (m *Model) reduce(before *Model, fresh map[SourceID]bool) {
	shared := map[columnList]*calls{}
	for id := range fresh {
		s := m.sources[id]
		s.whole.Store(false)
		if s.Members = noMembers; s.none() {
			s.Particulars = noParticulars
		}
		if id == Metrics {
			continue
		}
		var kept *draft
		if before != nil && int(id) < len(before.sources) && before.sources[id] != nil && before.sources[id].whole.Load() {
			kept = s.full()
		}
		s.draft = s.draft.outline(shared)
		s.made.Store(kept)
	}
}

// columnList is a list of columns that copies of a table have in common: its first one, and how many there are.
type columnList struct {
	first *Column
	n     int
}

// outline returns the draft without its members, and with what it has in common with others: the
// remarks of those that have none, and by a list of columns the names of members.
func (r *draft) outline(shared map[columnList]*calls) *draft {
	one := *r
	one.memberDrafts = nil
	if one.guesses = nil; len(r.mentions)+len(r.problems)+len(r.warnings) == 0 && r.file+r.broken == "" && r.days == nil {
		one.remarks = noRemarks
	}
	if columns := r.group.columns(); len(columns) > 0 && len(r.calls.more) == 0 {
		list := columnList{&columns[0], len(columns)}
		if known := shared[list]; known == nil {
			shared[list] = r.calls
		} else if known.same(r.calls) {
			one.calls = known
		}
	}
	return &one
}

// full returns the draft with its members: it is made again of what the source is made
// of, and kept from then on.
// Concurrency: any number of goroutines.
func (s *Source) full() *draft {
	if s.draft.memberDrafts != nil {
		return s.draft
	}
	if r := s.made.Load(); r != nil {
		return r
	}
	s.made.CompareAndSwap(nil, newDraft(s.draft.group, s.draft.dialect))
	return s.made.Load()
}

// calls are how the members of a source are called: the measures, then the dimensions, then
// the segments. Of ten thousand sources they are as much as the tables, so that what few
// members have is apart.
type calls struct {
	names                []string // "" = it has no name of its own
	measures, dimensions int
	more                 []callDetails // by place, of those that have any
}

// callDetails are what few members have beside a name.
type callDetails struct {
	place      int32
	visibility Visibility
	details    *Details
}

func (c *calls) add(name string, d *Details, v Visibility) {
	if d != nil || v != Public {
		c.more = append(c.more, callDetails{int32(len(c.names)), v, d})
	}
	c.names = append(c.names, name)
}

// call notes how the members are called.
func (r *draft) call() {
	r.calls = &calls{names: make([]string, 0, len(r.measures)+len(r.dims)+len(r.segments)), measures: len(r.measures), dimensions: len(r.dims)}
	for i := range r.measures {
		d := &r.measures[i]
		r.calls.add(d.Name.Value, d.Details, d.Visibility)
	}
	for i := range r.dims {
		d := &r.dims[i]
		r.calls.add(d.Name.Value, d.Details, d.Visibility)
	}
	for i := range r.segments {
		d := &r.segments[i]
		r.calls.add(d.Name.Value, d.Details, d.Visibility)
	}
}

// same reports whether the members have the same names and kinds.
func (c *calls) same(o *calls) bool {
	return c.measures == o.measures && c.dimensions == o.dimensions && slices.Equal(c.names, o.names)
}

// kind is the kind of the member at a place.
func (c *calls) kind(place int) memberKind {
	switch {
	case place < c.measures:
		return isMeasure
	case place < c.measures+c.dimensions:
		return isDimension
	}
	return isSegment
}

// Outlines returns the sources like Sources, without building their members: only Called
// tells those.
// Units: the cost is a step for each source, while Sources builds the members of all.
func (m *Model) Outlines() iter.Seq[*Source] {
	return func(yield func(*Source) bool) {
		for _, id := range m.order {
			if !yield(m.sources[id]) {
				return
			}
		}
	}
}

// Call is the name of a member, with its kind and its details.
type Call struct {
	Kind       string // "measure", "dimension" or "segment"
	Name       string
	Visibility Visibility
	*Details
}

// Called yields the names of all members; it works on an outline too.
func (s *Source) Called() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		c := s.draft.calls
		more := c.more
		for at, name := range c.names {
			var own callDetails
			if len(more) > 0 && int(more[0].place) == at {
				own, more = more[0], more[1:]
			}
			if name != "" && !yield(Call{kindNames[c.kind(at)], name, own.visibility, own.details.shown()}) {
				return
			}
		}
	}
}

var kindNames = map[memberKind]string{isMeasure: "measure", isDimension: "dimension", isSegment: "segment"}

// sameUse reports whether the members are there and can be used as before.
func sameUse(a, b *Source) bool {
	return a.draft.calls.same(b.draft.calls) &&
		slices.EqualFunc(a.flaws, b.flaws, func(x, y flaw) bool { return x.kind == y.kind && x.place == y.place && x.why == y.why })
}
