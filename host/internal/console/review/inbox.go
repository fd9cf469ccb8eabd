package review

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	common "github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
)

const (
	// pageRows is how many changes a page of the inbox lists.
	pageRows = 40
	// The most characters of a target, of a new value, and of a name on a list.
	maxTarget, maxSays, maxName = 80, 140, 60
)

// inboxData is the page of waiting changes.
type inboxData struct {
	// Summary is the state in one line: "5 wait, 2 contradict something; 4 unreviewed".
	Summary string        `json:"summary"`
	Filters []page.Filter `json:"-"`
	Groups  []group       `json:"groups"`
	Pager   page.Pager    `json:"pager"`
	// Undo is the address of the page that lists what a revert of the filter would do, UndoLabel its name; "" = none.
	Undo      string `json:"undo,omitempty"`
	UndoLabel string `json:"-"`
	// Hidden says how many changes of muted actors are left out, Show leads to the list with them; "" = none.
	Hidden string  `json:"hidden,omitempty"`
	Show   string  `json:"-"`
	Muted  []muted `json:"muted,omitempty"`
	// MoreMuted counts the muted actors that are not listed.
	MoreMuted int `json:"moreMuted,omitempty"`
	// Mute mutes the actor of the filter, or takes that back; nil = the filter names none.
	Mute *page.Form `json:"-"`
	// Reasons to reject, and the address of the page, for its forms.
	Reasons []string `json:"-"`
	Back    string   `json:"-"`
}

// group is a part of a page of changes.
type group struct {
	// Title is the run or the target, "" = the list is not grouped.
	Title string `json:"title,omitempty"`
	// Link leads to all of the group, "" = nowhere.
	Link string `json:"-"`
	Rows []row  `json:"changes"`
}

