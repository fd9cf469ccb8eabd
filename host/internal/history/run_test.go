package history

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Runs are statements as they were recorded, those of one caller where one is named.
func TestRuns(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	r := newRig(func(c *Config) { c.Store = func(context.Context) (Store, error) { return s, nil } })
	ada, bob := caller.Record{Principal: "ada", Client: "a", Transport: "http"}, caller.Record{Principal: "none", Client: "b", Transport: "stdio"}
	for _, sent := range []struct {
		tool, sql, outcome string
		who                caller.Record
	}{
		{statementTool, "select * from orders where name = 'Ada Secret'", "ok", ada},
		{"query", "select 1 -- Secret", "ok", bob},
		{"validate", "select 'checked'", "ok", bob},
		{statementTool, "select 2", "timeout", bob},
		{statementTool, "select 3", "ok", caller.Record{Principal: "none", Client: "b", Transport: "http"}},
		{statementTool, "select " + strings.Repeat("abc,", maxKept/3) + "1", "ok", bob},
	} {
		c := call("x")
		arguments, err := json.Marshal(map[string]string{"connectionId": "shop", "sql": sent.sql})
		if err != nil {
			t.Fatal(err)
		}
		c.Tool, c.Arguments, c.Outcome, c.Caller = sent.tool, arguments, sent.outcome, sent.who
		r.Record(c)
	}
	r.Close(t.Context())
	const orders = "select * from orders where name = ?"
	for _, tt := range []struct {
		name   string
		filter RunsFilter
		want   []string
		unkept int
	}{
		{"all", RunsFilter{}, []string{orders, "select ?", "select ?", "select ?"}, 1},
		{"of a token", RunsFilter{By: &store.CallBy{Principal: "ada", AnyClient: true}}, []string{orders}, 0},
		{"of a client", RunsFilter{By: &store.CallBy{Principal: "none", Client: "b", Transport: "stdio"}}, []string{"select ?", "select ?"}, 1},
		{"failed", RunsFilter{Outcome: store.AnyFailure}, []string{"select ?"}, 0},
		{"of another connection", RunsFilter{Connection: "crm"}, nil, 0},
		{"later", RunsFilter{Since: time.Now().Add(100 * 365 * 24 * time.Hour)}, nil, 0},
	} {
		got, err := r.Runs(t.Context(), tt.filter)
		var texts []string
		for _, one := range got.All {
			texts = append(texts, one.SQL)
		}
		sorted := cmpopts.SortSlices(strings.Compare)
		if diff := cmp.Diff(tt.want, texts, sorted); diff != "" || err != nil || got.Unkept != tt.unkept || got.Kept != Shape {
			t.Errorf("%s: %v, %+v (-want +got):\n%s", tt.name, err, got, diff)
		}
	}
	for _, s := range []Settings{{Off: true}, {Arguments: None}} {
		r.settings = s
		if _, err := r.Runs(t.Context(), RunsFilter{}); sdk.KindOf(err) != sdk.KindUnsupported || !strings.Contains(sdk.AsError(err, "").Hint, "loam.yaml") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// Statements that were recorded as they were sent lose their values once the project keeps shapes alone.
func TestRunsOfAnotherSetting(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	r := newRig(func(c *Config) { c.Store = func(context.Context) (Store, error) { return s, nil } })
	r.settings.Arguments = Full
	for _, sql := range []string{"select 'Ada' -- Secret", "select 'Bob'", "select 'not closed"} {
		c := call("x")
		arguments, err := json.Marshal(map[string]string{"connectionId": "shop", "sql": sql})
		if err != nil {
			t.Fatal(err)
		}
		c.Tool, c.Arguments = statementTool, arguments
		r.Record(c)
	}
	r.Close(t.Context())
	for kept, want := range map[Arguments][]string{
		Full:  {"select 'Ada' -- Secret", "select 'Bob'", "select 'not closed"},
		Shape: {"select ?", "select ?", "… (18 characters)"},
	} {
		r.settings.Arguments = kept
		got, err := r.Runs(t.Context(), RunsFilter{})
		var texts []string
		for _, one := range got.All {
			texts = append(texts, one.SQL)
		}
		if diff := cmp.Diff(want, texts); diff != "" || err != nil || got.Kept != kept {
			t.Errorf("%s: %v (-want +got):\n%s", kept, err, diff)
		}
	}
	shape := r.shaper()
	for _, once := range []string{"select ?", "… (18 characters)", "select ? from orders where a = ?"} {
		if again := shape("shop", once); again != once {
			t.Errorf("%q becomes %q", once, again)
		}
	}
}
