package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// parse reads every expression of a draft. A member whose expression cannot be
// read is broken; the others are not.
func (r *draft) parse() {
	for i := range r.dims {
		r.parseDimension(&r.dims[i])
	}
	for i := range r.segments {
		s := &r.segments[i]
		if s.Broken == "" {
			s.tree, s.Broken = r.row(s.file, under("segments", s.Name.Value)+".expr", s.Expr, s.Details.Get().Dialect, "a segment")
		}
	}
	for i := range r.measures { // the anonymous ones that are added need nothing
		if m := &r.measures[i]; m.Broken == "" {
			r.parseMeasure(i)
		}
	}
	for i := range r.joins {
		r.parseJoin(&r.joins[i])
	}
}

func (r *draft) parseDimension(d *dimension) {
	path := under("dimensions", d.Name.Value)
	if d.Broken == "" && d.Computed != nil {
		var broken string
		if d.tree, broken = r.row(d.file, path+".expr", d.Expr(), d.Details.Get().Dialect, "a dimension"); broken != "" {
			d.edit().Broken = broken
		}
	}
	if d.tree != nil && d.shadows == "" && r.namesItself(d) {
		d.shadows = d.Name.Value
	}
	if d.shadows != "" {
		r.warnShadow(d)
	} else if d.beside {
		r.warnBeside(d)
	}
}

// row reads an expression over single rows.
func (r *draft) row(file, path string, t Text, native, what string) (expression.Node, string) {
	tree, broken := r.read(file, path, t, native)
	if broken != "" {
		return nil, broken
	}
	if aggregated(tree) {
		return nil, r.problem(file, path, t, nil, "%s is about single rows and has no aggregate; make the aggregate a measure", what)
	}
	r.mention(tree)
	return tree, ""
}

func aggregated(tree expression.Node) bool {
	class := expression.ClassOf(tree)
	return class == expression.Aggregated || class == expression.Mixed
}

// read parses a definition: in the portable language, and where that fails or
// the file says so, in the engine's own SQL.
func (r *draft) read(file, path string, t Text, native string) (expression.Node, string) {
	if native != "" && (r.dialect == nil || native != r.dialect.Name) {
		return nil, r.problem(file, path, t, nil, "is written for the dialect %s, which this connection does not speak", native)
	}
	var portable error
	if native == "" {
		tree, err := expression.Parse(t.Value)
		if err == nil {
			return tree, ""
		}
		portable = err
	}
	if r.dialect != nil {
		tree, err := expression.ParseNative(t.Value, r.dialect)
		if err == nil {
			if portable != nil {
				r.assume(file, path, t, portable)
			}
			return tree, ""
		}
		if native != "" {
			portable = err
		}
	}
	return nil, r.unread(file, path, t, portable)
}

// assume notes that a definition is taken for the engine's own SQL, and why.
func (r *draft) assume(file, path string, t Text, err error) {
	e := sdk.AsError(err, sdk.SourceCaller)
	r.warnings = append(r.warnings, Problem{
		File: file, Pos: t.At(e.Pos), Path: path, Source: r.name, Member: memberOf(path),
		Msg: fmt.Sprintf("is taken for SQL of %s as it stands, for the portable language does not have it (%s); say dialect: %s if that is meant", r.dialect.Name, e.Msg, r.dialect.Name),
	})
}

// unread makes a problem of what a parser says.
func (r *draft) unread(file, path string, t Text, err error) string {
	e := sdk.AsError(err, sdk.SourceCaller)
	msg := e.Msg
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	where := t
	where.Pos = t.At(e.Pos)
	return r.problem(file, path, where, e.Candidates, "%s", msg)
}

// mention notes the roles and sources that a tree names.
func (r *draft) mention(tree expression.Node) {
	for _, n := range expression.Names(tree) {
		for _, part := range n.Parts[:len(n.Parts)-1] {
			r.mentions = appendNew(r.mentions, fold(part))
		}
	}
}

func (r *draft) mentionNames(names ...Text) {
	for _, t := range names {
		if !strings.Contains(t.Value, ".") {
			continue
		}
		if n, err := expression.ParseName(t.Value); err == nil {
			r.mention(n)
		}
	}
}

func (r *draft) parseJoin(j *join) {
	if to, ok := split(j.To.Value, r.dialect); ok {
		j.target = fold(to.Name)
		r.mentions = appendNew(r.mentions, j.target)
	}
	if j.key != nil || j.Broken != "" || j.tree != nil {
		if j.tree != nil && aggregated(j.tree) {
			j.Broken = r.problem(j.file, r.joinPath(j), j.On, nil, "a join condition is about single rows and has no aggregate")
		}
		return
	}
	_, err := expression.Parse(j.On.Value)
	if err == nil {
		return
	}
	j.Broken = r.unread(j.file, r.joinPath(j), j.On, err)
}

