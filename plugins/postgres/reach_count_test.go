package postgres_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// wire stands between a session and its server, and notes what is sent together.
type wire struct {
	net.Listener
	group sync.WaitGroup
	mu    sync.Mutex
	total sent
	// resets are how often a connection was reset.
	resets atomic.Int64
	// forgets: the server, as a pooler shows it, does not know what was prepared.
	forgets atomic.Bool
}

// tapped opens a session of up to maxOpen connections through a wire.
func tapped(t *testing.T, db *testserver.PostgresDatabase, role string, maxOpen int) (*wire, *postgres.Session) {
	t.Helper()
	w, config := tap(t, db, role)
	return w, openWith(t, sdk.OpenRequest{ConnectionID: "test", MaxOpen: maxOpen, Config: config})
}

// tap returns a wire and a configuration that leads through it.
func tap(t *testing.T, db *testserver.PostgresDatabase, role string) (*wire, sdk.Config) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: listener}
	w.group.Go(func() { w.serve(t, net.JoinHostPort(db.Host, strconv.Itoa(db.Port))) })
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		w.group.Wait()
	})
	return w, configOf(db, role, map[string]any{"host": "127.0.0.1", "port": listener.Addr().(*net.TCPAddr).Port, "sslmode": "disable"})
}

func (w *wire) serve(t *testing.T, server string) {
	for {
		client, err := w.Accept()
		if err != nil {
			return // closed
		}
		up, err := net.Dial("tcp", server)
		if err != nil {
			t.Error(err)
			return
		}
		w.group.Go(func() {
			// A connection that ends while something is under way is no fault here.
			_, _ = io.Copy(client, up)
			_ = client.Close()
		})
		w.group.Go(func() {
			if err := w.forward(up, client); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
			_ = up.Close()
		})
	}
}

// forward passes on what a client sends, and notes it.
// Source: "Message Formats" in PostgreSQL's manual.
func (w *wire) forward(server io.Writer, client io.Reader) error {
	in := bufio.NewReader(client)
	var batch []string
	beside := false // it runs what was prepared before
	for started := false; ; {
		head := make([]byte, 5)
		if !started {
			head = head[:4] // messages have no type until the session starts
		}
		if _, err := io.ReadFull(in, head); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(in, body); err != nil {
			return err
		}
		switch {
		case !started:
			started = binary.BigEndian.Uint16(body) == 3 // the version
		case head[0] == 'P':
			_, rest, _ := bytes.Cut(body, []byte{0})
			sql, _, _ := bytes.Cut(rest, []byte{0})
			batch = append(batch, string(sql))
		case head[0] == 'B':
			_, rest, _ := bytes.Cut(body, []byte{0})
			beside = beside || rest[0] != 0 // the statement has a name
			if rest[0] != 0 && w.forgets.Load() {
				rest[0] = 'X'
			}
		case head[0] == 'S':
			w.note(batch, beside)
			batch, beside = nil, false
		}
		if _, err := server.Write(append(head, body...)); err != nil {
			return err
		}
	}
}

