package compile_test

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

const eventsModel = `
name: events
table: events
primary_key: [id]
default_time_dimension: at
dimensions:
  - {name: id, type: number}
  - {name: kind, type: string}
  - {name: ok, type: boolean}
  - {name: at, type: time, column_type: timestamp}
  - {name: day, type: time, column_type: date}
  - {name: seconds, type: time, column_type: epoch_s}
measures:
  - {name: n, agg: count}
`

// The rows around the day on which clocks in Berlin are put forward: that day has
// 23 hours, from 23:00 UTC on.
const eventsData = `
CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, ok INTEGER, at TEXT, day TEXT, seconds INTEGER);
INSERT INTO events VALUES
 (1, 'a', 1, '2024-03-30 22:59:59', '2024-03-30', 1711839599),
 (2, 'A%', 0, '2024-03-30 23:00:00', '2024-03-31', 1711839600),
 (3, NULL, NULL, '2024-03-31 21:59:59', '2024-03-31', 1711922399),
 (4, 'it''s', 1, '2024-03-31 22:00:00', '2024-04-01', 1711922400),
 (5, 'ba', 0, NULL, NULL, NULL);
`

// TestFilterRows counts the rows that filters and ranges leave, on an engine.
func TestFilterRows(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{model.Parse("events.yaml", []byte(eventsModel))}})
	for _, p := range m.Problems() {
		t.Fatal(p)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.ExecContext(t.Context(), eventsData); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, rest, want string }{
		{"equals", `"filters": [{"field": "events.kind", "op": "equals", "values": ["it's"]}]`, "4"},
		{"equals NULL", `"filters": [{"field": "events.kind", "op": "equals", "values": [null]}]`, "3"},
		{"not_equals", `"filters": [{"field": "events.kind", "op": "not_equals", "values": ["a"]}]`, "2 3 4 5"},
		{"not_equals NULL", `"filters": [{"field": "events.kind", "op": "not_equals", "values": [null]}]`, "1 2 4 5"},
		{"SQL has no NULL", `"filters": ["events.kind <> 'a'"]`, "2 4 5"},
		{"in with NULL", `"filters": [{"field": "events.kind", "op": "in", "values": ["a", null]}]`, "1 3"},
		{"not_in", `"filters": [{"field": "events.kind", "op": "not_in", "values": ["a", "ba"]}]`, "2 3 4"},
		{"not_in with NULL", `"filters": [{"field": "events.kind", "op": "not_in", "values": ["a", null]}]`, "2 4 5"},
		{"contains", `"filters": [{"field": "events.kind", "op": "contains", "values": ["A"]}]`, "1 2 5"},
		{"contains is literal", `"filters": [{"field": "events.kind", "op": "contains", "values": ["%"]}]`, "2"},
		{"not_contains", `"filters": [{"field": "events.kind", "op": "not_contains", "values": ["a"]}]`, "3 4"},
		{"starts_with", `"filters": [{"field": "events.kind", "op": "starts_with", "values": ["a"]}]`, "1 2"},
		{"ends_with any", `"filters": [{"field": "events.kind", "op": "ends_with", "values": ["a", "'S"]}]`, "1 4 5"},
		{"a boolean", `"filters": [{"field": "events.ok", "op": "equals", "values": [true]}]`, "1 4"},
		{"not a boolean", `"filters": [{"field": "events.ok", "op": "not_equals", "values": [true]}]`, "2 3 5"},
		{"not of a comparison is as in SQL", `"filters": [{"not": {"field": "events.kind", "op": "equals", "values": ["a"]}}]`, "2 4 5"},
		{"or of both kinds", `"filters": [{"or": ["events.id = 1", {"field": "events.kind", "op": "is_null"}]}]`, "1 3"},
		{"between", `"filters": [{"field": "events.id", "op": "between", "values": [2, 4]}]`, "2 3 4"},

		{"a day in UTC", `"date_range": ["2024-03-31", "2024-03-31"]`, "3 4"},
		{"a day in a zone", `"time_zone": "Europe/Berlin", "date_range": ["2024-03-31", "2024-03-31"]`, "2 3"},
		{"a day is a day, whatever the zone", `"time_zone": "Europe/Berlin", "date_ranges": [{"field": "events.day", "from": "2024-03-31", "to": "2024-03-31"}]`, "2 3"},
		{"stored as seconds", `"time_zone": "Europe/Berlin", "date_ranges": [{"field": "events.seconds", "from": "2024-03-31", "to": "2024-03-31"}]`, "2 3"},
		{"instants", `"date_range": ["2024-03-31T01:00:00+02:00", "2024-03-31T21:59:59Z"]`, "2 3"},
		{"in_date_range", `"time_zone": "Europe/Berlin", "filters": [{"field": "events.at", "op": "in_date_range", "values": ["2024-03-31"]}]`, "2 3"},
		{"yesterday", `"time_zone": "Europe/Berlin", "date_range": "yesterday"`, "2 3"},
		{"today", `"date_range": "today"`, ""},
		{"this quarter", `"time_zone": "Europe/Berlin", "date_range": "this quarter"`, "4"},
		{"before", `"filters": [{"field": "events.at", "op": "before", "values": ["2024-03-31"]}]`, "1 2"},
		{"until", `"date_range": "until 2024-03-30"`, "1 2"},
		{"days between", `"filters": [{"field": "events.at", "op": "between", "values": ["2024-03-30", "2024-03-31"]}]`, "1 2 3 4"},
		{"equals an instant", `"filters": [{"field": "events.at", "op": "in", "values": ["2024-03-30T23:00:00Z", "2024-03-31 22:00"]}]`, "2 4"},
		{"not an instant, and NULL", `"filters": [{"field": "events.at", "op": "not_equals", "values": ["2024-03-30T23:00:00Z"]}]`, "1 3 4 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _, err := request.Normalise(json.RawMessage(`{"measures": ["events.n"], "dimensions": ["events.id"], ` + tt.rest + `}`))
			if err != nil {
				t.Fatal(err)
			}
			q, err := compile.Compile(m, d, r, compile.Options{Now: time.Date(2024, 4, 1, 6, 0, 0, 0, time.UTC)})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := db.QueryContext(t.Context(), q.SQL)
			if err != nil {
				t.Fatalf("%s\n%v", q.SQL, err)
			}
			defer rows.Close()
			var ids []string
			for rows.Next() {
				var id, n string
				if err := rows.Scan(&id, &n); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("rows %s, want %s\n%s", got, tt.want, q.SQL)
			}
		})
	}
}
