package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/extract"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The stages of a run that is under way.
const (
	stagePlanning = "planning"
	stageChecking = "checking"
	stageApplying = "applying"
	stageIndexing = "indexing"
)

const (
	// probeTime bounds the statements of a run.
	probeTime = 20 * time.Second
	// askedBytes is the size up to which a text counts as one that somebody asked to remember.
	askedBytes = 4 << 10
)

// report is what a run says of itself beside its changes.
type report struct {
	Signals   Signals            `json:"signals"`
	Questions []planner.Question `json:"questions,omitempty"`
	Notes     []string           `json:"notes,omitempty"`
	Skipped   string             `json:"skipped,omitempty"`
	// Redacted counts the secrets that were taken out.
	Redacted int `json:"redacted,omitempty"`
}

// job is one run under way.
type job struct {
	service    *Service
	state      *store.Store // nil = nothing is stored
	id         string       // "" = it is no run
	text       string
	connection string
	source     string
	actor      change.Actor
	at         time.Time
	// found is what the model found in the text.
	found  extract.Found
	report report
	policy policy
	// probes are how many measures and segments may be tried; nil = all.
	probes *int
	// paths are the files that were written.
	paths []string
}

// run plans, checks and applies.
func (j *job) run(ctx context.Context) error {
	plan, err := j.unlessCanceled(ctx)
	if err != nil {
		return err
	}
	if err := j.enter(ctx, stageApplying); err != nil {
		return err
	}
	if err := j.apply(ctx, plan); err != nil {
		return err
	}
	return j.enter(ctx, stageIndexing)
}

// unlessCanceled is plan, which ends when somebody cancels the run. Later it is too late: what is applied stays whole.
// Errors: those of plan; run.ErrCanceled.
func (j *job) unlessCanceled(ctx context.Context) (*planner.Plan, error) {
	if j.state == nil || j.id == "" {
		return j.plan(ctx)
	}
	planning, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watching sync.WaitGroup
	watching.Go(func() { run.Watch(planning, j.state, j.id, cancel) })
	plan, err := j.plan(planning)
	asked, unread := j.state.Canceling(ctx, j.id)
	cancel(nil)
	watching.Wait()
	if asked {
		return nil, run.ErrCanceled
	}
	return plan, errors.Join(err, unread)
}

// enter keeps the stage that begins, with the report so far.
func (j *job) enter(ctx context.Context, stage string) error {
	if j.state != nil && j.id != "" {
		text, err := json.Marshal(j.report)
		if err != nil {
			return err
		}
		if err := j.state.PutRun(ctx, j.id, stage, text); err != nil {
			return err
		}
	}
	j.service.step(stage)
	return nil
}

