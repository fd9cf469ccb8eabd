package semanticquery_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

const toldYAML = `name: orders
measures:
  - {name: aov, agg: avg, expr: amount, learned: {by: claude-code, at: '2026-11-20T10:00:00Z', source: finance, reviewed: false}, verified: {level: runs, at: '2026-11-20T10:00:01Z'}}
  - {name: approved, agg: max, expr: amount, learned: {by: codex, at: '2026-11-20T10:00:00Z', reviewed: true}, verified: {level: runs, at: '2020-01-01T00:00:00Z'}}
  - {name: untried, agg: min, expr: amount, learned: {by: codex, at: '2026-11-20T10:00:00Z'}}
  - {name: aov_per_max, type: ratio, numerator: aov, denominator: approved, learned: {by: codex, at: '2026-11-20T10:00:00Z', reviewed: true}}
`

// memory is what a test says of members.
type memory struct {
	drafts  map[string]change.ID
	pending []change.Change
}

func (m memory) Disputes(context.Context) (*change.Disputes, error) {
	return change.DisputesOf(m.pending), nil
}

func (m memory) DraftOf(_ context.Context, connection, target string) (*change.Change, error) {
	if id := m.drafts[connection+" "+target]; id != "" {
		return &change.Change{ID: id}, nil
	}
	return nil, nil
}

func TestDraftsAreTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "_memory/orders.yaml", toldYAML)
	f.write(t, "imported/dbt/lines.yaml", "name: lines\ntable: lines\nmeasures: [{name: pieces, agg: sum, expr: qty}]\n")
	f.Service.Memory = memory{drafts: map[string]change.ID{"shop orders.aov": "3fa2c81b07"}}
	aov := "unreviewed: orders.aov, learned from claude-code (finance) on 2026-11-20; it ran on 2026-11-20. Review it: loam review show 3fa2c81b07"
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"a person's", `{"measures":["orders.revenue"]}`, nil},
		{"an approved one", `{"measures":["orders.approved"]}`, nil},
		{"an imported one", `{"measures":["lines.pieces"]}`, nil},
		{"a draft", `{"measures":["orders.aov"]}`, []string{aov}},
		{"what is made of it", `{"measures":["orders.aov_per_max"]}`, []string{aov}},
		{"in an expression", `{"measures":[{"name":"twice","expr":"2 * orders.aov"}]}`, []string{aov}},
		{"in a condition", `{"measures":["orders.revenue"],"dimensions":["orders.status"],"filters":["orders.aov > 0"]}`, []string{aov}},
		{"one that nobody tried and whose change is gone", `{"measures":["orders.untried"]}`, []string{
			"unreviewed: orders.untried, learned from codex on 2026-11-20; it was never tried. Review it: write learned: {reviewed: true} to it in semantic-layer/shop/_memory/orders.yaml",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := f.Compile(t.Context(), semanticquery.Request{Body: json.RawMessage(tt.body)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, note := range c.Notes {
				if len(note) > 10 && note[:10] == "unreviewed" {
					got = append(got, note)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStandingOfMembers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "_memory/orders.yaml", toldYAML+"  - {name: shipped, agg: sum, expr: shipping_cents, learned: {by: codex}}\nsegments:\n  - {name: large, expr: amount > 20, learned: {by: codex}}\n")
	a, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Name: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]semanticquery.Standing{}
	for _, m := range a.Measures {
		got[m.Name] = m.Standing
	}
	for _, g := range a.Segments {
		got[g.Name] = g.Standing
	}
	by := func(who, source string) *model.Learned {
		return &model.Learned{By: who, At: "2026-11-20T10:00:00Z", Source: source}
	}
	approved := by("codex", "")
	approved.Reviewed = true
	want := map[string]semanticquery.Standing{
		"order_count": {}, "revenue": {}, "paid_revenue": {}, "paid_rate": {}, "completed": {}, model.RowCount: {},
		"aov":         {Trust: model.Agent, Learned: by("claude-code", "finance"), Verified: &model.Verified{Level: "runs", At: "2026-11-20T10:00:01Z"}},
		"approved":    {Trust: model.Reviewed, Flags: []string{"stale"}, Learned: approved, Verified: &model.Verified{Level: "runs", At: "2020-01-01T00:00:00Z"}},
		"untried":     {Trust: model.Agent, Learned: by("codex", "")},
		"aov_per_max": {Trust: model.Reviewed, Learned: approved},
		"large":       {Trust: model.Agent, Learned: &model.Learned{By: "codex"}},
		"shipped":     {Trust: model.Agent, Flags: []string{"stale"}, Learned: &model.Learned{By: "codex"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A measure that a person approved from a file is stale once the file says it no more: where it is read, and as a note of a query.
func TestMeasureIsStaleWhenItsFileSaysItNoMore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "_memory/orders.yaml", toldYAML)
	applied := change.Change{ID: "3fa2c81b07", By: change.Actor{Channel: change.Files, Client: "handbook/terms.md"}, Proposal: change.Proposal{
		Kind: change.Measure, Connection: "shop", Target: "orders.aov_per_max", Says: "aov_per_max: type: ratio",
	}}
	undo := change.Change{ID: "91bb0e77d2", State: change.Pending, By: applied.By, At: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Proposal: applied.Undoing(change.WhyStale, "")}
	for _, tt := range []struct {
		name        string
		pending     []change.Change
		flags, note []string
	}{
		{"the file says it", nil, nil, nil},
		{"the file says it no more", []change.Change{undo}, []string{"stale"}, []string{"stale: main.orders.aov_per_max: handbook/terms.md does not say it any more since 2026-11-21. Removing it waits for a person: loam review show 91bb0e77d2"}},
	} {
		f.Service.Memory = memory{pending: tt.pending}
		a, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Name: "orders"})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range a.Measures {
			if want := map[string][]string{"aov_per_max": tt.flags}[m.Name]; m.Name != "approved" && !slices.Equal(m.Flags, want) {
				t.Errorf("%s: %s has the flags %q", tt.name, m.Name, m.Flags)
			}
		}
		c, err := f.Compile(t.Context(), semanticquery.Request{Body: json.RawMessage(`{"measures":["orders.aov_per_max"]}`)})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(slices.Clone(c.Notes), func(note string) bool { return !strings.HasPrefix(note, "stale") })
		if !slices.Equal(got, tt.note) {
			t.Errorf("%s: the query notes %q", tt.name, got)
		}
	}
}

func TestVerifiedIsStaleAfterMonths(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		v    *model.Verified
		want bool
	}{
		"never tried":     {nil, false},
		"no time":         {&model.Verified{Level: "runs"}, false},
		"thirty days":     {&model.Verified{At: at.AddDate(0, 0, -30).Format(time.RFC3339)}, false},
		"a day more":      {&model.Verified{At: at.AddDate(0, 0, -31).Format(time.RFC3339)}, true},
		"in the future":   {&model.Verified{At: at.AddDate(0, 0, 31).Format(time.RFC3339)}, false},
		"no time at all!": {&model.Verified{At: "yesterday"}, false},
	} {
		if got := tt.v.Stale(at); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// The contradictions of a measure are its own: those of another measure of its source are not.
func TestConflictsOfOneMeasure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Service.Memory = memory{pending: []change.Change{{ID: "0da5536519", State: change.Pending, By: change.Actor{Channel: change.MCP, Client: "codex"}, Proposal: change.Proposal{
		Kind: change.Measure, Connection: "shop", Target: "orders.revenue", Says: "revenue is net", Conflicts: []change.Conflict{{Says: "revenue is gross"}},
	}}}}
	for name, want := range map[string]int{"orders.revenue": 1, "orders.order_count": 0, "lines.row_count": 0} {
		a, err := f.ReadMeasure(t.Context(), "shop", name)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Conflicts) != want || slices.Contains(a.Measure.Flags, "conflict") != (want == 1) {
			t.Errorf("%s: %+v, %q", name, a.Conflicts, a.Measure.Flags)
		}
	}
}
