package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// shape makes the members of a source, with all that needs no other source.
func (m *Model) shape(s *Source) {
	r := s.full()
	s.SQL, s.Scanned = body(r.def.SQL.Value, r.dialect), r.scanned()
	s.File, s.Pos, s.Description, s.Synonyms = r.file, r.def.Pos, r.def.Description, r.def.Synonyms
	s.AI, s.Visibility, s.TimeZone, s.Broken = r.def.AI, r.def.Visibility, r.def.TimeZone.Value, r.broken
	s.Invalid = r.group.faults()
	if t := r.group.table; t != nil {
		s.Table = t.Ref
	} else if r.def.Table.Value != "" {
		s.Table, _ = split(r.def.Table.Value, r.dialect)
		s.TablePos = r.def.Table.Pos
	}
	s.Members = &Members{Dimensions: make([]Dimension, len(r.dims)), Measures: make([]Measure, len(r.measures)), Segments: make([]Segment, len(r.segments))}
	for i := range r.dims {
		d := &r.dims[i]
		s.Dimensions[i] = Dimension{
			ID: member[DimensionID](s.ID, i), Name: d.Name.Value, Type: d.Type, Description: d.Description, Details: d.Details.shown(),
			Visibility: d.Visibility, Pos: d.Name.Pos, Broken: d.Broken, Described: d.described,
		}
		switch out := &s.Dimensions[i]; {
		case d.tree != nil: // what the scan says is about the column
		case d.column != nil:
			out.Logical, out.Column = d.column.Type, d.column.Name
		default:
			out.Column = d.Name.Value
		}
	}
	for i := range r.segments {
		d := &r.segments[i]
		s.Segments[i] = Segment{
			ID: member[SegmentID](s.ID, i), Name: d.Name.Value, Description: d.Description, Details: d.Details.shown(),
			Visibility: d.Visibility, Pos: d.Name.Pos, Broken: d.Broken,
		}
	}
	for i := range r.measures {
		d := &r.measures[i]
		s.Measures[i] = Measure{
			ID: member[MeasureID](s.ID, i), Name: d.Name.Value, Kind: d.Kind, Agg: d.Agg, Parameter: d.parameter, Home: s.ID,
			Window: d.Window, ToDate: d.ToDate, Offset: d.Offset, Default: d.Default, Description: d.Description, Details: d.Details.shown(),
			Visibility: d.Visibility, Pos: d.Name.Pos, Broken: d.Broken,
		}
	}
	s.Calendar = s.calendar()
	s.Joins = make([]Join, len(r.joins))
	s.Grain = s.fields(r.def.Grain)
	for _, key := range r.def.UniqueKeys {
		s.UniqueKeys = append(s.UniqueKeys, s.fields(key))
	}
	if at := r.dimension(r.def.DefaultTime.Value); at >= 0 && r.def.DefaultTime.Value != "" {
		s.DefaultTime = member[DimensionID](s.ID, at)
	}
}

func (s *Source) fields(names []Text) (all []Field) {
	for _, n := range names {
		if at := s.full().dimension(n.Value); at >= 0 {
			all = append(all, s.full().column(s.ID, at))
		} else {
			all = append(all, Field{Column: n.Value})
		}
	}
	return all
}

// members resolves the names in dimensions, segments and measures.
func (l *linker) members() {
	for i := range l.r.dims {
		d, out := &l.r.dims[i], &l.s.Dimensions[i]
		if d.tree != nil && out.Broken == "" {
			l.inside = i
			out.Expr, out.Broken = l.expr(d.file, under("dimensions", d.Name.Value)+".expr", d.Expr(), d.tree)
		}
	}
	l.inside = -1
	for i := range l.r.segments {
		d, out := &l.r.segments[i], &l.s.Segments[i]
		if out.Broken == "" {
			out.Expr, out.Broken = l.expr(d.file, under("segments", d.Name.Value)+".expr", d.Expr, d.tree)
		}
	}
	for i := range l.r.measures {
		d, out := &l.r.measures[i], &l.s.Measures[i]
		if out.Broken == "" {
			l.measure(d, out, under(l.section(), cmp.Or(d.Name.Value, d.whole)))
		}
	}
}

