package semanticquery_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/sdk"
)

const queryYAML = `
name: lately
sql: SELECT id, day, status AS state, amount FROM orders
dimensions:
  - {name: day, type: time}
measures:
  - {name: n, agg: count}
`

const dayOfQuery = `{"measures": ["lately.n"], "filters": ["lately.day <= '2024-02-29'"]}`

// An engine is asked for the columns of a query when something uses the query, and
// once by all processes until a scan finds something else.
func TestQueriesAreDescribedOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "lately.yaml", queryYAML)
	asked := func(want int32, what string) {
		t.Helper()
		if got := f.described.Load(); got != want {
			t.Errorf("%s: described %d times, not %d", what, got, want)
		}
	}
	run := func(request string) {
		t.Helper()
		if _, _, err := f.Run(t.Context(), body(request), &answer{}); err != nil {
			t.Error(err)
		}
	}
	run(`{"measures": ["orders.revenue"]}`)
	if _, err := f.Compile(t.Context(), body(dayOfQuery)); err == nil || !strings.Contains(err.Error(), "not known yet") {
		t.Errorf("compiling asked somebody: %v", err)
	}
	if _, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Name: "lately"}); err != nil {
		t.Error(err)
	}
	asked(0, "nothing that runs uses it")
	run(dayOfQuery)
	asked(1, "a query runs")
	run(`{"measures": ["lately.n"], "dimensions": ["lately.state"]}`)
	if _, err := f.Compile(t.Context(), body(dayOfQuery)); err != nil {
		t.Error(err)
	}
	f.serve()
	run(dayOfQuery)
	f.validate(t, validation.Request{})
	asked(1, "another process")
	f.validate(t, validation.Request{Data: true})
	asked(2, "the data is looked at")
	f.scan(t)
	run(dayOfQuery)
	asked(2, "a scan found the same")
	f.exec(t, "CREATE TABLE another (id INTEGER)")
	f.scan(t)
	run(dayOfQuery)
	asked(3, "a scan found something else")
	f.write(t, "lately.yaml", strings.Replace(queryYAML, "amount FROM", "amount * 2 AS amount FROM", 1))
	run(dayOfQuery)
	asked(4, "another query")
}

func (f *fixture) exec(t *testing.T, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// What an engine refuses, and an engine that cannot be asked, are told where they
// matter and stop nothing else.
func TestQueriesThatAreNotDescribed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "lately.yaml", strings.Replace(queryYAML, "status AS state", "stats AS state", 1))
	_, _, err := f.Run(t.Context(), body(dayOfQuery), &answer{})
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || !strings.Contains(e.Msg, "The engine refuses the query of lately: ") || !strings.Contains(e.Msg, "stats") {
		t.Errorf("%v", err)
	}
	wantBrief(t, f.validate(t, validation.Request{}),
		`error semantic-layer/shop/lately.yaml:3:22 sql the engine refuses the query: no such column: stats`)
	if _, _, err := f.Run(t.Context(), body(`{"measures": ["orders.revenue"]}`), &answer{}); err != nil {
		t.Error(err)
	}

	f.write(t, "lately.yaml", queryYAML)
	f.away = sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the warehouse is away")
	before := f.described.Load()
	_, _, err = f.Run(t.Context(), body(dayOfQuery), &answer{})
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || !strings.Contains(e.Msg, "could not be asked: the warehouse is away") || !strings.Contains(e.Hint, "column_type") {
		t.Errorf("%v", err)
	}
	r := f.validate(t, validation.Request{})
	wantBrief(t, r, ``)
	if notes := strings.Join(r.Connections[0].Notes, " "); !strings.Contains(notes, "The columns of 1 query source are not known") {
		t.Errorf("%q", notes)
	}
	if got := f.described.Load(); got != before {
		t.Errorf("described %d times", got-before)
	}
}
