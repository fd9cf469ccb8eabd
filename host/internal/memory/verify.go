package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// The levels of change.Verified.
const (
	levelCompiles = "compiles"
	levelPlans    = "plans"
	levelRuns     = "runs"
	levelEqual    = "equal"
	levelEmpty    = "empty"
)

// trial tries the measures and segments of one plan in the warehouse.
type trial struct {
	view     *view
	job      *job
	model    *model.Model
	contents map[string][]byte // of overlays, with the plan's entries so far
	maxBytes int64
	// away says why nothing more is asked of the warehouse, "" = it answers.
	away string
	// ended returns an error when nobody waits for the job any more: compilations ask it.
	ended func() error
}

// verify runs each measure and segment that the planner is certain of, and says how well it works. Where
// it cannot be run, it waits for a person and a question says so.
func (j *job) verify(ctx context.Context, v *view, plan *planner.Plan) error {
	if v.planner.Model == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	t := &trial{view: v, job: j, model: v.planner.Model, contents: map[string][]byte{}, maxBytes: j.policy.ProbeMaxBytes, ended: ctx.Err}
	if t.maxBytes == 0 {
		t.maxBytes = project.DefaultProbeBytes
	}
	for i := range plan.Changes {
		p := &plan.Changes[i]
		if p.Connection != j.connection || p.Kind != change.Measure && p.Kind != change.Segment {
			continue
		}
		if slices.Contains(p.Why, change.WhyConflict) && v.planner.Model.Has(strings.Split(p.Target, ".")...) {
			continue // the other definition is what would be tried
		}
		if err := t.stage(p); err != nil {
			wait(p, change.WhyNotRun, failureText(err))
			continue
		}
		if !j.mayProbe() {
			t.away = cmp.Or(t.away, "enough was tried of these files")
		}
		if err := t.try(limited, p); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if v := p.Verified; v != nil && (v.Level == levelCompiles || v.Level == levelPlans) {
			j.report.Questions = append(j.report.Questions, planner.Question{
				Quote: p.Quote, Code: planner.NotProbed,
				Ask: fmt.Sprintf("%s could not be run (%s). Is it right as it is written?", p.Target, p.Verified.Reason),
			})
		}
	}
	return nil
}

// mayProbe counts a measure or a segment that is tried, and reports whether it may be.
func (j *job) mayProbe() bool {
	if j.probes == nil {
		return true
	}
	*j.probes--
	return *j.probes >= 0
}

// wait adds a reason why a proposal waits.
func wait(p *change.Proposal, code, note string) {
	if !slices.Contains(p.Why, code) {
		p.Why = append(p.Why, code)
	}
	if note != "" {
		p.Note = strings.TrimSpace(p.Note + " " + note)
	}
}

// stage adds the entry of a proposal to the model that is tried.
func (t *trial) stage(p *change.Proposal) error {
	_, below, ok := overlay(p.Path)
	form := t.job.service.Engine.Kinds[p.Kind]
	if !ok || form == nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "%s is no file of the semantic layer", p.Path)
	}
	current, known := t.contents[p.Path]
	if !known {
		var err error
		if current, err = t.view.planner.Content(p.Path); err != nil {
			return err
		}
	}
	after, err := form.Apply(current, p.Blocks)
	if err != nil {
		return err
	}
	t.contents[p.Path] = after
	t.model = t.model.With(model.Parse(below, after))
	return nil
}

// try runs a measure or a segment and sets what came of it; nil = it does not even compile.
func (t *trial) try(ctx context.Context, p *change.Proposal) error {
	now := t.job.service.Now().UTC()
	p.Verified = &change.Verified{Level: levelCompiles, At: now}
	measures, segments := t.measured(p)
	for _, r := range t.ranges(now) {
		ask := request.Request{Measures: measures, Segments: segments, DateRanges: r.of}
		q, err := compile.Compile(t.model, t.view.dialect, ask, compile.Options{Now: now, Ended: t.ended})
		if ended := t.ended(); ended != nil {
			return ended
		}
		if err != nil && len(r.of) > 0 {
			continue // without a time of its own the whole source is asked
		}
		if err != nil {
			wait(p, change.WhyNotRun, failureText(err))
			p.Verified = nil
			return nil
		}
		found, err := t.probe(ctx, p, q, r.name)
		if err != nil {
			return err
		}
		if found == nil {
			wait(p, change.WhyNotRun, "")
			return nil
		}
		if t.nothing(p, found) {
			p.Verified.Level = levelEmpty
			continue // an older period may have rows
		}
		p.Verified.Level, p.Verified.Reason = levelRuns, ""
		t.job.note("%s ran over %s", p.Target, r.over(found, len(found) > 1 || p.Kind == change.Segment))
		if p.Kind == change.Measure {
			return t.twins(ctx, p, r, now)
		}
		return nil
	}
	if p.Verified.Level == levelEmpty {
		p.Verified.Reason = "it has no value"
		wait(p, change.WhyEmpty, p.Target+" has no value: no rows fit it.")
	}
	return nil
}

// measured are what is asked to try a proposal: the measure and how many rows its source has, or how
// many rows a segment has.
func (t *trial) measured(p *change.Proposal) (measures []request.Measure, segments []string) {
	home := homeOf(p.Target)
	rows := request.Measure{Expr: "count(*)", Name: "rows"}
	counts := t.model.Has(home, model.RowCount)
	if counts {
		rows = request.Measure{Name: home + "." + model.RowCount}
	}
	switch {
	case p.Kind == change.Segment:
		return []request.Measure{rows}, []string{p.Target}
	case counts:
		return []request.Measure{{Name: p.Target}, rows}, nil
	}
	return []request.Measure{{Name: p.Target}}, nil
}

// nothing reports whether a probe found no rows, or no value. Zero is a value, but not of what is counted.
func (t *trial) nothing(p *change.Proposal, found []json.RawMessage) bool {
	counted := p.Kind == change.Segment
	home := homeOf(p.Target)
	name := strings.TrimPrefix(p.Target, home+".")
	if of, err := t.model.FindSource(home); err == nil {
		for i := range of.Measures {
			if m := &of.Measures[i]; m.Name == name && (m.Agg == expression.Count || m.Agg == expression.CountDistinct) {
				counted = true
			}
		}
	}
	return string(found[0]) == "null" || empty(found[len(found)-1]) || counted && empty(found[0])
}
