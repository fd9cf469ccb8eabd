package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// batchOf returns a batch with n new changes of a run, and one content that is large bytes long.
func batchOf(run string, n, large int) *MemoryBatch {
	b := &MemoryBatch{}
	for i := range n {
		b.New = append(b.New, MemoryChange{
			ID: fmt.Sprintf("%s%08x", run, i), Run: run, Seq: i, Kind: "page", Target: "arr", Path: "wiki/global/arr.md", Actor: "agent",
			Signature: fmt.Appendf(nil, "%s%d", run, i), State: memoryStates[i%len(memoryStates)], Version: 1, CreatedAt: time.UnixMilli(int64(i)),
			Proposal: "{}", ProposedBy: "{}",
		})
	}
	if large > 0 {
		content := make([]byte, large)
		for i := range content {
			content[i] = byte(i * i >> 7 * 31)
		}
		b.Blobs = []MemoryBlob{{Hash: []byte(run), Content: content}}
	}
	return b
}

// A page of a list reads as many rows as it has, whatever is in the table: no statement scans or sorts it.
func TestListsOfChangesUseAnIndex(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	if err := s.PutMemory(t.Context(), batchOf("aa", 1000, 0)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		filter MemoryFilter
		index  string
	}{
		"all":            {MemoryFilter{Limit: 20}, "memory_change_list"},
		"the next page":  {MemoryFilter{Limit: 20, Below: 500}, "memory_change_list"},
		"what waits":     {MemoryFilter{Limit: 20, States: []string{"pending", "draft"}}, "memory_change_list"},
		"of a kind":      {MemoryFilter{Limit: 20, Kind: "page", Connection: "shop", Source: "finance", Actor: "agent", Since: time.UnixMilli(5)}, "memory_change_list"},
		"above":          {MemoryFilter{Limit: 1, Above: 500, Oldest: true, States: []string{"pending", "draft"}}, "memory_change_list"},
		"disputed":       {MemoryFilter{Limit: 20, Disputed: true, States: []string{"pending"}}, "memory_change_disputed"},
		"with a text":    {MemoryFilter{Limit: 20, Text: "arr", States: []string{"pending"}}, "memory_change_list"},
		"of connections": {MemoryFilter{Limit: 20, Connections: []string{"a", "b"}}, "memory_change_list"},
		"of a run":       {MemoryFilter{Limit: 20, Run: "aa"}, "memory_change_run"},
		"of a file":      {MemoryFilter{Limit: 20, Path: "wiki/global/arr.md"}, "memory_change_path"},
		"of a target":    {MemoryFilter{Limit: 20, Target: "arr", Connection: "shop"}, "memory_change_target"},
		"of a signature": {MemoryFilter{Signature: []byte("x")}, "memory_change_signature"},
		"by an id":       {MemoryFilter{ID: "aa00"}, "sqlite_autoindex_memory_change_1"},
		"of an undone":   {MemoryFilter{Undoes: "aa00000000"}, "memory_change_undoes"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			query, args := tc.filter.numbers()
			plan := planOf(t, s, query, args)
			if !strings.Contains(plan, tc.index+" ") || strings.Contains(plan, "SCAN memory_change") {
				t.Errorf("the plan is\n%s\nwant a search of %s", plan, tc.index)
			}
		})
	}
}

// Counting what waits reads an index, and of the rows only those with conflicts.
func TestCountsOfChangesUseAnIndex(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	if err := s.PutMemory(t.Context(), batchOf("aa", 1000, 0)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		filter MemoryFilter
		plan   string
	}{
		{MemoryFilter{States: []string{"pending"}}, "SEARCH memory_change USING COVERING INDEX memory_change_list (state=?)"},
		{MemoryFilter{States: []string{"pending", "draft"}, Kind: "page", Connection: "shop", Source: "x", Actor: "agent", Since: time.UnixMilli(5)}, "USING COVERING INDEX memory_change_list"},
		{MemoryFilter{States: []string{"pending"}, Disputed: true}, "SEARCH memory_change USING INDEX memory_change_disputed (state=?)"},
	} {
		query, args := tt.filter.count()
		if plan := planOf(t, s, query, args); !strings.Contains(plan, tt.plan) || strings.Contains(plan, "SCAN memory_change") {
			t.Errorf("%+v: the plan is\n%s\nwant %s", tt.filter, plan, tt.plan)
		}
	}
}

