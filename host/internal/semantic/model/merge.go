package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// merge puts a definition above what there is.
func (r *draft) merge(l Definition) {
	def, file := l.Def, l.File.Path
	if r.broken == "" {
		r.broken = def.Broken
	}
	r.def.Pos, r.def.Name = def.Pos, def.Name
	if !def.overlay() && !r.scanned() {
		r.def.Table, r.def.SQL = def.Table, def.SQL
		r.checkBody(file)
	}
	if def.Description != "" {
		r.def.Description = def.Description
	}
	if def.Grain != nil || def.Keyless {
		r.def.Grain, r.def.Keyless = def.Grain, def.Keyless
	}
	r.def.UniqueKeys = append(slices.Clip(r.def.UniqueKeys), def.UniqueKeys...)
	set(&r.def.DefaultTime, def.DefaultTime)
	set(&r.def.TimeZone, def.TimeZone)
	if def.Calendar != nil {
		r.def.Calendar = def.Calendar
	}
	if def.HasVisible {
		r.def.Visibility = def.Visibility
	}
	r.def.Synonyms = append(slices.Clip(r.def.Synonyms), def.Synonyms...)
	if def.AI.Instructions != "" {
		r.def.AI.Instructions = def.AI.Instructions
	}
	r.def.AI.Examples = append(slices.Clip(r.def.AI.Examples), def.AI.Examples...)
	r.exclude(def, file)
	r.override(def, file)
	r.mergeDimensions(def, file)
	r.mergeMeasures(def, file)
	r.mergeSegments(def, file)
	r.mergeJoins(def, file)
}

func set(to *Text, from Text) {
	if from.Value != "" {
		*to = from
	}
}

func (r *draft) exclude(def *SourceDef, file string) {
	for _, name := range def.Exclude {
		i := r.dimension(name.Value)
		if i < 0 {
			near := r.nearDimensions(name.Value, r.guesses)
			r.problem(file, "exclude_columns", name, near, "%s has no column %s%s", r.name, name.Value, didYouMean(near))
			continue
		}
		r.dims[i].edit().Visibility = Hidden
	}
}

func (r *draft) override(def *SourceDef, file string) {
	for i := range def.Overrides {
		o := &def.Overrides[i]
		at := r.dimension(o.Name.Value)
		excluded := slices.ContainsFunc(def.Exclude, func(t Text) bool { return strings.EqualFold(t.Value, o.Name.Value) })
		switch {
		case at < 0:
			near := r.nearDimensions(o.Name.Value, r.guesses)
			msg := r.problem(file, under("column_overrides", o.Name.Value), o.Name, near, "%s has no column %s%s", r.name, o.Name.Value, didYouMean(near))
			if o.Broken != "" && r.broken == "" {
				r.broken = msg
			}
		case excluded:
			r.dims[at].edit().Broken = r.problem(file, under("column_overrides", o.Name.Value), o.Name, nil, "the column is excluded too; keep one of exclude_columns and column_overrides")
		default:
			r.dims[at].patch(o, file)
		}
	}
}

// patch changes what an override says and leaves the rest.
func (m *dimension) patch(o *DimensionDef, file string) {
	m.edit()
	m.file, m.Name.Pos = file, o.Name.Pos
	m.typed = m.typed || o.Type != AnyType
	if o.Computed != nil && !m.typed && m.column != nil {
		m.Type = AnyType // it was that of the column
	}
	m.Type, m.Description, m.Broken = cmp.Or(o.Type, m.Type), cmp.Or(o.Description, m.Description), cmp.Or(o.Broken, m.Broken)
	m.Computed = cmp.Or(o.Computed, m.Computed)
	m.Details = m.Details.Over(o.Details).Get().kept()
	if o.HasVisible {
		m.Visibility, m.HasVisible = o.Visibility, true
	}
}

