package model

import (
	"cmp"
	"slices"
	"strings"
)

// learn adds what a file of _memory says. What another layer has stays as it is: where
// a person's file has it nobody need be told, else the collision is a problem.
func (r *draft) learn(l Definition) {
	def, file := l.Def, l.File.Path
	if r.file == file {
		r.def.Pos = def.Pos
	}
	r.refuse(def, file)
	r.add(&r.def.Description, def.Description, file, "description", Text{Pos: def.Pos}, r.person(func(d *SourceDef) bool { return d.Description != "" }))
	r.add(&r.def.AI.Instructions, def.AI.Instructions, file, "ai_context", Text{Pos: def.Pos}, r.person(func(d *SourceDef) bool { return d.AI.Instructions != "" }))
	r.def.Synonyms = AppendMissing(r.def.Synonyms, def.Synonyms)
	r.def.AI.Examples = AppendMissing(r.def.AI.Examples, def.AI.Examples)
	for i := range def.Overrides {
		r.learnOverride(&def.Overrides[i], file)
	}
	r.learnDimensions(def, file)
	r.learnMeasures(def.Measures, file)
	r.learnSegments(def, file)
	r.learnJoins(def, file)
}

// person reports whether a person's file says something.
func (r *draft) person(says func(*SourceDef) bool) bool {
	return slices.ContainsFunc(r.group.layers, func(l Definition) bool { return l.File.Layer() == PersonLayer && says(l.Def) })
}

// refuse reports the keys that change a source instead of adding to it.
func (r *draft) refuse(def *SourceDef, file string) {
	for _, key := range []struct {
		name string
		text Text
		set  bool
	}{
		{"table", def.Table, def.Table.Value != ""},
		{"sql", def.SQL, def.SQL.Value != ""},
		{"primary_key", Text{Pos: def.Pos}, def.Grain != nil || def.Keyless},
		{"unique_keys", Text{Pos: def.Pos}, def.UniqueKeys != nil},
		{"default_time_dimension", def.DefaultTime, def.DefaultTime.Value != ""},
		{"time_zone", def.TimeZone, def.TimeZone.Value != ""},
		{"calendar", Text{Pos: def.Pos}, def.Calendar != nil},
		{"visibility", Text{Pos: def.Pos}, def.HasVisible},
		{"exclude_columns", Text{Pos: def.Pos}, def.Exclude != nil},
		{"disable_joins", Text{Pos: def.Pos}, def.DisableJoins != nil},
		{"inherits_columns_from", def.InheritsFrom, def.InheritsFrom.Value != ""},
	} {
		if key.set {
			r.problem(file, key.name, key.text, nil, "a file of _memory only adds to a source: the key is left out; say it in the file of a person")
		}
	}
}

// add sets a text that no other layer has.
func (r *draft) add(to *string, text, file, path string, where Text, person bool) {
	switch {
	case text == "" || text == *to:
	case *to == "":
		*to = text
	case !person:
		r.kept(file, path, where)
	}
}

// kept reports what a file of _memory says of something that another layer has.
func (r *draft) kept(file, path string, where Text) {
	r.problem(file, path, where, nil, "another layer says this already and wins: a file of _memory only adds")
}

func (r *draft) learnOverride(o *DimensionDef, file string) {
	at := r.dimension(o.Name.Value)
	switch {
	case o.Broken != "": // its problem is known
	case at < 0:
		near := r.nearDimensions(o.Name.Value, r.guesses)
		r.problem(file, under("column_overrides", o.Name.Value), o.Name, near, "%s has no column %s%s", r.name, o.Name.Value, didYouMean(near))
	default:
		r.fill(&r.dims[at], o, file, under("column_overrides", o.Name.Value))
	}
}

func (r *draft) learnDimensions(def *SourceDef, file string) {
	base := len(r.dims)
	for i := range def.Dimensions {
		d := &def.Dimensions[i]
		if d.Name.Value == "" {
			continue
		}
		switch at := r.dimension(d.Name.Value); {
		case at >= base:
			r.dims[at].edit().Broken = r.problem(file, under("dimensions", d.Name.Value), d.Name, nil, "there are two dimensions of this name")
		case at < 0:
			r.addDimension(d, file)
		case d.Broken == "":
			r.fill(&r.dims[at], d, file, under("dimensions", d.Name.Value))
		}
	}
}

