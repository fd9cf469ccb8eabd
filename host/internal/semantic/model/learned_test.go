package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const learnedFile = `name: orders
measures:
  - name: aov
    expr: sum(amount) / count(*)
    learned: {change: 3fa2c81b07, by: claude-code, at: '2026-11-20T10:00:00Z', source: finance, reviewed: true}
    verified: {level: equal, at: '2026-11-20T10:00:01Z', of: orders.mean, reason: no rows}
  - name: revenue
    synonyms: [Umsatz, turnover]
  - name: nowhere
    synonyms: [x]
segments:
  - {name: paid, expr: "status = 'paid'", learned: {by: codex}}
column_overrides:
  - {name: amount, unit: EUR, learned: {by: codex}}
`

func TestLearnedEntries(t *testing.T) {
	t.Parallel()
	person := "name: orders\nmeasures: [{name: revenue, expr: sum(amount), synonyms: [turnover]}]\n"
	m := layered(true, "orders.yaml", person, "_memory/orders.yaml", learnedFile)
	s, err := m.FindSource("orders")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*Details{}
	for i := range s.Measures {
		if name := s.Measures[i].Name; name != "" { // else it is a part of one
			got[name] = s.Measures[i].Details
		}
	}
	for i := range s.Segments {
		got[s.Segments[i].Name] = s.Segments[i].Details
	}
	aov := Details{
		Learned:  &Learned{Change: "3fa2c81b07", By: "claude-code", At: "2026-11-20T10:00:00Z", Source: "finance", Reviewed: true},
		Verified: &Verified{Level: "equal", At: "2026-11-20T10:00:01Z", Of: "orders.mean", Reason: "no rows"},
	}
	want := map[string]*Details{RowCount: {}, "aov": &aov, "revenue": {Synonyms: []string{"turnover", "Umsatz"}}, "paid": {Learned: &Learned{By: "codex"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if problems := m.Problems(); len(problems) != 1 || !strings.Contains(problems[0].Msg, "no other layer has the measure nowhere") {
		t.Errorf("problems: %v", problems)
	}
}

func TestKeysOfMemoryAreUnknownElsewhere(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"orders.yaml", "imported/dbt/orders.yaml"} {
		var got []string
		for _, p := range Parse(path, []byte(learnedFile)).Problems {
			got = append(got, p.Path)
		}
		for _, want := range []string{"measures.aov.learned", "measures.aov.verified", "measures.revenue", "segments.paid.learned", "column_overrides.amount.learned"} {
			if !slices.Contains(got, want) {
				t.Errorf("%s: no problem at %s, only %v", path, want, got)
			}
		}
	}
	if f := Parse("_memory/orders.yaml", []byte(learnedFile)); len(f.Problems) > 0 {
		t.Errorf("problems in a file of memory: %v", f.Problems)
	}
}

// A file of _memory says what a join means that nobody described; it changes none that somebody described.
func TestLearnedJoinDescription(t *testing.T) {
	t.Parallel()
	const customers = "name: buyers\nsql: SELECT 1 AS id\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\n"
	const learned = "name: orders\njoins: [{to: buyers, on: orders.customer_id = buyers.id, relationship: many_to_one, description: is placed by}]\n"
	for own, want := range map[string]string{"": "is placed by", ", description: mine": "mine"} {
		person := "name: orders\njoins: [{to: buyers, on: orders.customer_id = buyers.id, relationship: many_to_one" + own + "}]\n"
		m := layered(true, "orders.yaml", person, "buyers.yaml", customers, "_memory/orders.yaml", learned)
		s, err := m.FindSource("orders")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, j := range s.Joins {
			if m.Source(j.To).Name == "buyers" {
				got = append(got, j.Description)
			}
		}
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s\n%v", own, diff, m.Problems())
		}
	}
}
