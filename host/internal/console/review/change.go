package review

import (
	"context"
	"html/template"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/text/diff"
	"github.com/loam-data/loam/host/internal/wiki"
)

// The most characters of the texts of a change.
const (
	maxQuote, maxStatement, maxFault, maxLevel = 1500, 500, 300, 20
	// maxEvents and maxConflicts bound lists.
	maxEvents, maxConflicts = 20, 8
)

// changeData is the page of a change.
type changeData struct {
	row
	Channel   string    `json:"channel"`
	Client    string    `json:"client,omitempty"`
	Principal string    `json:"principal,omitempty"`
	User      string    `json:"user,omitempty"`
	Undoes    string    `json:"undoes,omitempty"`
	DecidedAt time.Time `json:"decidedAt,omitzero"`
	Problem   string    `json:"problem,omitempty"`
	Note      string    `json:"note,omitempty"`
	Path      string    `json:"path"`
	Page      string    `json:"-"` // address of the wiki page, "" = it is none
	RunLink   string    `json:"-"`
	// Rendered is the page with the change, for reading; "" = it is none, or too long for here.
	Rendered template.HTML `json:"-"`
	// Split: old and new text are beside each other.
	Split bool        `json:"-"`
	Rows  []diff.Row  `json:"diff,omitempty"`
	Lines []diff.Line `json:"-"`
	// MoreRows counts the rows that are left out.
	MoreRows int `json:"moreRows,omitempty"`
	// Before, Quote and After are the quote and the lines around it.
	Before string `json:"before,omitempty"`
	Quote  string `json:"quote,omitempty"`
	After  string `json:"after,omitempty"`
	// Verified says how far a measure was tested.
	Verified  *verified  `json:"verification,omitempty"`
	Conflicts []conflict `json:"conflicts,omitempty"`
	Impact    *impact    `json:"impact,omitempty"`
	Events    []event    `json:"events,omitempty"`
	// Measure: the numbers can be compared, and Numbers are those that were asked for.
	Measure bool     `json:"-"`
	Numbers *numbers `json:"numbers,omitempty"`
	// Previous and Next are the neighbours on the list with the same filter, "" = there is none.
	Previous string `json:"-"`
	Next     string `json:"-"`
	List     string `json:"-"` // the address of that list
	// Base is the hash of the file that is shown.
	Base    string   `json:"base,omitempty"`
	Actions []string `json:"actions"`
	// Mute mutes the actor, or takes that back; nil = the name is too long for a form.
	Mute    *page.Form `json:"-"`
	Reasons []string   `json:"-"`
	// Stale says what happened since the decision was made: nothing was done.
	Stale string `json:"stale,omitempty"`
	Edit  *edit  `json:"edit,omitempty"`
	// SplitLink and UnifiedLink show the other comparison.
	SplitLink, UnifiedLink, EditLink string `json:"-"`
	HiddenCharacters                 int    `json:"hiddenCharacters,omitempty"`
}

// verified is how far a measure was tested.
type verified struct {
	Level  string    `json:"level"`
	At     time.Time `json:"at"`
	Of     string    `json:"of,omitempty"`
	Reason string    `json:"reason,omitempty"`
	// Means says in a sentence what the level means.
	Means string `json:"means"`
}

// conflict is a statement that the change contradicts.
type conflict struct {
	Says string    `json:"says"`
	By   string    `json:"by"`
	At   time.Time `json:"at,omitzero"`
	// Where is the page, the member or the file that says it, and Link a change.
	Where string `json:"where,omitempty"`
	Link  string `json:"-"`
}

// impact is what a decision reaches.
type impact struct {
	References []reference `json:"references"`
	More       int         `json:"more,omitempty"`
	When       string      `json:"when,omitempty"`
	Faults     []string    `json:"faults"`
	Mended     int         `json:"mended,omitempty"`
	// Apart counts the saved queries that compute from the same columns by their own SQL.
	Apart int `json:"apart,omitempty"`
	// Unread says what could not be read, and is missing here.
	Unread []string `json:"unread,omitempty"`
}

// reference is something that refers to the target.
type reference struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	State string `json:"state,omitempty"`
	// How says how a saved query refers to the target.
	How  string `json:"how,omitempty"`
	Link string `json:"-"`
}

