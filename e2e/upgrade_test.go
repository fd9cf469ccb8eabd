package e2e

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inState runs statements on the state store of a project.
func inState(t *testing.T, dir, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, ".loam", "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestUpgrade keeps the promises of docs/upgrade.md: a state of every schema is opened and
// keeps its history, a derived file of an unknown format is made again, and a state of the
// future is refused and left as it is.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob("../host/internal/store/testdata/released/*.sql")
	if err != nil || len(dumps) < 6 {
		t.Fatalf("the released schemas are %v (%v)", dumps, err)
	}
	if testing.Short() {
		t.Log("-short: the states of all schemas but the first")
		dumps = dumps[:1]
	}
	source := demoProject(t)
	if scanned := loam(t, source, "scan", "shop"); scanned.code != 0 {
		t.Fatal(scanned.stderr)
	}
	for _, dump := range dumps {
		t.Run(strings.TrimSuffix(filepath.Base(dump), ".sql"), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"state.db", "state.db-wal", "state.db-shm"} {
				if err := os.RemoveAll(filepath.Join(dir, ".loam", file)); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(dump)
			if err != nil {
				t.Fatal(err)
			}
			inState(t, dir, string(text))
			segments, err := filepath.Glob(filepath.Join(dir, ".loam", "index", "*"))
			if err != nil || len(segments) == 0 {
				t.Fatalf("the index is %v (%v)", segments, err)
			}
			for _, segment := range segments {
				if info, err := os.Stat(segment); err == nil && info.Mode().IsRegular() {
					if err := os.WriteFile(segment, []byte("LOAMSEG\x00\xff\x00\x00\x00 of a format of the future"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			if found := loam(t, dir, "search", "orders"); found.code != 0 || !strings.Contains(found.stdout, "orders") {
				t.Errorf("search: exit %d\n%s%s", found.code, found.stdout, found.stderr)
			}
			listed := loam(t, dir, "history", "--json")
			var history struct{ Calls []map[string]any }
			if err := json.Unmarshal([]byte(listed.stdout), &history); err != nil || listed.code != 0 {
				t.Fatalf("history: exit %d, %v\n%s%s", listed.code, err, listed.stdout, listed.stderr)
			}
			if kept := strings.Contains(string(text), "INSERT INTO \"tool_call\""); kept != (len(history.Calls) > 0) {
				t.Errorf("the history has %d calls; the file from before has some: %v", len(history.Calls), kept)
			}
		})
	}
	t.Run("of the future", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
		if listed := loam(t, dir, "history"); listed.code != 0 { // makes the store
			t.Fatal(listed.stderr)
		}
		inState(t, dir, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)")
		refused := loam(t, dir, "history")
		if refused.code == 0 || !strings.Contains(refused.stderr, "newer Loam") || !strings.Contains(refused.stderr, "upgrade loam") {
			t.Errorf("exit %d\n%s", refused.code, refused.stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, ".loam", "state.db")); err != nil {
			t.Error(err)
		}
	})
}
