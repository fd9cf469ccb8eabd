package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/sdk"
)

const (
	// pageJoins is how many joins a page lists, roomJoins how many bytes their texts have together.
	pageJoins, roomJoins = 30, 16_000
	// maxRivals is how many other parents of a column are shown, maxMembers how many bytes the list of a family's tables has.
	maxRivals, maxMembers = 4, 6000
)

// joinsPage lists the foreign keys that a person may decide on.
type joinsPage struct {
	site
	Filters []page.Filter `json:"filters"`
	Joins   []joinRow     `json:"joins"`
	Pager   page.Pager    `json:"pager"`
	// Waiting is how many wait for a person.
	Waiting int           `json:"undecided"`
	Sample  *sampleResult `json:"sample,omitempty"`
	// Chosen are the rows that were marked when the page was asked for.
	Chosen map[string]bool `json:"-"`
	Note   string          `json:"-"`
	// Samples: rows may be asked for.
	Samples bool `json:"-"`
}

// joinRow is a foreign key, or one of each copy of a table.
type joinRow struct {
	relation
	// Version is what a decision names.
	Version string  `json:"version"`
	Rivals  []rival `json:"rivals,omitempty"`
	// MoreRivals are not listed.
	MoreRivals int `json:"moreRivals,omitempty"`
	// Members are the tables of a family; MoreMembers are not listed.
	Count       int      `json:"count"`
	Members     []string `json:"members,omitempty"`
	MoreMembers int      `json:"moreMembers,omitempty"`
	// Sampled: the sample of the page is of this row.
	Sampled bool `json:"-"`
	Chosen  bool `json:"-"`
}

// Value is what a form sends for the row.
func (j joinRow) Value() string { return j.ID + "." + j.Version }

// Decided reports whether a person decided on the row.
func (j joinRow) Decided() bool {
	return j.State == string(review.Accepted) || j.State == string(review.Rejected)
}

// MemberText lists the tables of the family.
func (j joinRow) MemberText() string { return strings.Join(j.Members, ", ") }

// rival is another parent of the same columns.
type rival struct {
	To       end       `json:"to"`
	State    string    `json:"state"`
	Score    float64   `json:"score"`
	Evidence *evidence `json:"evidence,omitempty"`
}

// Percent returns the score for people.
func (r rival) Percent() string { return percent(r.Score) }

// anyState is the value of the filter that leaves nothing out.
const anyState = "all"

// confidences are the values of the filter of scores: from and below.
func confidences() []confidence {
	return []confidence{{"high", "90 % and more", .9, 2}, {"middle", "70 to 90 %", .7, .9}, {"low", "below 70 %", 0, .7}}
}

type confidence struct {
	value, label string
	from, below  float64
}

func (p *pages) joins(ctx context.Context, r *page.Request) (*page.View, error) {
	s, err := p.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	return p.joinsView(ctx, r, s)
}

// joinsView shows a page of the joins that the filters leave. The cursor is the first one's id; when that one is gone,
// the first page is shown.
// Errors: KindInvalid for an unknown filter; those of reading the snapshot and the decisions.
func (p *pages) joinsView(ctx context.Context, r *page.Request, s *scanned) (*page.View, error) {
	overview, err := p.Review.Overview(ctx, s.scope)
	if err != nil {
		return nil, err
	}
	matches, err := joinFilter(r)
	if err != nil {
		return nil, err
	}
	data := &joinsPage{site: s.site("joins"), Joins: []joinRow{}, Filters: joinFilters(r, overview), Chosen: map[string]bool{}, Waiting: overview.Counts[review.Undecided], Samples: p.Record != nil}
	for _, v := range r.Form["link"] {
		data.Chosen[v] = true
	}
	data.Note = cut(r.Form.Get("note"), maxTitle)
	var shown []int
	start := 0
	for i := range overview.Groups {
		g := &overview.Groups[i]
		if !matches(g) {
			continue
		}
		if g.Links[0].ID == r.Param("cursor") {
			start = len(shown)
		}
		shown = append(shown, i)
	}
	if start > 0 {
		data.Pager.Cursor = r.Param("cursor")
	}
	data.Pager.Total = len(shown)
	room := roomJoins
	for _, i := range shown[start:] {
		g := &overview.Groups[i]
		if len(data.Joins) == pageJoins || room < 0 {
			data.Pager.Next = g.Links[0].ID
			break
		}
		row, err := newJoinRow(s, overview, g)
		if err != nil {
			return nil, err
		}
		row.Chosen = data.Chosen[row.Value()]
		room -= row.bytes()
		data.Joins = append(data.Joins, row)
	}
	data.Pager.Shown = len(data.Joins)
	return &page.View{Title: "Joins of " + string(s.ID), Command: s.command("relationships --status " + statusWord(r.Param("state"))), Data: data}, nil
}

