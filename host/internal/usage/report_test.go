package usage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

var now = time.Date(2026, 5, 20, 12, 0, 0, 500, time.UTC) // a Wednesday

// service returns a Service on a store with some calls.
func service(t *testing.T, set history.Settings, calls ...store.Call) *Service {
	t.Helper()
	state := store.NewLazy(filepath.Join(t.TempDir(), "state.db"))
	t.Cleanup(func() {
		if err := state.Close(); err != nil {
			t.Error(err)
		}
	})
	if calls != nil {
		s, err := state.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gap := store.CallGap{From: now.Add(-time.Hour), Until: now, Calls: 4, Reason: "full"}
		if err := s.PutCalls(t.Context(), calls, []store.CallGap{gap}); err != nil {
			t.Fatal(err)
		}
	}
	return New(Config{State: state, Settings: func(context.Context) (history.Settings, error) { return set, nil }, Now: func() time.Time { return now }})
}

func call(ago time.Duration, tool, connection, outcome, arguments string) store.Call {
	return store.Call{Started: now.Add(-ago), Duration: 3 * time.Millisecond, Tool: tool, Connection: connection, Outcome: outcome, Bytes: 10, Rows: store.NoRows, Arguments: arguments}
}

const day = 24 * time.Hour

var calls = []store.Call{
	call(20*day, "sql_execution", "shop", "ok", ""), call(2*day, "sql_execution", "crm", "timeout", ""), call(time.Minute, "wiki_read", "", "ok", ""),
	call(time.Minute, savedTool, "shop", "ok", `{"name":"top"}`), call(0, savedTool, "shop", "ok", `{"name":"top"}`),
}

