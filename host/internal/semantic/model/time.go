package model

import (
	"github.com/loam-data/loam/sdk"
)

// TimeOf returns the time dimension of a simple measure, resolved from its home:
// its time_dimension, else the default of the home.
// Shape: the zero Ref where there is neither.
func (m *Model) TimeOf(measure *Measure) Ref {
	if measure.Time.Dimension != 0 {
		return measure.Time
	}
	return m.DefaultTimeOf(measure.Home)
}

// DefaultTimeOf returns the default time dimension of a source, resolved from it;
// the zero Ref where there is none.
func (m *Model) DefaultTimeOf(id SourceID) Ref {
	if t := m.sources[id].DefaultTime; t != 0 {
		return Ref{Source: id, Field: Field{Dimension: t}}
	}
	return Ref{}
}

// time resolves the time_dimension of a measure: a time that each row of the home
// has one of.
func (l *linker) time(d *measure, m *Measure, path string) {
	if d.Time.Value == "" || m.Broken != "" {
		return
	}
	fail := func(candidates []string, format string, args ...any) {
		m.Broken = l.problem(d.file, path, d.Time, sdk.Position{}, invalid("", candidates, format, args...))
	}
	if m.Kind == Derived && len(d.parts) == 0 {
		fail(nil, "a calculation over measures has no time of its own; write time_dimension at the measures that it is made of")
		return
	}
	all := l.refs(d, m, path, []Text{d.Time}, func(parts []string) (Ref, *sdk.Error) { return l.model.field(l.s, parts) })
	if m.Broken != "" {
		return
	}
	ref := all[0]
	owner := l.model.sources[ref.Source]
	if ref.Dimension == 0 || !owner.hasTimes(ref.Field) {
		fail(l.times(owner), "%s is no time dimension of %s", d.Time.Value, owner.Name)
		return
	}
	m.Time = ref
	if m.Kind != Simple {
		return // its parts are what has rows
	}
	if m.Home != l.s.ID {
		m.Time = rebased([]NameRef{{Ref: ref}}, l.s, m.Home)[0].Ref
	}
	if m.Time.Source == m.Home && len(m.Time.Via) == 0 {
		return
	}
	l.s.consulted = true
	if !l.reaches(m.Home, []NameRef{{Ref: m.Time}}) {
		m.Time = Ref{}
		home := l.model.sources[m.Home]
		fail(l.times(home), "a row of %s does not have one %s", home.Name, d.Time.Value)
	}
}

// times are the time dimensions of a source, as the linked one refers to them.
func (l *linker) times(of *Source) []string {
	names := of.full().timeDimensions()
	for i := range names {
		if of.ID != l.s.ID {
			names[i] = of.Name + "." + quoted(names[i])
		}
	}
	return names
}

// Knows reports whether a single name is that of a source, a role, or a member of
// any source.
func (m *Model) Knows(name string) bool {
	key := fold(name)
	return len(m.named(name)) > 0 || len(m.roles[key]) > 0 || len(m.names.sourcesOf(m, name)) > 0 ||
		len(m.sources[Metrics].full().named(name)) > 0
}
