package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The probes of a measure are read back, the latest first, one of each definition and period.
func TestProbes(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	probe := func(minute int, member, definition, period, value, fault string) Probe {
		return Probe{
			Connection: "shop", Member: member, Definition: []byte(definition), At: start.Add(time.Duration(minute) * time.Minute), Period: period,
			Value: value, Rows: int64(minute), Took: 12 * time.Millisecond, Error: fault,
		}
	}
	first, second := probe(1, "orders.sales", "one", "2025-12", "140", ""), probe(2, "orders.sales", "two", "2025-12", "", "no column x")
	again, other := probe(3, "orders.sales", "one", "2025-12", `"150"`, ""), probe(4, `orders."sales"`, "one", "", "", "")
	elsewhere := probe(5, "orders.sales", "one", "", "1", "")
	elsewhere.Connection = "crm"
	for _, p := range []Probe{first, second, again, other, elsewhere, probe(6, "orders.cost", "one", "", "9", "")} {
		if err := s.PutProbe(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		names []string
		limit int
		want  []Probe
	}{
		{[]string{"orders.sales", `orders."sales"`}, 10, []Probe{other, again, second}},
		{[]string{"orders.sales"}, 1, []Probe{again}},
		{[]string{"orders.none"}, 10, nil},
		{nil, 10, nil},
	} {
		got, err := s.Probes(t.Context(), "shop", c.names, c.limit)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", c.names, err, diff)
		}
	}
}