// plan makes proposals of the text and verifies what is for the semantic layer.
func (j *job) plan(ctx context.Context) (*planner.Plan, error) {
	var err error
	if j.policy, err = j.service.policy(ctx); err != nil {
		return nil, err
	}
	view, err := j.view(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := j.service.bounded(ctx, planner.Input{
		Text: j.text, Connection: j.connection, By: j.actor, Source: j.source, At: j.at, Extracts: j.found.Statements,
		Asked: len(j.text) <= askedBytes && j.actor.Channel != change.Files,
	}, *view.planner)
	if err != nil {
		return nil, err
	}
	guarded(plan, view.hidden)
	j.report.Signals, j.report.Questions, j.report.Notes, j.report.Skipped = signalsOf(plan.Signals), plan.Questions, plan.Notes, plan.Skipped
	j.report.Notes = append(slices.Clip(j.report.Notes), j.found.Notes...)
	if n := j.report.Redacted; n > 0 {
		j.note("taken out before the text was kept: %s", text.Count(n, "secret"))
	}
	if err := j.enter(ctx, stageChecking); err != nil {
		return nil, err
	}
	return plan, j.verify(ctx, view, plan)
}

func (j *job) note(format string, args ...any) {
	j.report.Notes = append(j.report.Notes, fmt.Sprintf(format, args...))
}

// apply stores the proposals and writes what the policy allows.
func (j *job) apply(ctx context.Context, plan *planner.Plan) error {
	proposals := make([]change.Proposal, len(plan.Changes))
	for i := range plan.Changes {
		p := plan.Changes[i]
		p.Why = j.policy.waits(j.actor, &p)
		j.stamp(&p)
		proposals[i] = p
	}
	if len(proposals) == 0 {
		return nil
	}
	stored, err := j.service.Engine.Propose(ctx, change.Origin{Run: j.id, By: j.actor}, proposals)
	if err != nil {
		return err
	}
	j.service.step("proposed")
	for i, p := range stored {
		halfway := p.Same == change.Pending && len(p.Change.Why)+len(proposals[i].Why) == 0 // a run that ended left it
		if p.Change.Run != j.id && !halfway {
			j.known(p)
			continue
		}
		if p.Change.State != change.Pending || len(proposals[i].Why) > 0 {
			if p.Change.State == change.Applied {
				j.paths = append(j.paths, p.Change.Path)
			}
			continue
		}
		done, err := j.service.Engine.Apply(ctx, p.Change.ID)
		if err != nil {
			return err
		}
		if done.State == change.Applied {
			j.paths = append(j.paths, done.Path)
			if p.Change.Run != j.id {
				j.note("%s: kept now, as change %s of run %s, which ended before", p.Change.Target, p.Change.ID, p.Change.Run)
			}
		}
		j.service.step("applied")
	}
	return nil
}

// stamp adds to the entries of a proposal who says so.
func (j *job) stamp(p *change.Proposal) {
	p.Blocks = form.Stamp(p.Blocks, form.Learned{By: j.actor.Name(), At: j.at, Source: p.Source, Reviewed: j.actor.Person() && len(p.Why) == 0, Verified: p.Verified})
}

// known notes what another run, or a person, said before.
func (j *job) known(p change.Proposed) {
	switch p.Same {
	case change.Rejected:
		reason := ""
		if p.Change.Note != "" {
			reason = " (" + p.Change.Note + ")"
		}
		j.note("%s: this was rejected before by %s%s and is not proposed again", p.Change.Target, p.Change.DecidedBy.Name(), reason)
	case change.Pending:
		j.note("%s: this waits already as change %s", p.Change.Target, p.Change.ID)
	default:
		j.note("%s: this was known already, by change %s", p.Change.Target, p.Change.ID)
	}
}

// indexed waits until what was written can be found, and adds the version of the project to the ends.
func (s *Service) indexed(ctx context.Context, about []job, done []store.RunEnd) error {
	var paths []string
	for _, j := range about {
		paths = append(paths, j.paths...)
	}
	note := ""
	if len(paths) > 0 {
		limited, cancel := context.WithTimeout(ctx, indexTime)
		defer cancel()
		if err := s.findable(limited, paths); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.Logger.WarnContext(ctx, "what was remembered cannot be found yet", "error", err)
			note = fmt.Sprintf("what was kept cannot be found yet: %s", failureText(err))
		}
	}
	versions := map[string]string{}
	for i, j := range about {
		if note != "" && len(j.paths) > 0 {
			j.note("%s", note)
		}
		version, ok := versions[j.connection]
		if !ok {
			var err error
			if version, err = s.version(ctx, j.connection); err != nil {
				version = "" // an equal text is planned again
			}
			versions[j.connection] = version
		}
		text, err := json.Marshal(j.report)
		if err != nil {
			return err
		}
		if j.found.Failed { // another time the model may answer
			version = ""
		}
		done[i].Report, done[i].Project = text, version
	}
	return nil
}

// indexTime is how long a batch waits until it can be found.
const indexTime = 30 * time.Second

// findable waits until the search index has files as they are.
// Errors: those of the index; KindTimeout.
func (s *Service) findable(ctx context.Context, paths []string) error {
	for {
		if err := s.Index.Refresh(ctx, nil); err != nil {
			return late(ctx, err)
		}
		found, err := s.holds(ctx, paths)
		if err != nil || found {
			return late(ctx, err)
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return late(ctx, err)
		}
	}
}

func late(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the index was not brought up to date within %v", indexTime).WithHint("loam doctor says why")
	}
	return err
}
