//go:build cgo

package duckdb_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk"
)

var items = []string{"CREATE TABLE items (id INTEGER, label VARCHAR)", "INSERT INTO items SELECT i, 'item ' || i FROM range(10) t(i)"}

// openFails opens what must not open, and returns how.
func openFails(t *testing.T, config map[string]any) *sdk.Error {
	t.Helper()
	s, err := duckdb.Connector().Open(t.Context(), request(t, config))
	if err == nil {
		t.Fatal("it opens", s.Close(t.Context()))
	}
	return sdk.AsError(err, sdk.SourceConnector)
}

func TestOpenSaysWhatIsWrongWithAFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	garbage := strings.Repeat("garbage ", 4096)
	// Two cases, two files: sessions with other settings share none, and the cases run at once.
	write(t, folder, map[string]string{"garbage.duckdb": garbage, "attached.duckdb": garbage, "empty.duckdb": "", "future.duckdb": "", "whole.csv": "a\n1\n"})
	whole, err := os.ReadFile(create(t, items...))
	if err != nil {
		t.Fatal(err)
	}
	torn := append([]byte{}, whole...)
	torn[5000] ^= 0xff
	future := append([]byte{}, whole...)
	future[12] = 0xff // the storage version, behind the magic bytes
	logged, wal := leaveWAL(t)
	wal[len(wal)-1] ^= 0xff
	write(t, folder, map[string]string{"torn.duckdb": string(torn), "future.duckdb": string(future), "wal.duckdb": string(logged), "wal.duckdb.wal": string(wal)})
	for name, c := range map[string]struct {
		config map[string]any
		kind   sdk.Kind
		text   string
	}{
		"missing":          {map[string]any{"path": filepath.Join(folder, "none.duckdb")}, sdk.KindNotFound, "there is no file"},
		"folder":           {map[string]any{"path": folder}, sdk.KindInvalid, "is a folder"},
		"no database":      {map[string]any{"path": filepath.Join(folder, "garbage.duckdb")}, sdk.KindInvalid, "not a valid DuckDB"},
		"empty":            {map[string]any{"path": filepath.Join(folder, "empty.duckdb")}, sdk.KindInvalid, "not a valid DuckDB"},
		"torn":             {map[string]any{"path": filepath.Join(folder, "torn.duckdb")}, sdk.KindInvalid, "checksum"},
		"newer version":    {map[string]any{"path": filepath.Join(folder, "future.duckdb")}, sdk.KindInvalid, ""},
		"broken WAL":       {map[string]any{"path": filepath.Join(folder, "wal.duckdb")}, sdk.KindInvalid, "WAL"},
		"missing folder":   {map[string]any{"folders": []string{filepath.Join(folder, "none")}}, sdk.KindNotFound, "there is no folder"},
		"file as a folder": {map[string]any{"folders": []string{filepath.Join(folder, "whole.csv")}}, sdk.KindInvalid, "is no folder"},
		"attached garbage": {map[string]any{"path": filepath.Join(folder, "attached.duckdb"), "folders": []string{folder}}, sdk.KindInvalid, "not a valid DuckDB"},
		"nothing":          {map[string]any{}, sdk.KindInvalid, "neither path nor folders"},
		"threads":          {map[string]any{"path": folder, "threads": 0}, sdk.KindInvalid, "threads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := openFails(t, c.config)
			if e.Kind != c.kind || !strings.Contains(e.Msg, c.text) || e.Hint == "" {
				t.Errorf("%s: %v (hint %q), want %s with %q", e.Kind, e, e.Hint, c.kind, c.text)
			}
		})
	}
}

// holder is the name of the variable that makes this program hold a file open.
const holder = "LOAM_TEST_HOLD_DUCKDB"

// TestHoldsAFile is no test: it is the other process of TestLockedFile.
func TestHoldsAFile(t *testing.T) {
	path := os.Getenv(holder)
	if path == "" {
		t.Skip("only as the other process of TestLockedFile")
	}
	db := outside(t, path, "")
	column(t, db, "SELECT count(*) FROM items")
	if _, err := os.Stdout.WriteString("open\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // until the parent lets go, or dies
		t.Fatal(err)
	}
}

// A file that another process has open to write is refused with who holds it,
// and opens once that process is gone.
func TestLockedFile(t *testing.T) {
	t.Parallel()
	path := create(t, items...)
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHoldsAFile$")
	other.Env = append(os.Environ(), holder+"="+path)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 5)
	if _, err := io.ReadFull(iotest.OneByteReader(out), first); err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]map[string]any{
		"alone": {"path": path}, "beside folders": {"path": path, "folders": []string{t.TempDir()}},
	} {
		e := openFails(t, config)
		if e.Kind != sdk.KindConflict || !e.Retry || !strings.Contains(e.Msg, strconv.Itoa(other.Process.Pid)) || !strings.Contains(e.Msg, filepath.Base(os.Args[0])) {
			t.Errorf("%s: %s, retry %t: %v; want conflict with the program and process %d", name, e.Kind, e.Retry, e, other.Process.Pid)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := query(t, open(t, path), "SELECT count(*) FROM items").rows[0][0]; got != int64(10) {
		t.Errorf("%v items", got)
	}
}

// A database that nobody asks for lets go of its file.
func TestIdleDatabaseLetsWritersIn(t *testing.T) {
	t.Parallel()
	path := create(t, items...)
	req := request(t, map[string]any{"path": path})
	req.IdleTimeout = time.Millisecond
	s, err := duckdb.Connector().Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for {
		writer := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHoldsAFile$")
		writer.Env = append(os.Environ(), holder+"="+path)
		if writer.Run() == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("another process never gets the lock")
		}
	}
	if got := query(t, s, "SELECT count(*) FROM items").rows[0][0]; got != int64(10) {
		t.Errorf("%v items after the pause", got)
	}
	if err := errors.Join(s.Close(t.Context()), s.Close(t.Context())); err != nil {
		t.Error(err)
	}
}

