package collect

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

const (
	// patience bounds the wait for another sync of the same repository.
	patience = 2 * time.Second
	// maxWork bounds one sync.
	maxWork = 6 * time.Hour
)

// runner records work as runs: one at a time of a kind and target. *run.Engine is one.
type runner interface {
	Begin(ctx context.Context, w run.Work, do do) (run.Run, error)
	Do(ctx context.Context, w run.Work, do do) (run.Run, error)
	Wait(ctx context.Context, id string, d time.Duration, progress func(sdk.Progress)) (run.Run, error)
}

// do is the work of a run. What it returns is the report of the run.
type do = func(ctx context.Context, report func(sdk.Progress)) (any, error)

// step adds files to a job, and deletions.
type step = func(context.Context, *job) error

// run runs a sync as a run, and waits for it. progress may be nil.
func (s *Service) run(ctx context.Context, r *Request, progress func(sdk.Progress), add step) (*Answer, error) {
	if before, err := s.before(ctx, &r.call); err != nil || before != nil {
		return before, err
	}
	if r.DryRun {
		return s.sync(ctx, r, progress, add)
	}
	var answer *Answer
	done, err := s.alone(ctx, r, func(ctx context.Context, report func(sdk.Progress)) (_ any, err error) {
		answer, err = s.sync(ctx, r, both(report, progress), add)
		return reportOf(answer), err
	})
	if err != nil {
		return nil, err
	}
	if answer.Repeated {
		return answer, nil
	}
	answer.RunID = &done.ID
	return answer, s.answered(ctx, &r.call, answer)
}

// alone runs work as a run of the repository. While another one is under way, it waits a little.
func (s *Service) alone(ctx context.Context, r *Request, work do) (run.Run, error) {
	began := false
	for until := time.Now().Add(patience); ; {
		done, err := s.config.Runs.Do(ctx, r.work(), func(ctx context.Context, report func(sdk.Progress)) (any, error) {
			began = true
			return work(ctx, report)
		})
		if began || sdk.KindOf(err) != sdk.KindConflict || ctx.Err() != nil || time.Now().After(until) {
			return done, err
		}
	}
}

// work describes the run of a request.
func (r *Request) work() run.Work {
	return run.Work{Kind: run.Index, Target: r.Repo, Actor: r.By, Principal: r.By.Principal, Cause: r.cause, Input: r.input, Deadline: maxWork}
}

// sync does the work of a request. The caller ensures that only one sync of a repository runs.
func (s *Service) sync(ctx context.Context, r *Request, progress func(sdk.Progress), add step) (*Answer, error) {
	began := s.config.Now()
	if progress == nil {
		progress = func(sdk.Progress) {}
	}
	if before, err := s.before(ctx, &r.call); err != nil || before != nil {
		return before, err // it ran while this one waited
	}
	j := &job{
		service: s, request: r, progress: progress, seen: map[chunk.Key]bool{},
		answer: &Answer{Errors: []Fault{}, Skipped: map[string]int{}, TenantID: s.config.Tenant},
	}
	if err := j.run(ctx, add); err != nil {
		return nil, err
	}
	j.answer.DurationMs = s.config.Now().Sub(began).Milliseconds()
	return j.answer, s.answered(ctx, &r.call, j.answer)
}

// reportOf returns an answer as the report of a run; nil = there is none.
func reportOf(a *Answer) any {
	if a == nil {
		return nil
	}
	return a
}

// both returns a function that reports to two.
func both(one, other func(sdk.Progress)) func(sdk.Progress) {
	if other == nil {
		return one
	}
	return func(p sdk.Progress) {
		one(p)
		other(p)
	}
}

// moved is the error of a sync whose repository got another folder while it waited.
func moved(repo string) error {
	e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the repository %s was made for another folder at the same moment", repo).WithHint("run it again: the folder gets another name")
	e.Retry = true
	return e
}
