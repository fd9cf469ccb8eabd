package review

import (
	"context"
	"net/http"
	"strings"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

// maxEdited is the longest text that is edited on a page, in bytes.
const maxEdited = 24 << 10

// edit is the text of a pending change in a form.
type edit struct {
	Text    string `json:"text,omitempty"`
	Version int64  `json:"version"`
	// TooLong: the text does not fit on a page.
	TooLong bool `json:"tooLong,omitempty"`
	// Problem says why the text was not stored.
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

func (s Services) editOf(ctx context.Context, d *memory.Detail) (*edit, error) {
	text, version, err := s.Memory.Pending(ctx, string(d.ID))
	if err != nil {
		return nil, err
	}
	if len(text) > maxEdited {
		return &edit{Version: version, TooLong: true}, nil
	}
	return &edit{Text: text, Version: version}, nil
}

// save stores an edited text, which waits on; every check ran again.
func (s Services) save(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	d, out, err := s.edited(ctx, r)
	if out != nil || err != nil {
		return out, err
	}
	said := "Saved; it still waits."
	if v := d.Verification; v != nil {
		said = "Saved and tested: " + meaning(v.Level) + "."
	}
	return &page.Outcome{To: here(r), Flash: &page.Flash{Text: said}}, nil
}

// here is the page without the form for editing.
func here(r *page.Request) string { return strings.TrimPrefix(page.With(r.URL, "edit", ""), page.Root) }

// saveAndApprove stores an edited text, for which every check runs again, and approves it.
func (s Services) saveAndApprove(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	d, out, err := s.edited(ctx, r)
	if out != nil || err != nil {
		return out, err
	}
	next, err := s.next(ctx, r, string(d.ID))
	if err != nil {
		return nil, err
	}
	of := seen{string(d.ID), d.Version, d.Base}
	all, err := s.Memory.Approve(ctx, of.decision(r, "edited before it was approved"))
	if err != nil {
		return nil, err
	}
	result := outcomeOf("approved", "revert", page.With(r.URL, "edit", ""))
	result.add(&all[0])
	if len(result.done) == 0 {
		return s.refused(ctx, r, of, "approved, but your text is saved", &all[0])
	}
	return &page.Outcome{To: next, Flash: result.flash()}, nil
}

// edited stores the text of the form. out is the page with the form again where the text cannot be stored.
func (s Services) edited(ctx context.Context, r *page.Request) (d *memory.Detail, out *page.Outcome, err error) {
	of, err := seenOf(r)
	if err != nil {
		return nil, nil, err
	}
	typed := strings.ReplaceAll(r.Form.Get("text"), "\r\n", "\n") // browsers send them so
	d, err = s.Memory.EditPending(ctx, of.id, typed, of.version, r.Actor)
	if err == nil {
		return d, nil, nil
	}
	if kind := sdk.KindOf(err); kind != sdk.KindInvalid && kind != sdk.KindConflict {
		return nil, nil, err
	}
	out, failed := s.typedAgain(ctx, r, of, typed, sdk.AsError(err, sdk.SourceHost))
	return nil, out, failed
}

// typedAgain shows the form with what was typed, and what is wrong with it.
func (s Services) typedAgain(ctx context.Context, r *page.Request, of seen, typed string, why *sdk.Error) (*page.Outcome, error) {
	now, err := s.Memory.Change(ctx, of.id)
	if err != nil {
		return nil, err
	}
	data, err := s.changeOf(ctx, r, now)
	if err != nil {
		return nil, err
	}
	data.Edit = &edit{Text: typed, Version: now.Version, Problem: shown(why.Msg, maxStatement), Hint: shown(why.Hint, maxStatement)}
	if now.Version != of.version {
		data.Stale = "Nothing was saved: " + since(now, of, data.Events, why.Msg)
	}
	view := s.view(data)
	view.Status = http.StatusUnprocessableEntity
	if why.Kind == sdk.KindConflict {
		view.Status = http.StatusConflict
	}
	return &page.Outcome{View: view}, nil
}
