package model

import (
	"iter"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The codes of the errors about names and paths.
const (
	CodeUnknown       = "unknown_member"
	CodeAmbiguous     = "ambiguous_member"
	CodeAmbiguousPath = "ambiguous_path"
	CodeNoPath        = "no_join_path"
	CodeUnreachable   = "not_reachable"
	CodeBroken        = "broken_definition"
	CodeHidden        = "hidden_member"
	CodeNoGrain       = "no_common_grain"
	CodeCyclic        = "cyclic_measure"
)

// invalid makes an error about a name or a path.
func invalid(code string, candidates []string, format string, args ...any) *sdk.Error {
	kind := sdk.KindInvalid
	if code == CodeUnknown {
		kind = sdk.KindNotFound
	}
	e := sdk.Errorf(kind, sdk.SourceCaller, format, args...)
	e.Code, e.Candidates = code, candidates
	switch {
	case len(candidates) == 1:
		e.Hint = "use " + candidates[0]
	case len(candidates) > 1:
		e.Hint = "use one of " + strings.Join(candidates, ", ")
	}
	return e
}

// target is a source that a path of names may mean.
type target struct {
	source SourceID
	via    []string
}

// targets returns the sources that the names before a field mean, seen from a
// source; from Metrics nothing is nearer than anything else.
func (m *Model) targets(home *Source, before []string) []target {
	if len(before) == 0 || m.is(home, before) {
		return []target{{source: home.ID}}
	}
	var all []target
	add := func(id SourceID, via []string) {
		if !slices.ContainsFunc(all, func(t target) bool { return t.source == id }) {
			all = append(all, target{id, via})
		}
	}
	if len(before) == 1 {
		for i := range home.Joins {
			if j := &home.Joins[i]; j.To != 0 && strings.EqualFold(m.called(j), before[0]) {
				add(j.To, before)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	for _, id := range m.find(before) {
		via := before
		if len(before) > 1 {
			via = []string{m.sources[id].Identity}
		}
		add(id, via)
	}
	if len(before) > 1 && len(all) > 0 {
		return all
	}
	last := before[len(before)-1]
	for _, step := range before[:len(before)-1] {
		if len(m.roles[fold(step)]) == 0 && len(m.find([]string{step})) == 0 {
			return nil
		}
	}
	for _, j := range m.roles[fold(last)] {
		add(m.Join(j).To, before)
	}
	if len(before) > 1 {
		for _, id := range m.find(before[len(before)-1:]) {
			add(id, before)
		}
	}
	return all
}

// called is the name of a join: its role, else the other source's name.
func (m *Model) called(j *Join) string {
	if j.Role != "" {
		return j.Role
	}
	return m.sources[j.To].Name
}

// is reports whether names mean a source itself.
func (m *Model) is(s *Source, names []string) bool {
	ref, ok := refOf(names)
	return ok && s.ID != Metrics && Covers(ref, s.draft.group.ref)
}

func refOf(names []string) (sdk.TableRef, bool) {
	if len(names) == 0 || len(names) > 3 {
		return sdk.TableRef{}, false
	}
	all := append(make([]string, 3-len(names), 3), names...)
	return sdk.TableRef{Catalog: all[0], Schema: all[1], Name: all[2]}, true
}

// find returns the sources that a name means: the one with exactly these parts,
// else all that have them and more.
func (m *Model) find(names []string) (all []SourceID) {
	ref, ok := refOf(names)
	if !ok {
		return nil
	}
	for _, id := range m.named(ref.Name) {
		have := m.sources[id].draft.group.ref
		if have == ref {
			return []SourceID{id}
		}
		if Covers(ref, have) {
			all = append(all, id)
		}
	}
	return all
}

// one returns the only source that names before a field mean. What the names
// alone leave open is decided by what can be reached.
func (m *Model) one(home *Source, parts []string) (target, *sdk.Error) {
	before := parts[:len(parts)-1]
	all := m.targets(home, before)
	if len(all) == 1 {
		return all[0], nil
	}
	written := strings.Join(before, ".")
	if len(all) == 0 {
		near := qualify(m.guessSources(before[len(before)-1]), parts[len(parts)-1])
		return target{}, invalid(CodeUnknown, near, "there is no source or role called %s%s", written, didYouMean(near))
	}
	if home.ID != Metrics {
		home.consulted = true
		var reached []target
		for _, t := range all {
			if len(m.closure(home.ID).matching(m, t.source, t.via)) > 0 {
				reached = append(reached, t)
			}
		}
		if len(reached) == 1 {
			return reached[0], nil
		}
	}
	var candidates []string
	for _, t := range all {
		candidates = append(candidates, m.sources[t.source].Identity+"."+quoted(parts[len(parts)-1]))
	}
	slices.Sort(candidates)
	return target{}, invalid(CodeAmbiguous, candidates, "%s is not unique", written)
}

func qualify(sources []string, field string) (all []string) {
	for _, s := range sources {
		all = append(all, s+"."+quoted(field))
	}
	return all
}

// nearSources are the names of sources that are similar, or the newest of the copies that
// the name is short for.
func (m *Model) nearSources(name string) []string {
	words := m.sourceWords()
	if near := words.near(name); len(near) > 0 {
		return near
	}
	newest := text.Newest(name, words.list)
	return newest[:min(len(newest), maxSuggestions)]
}

// guessSources is nearSources while a model is made.
func (m *Model) guessSources(name string) []string {
	if !m.guesses.take(1000) {
		return nil
	}
	return m.nearSources(name)
}

// field resolves a reference to a dimension or a column, seen from a source.
func (m *Model) field(home *Source, parts []string) (Ref, *sdk.Error) {
	return orFieldOfRecord(parts, func(parts []string) (Ref, *sdk.Error) { return m.plainField(home, parts) })
}

// orFieldOfRecord resolves a name, or else the same name with its last parts as the path
// of a field of a record: names of sources and roles go before those of records.
func orFieldOfRecord(parts []string, resolve func([]string) (Ref, *sdk.Error)) (Ref, *sdk.Error) {
	ref, err := resolve(parts)
	if err == nil {
		return ref, nil
	}
	for joined := range fieldsOfRecords(parts) {
		if ref, err := resolve(joined); err == nil && ref.Dimension != 0 {
			return ref, nil
		}
	}
	return ref, err
}

// fieldsOfRecords returns the names that parts are when the last of them are the path of
// a field: of orders.address.city, orders and "address.city", then "orders.address.city".
func fieldsOfRecords(parts []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for at := len(parts) - 2; at >= 0; at-- {
			if !yield(append(slices.Clone(parts[:at]), strings.Join(parts[at:], "."))) {
				return
			}
		}
	}
}

// plainField is field of a name whose last part is the whole name of the field.
func (m *Model) plainField(home *Source, parts []string) (Ref, *sdk.Error) {
	t, err := m.one(home, parts)
	if err != nil {
		return Ref{}, err
	}
	r, name := m.sources[t.source].full(), parts[len(parts)-1]
	ref := Ref{Via: t.via, Source: t.source}
	switch at := r.find(name, isDimension); {
	case at >= 0:
		if why := m.whyBroken(t.source, r.dims[at].Broken); why != "" {
			return Ref{}, invalid(CodeBroken, nil, "%s cannot be used: %s", strings.Join(parts, "."), why)
		}
		ref.Dimension = member[DimensionID](t.source, at)
		return ref, nil
	case at == -2:
		return Ref{}, invalid(CodeAmbiguous, nil, "%s is not unique: there are spellings in several cases, and none is this one", strings.Join(parts, "."))
	case r.group.broken != "":
		return Ref{}, invalid(CodeBroken, nil, "%s cannot be used: %s", strings.Join(parts, "."), r.group.broken)
	case r.known() && len(r.group.invalid) > 0:
		return Ref{}, r.lost(parts)
	case r.known() || t.source == Metrics:
		near := r.nearDimensions(name, m.guesses)
		if len(parts) > 1 {
			for i := range near {
				near[i] = strings.Join(parts[:len(parts)-1], ".") + "." + quoted(near[i])
			}
		}
		return Ref{}, invalid(CodeUnknown, near, "%s has no column or dimension %s%s", r.name, name, didYouMean(near))
	}
	if r.broken != "" {
		return Ref{}, invalid(CodeBroken, nil, "%s cannot be used: %s", strings.Join(parts, "."), r.broken)
	}
	ref.Column = name
	return ref, nil
}

// lost is the error of a name that no layer of a source has, while a file that may
// define it is not valid.
func (r *draft) lost(parts []string) *sdk.Error {
	fault := r.group.faults()[0]
	err := invalid(CodeBroken, nil, "%s cannot be used: no other layer of %s defines it, and %s is not valid: %s", strings.Join(parts, "."), r.name, fault.File, fault.Msg)
	err.Err = &Fault{fault.File, fault.Pos}
	return err
}

// whyBroken says why a member of a source cannot be used, "" = it can.
func (m *Model) whyBroken(s SourceID, member string) string {
	if why := m.sources[s].draft.broken; why != "" {
		return why
	}
	return member
}

// measure resolves a reference to a measure: of the source itself, of another by
// its name, or a metric.
func (m *Model) measure(home *Source, parts []string) (Ref, *sdk.Error) {
	name := parts[len(parts)-1]
	if len(parts) == 1 {
		for _, id := range []SourceID{home.ID, Metrics} {
			if at := m.sources[id].full().find(name, isMeasure); at >= 0 {
				return Ref{Source: id, Measure: member[MeasureID](id, at)}, nil
			}
		}
		if len(home.draft.group.invalid) > 0 {
			return Ref{}, home.draft.lost(parts)
		}
		near := home.full().nearMeasures(name, m.guesses)
		return Ref{}, invalid(CodeUnknown, near, "there is no measure %s%s", name, m.insteadOf(home, name, near))
	}
	t, err := m.one(home, parts)
	if err != nil {
		return Ref{}, err
	}
	r := m.sources[t.source].full()
	if at := r.find(name, isMeasure); at >= 0 {
		return Ref{Via: t.via, Source: t.source, Measure: member[MeasureID](t.source, at)}, nil
	}
	if len(r.group.invalid) > 0 {
		return Ref{}, r.lost(parts)
	}
	near := r.nearMeasures(name, m.guesses)
	return Ref{}, invalid(CodeUnknown, qualify(near, strings.Join(parts[:len(parts)-1], ".")), "%s has no measure %s%s", r.name, name, m.insteadOf(m.sources[t.source], name, near))
}

// insteadOf says what a name that is no measure could be.
func (m *Model) insteadOf(s *Source, name string, near []string) string {
	if s.ID != Metrics && s.full().find(name, isDimension) >= 0 {
		return "; it is a column, so write sum(" + name + ") or another aggregate"
	}
	return didYouMean(near)
}

func (r *draft) nearMeasures(name string, g *guesses) []string {
	names := make([]string, 0, len(r.measures))
	for i := range r.measures {
		if r.measures[i].Name.Value != "" {
			names = append(names, r.measures[i].Name.Value)
		}
	}
	return g.near(name, names)
}
