package e2e

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loam-data/loam/e2e/testserver"
)

// transaction keeps the lock of its statement, so that a scan waits for the table when it
// comes to its profile.
type transaction struct {
	db *testserver.PostgresDatabase
	tx pgx.Tx
}

func begin(t *testing.T, db *testserver.PostgresDatabase, statement string) *transaction {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.DSN(testserver.PostgresOwner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	return &transaction{db, tx}
}

// waiting reports whether a session of the reader waits for the table.
func (h *transaction) waiting(t *testing.T) bool {
	return h.db.Rows(t, testserver.PostgresAdmin, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = '"+testserver.PostgresReader+"' AND wait_event_type = 'Lock'")[0][0] != "0"
}

func (h *transaction) end(t *testing.T, commit bool) {
	t.Helper()
	end := h.tx.Rollback
	if commit {
		end = h.tx.Commit
	}
	if err := end(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// scanning is a scan under way.
type scanning struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

func startScan(t *testing.T, dir string, args ...string) *scanning {
	t.Helper()
	s := &scanning{cmd: exec.CommandContext(t.Context(), filepath.Join(bin, "loam"), append([]string{"scan"}, args...)...)}
	s.cmd.Dir = dir
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scanning) wait(t *testing.T) result {
	t.Helper()
	err := s.cmd.Wait()
	r := result{stdout: s.stdout.String(), stderr: s.stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return r
}

const twoTables = "CREATE TABLE first (id int); INSERT INTO first VALUES (1); CREATE TABLE second (id int); INSERT INTO second VALUES (1)"

// While one scan runs another one is refused. However the first ends, by a
// signal or by kill -9, the snapshot before stays, and the next scan succeeds.
func TestScanIsInterrupted(t *testing.T) {
	t.Parallel()
	heavy(t, "scans that meet trouble")
	for _, c := range []struct {
		signal os.Signal
		code   int
		says   []string
	}{
		{syscall.SIGINT, 130, []string{"cancelled", "UTC stays"}},
		{syscall.SIGKILL, -1, nil},
	} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			db := testserver.Postgres(t).Database(t, twoTables)
			dir := warehouse(t, db, testserver.PostgresReader)
			before := scan(t, dir)[0].Snapshot.SyncID
			lock := begin(t, db, "LOCK TABLE second IN ACCESS EXCLUSIVE MODE")
			s := startScan(t, dir, "--full")
			eventually(t, 2*time.Minute, "the scan waits for the table", func() bool { return lock.waiting(t) })

			if r := loam(t, dir, "scan"); r.code != 6 || !strings.Contains(r.stderr, "another scan of warehouse is under way") {
				t.Errorf("a second scan: exit %d: %s", r.code, r.stderr)
			}
			if err := s.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			r := s.wait(t)
			if r.code != c.code {
				t.Errorf("exit %d, want %d: %s", r.code, c.code, r.stderr)
			}
			for _, want := range c.says {
				if !strings.Contains(r.stderr, want) {
					t.Errorf("it does not say %q: %s", want, r.stderr)
				}
			}
			eventually(t, settle, "the statement ends in the server", func() bool { return !lock.waiting(t) })
			if now := latest(t, dir); now != before {
				t.Errorf("the last snapshot is %s, want %s", now, before)
			}
			lock.end(t, false)
			after := scan(t, dir, "--full")[0]
			if after.PreviousSyncID != before || after.Profiles.Made != 2 {
				t.Errorf("the next scan: %+v", after)
			}
			left, err := filepath.Glob(filepath.Join(dir, ".loam", "catalog", "warehouse", ".new-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("there is left %q, %v", left, err)
			}
		})
	}
}

// A table that is dropped while the scan runs is a warning.
func TestScanOfADroppedTable(t *testing.T) {
	t.Parallel()
	heavy(t, "scans that meet trouble")
	db := testserver.Postgres(t).Database(t, twoTables)
	dir := warehouse(t, db, testserver.PostgresReader)
	drop := begin(t, db, "DROP TABLE second")
	s := startScan(t, dir, "--json")
	eventually(t, 2*time.Minute, "the scan waits for the table", func() bool { return drop.waiting(t) })
	drop.end(t, true)
	r := s.wait(t)
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	got := scansOf(t, r)[0]
	if w := got.Snapshot.Warnings; got.Profiles.Made != 1 || len(w) != 1 || w[0].Object != "public.second" {
		t.Errorf("%+v, warnings %+v", got.Profiles, w)
	}
	if again := scan(t, dir)[0]; again.Snapshot.Tables != 1 || again.Changes.Removed != 1 || len(again.Snapshot.Warnings) != 0 {
		t.Errorf("the next scan: %+v", again)
	}
}

// What the account may not read is a warning; globs that fit nothing are an
// error that lists what there is.
func TestScanOfWhatIsDenied(t *testing.T) {
	t.Parallel()
	heavy(t, "scans that meet trouble")
	db := testserver.Postgres(t).Database(t, `CREATE SCHEMA sales; CREATE SCHEMA hr; CREATE SCHEMA sales_old;
CREATE TABLE sales.orders (id int, note text); CREATE TABLE hr.salaries (id int); CREATE TABLE sales_old.orders (id int);
CREATE TABLE sales.secret (id int)`)
	db.Exec(t, testserver.PostgresAdmin, "REVOKE ALL ON SCHEMA hr FROM loam_reader; REVOKE ALL ON sales.secret FROM loam_reader; REVOKE ALL ON sales.orders FROM loam_reader; GRANT SELECT (id) ON sales.orders TO loam_reader")
	dir := warehouse(t, db, testserver.PostgresReader)
	got := scan(t, dir)[0]
	var objects []string
	for _, w := range got.Snapshot.Warnings {
		objects = append(objects, w.Object)
	}
	for _, want := range []string{"hr", "sales.secret"} {
		if !strings.Contains(strings.Join(objects, " "), want) {
			t.Errorf("no warning about %s: %+v", want, got.Snapshot.Warnings)
		}
	}
	if got.Snapshot.Tables != 2 || got.Profiles.Made != 2 { // two schemas with tables of one name
		t.Errorf("%+v, %+v", got.Snapshot, got.Profiles)
	}
	for glob, says := range map[string][]string{
		"salse.*":      {"salse.*", "sales.*"},
		"sales.ordesr": {"sales.ordesr", "sales.orders"},
		"hr.*":         {"hr.*", "may not use"},
	} {
		r := loam(t, dir, "scan", "--include", "sales.*", "--include", glob)
		for _, want := range append(says, "stays as it was") {
			if r.code != 5 || !strings.Contains(r.stderr, want) {
				t.Errorf("%s: exit %d, no %q: %s", glob, r.code, want, r.stderr)
			}
		}
	}
	if now := latest(t, dir); now != got.Snapshot.SyncID {
		t.Errorf("the last snapshot is %s, want %s", now, got.Snapshot.SyncID)
	}
}

// statements is a proxy that counts what PostgreSQL's clients ask.
type statements struct {
	port  int
	count atomic.Int64
}

func countStatements(t *testing.T, db *testserver.PostgresDatabase) *statements {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &statements{port: l.Addr().(*net.TCPAddr).Port}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.serve(client, db) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		serving.Wait()
	})
	return s
}

// serve passes on a connection until either side ends it.
func (s *statements) serve(client net.Conn, db *testserver.PostgresDatabase) {
	defer client.Close()
	server, err := net.Dial("tcp", net.JoinHostPort(db.Host, strconv.Itoa(db.Port)))
	if err != nil {
		return
	}
	defer server.Close()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	})
	defer back.Wait()
	defer server.Close()
	header := make([]byte, 5)
	for first := true; ; first = false {
		head := header
		if first {
			head = header[1:] // the startup packet has no type
		}
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		if kind := header[0]; !first && (kind == 'P' || kind == 'Q') { // Parse, Query
			s.count.Add(1)
		}
		if _, err := server.Write(head); err != nil {
			return
		}
		if _, err := io.CopyN(server, client, int64(binary.BigEndian.Uint32(header[1:]))-4); err != nil {
			return
		}
	}
}

