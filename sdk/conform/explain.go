package conform

import (
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// planChecks are about Explain and Validate, which never run a statement.
func planChecks() []check {
	return []check{
		{"explain", planExplain},
		{"explain_runs_nothing", func(p *probe) { p.runsNothing("explain", p.needExplain()) }},
		{"explain_attacks", func(p *probe) { p.planAttacks(p.needExplain()) }},
		{"explain_errors", func(p *probe) { p.planErrors(p.needExplain()) }},
		{"validate_columns", planColumns},
		{"validate_runs_nothing", func(p *probe) { p.runsNothing("validate", p.needValidate()) }},
		{"validate_attacks", func(p *probe) { p.planAttacks(p.needValidate()) }},
		{"validate_errors", func(p *probe) { p.planErrors(p.needValidate()) }},
	}
}

// planner explains or validates a statement.
type planner func(sql string) error

func (p *probe) explainer() sdk.Explainer {
	return ability[sdk.Explainer](p, p.run.description.Capabilities.Explain, "plans are")
}

func (p *probe) needExplain() planner {
	explainer := p.explainer()
	return func(sql string) error {
		_, err := explainer.Explain(p.ctx, sdk.ExplainRequest{SQL: sql, Timeout: attackTime})
		return err
	}
}

func (p *probe) validator() sdk.Validator {
	return ability[sdk.Validator](p, p.run.description.Capabilities.Validate, "validation is")
}

func (p *probe) needValidate() planner {
	validator := p.validator()
	return func(sql string) error {
		_, err := validator.Validate(p.ctx, sdk.ValidateRequest{SQL: sql, Timeout: attackTime})
		return err
	}
}

func planExplain(p *probe) {
	explainer := p.explainer()
	p.within(patience, "explain", func() {
		plan, err := explainer.Explain(p.ctx, sdk.ExplainRequest{SQL: p.rowsSQL(100)})
		p.must("explain", err)
		switch plan.Format {
		case "text", "json", "xml":
		default:
			p.errorf("the plan's format is %q; text, json and xml are known", plan.Format)
		}
		if strings.TrimSpace(plan.Text) == "" {
			p.errorf("the plan is empty")
		}
		for name, n := range map[string]float64{"rows": float64(plan.EstimatedRows), "bytes": float64(plan.EstimatedBytes), "cost": plan.EstimatedCostUSD} {
			if n < -1 {
				p.errorf("the plan estimates %s at %g; unknown is -1", name, n)
			}
		}
		if p.run.description.Capabilities.CostEstimate && plan.EstimatedBytes < 0 && plan.EstimatedCostUSD < 0 {
			p.errorf("estimates of cost are declared, but a plan has neither bytes nor money")
		}
	})
}

// runsNothing plans a statement that would take a minute to run.
func (p *probe) runsNothing(what string, plan planner) {
	p.require(p.run.target.SlowSQL != "", "SlowSQL")
	const limit = 5 * time.Second
	p.within(limit, what+" of SlowSQL", func() {
		err := plan(p.run.target.SlowSQL)
		p.must(what, err)
	})
	p.wantEnded()
}

// planAttacks plans every attack and compares the data before and after.
func (p *probe) planAttacks(plan planner) {
	p.require(len(p.run.target.Attacks) > 0, "Attacks")
	session := p.shareSession()
	before, settings := p.reread(), p.settings(session)
	for _, a := range p.run.target.onServer() {
		if a.Harmless {
			continue
		}
		p.within(attackTime+p.run.pace.Settle, a.Name, func() {
			if p.kind(plan(a.SQL)) == sdk.KindInternal {
				p.errorf("%s: the refusal is an internal error", a.Name)
			}
		})
	}
	p.wantUnchanged(before, settings, session)
}

// planErrors: planning a statement that cannot run fails with the same kind and position as running it.
func (p *probe) planErrors(plan planner) {
	asked := 0
	for _, c := range p.run.target.Cases {
		if c.Error == nil || len(c.Params) > 0 || c.Error.Kind != sdk.KindSyntax && c.Error.Kind != sdk.KindNotFound {
			continue
		}
		asked++
		p.within(patience, c.Name, func() {
			e := p.want(c.Name, plan(c.SQL), c.Error.Kind)
			if want := (sdk.Position{Line: c.Error.Line, Column: c.Error.Column}); !want.IsZero() && e.Pos != want {
				p.errorf("%s: position %d:%d, want %d:%d", c.Name, e.Pos.Line, e.Pos.Column, want.Line, want.Column)
			}
		})
	}
	if asked == 0 {
		p.errorf("no case fails with kind %s or %s", sdk.KindSyntax, sdk.KindNotFound)
	}
}

// planColumns: the columns that Validate returns are those of the result.
func planColumns(p *probe) {
	validator := p.validator()
	named := 0
	for i := range p.run.target.Cases {
		c := &p.run.target.Cases[i]
		if c.Error != nil || len(c.Params) > 0 {
			continue
		}
		p.within(patience, c.Name, func() {
			found, err := validator.Validate(p.ctx, sdk.ValidateRequest{SQL: c.SQL})
			p.must("validate "+c.Name, err)
			if len(found.Columns) == 0 {
				return
			}
			named++
			o := p.outcome(c)
			p.must(c.Name, o.err)
			if diff := difference(namesAndTypes(o.answer.columns), namesAndTypes(found.Columns)); diff != "" {
				p.errorf("%s: columns (-executed +validated):\n%s", c.Name, diff)
			}
		})
	}
	p.remark("columns named for %d statements", named)
}

func namesAndTypes(columns []sdk.Column) []Column {
	all := make([]Column, len(columns))
	for i, c := range columns {
		all[i] = Column{Name: c.Name, Type: c.Type.String()}
	}
	return all
}