// fill says of a dimension what no other layer says: what it means, not what it is.
func (r *draft) fill(m *dimension, d *DimensionDef, file, path string) {
	person := layerOf(m.file) == PersonLayer
	own, before, other := m.edit(), m.Details.Get(), d.Details.Get()
	for _, f := range []struct{ key, own, other string }{
		{".label", before.Label, other.Label}, {".description", own.Description, d.Description},
		{".format", before.Format, other.Format}, {".unit", before.Unit, other.Unit},
	} {
		if !person && f.own != "" && f.other != "" && f.own != f.other {
			r.kept(file, path+f.key, d.Name)
		}
	}
	if !person && before.Values != nil && other.Values != nil && !slices.Equal(before.Values, other.Values) {
		r.kept(file, path+".values", d.Name)
	}
	own.Description, own.Details = cmp.Or(own.Description, d.Description), own.Details.Under(d.Details).Get().kept()
	changes := d.Computed != nil && d.Expr().Value != own.Expr().Value || d.Type != AnyType && d.Type != own.Type ||
		other.ColumnType != "" && other.ColumnType != before.ColumnType || d.HasVisible && d.Visibility != own.Visibility
	if changes && !person {
		r.kept(file, path, d.Name)
	}
}

func (r *draft) learnMeasures(defs []MeasureDef, file string) {
	section := "measures"
	if r.group.ref.Name == "" {
		section = "metrics"
	}
	more := make([]measure, len(defs))
	for i := range defs {
		more[i] = newMeasure(&defs[i], file)
	}
	r.measures = learnMembers(r, r.measures, more, file, section, "measure")
}

func (r *draft) learnSegments(def *SourceDef, file string) {
	more := make([]segment, len(def.Segments))
	for i := range def.Segments {
		more[i] = newSegment(&def.Segments[i], file)
	}
	r.segments = learnMembers(r, r.segments, more, file, "segments", "segment")
}

// memberDraft is the draft of a measure or a segment while layers are put above each
// other.
type memberDraft[M any] interface {
	*M
	called() Text
	from() string
	Adds() bool
	addNames(of *M)
	spoil(why string)
}

func (m *measure) called() Text     { return m.Name }
func (m *measure) from() string     { return m.file }
func (m *measure) spoil(why string) { m.Broken = why }

// addNames adds the names of another definition of the measure.
func (m *measure) addNames(of *measure) {
	own := *m.MeasureDef
	own.Details = own.Details.AddNames(of.Details)
	m.MeasureDef = &own
}

func (s *segment) called() Text     { return s.Name }
func (s *segment) from() string     { return s.file }
func (s *segment) spoil(why string) { s.Broken = why }

// addNames adds the names of another definition of the segment.
func (s *segment) addNames(of *segment) {
	own := *s.SegmentDef
	own.Details = own.Details.AddNames(of.Details)
	s.SegmentDef = &own
}

// learnMembers adds the measures or the segments of a file of _memory that no other layer
// has.
func learnMembers[M any, P memberDraft[M]](r *draft, all, more []M, file, section, noun string) []M {
	base := len(all)
	for i := range more {
		m := P(&more[i])
		name := m.called()
		if name.Value == "" {
			continue
		}
		path := under(section, name.Value)
		switch at := slices.IndexFunc(all, func(o M) bool { return P(&o).called().Value == name.Value }); {
		case m.Adds() && at < 0:
			r.problem(file, path, name, nil, "no other layer has the %s %s, so that it cannot have other names", noun, name.Value)
		case m.Adds() && at < base:
			P(&all[at]).addNames(&more[i])
		case at < 0:
			all = append(all, more[i])
		case at >= base:
			P(&all[at]).spoil(r.problem(file, path, name, nil, "there are two %ss of this name", noun))
		case layerOf(P(&all[at]).from()) != PersonLayer:
			r.kept(file, path, name)
		}
	}
	return all
}

// learnJoins adds joins. One over the columns of another, or with its name, changes
// what paths mean.
func (r *draft) learnJoins(def *SourceDef, file string) {
	base := len(r.joins)
	for i := range def.Joins {
		j := r.join(&def.Joins[i], file)
		at := slices.IndexFunc(r.joins[:base], func(o join) bool {
			return r.replaces(&j, &o) || j.Role.Value != "" && strings.EqualFold(j.Role.Value, o.Role.Value)
		})
		switch {
		case at < 0:
			r.joins = append(r.joins, j)
		case r.describes(&j, &r.joins[at]):
			own := *r.joins[at].JoinDef
			own.Description = j.Description
			r.joins[at].JoinDef = &own
		case layerOf(r.joins[at].file) != PersonLayer:
			r.kept(file, under("joins", j.To.Value), j.To)
		}
	}
}

// describes reports whether a join says what another one means that nobody described, and nothing else.
func (r *draft) describes(j, o *join) bool {
	return j.Description != "" && (o.Description == "" || o.Description == j.Description) && r.replaces(j, o) &&
		j.Relationship == o.Relationship && strings.EqualFold(j.Role.Value, o.Role.Value)
}
