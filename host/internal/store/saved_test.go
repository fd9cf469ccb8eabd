package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The runs of a saved query are those that the history has of it: they grow with the calls and shrink when calls are
// pruned. Calls without a name are not counted, and none keeps the others from being recorded.
func TestSavedQueryRuns(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ran := func(minute int, tool, connection, arguments, outcome string) Call {
		return Call{Started: start.Add(time.Duration(minute) * time.Minute), Tool: tool, Connection: connection, Arguments: arguments, Outcome: outcome, Rows: NoRows}
	}
	const tool = "execute_approved_query"
	if err := s.PutCalls(t.Context(), []Call{
		ran(0, tool, "shop", `{"name":"top","parameters":{"name":"x"}}`, "ok"), ran(1, tool, "shop", `{"name":"top"}`, "timeout"), ran(2, tool, "crm", `{"name":"top"}`, "ok"),
		ran(3, tool, "shop", "", "ok"), ran(4, tool, "shop", `{"name":"to`, "ok"), ran(5, tool, "shop", `{"name":7}`, "ok"), ran(6, "sql_execution", "shop", `{"name":"top"}`, "ok"),
	}, nil); err != nil {
		t.Fatal(err)
	}
	asked := []SavedQuery{{"shop", "top"}, {"crm", "top"}, {"shop", "never"}}
	check := func(when string, want map[SavedQuery]SavedQueryRuns) {
		t.Helper()
		got, err := s.SavedQueryRuns(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	crm := SavedQueryRuns{1, start.Add(2 * time.Minute), "ok"}
	check("recorded", map[SavedQuery]SavedQueryRuns{{"shop", "top"}: {2, start.Add(time.Minute), "timeout"}, {"crm", "top"}: crm})
	if err := s.PutCalls(t.Context(), []Call{ran(7, tool, "shop", `{"name":"top"}`, "denied")}, nil); err != nil {
		t.Fatal(err)
	}
	check("recorded again", map[SavedQuery]SavedQueryRuns{{"shop", "top"}: {3, start.Add(7 * time.Minute), "denied"}, {"crm", "top"}: crm})
	if err := s.PruneCalls(t.Context(), Retention{Since: start.Add(time.Minute), Rows: 100}); err != nil {
		t.Fatal(err)
	}
	check("pruned by age", map[SavedQuery]SavedQueryRuns{{"shop", "top"}: {2, start.Add(7 * time.Minute), "denied"}, {"crm", "top"}: crm})
	if err := s.PruneCalls(t.Context(), Retention{Since: start, Rows: 1}); err != nil {
		t.Fatal(err)
	}
	check("pruned by number", map[SavedQuery]SavedQueryRuns{{"shop", "top"}: {1, start.Add(7 * time.Minute), "denied"}})
	var left int
	if err := s.read.QueryRowContext(t.Context(), "SELECT count(*) FROM saved_query_run").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d rows are left (%v), want 1", left, err)
	}
}

// The runs that the history had before they were counted are counted by the migration.
func TestSavedQueryRunsAreMigrated(t *testing.T) {
	t.Parallel()
	dump, err := os.ReadFile(filepath.Join("testdata", "released", "00006.sql"))
	if err != nil {
		t.Fatal(err)
	}
	const row = `INSERT INTO tool_call (request, started_at, duration, tool, connection, outcome, incident, bytes, client, client_version, transport,
		principal, session, arguments, arguments_bytes) VALUES ('r', ?1, 1, 'execute_approved_query', 'shop', '?2', '', 1, '', '', '', '', '', '?3', 1);`
	added := ""
	for _, one := range [][3]string{{"1000", "ok", `{"name":"top"}`}, {"2000", "timeout", `{"name":"top"}`}, {"3000", "ok", `{"name":`}, {"4000", "ok", ""}} {
		added += strings.NewReplacer("?1", one[0], "?2", one[1], "?3", one[2]).Replace(row)
	}
	path := statePath(t)
	restore(t, path, string(dump)+added)
	got, err := mustOpen(t, path).SavedQueryRuns(t.Context(), []SavedQuery{{"shop", "top"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[SavedQuery]SavedQueryRuns{{"shop", "top"}: {2, time.UnixMilli(2000).UTC(), "timeout"}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A look at the runs of queries reads their rows by the key, and none of the calls.
func TestSavedQueryRunsReadTheirKey(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	rows, err := s.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+savedQueryRuns, "[]")
	if err != nil {
		t.Fatal(err)
	}
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, step)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(plan) != 2 || !strings.Contains(plan[1], "SEARCH r USING PRIMARY KEY (connection=? AND name=?)") {
		t.Errorf("%v: %q", err, plan)
	}
}
