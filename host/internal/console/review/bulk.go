package review

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	common "github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxPicked is how many changes one decision is about.
	maxPicked = 200
	// maxDetails is how many lines a message has, and maxDetail how many characters a line.
	maxDetails, maxDetail = 30, 160
	// maxReason bounds the reason of a rejection, in characters.
	maxReason = 500
)

// reasons are those that a rejection may have besides a text of one's own.
func reasons() []string { return []string{"wrong", "duplicate", "not worth keeping", "unclear"} }

// picked is the changes of a decision with the versions that were seen.
type picked struct {
	ids      []string
	versions []int64
	bases    []string // "" = no file was shown
}

// pickedOf reads the fields pick of a form.
// Errors: KindInvalid for none, for more than maxPicked, and for another text than pickOf makes.
func pickedOf(form url.Values) (p picked, err error) {
	for _, one := range form["pick"] {
		seen, ok := common.PickOf(one)
		if !ok {
			return p, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is no change of a list", quoted(one)).WithHint("load the list again and select there")
		}
		if slices.Contains(p.ids, seen.ID) {
			continue
		}
		p.ids, p.versions, p.bases = append(p.ids, seen.ID), append(p.versions, seen.Version), append(p.bases, seen.Base)
	}
	switch {
	case len(p.ids) == 0:
		return p, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no change is selected").WithHint("go back and select the changes that you mean")
	case len(p.ids) > maxPicked:
		return p, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d changes are selected; a decision is about %d at most", len(p.ids), maxPicked).
			WithHint("go back and select fewer")
	}
	return p, nil
}

// reasonOf reads the reason of a rejection.
// Errors: KindInvalid where none is given, or a long one.
func reasonOf(r *page.Request) (string, error) {
	reason := cmp.Or(r.Field("other"), r.Field("reason"))
	switch {
	case reason == "":
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a rejection needs a reason").WithHint("go back and say why: the agent's next run reads it")
	case len([]rune(reason)) > maxReason:
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the reason has more than %d characters", maxReason).WithHint("go back and say it in fewer words")
	}
	return reason, nil
}

// askData is the page that asks whether a decision is meant.
type askData struct {
	Verb string `json:"verb"`
	// Rows are decided, Left are not.
	Rows    []row    `json:"changes"`
	Left    []row    `json:"leftOut,omitempty"`
	Reasons []string `json:"-"`
	Back    string   `json:"-"`
	Danger  bool     `json:"-"`
}

// allowed are the states of the changes that a decision can be about.
func allowed(verb string) []string {
	switch verb {
	case "approve", "reject":
		return []string{"pending", "draft"}
	case "revert":
		return []string{"draft", "applied"}
	}
	return nil
}

// ask lists exactly the selected changes and asks whether they are meant. It changes nothing.
func (s Services) ask(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	p, err := pickedOf(r.Form)
	if err != nil {
		return nil, err
	}
	data := &askData{Verb: r.Field("verb"), Reasons: reasons(), Back: backOf(r)}
	states := allowed(data.Verb)
	if states == nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no decision %s", quoted(data.Verb)).WithHint("load the list again")
	}
	data.Danger = data.Verb != "approve"
	for i, id := range p.ids {
		one := row{ID: change.ID(shown(id, maxName)), Version: p.versions[i]}
		line, err := s.Memory.Line(ctx, id)
		if err == nil {
			one = rowOf(line, filter{})
			one.Says = shown(line.Says, asked(len(p.ids)))
		}
		switch {
		case sdk.KindOf(err) == sdk.KindNotFound || sdk.KindOf(err) == sdk.KindInvalid:
			one.Problem = sdk.AsError(err, sdk.SourceHost).Msg
		case err != nil:
			return nil, err
		case one.Version != p.versions[i]:
			one.Problem = "it is not as you saw it: " + now(line)
		case !slices.Contains(states, one.State):
			one.Problem = "it is " + one.State
		default:
			data.Rows = append(data.Rows, one)
			continue
		}
		data.Left = append(data.Left, one)
	}
	title := capital(data.Verb) + " these " + strconv.Itoa(len(data.Rows)) + "?"
	switch len(data.Rows) {
	case 0:
		title = "Nothing to " + data.Verb
	case 1:
		title = capital(data.Verb) + " this one?"
	}
	return &page.Outcome{View: &page.View{Title: title, Data: data, Template: "review.ask"}}, nil
}

// asked is how much of a new value a list of so many changes shows.
func asked(n int) int {
	const few = 60
	if n <= few {
		return few
	}
	return few / 3
}

