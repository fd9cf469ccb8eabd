package review

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// seen is what a form says that was seen: the version of the change, and the hash of the file.
type seen struct {
	id      string
	version int64
	base    string
}

// seenOf reads the fields of a form.
// Errors: KindInvalid for a form without a version.
func seenOf(r *page.Request) (seen, error) {
	version, err := strconv.ParseInt(r.Field("version"), 10, 64)
	if err != nil || version < 1 {
		return seen{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the form does not say which version it is about").WithHint("load the change again")
	}
	return seen{r.Path("id"), version, r.Field("base")}, nil
}

func (s seen) decision(r *page.Request, note string) memory.Decision {
	return memory.Decision{IDs: []string{s.id}, Versions: []int64{s.version}, Bases: []string{s.base}, Actor: r.Actor, Note: note}
}

// approve approves the change and leads to the next one of the list.
func (s Services) approve(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return s.decide(ctx, r, "approved", "revert", shown(r.Field("note"), maxReason), s.Memory.Approve)
}

// reject rejects the change and leads to the next one of the list.
func (s Services) reject(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	reason, err := reasonOf(r)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, r, "rejected", "reopen", reason, s.Memory.Reject)
}

// reopen takes a rejection back.
func (s Services) reopen(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return s.decide(ctx, r, "reopened", "", "", s.Memory.Reopen)
}

// decide decides of the change of the page.
func (s Services) decide(ctx context.Context, r *page.Request, did, undo, note string, do func(context.Context, memory.Decision) ([]memory.Decided, error)) (*page.Outcome, error) {
	of, err := seenOf(r)
	if err != nil {
		return nil, err
	}
	if did != "approved" {
		of.base = "" // the file is not what is decided of
	}
	next, err := s.next(ctx, r, of.id)
	if err != nil {
		return nil, err
	}
	all, err := do(ctx, of.decision(r, note))
	if err != nil {
		return nil, err
	}
	result := outcomeOf(did, undo, r.URL.RequestURI())
	result.add(&all[0])
	if len(result.done) == 0 {
		return s.refused(ctx, r, of, did, &all[0])
	}
	if did == "reopened" {
		next = ""
	}
	return &page.Outcome{To: next, Flash: result.flash()}, nil
}

// next is where to go after a decision: the next change of the list, else the one before, else the list.
func (s Services) next(ctx context.Context, r *page.Request, id string) (string, error) {
	f, err := filterOf(r.Query)
	if err != nil {
		return "", err
	}
	line, err := s.Memory.Line(ctx, id)
	if err != nil {
		return "", err
	}
	before, after, err := s.Memory.Around(ctx, f.request(r.Now), line.ID)
	switch {
	case err != nil:
		return "", err
	case after != nil:
		return f.change(string(after.ID)), nil
	case before != nil:
		return f.change(string(before.ID)), nil
	}
	if query := f.query(); query != "" {
		return "?" + query, nil
	}
	return "?state=" + stateOpen, nil
}

// refused shows the change as it is now, and why nothing was done.
func (s Services) refused(ctx context.Context, r *page.Request, of seen, did string, d *memory.Decided) (*page.Outcome, error) {
	now, err := s.Memory.Change(ctx, of.id)
	if err != nil {
		return nil, err
	}
	data, err := s.changeOf(ctx, r, now)
	if err != nil {
		return nil, err
	}
	data.Stale = "Nothing was " + did + ": " + since(now, of, data.Events, d.Problem)
	view := s.view(data)
	view.Status = http.StatusConflict
	return &page.Outcome{View: view}, nil
}

// since says what happened to a change since it was shown; otherwise what the problem is.
func since(d *memory.Detail, of seen, events []event, problem string) string {
	switch {
	case d.Version == of.version && of.base != "" && d.Base != "" && d.Base != of.base:
		return shown(d.Path, maxStatement) + " was edited since you opened this page. Below is what would be written now."
	case d.Version == of.version:
		return shown(problem, maxStatement)
	case d.DecidedBy != "" && d.State != string(change.Pending):
		return "it was " + word(d.State) + " by " + shown(d.DecidedBy, maxName) + ", " + text.Ago(d.DecidedAt) + "."
	case len(events) > 0:
		return "it was " + events[0].Verb + " by " + events[0].By + ", " + text.Ago(events[0].At) + "."
	}
	return "it is another version by now, " + d.State + "."
}

// word is a state as a sentence says it.
func word(state string) string {
	if state == string(change.Applied) {
		return "approved"
	}
	return state
}

// revert takes the change back.
func (s Services) revert(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	of, err := seenOf(r)
	if err != nil {
		return nil, err
	}
	answer, err := s.Memory.Revert(ctx, memory.RevertRequest{IDs: []string{of.id}, Versions: []int64{of.version}, Actor: r.Actor, Note: shown(r.Field("note"), maxReason)})
	if err != nil {
		return nil, err
	}
	result := outcomeOf("reverted", "revert", r.URL.RequestURI())
	for i := range answer.Changes {
		result.addReverted(&answer.Changes[i])
	}
	if len(result.done) == 0 && len(answer.Changes) > 0 {
		return s.refused(ctx, r, of, "reverted", &answer.Changes[0].Decided)
	}
	return &page.Outcome{To: strings.TrimPrefix(page.With(r.URL, "edit", ""), page.Root), Flash: result.flash()}, nil
}
