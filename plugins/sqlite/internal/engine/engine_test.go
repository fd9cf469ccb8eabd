package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
)

// create makes a database and returns it open for writing, with its path.
func create(t *testing.T, statements ...string) (*sql.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file:test.db?mode=rwc")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(filepath.Dir(path), "file:test.db")
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range append([]string{"CREATE TABLE base (x)"}, statements...) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return db, path
}

func open(t *testing.T, path string, o engine.Options) *engine.Conn {
	t.Helper()
	c, err := engine.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
	if err := c.Authorize(func(engine.Action) bool { return true }); err != nil {
		t.Fatal(err)
	}
	return c
}

// rows runs a statement to its end.
func rows(c *engine.Conn, statement string) (all [][]any, err error) {
	stmt, err := c.Prepare(statement)
	if err != nil {
		return nil, err
	}
	defer stmt.Finalize()
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return all, err
		}
		row := make([]any, stmt.Columns())
		for i := range row {
			if row[i], err = stmt.Value(i); err != nil {
				return all, err
			}
		}
		all = append(all, row)
	}
}

func TestPrepareTakesOneStatement(t *testing.T) {
	t.Parallel()
	db, path := create(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
	c := open(t, path, engine.Options{})
	for _, tt := range []struct {
		name, sql string
		second    int // where a second statement starts; 0 = there is none
	}{
		{"plain", "SELECT 1", 0},
		{"end", "SELECT 1;", 0},
		{"ends", "SELECT 1;;\n; ;", 0},
		{"empty ones before", " ;;\t; SELECT 1", 0},
		{"comments before", "-- a; b\n/* c; d */ SELECT 1", 0},
		{"comments behind", "SELECT 1; -- a; b\n/* c; d */", 0},
		{"open comment behind", "SELECT 1; /* c", 0},
		{"semicolon in a string", "SELECT ';', [;], \";\" FROM (SELECT 1 AS \";\")", 0},
		{"two", "SELECT 1; SELECT 2", 10},
		{"two without space", "SELECT 1;SELECT 2", 9},
		{"empty ones between", "SELECT 1;;;  SELECT 2", 13},
		{"a pragma that works while it compiles", "SELECT 1; PRAGMA temp_store = 2", 10},
		{"broken second", "SELECT 1; nonsense", 10},
		{"open string behind", "SELECT 1; 'x", 10},
		{"second in a comment's place", "SELECT 1; /* */ DELETE FROM t", 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := rows(c, tt.sql)
			several, _ := errors.AsType[*engine.SeveralError](err)
			switch {
			case tt.second == 0 && err != nil:
				t.Errorf("got %v", err)
			case tt.second > 0 && (several == nil || several.Offset != tt.second):
				t.Errorf("got %v (%+v), want a second statement at %d", err, several, tt.second)
			}
		})
	}
	got, err := rows(c, "SELECT temp_store FROM pragma_temp_store")
	if err != nil || got[0][0] != int64(0) {
		t.Errorf("temp_store is %v, %v: a second statement took effect", got, err)
	}
	var n int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestPrepareErrors(t *testing.T) {
	t.Parallel()
	_, path := create(t)
	c := open(t, path, engine.Options{})
	for _, sql := range []string{"", " ", ";", "; -- x\n;", "/* */"} {
		if _, err := c.Prepare(sql); !errors.Is(err, engine.ErrEmpty) {
			t.Errorf("%q: %v", sql, err)
		}
	}
	for _, tt := range []struct {
		sql    string
		offset int
	}{
		{"SELECT nope", 7}, {"; ;SELECT nope", 10}, {"SELECT 1\x00; DELETE FROM t", 8}, {"SELECT 'a\x00b'", 9}, {"SELECT (", -1},
	} {
		_, err := c.Prepare(tt.sql)
		failed, ok := errors.AsType[*engine.Error](err)
		if !ok || failed.Code != sqlite3.SQLITE_ERROR || failed.Offset != tt.offset || failed.Msg == "" {
			t.Errorf("%q: %#v", tt.sql, err)
		}
	}
	if _, err := rows(c, "SELECT 1"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	_, path := create(t)
	c := open(t, path, engine.Options{})
	stmt, err := c.Prepare("SELECT ?, ?, ?, ?, ?, ?, ?, ?")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Finalize()
	given := []any{nil, true, int64(-9223372036854775808), 0.5, "", "naïve\x00\xff", []byte{}, []byte{0, 255}}
	if stmt.Parameters() != len(given) {
		t.Fatalf("%d parameters", stmt.Parameters())
	}
	for i, v := range given {
		if err := stmt.Bind(i+1, v); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := stmt.Step(); !found || err != nil {
		t.Fatal(found, err)
	}
	want := []any{nil, int64(1), int64(-9223372036854775808), 0.5, "", "naïve\x00\xff", []byte(nil), []byte{0, 255}}
	classes := []engine.Class{engine.Null, engine.Integer, engine.Integer, engine.Float, engine.Text, engine.Text, engine.Blob, engine.Blob}
	for i := range want {
		got, err := stmt.Value(i)
		if err != nil || stmt.Class(i) != classes[i] {
			t.Errorf("value %d: class %d, %v", i, stmt.Class(i), err)
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("value %d (-want +got):\n%s", i, diff)
		}
	}
	for _, odd := range []any{int32(1), struct{}{}} {
		if err := stmt.Bind(1, odd); err == nil {
			t.Errorf("%T is bound", odd)
		}
	}
	if err := stmt.Bind(9, nil); err == nil {
		t.Error("a parameter too many is bound")
	}
}

// The file is open for reading whatever the name says, and whatever is allowed.
func TestOpenIsReadOnly(t *testing.T) {
	t.Parallel()
	_, path := create(t, "CREATE TABLE t (x)")
	c := open(t, path, engine.Options{})
	if readOnly, err := c.IsReadOnly(); !readOnly || err != nil {
		t.Errorf("read-only: %t, %v", readOnly, err)
	}
	for _, sql := range []string{"INSERT INTO t VALUES (1)", "CREATE TABLE u (x)", "PRAGMA user_version = 3"} {
		_, err := rows(c, sql)
		if failed, ok := errors.AsType[*engine.Error](err); !ok || failed.Primary() != sqlite3.SQLITE_READONLY {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := engine.Open(filepath.Join(t.TempDir(), "missing"), engine.Options{}); err == nil {
		t.Error("a missing file is created")
	}
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	_, path := create(t, "CREATE TABLE t (x)")
	c := open(t, path, engine.Options{})
	if err := c.Authorize(func(a engine.Action) bool { return a.Code != sqlite3.SQLITE_READ }); err != nil {
		t.Fatal(err)
	}
	if _, err := rows(c, "SELECT 1"); err != nil {
		t.Error(err)
	}
	_, err := rows(c, "SELECT x FROM t")
	failed, ok := errors.AsType[*engine.Error](err)
	if !ok || failed.Denied == nil {
		t.Fatalf("got %#v", err)
	}
	if diff := cmp.Diff(engine.Action{Code: sqlite3.SQLITE_READ, Arg1: "t", Arg2: "x", HasArg2: true, Schema: "main"}, *failed.Denied); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, err = rows(c, "SELECT nope")
	if failed, ok := errors.AsType[*engine.Error](err); !ok || failed.Denied != nil {
		t.Errorf("an old refusal sticks to %#v", err)
	}
}

func TestSwitchesAndLimits(t *testing.T) {
	t.Parallel()
	_, path := create(t, "CREATE TABLE t (x)")
	c := open(t, path, engine.Options{
		Limits:   map[int32]int32{sqlite3.SQLITE_LIMIT_LENGTH: 1000, sqlite3.SQLITE_LIMIT_ATTACHED: 0},
		Switches: map[int32]bool{sqlite3.SQLITE_DBCONFIG_DQS_DML: false},
	})
	for _, sql := range []string{"SELECT zeroblob(1001)", "ATTACH ':memory:' AS m", `SELECT "x y"`} {
		if _, err := rows(c, sql); err == nil {
			t.Errorf("%s runs", sql)
		}
	}
	lax := open(t, path, engine.Options{Switches: map[int32]bool{sqlite3.SQLITE_DBCONFIG_DQS_DML: true}})
	if got, err := rows(lax, `SELECT "x y"`); err != nil || got[0][0] != "x y" {
		t.Errorf("%v, %v", got, err)
	}
}

const endless = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

func TestWatch(t *testing.T) {
	t.Parallel()
	_, path := create(t)
	c := open(t, path, engine.Options{})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ctx := range map[string]context.Context{"ended before": canceled, "deadline": deadline(t, 50*time.Millisecond)} {
		release := c.Watch(ctx)
		started := time.Now()
		_, err := rows(c, endless)
		release()
		if failed, ok := errors.AsType[*engine.Error](err); !ok || failed.Primary() != sqlite3.SQLITE_INTERRUPT {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(started); took > time.Second {
			t.Errorf("%s: ended after %s", name, took)
		}
		if got, err := rows(c, "SELECT 1"); err != nil || len(got) != 1 {
			t.Errorf("%s: afterwards %v, %v", name, got, err)
		}
	}
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestBusy(t *testing.T) {
	t.Parallel()
	db, path := create(t, "CREATE TABLE t (x)")
	lock, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := lock.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	busy := func(err error) bool {
		failed, ok := errors.AsType[*engine.Error](err)
		return ok && failed.Primary() == sqlite3.SQLITE_BUSY
	}
	for _, tt := range []struct {
		name         string
		wait, cancel time.Duration
	}{{"gives up", 50 * time.Millisecond, time.Minute}, {"canceled", time.Minute, 50 * time.Millisecond}} {
		c := open(t, path, engine.Options{BusyTimeout: tt.wait})
		release := c.Watch(deadline(t, tt.cancel))
		started := time.Now()
		_, err := rows(c, "SELECT * FROM t")
		release()
		if took := time.Since(started); !busy(err) || took < 40*time.Millisecond || took > 5*time.Second {
			t.Errorf("%s after %s: %v", tt.name, took, err)
		}
	}
	c := open(t, path, engine.Options{BusyTimeout: time.Minute})
	release := c.Watch(t.Context())
	defer release()
	done := make(chan error, 1)
	go func() {
		_, err := rows(c, "SELECT * FROM t")
		done <- err
	}()
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after the lock is gone: %v", err)
	}
}