func (r *draft) mergeDimensions(def *SourceDef, file string) {
	base := len(r.dims)
	r.dims = slices.Grow(r.dims, len(def.Dimensions))
	for i := range def.Dimensions {
		d := &def.Dimensions[i]
		if d.Name.Value == "" {
			continue // its problem is known, and nothing can ask for it
		}
		at := r.dimension(d.Name.Value)
		switch {
		case at >= base:
			r.dims[at].edit().Broken = r.problem(file, under("dimensions", d.Name.Value), d.Name, nil, "there are two dimensions of this name")
		case at >= 0:
			native := r.dims[at].Type
			if m := &r.dims[at]; m.Computed == nil && d.Computed != nil && (m.column != nil || m.Broken == "") {
				m.shadows = m.Name.Value // what a scan or a file below has is a column
			}
			r.dims[at].patch(d, file)
			if def.Shard && native != AnyType {
				r.dims[at].edit().Type = native // the scan saw the column itself
			}
		default:
			r.addDimension(d, file)
		}
	}
	if def.Shard && r.def.Grain == nil && !r.def.Keyless {
		for i := range def.Dimensions {
			if def.Dimensions[i].Key {
				r.def.Grain = append(r.def.Grain, def.Dimensions[i].Name)
			}
		}
	}
}

// addDimension adds a dimension that no layer has so far.
func (r *draft) addDimension(d *DimensionDef, file string) {
	m := dimension{DimensionDef: d, file: file}
	r.inheritColumn(&m)
	if m.Computed == nil && m.Broken == "" && r.scanned() {
		near := r.nearDimensions(d.Name.Value, r.guesses)
		m.edit().Broken = r.problem(file, under("dimensions", d.Name.Value), d.Name, near, "%s has no column %s%s", r.name, d.Name.Value, didYouMean(near))
	}
	r.dims = append(r.dims, m)
}

// inheritColumn fills what a dimension leaves out from the table that the
// definition inherits columns from.
func (r *draft) inheritColumn(m *dimension) {
	from := r.group.inherits
	if c, ok := columnOf(from.table.columns(), m.Name.Value); ok {
		if m.Type == AnyType {
			m.edit().Type = typeOf(c.Type)
		}
		if m.Description == "" {
			m.edit().Description = c.Comment
		}
	}
	if from.def == nil {
		return
	}
	for i := range from.def.Dimensions {
		if o := &from.def.Dimensions[i]; strings.EqualFold(o.Name.Value, m.Name.Value) {
			own := m.DimensionDef
			m.DimensionDef, m.edited = o, false
			m.patch(own, m.file)
			m.Name = own.Name
			return
		}
	}
}

func (r *draft) mergeMeasures(def *SourceDef, file string) {
	base := len(r.measures)
	r.measures = slices.Grow(r.measures, len(def.Measures))
	for i := range def.Measures {
		d := &def.Measures[i]
		if d.Name.Value == "" {
			continue
		}
		at := slices.IndexFunc(r.measures, func(m measure) bool { return m.Name.Value == d.Name.Value })
		switch {
		case at >= base:
			r.measures[at].Broken = r.problem(file, under("measures", d.Name.Value), d.Name, nil, "there are two measures of this name")
		case at >= 0:
			before := r.measures[at].file
			r.measures[at] = newMeasure(d, file)
			if before != "" && layerOf(before) == layerOf(file) { // two files of metrics
				r.measures[at].Broken = r.problem(file, under("metrics", d.Name.Value), d.Name, nil, "%s is defined in %s too; keep one of them", d.Name.Value, before)
			}
		default:
			r.measures = append(r.measures, newMeasure(d, file))
		}
	}
}

func (r *draft) mergeSegments(def *SourceDef, file string) {
	base := len(r.segments)
	for i := range def.Segments {
		d := &def.Segments[i]
		if d.Name.Value == "" {
			continue
		}
		at := slices.IndexFunc(r.segments, func(s segment) bool { return s.Name.Value == d.Name.Value })
		switch {
		case at >= base:
			r.segments[at].Broken = r.problem(file, under("segments", d.Name.Value), d.Name, nil, "there are two segments of this name")
		case at >= 0:
			r.segments[at] = newSegment(d, file)
		default:
			r.segments = append(r.segments, newSegment(d, file))
		}
	}
}

// mergeJoins takes joins away and adds others. A join with the columns of one
// that is there takes its place: who wrote it knows more than the scan.
func (r *draft) mergeJoins(def *SourceDef, file string) {
	for _, off := range def.DisableJoins {
		before := len(r.joins)
		r.joins = slices.DeleteFunc(r.joins, func(j join) bool { return r.disabled(&j, off.Value) })
		if len(r.joins) == before {
			r.problem(file, "disable_joins", off, nil, "no join has this condition, role or target")
		}
	}
	base := len(r.joins)
	for i := range def.Joins {
		j := r.join(&def.Joins[i], file)
		at := slices.IndexFunc(r.joins[:base], func(o join) bool { return r.replaces(&j, &o) })
		if at < 0 {
			r.joins = append(r.joins, j)
			continue
		}
		r.joins[at] = j
	}
}