// event is an entry of the log of a change.
type event struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Via    string    `json:"via"`
	Verb   string    `json:"verb"`
	Detail string    `json:"detail,omitempty"`
}

// change shows a change with everything that a decision needs.
func (s Services) change(ctx context.Context, r *page.Request) (*page.View, error) {
	d, err := s.Memory.Change(ctx, r.Path("id"))
	if err != nil {
		return nil, err
	}
	data, err := s.changeOf(ctx, r, d)
	if err != nil {
		return nil, err
	}
	if r.Param("edit") != "" && r.Role == page.Reviewer && d.State == string(change.Pending) {
		if data.Edit, err = s.editOf(ctx, d); err != nil {
			return nil, err
		}
	}
	return s.view(data), nil
}

func (s Services) view(data *changeData) *page.View {
	title := data.Kind + " " + data.Target
	return &page.View{Title: title, Command: "loam review show " + string(data.ID) + " --json", Data: data}
}

// changeOf returns the page of a change.
func (s Services) changeOf(ctx context.Context, r *page.Request, d *memory.Detail) (*changeData, error) {
	f, err := filterOf(r.Query)
	if err != nil {
		return nil, err
	}
	by := d.Provenance
	data := &changeData{
		row: rowOf(&d.ChangeLine, f), Channel: string(by.Channel), Client: shown(strings.TrimSpace(by.Client+" "+by.Version), maxName),
		Principal: shown(by.Principal, maxName), User: shown(by.User, maxName), Undoes: string(d.Undoes), DecidedAt: d.DecidedAt,
		Problem: shown(d.Problem, maxStatement), Note: shown(d.Note, maxStatement), Path: shown(d.Path, maxStatement),
		Base: d.Base, Reasons: reasons(), Actions: actionsOf(d.State), List: listOf(f),
		SplitLink: page.With(r.URL, "view", "split", "edit", ""), UnifiedLink: page.With(r.URL, "view", "", "edit", ""), EditLink: page.With(r.URL, "edit", "1"),
	}
	data.Measure = d.Kind == change.Measure && d.State == string(change.Pending)
	muted, err := s.Memory.Muted(ctx)
	if err != nil {
		return nil, err
	}
	data.Mute = muting(muted, d.By, r.URL.RequestURI())
	data.Says, data.Version = shown(d.Says, maxStatement), d.Version
	data.HiddenCharacters = hiddenIn(d.Says) + hiddenIn(d.Diff)
	if d.RunID != "" {
		data.RunLink = page.Link("run", string(d.RunID))
	}
	if key, ok := wikiKey(d.Path); ok {
		data.Page = page.Root + "wiki/" + key
	}
	if err := data.compare(d, r.Param("view") == "split"); err != nil {
		return nil, err
	}
	data.render(d)
	data.quote(d)
	data.findings(d, f)
	if err := s.around(ctx, r, d, f, data); err != nil {
		return nil, err
	}
	return data, s.reached(ctx, d, f, data)
}

// actionsOf are what can be done with a change in a state.
func actionsOf(state string) []string {
	switch state {
	case string(change.Pending):
		return []string{"approve", "edit", "reject"}
	case "draft":
		return []string{"approve", "reject", "revert"}
	case string(change.Applied):
		return []string{"revert"}
	case string(change.Rejected):
		return []string{"reopen"}
	}
	return []string{}
}

// wikiKey returns the key of a page by the path of its file, as a part of an address.
func wikiKey(path string) (string, bool) {
	key, global := strings.CutPrefix(path, "wiki/global/")
	key, markdown := strings.CutSuffix(key, ".md")
	if !global || !markdown {
		return "", false
	}
	return below("", strings.Split(key, "/")...), true
}

// contextLines is how many unchanged lines are around each change of a diff.
const contextLines = 3

// compare sets the diff.
func (data *changeData) compare(d *memory.Detail, split bool) error {
	if d.File == nil {
		return nil
	}
	rows, err := diff.Rows(string(d.File.Before), string(d.File.After), contextLines)
	if err != nil {
		return err
	}
	data.Rows, data.MoreRows = bounded(rows)
	if data.Split = split; !split {
		data.Lines = diff.Lines(data.Rows)
	}
	return nil
}

// maxRendered is the longest page that is rendered beside its diff, and the most HTML of it, in bytes.
const maxRendered = 6 << 10

