package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a path can lead to that is no database to read.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database, err := os.ReadFile(create(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"))
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(database)
	copy(broken[100:], bytes.Repeat([]byte{0xff}, 400)) // the first b-tree page
	for _, tt := range []struct {
		name   string
		config map[string]any
		kind   sdk.Kind
		step   string // of the connection test that fails
	}{
		{"missing", map[string]any{"path": filepath.Join(folder, "missing.db")}, sdk.KindNotFound, "file"},
		{"in a missing folder", map[string]any{"path": filepath.Join(folder, "a", "b.db")}, sdk.KindNotFound, "file"},
		{"below a file", map[string]any{"path": filepath.Join(write(t, nil), "b.db")}, sdk.KindUnavailable, "file"},
		{"folder", map[string]any{"path": folder}, sdk.KindInvalid, "file"},
		{"device", map[string]any{"path": os.DevNull}, sdk.KindInvalid, "file"},
		{"text", map[string]any{"path": write(t, bytes.Repeat([]byte("no database "), 100))}, sdk.KindInvalid, "header"},
		{"short text", map[string]any{"path": write(t, []byte("x"))}, sdk.KindInvalid, "file"},
		{"encrypted", map[string]any{"path": write(t, bytes.Repeat([]byte{0x9e, 0x37, 0x79, 0xb9}, 2048))}, sdk.KindInvalid, "header"},
		{"corrupt", map[string]any{"path": write(t, broken)}, sdk.KindUnavailable, "header"},
		{"no path", map[string]any{}, sdk.KindInvalid, "config"},
		{"unknown key", map[string]any{"path": folder, "mode": "rw"}, sdk.KindInvalid, "config"},
		{"negative wait", map[string]any{"path": folder, "busy_seconds": -1}, sdk.KindInvalid, "config"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := sqlite.Connector().Open(t.Context(), request(t, tt.config))
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Kind != tt.kind || e.Retry {
				t.Fatalf("open: %#v", err)
			}
			if e.Hint == "" && tt.step != "config" {
				t.Errorf("no hint: %v", err)
			}
			steps := testConnection(t, tt.config)
			last := steps[len(steps)-1]
			if last.Name != tt.step || last.Err == nil || last.Err.Kind != tt.kind {
				t.Errorf("connection test: %+v", steps)
			}
		})
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func testConnection(t *testing.T, config map[string]any) (steps []sdk.TestStep) {
	t.Helper()
	err := sqlite.Connector().TestConnection(t.Context(), request(t, config), func(s sdk.TestStep) { steps = append(steps, s) })
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

func TestConnectionTest(t *testing.T) {
	t.Parallel()
	path := create(t, "CREATE TABLE t (x)", "CREATE VIEW v AS SELECT 1")
	before := snapshot(t, filepath.Dir(path))
	got := map[string]string{}
	for _, step := range testConnection(t, map[string]any{"path": path}) {
		if step.Err != nil || step.Warning {
			t.Errorf("step %s: %v", step.Name, step.Err)
		}
		got[step.Name] = step.Detail
	}
	delete(got, "file") // its size is SQLite's affair
	want := map[string]string{
		"config": "", "header": "SQLite 3 database, UTF-8, pages of 4096 bytes, journal mode delete", "read": "2 tables and views",
		"no_write": "file opened read-only, authorizer that allows only reads, query_only",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(before, snapshot(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}

// An empty file is an empty database: SQLite writes the first page with the
// first table.
func TestOpenEmptyFile(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, nil))
	if got := query(t, s, "SELECT count(*) FROM sqlite_schema").rows; got[0][0] != int64(0) {
		t.Errorf("got %v", got)
	}
}

func TestOpenUnreadable(t *testing.T) {
	t.Parallel()
	path := create(t)
	change(t, path, "CREATE TABLE t (x)")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("this user may read every file: the mapping is in TestFailed")
	}
	_, err := sqlite.Connector().Open(t.Context(), request(t, map[string]any{"path": path}))
	if sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("got %v", err)
	}
}

// A database in WAL mode shows what was committed, also what is in the WAL
// alone, while a writer goes on.
func TestWAL(t *testing.T) {
	t.Parallel()
	path := create(t, "PRAGMA journal_mode = wal", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
	count := func(s sdk.Session) any { return query(t, s, "SELECT count(*) FROM t").rows[0][0] }
	before := snapshot(t, filepath.Dir(path))
	if got := count(open(t, path)); got != int64(1) {
		t.Errorf("a closed database: %v rows", got)
	}
	after := snapshot(t, filepath.Dir(path))
	delete(after, filepath.Base(path)+"-wal")
	delete(after, filepath.Base(path)+"-shm")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	db := writable(t, path)
	if _, err := db.ExecContext(t.Context(), "INSERT INTO t VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if got := count(s); got != int64(2) {
		t.Errorf("with a WAL: %v rows", got)
	}
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO t VALUES (3)"); err != nil {
		t.Fatal(err)
	}
	if got := count(s); got != int64(2) {
		t.Errorf("beside a writer: %v rows", got)
	}
	if _, err := db.ExecContext(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if got := count(s); got != int64(3) {
		t.Errorf("after the commit: %v rows", got)
	}
}

// A file that was replaced, as a nightly export does it, is read from the next
// call on; without one the call says so instead of showing what is gone.
func TestReplacedFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows replaces no file that is open")
	}
	path := create(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES ('old')")
	s := open(t, path)
	if got := query(t, s, "SELECT x FROM t").rows[0][0]; got != "old" {
		t.Fatalf("before: %v", got)
	}
	if err := os.Rename(create(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES ('new')"), path); err != nil {
		t.Fatal(err)
	}
	if got := query(t, s, "SELECT x FROM t").rows[0][0]; got != "new" {
		t.Errorf("after the file was replaced: %v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT x FROM t"})
	if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindNotFound || e.Hint == "" {
		t.Errorf("after the file was removed: %v", err)
	}
}

// A lock that does not go away is a conflict that may be repeated, after the
// configured wait and no longer than the caller waits.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := create(t, "CREATE TABLE t (x)")
	patient := openWith(t, map[string]any{"path": path, "busy_seconds": 600})
	hasty := openWith(t, map[string]any{"path": path, "busy_seconds": 0})
	db := writable(t, path)
	if _, err := db.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	_, _, err := execute(t.Context(), hasty, sdk.ExecuteRequest{SQL: "SELECT * FROM t"})
	if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindConflict || !e.Retry || e.Code != "5" || e.Hint == "" {
		t.Errorf("locked: %#v", err)
	}
	_, _, err = execute(t.Context(), patient, sdk.ExecuteRequest{SQL: "SELECT * FROM t", Limits: sdk.Limits{Timeout: 50 * time.Millisecond}})
	if sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("locked for longer than the statement may take: %v", err)
	}
	_, err = sqlite.Connector().Open(t.Context(), request(t, map[string]any{"path": path, "busy_seconds": 0}))
	if sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("opening a locked file: %v", err)
	}
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	query(t, hasty, "SELECT * FROM t")
	query(t, patient, "SELECT * FROM t")
}

