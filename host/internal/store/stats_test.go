package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStats(t *testing.T) {
	t.Parallel()
	s := callStore(t)
	var calls []Call
	for i := range 20 { // 1 to 20 ms, one failure, two connections
		c := Call{
			Started: noon.Add(time.Duration(i) * time.Hour), Duration: time.Duration(i+1) * time.Millisecond, Tool: "sql_execution",
			Connection: "shop", Outcome: OutcomeOK, Bytes: 100, Rows: NoRows,
		}
		if i == 19 {
			c.Outcome, c.Connection = "timeout", "crm"
		}
		calls = append(calls, c)
	}
	named := func(connection, arguments string) Call {
		return Call{Started: noon, Duration: time.Second, Tool: "execute_approved_query", Connection: connection, Outcome: OutcomeOK, Bytes: 7, Rows: NoRows, Arguments: arguments}
	}
	calls = append(calls, named("shop", `{"name":"top"}`), named("shop", `{"name":"top"}`), named("crm", `{"name":"top"}`), named("shop", `{"name":"to…`), named("shop", ""))
	if err := s.PutCalls(t.Context(), calls, nil); err != nil {
		t.Fatal(err)
	}
	all := StatsFilter{Since: noon, Until: noon.Add(24 * time.Hour)}
	saved := ToolStats{Tool: "execute_approved_query", Outcomes: map[string]int{OutcomeOK: 5}, Calls: 5, Bytes: 35, P50: time.Second, P95: time.Second}
	statements := ToolStats{Tool: "sql_execution", Outcomes: map[string]int{OutcomeOK: 19, "timeout": 1}, Calls: 20, Bytes: 2000, P50: 10 * time.Millisecond, P95: 19 * time.Millisecond}
	two := ToolStats{Tool: "sql_execution", Outcomes: map[string]int{OutcomeOK: 2}, Calls: 2, Bytes: 200, P50: 2 * time.Millisecond, P95: 3 * time.Millisecond}
	crm := ToolStats{Tool: "sql_execution", Outcomes: map[string]int{"timeout": 1}, Calls: 1, Bytes: 100, P50: 20 * time.Millisecond, P95: 20 * time.Millisecond}
	ofCRM := saved
	ofCRM.Outcomes, ofCRM.Calls, ofCRM.Bytes = map[string]int{OutcomeOK: 1}, 1, 7
	for _, tt := range []struct {
		name   string
		filter StatsFilter
		want   []ToolStats
	}{
		{"all", all, []ToolStats{saved, statements}},
		{"of a time, whose end is not in it", StatsFilter{Since: noon.Add(time.Hour), Until: noon.Add(3 * time.Hour)}, []ToolStats{two}},
		{"of a connection", StatsFilter{Since: noon, Until: all.Until, Connections: []string{"crm"}}, []ToolStats{ofCRM, crm}},
		{"of no connection", StatsFilter{Since: noon, Until: all.Until, Connections: []string{}}, nil},
		{"before", StatsFilter{Since: noon.Add(-time.Hour), Until: noon}, nil},
	} {
		got, err := s.ToolStats(t.Context(), tt.filter)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s (-want +got): %v\n%s", tt.name, err, diff)
		}
	}
	periods, err := s.PeriodStats(t.Context(), []time.Time{noon.Add(-time.Hour), noon, noon.Add(time.Hour), all.Until}, nil)
	if diff := cmp.Diff([]PeriodStats{{}, {6, 0, 135}, {19, 1, 1900}}, periods); diff != "" || err != nil {
		t.Errorf("periods (-want +got): %v\n%s", err, diff)
	}
	if periods, err = s.PeriodStats(t.Context(), []time.Time{noon, all.Until}, []string{"crm"}); err != nil || periods[0].Calls != 2 {
		t.Errorf("periods of a connection: %v, %v", periods, err)
	}
	reuse, err := s.Reuse(t.Context(), "execute_approved_query", all)
	if diff := cmp.Diff(Reuse{Runs: 5, Named: 3, Names: 2}, reuse); diff != "" || err != nil {
		t.Errorf("reuse (-want +got): %v\n%s", err, diff)
	}
	if first, err := s.FirstCall(t.Context()); !first.Equal(noon) || err != nil {
		t.Errorf("first: %v, %v", first, err)
	}
}

// A statistic of 100,000 calls.
func BenchmarkToolStats(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "state.db"))
	if err != nil {
		b.Fatal(err)
	}
	const calls = 100_000
	for n := 0; n < calls; {
		batch := make([]Call, 0, 1000)
		for range cap(batch) {
			n++
			batch = append(batch, Call{
				Request: fmt.Sprint(n), Started: noon.Add(time.Duration(n) * 20 * time.Second), Duration: time.Duration(n*7919%5_000_000) * time.Microsecond,
				Tool: fmt.Sprint("tool_", n%30), Connection: "shop", Outcome: []string{OutcomeOK, OutcomeOK, OutcomeOK, "timeout"}[n%4], Bytes: n % 20_000, Rows: n % 7,
				Client: "client", Transport: "http", Principal: "token", Session: "digest", Arguments: fmt.Sprintf(`{"name":"q%d","sql":"select id, name from customers where id <> ? order by id limit ?"}`, n%50),
			})
		}
		if err := s.PutCalls(b.Context(), batch, nil); err != nil {
			b.Fatal(err)
		}
	}
	all := StatsFilter{Since: noon, Until: noon.Add(calls * time.Minute)}
	var bounds []time.Time
	for day := range 25 {
		bounds = append(bounds, noon.Add(time.Duration(day)*24*time.Hour))
	}
	b.ReportAllocs()
	for b.Loop() {
		if stats, err := s.ToolStats(b.Context(), all); err != nil || len(stats) != 30 {
			b.Fatal(stats, err)
		}
		if _, err := s.PeriodStats(b.Context(), bounds, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Reuse(b.Context(), "tool_3", all); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