// A text is looked for as it is written: its % and _ are letters like others.
func TestChangesWithAText(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	b := batchOf("aa", 4, 0)
	for i, of := range []struct{ target, proposal string }{
		{"net_revenue", `{"says":"sum of amount"}`}, {"netXrevenue", `{"says":"50% of it"}`},
		{"arr", `{"says":"back\\slash","conflicts":[{"says":"x"}]}`}, {"mrr", `{"says":"its text: \"conflicts\":[","quote":"sum of nothing"}`},
	} {
		b.New[i].Target, b.New[i].Proposal, b.New[i].State = of.target, of.proposal, "pending"
	}
	if err := s.PutMemory(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		filter MemoryFilter
		want   string
	}{
		{MemoryFilter{Text: "net_"}, "net_revenue"},
		{MemoryFilter{Text: "NET"}, "netXrevenue net_revenue"},
		{MemoryFilter{Text: "50%"}, "netXrevenue"},
		{MemoryFilter{Text: `\`}, "arr"},
		{MemoryFilter{Text: "sum of"}, "net_revenue"}, // not in the quote
		{MemoryFilter{Text: "' OR 1"}, ""},
		{MemoryFilter{Text: `text: "`}, "mrr"},
		{MemoryFilter{Text: "売上"}, ""},
		{MemoryFilter{Disputed: true}, "arr"},
		{MemoryFilter{Disputed: true, Target: "arr"}, "arr"},
		{MemoryFilter{Above: 2, Oldest: true, Limit: 1}, "arr"},
	} {
		rows, err := s.MemoryChanges(t.Context(), tt.filter)
		var got []string
		for _, r := range rows {
			got = append(got, r.Target)
		}
		n, _, failed := s.CountMemoryChanges(t.Context(), tt.filter)
		if strings.Join(got, " ") != tt.want || err != nil || failed != nil || tt.filter.Limit == 0 && n != len(got) {
			t.Errorf("%+v: %q, %d of them, want %q: %v, %v", tt.filter, got, n, tt.want, err, failed)
		}
	}
}

func planOf(t *testing.T, s *Store, query string, args []any) string {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		all = append(all, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

func TestPagesOfChangesLoseNone(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	const all, page = 95, 10
	if err := s.PutMemory(t.Context(), batchOf("aa", all, 0)); err != nil {
		t.Fatal(err)
	}
	next := int64(all + 1)
	for f := (MemoryFilter{Limit: page}); ; {
		changes, err := s.MemoryChanges(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			if next--; c.N != next {
				t.Fatalf("change %d comes after %d", c.N, next+1)
			}
		}
		if len(changes) < page {
			break
		}
		f.Below = next
	}
	if next != 1 {
		t.Errorf("the last change is %d", next)
	}
}

// A batch that the disk has no room for leaves the store as it was, and the next one is written when there is room.
func TestMemoryOnAFullDisk(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	var pages int
	if err := s.write.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	room := func(pages int) {
		t.Helper()
		if _, err := s.write.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	room(pages + 2)
	err := s.PutMemory(t.Context(), batchOf("aa", 500, 100_000))
	if e := sdk.AsError(err, sdk.SourceHost); err == nil || e.Kind != sdk.KindLimit || !strings.Contains(e.Msg, "full") || e.Hint == "" {
		t.Errorf("a full disk: %v", err)
	}
	if n, _, err := s.CountMemoryChanges(t.Context(), MemoryFilter{}); n != 0 || err != nil {
		t.Errorf("%d changes are stored, %v", n, err)
	}
	if content, err := s.MemoryBlob(t.Context(), []byte("aa")); content != nil || err != nil {
		t.Errorf("a content of %d bytes is stored, %v", len(content), err)
	}
	room(1 << 20)
	if err := s.PutMemory(t.Context(), batchOf("aa", 500, 100_000)); err != nil {
		t.Error(err)
	}
	wantWhole(t, s)
}
