package model

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// Member is one possible meaning of a reference in a request.
// Shape: exactly one of Dimension, Measure and Segment is set.
type Member struct {
	Ref
	Segment SegmentID
}

// FindSource returns a source by its name, or by its schema and name.
// Errors: KindNotFound with CodeUnknown and near names; KindInvalid with CodeAmbiguous,
// CodeBroken or CodeHidden. With CodeBroken the source is returned too.
func (m *Model) FindSource(name string) (*Source, error) {
	parts, err := expression.ParseName(name)
	ref, ok := split(name, m.input.Dialect)
	var found []SourceID
	if err == nil {
		found = m.find(parts.Parts)
	}
	if len(found) == 0 && ok {
		found = m.find(namesOfRef(ref))
	}
	switch {
	case len(found) == 0:
		near := m.nearSources(ref.Name)
		return nil, invalid(CodeUnknown, near, "there is no source called %s", name)
	case len(found) > 1:
		var candidates []string
		for _, id := range found {
			candidates = append(candidates, m.sources[id].Identity)
		}
		return nil, invalid(CodeAmbiguous, candidates, "%s is not unique", name)
	}
	s := m.whole(m.sources[found[0]])
	if s.Broken != "" {
		return s, invalid(CodeBroken, nil, "the source %s cannot be used: %s", s.Name, s.Broken)
	}
	if s.Visibility == Hidden {
		return nil, invalid(CodeHidden, nil, "the source %s is hidden", s.Name)
	}
	return s, nil
}

// Lookup returns the possible meanings of a reference in a request: a dimension, a
// measure or a segment, of a source or under a role, seen from a home; Metrics = without
// a home. A single name means a member of the home, a metric, or a member that only one
// source has. Several members of one source may have the same name: the place in the
// request decides.
// Errors: KindNotFound with CodeUnknown and the nearest references; KindInvalid with
// CodeAmbiguous and all references, CodeBroken, CodeCyclic or CodeHidden; CodeBroken
// wraps a *Fault.
// Units: the cost does not grow with the model.
func (m *Model) Lookup(home SourceID, parts ...string) ([]Member, error) {
	return m.LookupFor(anything, home, parts...)
}

// Fits reports whether a member may stand at the place of a reference. It sees members
// with their id alone.
type Fits func(Member) bool

func anything(Member) bool { return true }

// LookupFor is Lookup for a place in a request: members that do not fit it are passed
// over. Where none fits it returns all.
func (m *Model) LookupFor(fits Fits, home SourceID, parts ...string) ([]Member, error) {
	from := m.Source(home)
	if from == nil || len(parts) == 0 {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "a name is looked up from no source")
	}
	for _, f := range []Fits{fits, anything} {
		if all, err := m.lookup(f, from, parts); len(all) > 0 || err != nil {
			return all, err
		}
		for joined := range fieldsOfRecords(parts) {
			if all, err := m.lookup(f, from, joined); len(all) > 0 && err == nil {
				return all, nil
			}
		}
	}
	for _, t := range m.targets(from, parts[:len(parts)-1]) {
		if r := m.sources[t.source].draft; len(r.group.invalid) > 0 {
			return nil, r.lost(parts)
		}
	}
	return nil, m.unknown(home, parts)
}

// Has reports whether the model has a member for a reference, also a broken, hidden or
// ambiguous one. It is true as well where the named source is not fully known: one of its
// files is not valid, or its query's columns are not known.
// Units: the cost does not grow with the model.
func (m *Model) Has(parts ...string) bool {
	if len(parts) == 1 {
		for _, id := range append(m.names.sourcesOf(m, parts[0]), Metrics) {
			if all, err := m.membersOf(anything, target{source: id}, parts[0]); len(all) > 0 || err != nil {
				return true
			}
		}
		return false
	}
	from := m.Source(Metrics)
	if all, err := m.lookup(anything, from, parts); len(all) > 0 || err != nil {
		return true
	}
	for joined := range fieldsOfRecords(parts) {
		if all, err := m.lookup(anything, from, joined); len(all) > 0 || err != nil {
			return true
		}
	}
	return slices.ContainsFunc(m.targets(from, parts[:len(parts)-1]), func(t target) bool {
		return len(m.sources[t.source].draft.group.invalid) > 0 || len(m.Undescribed([]SourceID{t.source})) > 0
	})
}