// statusWord returns the status of the command line that lists the links of a state.
func statusWord(state string) string {
	switch review.State(state) {
	case "", review.Undecided:
		return "review"
	case review.Inferred, review.Accepted:
		return "accepted"
	case review.Rejected, review.Refuted:
		return "rejected"
	}
	return "all"
}

// newJoinRow describes a group. Errors: those of reading the snapshot.
func newJoinRow(s *scanned, overview *review.Overview, g *review.Group) (row joinRow, err error) {
	asked := g.Links[0]
	if at := slices.IndexFunc(g.Links, func(l review.Link) bool { return l.Evidence.Like == nil }); at >= 0 {
		asked.Evidence = g.Links[at].Evidence // that of one copy speaks for all
	}
	row = joinRow{relation: newRelation(s.ID, &asked), Version: g.Version(), Count: len(g.Links)}
	cardinality, err := overview.Cardinality(&asked)
	if err != nil {
		return row, err
	}
	row.Cardinality = string(cardinality)
	if row.Stale, err = overview.Stale(&asked); err != nil {
		return row, err
	}
	for _, other := range overview.Rivals(&g.Links[0]) {
		if len(row.Rivals) == maxRivals {
			row.MoreRivals++
			continue
		}
		row.Rivals = append(row.Rivals, rival{newEnd(s.ID, other.To, other.ToColumns), string(other.State()), other.Score, newEvidence(other.Evidence)})
	}
	if row.Count == 1 {
		return row, nil
	}
	size := 0
	for _, l := range g.Links {
		display := catalog.Display(l.From)
		if size += len(display); size > maxMembers {
			row.MoreMembers = row.Count - len(row.Members)
			break
		}
		row.Members = append(row.Members, display)
	}
	return row, nil
}

// bytes is about how much text a row has.
func (j *joinRow) bytes() (n int) {
	for _, e := range append([]end{j.From, j.To}, ends(j.Rivals)...) {
		n += e.bytes()
	}
	return n + size(j.Members...) + size(j.Note, j.DecidedBy) + j.Evidence.bytes()
}

func ends(rivals []rival) (all []end) {
	for _, r := range rivals {
		all = append(all, r.To)
	}
	return all
}

// joinFilter returns a function that reports whether the filters leave a group. Errors: KindInvalid.
func joinFilter(r *page.Request) (func(*review.Group) bool, error) {
	state := r.Param("state")
	if state == "" {
		state = string(review.Undecided)
	}
	if state != anyState && !slices.Contains(review.States(), review.State(state)) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "state=%s is no state of a join", cut(state, maxShown)).WithHint("go back and choose again")
	}
	all := confidences()
	score := confidence{below: 2}
	if asked := r.Param("confidence"); asked != "" {
		at := slices.IndexFunc(all, func(c confidence) bool { return c.value == asked })
		if at < 0 {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "confidence=%s is none", cut(asked, maxShown)).WithHint("go back and choose again")
		}
		score = all[at]
	}
	hasName := named(r.Param("table"))
	return func(g *review.Group) bool {
		l := &g.Links[0]
		if state != anyState && string(g.State) != state || l.Score < score.from || l.Score >= score.below {
			return false
		}
		if hasName(l.To) {
			return true
		}
		for i := range g.Links { // a Link is too large to be copied for each comparison
			if hasName(g.Links[i].From) {
				return true
			}
		}
		return false
	}, nil
}

func joinFilters(r *page.Request, overview *review.Overview) []page.Filter {
	state := page.Filter{Name: "state", Label: "State", Value: r.Param("state")}
	for _, of := range review.States() {
		value := string(of)
		state.Choices = append(state.Choices, page.Choice{Value: value, Label: stateLabel(of), Count: overview.Counts[of], Now: value == state.Value || state.Value == "" && of == review.Undecided})
	}
	state.Choices = append(state.Choices, page.Choice{Value: anyState, Label: "all", Count: len(overview.Groups), Now: state.Value == anyState})
	score := page.Filter{Name: "confidence", Label: "Confidence", Value: r.Param("confidence"), Choices: []page.Choice{{Label: "any", Count: -1}}}
	for _, c := range confidences() {
		score.Choices = append(score.Choices, page.Choice{Value: c.value, Label: c.label, Count: -1, Now: c.value == score.Value})
	}
	return []page.Filter{state, score, {Name: "table", Label: "Table has", Value: r.Param("table")}}
}

func stateLabel(s review.State) string {
	switch s {
	case review.Undecided:
		return "waiting for a person"
	case review.Inferred:
		return "accepted by evidence"
	case review.Accepted:
		return "accepted by a person"
	case review.Rejected:
		return "rejected by a person"
	}
	return "refuted by evidence"
}

// verdictOf returns the status that a word of a form means; false for any other word.
func verdictOf(word string) (relationship.Status, bool) {
	switch status := relationship.Status(word); status {
	case "", relationship.Accepted, relationship.Rejected:
		return status, true
	}
	return "", false
}
