package snapshot

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/sdk"
)

// A line at every change of phase, and now and then while one lasts, with the
// rate and what is left once that can be told.
func TestScanProgress(t *testing.T) {
	t.Parallel()
	reports := []struct {
		after time.Duration
		p     scan.Progress
	}{
		{0, scan.Progress{Progress: sdk.Progress{Phase: "tables", Unit: "tables"}}},
		{time.Second, scan.Progress{Progress: sdk.Progress{Phase: "tables", Done: 50, Unit: "tables"}}},
		{3 * time.Second, scan.Progress{Progress: sdk.Progress{Phase: "profiles", Total: 100, Message: "3 kept"}}},
		{2 * time.Second, scan.Progress{Progress: sdk.Progress{Phase: "profiles", Done: 5, Total: 100}}},
		{3 * time.Second, scan.Progress{Progress: sdk.Progress{Phase: "profiles", Done: 10, Total: 100}}},
		{5 * time.Second, scan.Progress{Progress: sdk.Progress{Phase: "profiles", Done: 100, Total: 100}}},
		{5 * time.Second, scan.Progress{Progress: sdk.Progress{Phase: "profiles", Done: 100, Total: 103}, Left: 90 * time.Second, Running: []string{"s.a", "s.b", "s.c"}}},
		{0, scan.Progress{Progress: sdk.Progress{Phase: "queries", Done: 3, Unit: "queries"}}},
	}
	lines := []string{
		"w: tables", "w: profiles, 0 of 100, 3 kept", "w: profiles, 10 of 100, 2.0/s, about 45s left",
		"w: profiles, 100 of 100, 10.0/s", "w: profiles, 100 of 103, about 1m30s left, at s.a, s.b, and 1 more", "w: queries, 3 queries",
	}
	const clear = "\r\x1b[K"
	for name, tc := range map[string]struct {
		live, silent bool
		want         string
	}{
		"plain":  {false, false, strings.Join(lines, "\n") + "\n"},
		"silent": {false, true, ""},
		"terminal": {true, false, clear + lines[0] + clear + "w: tables, 50 tables" + clear + lines[1] + "\n" +
			clear + "w: profiles, 5 of 100, 2.5/s, about 38s left" + clear + lines[2] + clear + lines[3] + clear + lines[4] + clear + lines[5] + clear},
	} {
		var out bytes.Buffer
		now := time.Unix(0, 0)
		r := &progress{term: &terminal.Terminal{Err: &out}, id: "w", live: tc.live, silent: tc.silent, now: func() time.Time { return now }}
		for _, one := range reports {
			now = now.Add(one.after)
			r.update(one.p)
		}
		r.end()
		if diff := cmp.Diff(tc.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestScanReport(t *testing.T) {
	t.Parallel()
	before := &catalog.Identity{ExtractedAt: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)}
	result := &scan.Result{
		Identity: catalog.Identity{
			SyncID: "sync-1", Mode: catalog.Enriched, Counts: catalog.Counts{Tables: 2, Columns: 9, ForeignKeys: 1},
			Coverage: catalog.Coverage{Include: []string{"a.*"}, Warnings: []sdk.Warning{{Object: "b", Message: "not\x1b[31m yours"}}},
		},
		Before: before, Added: 1, Removed: 2, Changed: 3, Profiled: 4, Kept: 5, LeftOut: 6, Queries: 1,
		Relationships: relationship.Result{Relationships: []relationship.Relationship{
			{Origin: relationship.Declared, Status: relationship.Accepted},
			{Origin: relationship.Inferred, Status: relationship.Accepted},
			{Origin: relationship.Inferred, Status: relationship.Review},
			{Origin: relationship.Person, Status: relationship.Rejected},
		}},
		Notes: []string{"The end is near."}, Elapsed: 1234 * time.Millisecond,
	}
	var out bytes.Buffer
	printScan(&terminal.Terminal{Err: &out}, "w", result)
	want := `w: 2 tables, 9 columns in 1.23s (enriched, snapshot sync-1)
  since 2024-02-29 12:00 UTC: 1 added, 2 removed, 3 changed
  that scan had other globs than this one
  profiles: 4 made, 5 kept, 6 left out
  relationships: 1 declared, 1 inferred, 1 to review (1 query)
warning: b: not\x1b[31m yours
note: The end is near.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	next := []string{`loam search "what you look for" -c w`, "loam catalog relationships -c w --status review"}
	if diff := cmp.Diff(next, Next("w", result)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