// lookup returns the members that fit; none and no error = there are none.
func (m *Model) lookup(fits Fits, from *Source, parts []string) ([]Member, error) {
	before, leaf := parts[:len(parts)-1], parts[len(parts)-1]
	if len(before) == 0 {
		return m.lookupLeaf(fits, from, leaf)
	}
	found := map[SourceID][]Member{}
	var targets []target
	var why error
	for _, t := range m.targets(from, before) {
		members, err := m.membersOf(fits, t, leaf)
		if err != nil && why == nil {
			why = err
		}
		if len(members) > 0 {
			found[t.source] = members
			targets = append(targets, t)
		}
	}
	if len(targets) > 1 && from.ID != Metrics {
		reached := slices.DeleteFunc(slices.Clone(targets), func(t target) bool {
			return len(m.closure(from.ID).matching(m, t.source, t.via)) == 0
		})
		if len(reached) == 1 {
			targets = reached
		}
	}
	switch {
	case len(targets) == 1:
		return found[targets[0].source], nil
	case len(targets) > 1:
		var sources []SourceID
		for _, t := range targets {
			sources = append(sources, t.source)
		}
		return nil, m.notUnique(strings.Join(parts, "."), leaf, sources)
	}
	return nil, why
}

func (m *Model) unknown(home SourceID, parts []string) error {
	near := m.Suggest(home, parts...)
	return invalid(CodeUnknown, near, "there is no %s%s", strings.Join(parts, "."), didYouMean(near))
}

func (m *Model) notUnique(written, leaf string, sources []SourceID) error {
	var candidates []string
	for _, id := range sources {
		candidates = append(candidates, reference(m.sources[id].draft.group.ref, leaf))
	}
	slices.Sort(candidates)
	return invalid(CodeAmbiguous, candidates, "%s is not unique", written)
}

// membersOf returns the members of a source that a name means, that fit and that a
// query may use.
func (m *Model) membersOf(fits Fits, t target, name string) (all []Member, err error) {
	s := m.whole(m.sources[t.source])
	if s.Broken != "" {
		broken := invalid(CodeBroken, nil, "%s.%s cannot be used: %s", s.Name, name, s.Broken)
		broken.Err = m.fault(s, "", s.File, s.Pos)
		return nil, broken
	}
	ref := Ref{Via: t.via, Source: t.source}
	add := func(v Visibility, broken, file string, pos Pos, member Member) {
		switch {
		case !fits(member):
		case broken != "":
			code := CodeBroken
			if member.Measure != 0 && strings.HasPrefix(broken, goesRound) {
				code = CodeCyclic
			}
			refused := invalid(code, nil, "%s.%s cannot be used: %s", s.Name, name, broken)
			refused.Err = m.fault(s, name, file, pos)
			err = refused
		case v == Hidden || s.Visibility == Hidden:
			err = invalid(CodeHidden, nil, "%s.%s is hidden: only definitions may use it", s.Name, name)
		default:
			all = append(all, member)
		}
	}
	if at := s.full().find(name, isDimension); at >= 0 {
		d, r := &s.Dimensions[at], ref
		r.Dimension = d.ID
		add(d.Visibility, d.Broken, s.full().dims[at].file, d.Pos, Member{Ref: r})
	}
	if at := s.full().find(name, isMeasure); at >= 0 {
		d, r := &s.Measures[at], ref
		r.Measure = d.ID
		add(d.Visibility, d.Broken, s.full().measures[at].file, d.Pos, Member{Ref: r})
	}
	if at := s.full().find(name, isSegment); at >= 0 {
		d := &s.Segments[at]
		add(d.Visibility, d.Broken, s.full().segments[at].file, d.Pos, Member{Ref: ref, Segment: d.ID})
	}
	return all, err
}

// lookupLeaf finds a single name: a member of the home, a metric, else the only
// public member of that name.
func (m *Model) lookupLeaf(fits Fits, from *Source, name string) ([]Member, error) {
	for _, id := range []SourceID{from.ID, Metrics} {
		all, err := m.membersOf(fits, target{source: id}, name)
		if all = m.unlessDescribed(all); len(all) > 0 || err != nil {
			return all, err
		}
	}
	var all []Member
	var err error
	var sources []SourceID
	for _, id := range m.names.sourcesOf(m, name) {
		found, failed := m.membersOf(fits, target{source: id, via: []string{m.sources[id].Identity}}, name)
		if failed != nil && err == nil {
			err = failed
		}
		found = slices.DeleteFunc(m.unlessDescribed(found), func(f Member) bool { return m.visibility(f) != Public })
		if len(found) > 0 {
			sources = append(sources, id)
			all = append(all, found...)
		}
	}
	switch {
	case len(sources) > 1:
		return nil, m.notUnique(name, name, sources)
	case len(all) > 0:
		return all, nil
	}
	return nil, err
}

func (m *Model) visibility(f Member) Visibility {
	switch {
	case f.Measure != 0:
		return m.Measure(f.Measure).Visibility
	case f.Segment != 0:
		return m.Segment(f.Segment).Visibility
	}
	return m.Dimension(f.Dimension).Visibility
}