// The number of statements of a structural scan does not depend on the number of
// tables.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a scan of 5,000 tables")
	}
	made := func(n int) string {
		return fmt.Sprintf(`DO $$ DECLARE columns text; BEGIN
  SELECT string_agg(format('column_%%s %%s', i, CASE i %% 3 WHEN 0 THEN 'integer' WHEN 1 THEN 'text' ELSE 'timestamptz' END), ', ') INTO columns FROM generate_series(1, 19) i;
  FOR n IN 1..%d LOOP
    EXECUTE format('CREATE TABLE table_%%s (id integer, %%s)', n, columns);
    IF n %% 500 = 0 THEN COMMIT; END IF;
  END LOOP;
END $$`, n)
	}
	asked := map[int]int64{}
	for _, n := range []int{50, 5000} {
		db := testserver.Postgres(t).Database(t, made(n))
		proxy := countStatements(t, db)
		dir := project(t, fmt.Sprintf(`version: 1
connections:
  warehouse:
    connector: postgres
    config: {host: 127.0.0.1, port: %d, database: %s, user: %s, password: "%s", sslmode: disable}
`, proxy.port, db.Name, testserver.PostgresReader, secretFile(t, testserver.PostgresPassword)))
		got := scan(t, dir, "--mode", "structural")[0]
		asked[n] = proxy.count.Load()
		if got.Snapshot.Tables != n || got.Snapshot.Columns != 20*n {
			t.Errorf("%d tables, %d columns", got.Snapshot.Tables, got.Snapshot.Columns)
		}
		t.Logf("%d tables: %d statements", n, asked[n])
	}
	if asked[50] != asked[5000] || asked[50] == 0 {
		t.Errorf("%d statements for 50 tables, %d for 5,000", asked[50], asked[5000])
	}
}