// leaveWAL returns a database and the log of a row that is not in it yet.
func leaveWAL(t *testing.T) (data, wal []byte) {
	t.Helper()
	path := create(t, items...)
	db := outside(t, path, "")
	for _, statement := range []string{"PRAGMA disable_checkpoint_on_shutdown", "INSERT INTO items VALUES (99, 'late')"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if wal, err = os.ReadFile(path + ".wal"); err != nil {
		t.Fatal(err)
	}
	return data, wal
}

// Statements that were committed and not yet checkpointed are read from the WAL.
func TestLeftoverWAL(t *testing.T) {
	t.Parallel()
	data, before := leaveWAL(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "shop.duckdb")
	write(t, folder, map[string]string{"shop.duckdb": string(data), "shop.duckdb.wal": string(before)})
	s := open(t, path)
	if got := query(t, s, "SELECT count(*) FROM items").rows[0][0]; got != int64(11) {
		t.Errorf("%v items, want those of the WAL too", got)
	}
	if after, err := os.ReadFile(path + ".wal"); err != nil || string(after) != string(before) {
		t.Errorf("the WAL changed (%v)", err)
	}
}

// What is read is the file that is at the path now.
func TestReplacedFile(t *testing.T) {
	t.Parallel()
	path := create(t, items...)
	s := open(t, path)
	query(t, s, "SELECT count(*) FROM items")
	if err := os.Rename(create(t, "CREATE TABLE items AS SELECT 1 AS id"), path); err != nil {
		t.Fatal(err)
	}
	if got := query(t, s, "SELECT count(*) FROM items").rows[0][0]; got != int64(1) {
		t.Errorf("%v items, want 1 of the new file", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if e := refused(t, s, "SELECT 1"); e.Kind != sdk.KindNotFound {
		t.Errorf("a removed file: %v", e)
	}
}

// Sessions of one process share a database; one with other settings would take
// the lock from it.
func TestTwoSessionsOfOneFile(t *testing.T) {
	t.Parallel()
	path := create(t, items...)
	first, err := duckdb.Connector().Open(t.Context(), request(t, map[string]any{"path": path}))
	if err != nil {
		t.Fatal(err)
	}
	second := open(t, path)
	if e := openFails(t, map[string]any{"path": path, "threads": 1}); e.Kind != sdk.KindConflict || e.Hint == "" {
		t.Errorf("other settings: %v", e)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := query(t, second, "SELECT count(*) FROM items").rows[0][0]; got != int64(10) {
		t.Errorf("%v items", got)
	}
}

// An unknown function or type makes DuckDB look for an extension on the
// network, unless that is off before anything runs.
func TestUnknownNamesCauseNoRequest(t *testing.T) {
	var requests atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	s := open(t, create(t, items...))
	for _, sql := range []string{
		"SELECT st_area('x')", "SELECT nothing_like_it(1)", "FROM delta_scan('x')", "SELECT * FROM 's3://bucket/x.parquet'",
		"SELECT excel_text(1, 'x')", "SELECT 1::INET", "FROM iceberg_metadata('x')", "LOAD spatial", "INSTALL spatial", "ATTACH 'x' (TYPE sqlite)",
	} {
		if e := refused(t, s, sql); strings.Contains(e.Msg, "HTTP") {
			t.Errorf("%s: %v", sql, e)
		}
	}
	for setting, want := range map[string]string{
		"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "allow_community_extensions": "false",
		"enable_external_access": "false", "lock_configuration": "true", "access_mode": "read_only", "temp_directory": "",
	} {
		if got := query(t, s, "SELECT current_setting('"+setting+"')::VARCHAR").rows[0][0]; got != want {
			t.Errorf("%s is %v, want %s", setting, got, want)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests to the network", n)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"orders.csv": "id\n1\n", "bad.parquet": "no parquet"})
	for name, c := range map[string]struct {
		config map[string]any
		steps  string
	}{
		"file":         {map[string]any{"path": create(t, items...)}, "config file open read no_write"},
		"folder":       {map[string]any{"folders": []string{folder}}, "config file open read! no_write"},
		"missing file": {map[string]any{"path": filepath.Join(folder, "none")}, "config file:not_found"},
		"config":       {map[string]any{"path": folder, "threads": -1}, "config:invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []string
			err := duckdb.Connector().TestConnection(t.Context(), request(t, c.config), func(step sdk.TestStep) {
				word := step.Name
				if step.Warning {
					word += "!"
				}
				if step.Err != nil {
					word += ":" + string(step.Err.Kind)
				} else if step.Name != "config" && step.Detail == "" {
					t.Errorf("step %s found nothing", step.Name)
				}
				steps = append(steps, word)
			})
			if got := strings.Join(steps, " "); err != nil || got != c.steps {
				t.Errorf("steps %q, %v; want %q", got, err, c.steps)
			}
		})
	}
}