// now says what a change is by now.
func now(c *memory.ChangeLine) string {
	if c.DecidedBy == "" {
		return "it is " + c.State + ", with another text or file"
	}
	return c.State + " by " + shown(c.DecidedBy, maxName) + ", " + text.Ago(c.DecidedAt)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// backOf is the page of the console that a form came from, the inbox where it names none.
func backOf(r *page.Request) string {
	if to, ok := page.Local(r.Field("back")); ok {
		return to
	}
	return page.Root
}

// approveAll approves the selected changes.
func (s Services) approveAll(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return s.decideAll(ctx, r, "approved", "revert", s.Memory.Approve)
}

// rejectAll rejects the selected changes.
func (s Services) rejectAll(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return s.decideAll(ctx, r, "rejected", "reopen", s.Memory.Reject)
}

// reopenAll takes rejections back.
func (s Services) reopenAll(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return s.decideAll(ctx, r, "reopened", "", s.Memory.Reopen)
}

// decideAll decides the selected changes, each alone. undo is the action that takes it back, "" = none.
func (s Services) decideAll(ctx context.Context, r *page.Request, done, undo string, decide func(context.Context, memory.Decision) ([]memory.Decided, error)) (*page.Outcome, error) {
	p, err := pickedOf(r.Form)
	if err != nil {
		return nil, err
	}
	d := memory.Decision{IDs: p.ids, Versions: p.versions, Bases: p.bases, Actor: r.Actor, Note: shown(r.Field("note"), maxReason)}
	if done == "rejected" {
		if d.Note, err = reasonOf(r); err != nil {
			return nil, err
		}
	}
	all, err := decide(ctx, d)
	if err != nil {
		return nil, err
	}
	result := outcomeOf(done, undo, backOf(r))
	for i := range all {
		result.add(&all[i])
	}
	return &page.Outcome{To: strings.TrimPrefix(backOf(r), page.Root), Flash: result.flash()}, nil
}

// revertAll takes the selected changes back.
func (s Services) revertAll(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	p, err := pickedOf(r.Form)
	if err != nil {
		return nil, err
	}
	answer, err := s.Memory.Revert(ctx, memory.RevertRequest{IDs: p.ids, Versions: p.versions, Actor: r.Actor, Note: shown(r.Field("note"), maxReason)})
	if err != nil {
		return nil, err
	}
	result := outcomeOf("reverted", "revert", backOf(r))
	for i := range answer.Changes {
		result.addReverted(&answer.Changes[i])
	}
	return &page.Outcome{To: strings.TrimPrefix(backOf(r), page.Root), Flash: result.flash()}, nil
}

// result is what became of a decision about several changes.
type result struct {
	did, undo, back string
	done, failed    []string
	// picks are the changes that the undo is about.
	picks []string
	// drafts counts the approved ones that were in use before.
	drafts int
}

func outcomeOf(did, undo, back string) *result { return &result{did: did, undo: undo, back: back} }

func (o *result) add(d *memory.Decided) {
	name := nameOf(d)
	if d.Failed || o.did == "approved" && d.State != string(change.Applied) {
		o.failed = append(o.failed, name+": "+shown(d.Problem, maxDetail))
		return
	}
	if d.Problem != "" {
		name += ": " + shown(d.Problem, maxDetail)
	}
	if d.Was == "draft" && o.did == "approved" {
		o.drafts++
	}
	o.done, o.picks = append(o.done, name), append(o.picks, pickOf(d.ID, d.Version))
}

func (o *result) addReverted(d *memory.RevertedChange) {
	name := nameOf(&d.Decided)
	if d.Failed || d.Undo == "" {
		o.failed = append(o.failed, name+": "+shown(d.Problem, maxDetail))
		return
	}
	if len(d.Kept) > 0 {
		name += ", but for what was edited since: " + shown(strings.Join(d.Kept, ", "), maxDetail)
	}
	o.done, o.picks = append(o.done, name), append(o.picks, pickOf(d.Undo, d.UndoVersion))
}

// nameOf names a change in a message.
func nameOf(d *memory.Decided) string {
	if d.Target == "" {
		return shown(string(d.ID), maxName)
	}
	return shown(string(d.ID), maxName) + " " + shown(d.Target, maxTarget)
}

// flash is the message: what was not done first, with its reasons.
func (o *result) flash() *page.Flash {
	f := &page.Flash{Text: capital(o.did) + " " + text.Count(len(o.done), "change") + ".", Failed: len(o.failed) > 0}
	if len(o.failed) > 0 {
		f.Text += " " + capital(text.Count(len(o.failed), "change")) + " not:"
		if len(o.done) == 0 {
			f.Text = "Nothing was " + o.did + "."
		}
	}
	for _, line := range o.failed {
		f.Details = append(f.Details, "not "+o.did+": "+line)
	}
	for _, line := range o.done {
		f.Details = append(f.Details, o.did+": "+line)
	}
	if more := len(f.Details) - maxDetails; more > 0 {
		f.Details = append(f.Details[:maxDetails:maxDetails], fmt.Sprintf("… %d more", more))
	}
	if o.undo != "" && len(o.picks) > 0 {
		label := "Undo"
		if o.drafts > 0 { // they were in use before: the revert takes them out
			label = "Revert"
		}
		f.Undo = &page.Form{To: inboxPath, Do: o.undo, Label: label, Fields: url.Values{"pick": o.picks, "back": {o.back}}}
	}
	return f
}