func (r *draft) joinPath(j *join) string {
	for i := range r.joins {
		if &r.joins[i] == j {
			return "joins[" + strconv.Itoa(i) + "].on"
		}
	}
	return "joins"
}

// parseMeasure brings the forms of a measure to one.
func (r *draft) parseMeasure(i int) {
	m := &r.measures[i]
	path := under("measures", m.Name.Value)
	r.mentionNames(m.Numerator, m.Denominator, m.Measure, m.Time)
	r.mentionNames(m.Within...)
	r.mentionNames(m.Per...)
	if m.Filter.Value != "" {
		if m.filter, m.Broken = r.row(m.file, path+".filter", m.Filter, m.Details.Get().Dialect, "a filter"); m.Broken != "" {
			return
		}
	}
	if m.Expr.Value != "" && !(m.Expr.Value == "*" && m.Agg == expression.Count) {
		if m.tree, m.Broken = r.read(m.file, path+".expr", m.Expr, m.Details.Get().Dialect); m.Broken != "" {
			return
		}
		r.mention(m.tree)
	}
	if m.Kind == "" {
		m.Kind = Simple
		if m.Agg == "" {
			r.measureOf(i, path)
			return
		}
	}
	switch {
	case m.Kind == Simple && m.Agg == "":
		r.measureOf(i, path)
	case m.Kind == Simple && m.tree != nil && aggregated(m.tree):
		m.Broken = r.problem(m.file, path+".expr", m.Expr, nil, "has an aggregate although agg says %s; keep one of them", m.Agg)
	case m.Kind == Derived:
		r.derived(i)
	}
}

// measureOf finds out what an expression without agg makes of a measure.
func (r *draft) measureOf(i int, path string) {
	m := &r.measures[i]
	if a, ok := m.tree.(*expression.Aggregate); ok {
		m.Agg, m.tree = a.Function, a.X
		if a.Parameter != nil {
			m.parameter = a.Parameter
		}
		return
	}
	_, native := m.tree.(*expression.Native)
	switch class := expression.ClassOf(m.tree); {
	case class == expression.Constant, native && !aggregated(m.tree):
		m.Broken = r.problem(m.file, path+".expr", m.Expr, nil, "has no aggregate; add agg, or write sum(…)")
	case native: // an aggregate of the engine's own, as it stands
	case class == expression.Scalar && (m.filter != nil || m.Segments != nil):
		m.Broken = r.problem(m.file, path+".filter", m.Filter, nil, "a calculation over measures takes no filter; filter the measures that it is made of")
	default:
		m.Kind = Derived
		r.derived(i)
	}
}

// derived makes anonymous measures of the aggregates in a calculation, each
// with the filter of the whole.
func (r *draft) derived(i int) {
	m := &r.measures[i]
	if _, native := m.tree.(*expression.Native); native {
		m.Broken = r.problem(m.file, under("measures", m.Name.Value)+".expr", m.Expr, nil, "a calculation over measures is written in the portable language")
		return
	}
	parts := map[*expression.Name]int{}
	tree, err := expression.Transform(m.tree, func(n expression.Node) (expression.Node, error) {
		a, ok := n.(*expression.Aggregate)
		if !ok {
			return n, nil
		}
		name := &expression.Name{Parts: []string{expression.String(a)}}
		def, options := *m.MeasureDef, *m.MeasureOptions
		def.Name, def.Visibility, options.Default = Text{}, Hidden, nil
		r.measures = append(r.measures, measure{
			MeasureDef: &def, MeasureOptions: &options, Kind: Simple, Agg: a.Function, Broken: m.Broken, file: m.file,
			tree: a.X, filter: r.measures[i].filter, parameter: a.Parameter, whole: m.Name.Value,
		})
		parts[name] = len(r.measures) - 1
		return name, nil
	})
	if err != nil {
		panic(err) // the change above has none
	}
	m = &r.measures[i] // append may have moved it
	m.tree, m.parts, m.filter = tree, parts, nil
	if len(parts) > 0 && (m.Segments != nil || m.NonAdditive != nil) { // its parts have them
		options := *m.MeasureOptions
		options.Segments, options.NonAdditive = nil, nil
		m.MeasureOptions = &options
	}
}