func (l *linker) section() string {
	if l.s.ID == Metrics {
		return "metrics"
	}
	return "measures"
}

func (l *linker) measure(d *measure, m *Measure, path string) {
	switch m.Kind {
	case Simple:
		m.Expr, m.Broken = l.expr(d.file, path+".expr", d.Expr, d.tree)
	case Derived:
		l.derived(d, m, path)
	case Ratio:
		m.Numerator = l.use(d, m, path+".numerator", d.Numerator)
		m.Denominator = l.use(d, m, path+".denominator", d.Denominator)
	default:
		m.Base = l.use(d, m, path+".measure", d.Measure)
	}
	if d.filter != nil && m.Broken == "" {
		var filter *Expr
		if filter, m.Broken = l.expr(d.file, path+".filter", d.Filter, d.filter); filter != nil {
			m.Filter = []*Expr{filter}
		}
	}
	l.segments(d, m, path)
	m.Within = l.refs(d, m, path+".within", d.Within, func(parts []string) (Ref, *sdk.Error) { return l.model.field(l.s, parts) }) // of a request
	m.Per = l.refs(d, m, path+".per", d.Per, l.period)
	l.nonAdditive(d, m, path+".non_additive")
	if m.Kind == Cumulative && m.Window.N > 0 && m.ToDate != "" && m.Broken == "" {
		m.Broken = l.problem(d.file, path+".window", d.Name, sdk.Position{}, invalid("", nil, "window and grain_to_date exclude each other; keep one"))
	}
	if d.Percentile != "" && m.Broken == "" {
		l.percentile(d, m, path)
	}
	if m.Kind == Simple && m.Broken == "" {
		l.home(d, m, path)
	}
	l.byPeriod(d, m, path)
	l.time(d, m, path+".time_dimension")
}

func (l *linker) percentile(d *measure, m *Measure, path string) {
	if m.Agg != expression.Percentile {
		m.Broken = l.problem(d.file, path+".percentile", d.Name, sdk.Position{}, invalid("", nil, "has no meaning with agg: %s", m.Agg))
		return
	}
	fraction, err := expression.Parse(d.Percentile)
	literal, ok := fraction.(*expression.Literal)
	if err != nil || !ok {
		m.Broken = l.problem(d.file, path+".percentile", d.Name, sdk.Position{}, invalid("", nil, "must be a number from 0 to 1"))
		return
	}
	m.Parameter = literal
}

// use resolves the name of a measure that another is made of.
func (l *linker) use(d *measure, m *Measure, path string, t Text) MeasureID {
	if m.Broken != "" {
		return 0
	}
	name, err := expression.ParseName(t.Value)
	if err != nil {
		m.Broken = l.problem(d.file, path, t, sdk.Position{}, sdk.AsError(err, sdk.SourceCaller))
		return 0
	}
	ref, unknown := l.model.measure(l.s, name.Parts)
	if unknown != nil {
		m.Broken = l.problem(d.file, path, t, sdk.Position{}, unknown)
		return 0
	}
	m.Uses = appendNew(m.Uses, ref.Measure)
	return ref.Measure
}

func appendNew[T comparable](all []T, v T) []T {
	if slices.Contains(all, v) {
		return all
	}
	return append(all, v)
}

