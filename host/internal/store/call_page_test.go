package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// putCalls records calls named r1, r2, … with a minute between them; every tenth failed and is of client c.
func putCalls(t *testing.T, s *Store, from, until int) {
	t.Helper()
	var calls []Call
	for i := from; i <= until; i++ {
		c := Call{Request: fmt.Sprint("r", i), Started: noon.Add(time.Duration(i) * time.Minute), Tool: fmt.Sprint("tool", i%3), Connection: "shop", Outcome: OutcomeOK, Rows: NoRows, Client: "a", Principal: "none"}
		if i%10 == 0 {
			c.Outcome, c.Client, c.Incident = "timeout", "c", fmt.Sprint("i", i)
		}
		calls = append(calls, c)
	}
	if err := s.PutCalls(t.Context(), calls, nil); err != nil {
		t.Fatal(err)
	}
}

func requests(calls []Call) (all []string) {
	for _, c := range calls {
		all = append(all, c.Request)
	}
	return all
}

// The pages have each call once, the latest first, while calls are added, and none that came after the first page.
func TestCallPagesLoseNone(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	putCalls(t, s, 1, 95)
	var got, want []string
	for i := 95; i > 0; i-- {
		want = append(want, fmt.Sprint("r", i))
	}
	for p := (Page{Limit: 10}); ; {
		calls, rest, err := s.CallPage(t.Context(), CallFilter{}, p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, requests(calls)...)
		putCalls(t, s, 100+len(got), 102+len(got))
		if rest.Next == 0 {
			break
		}
		if p.Below = rest.Next; rest.Stopped {
			t.Error("a full page stopped early")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCallPage(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	putCalls(t, s, 1, 100)
	for _, tt := range []struct {
		name   string
		filter CallFilter
		page   Page
		want   string
		rest   Rest
		count  int
	}{
		{"of a client", CallFilter{Client: "c"}, Page{Limit: 2}, "r100 r90", Rest{Next: 90}, -1},
		{"searched in part", CallFilter{Client: "c"}, Page{Limit: 3, Search: 15}, "r100 r90", Rest{Next: 86, Stopped: true}, -1},
		{"and further", CallFilter{Client: "c"}, Page{Below: 86, Limit: 3, Search: 15}, "r80", Rest{Next: 71, Stopped: true}, -1},
		{"to the end", CallFilter{Client: "c"}, Page{Below: 16, Limit: 3, Search: 15}, "r10", Rest{}, -1},
		{"of a time", CallFilter{Client: "c", Since: noon.Add(85 * time.Minute)}, Page{Limit: 5, Search: 15}, "r100 r90", Rest{Next: 86, Stopped: true}, -1},
		{"of a time that is searched", CallFilter{Client: "c", Since: noon.Add(86 * time.Minute)}, Page{Limit: 5, Search: 15}, "r100 r90", Rest{}, -1},
		{"from an index", CallFilter{Outcome: "timeout", Tool: "tool1"}, Page{Limit: 2, Search: 15}, "r100 r70", Rest{Next: 70}, 4},
		{"from an index to its end", CallFilter{Outcome: "timeout", Tool: "tool1"}, Page{Below: 70, Limit: 2, Search: 15}, "r40 r10", Rest{}, 4},
		{"from an index of a time", CallFilter{Outcome: "timeout", Since: noon.Add(70 * time.Minute)}, Page{Limit: 3, Search: 15}, "r100 r90 r80", Rest{Next: 80}, 4},
		{"of a tool", CallFilter{Tool: "tool1", Since: noon.Add(95 * time.Minute)}, Page{Limit: 9}, "r100 r97", Rest{}, 2},
		{"one", CallFilter{Key: "i30"}, Page{Limit: 1}, "r30", Rest{}, -1},
		{"none", CallFilter{Connection: "x"}, Page{Limit: 1}, "", Rest{}, 0},
		{"all", CallFilter{}, Page{Limit: 1}, "r100", Rest{Next: 100}, 100},
	} {
		calls, rest, err := s.CallPage(t.Context(), tt.filter, tt.page)
		if got := strings.Join(requests(calls), " "); err != nil || got != tt.want || rest != tt.rest {
			t.Errorf("%s: %q %+v %v, want %q %+v", tt.name, got, rest, err, tt.want, tt.rest)
		}
		if n, err := s.CountCallsOf(t.Context(), tt.filter); err != nil || n != tt.count {
			t.Errorf("%s: counted %d, %v, want %d", tt.name, n, err, tt.count)
		}
	}
	tools, err := s.CallTools(t.Context(), 9)
	if err != nil || !slices.Equal(tools, []string{"tool0", "tool1", "tool2"}) {
		t.Errorf("tools %q, %v", tools, err)
	}
	if tools, err = callStore(t).CallTools(t.Context(), 9); err != nil || tools != nil {
		t.Errorf("tools of no call %q, %v", tools, err)
	}
}

// A page reads rows by their number and sorts none; what is counted is counted from an index alone.
func TestCallPagesReadOnlyTheirRows(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	every := CallFilter{Tool: "t", Connection: "c", Principal: "p", Client: "x", Outcome: AnyFailure, Since: noon, Key: "k"}
	where, args := every.where()
	plan := planOf(t, s, callPage+where+" ORDER BY id DESC LIMIT ?", append(append([]any{9, 1}, args...), 5))
	if plan != "SEARCH tool_call USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" {
		t.Errorf("a page: %s", plan)
	}
	index, _ := CallFilter{Tool: "t"}.index()
	where, args = CallFilter{Tool: "t", Outcome: AnyFailure}.where()
	plan = planOf(t, s, callsBehind(index, where), append(append([]any{9}, args...), 5))
	if !strings.Contains(plan, "SEARCH tool_call USING COVERING INDEX tool_call_tool (tool=?)") || !strings.Contains(plan, "SEARCH tool_call USING INTEGER PRIMARY KEY (rowid=?)") || strings.Contains(plan, "SCAN") {
		t.Errorf("behind a page: %s", plan)
	}
	for _, f := range []CallFilter{{}, {Tool: "t"}, {Outcome: "ok"}, {Connection: "c", Since: noon}, {Tool: "t", Connection: "c", Outcome: AnyFailure, Since: noon}} {
		query, args, ok := f.counting()
		if plan := planOf(t, s, query, args); !ok || !strings.Contains(plan, "COVERING INDEX") || strings.Contains(plan, "B-TREE") {
			t.Errorf("counting %+v: %s", f, plan)
		}
	}
	if plan := planOf(t, s, callTools, []any{9}); strings.Contains(plan, "SCAN tool_call") || strings.Contains(plan, "SCAN t ") {
		t.Errorf("tools: %s", plan)
	}
}

func TestEventPage(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	var batch MemoryBatch
	for i := range 100 {
		e := MemoryEvent{At: noon.Add(time.Duration(i+1) * time.Minute), Actor: `{"channel":"mcp","client":"chat \"x\""}`, Verb: "applied", Change: fmt.Sprint("c", i%50)}
		if (i+1)%10 == 0 {
			e.Actor, e.Verb = `{"channel":"console","user":"ada","client":"","note":"\"client\":\"chat\""}`, "approved"
		}
		batch.Events = append(batch.Events, e)
	}
	if err := s.PutMemory(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		filter EventFilter
		page   Page
		want   []int64
		rest   Rest
		count  int
	}{
		{"all", EventFilter{}, Page{Limit: 2}, []int64{100, 99}, Rest{Next: 99}, 100},
		{"of a verb", EventFilter{Verb: "approved"}, Page{Limit: 2, Search: 15}, []int64{100, 90}, Rest{Next: 86, Stopped: true}, -1},
		{"of a user", EventFilter{Actor: "ada"}, Page{Below: 30, Limit: 9}, []int64{20, 10}, Rest{}, -1},
		{"of a channel", EventFilter{Actor: "console"}, Page{Limit: 1}, []int64{100}, Rest{Next: 100}, -1},
		{"of a client with quotes", EventFilter{Actor: `chat "x"`}, Page{Limit: 1}, []int64{99}, Rest{Next: 99}, -1},
		{"of what is only in a text", EventFilter{Actor: "chat"}, Page{Limit: 1}, nil, Rest{}, -1},
		{"of a change", EventFilter{Change: "c7"}, Page{Limit: 5, Search: 1}, []int64{58, 8}, Rest{}, 2},
		{"of a time", EventFilter{Since: noon.Add(99 * time.Minute)}, Page{Limit: 5, Search: 10}, []int64{100, 99}, Rest{}, -1},
	} {
		events, rest, err := s.EventPage(t.Context(), tt.filter, tt.page)
		var got []int64
		for _, e := range events {
			got = append(got, e.N)
		}
		if err != nil || !slices.Equal(got, tt.want) || rest != tt.rest {
			t.Errorf("%s: %v %+v %v, want %v %+v", tt.name, got, rest, err, tt.want, tt.rest)
		}
		if n, err := s.CountEvents(t.Context(), tt.filter); err != nil || n != tt.count {
			t.Errorf("%s: counted %d, %v, want %d", tt.name, n, err, tt.count)
		}
	}
}
