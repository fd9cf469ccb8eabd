package validation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// expressionTask has the engine look at everything that a source computes, in one
// statement that gives no rows. When it is refused, parts of it find out which
// members are.
func (v *validation) expressionTask(ctx context.Context, s *model.Source) *task {
	var members []computed
	for _, one := range v.computed(ctx, s) {
		if _, err := v.probe(ctx, []computed{one}); err == nil { // else it is a problem already
			members = append(members, one)
		}
	}
	// What needs other dimensions comes last, apart from the rest: no half of it is
	// asked about again because of what goes together with everything.
	slices.SortStableFunc(members, func(a, b computed) int { return cmp.Compare(len(a.beside), len(b.beside)) })
	alone := slices.IndexFunc(members, func(one computed) bool { return one.beside != nil })
	if alone < 0 {
		alone = len(members)
	}
	if len(members) == 0 {
		return nil
	}
	name := s.Name
	if s.ID == model.Metrics {
		name = binding.MetricsName
	}
	t := &task{label: "what " + name + " computes", blank: Check{
		Kind: CheckExpression, Source: name, File: binding.File(v.warehouse.ID, s.File), Line: int(s.Pos.Line),
	}}
	for _, one := range members {
		t.blank.Columns = append(t.blank.Columns, one.name)
	}
	t.ask = func(ctx context.Context) ([]Check, error) {
		p := prober{validation: v, blank: t.blank}
		for _, group := range [][]computed{members[:alone], members[alone:]} {
			if p.whole = len(group); p.whole == 0 {
				continue
			}
			if err := p.look(ctx, group); err != nil {
				return nil, err
			}
		}
		if len(p.out) == 0 {
			ok := t.blank
			ok.Status, ok.SQL, ok.ElapsedMS = CheckOK, p.sql, p.elapsed
			ok.Message = fmt.Sprintf("The engine takes %s of %s.", plural(len(members), "computed member"), name)
			p.out = append(p.out, ok)
		}
		return p.out, nil
	}
	return t
}

// prober finds the members that an engine refuses.
type prober struct {
	validation *validation
	blank      Check
	whole      int // how many are asked about together
	sql        string
	elapsed    int64
	out        []Check
}

// look asks about members together, and about each half when they are refused.
// Errors: what is no fault of a member.
func (p *prober) look(ctx context.Context, members []computed) error {
	text, err := p.validation.probe(ctx, members)
	if err == nil {
		c := Check{SQL: text}
		err = p.validation.query(ctx, &c, 1, func([][]byte) error { return nil })
		p.elapsed += c.ElapsedMS
		if p.sql == "" {
			p.sql = text
		}
		if err == nil {
			return nil
		}
		if !binding.OwnFault(err) {
			return err
		}
		if len(members) == p.whole {
			if bare := p.bare(ctx, members[0].source); bare != nil {
				return bare
			}
		}
	}
	if len(members) == 1 {
		p.refuse(members[0], text, err)
		return nil
	}
	half := len(members) / 2
	if err := p.look(ctx, members[:half]); err != nil {
		return err
	}
	return p.look(ctx, members[half:])
}

// bare asks for a source's rows without any member, so that a table that is not
// there is not told of every member.
func (p *prober) bare(ctx context.Context, s *model.Source) error {
	if s.ID == model.Metrics {
		return nil
	}
	text, err := compile.Probe(p.validation.state.Model, p.validation.dialect, s.ID)
	if err != nil {
		return err
	}
	c := Check{SQL: text}
	return p.validation.query(ctx, &c, 1, func([][]byte) error { return nil })
}

// refuse is a member that the engine does not take.
func (p *prober) refuse(one computed, sql string, err error) {
	c := p.blank
	c.Status, c.Severity, c.Columns, c.Line, c.SQL = CheckViolated, binding.SeverityError, []string{one.name}, int(one.pos.Line), sql
	c.Violations = 1
	c.Message = fmt.Sprintf("The engine refuses %s.%s, so every query with it fails: %s", c.Source, one.name, binding.Sentence(err))
	p.out = append(p.out, c)
}
