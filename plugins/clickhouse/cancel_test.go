package clickhouse_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// isRunning asks the server for a statement.
func isRunning(t *testing.T, db *database, tag string) bool {
	t.Helper()
	yes, err := running(db, tag)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

// TestCancelEndsTheStatementInTheServer: as an account with a read-only profile,
// under which no setting may be sent, and as one without.
func TestCancelEndsTheStatementInTheServer(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		for _, user := range []string{testserver.ClickHouseAdmin, testserver.ClickHouseReader} {
			tag := "cancel " + db.name + " " + user
			s := db.openAs(t, user)
			ctx, cancel := context.WithCancel(t.Context())
			done := goExecute(ctx, s, sdk.ExecuteRequest{SQL: slow(tag), RequestID: "request 1"})
			eventually(t, 2*time.Minute, "the statement runs", func() bool { return isRunning(t, db, tag) })
			cancel()
			began := time.Now()
			wantKind(t, <-done, sdk.KindCanceled)
			if isRunning(t, db, tag) {
				eventually(t, 2*time.Minute, "the statement ends in the server", func() bool { return !isRunning(t, db, tag) })
			}
			t.Logf("%s: ended after %s", user, time.Since(began))
			query(t, s, "SELECT 1")
		}
	})
}

func goExecute(ctx context.Context, s sdk.Session, req sdk.ExecuteRequest) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := execute(ctx, s, req)
		done <- err
	}()
	return done
}

// TestTimeoutEndsTheStatement: the connector's own clock is what counts where the
// profile takes no setting.
func TestTimeoutEndsTheStatement(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		for _, user := range []string{testserver.ClickHouseAdmin, testserver.ClickHouseReader} {
			tag := "timeout " + db.name + " " + user
			s := db.openAs(t, user)
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow(tag), Limits: sdk.Limits{Timeout: 300 * time.Millisecond}})
			wantKind(t, err, sdk.KindTimeout)
			if isRunning(t, db, tag) {
				eventually(t, 2*time.Minute, "the statement ends in the server", func() bool { return !isRunning(t, db, tag) })
			}
		}
	})
}

// TestServerStopsAtItsOwnTimeout: the limit that the request carries holds even
// if the connector is gone.
func TestServerStopsAtItsOwnTimeout(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, nil)})
		r := query(t, s, "SELECT value FROM system.settings WHERE name = 'max_execution_time'")
		if got := r.Rows[0][0]; got != "60" {
			t.Errorf("max_execution_time %v", got)
		}
	})
}

// TestMemoryLimitOfTheServer: a statement that needs more is refused by it.
func TestMemoryLimitOfTheServer(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		s := openWith(t, sdk.OpenRequest{Config: make(t).config(testserver.ClickHouseAdmin, map[string]any{"max_memory_mb": 20})})
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT length(groupArray(number)) FROM (SELECT number FROM system.numbers LIMIT 20000000)"})
		if e := wantKind(t, err, sdk.KindLimit); e.Code != "241" {
			t.Errorf("got %+v", e)
		}
	})
}

// TestProgressComesFromTheServersPackets: rows read of a table whose size the
// server knows, and the bytes of it.
func TestProgressComesFromTheServersPackets(t *testing.T) {
	t.Parallel()
	db := old(t, "CREATE TABLE big (x UInt64) ENGINE = MergeTree ORDER BY x", "INSERT INTO big SELECT number FROM numbers(300000)")
	s := db.openAs(t, testserver.ClickHouseReader)
	r := query(t, s, "SELECT sum(sipHash64(x)) FROM big")
	last := sdk.Progress{}
	for _, p := range r.Progress {
		if p.Done < last.Done || p.Unit != "rows" {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	if last.Done != 300_000 || r.Summary.BytesScanned != 8*300_000 {
		t.Errorf("%+v, %+v", last, r.Summary)
	}
}

// TestQueryIDIsTheRequests: the id that the result names is the server's.
func TestQueryIDIsTheRequests(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		s := db.openAs(t, testserver.ClickHouseReader)
		tag := "id " + db.name
		ctx, cancel := context.WithCancel(t.Context())
		done := goExecute(ctx, s, sdk.ExecuteRequest{SQL: slow(tag), RequestID: "a'b"})
		eventually(t, 2*time.Minute, "the statement runs", func() bool { return isRunning(t, db, tag) })
		id := db.text(t, "SELECT query_id FROM system.processes WHERE query LIKE '%"+tag+"%' AND query NOT LIKE '%system.processes%'")
		cancel()
		<-done
		if !strings.HasPrefix(id, "loam-") || !strings.HasSuffix(id, "-612762") {
			t.Errorf("the server runs it as %q", id)
		}
	})
}