func TestReport(t *testing.T) {
	t.Parallel()
	s := service(t, history.Default(), calls...)
	got, err := s.Report(t.Context(), Request{})
	if err != nil {
		t.Fatal(err)
	}
	all := Counts{5, 1, 50, 17}
	want := &Report{
		Period: All, Start: "2026-04-30T12:00:00Z", End: "2026-05-20T12:00:01Z", Recorded: true, Missing: 4, Total: all,
		Tools: []Tool{
			{savedTool, Counts{2, 0, 20, 7}, map[string]int{"ok": 2}, 3, 3},
			{"sql_execution", Counts{2, 1, 20, 7}, map[string]int{"ok": 1, "timeout": 1}, 3, 3},
			{"wiki_read", Counts{1, 0, 10, 4}, map[string]int{"ok": 1}, 3, 3},
		},
		Periods:      []Period{{"2026-04-30T12:00:00Z", "2026-05-20T12:00:01Z", all}},
		SavedQueries: &Reuse{Runs: 2, Distinct: 1, Repeated: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	crm := caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Connections: []string{"crm"}}})
	if got, err = s.Report(crm, Request{}); err != nil || got.Total.Calls != 2 || len(got.Tools) != 2 {
		t.Errorf("to a token for crm alone: %+v, %v", got, err)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	s := service(t, history.Default(), calls...)
	for _, tt := range []struct {
		name    string
		request Request
		calls   int
		starts  []string // of the periods
	}{
		{"an age", Request{Start: "7d"}, 4, []string{"2026-05-13T12:00:00Z"}},
		{"a day is in it as a whole", Request{Start: "2026-05-18", End: "2026-05-18"}, 1, []string{"2026-05-18T00:00:00Z"}},
		{"a time is not in it", Request{Start: "2026-05-18", End: "2026-05-18T12:00:00Z"}, 0, []string{"2026-05-18T00:00:00Z"}},
		{"the future ends now", Request{Start: "2026-05-19T12:00:00Z", End: "2027-01-01", Period: Daily}, 3, []string{"2026-05-19T12:00:00Z", "2026-05-20T00:00:00Z"}},
		{"weeks from Monday", Request{Start: "2026-05-06", Period: Weekly}, 4, []string{"2026-05-06T00:00:00Z", "2026-05-11T00:00:00Z", "2026-05-18T00:00:00Z"}},
		{"months", Request{Period: Monthly}, 5, []string{"2026-04-30T12:00:00Z", "2026-05-01T00:00:00Z"}},
	} {
		got, err := s.Report(t.Context(), tt.request)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var starts []string
		sum := 0
		for _, p := range got.Periods {
			starts = append(starts, p.Start)
			sum += p.Calls
		}
		if diff := cmp.Diff(tt.starts, starts); diff != "" || got.Total.Calls != tt.calls || sum != tt.calls {
			t.Errorf("%s: %d calls, %d in periods (-want +got):\n%s", tt.name, got.Total.Calls, sum, diff)
		}
	}
	for name, r := range map[string]Request{
		"hourly": {Period: "hourly"}, "yesterday": {Start: "yesterday"}, "is not before end": {Start: "2026-05-19", End: "2026-05-18"},
		"400 periods": {Start: "2020-01-01", Period: Daily}, "end is": {End: "soon"},
	} {
		if _, err := s.Report(t.Context(), r); sdk.KindOf(err) != sdk.KindInvalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// What is not recorded is null, and a project without calls gets no store for a report.
func TestNothingRecorded(t *testing.T) {
	t.Parallel()
	set := history.Default()
	set.Arguments = history.None
	if got, err := service(t, set, calls...).Report(t.Context(), Request{}); err != nil || got.SavedQueries != nil || got.Skills != nil || got.Total.Calls != 5 {
		t.Errorf("without arguments: %+v, %v", got, err)
	}
	set.Off = true
	s := service(t, set)
	got, err := s.Report(t.Context(), Request{Period: Daily})
	if err != nil || got.Recorded || got.Total.Calls != 0 || len(got.Notes) != 1 || got.Tools == nil || got.Periods == nil {
		t.Errorf("off: %+v, %v", got, err)
	}
	if _, err := os.Stat(s.config.State.Path()); !os.IsNotExist(err) {
		t.Errorf("a report made the store: %v", err)
	}
}

// Checkpoints count where they reported both figures, in the time that is asked for, and for whom they are.
func TestTokenReduction(t *testing.T) {
	t.Parallel()
	s := service(t, history.Default(), calls...)
	state, err := s.config.State.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := func(v int64) *int64 { return &v }
	for i, c := range []struct {
		owner         string
		ago           time.Duration
		before, after *int64
	}{{"", day, n(1000), n(100)}, {"ada", day, n(500), n(50)}, {"ben", day, n(70), n(7)}, {"", day, n(9), nil}, {"", day, nil, nil}, {"", 40 * day, n(8), n(1)}} {
		at := now.Add(-c.ago)
		row := &store.Checkpoint{Note: store.Note{
			ID: fmt.Sprint("id", i), Owner: c.owner, Principal: c.owner, Author: "agent", Context: "{}", Tags: "[]", CreatedAt: at, UsedAt: at,
		}, Summary: "s", TokensBefore: c.before, TokensAfter: c.after}
		if _, err := state.PutCheckpoint(t.Context(), row, store.NoteCall{}, "{}", store.NotePrune{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		who  *caller.Caller
		want Reduction
	}{{nil, Reduction{3, 1570, 157}}, {&caller.Caller{Principal: "ada", Named: true}, Reduction{2, 1500, 150}}} {
		ctx := t.Context()
		if tt.who != nil {
			ctx = caller.With(ctx, tt.who)
		}
		got, err := s.Report(ctx, Request{Start: "7d"})
		if err != nil || got.TokenReduction == nil || *got.TokenReduction != tt.want {
			t.Errorf("%+v: %+v, want %+v, %v", tt.who, got.TokenReduction, tt.want, err)
		}
	}
	if got, err := s.Report(t.Context(), Request{Start: "1h"}); err != nil || got.TokenReduction != nil {
		t.Errorf("without checkpoints: %+v %v", got.TokenReduction, err)
	}
}
