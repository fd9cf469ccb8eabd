package ask_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

func run(connection, sql string, minute int, ms int, rows int, outcome string) history.Run {
	return history.Run{
		Connection: connection, SQL: sql, Started: now.Add(time.Duration(minute-60) * time.Minute), Elapsed: time.Duration(ms) * time.Millisecond, Rows: rows, Outcome: outcome,
	}
}

// One entry for all runs of a text on a connection, the last run first.
func TestQueryHistory(t *testing.T) {
	t.Parallel()
	const orders, one = "SELECT * FROM orders WHERE id = ?", "SELECT ?"
	f := newFixture(t, "sqlite")
	f.runs.All = []history.Run{
		run("shop", orders, 1, 10, 5, "ok"), run("shop", one, 2, 1, 1, "ok"), run("shop", orders, 3, 30, 7, "ok"), run("crm", orders, 4, 1, store.NoRows, "timeout"),
		run("shop", orders, 5, 100, store.NoRows, "timeout"), run("gone", one, 6, 1, 1, "ok"),
	}
	all := []ask.Past{
		{SQL: orders, ConnectionID: ptr("shop"), Runs: 3, LastRunAt: "2026-05-01T11:05:00Z", MedianMs: 30, Outcome: "timeout", Tables: []string{"main.orders"}},
		{SQL: orders, ConnectionID: ptr("crm"), Runs: 1, LastRunAt: "2026-05-01T11:04:00Z", MedianMs: 1, Outcome: "timeout", Tables: []string{"main.orders"}},
		{SQL: one, ConnectionID: ptr("shop"), Runs: 1, LastRunAt: "2026-05-01T11:02:00Z", RowCount: ptr(1), MedianMs: 1, Outcome: "ok", Tables: []string{}},
	}
	for _, tt := range []struct {
		name  string
		r     ask.HistoryRequest
		want  []ask.Past
		total int
	}{
		{"all", ask.HistoryRequest{}, all, 3},
		{"some", ask.HistoryRequest{Limit: 1}, all[:1], 3},
		{"of a table", ask.HistoryRequest{Tables: []string{"customers", "ORDERS"}}, all[:2], 2},
		{"of a table by its whole name", ask.HistoryRequest{Tables: []string{"main.orders"}}, all[:2], 2},
		{"of a part of a name", ask.HistoryRequest{Tables: []string{"rders"}}, []ask.Past{}, 0},
	} {
		got, err := f.QueryHistory(t.Context(), tt.r)
		if err != nil || got.Total != tt.total || cmp.Diff(tt.want, got.Queries) != "" || got.Arguments != history.Shape || got.Notes != nil {
			t.Errorf("%s: %v, %+v (-want +got):\n%s", tt.name, err, got, cmp.Diff(tt.want, got.Queries))
		}
	}
	f.runs.Unkept, f.runs.More = 2, true
	if got, err := f.QueryHistory(t.Context(), ask.HistoryRequest{}); err != nil || len(got.Notes) != 2 {
		t.Errorf("%v, %+v", err, got)
	}
}

// The filter of the store has what is asked, and whose runs are told.
func TestQueryHistoryIsOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sqlite")
	mine := &caller.Record{Client: "claude", Transport: "http", Principal: "none"}
	for _, tt := range []struct {
		name string
		r    ask.HistoryRequest
		want history.RunsFilter
		own  string
	}{
		{"by default", ask.HistoryRequest{}, history.RunsFilter{Since: now.Add(-24 * time.Hour)}, "all clients"},
		{"an age", ask.HistoryRequest{Since: "90m"}, history.RunsFilter{Since: now.Add(-90 * time.Minute)}, ""},
		{"days", ask.HistoryRequest{Since: "7d"}, history.RunsFilter{Since: now.Add(-7 * 24 * time.Hour)}, ""},
		{"a time", ask.HistoryRequest{Since: "2026-05-01T11:00:00Z"}, history.RunsFilter{Since: now.Add(-time.Hour)}, ""},
		{"one connection, one outcome", ask.HistoryRequest{Connection: "shop", Outcome: "error"}, history.RunsFilter{Since: now.Add(-24 * time.Hour), Connection: "shop", Outcome: "error"}, ""},
		{"a client", ask.HistoryRequest{Own: mine}, history.RunsFilter{Since: now.Add(-24 * time.Hour), By: &store.CallBy{Principal: "none", Client: "claude", Transport: "http"}}, `"claude" as you do, over http`},
		{"a token", ask.HistoryRequest{Own: &caller.Record{Client: "claude", Principal: "ada"}, Named: true}, history.RunsFilter{Since: now.Add(-24 * time.Hour), By: &store.CallBy{Principal: "ada", AnyClient: true}}, "token, ada"},
	} {
		got, err := f.QueryHistory(t.Context(), tt.r)
		if err != nil || !strings.Contains(got.Own, tt.own) {
			t.Errorf("%s: %v, %+v", tt.name, err, got)
		}
		if diff := cmp.Diff(tt.want, f.filter); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for name, tt := range map[string]struct {
		r    ask.HistoryRequest
		kind sdk.Kind
	}{
		"no time":               {ask.HistoryRequest{Since: "yesterday"}, sdk.KindInvalid},
		"too long ago":          {ask.HistoryRequest{Since: "8d"}, sdk.KindInvalid},
		"no outcome":            {ask.HistoryRequest{Outcome: "good"}, sdk.KindInvalid},
		"too many":              {ask.HistoryRequest{Limit: 101}, sdk.KindInvalid},
		"fewer than none":       {ask.HistoryRequest{Limit: -1}, sdk.KindInvalid},
		"an unknown connection": {ask.HistoryRequest{Connection: connection.ID("nowhere")}, sdk.KindNotFound},
	} {
		if _, err := f.QueryHistory(t.Context(), tt.r); sdk.KindOf(err) != tt.kind || sdk.AsError(err, "").Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.runsFail = sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "off")
	if _, err := f.QueryHistory(t.Context(), ask.HistoryRequest{}); sdk.KindOf(err) != sdk.KindUnsupported {
		t.Errorf("%v", err)
	}
}

// Of thousands of statements only those that are listed, or whose text has a name that is asked for, are tokenized.
func TestQueryHistoryReadsNoMoreThanItLists(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sqlite")
	const many = 5000
	for i := range many {
		f.runs.All = append(f.runs.All, run("shop", fmt.Sprintf("SELECT c%d FROM customers", i), 1, 1, 1, "ok"))
	}
	f.runs.All = append(f.runs.All, run("shop", "SELECT * FROM orders", 2, 1, 1, "ok"), run("shop", "SELECT Orders FROM x", 3, 1, 1, "ok"))
	for _, tt := range []struct {
		name        string
		r           ask.HistoryRequest
		total, read int
	}{
		{"no table", ask.HistoryRequest{Limit: 10}, many + 2, 10},
		{"a table", ask.HistoryRequest{Tables: []string{"main.ORDERS"}}, 1, 3}, // two texts have the name, one is listed
		{"a table that none has", ask.HistoryRequest{Tables: []string{"refunds"}}, 0, 0},
		{"a name with a quote, which a text may double", ask.HistoryRequest{Tables: []string{`"re""funds"`}}, 0, many + 2},
	} {
		f.read = 0
		got, err := f.QueryHistory(t.Context(), tt.r)
		if err != nil || got.Total != tt.total || f.read != tt.read {
			t.Errorf("%s: %v, %d statements, %d were read", tt.name, err, got.Total, f.read)
		}
	}
}
