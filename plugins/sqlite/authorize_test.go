package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk/readonly"
)

// inventory runs a query on an empty database, around the connector.
func inventory(t *testing.T, query string) (names []string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "empty.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("%d names, %v", len(names), err)
	}
	return names
}

// The library's functions that are not marked as innocuous, its modules and its
// pragmas are all known here: when a newer library brings more, somebody has to
// look at each and decide.
func TestInventory(t *testing.T) {
	harmlessFunctions := set(
		"bm25", "fts5", "fts5_get_locale", "highlight", "match", "snippet", // need a full-text table to work on
		"geopoly_debug", "rtreecheck", "rtreedepth", "rtreenode", // look into an R-tree
	)
	innocuous := fmt.Sprint(sqlite3.SQLITE_INNOCUOUS)
	for _, name := range inventory(t, "SELECT DISTINCT name FROM pragma_function_list WHERE flags & "+innocuous+" = 0") {
		if !harmlessFunctions[name] && !deniedFunctions[name] {
			t.Errorf("function %s is neither known as harmless nor denied", name)
		}
	}
	modules := set("dbstat", "fts5", "fts5vocab", "geopoly", "rtree", "rtree_i32", "json_each", "json_tree", "jsonb_each", "jsonb_tree", "pragma_module_list")
	for _, name := range inventory(t, "SELECT name FROM pragma_module_list") {
		if !modules[name] && !deniedTables[name] {
			t.Errorf("module %s is neither known as harmless nor denied", name)
		}
	}
	known := map[string]bool{}
	for _, name := range inventory(t, "SELECT name FROM pragma_pragma_list") {
		known[name] = true
	}
	for _, list := range []map[string]bool{readingPragmas, readingSettings} {
		for name := range list {
			if !known[name] {
				t.Errorf("there is no pragma %s", name)
			}
		}
	}
}

// What the authorizer lets a PRAGMA read, the guard accepts.
func TestGuardAcceptsWhatTheAuthorizerDoes(t *testing.T) {
	t.Parallel()
	d := &Dialects()[0]
	for _, list := range []map[string]bool{readingPragmas, readingSettings} {
		for name := range list {
			if err := readonly.Check("PRAGMA "+name, d); err != nil && name != "writable_schema" { // which full-text tables ask for
				t.Error(err)
			}
		}
	}
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		a    engine.Action
		want bool
	}{
		{"select", engine.Action{Code: sqlite3.SQLITE_SELECT}, true},
		{"recursive", engine.Action{Code: sqlite3.SQLITE_RECURSIVE}, true},
		{"read", engine.Action{Code: sqlite3.SQLITE_READ, Arg1: "t", Arg2: "x"}, true},
		{"read the schema", engine.Action{Code: sqlite3.SQLITE_READ, Arg1: "sqlite_master"}, true},
		{"read raw pages", engine.Action{Code: sqlite3.SQLITE_READ, Arg1: "SQLITE_dbpage"}, false},
		{"function", engine.Action{Code: sqlite3.SQLITE_FUNCTION, Arg2: "upper"}, true},
		{"load extension", engine.Action{Code: sqlite3.SQLITE_FUNCTION, Arg2: "LOAD_extension"}, false},
		{"pragma that tells", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "TABLE_info", Arg2: "t", HasArg2: true}, true},
		{"setting read", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "user_version"}, true},
		{"setting set", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "user_version", Arg2: "1", HasArg2: true}, false},
		{"setting set to nothing", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "user_version", HasArg2: true}, false},
		{"integrity check", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "integrity_check", Arg2: "10", HasArg2: true}, true},
		{"journal mode read", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "journal_mode"}, true},
		{"journal mode set", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "journal_mode", Arg2: "wal", HasArg2: true}, false},
		{"optimize", engine.Action{Code: sqlite3.SQLITE_PRAGMA, Arg1: "optimize"}, false},
		{"attach", engine.Action{Code: sqlite3.SQLITE_ATTACH, Arg1: "x"}, false},
		{"transaction", engine.Action{Code: sqlite3.SQLITE_TRANSACTION, Arg1: "BEGIN"}, false},
		{"insert", engine.Action{Code: sqlite3.SQLITE_INSERT, Arg1: "t"}, false},
		{"unknown", engine.Action{Code: 12345}, false},
	} {
		if got := authorize(tt.a); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// Everything that the authorizer refuses has words.
func TestActionsHaveWords(t *testing.T) {
	t.Parallel()
	allowed := map[int32]bool{sqlite3.SQLITE_SELECT: true, sqlite3.SQLITE_READ: true, sqlite3.SQLITE_FUNCTION: true, sqlite3.SQLITE_RECURSIVE: true}
	const copied = 0 // SQLITE_COPY, not in use
	for code := int32(copied + 1); code <= sqlite3.SQLITE_RECURSIVE; code++ {
		if actions[code] == "" && !allowed[code] {
			t.Errorf("action %d has no words", code)
		}
	}
}
