package catalog

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxChoices is how many rows are decided on at once.
	maxChoices = 200
	// maxUndo is how many bytes of ids and notes the button of a flash may have: a page has at most 60 KiB.
	maxUndo = 24 << 10
	// maxNote is how long a note may be, in bytes.
	maxNote = 500
	// maxDetails is how many decisions a flash lists.
	maxDetails = 20
)

func (p *pages) joinActions() map[string]page.Action {
	decide := func(status relationship.Status) page.Action {
		return page.Action{Do: func(ctx context.Context, r *page.Request) (*page.Outcome, error) { return p.decide(ctx, r, status) }}
	}
	actions := map[string]page.Action{
		"accept": decide(relationship.Accepted), "reject": decide(relationship.Rejected), "forget": decide(""),
		"undo": {Do: p.undo},
	}
	if p.Record != nil {
		actions["sample"] = page.Action{Do: p.sampleJoin, Query: true}
	}
	return actions
}

// decide records one verdict about the rows that a person marked.
// Errors: KindInvalid for a malformed form; those of review.Service.Choose.
func (p *pages) decide(ctx context.Context, r *page.Request, status relationship.Status) (*page.Outcome, error) {
	note := r.Field("note")
	if len(note) > maxNote {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the note has %d bytes", len(note)).WithHint("write at most %d", maxNote)
	}
	choices, err := choicesOf(r)
	if err != nil {
		return nil, err
	}
	for i := range choices {
		choices[i].Verdict = review.Verdict{Status: status, Note: note, By: r.Actor}
	}
	return p.choose(ctx, r, choices, verbOf(status))
}

func verbOf(status relationship.Status) string {
	switch status {
	case relationship.Accepted:
		return "Accepted"
	case relationship.Rejected:
		return "Rejected"
	}
	return "Forgot the decision about"
}

// choicesOf reads the rows of a form: ID.VERSION, and for undo ID,ID,ID.VERSION.STATUS with the notes beside.
// Errors: KindInvalid.
func choicesOf(r *page.Request) ([]review.Choice, error) {
	values, notes := r.Form["link"], r.Form["earlier"]
	if len(values) == 0 || len(values) > maxChoices {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s chosen", text.Count(len(values), "join")).WithHint("go back and choose 1 to %d", maxChoices)
	}
	choices := make([]review.Choice, len(values))
	for i, v := range values {
		parts := strings.Split(v, ".")
		status, ok := verdictOf(strings.Join(parts[min(2, len(parts)):], "."))
		if len(parts) < 2 || parts[0] == "" || parts[1] == "" || !ok {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no join with its version", cut(v, maxShown)).WithHint("go back and choose again")
		}
		ids := strings.Split(parts[0], ",")
		choices[i] = review.Choice{ID: ids[0], More: ids[1:], Version: parts[1], Verdict: review.Verdict{Status: status}}
		if i < len(notes) {
			choices[i].Note = notes[i]
		}
	}
	return choices, nil
}

// undo gives links the decisions that they had before.
func (p *pages) undo(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	choices, err := choicesOf(r)
	if err != nil {
		return nil, err
	}
	for i := range choices {
		choices[i].By = r.Actor
	}
	return p.choose(ctx, r, choices, "Took back the decision about")
}

// choose records verdicts and says which of them were.
func (p *pages) choose(ctx context.Context, r *page.Request, choices []review.Choice, verb string) (*page.Outcome, error) {
	s, err := p.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	outcomes, err := p.Review.Choose(ctx, s.scope, choices)
	if err != nil {
		return nil, err
	}
	flash := &page.Flash{}
	done, links := 0, 0
	var failed []string
	for i := range outcomes {
		o := &outcomes[i]
		if o.Err == nil {
			done++
			links += len(o.Links)
			if len(flash.Details) < maxDetails {
				flash.Details = append(flash.Details, cut(o.Links[0].Text(), maxTitle)+like(len(o.Links)))
			}
		} else if len(failed) < maxDetails {
			e := sdk.AsError(o.Err, sdk.SourceCaller)
			failed = append(failed, "Not done: "+cut(e.Msg, maxTitle)+". "+strings.ToUpper(e.Hint[:min(1, len(e.Hint))])+e.Hint[min(1, len(e.Hint)):]+".")
		}
	}
	flash.Text = fmt.Sprintf("%s %s", verb, text.Count(links, "join"))
	if done < len(outcomes) {
		flash.Failed = true
		flash.Text = fmt.Sprintf("%s; %d of %s not done", flash.Text, len(outcomes)-done, text.Count(len(outcomes), "row"))
	}
	flash.Details = append(failed, flash.Details...)
	if n := lost(outcomes); n > 0 {
		flash.Details = append(flash.Details, text.Count(n, "join")+" that only a person had proposed: to take this back, run loam catalog relationships accept with its two ends.")
	}
	flash.Undo = undoOf(s.ID, outcomes, r.Field("back"))
	return &page.Outcome{Flash: flash}, nil
}

func like(links int) string {
	if links == 1 {
		return ""
	}
	return fmt.Sprintf(", and %d like it", links-1)
}

// lost counts the links of which nothing is left: nobody but a person ever proposed them, and the decision is gone.
func lost(outcomes []review.Outcome) (n int) {
	for i := range outcomes {
		for j := range outcomes[i].Links {
			if outcomes[i].Links[j].Status == "" {
				n++
			}
		}
	}
	return n
}

// undoOf returns the form that takes decisions back; nil when there are none. What is too much for a form is taken back in
// the list: the label says how much the form has.
func undoOf(id connection.ID, outcomes []review.Outcome, back string) *page.Form {
	fields := url.Values{}
	if back != "" {
		fields.Set("back", back)
	}
	parts, room := 0, maxUndo
	for i := range outcomes {
		for _, c := range outcomes[i].Back {
			parts++
			value := valueOf(c)
			if room -= len(value) + len(c.Note); room < 0 {
				continue
			}
			fields.Add("link", value)
			fields.Add("earlier", c.Note)
		}
	}
	if parts == 0 {
		return nil
	}
	label := "Undo"
	if n := len(fields["link"]); n < parts {
		label = fmt.Sprintf("Undo %d of %d parts", n, parts)
	}
	return &page.Form{To: strings.TrimPrefix(page.Link(section, string(id), "joins"), page.Root), Do: "undo", Label: label, Fields: fields}
}

// valueOf is a choice as choicesOf reads it.
func valueOf(c review.Choice) string {
	value := strings.Join(append([]string{c.ID}, c.More...), ",") + "." + c.Version
	if c.Status != "" {
		value += "." + string(c.Status)
	}
	return value
}