// note counts a batch, but for those that reset a connection.
func (w *wire) note(batch []string, beside bool) {
	if len(batch) == 1 && (batch[0] == "ROLLBACK" || batch[0] == "DISCARD ALL") {
		if batch[0] == "DISCARD ALL" {
			w.resets.Add(1)
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if beside {
		w.total.Beside++
		w.total.Prepared += len(batch)
		return
	}
	w.total.RoundTrips++
	w.total.Statements += len(batch)
}

// taken returns what was sent since the last call.
func (w *wire) taken() sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	total := w.total
	w.total = sent{}
	return total
}

// sent counts round trips of statements and what the server parses for them; and
// those of look-ups beside them, and what it parses there.
type sent struct{ RoundTrips, Statements, Beside, Prepared int }

// during runs something while a statement is under way.
type during struct {
	sdk.ResultSink
	run func()
}

func (d during) Columns(c []sdk.Column) error {
	d.run()
	return d.ResultSink.Columns(c)
}

// twoAtOnce leaves two connections of a session idle.
func twoAtOnce(t *testing.T, s sdk.Session, sql string) {
	t.Helper()
	out := sdk.NewRowWriter(during{new(result).Sink(), func() { query(t, s, sql) }}, sdk.Limits{})
	if err := s.Execute(t.Context(), sdk.ExecuteRequest{SQL: sql}, out); err != nil {
		t.Fatal(err)
	}
}

// What a look-up costs does not grow with the catalogue, and nothing is asked where
// nothing has changed. The rows of a small one are listed at once. One statement takes
// one round trip when it is repeated, and two when it is not. Where a second connection
// is idle, the server looks there at the same time, and parses each look-up once.
func TestReachRoundTrips(t *testing.T) {
	t.Parallel()
	const nothing, inserted = "SELECT", "INSERT INTO t VALUES (1)"
	steps := []struct {
		name, change         string
		small, large, beside sent // of ten functions, of a thousand, and of ten with two connections
	}{
		{"first", nothing, sent{6, 16, 0, 0}, sent{6, 16, 0, 0}, sent{6, 16, 0, 0}}, // four for the catalogue
		{"unchanged", nothing, sent{1, 6, 0, 0}, sent{1, 6, 0, 0}, sent{1, 6, 0, 0}},
		{"another transaction", inserted, sent{3, 13, 0, 0}, sent{4, 15, 0, 0}, sent{3, 12, 1, 3}}, // one to find out, and once one more for hashes
		{"one more", inserted, sent{2, 7, 0, 0}, sent{2, 7, 0, 0}, sent{2, 6, 1, 0}},
		{"function changed", "CREATE OR REPLACE FUNCTION f1(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
			sent{3, 10, 0, 0}, sent{4, 11, 0, 0}, sent{2, 6, 2, 2}}, // one for what changed, or two
		{"view changed", "CREATE OR REPLACE VIEW v10 AS SELECT id, f2(id) AS x FROM t WHERE id > 7", sent{3, 11, 0, 0}, sent{4, 12, 0, 0}, sent{2, 6, 2, 2}},
		{"view changed again", "CREATE OR REPLACE VIEW v10 AS SELECT id, f2(id) AS x FROM t WHERE id > 8", sent{3, 11, 0, 0}, sent{4, 12, 0, 0}, sent{2, 6, 2, 0}},
		{"table made", "CREATE TABLE other (id int CHECK (id > 0))", sent{3, 12, 0, 0}, sent{4, 13, 0, 0}, sent{2, 6, 2, 2}},
		{"function gone", "DROP FUNCTION f3(int)", sent{2, 7, 0, 0}, sent{3, 9, 0, 0}, sent{2, 6, 1, 0}},
		{"unchanged since", nothing, sent{2, 7, 0, 0}, sent{2, 7, 0, 0}, sent{2, 6, 1, 0}},
		{"unchanged again", nothing, sent{1, 6, 0, 0}, sent{1, 6, 0, 0}, sent{1, 6, 0, 0}},
	}
	const sql = "SELECT id FROM t WHERE false"
	server := testserver.NewPostgres(t) // where nobody else commits anything
	for name, c := range map[string]struct{ functions, connections int }{
		"small": {10, 1}, "large": {1000, 1}, "beside": {10, 2},
	} {
		db := manyFunctionsOn(t, server, c.functions)
		db.Exec(t, testserver.PostgresAdmin, "ALTER SYSTEM SET autovacuum = off")
		db.Exec(t, testserver.PostgresAdmin, "SELECT pg_reload_conf()")
		w, s := tapped(t, db, testserver.PostgresReader, c.connections)
		w.taken()
		for i, step := range steps {
			db.Exec(t, testserver.PostgresOwner, step.change)
			w.resets.Store(0)
			query(t, s, sql)
			// With each of its tries, sent along: that of the known shape, and that after it.
			if resets := w.resets.Load(); resets > 2 {
				t.Errorf("%s, %s: the connection was reset %d times", name, step.name, resets)
			}
			want := map[string]sent{"small": step.small, "large": step.large, "beside": step.beside}[name]
			if diff := cmp.Diff(want, w.taken()); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, step.name, diff)
			}
			if i == 0 && c.connections > 1 {
				twoAtOnce(t, s, sql)
				w.taken()
			}
		}
	}
	t.Run("strings", func(t *testing.T) { roundTripsOfStrings(t, server) })
}