// A journal that a crashed writer left must be rolled back before anybody can
// read; a connector that only reads says so instead of showing half a
// transaction.
func TestHotJournal(t *testing.T) {
	t.Parallel()
	path := create(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
	db := writable(t, path)
	for _, statement := range []string{"PRAGMA cache_size = 1", "PRAGMA cache_spill = 1", "BEGIN IMMEDIATE", `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
		INSERT INTO t SELECT printf('%0500d', i) FROM n`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	crashed := filepath.Join(t.TempDir(), "crashed.db") // what a crash would leave on disk
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(crashed+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, filepath.Dir(crashed))
	_, err := sqlite.Connector().Open(t.Context(), request(t, map[string]any{"path": crashed}))
	if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindUnavailable || e.Retry || e.Hint == "" {
		t.Errorf("got %#v", err)
	}
	if diff := cmp.Diff(before, snapshot(t, filepath.Dir(crashed))); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}

func TestServerInfo(t *testing.T) {
	t.Parallel()
	path := create(t, "CREATE TABLE t (x)")
	got := open(t, path).Server()
	want := sdk.ServerInfo{
		Product: "SQLite", Version: got.Version, Database: filepath.Base(path), ReadOnly: sdk.ReadOnlyEngine,
		ReadOnlyMechanism: "file opened read-only, authorizer that allows only reads, query_only",
	}
	if diff := cmp.Diff(want, got); diff != "" || got.Version == "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		config map[string]any
		path   string // of the finding
	}{
		{"fine", map[string]any{"path": "/data/x.db", "busy_seconds": 1, "double_quoted_strings": true}, ""},
		{"missing", map[string]any{}, "path"},
		{"too long a wait", map[string]any{"path": "/data/x.db", "busy_seconds": 601}, "busy_seconds"},
	} {
		found := sqlite.Connector().Diagnose(request(t, tt.config).Config)
		if tt.path == "" && len(found) > 0 || tt.path != "" && (len(found) != 1 || found[0].Path != tt.path) {
			t.Errorf("%s: %+v", tt.name, found)
		}
	}
}

func TestCloseEndsStatements(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE t (x)"))
	started := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		r := &result{}
		w := sdk.NewRowWriter(&signal{result: r, first: started}, sdk.Limits{})
		done <- s.Execute(context.Background(), sdk.ExecuteRequest{SQL: "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"}, w)
	}()
	<-started
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("got %v", err)
	}
}

// signal tells of the first batch and forgets it.
type signal struct {
	*result
	first chan struct{}
	told  bool
}

func (s *signal) Batch(*sdk.Batch) error {
	if !s.told {
		s.told = true
		close(s.first)
	}
	return nil
}