// derived binds the names of a calculation to measures, never to columns.
func (l *linker) derived(d *measure, m *Measure, path string) {
	e := &Expr{Text: d.Expr, Tree: d.tree}
	for _, n := range expression.Names(d.tree) {
		if at, ok := d.parts[n]; ok {
			id := member[MeasureID](l.s.ID, at)
			e.Refs = append(e.Refs, NameRef{n, Ref{Source: l.s.ID, Measure: id}})
			m.Uses = appendNew(m.Uses, id)
			continue
		}
		ref, err := l.model.measure(l.s, n.Parts)
		if err != nil {
			m.Broken = l.problem(d.file, path+".expr", d.Expr, n.Pos(), err)
			return
		}
		e.Refs = append(e.Refs, NameRef{n, ref})
		m.Uses = appendNew(m.Uses, ref.Measure)
	}
	m.Expr = e
}

func (l *linker) segments(d *measure, m *Measure, path string) {
	for _, t := range d.Segments {
		name := t.Value
		if ref, ok := split(name, nil); ok && (ref.Schema == "" || strings.EqualFold(ref.Schema, l.s.Name)) {
			name = ref.Name
		}
		at := l.r.find(name, isSegment)
		switch {
		case m.Broken != "":
			return
		case at < 0:
			var names []string
			for i := range l.r.segments {
				names = append(names, l.r.segments[i].Name.Value)
			}
			m.Broken = l.problem(d.file, path+".segments", t, sdk.Position{}, invalid(CodeUnknown, names, "%s has no segment %s; there are: %s", l.s.Name, t.Value, list(names, "and")))
		case l.s.Segments[at].Broken != "":
			m.Broken = "its segment " + t.Value + " cannot be used: " + l.s.Segments[at].Broken
		default:
			m.Segments = append(m.Segments, l.s.Segments[at].ID)
		}
	}
}

func (l *linker) refs(d *measure, m *Measure, path string, names []Text, resolve func([]string) (Ref, *sdk.Error)) (all []Ref) {
	for _, t := range names {
		if m.Broken != "" {
			return nil
		}
		name, err := expression.ParseName(t.Value)
		if err != nil {
			m.Broken = l.problem(d.file, path, t, sdk.Position{}, sdk.AsError(err, sdk.SourceCaller))
			return nil
		}
		ref, unknown := resolve(name.Parts)
		if unknown != nil {
			m.Broken = l.problem(d.file, path, t, sdk.Position{}, unknown)
			return nil
		}
		all = append(all, ref)
	}
	return all
}

// period resolves what a nested measure is per: a name, or that of a time with its period
// behind it where the whole of it is no name.
func (l *linker) period(parts []string) (Ref, *sdk.Error) {
	ref, err := l.named(parts)
	last := len(parts) - 1
	if grain := dialect.Grain(parts[last]); err != nil && last > 0 && slices.Contains(dialect.Grains(), grain) {
		of, unknown := l.named(parts[:last])
		switch owner := l.model.sources[of.Source]; {
		case unknown != nil:
		case of.Dimension == 0 || !owner.hasTimes(of.Field):
			return ref, invalid("", l.times(owner), "%s is no time dimension, and has no %s", strings.Join(parts[:last], "."), grain)
		default:
			of.Grain = grain
			return of, nil
		}
	}
	return ref, err
}

func (l *linker) nonAdditive(d *measure, m *Measure, path string) {
	if d.NonAdditive == nil || m.Broken != "" {
		return
	}
	at := l.refs(d, m, path+".dimension", []Text{d.NonAdditive.Dimension}, l.named)
	if m.Broken != "" {
		return
	}
	if at[0].Source != l.s.ID || !l.s.hasTimes(at[0].Field) {
		names := l.r.timeDimensions()
		m.Broken = l.problem(d.file, path+".dimension", d.NonAdditive.Dimension, sdk.Position{}, invalid("", names, "%s is no time dimension of %s", d.NonAdditive.Dimension.Value, l.s.Name))
		return
	}
	m.NonAdditive = &NonAdditive{Time: at[0].Field, Pick: d.NonAdditive.Pick, Per: l.refs(d, m, path+".per", d.NonAdditive.Per, l.named)}
}

