package store

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

func TestOpenMakesPrivateFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	path := statePath(t)
	dir := filepath.Dir(path)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, path)
	want := map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600}
	for name, mode := range want {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			t.Errorf("%s has mode %o, want %o", filepath.Base(name), got, mode)
		}
	}
}

func TestOpenTakesAnyFolderName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with space", "a?b", "a#b", "100%", "a%20b", "données", "a&_pragma=synchronous(OFF)"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name, "state.db")
			mustOpen(t, path)
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("the store is not where it was asked for: %v, %v", info, err)
			}
		})
	}
}

func TestEveryConnectionHasItsSettings(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	tests := []struct {
		name   string
		db     *sql.DB
		pragma string
		want   string
	}{
		{"writer waits", s.write, "busy_timeout", "10000"},
		{"writer logs ahead", s.write, "journal_mode", "wal"},
		{"writer overwrites what it deletes", s.write, "secure_delete", "1"},
		{"writer syncs", s.write, "synchronous", "1"},
		{"reader waits", s.read, "busy_timeout", "10000"},
		{"reader reads the log", s.read, "journal_mode", "wal"},
		{"reader only reads", s.read, "query_only", "1"},
	}
	for _, tt := range tests {
		var got string
		if err := tt.db.QueryRowContext(t.Context(), "PRAGMA "+tt.pragma).Scan(&got); err != nil || got != tt.want {
			t.Errorf("%s: PRAGMA %s is %s, %v; want %s", tt.name, tt.pragma, got, err, tt.want)
		}
	}
	if _, err := s.read.ExecContext(t.Context(), "DELETE FROM connection_state"); err == nil {
		t.Error("a reader wrote")
	}
}

func TestSettingThatDidNotTakeIsAnError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pragma pragma
		want   string
	}{
		{"number", pragma{"synchronous", "NORMAL", 2}, "PRAGMA synchronous is 1 instead of 2"},
		{"word", pragma{"journal_mode", "DELETE", modeWAL}, "PRAGMA journal_mode is delete instead of wal"},
		{"unknown name", pragma{"no_such_setting", "1", 1}, "PRAGMA no_such_setting is <nil> instead of 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.db")
			if err := prepare(path); err != nil {
				t.Fatal(err)
			}
			db := pool(path, role{txlock: "deferred", pragmas: []pragma{tt.pragma}})
			defer func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			}()
			if err := db.PingContext(t.Context()); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestTransactionsOfTheWriterBeginImmediate(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	s := mustOpen(t, path)
	tx, err := s.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	impatient := pool(path, role{txlock: "immediate", pragmas: []pragma{{"busy_timeout", "0", 0}}})
	_, err = impatient.BeginTx(t.Context(), nil)
	if e := sdk.AsError(explain("write", path, err), sdk.SourceHost); e == nil || e.Kind != sdk.KindConflict || !e.Retry || e.Hint == "" {
		t.Errorf("a second writer got %+v, want a retryable conflict with a hint", e)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	if err := impatient.Close(); err != nil {
		t.Error(err)
	}
}

func TestDamagedFileIsAnError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		damage func(t *testing.T, path string)
	}{
		{"no database", func(t *testing.T, path string) {
			write(t, path, []byte(strings.Repeat("this is no database. ", 1000)))
		}},
		{"short text", func(t *testing.T, path string) { write(t, path, []byte("{}")) }},
		{"cut off", func(t *testing.T, path string) {
			if err := os.Truncate(path, 5000); err != nil {
				t.Fatal(err)
			}
		}},
		{"overwritten pages", func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 4096; i < len(content); i++ {
				content[i] = 0xa5
			}
			write(t, path, content)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := statePath(t)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.PutOpened(t.Context(), "warehouse", "f", sdk.ServerInfo{Product: "P"}, at); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			tt.damage(t, path)
			_, err = Open(t.Context(), path)
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindUnavailable || !strings.Contains(e.Hint, path+"-wal") {
				t.Fatalf("Open of a damaged file: %+v, want KindUnavailable with the files to move", e)
			}
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Rename(path+suffix, path+suffix+".bad"); err != nil && suffix == "" {
					t.Fatal(err)
				}
			}
			wantWhole(t, mustOpen(t, path)) // the hint works
		})
	}
}

