package job

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// Status is how far a run is, and what became of it.
type Status struct {
	RunID  string    `json:"runId"`
	Kind   string    `json:"kind"`
	Target *string   `json:"target"` // nil = none
	Status run.State `json:"status"`
	Stage  string    `json:"stage"`
	Done   int64     `json:"done"`
	Total  *int64    `json:"total"` // nil = not known
	// Canceling: the run is still open, and somebody canceled it.
	Canceling bool `json:"canceling,omitempty"`
	// PollAfterMs is when to ask again; nil = the run has ended.
	PollAfterMs *int64     `json:"pollAfterMs"`
	By          string     `json:"by"`
	Principal   *string    `json:"principal"`
	Cause       *string    `json:"cause"`
	QueuedAt    time.Time  `json:"queuedAt"`
	StartedAt   *time.Time `json:"startedAt"`
	FinishedAt  *time.Time `json:"finishedAt"`
	Error       *Failure   `json:"error"`
	// Report is only in the answer of Report.
	Report json.RawMessage `json:"report,omitempty"`
}

// Failure is the error of a run. Code is nil when it is not known.
type Failure struct {
	Code    *sdk.Kind `json:"code"`
	Message string    `json:"message"`
}

// optional returns a text, nil for "".
func optional[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// moment returns a time, nil for the zero one.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (s *Service) status(r run.Run) Status {
	out := Status{
		RunID: r.ID, Kind: r.Kind, Target: optional(r.Target), Status: r.State, Stage: r.Stage, Done: r.Done, Total: r.Total, Canceling: r.Canceling,
		By: r.By.Name(), Principal: optional(r.Principal), Cause: optional(r.Cause), QueuedAt: r.QueuedAt, StartedAt: moment(r.StartedAt), FinishedAt: moment(r.FinishedAt),
	}
	if wait := r.Poll(s.Now()).Milliseconds(); wait > 0 {
		out.PollAfterMs = &wait
	}
	if r.Error != "" {
		out.Error = &Failure{optional(r.ErrorKind), r.Error}
	}
	return out
}

// Follow selects a run, and how long to wait for its end.
type Follow struct {
	RunID string
	Kind  string // that it must have; "" = any
	Wait  time.Duration
	// Progress receives each change of the run; may be nil.
	Progress func(sdk.Progress)
}

// Status returns a run, at its end or after the wait.
// Errors: KindNotFound; KindInvalid for a run of another kind.
func (s *Service) Status(ctx context.Context, f Follow) (Status, error) {
	r, err := s.follow(ctx, f)
	return s.status(r), err
}

// Report is Status with the report of the run, which is null until there is one.
func (s *Service) Report(ctx context.Context, f Follow) (Status, error) {
	r, err := s.follow(ctx, f)
	out := s.status(r)
	if out.Report = r.Report; r.Report == nil {
		out.Report = json.RawMessage("null")
	}
	return out, err
}

func (s *Service) follow(ctx context.Context, f Follow) (run.Run, error) {
	r, err := s.Runs.Get(ctx, f.RunID)
	switch {
	case err != nil:
		return run.Run{}, err
	case f.Kind != "" && r.Kind != f.Kind:
		return run.Run{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "run %s is of kind %s, not %s", r.ID, r.Kind, f.Kind).WithHint("call %s_status, or loam runs show %s", r.Kind, r.ID)
	case f.Wait <= 0 || r.State.Ended():
		return r, nil
	}
	return s.Runs.Wait(ctx, r.ID, f.Wait, f.Progress)
}

// ListRequest selects runs; a zero field selects all.
type ListRequest struct {
	Kinds, States []string
	Target        string
	Limit         int
	Cursor        string
}

// List is a page of runs, the latest first.
type List struct {
	Runs  []Status `json:"runs"`
	Total int      `json:"total"`
	Next  *string  `json:"nextCursor"`
}

// List lists the runs that the caller may see. Errors: KindInvalid (kind, state, cursor).
func (s *Service) List(ctx context.Context, r ListRequest) (*List, error) {
	f := run.Filter{Kinds: r.Kinds, Target: r.Target, Limit: r.Limit, Cursor: r.Cursor}
	for _, kind := range r.Kinds {
		if !slices.Contains(run.Kinds(), kind) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no kind %q", kind).WithHint("one of %s", strings.Join(run.Kinds(), ", "))
		}
	}
	for _, state := range r.States {
		if !slices.Contains(run.States(), run.State(state)) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no state %q", state).WithHint("one of %v", run.States())
		}
		f.States = append(f.States, run.State(state))
	}
	page, err := s.Runs.List(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &List{Runs: []Status{}, Total: page.Total, Next: optional(page.Next)}
	for _, r := range page.Runs {
		out.Runs = append(out.Runs, s.status(r))
	}
	return out, nil
}

// Fraction returns how much of a report of progress is done, from 0 to 1, and a message; a report without a total is
// worth a little more than the one before.
func Fraction(before float64, p sdk.Progress) (fraction float64, message string) {
	const part = 50
	if p.Total > 0 {
		return max(before, float64(p.Done)/float64(p.Total)), p.Phase
	}
	return before + (1-before)/part, p.Phase
}
