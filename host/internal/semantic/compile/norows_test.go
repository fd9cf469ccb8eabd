package compile_test

import (
	"encoding/json"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// A statement that measures no rows is one that the engine takes, and gives no
// groups: its one row without dimensions is what aggregates make of nothing.
func TestNoRows(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	db, m := shopDatabase(t), shopModel(t, d)
	for raw, want := range map[string]int{
		`{"measures": ["orders.revenue", "tickets.hours"], "dimensions": ["customers.segment"]}`: 0,
		`{"measures": ["orders.middle"], "filters": ["items.qty > 1"]}`:                          1,
		`{"dimensions": ["orders.is_paid"], "segments": ["orders.completed"]}`:                   0,
	} {
		r, _, err := request.Normalise(json.RawMessage(raw))
		if err != nil {
			t.Fatal(err)
		}
		q, err := compile.Compile(m, d, r, compile.Options{NoRows: true})
		if err != nil {
			t.Fatal(err)
		}
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM ("+q.SQL+")").Scan(&rows); err != nil {
			t.Fatal(err)
		}
		if rows != want {
			t.Errorf("%s gives %d rows, not %d", raw, rows, want)
		}
	}
}
