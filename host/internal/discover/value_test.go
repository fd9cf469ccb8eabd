package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

func (f *fixture) values(t testing.TB, id connection.ID, values ...string) *ValuesAnswer {
	t.Helper()
	a, err := f.Values(t.Context(), ValuesRequest{Values: values, Connection: id})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestValues(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	unknown := values("note", "acme and sons")
	unknown.Distinct = -1
	f.scan(t, "shop", snapshot{
		id: "s1", tables: []*sdk.Table{table("public.customers", "", "name text", "note text")},
		profiles: map[string][]sdk.ColumnStats{"public.customers": {values("name", "The Acme", "Acme Corp", "ACME", "São Paulo"), unknown}},
	})
	got := compact(t, f.values(t, "", "acme", "nowhere"))
	match := func(column, value, cardinality string) string {
		return fmt.Sprintf(`{"connectionId":"shop","sourceName":"public.customers","columnName":%q,"matchedValue":%q,"cardinality":%s}`, column, value, cardinality)
	}
	want := `{"searched":[` +
		`{"connectionId":"shop","coverage":{"sampledRows":1000,"valuesPerColumn":100,"profiledColumns":2,"syncId":"s1","profiledAt":"2026-01-02T03:04:05Z"},"status":"ready"},` +
		`{"connectionId":"crm","coverage":{"sampledRows":null,"valuesPerColumn":null,"profiledColumns":0,"syncId":null,"profiledAt":null},"status":"no_profile_artifact"}],` +
		`"results":[{"value":"acme","matches":[` + match("name", "ACME", "4") + "," + match("name", "Acme Corp", "4") + "," + match("note", "acme and sons", "null") + "," + match("name", "The Acme", "4") +
		`],"misses":[{"connectionId":"crm","reason":"no_profile_artifact"}],"total":4,"truncated":false},` +
		`{"value":"nowhere","matches":[],"misses":[{"connectionId":"shop","reason":"value_not_in_sample"},{"connectionId":"crm","reason":"no_profile_artifact"}],"total":0,"truncated":false}],` +
		`"notes":["Connection crm was never scanned, so none of its tables can be found: run loam scan crm.",` +
		`"A miss proves nothing: only sampled values are searched. Ask the warehouse with SQL."]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// A value that may be in columns whose values are not kept is no miss like others.
func TestValuesWithheld(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	short := values("phone")
	short.MaxLength = 12
	many, all := values("c00"), []catalog.Withheld{}
	for i := range 2 * maxWithheld {
		all = append(all, catalog.Withheld{Column: fmt.Sprintf("c%02d", i), Reason: "the project withholds it (scan.withhold_values)"})
	}
	f.scan(t, "shop", snapshot{
		id: "s1", tables: []*sdk.Table{table("s.people", "", "name text", "email text", "phone text", "segment text")},
		profiles: map[string][]sdk.ColumnStats{"s.people": {values("name"), values("email"), short, values("segment", "retail")}},
		withheld: map[string][]catalog.Withheld{"s.people": {
			{Column: "name", Reason: "its values look like names of persons"}, {Column: "email", Reason: "it is called like an e-mail address"},
			{Column: "phone", Reason: "its values look like phone numbers"},
		}},
	})
	f.scan(t, "crm", snapshot{
		id: "s2", tables: []*sdk.Table{table("s.wide", "", "c00 text")}, profiles: map[string][]sdk.ColumnStats{"s.wide": {many}},
		withheld: map[string][]catalog.Withheld{"s.wide": all},
	})
	for value, want := range map[string]string{
		"ann@example.com":       `withheld [people.email: it is called like an e-mail address]`,
		"Ann Smith":             `withheld [people.name: its values look like names of persons]`,
		"Smith":                 `withheld [people.email: it is called like an e-mail address people.name: its values look like names of persons]`,
		"030 1234567":           `withheld [people.phone: its values look like phone numbers]`,
		"0049 30 1234567 12 34": `value_not_in_sample []`, // longer than any phone number there
		"hunter 5":              `value_not_in_sample []`,
		"a / b":                 `value_not_in_sample []`,
	} {
		a := f.values(t, "shop", value)
		m := a.Results[0].Misses[0]
		columns := []string{}
		for _, w := range m.Withheld {
			columns = append(columns, strings.TrimPrefix(w.SourceName, "s.")+"."+w.ColumnName+": "+w.Reason)
		}
		if got := fmt.Sprint(m.Reason, " ", columns); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
		if noted := strings.Contains(strings.Join(a.Notes, " "), "Withheld columns"); noted != (m.Reason == "withheld") {
			t.Errorf("%s: the notes are %q", value, a.Notes)
		}
	}
	if a := f.values(t, "shop", "retail"); len(a.Results[0].Misses) != 0 {
		t.Errorf("a value that is there: %+v", a.Results[0])
	}
	if m := f.values(t, "crm", "x").Results[0].Misses[0]; m.Reason != "withheld" || len(m.Withheld) != maxWithheld || m.WithheldTotal != 2*maxWithheld {
		t.Errorf("of many columns there are %d, %d", len(m.Withheld), m.WithheldTotal)
	}
}

func TestValuesCoverage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tables := []*sdk.Table{table("s.t", "", "a text")}
	tests := []struct {
		name   string
		s      snapshot
		status string
		note   string
	}{
		{"structure alone", snapshot{id: "s1", tables: tables}, "no_profile_artifact", "run loam scan --mode enriched shop."},
		{"no values kept", snapshot{id: "s2", tables: tables, profiles: map[string][]sdk.ColumnStats{"s.t": {values("a")}}}, "no_candidate_columns", ""},
		{"nothing to profile", snapshot{id: "s3", tables: nil, mode: catalog.Enriched}, "no_candidate_columns", ""},
		{"values", snapshot{id: "s4", tables: tables, profiles: map[string][]sdk.ColumnStats{"s.t": {values("a", "x")}}}, "ready", "A miss proves nothing"},
	}
	for _, tt := range tests {
		f.scan(t, "shop", tt.s)
		a := f.values(t, "shop", "nothing like it")
		reason := tt.status
		if reason == statusReady {
			reason = valueNotInSample
		}
		if a.Searched[0].Status != tt.status || a.Results[0].Misses[0].Reason != reason || *a.Searched[0].Coverage.SyncID != tt.s.id {
			t.Errorf("%s: %+v", tt.name, a)
		}
		if notes := strings.Join(a.Notes, " "); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
			t.Errorf("%s: notes %q", tt.name, a.Notes)
		}
	}
}

// A list that is cut says so, and a connection that is behind the cut has no miss.
func TestValuesAreCapped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var all []string
	for i := range 120 {
		all = append(all, fmt.Sprintf("item %03d", i))
	}
	one := func(values ...sdk.ColumnStats) snapshot {
		return snapshot{id: "s1", tables: []*sdk.Table{table("s.t", "", "a text")}, profiles: map[string][]sdk.ColumnStats{"s.t": values}}
	}
	f.scan(t, "shop", one(values("a", all...)))
	f.scan(t, "crm", one(values("a", "a rather long item of another kind")))
	a := f.values(t, "", "item", "item 007")
	if r := a.Results[0]; len(r.Matches) != 100 || r.Total != 121 || !r.Truncated || len(r.Misses) != 0 || !strings.Contains(strings.Join(a.Notes, " "), "The best 100 matches") {
		t.Errorf("%d of %d matches, misses %v, notes %q", len(r.Matches), r.Total, r.Misses, a.Notes)
	}
	if r := a.Results[1]; len(r.Matches) != 1 || r.Truncated || len(r.Misses) != 1 {
		t.Errorf("answer: %+v", r)
	}
	twenty := f.values(t, "", slices.Repeat([]string{"ITEM"}, 20)...)
	if r := twenty.Results[19]; len(r.Matches) != 15 || r.Total != 121 || !r.Truncated {
		t.Errorf("of 20 values: %d of %d matches", len(r.Matches), r.Total)
	}
}

func TestValuesOfNothing(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	if a := f.values(t, ""); compact(t, a.Results) != "[]" {
		t.Errorf("no values: %+v", a)
	}
	for _, v := range []string{"", "\x00", "\xff", strings.Repeat("x", 1<<20)} {
		if r := f.values(t, "shop", v).Results[0]; len(r.Matches) != 0 || r.Total != 0 || r.Misses[0].Reason != valueNotInSample {
			t.Errorf("%.10q: %d matches of %d", v, len(r.Matches), r.Total)
		}
	}
	if _, err := f.Values(t.Context(), ValuesRequest{Values: []string{"x"}, Connection: "shpo"}); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("an unknown connection: %v", err)
	}
}
