package memory

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// Numbers are the values of a measure without and with a change, over the same rows.
type Numbers struct {
	// Period is the month that was asked for: "2026-10"; "" = all rows.
	Period string `json:"period,omitempty"`
	Now    Number `json:"now"`
	Then   Number `json:"then"`
}

// Number is a value, or why there is none.
type Number struct {
	Value json.RawMessage `json:"value,omitempty"`
	// Reason says why there is no value, "" = there is one.
	Reason string `json:"reason,omitempty"`
}

// Numbers runs a measure as it is and as a pending change would have it: over the last closed month, or over all rows
// where neither has a value there. Nothing is kept.
// Errors: KindNotFound; KindInvalid for a change of another kind; KindConflict for one that does not wait; those of ctx.
func (s *Service) Numbers(ctx context.Context, id string) (*Numbers, error) {
	c, err := s.change(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case c.Kind != change.Measure:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "change %s is no measure and has no numbers", c.ID).WithHint("compare the texts")
	case c.State != change.Pending:
		return nil, notPending(c)
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	j := &job{service: s, connection: c.Connection, actor: c.By}
	if j.policy, err = s.policy(ctx); err != nil {
		return nil, err
	}
	v, err := j.view(ctx)
	if err != nil {
		return nil, err
	}
	p := c.Proposal
	before := &trial{view: v, job: j, model: v.planner.Model, contents: map[string][]byte{}, maxBytes: j.policy.ProbeMaxBytes, ended: ctx.Err}
	if before.maxBytes == 0 {
		before.maxBytes = project.DefaultProbeBytes
	}
	after := *before
	reason := ""
	if err := after.instead(&p); err != nil {
		reason = failureText(err)
	}
	out := &Numbers{}
	for _, r := range before.ranges(s.Now().UTC()) {
		out.Period = r.name
		out.Now = before.number(ctx, &p, r)
		if out.Then = (Number{Reason: reason}); reason == "" {
			out.Then = after.number(ctx, &p, r)
		}
		if valued(out.Now) || valued(out.Then) {
			break
		}
	}
	return out, nil
}

func valued(n Number) bool { return n.Reason == "" && string(n.Value) != "null" }

// instead adds the entry of a proposal to the model that is tried, in place of a learned one that says otherwise.
// Errors: those of the form.
func (t *trial) instead(p *change.Proposal) error {
	err := t.stage(p)
	if sdk.KindOf(err) != sdk.KindConflict {
		return err
	}
	_, below, _ := overlay(p.Path)
	alone, err := t.job.service.Engine.Kinds[p.Kind].Apply(nil, p.Blocks)
	if err == nil {
		t.model = t.model.With(model.Parse(below, alone))
	}
	return err
}

// number asks for the value of a proposal's target.
func (t *trial) number(ctx context.Context, p *change.Proposal, r period) Number {
	if !t.model.Has(strings.Split(p.Target, ".")...) {
		return Number{Reason: "there is no " + p.Target}
	}
	if t.secret(p) {
		return Number{Reason: "the values of its columns are withheld"}
	}
	ask := request.Request{Measures: []request.Measure{{Name: p.Target}}, DateRanges: r.of}
	q, err := compile.Compile(t.model, t.view.dialect, ask, compile.Options{Now: t.job.service.Now().UTC(), Ended: t.ended})
	if err != nil {
		return Number{Reason: failureText(err)}
	}
	tried := *p
	tried.Verified = &change.Verified{}
	rows, err := t.ask(ctx, &tried, q)
	switch {
	case err != nil:
		return Number{Reason: failureText(err)}
	case tried.Verified.Reason != "":
		return Number{Reason: tried.Verified.Reason}
	case len(rows) == 0 || len(rows[0]) == 0:
		return Number{Value: json.RawMessage("null")}
	}
	return Number{Value: rows[0][0]}
}