func TestDamageBehindTheOpenPagesIsAnError(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		name := strings.Repeat("x", 100) + string(rune('a'+i))
		if err := s.PutOpened(t.Context(), name, "f", sdk.ServerInfo{Product: name}, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(content) - 3*4096; i < len(content); i++ {
		content[i] = 0xa5
	}
	write(t, path, content)
	s = mustOpen(t, path)
	if err := s.Check(t.Context()); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("Check of a damaged file: %v", err)
	}
}

func TestEmptyFileIsANewStore(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, nil)
	wantWhole(t, mustOpen(t, path))
}

func TestOpenWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	if _, err := Open(t.Context(), filepath.Join(file, "state.db")); err == nil {
		t.Error("a store inside a file was opened")
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not bind this user")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), filepath.Join(dir, ".loam", "state.db"))
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindDenied || e.Hint == "" {
		t.Errorf("Open in a read-only folder: %+v", e)
	}
}

func TestNetworkFileSystemIsRefused(t *testing.T) {
	t.Parallel()
	err := refuseNetwork("/mnt/team", func(string) (string, bool) { return "NFS", true })
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindUnsupported || !strings.Contains(e.Msg, "NFS") {
		t.Errorf("NFS: %+v", e)
	}
	if err := refuseNetwork(t.TempDir(), networkFileSystem); err != nil {
		t.Errorf("a local folder: %v", err)
	}
}

func TestCanceledOpen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, statePath(t)); sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("Open with a cancelled context: %v", err)
	}
}

func TestLazy(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	l := NewLazy(path)
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("a lazy store was made before it was needed")
	}
	write(t, filepath.Dir(path), nil) // a file where the folder should be
	if _, err := l.Get(t.Context()); err == nil {
		t.Fatal("the store opened inside a file")
	}
	if err := os.Remove(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	first, err := l.Get(t.Context())
	if err != nil {
		t.Fatalf("a failed opening was kept: %v", err)
	}
	if second, err := l.Get(t.Context()); err != nil || second != first {
		t.Errorf("the second Get opened again: %v", err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := l.Get(t.Context()); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("Get after Close: %v", err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyFileSystemIsDenied(t *testing.T) {
	t.Parallel()
	err := explain("open", "/project/.loam/state.db", &fs.PathError{Op: "mkdir", Path: "/project/.loam", Err: syscall.EROFS})
	if e := sdk.AsError(err, sdk.SourceHost); e.Kind != sdk.KindDenied || e.Hint == "" {
		t.Errorf("a read-only file system: %+v, want denied with a hint", e)
	}
}

// A copy of a store that cannot be written is read, and refuses to be written as the
// original would.
func TestCopyTakesNoWrites(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	const print = "0123456789abcdef0123456789abcdef"
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := mustOpen(t, path)
	if err := s.PutOpened(t.Context(), "warehouse", print, sdk.ServerInfo{Product: "PostgreSQL"}, at); err != nil {
		t.Fatal(err)
	}
	lazy := NewCopy(path, "/project/.loam/state.db")
	frozen, err := lazy.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := frozen.ConnectionState(t.Context(), "warehouse", print); err != nil || !found.OpenedAt.Equal(at) {
		t.Errorf("the copy has %+v (%v)", found, err)
	}
	e := sdk.AsError(frozen.PutOpened(t.Context(), "warehouse", print, sdk.ServerInfo{}, at), sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Hint, "writable") || !strings.Contains(e.Msg, "/project/.loam/state.db") {
		t.Errorf("a write of the copy: %+v", e)
	}
	if err := lazy.Close(); err != nil {
		t.Error(err)
	}
}