// row is a change on a list.
type row struct {
	ID         change.ID `json:"id"`
	Version    int64     `json:"version"`
	State      string    `json:"state"`
	Disputed   bool      `json:"conflict,omitempty"`
	Kind       string    `json:"kind"`
	Connection string    `json:"connectionId,omitempty"`
	Target     string    `json:"target"`
	Says       string    `json:"says"`
	Why        []string  `json:"why,omitempty"`
	By         string    `json:"by"`
	Source     string    `json:"source,omitempty"`
	At         time.Time `json:"at"`
	Run        string    `json:"runId,omitempty"`
	Decided    string    `json:"decidedBy,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	// Pick is the value of the row's checkbox, Link the address of the change.
	Pick string `json:"-"`
	Link string `json:"-"`
	// Actor leads to the list of what the same actor proposed, "" = the name is too long for an address.
	Actor string `json:"-"`
	// Problem says why the row is not part of what is asked for.
	Problem string `json:"problem,omitempty"`
}

func rowOf(c *memory.ChangeLine, f filter) row {
	r := row{
		ID: c.ID, Version: c.Version, State: c.State, Disputed: c.Disputed && c.State == string(change.Pending), Kind: string(c.Kind), Connection: shown(c.Connection, maxName),
		Target: shown(c.Target, maxTarget), Says: shown(c.Says, maxSays), By: shown(c.By, maxName), Source: shown(c.Source, maxName), At: c.At,
		Run: string(c.RunID), Decided: shown(c.DecidedBy, maxName), Reason: shown(c.Reason, maxSays), Link: page.Root + f.change(string(c.ID)),
	}
	for _, code := range c.Why {
		r.Why = append(r.Why, whyText(code))
	}
	r.Pick = pickOf(r.ID, r.Version)
	if c.By == r.By {
		r.Actor = listOf(filter{State: f.State, Actor: c.By})
	}
	return r
}

// pickOf is the value of a checkbox: the change and the version that was seen.
func pickOf(id change.ID, version int64) string {
	return common.Pick{ID: string(id), Version: version}.String()
}

// whyText says why a change waits; a code of a later version is shown as it is.
func whyText(code string) string {
	switch code {
	case change.WhyPolicy:
		return "the policy asks a person"
	case change.WhyConflict:
		return "it contradicts something"
	case change.WhyTwin:
		return "another measure has the same numbers"
	case change.WhyNotRun:
		return "it could not be run"
	case change.WhyEmpty:
		return "it has no value"
	case change.WhyPersonsPage:
		return "a person wrote the page"
	case change.WhyInstruction:
		return "it reads like an instruction to agents"
	case change.WhyEdited:
		return "the file was edited"
	case change.WhyStale:
		return "its source says it no more"
	}
	return strings.ReplaceAll(shown(code, maxName), "_", " ")
}

// inbox shows changes, the latest first.
func (s Services) inbox(ctx context.Context, r *page.Request) (*page.View, error) {
	f, err := filterOf(r.Query)
	if err != nil {
		return nil, err
	}
	counts, err := s.Memory.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	ask := f.request(r.Now)
	ask.Limit = pageRows
	list, err := s.Memory.Changes(ctx, ask)
	if err != nil {
		return nil, err
	}
	muted, err := s.Memory.Muted(ctx)
	if err != nil {
		return nil, err
	}
	data := &inboxData{
		Summary: summary(counts), Filters: f.filters(counts, muted), Hidden: hiddenText(list.Hidden, len(muted)), Show: page.With(r.URL, "muted", mutedShown),
		MoreMuted: max(0, len(muted)-listedMuted), Muted: mutedOf(muted, r.URL.RequestURI()), Mute: muting(muted, f.Actor, r.URL.RequestURI()),
		Groups: grouped(list.Changes, f), Reasons: reasons(), Back: r.URL.RequestURI(),
		Pager: page.Pager{Total: list.Total, Shown: len(list.Changes), Cursor: f.Cursor},
	}
	if list.NextCursor != nil {
		data.Pager.Next = *list.NextCursor
	}
	data.Undo, data.UndoLabel = f.undo()
	return &page.View{Title: "Inbox", Command: f.command(), Data: data}, nil
}

// summary says what waits in one line.
func summary(w memory.Waiting) string {
	if w.Pending+w.Drafts == 0 {
		return "Nothing waits."
	}
	disputed := ""
	if w.Disputed > 0 {
		disputed = ", " + verb(w.Disputed, "contradicts", "contradict") + " something"
	}
	waits := fmt.Sprintf("%s%s; %d unreviewed.", verb(w.Pending, "waits", "wait"), disputed, w.Drafts)
	if w.Oldest != nil {
		waits += " The oldest is from " + text.Ago(*w.Oldest) + "."
	}
	return waits
}

func verb(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// grouped puts rows with the same run or target together, in the order of their first ones.
func grouped(changes []memory.ChangeLine, f filter) []group {
	if len(changes) == 0 {
		return []group{}
	}
	var all []group
	at := map[string]int{}
	for i := range changes {
		c := &changes[i]
		key, title, link := "", "", ""
		switch f.Group {
		case "run":
			key, title = string(c.RunID), "Without a run"
			if c.RunID != "" {
				title, link = "Run "+shown(string(c.RunID), maxName), page.Link("run", string(c.RunID))
			}
		case "target":
			key, title = c.Connection+"\x00"+c.Target, shown(strings.TrimLeft(c.Connection+" "+c.Target, " "), maxTarget)
		}
		n, known := at[key]
		if !known {
			n, at[key] = len(all), len(all)
			all = append(all, group{Title: title, Link: link})
		}
		all[n].Rows = append(all[n].Rows, rowOf(c, f))
	}
	return all
}

// undo returns the address that lists what reverting all of an actor, a run or a source would do.
func (f *filter) undo() (to, label string) {
	values, of := url.Values{}, ""
	switch {
	case f.Run != "":
		values.Set("run", f.Run)
		of = "run " + shown(f.Run, maxName)
	case f.Actor != "":
		values.Set("actor", f.Actor)
		of = shown(f.Actor, maxName)
	case f.Source != "":
		values.Set("source", f.Source)
		of = "source " + shown(f.Source, maxName)
	default:
		return "", ""
	}
	if f.Age != "" {
		values.Set("age", f.Age)
	}
	return page.Link("revert") + "?" + values.Encode(), "Undo all of " + of + "…"
}
