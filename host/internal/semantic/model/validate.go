package model

import (
	"fmt"

	"github.com/loam-data/loam/sdk"
)

// Validate resolves the join path of every definition and returns a problem for
// each that is missing or ambiguous. Problems does not have these: paths are
// otherwise resolved when a request needs them.
// Units: the cost is that of the closures of all sources; a model is not changed
// by it.
func (m *Model) Validate() []Problem {
	v := validator{model: m}
	for _, s := range m.sources {
		if s == nil || s.Broken != "" {
			continue
		}
		m.whole(s)
		for i := range s.Dimensions {
			if d := &s.Dimensions[i]; d.Broken == "" {
				v.expr(s, s.ID, under("dimensions", d.Name)+".expr", s.full().dims[i].file, d.Expr)
			}
		}
		for i := range s.Segments {
			if g := &s.Segments[i]; g.Broken == "" {
				v.expr(s, s.ID, under("segments", g.Name)+".expr", s.full().segments[i].file, g.Expr)
			}
		}
		for i := range s.Measures {
			if x := &s.Measures[i]; x.Broken == "" && x.Kind == Simple {
				v.measure(s, x, s.full().measures[i].file)
			}
		}
	}
	sortProblems(v.problems)
	return v.problems
}

type validator struct {
	model    *Model
	problems []Problem
}

func (v *validator) measure(s *Source, x *Measure, file string) {
	name := x.Name
	if name == "" {
		name = fmt.Sprintf("%s(…)", x.Agg)
	}
	path := under("measures", name)
	v.expr(s, x.Home, path+".expr", file, x.Expr)
	for _, f := range x.Filter {
		v.expr(s, x.Home, path+".filter", file, f)
	}
}

// expr follows the references of an expression from the rows that it is about.
func (v *validator) expr(s *Source, home SourceID, path, file string, e *Expr) {
	if e == nil {
		return
	}
	for i := range e.Refs {
		r := &e.Refs[i]
		if len(r.Via) == 0 || r.Measure != 0 {
			continue
		}
		_, err := v.model.Path(home, r.Ref)
		if err == nil {
			continue
		}
		fail := sdk.AsError(err, sdk.SourceHost)
		msg := fail.Msg
		if fail.Hint != "" {
			msg += "; " + fail.Hint
		}
		v.problems = append(v.problems, Problem{
			File: file, Pos: e.At(r.Name.Pos()), Path: path, Source: s.Name, Member: memberOf(path), Msg: msg, Candidates: fail.Candidates,
		})
	}
}
