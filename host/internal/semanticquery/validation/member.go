package validation

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// computed is a member that an engine has to compute.
type computed struct {
	source *model.Source
	name   string
	key    string // of the file: "dimensions.is_paid"
	pos    model.Pos
	// beside are the dimensions that a measure is nothing without.
	beside []request.Dimension
	ask    func(r *request.Request)
}

// computed returns the members of a source whose SQL nobody has seen run: what
// definitions compute, and columns that no scan found.
func (v *validation) computed(ctx context.Context, s *model.Source) (all []computed) {
	if s.Broken != "" {
		return nil
	}
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		if d.Broken == "" && d.Visibility != model.Hidden && (d.Expr != nil || !s.Scanned) && !d.Described {
			ref := v.reference(s, d.Name)
			all = append(all, computed{source: s, name: d.Name, key: "dimensions." + d.Name, pos: d.Pos, ask: func(r *request.Request) {
				r.Dimensions = append(r.Dimensions, request.Dimension{Field: ref})
			}})
		}
	}
	for i := range s.Measures {
		m := &s.Measures[i]
		plain := m.Kind == model.Simple && m.Expr == nil && len(m.Filter) == 0
		if m.Name != "" && m.Broken == "" && m.Visibility != model.Hidden && !plain {
			if one, ok := v.computedMeasure(ctx, s, m); ok {
				all = append(all, one)
			}
		}
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		if g.Broken == "" && g.Visibility != model.Hidden && v.anchor(s) != nil {
			ref := v.reference(s, g.Name)
			all = append(all, computed{source: s, name: g.Name, key: "segments." + g.Name, pos: g.Pos, ask: func(r *request.Request) {
				r.Segments = append(r.Segments, ref)
			}})
		}
	}
	return all
}

// reference writes a member so that only this one is meant.
func (v *validation) reference(s *model.Source, member string) string {
	parts := []string{s.Name, member}
	if s.ID == model.Metrics {
		parts = parts[1:]
	} else if same, err := v.state.Model.FindSource(s.Name); err != nil || same != s {
		parts = []string{s.Table.Schema, s.Name, member}
	}
	return expression.String(&expression.Name{Parts: parts})
}

// compileAll finds what cannot be written in the connection's dialect. It ends early
// when ctx does.
func (v *validation) compileAll(ctx context.Context) {
	for _, s := range v.sources {
		for _, one := range v.computed(ctx, s) {
			if ctx.Err() != nil {
				return
			}
			if _, err := v.probe(ctx, []computed{one}); err != nil && ctx.Err() == nil && !v.reported(one) {
				v.add(v.refused(one, err))
			}
		}
	}
}

// probe writes a statement that has the engine look at members of one source and
// gives no rows.
func (v *validation) probe(ctx context.Context, members []computed) (string, error) {
	r := request.Request{Limit: 1}
	for _, one := range members {
		one.ask(&r)
	}
	if len(r.Measures)+len(r.Dimensions) == 0 { // conditions alone are no request
		r.Dimensions = v.anchor(members[0].source)
	}
	q, err := compile.Compile(v.state.Model, v.dialect, r, compile.Options{Now: v.config.Now(), NoRows: true, Ended: ctx.Err})
	if err != nil {
		return "", err
	}
	return q.SQL, nil
}

// anchor is a dimension of a source, any that can be used.
func (v *validation) anchor(s *model.Source) []request.Dimension {
	for i := range s.Dimensions {
		if d := &s.Dimensions[i]; d.Broken == "" && d.Visibility != model.Hidden {
			return []request.Dimension{{Field: v.reference(s, d.Name)}}
		}
	}
	return nil
}

// reported reports whether a problem of a member is in the report.
func (v *validation) reported(one computed) bool {
	return slices.ContainsFunc(v.report.Problems, func(p binding.Problem) bool {
		return p.Member == one.name && (p.Source == one.source.Name || p.Source == one.source.Identity) && strings.HasPrefix(p.Path, one.key)
	})
}

// refused is a member that cannot be compiled.
func (v *validation) refused(one computed, err error) binding.Problem {
	p := binding.Problem{
		Severity: binding.SeverityError, File: binding.File(v.warehouse.ID, one.source.File), Line: int(one.pos.Line), Column: int(one.pos.Column),
		Path: one.key, Source: one.source.Name, Member: one.name, Message: err.Error(),
	}
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		p.Message, p.Candidates = e.Message, e.Candidates
		if e.Fix != "" {
			p.Message += ": " + e.Fix
		}
	}
	return p
}
