package review

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// muted is an actor whose waiting changes the inbox leaves out.
type muted struct {
	Actor string    `json:"actor"`
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	// Link leads to its changes, Unmute takes the mute back; nil = the name is too long for a form.
	Link   string     `json:"-"`
	Unmute *page.Form `json:"-"`
}

// listedMuted is how many muted actors the inbox lists; loam review mute lists all.
const listedMuted = 20

// mutedOf returns the muted actors for a page.
func mutedOf(all []memory.Muted, back string) (out []muted) {
	for _, m := range all[:min(len(all), listedMuted)] {
		one := muted{Actor: shown(m.Actor, maxName), By: shown(m.By, maxName), At: m.At}
		if of := (filter{Actor: m.Actor}); len(m.Actor) <= maxParameter {
			one.Link, one.Unmute = listOf(of), muteForm("unmute", "Unmute", m.Actor, back)
		}
		out = append(out, one)
	}
	return out
}

// muteForm returns the form that mutes an actor or takes that back; nil = the name is too long for a form. The name is
// escaped in it: it may have invisible characters.
func muteForm(do, label, actor, back string) *page.Form {
	if actor == "" || len(actor) > maxParameter {
		return nil
	}
	return &page.Form{To: inboxPath, Do: do, Label: label, Fields: url.Values{"actor": {url.QueryEscape(actor)}, "back": {back}}}
}

// muting returns the form that mutes an actor, or takes that back where the actor is muted. Its button says no name: an
// agent chooses its own, as long as it likes.
func muting(all []memory.Muted, actor, back string) *page.Form {
	for _, m := range all {
		if m.Actor == actor {
			return muteForm("unmute", "Unmute this actor", actor, back)
		}
	}
	return muteForm("mute", "Mute this actor", actor, back)
}

// hiddenText says how many changes the inbox leaves out; "" = none.
func hiddenText(hidden, actors int) string {
	switch {
	case hidden == 0 || actors == 0:
		return ""
	case hidden < 0:
		return "Changes of " + text.Count(actors, "muted actor") + " are hidden."
	case hidden == 1:
		return "1 change of " + text.Count(actors, "muted actor") + " is hidden."
	}
	return text.Count(hidden, "change") + " of " + text.Count(actors, "muted actor") + " are hidden."
}

// mute leaves the changes of an actor out of the inbox.
func (s Services) mute(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return s.setMuted(ctx, r, "Muted", "unmute", s.Memory.Mute)
}

// unmute shows the changes of an actor in the inbox again.
func (s Services) unmute(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	return s.setMuted(ctx, r, "Unmuted", "mute", s.Memory.Unmute)
}

func (s Services) setMuted(ctx context.Context, r *page.Request, did, undo string, set func(context.Context, string, change.Actor) error) (*page.Outcome, error) {
	actor, err := url.QueryUnescape(r.Form.Get("actor"))
	if err != nil || actor == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no actor is named").WithHint("go back and choose one")
	}
	if err := set(ctx, actor, r.Actor); err != nil {
		return nil, err
	}
	says := map[string]string{"Muted": "what it proposes waits as before, and the inbox leaves it out", "Unmuted": "the inbox shows what it proposed"}[did]
	return &page.Outcome{To: strings.TrimPrefix(backOf(r), page.Root), Flash: &page.Flash{
		Text: did + " " + shown(actor, maxName) + ": " + says + ".", Undo: muteForm(undo, "Undo", actor, backOf(r)),
	}}, nil
}