// hasTimes reports whether the values of a field are times, as far as it is known.
func (s *Source) hasTimes(f Field) bool {
	if f.Dimension != 0 {
		t := s.full().dims[place(f.Dimension)].Type
		return t == Time || t == AnyType
	}
	t := typeOf(s.ColumnType(f.Column))
	return t == Time || t == AnyType
}

// home finds the source whose rows a measure aggregates, when its expression has
// fields of others.
func (l *linker) home(d *measure, m *Measure, path string) {
	if m.Expr == nil || !slices.ContainsFunc(m.Expr.Refs, func(r NameRef) bool { return r.Source != l.s.ID }) {
		return
	}
	l.s.consulted = true
	if l.reaches(l.s.ID, m.Expr.Refs) {
		return
	}
	var homes []SourceID
	for i := range m.Expr.Refs {
		id := m.Expr.Refs[i].Source
		if id != l.s.ID && !slices.Contains(homes, id) && l.reaches(id, rebased(m.Expr.Refs, l.s, id)) {
			homes = append(homes, id)
		}
	}
	if len(homes) != 1 {
		var names []string
		for i := range m.Expr.Refs {
			names = appendNew(names, l.model.sources[m.Expr.Refs[i].Source].Name)
		}
		slices.Sort(names)
		m.Broken = l.problem(d.file, path+".expr", d.Expr, sdk.Position{}, invalid(CodeNoGrain, nil,
			"no source has one row of each of %s; make a measure in each and combine them in a ratio or derived one", list(names, "and")))
		return
	}
	if m.NonAdditive != nil {
		home := l.model.sources[homes[0]].Name
		m.Broken = l.problem(d.file, path+".non_additive.dimension", d.NonAdditive.Dimension, sdk.Position{}, invalid("", nil,
			"the rows of the measure are those of %s, and the time is one of %s; make the measure in %s, with a time of its own", home, l.s.Name, home))
		return
	}
	m.Home = homes[0]
	m.Expr.Refs = rebased(m.Expr.Refs, l.s, m.Home)
	for _, f := range m.Filter {
		f.Refs = rebased(f.Refs, l.s, m.Home)
	}
}

func (l *linker) reaches(home SourceID, refs []NameRef) bool {
	for i := range refs {
		if p, err := l.model.Path(home, refs[i].Ref); err != nil || !p.ToOne() {
			return false
		}
	}
	return true
}

// rebased writes references of a source as another one sees them.
func rebased(refs []NameRef, from *Source, to SourceID) []NameRef {
	all := slices.Clone(refs)
	for i := range all {
		switch {
		case all[i].Source == to:
			all[i].Via = nil
		case all[i].Source == from.ID && len(all[i].Via) == 0:
			all[i].Via = []string{from.Identity}
		}
	}
	return all
}

// normal writes the rest of a join condition so that two that say the same are
// equal.
func (l *linker) normal(j *Join, rest []expression.Node, here, there string) string {
	all := make([]string, 0, len(rest))
	for _, term := range rest {
		tree, err := expression.Substitute(term, func(n *expression.Name) (expression.Node, error) {
			ref, _ := j.On.Ref(n)
			side := here
			if len(ref.Via) > 0 {
				side = there
			}
			return &expression.Name{Parts: []string{side, ref.Column + "#" + strconv.Itoa(place(ref.Dimension))}}, nil
		})
		if err != nil {
			panic(err) // the substitution has none
		}
		all = append(all, expression.String(tree))
	}
	slices.Sort(all)
	return strings.Join(all, " AND ")
}

func sortPairs(pairs []Pair) {
	slices.SortFunc(pairs, func(a, b Pair) int { return cmp.Or(compareFields(a.To, b.To), compareFields(a.From, b.From)) })
}

func compareFields(a, b Field) int {
	return cmp.Or(cmp.Compare(a.Dimension, b.Dimension), cmp.Compare(a.Column, b.Column))
}
