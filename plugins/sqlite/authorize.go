package sqlite

import (
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
)

// readingPragmas are the pragmas that only tell, whatever their argument: the
// table-valued pragma functions run them.
var readingPragmas = set(
	"collation_list", "compile_options", "database_list", "foreign_key_check", "foreign_key_list", "function_list", "index_info", "index_list", "index_xinfo",
	"integrity_check", "module_list", "pragma_list", "quick_check", "table_info", "table_list", "table_xinfo",
)

// readingSettings are the pragmas that only tell as long as they have no
// argument. Full-text and R-tree tables ask for some of them themselves.
var readingSettings = set(
	"application_id", "auto_vacuum", "cache_size", "data_version", "encoding", "foreign_keys", "freelist_count", "journal_mode",
	"max_page_count", "page_count", "page_size", "query_only", "read_uncommitted", "schema_version", "synchronous", "temp_store",
	"user_version", "writable_schema",
)

// deniedTables reach around the rules: raw pages of the file.
var deniedTables = set("sqlite_dbpage")

// deniedFunctions do more than compute. Most of them are not even compiled in;
// they stay on the list for the day they are.
var deniedFunctions = set(
	"edit", "fts3_tokenizer", "load_extension", "readfile", "sqlite_log", "writefile",
)

func set(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// authorize allows what reads, and nothing else. It is the boundary of the
// connector: everything SQLite can do is asked for here, while a statement is
// compiled, whatever its text looks like.
func authorize(a engine.Action) bool {
	switch a.Code {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		return true
	case sqlite3.SQLITE_READ:
		return !deniedTables[strings.ToLower(a.Arg1)]
	case sqlite3.SQLITE_FUNCTION:
		return !deniedFunctions[strings.ToLower(a.Arg2)]
	case sqlite3.SQLITE_PRAGMA:
		name := strings.ToLower(a.Arg1)
		return readingPragmas[name] || readingSettings[name] && !a.HasArg2
	default:
		return false
	}
}

// actions says what a statement wanted to do, in words. %s is the action's
// first argument.
// Source: https://sqlite.org/c3ref/c_alter_table.html
var actions = map[int32]string{
	sqlite3.SQLITE_CREATE_INDEX:        "create the index %s",
	sqlite3.SQLITE_CREATE_TABLE:        "create the table %s",
	sqlite3.SQLITE_CREATE_TEMP_INDEX:   "create the temporary index %s",
	sqlite3.SQLITE_CREATE_TEMP_TABLE:   "create the temporary table %s",
	sqlite3.SQLITE_CREATE_TEMP_TRIGGER: "create the temporary trigger %s",
	sqlite3.SQLITE_CREATE_TEMP_VIEW:    "create the temporary view %s",
	sqlite3.SQLITE_CREATE_TRIGGER:      "create the trigger %s",
	sqlite3.SQLITE_CREATE_VIEW:         "create the view %s",
	sqlite3.SQLITE_CREATE_VTABLE:       "create the virtual table %s",
	sqlite3.SQLITE_DELETE:              "delete from %s",
	sqlite3.SQLITE_DROP_INDEX:          "drop the index %s",
	sqlite3.SQLITE_DROP_TABLE:          "drop the table %s",
	sqlite3.SQLITE_DROP_TEMP_INDEX:     "drop the temporary index %s",
	sqlite3.SQLITE_DROP_TEMP_TABLE:     "drop the temporary table %s",
	sqlite3.SQLITE_DROP_TEMP_TRIGGER:   "drop the temporary trigger %s",
	sqlite3.SQLITE_DROP_TEMP_VIEW:      "drop the temporary view %s",
	sqlite3.SQLITE_DROP_TRIGGER:        "drop the trigger %s",
	sqlite3.SQLITE_DROP_VIEW:           "drop the view %s",
	sqlite3.SQLITE_DROP_VTABLE:         "drop the virtual table %s",
	sqlite3.SQLITE_INSERT:              "insert into %s",
	sqlite3.SQLITE_UPDATE:              "update %s",
	sqlite3.SQLITE_PRAGMA:              "run the pragma %s",
	sqlite3.SQLITE_TRANSACTION:         "control a transaction (%s)",
	sqlite3.SQLITE_SAVEPOINT:           "control a savepoint (%s)",
	sqlite3.SQLITE_ATTACH:              "attach the file %s",
	sqlite3.SQLITE_DETACH:              "detach the database %s",
	sqlite3.SQLITE_ALTER_TABLE:         "alter a table of the database %s",
	sqlite3.SQLITE_REINDEX:             "rebuild the index %s",
	sqlite3.SQLITE_ANALYZE:             "write statistics about %s",
}
