package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

const events = `
name: events
table: events
primary_key: [id]
time_zone: "+02:00"
default_time_dimension: local
dimensions:
  - {name: id, type: number}
  - {name: seconds, type: time, column_type: epoch_s}
  - {name: millis, type: time, column_type: epoch_ms}
  - {name: iso, type: time, column_type: text_iso}
  - {name: local, type: time, column_type: timestamp}
  - {name: raw, type: time}
  - {name: kind, type: string, expr: "CASE WHEN instr(label, 'x') THEN 'with' ELSE 'without' END", dialect: sqlite}
measures:
  - {name: n, agg: count}
  - {name: all_of_it, expr: "total(amount) + count(*)", dialect: sqlite}
`

// Times are read as they are stored, and definitions in the engine's own SQL
// stand as they are.
func TestStoredTimesAndFragments(t *testing.T) {
	t.Parallel()
	d, db := engine(t, "sqlite"), shopDatabase(t)
	// Both happen at 22:30 and at 23:30 of the last of January, in UTC.
	if _, err := db.ExecContext(t.Context(), `
CREATE TABLE events (id INTEGER, label TEXT, amount REAL, seconds INTEGER, millis INTEGER, iso TEXT, local TEXT, raw TEXT);
INSERT INTO events VALUES
 (1, 'x', 2.5, 1706740200, 1706740200000, '2024-01-31T22:30:00Z', '2024-02-01 00:30:00', '2024-01-31'),
 (2, 'y', NULL, 1706743800, 1706743800500, '2024-02-01T01:30:00+02:00', '2024-02-01 01:30:00', '2024-02-01')`); err != nil {
		t.Fatal(err)
	}
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{model.Parse("events.yaml", []byte(events))}})
	for _, p := range m.Problems() {
		t.Fatalf("problem: %s", p)
	}
	for _, tt := range []struct{ name, request, want string }{
		{"seconds by day", `{"measures": ["events.n"], "dimensions": ["events.seconds.day"]}`, "seconds_day n\n2024-01-31 2"},
		{"milliseconds by hour in a zone", `{"measures": ["events.n"], "dimensions": ["events.millis.hour"], "time_zone": "+02:00"}`, "millis_hour n\n2024-02-01 00:00:00 1\n2024-02-01 01:00:00 1"},
		{"text by day", `{"measures": ["events.n"], "dimensions": ["events.iso.day"]}`, "iso_day n\n2024-01-31 2"},
		{"local times in UTC", `{"measures": ["events.n"], "dimensions": ["events.local.day"]}`, "local_day n\n2024-01-31 2"},
		{"local times in their own zone", `{"measures": ["events.n"], "dimensions": ["events.local.day"], "time_zone": "+02:00"}`, "local_day n\n2024-02-01 2"},
		{"a range of seconds", `{"measures": ["events.n"], "dimensions": [{"field": "events.seconds", "granularity": "day", "date_range": ["2024-02-01", "2024-02-01"]}], "time_zone": "+01:00"}`, "seconds_day n\n2024-02-01 1"},
		{"a range of the default time", `{"measures": ["events.n"], "date_range": ["2024-01-31", "2024-01-31"]}`, "n\n2"},
		{"what nobody knows is not moved", `{"measures": ["events.n"], "dimensions": ["events.raw.day"]}`, "error not_supported: events.raw cannot be read in another zone than its own: how it is stored is not known"},
		{"but read as it is", `{"measures": ["events.n"], "dimensions": ["events.raw.day"], "time_zone": "+02:00"}`, "raw_day n\n2024-01-31 1\n2024-02-01 1"},
		{"fragments", `{"measures": ["events.all_of_it", "events.n"], "dimensions": ["events.kind"], "order_by": ["events.kind"]}`, "kind all_of_it n\nwith 3.5 1\nwithout 1 1"},
		{"a filter in a fragment's words", `{"measures": ["events.n"], "filters": ["events.kind = 'with'"]}`, "n\n1"},
		{"a fragment cannot be filtered", `{"measures": [{"measure": "events.all_of_it", "filters": ["events.id = 1"]}]}`, "error not_supported: events.all_of_it is an aggregate in the engine's own SQL, which cannot be filtered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.TrimSpace(answer(t, m, db, tt.request))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