// roundTripsOfStrings tests that a string takes another round trip where its brackets
// say that to read it may run something, and none where it is plain.
func roundTripsOfStrings(t *testing.T, server *testserver.PostgresServer) {
	t.Helper()
	db := server.Database(t, "CREATE TABLE t (id int, at date, tags text[])")
	w, s := tapped(t, db, testserver.PostgresOwner, 1)
	trips := func(sql string) int {
		w.taken()
		query(t, s, sql)
		return w.taken().RoundTrips
	}
	trips("SELECT 'first of the connection'")
	plain := trips("SELECT id FROM t WHERE id = 1 OR id = 2")
	for sql, more := range map[string]int{
		"SELECT id FROM t WHERE at > '2024-01-01' AND id::text <> 'x-1'": 0,
		"SELECT id FROM t WHERE tags = '{a}'":                            1,
		"SELECT id FROM t WHERE tags = E'\\x7ba}'":                       1,
		"SELECT id FROM t WHERE tags = U&'\\007ba}'":                     1,
	} {
		if got := trips(sql); got != plain+more {
			t.Errorf("%s takes %d round trips, a plain statement %d", sql, got, plain)
		}
	}
}

// What a second connection cannot tell, the statement's own tells: when the connection is
// gone, and when a pooler does not keep what was prepared on it, which is not tried again.
// What a function of a caller prepares under the names of look-ups is gone when one runs.
func TestReachLookoutsSpoiled(t *testing.T) {
	t.Parallel()
	const sql = "SELECT f1(id) FROM t WHERE false"
	server := testserver.NewPostgres(t)
	for name, c := range map[string]struct {
		spoil func(*testing.T, *wire, *postgres.Session, *testserver.PostgresDatabase)
		later bool // look-ups go over another connection again
	}{
		"gone": {func(t *testing.T, _ *wire, _ *postgres.Session, db *testserver.PostgresDatabase) {
			ended := db.Rows(t, testserver.PostgresAdmin, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%''pg_proc'', xmin%' AND pid <> pg_backend_pid()")
			if diff := cmp.Diff([][]string{{"t"}}, ended); diff != "" {
				t.Errorf("connections that were ended (-want +got):\n%s", diff)
			}
		}, true},
		"forgotten": {func(_ *testing.T, w *wire, _ *postgres.Session, _ *testserver.PostgresDatabase) {
			w.forgets.Store(true)
		}, false},
		"planted": {func(t *testing.T, _ *wire, s *postgres.Session, _ *testserver.PostgresDatabase) {
			twoAtOnce(t, s, "SELECT plant()")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			db := manyFunctionsOn(t, server, 10)
			db.Exec(t, testserver.PostgresOwner, `CREATE FUNCTION plant() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
				DEALLOCATE ALL;
				PREPARE loam_0 AS SELECT 1 WHERE false; PREPARE loam_1 AS SELECT 1 WHERE false; PREPARE loam_2 AS SELECT 1 WHERE false;
				RETURN 1; END $$`)
			w, s := tapped(t, db, testserver.PostgresReader, 2)
			touch := func() { db.Exec(t, testserver.PostgresOwner, "INSERT INTO t VALUES (1)") }
			query(t, s, sql)
			twoAtOnce(t, s, sql)
			touch()
			query(t, s, sql)
			if w.taken().Beside == 0 {
				t.Error("no look-up over another connection")
			}
			c.spoil(t, w, s, db)
			db.Exec(t, testserver.PostgresOwner, "CREATE OR REPLACE FUNCTION f1(a int) RETURNS int LANGUAGE sql AS 'SELECT length(spend(a))'")
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) != sdk.KindNotReadOnly {
				t.Errorf("got %v", err)
			}
			db.Exec(t, testserver.PostgresOwner, "CREATE OR REPLACE FUNCTION f1(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'")
			query(t, s, sql)
			twoAtOnce(t, s, sql)
			w.taken()
			touch()
			query(t, s, sql)
			if beside := w.taken().Beside; (beside > 0) != c.later {
				t.Errorf("%d look-ups over another connection", beside)
			}
		})
	}
}