// render sets the page with the change.
func (data *changeData) render(d *memory.Detail) {
	if data.Page == "" || d.File == nil || data.MoreRows > 0 || len(d.File.After) > maxRendered {
		return
	}
	data.Rendered = markdown.Render(wiki.BodyOf(string(d.File.After)), markdown.Options{Room: maxRendered}).HTML
}

// quote sets the quote and the lines around it.
func (data *changeData) quote(d *memory.Detail) {
	data.Quote = shown(d.Quote, maxQuote)
	before, after, ok := strings.Cut(d.Context, d.Quote)
	if d.Quote == "" || !ok {
		return
	}
	data.Before, data.After = lastOf(before, maxStatement), shown(after, maxStatement)
}

// lastOf returns the end of a text, with the number of the characters before it.
func lastOf(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return visible(s)
	}
	left := len(runes) - most
	return text.Count(left, "character") + " before … " + visible(string(runes[left:]))
}

// findings sets the verification and the conflicts.
func (data *changeData) findings(d *memory.Detail, f filter) {
	if v := d.Verification; v != nil {
		data.Verified = &verified{Level: shown(v.Level, maxLevel), At: v.At, Of: shown(v.Of, maxTarget), Reason: shown(v.Reason, maxFault), Means: meaning(v.Level)}
	}
	for i, c := range d.Conflicts {
		if i == maxConflicts {
			data.Conflicts = append(data.Conflicts, conflict{Says: text.Count(len(d.Conflicts)-i, "more contradiction")})
			break
		}
		one := conflict{Says: shown(c.Says, maxStatement), By: shown(c.By, maxName), At: c.At, Where: shown(strings.TrimSpace(c.Path+" "+c.Target), maxStatement)}
		if one.By == "" {
			one.By = "a person's file"
		}
		if c.Change != "" {
			one.Link = page.Root + f.change(string(c.Change))
		}
		data.Conflicts = append(data.Conflicts, one)
	}
}

// meaning says what a level of verification means.
func meaning(level string) string {
	switch level {
	case "compiles":
		return "it compiles; it was not run"
	case "plans":
		return "the warehouse accepts the statement; it was not run"
	case "runs":
		return "it ran and has a value"
	case "equal":
		return "it ran and has the numbers of another measure"
	case "empty":
		return "it ran and has no value"
	}
	return ""
}

// around sets the neighbours on the list.
func (s Services) around(ctx context.Context, r *page.Request, d *memory.Detail, f filter, data *changeData) error {
	before, after, err := s.Memory.Around(ctx, f.request(r.Now), d.ID)
	if err != nil {
		return err
	}
	if before != nil {
		data.Previous = page.Root + f.change(string(before.ID))
	}
	if after != nil {
		data.Next = page.Root + f.change(string(after.ID))
	}
	return nil
}

// reached sets the impact and the log.
func (s Services) reached(ctx context.Context, d *memory.Detail, f filter, data *changeData) error {
	of, err := s.Memory.Impact(ctx, d)
	if err != nil {
		return err
	}
	data.Impact = &impact{More: of.More, When: of.When, Mended: of.Mended, Apart: of.Apart, Faults: []string{}, References: []reference{}}
	for _, r := range of.References {
		one := reference{Kind: r.Kind, Name: shown(r.Name, maxTarget), State: r.State, How: shown(r.How, maxFault)}
		if key, ok := wikiKey(r.Path); ok && r.Change == "" {
			one.Link = page.Root + key
		}
		if r.How != "" {
			one.Link = page.Link("queries", d.Connection, r.Name)
		}
		if r.Change != "" {
			one.Link = page.Root + f.change(string(r.Change))
		}
		data.Impact.References = append(data.Impact.References, one)
	}
	for _, fault := range of.Faults {
		data.Impact.Faults = append(data.Impact.Faults, shown(fault, maxFault))
	}
	for _, what := range of.Unread {
		data.Impact.Unread = append(data.Impact.Unread, shown(what, maxFault))
	}
	events, err := s.Memory.LogOf(ctx, d.ID, maxEvents)
	if err != nil {
		return err
	}
	for _, e := range events {
		data.Events = append(data.Events, event{At: e.At, By: shown(e.By, maxName), Via: e.Via, Verb: e.Verb, Detail: shown(e.Detail, maxFault)})
	}
	return nil
}
