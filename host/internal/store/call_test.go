package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func callStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestCalls(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	whole := Call{
		Request: "one", Started: noon, Duration: 1500 * time.Microsecond, Tool: "sql_execution", Connection: "shop", Outcome: OutcomeOK,
		Rows: 0, Bytes: 7, Client: "client", ClientVersion: "1.2", Transport: "http", Principal: "token", Session: "digest",
		Arguments: `{"sql":"select ?"}`, ArgumentsBytes: 40,
	}
	broken := Call{Request: "two", Started: noon.Add(time.Hour), Tool: "sql_execution", Outcome: "internal", Incident: "incident", Rows: NoRows}
	other := Call{Request: "three", Started: noon.Add(2 * time.Hour), Tool: "wiki_read", Connection: "shop", Outcome: "timeout", Rows: NoRows}
	gap := CallGap{From: noon, Until: noon.Add(time.Minute), Calls: 3, Reason: "why"}
	if err := s.PutCalls(t.Context(), []Call{whole, broken, other}, []CallGap{gap}); err != nil {
		t.Fatal(err)
	}
	whole.ID, broken.ID, other.ID = 1, 2, 3
	for _, tt := range []struct {
		name   string
		filter CallFilter
		want   []Call
	}{
		{"all", CallFilter{}, []Call{whole, broken, other}},
		{"the latest", CallFilter{Limit: 2}, []Call{broken, other}},
		{"of a tool", CallFilter{Tool: "wiki_read"}, []Call{other}},
		{"of a connection", CallFilter{Connection: "shop"}, []Call{whole, other}},
		{"good", CallFilter{Outcome: OutcomeOK}, []Call{whole}},
		{"bad", CallFilter{Outcome: AnyFailure}, []Call{broken, other}},
		{"of one kind", CallFilter{Outcome: "timeout"}, []Call{other}},
		{"since", CallFilter{Since: noon.Add(time.Hour)}, []Call{broken, other}},
		{"behind one", CallFilter{After: 2}, []Call{other}},
		{"by request", CallFilter{Key: "one"}, []Call{whole}},
		{"by incident", CallFilter{Key: "incident"}, []Call{broken}},
		{"all at once", CallFilter{Tool: "sql_execution", Connection: "shop", Outcome: AnyFailure}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.Calls(t.Context(), tt.filter)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	gaps, err := s.CallGaps(t.Context(), noon.Add(time.Minute))
	if diff := cmp.Diff([]CallGap{gap}, gaps); diff != "" || err != nil {
		t.Errorf("gaps (-want +got): %v\n%s", err, diff)
	}
	if gaps, err = s.CallGaps(t.Context(), noon.Add(time.Hour)); len(gaps) != 0 || err != nil {
		t.Errorf("later gaps: %v, %v", gaps, err)
	}
	count, err := s.CountCalls(t.Context(), noon.Add(time.Hour))
	if diff := cmp.Diff(CallCount{Calls: 2, Failed: 2, First: broken.Started}, count); diff != "" || err != nil {
		t.Errorf("count (-want +got): %v\n%s", err, diff)
	}
	tools, connections, err := s.CallNames(t.Context())
	if diff := cmp.Diff([][]string{{"sql_execution", "wiki_read"}, {"", "shop"}}, [][]string{tools, connections}); diff != "" || err != nil {
		t.Errorf("names (-want +got): %v\n%s", err, diff)
	}
}

// What was answered with rows is there once a day; what failed, found nothing, was kept
// without arguments or is of another tool is not.
func TestAnswered(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	call := func(change func(*Call)) Call {
		c := Call{Started: noon, Tool: "sql_execution", Connection: "shop", Outcome: OutcomeOK, Rows: 1, Principal: "ada", Arguments: `{"sql":"select ?"}`}
		change(&c)
		return c
	}
	calls := []Call{
		call(func(c *Call) { c.Arguments = "old" }),
		call(func(*Call) {}),
		call(func(c *Call) { c.Principal = "bob" }),
		call(func(c *Call) { c.Started = noon.Add(24 * time.Hour) }),
		call(func(c *Call) { c.Tool = "sl_query" }),
		call(func(c *Call) { c.Tool = "wiki_read" }),
		call(func(c *Call) { c.Outcome = "timeout" }),
		call(func(c *Call) { c.Rows = 0 }),
		call(func(c *Call) { c.Rows = NoRows }),
		call(func(c *Call) { c.Arguments = "" }),
	}
	if err := s.PutCalls(t.Context(), calls, nil); err != nil {
		t.Fatal(err)
	}
	got, err := s.Answered(t.Context(), []string{"sql_execution", "sl_query"}, len(calls)-1)
	if err != nil {
		t.Fatal(err)
	}
	day := noon.Unix() / 86400
	want := []Answered{
		{"sl_query", "shop", `{"sql":"select ?"}`, day},
		{"sql_execution", "shop", `{"sql":"select ?"}`, day},
		{"sql_execution", "shop", `{"sql":"select ?"}`, day + 1},
	}
	slices.SortFunc(got, func(a, b Answered) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPruneCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		keep Retention
		want []int64
	}{
		{"all", Retention{Rows: 10}, []int64{1, 2, 3, 4, 5}},
		{"as many as there are", Retention{Rows: 5}, []int64{1, 2, 3, 4, 5}},
		{"the last", Retention{Rows: 2}, []int64{4, 5}},
		{"the young", Retention{Rows: 10, Since: noon.Add(3 * time.Hour)}, []int64{4, 5}},
		{"the last of the young", Retention{Rows: 1, Since: noon.Add(3 * time.Hour)}, []int64{5}},
		{"none", Retention{Rows: 10, Since: noon.Add(time.Hour * 24)}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := callStore(t)
			var all []Call
			for i := range 5 {
				all = append(all, Call{Request: "r", Started: noon.Add(time.Duration(i) * time.Hour), Outcome: OutcomeOK})
			}
			old := CallGap{From: noon.Add(-time.Hour), Until: noon.Add(-time.Hour), Calls: 1, Reason: "why"}
			if err := s.PutCalls(t.Context(), all, []CallGap{old}); err != nil {
				t.Fatal(err)
			}
			if err := s.PruneCalls(t.Context(), tt.keep); err != nil {
				t.Fatal(err)
			}
			got, err := s.Calls(t.Context(), CallFilter{})
			if err != nil {
				t.Fatal(err)
			}
			var ids []int64
			for _, c := range got {
				ids = append(ids, c.ID)
			}
			if diff := cmp.Diff(tt.want, ids); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			gaps, err := s.CallGaps(t.Context(), time.Time{})
			if err != nil || (len(gaps) == 0) == tt.keep.Since.IsZero() {
				t.Errorf("gaps %v, %v", gaps, err)
			}
			// A number is never given twice, or who follows the list would miss a call.
			if err := s.PutCalls(t.Context(), all[:1], nil); err != nil {
				t.Fatal(err)
			}
			if last, err := s.Calls(t.Context(), CallFilter{Limit: 1}); err != nil || last[0].ID != 6 {
				t.Errorf("the next is %v, %v", last, err)
			}
		})
	}
}

// A file without room refuses a batch whole, and takes it once there is room.
func TestPutCallsOnAFullDisk(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	var pages int
	if err := s.write.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		t.Helper()
		var got int
		if err := s.write.QueryRowContext(t.Context(), "PRAGMA max_page_count = "+strconv.Itoa(n)).Scan(&got); err != nil || got != n {
			t.Fatal(got, err)
		}
	}
	limit(pages)
	batch := make([]Call, 500)
	for i := range batch {
		batch[i] = Call{Request: "r", Started: noon, Arguments: string(make([]byte, 100))}
	}
	err := s.PutCalls(t.Context(), batch, nil)
	if kind := kindOf(s.path, err).Kind; err == nil || kind != "limit" {
		t.Fatalf("got %v of kind %s", err, kind)
	}
	limit(pages + 10_000)
	if got, err := s.CountCalls(t.Context(), time.Time{}); err != nil || got.Calls != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := s.PutCalls(t.Context(), batch, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.CountCalls(t.Context(), time.Time{}); err != nil || got.Calls != len(batch) {
		t.Errorf("%+v, %v", got, err)
	}
}