// join is the draft of a join as it was written.
func (r *draft) join(def *JoinDef, file string) join {
	j := join{JoinDef: def, Broken: def.Broken, file: file}
	if j.On.Value != "" {
		if tree, err := expression.Parse(j.On.Value); err == nil {
			j.tree = tree
			j.columns = r.equated(tree)
		}
	}
	return j
}

// replaces reports whether a join equates the columns of another, to the same
// source.
func (r *draft) replaces(j, o *join) bool {
	to, ok := split(j.To.Value, r.dialect)
	other, okay := split(o.To.Value, r.dialect)
	return ok && okay && (Covers(to, other) || Covers(other, to)) && len(j.columns) > 0 && samePairs(j.columns, o.columns)
}

func samePairs(a, b [][2]string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p [2]string) bool { return !slices.Contains(b, p) })
}

// disabled reports whether a text is a join's condition, role or target.
func (r *draft) disabled(j *join, text string) bool {
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if words(text) == words(j.On.Value) || strings.EqualFold(text, j.Role.Value) || j.Role.Value == "" && strings.EqualFold(text, j.To.Value) {
		return true
	}
	tree, err := expression.Parse(text)
	if err != nil {
		return false
	}
	columns := r.equated(tree)
	return len(columns) > 0 && samePairs(columns, j.columns)
}

// equated returns the pairs of columns that a condition equates, this source's
// first.
func (r *draft) equated(tree expression.Node) (pairs [][2]string) {
	for _, term := range expression.Conjuncts(tree) {
		eq, ok := term.(*expression.Binary)
		if !ok || eq.Op != expression.Equal {
			continue
		}
		left, lok := eq.Left.(*expression.Name)
		right, rok := eq.Right.(*expression.Name)
		if !lok || !rok {
			continue
		}
		if !r.own(left) {
			left, right = right, left
		}
		pairs = append(pairs, [2]string{fold(left.Parts[len(left.Parts)-1]), fold(right.Parts[len(right.Parts)-1])})
	}
	return pairs
}

// own reports whether a name says that it is of this source.
func (r *draft) own(n *expression.Name) bool {
	before := n.Parts[:len(n.Parts)-1]
	return len(before) == 0 || strings.EqualFold(before[len(before)-1], r.name)
}

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + names[0] + "?"
}

// checkKeys reports keys and the time dimension that the columns do not have.
func (r *draft) checkKeys() {
	if r.known() {
		for _, key := range append([][]Text{r.def.Grain}, r.def.UniqueKeys...) {
			for _, k := range key {
				if r.dimension(k.Value) < 0 {
					near := r.nearDimensions(k.Value, r.guesses)
					r.fail(r.problem(r.keyFile(), "primary_key", k, near, "%s has no column %s%s", r.name, k.Value, didYouMean(near)))
				}
			}
		}
	}
	if name := r.def.DefaultTime; name.Value != "" {
		names := r.timeDimensions()
		file := r.fileOf(func(def *SourceDef) bool { return def.DefaultTime.Value != "" })
		if at := r.dimension(name.Value); at < 0 {
			r.problem(file, "default_time_dimension", name, names, "%s has no dimension %s%s", r.name, name.Value, didYouMean(r.guesses.near(name.Value, names)))
		} else if t := r.dims[at].Type; t != Time && t != AnyType {
			r.problem(file, "default_time_dimension", name, names, "the dimension %s is of type %s, not time", name.Value, t)
		}
	}
}

// keyFile is the file that says what the keys are.
func (r *draft) keyFile() string {
	return r.fileOf(func(def *SourceDef) bool { return def.Grain != nil || def.UniqueKeys != nil })
}

// fileOf is the nearest file with a definition that says something.
func (r *draft) fileOf(says func(*SourceDef) bool) string {
	for _, l := range slices.Backward(r.group.layers) {
		if l.File.Layer() != MemoryLayer && says(l.Def) {
			return l.File.Path
		}
	}
	return r.file
}

// fail makes the whole source unusable.
func (r *draft) fail(msg string) {
	if r.broken == "" {
		r.broken = msg
	}
}

func (r *draft) timeDimensions() (names []string) {
	for i := range r.dims {
		if r.dims[i].Type == Time {
			names = append(names, r.dims[i].Name.Value)
		}
	}
	return names
}
