package mysql_test

import (
	"context"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

func is(t testing.TB, ask func(context.Context) (bool, error)) bool {
	t.Helper()
	yes, err := ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	for _, c := range []struct {
		name    string
		request time.Duration
		session time.Duration
		config  string
	}{
		{"of the request", 2 * time.Second, time.Hour, "1h"},
		{"of the session", 0, 2 * time.Second, "1h"},
		{"of the configuration", time.Hour, time.Hour, "2s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := openWith(t, sdk.OpenRequest{
				Config: configOf(db, testserver.MariaDBReader, map[string]any{"statement_timeout": c.config}), StatementTimeout: c.session,
			})
			r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT @@max_statement_time", Limits: sdk.Limits{Timeout: c.request}})
			if err != nil || r.Rows[0][0] != 2.0 {
				t.Errorf("the server's own limit is %v, %v", r.Rows, err)
			}
			// Which clock ends it, the server's or the connector's, depends on how long
			// the look-up before it took.
			_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow("timeout"), Limits: sdk.Limits{Timeout: c.request}})
			wantKind(t, err, sdk.KindTimeout)
		})
	}
}

// BENCHMARK and SLEEP return a value when they are interrupted; behind a function
// no text shows them.
func TestInterruptedWithoutAnError(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `CREATE FUNCTION spins() RETURNS INT RETURN BENCHMARK(1000000000, SHA2('x', 512));
		CREATE FUNCTION sleeps() RETURNS INT RETURN SLEEP(120)`)
	s := openAs(t, db, testserver.MariaDBOwner)
	for _, sql := range []string{"SELECT spins()", "SELECT sleeps()"} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Limits: sdk.Limits{Timeout: 200 * time.Millisecond}})
		if e := wantKind(t, err, sdk.KindTimeout); e.Hint == "" || !e.Retry {
			t.Errorf("%s: hint %q, retry %t", sql, e.Hint, e.Retry)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err = execute(ctx, s, sdk.ExecuteRequest{SQL: sql})
		wantKind(t, err, sdk.KindTimeout)
		cancel()
	}
}
