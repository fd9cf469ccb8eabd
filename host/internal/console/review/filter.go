package review

import (
	"cmp"
	"net/url"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// filter is what the parameters of an address choose of the changes. A link to a change carries them, so that the
// next change is the next one of the same list.
type filter struct {
	State, Kind, Connection, Actor, Source, Age, Run, Text, Group, Muted, Cursor string
}

const (
	// stateOpen is the state of the inbox where none is named: pending changes and drafts.
	stateOpen = "open"
	stateAll  = "all"
	// stateConflict are the pending changes that contradict something.
	stateConflict = "conflict"
	// mutedShown is the value of the parameter muted that shows the changes of muted actors, too.
	mutedShown = "show"
	// maxParameter bounds a parameter that is looked for, in bytes.
	maxParameter = 200
)

// ages are the values of the parameter age.
func ages() map[string]time.Duration {
	const day = 24 * time.Hour
	return map[string]time.Duration{"24h": day, "7d": 7 * day, "30d": 30 * day}
}

// states are the values of the parameter state, with their names.
func states() [][2]string {
	return [][2]string{
		{"", "Open"}, {"pending", "Waiting"}, {stateConflict, "Contradicting"}, {"draft", "Unreviewed"}, {"applied", "Reviewed"}, {"rejected", "Rejected"},
		{"reverted", "Reverted"}, {"superseded", "Superseded"}, {stateAll, "All"},
	}
}

// groups are the values of the parameter group, with their names.
func groups() [][2]string {
	return [][2]string{{"", "Not grouped"}, {"run", "Run"}, {"target", "Target"}}
}

// filterOf reads the parameters.
// Errors: KindInvalid for a value that there is not.
func filterOf(query url.Values) (filter, error) {
	f := filter{}
	for name, into := range f.parameters() {
		*into = query.Get(name)
		if len(*into) > maxParameter {
			return f, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the parameter %s is longer than %d bytes", name, maxParameter).WithHint("look for less text")
		}
	}
	if f.State == stateOpen {
		f.State = ""
	}
	known := func(all [][2]string, value string) bool {
		return slices.ContainsFunc(all, func(one [2]string) bool { return one[0] == value })
	}
	wrong := ""
	switch {
	case !known(states(), f.State):
		wrong = "state " + quoted(f.State)
	case !known(groups(), f.Group):
		wrong = "grouping " + quoted(f.Group)
	case f.Kind != "" && !slices.Contains(project.MemoryKinds(), f.Kind):
		wrong = "kind " + quoted(f.Kind)
	case f.Muted != "" && f.Muted != mutedShown:
		wrong = "choice " + quoted(f.Muted)
	case f.Age != "" && ages()[f.Age] == 0:
		wrong = "age " + quoted(f.Age)
	}
	if wrong != "" {
		return f, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no %s", wrong).WithHint("open the inbox and choose again")
	}
	return f, nil
}

func quoted(s string) string { return `"` + shown(s, 40) + `"` }

// parameters are the fields by the names of their parameters.
func (f *filter) parameters() map[string]*string {
	return map[string]*string{
		"state": &f.State, "kind": &f.Kind, "connection": &f.Connection, "actor": &f.Actor, "source": &f.Source, "age": &f.Age, "run": &f.Run,
		"q": &f.Text, "group": &f.Group, "muted": &f.Muted, "cursor": &f.Cursor,
	}
}

// query returns the parameters that are set, without the cursor.
func (f filter) query() string {
	f.Cursor = ""
	values := url.Values{}
	for name, value := range f.parameters() {
		if *value != "" {
			values.Set(name, *value)
		}
	}
	return values.Encode()
}

// change returns the address of a change below /console/, with the filter.
func (f filter) change(id string) string { return below(f.query(), "change", id) }

// below returns an address below /console/.
func below(query string, segments ...string) string {
	to := page.Link(segments...)[len(page.Root):]
	if query == "" {
		return to
	}
	return to + "?" + query
}

// request returns what the filter chooses.
func (f *filter) request(now time.Time) memory.ChangesRequest {
	r := memory.ChangesRequest{
		Kind: f.Kind, Connection: f.Connection, Actor: f.Actor, Source: f.Source, RunID: memory.RunID(f.Run), Text: f.Text, Cursor: f.Cursor,
		HideMuted: f.Muted == "",
	}
	switch f.State {
	case "":
		r.Open = true
	case stateAll:
	case stateConflict:
		r.State, r.Disputed = "pending", true
	default:
		r.State = f.State
	}
	if age := ages()[f.Age]; age > 0 {
		r.Since = now.Add(-age)
	}
	return r
}

// command returns the command that lists the same; some filters have no flag.
func (f *filter) command() string {
	line := "loam review"
	if f.State != "" {
		line += " --state " + cmp.Or(map[string]string{stateConflict: "pending"}[f.State], f.State)
	}
	for _, flag := range [][2]string{{"kind", f.Kind}, {"connection", f.Connection}, {"actor", f.Actor}, {"source", f.Source}, {"since", f.Age}, {"run", f.Run}} {
		if flag[1] != "" {
			line += " --" + flag[0] + " " + text.ShellWord(flag[1])
		}
	}
	if f.Muted != "" {
		line += " --muted"
	}
	return line + " --json"
}

// filters are the fields of the form.
func (f *filter) filters(counts memory.Waiting, muted []memory.Muted) []page.Filter {
	count := map[string]int{"": counts.Pending + counts.Drafts, "pending": counts.Pending, stateConflict: counts.Disputed, "draft": counts.Drafts}
	state := page.Filter{Name: "state", Label: "State", Value: f.State}
	for _, s := range states() {
		n, counted := count[s[0]]
		if !counted {
			n = -1
		}
		state.Choices = append(state.Choices, page.Choice{Value: s[0], Label: s[1], Count: n, Now: s[0] == f.State})
	}
	kind := page.Filter{Name: "kind", Label: "Kind", Value: f.Kind, Choices: []page.Choice{{Label: "any", Count: -1, Now: f.Kind == ""}}}
	for _, k := range project.MemoryKinds() {
		kind.Choices = append(kind.Choices, page.Choice{Value: k, Label: k, Count: -1, Now: k == f.Kind})
	}
	age := page.Filter{Name: "age", Label: "Age", Value: f.Age}
	for _, a := range [][2]string{{"", "any"}, {"24h", "24 hours"}, {"7d", "7 days"}, {"30d", "30 days"}} {
		age.Choices = append(age.Choices, page.Choice{Value: a[0], Label: a[1], Count: -1, Now: a[0] == f.Age})
	}
	group := page.Filter{Name: "group", Label: "Group by", Value: f.Group}
	for _, g := range groups() {
		group.Choices = append(group.Choices, page.Choice{Value: g[0], Label: g[1], Count: -1, Now: g[0] == f.Group})
	}
	all := []page.Filter{
		state, kind, {Name: "connection", Label: "Connection", Value: f.Connection}, {Name: "actor", Label: "Proposed by", Value: f.Actor},
		{Name: "source", Label: "Source", Value: f.Source}, age, {Name: "run", Label: "Run", Value: f.Run}, {Name: "q", Label: "Text", Value: f.Text}, group,
	}
	if len(muted) > 0 || f.Muted != "" {
		all = append(all, page.Filter{Name: "muted", Label: "Muted actors", Value: f.Muted, Choices: []page.Choice{
			{Label: "hidden", Count: -1, Now: f.Muted == ""}, {Value: mutedShown, Label: "shown", Count: -1, Now: f.Muted != ""},
		}})
	}
	return all
}

// listOf is the address of the list that a filter chooses.
func listOf(f filter) string {
	if query := f.query(); query != "" {
		return page.Root + "?" + query
	}
	return page.Root
}
