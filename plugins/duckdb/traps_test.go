//go:build cgo

package duckdb_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// The database/sql driver runs "BEGIN" of this text before it shows what the
// last statement is; here nothing runs, and the next statement is not in a
// transaction.
func TestPrepareRunsNothing(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, items...))
	for _, sql := range []string{"BEGIN; SELECT 1", "SET VARIABLE x = 1; SELECT 1", "CREATE TEMP TABLE x AS SELECT 1; SELECT 1", "USE temp; SELECT 1"} {
		if e := refused(t, s, sql); e.Kind != sdk.KindNotReadOnly || e.Pos.IsZero() {
			t.Errorf("%s: %v", sql, e)
		}
	}
	r := query(t, s, "SELECT getvariable('x') IS NULL, (SELECT count(*) FROM duckdb_tables() WHERE temporary), current_schema()")
	if r.rows[0][0] != true || r.rows[0][1] != int64(0) || r.rows[0][2] != "main" {
		t.Errorf("the session has %v", r.rows[0])
	}
}

// Statements that a read-only database runs, and only the engine's word for
// what they are stops.
func TestStatementTypeIsSelect(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, items...))
	for _, sql := range []string{
		"CREATE TEMP TABLE x (a INTEGER)", "CREATE TEMP VIEW items AS SELECT 7", "USE temp", "SET schema = 'temp'", "SET VARIABLE a = 1", "RESET VARIABLE a",
		"PREPARE p AS SELECT 1", "DEALLOCATE p", "BEGIN", "COMMIT", "CHECKPOINT", "VACUUM", "ANALYZE", "DETACH temp", "LOAD json", "INSTALL json",
		"CALL pragma_version()", "CALL enable_profiling()", "PRAGMA enable_profiling", "PRAGMA enable_verification", "PRAGMA disable_optimizer", "PRAGMA threads = 1",
		"SET threads = 1", "SET enable_external_access = true", "INSERT INTO items VALUES (1, 'x')", "EXPLAIN ANALYZE INSERT INTO items VALUES (1, 'x')", "EXPLAIN (ANALYZE) DELETE FROM items", "explain (format json, analyze) update items set id = 1",
		"EXPLAIN INSERT INTO items VALUES (1, 'x')", "EXPLAIN CREATE TEMP TABLE x (a INTEGER)", "EXPLAIN CHECKPOINT", "IMPORT DATABASE 'x'",
		"COPY items TO 'x.csv'", "EXPORT DATABASE 'x'", "ATTACH ':memory:' AS x", "COMMENT ON TABLE items IS 'x'", "EXECUTE p", "UPDATE EXTENSIONS",
		"PIVOT (INSERT INTO items VALUES (9, 'x') RETURNING *) ON id USING count(*)", "PRAGMA table_info('items'); PIVOT items ON id USING count(*)",
	} {
		if e := refused(t, s, sql); e.Kind != sdk.KindNotReadOnly && e.Kind != sdk.KindDenied && e.Kind != sdk.KindSyntax {
			t.Errorf("%s: %s %v", sql, e.Kind, e)
		}
	}
	for _, sql := range []string{
		"SHOW TABLES", "SHOW items", "DESCRIBE items", "DESC items", "SUMMARIZE items", "FROM items", "TABLE items", "VALUES (1)", "(SELECT 1)", "PRAGMA table_info('items')", "PRAGMA version",
		"PIVOT items ON id IN (1, 2) USING count(*)", "EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "EXPLAIN (ANALYZE) SELECT 1", "explain (format json, analyze) select 1", "EXPLAIN (SELECT 1)",
		"PIVOT items ON id USING count(*)", "SELECT * FROM (PIVOT items ON id USING count(*) GROUP BY label)", "WITH x AS (FROM items) PIVOT x ON label USING sum(id)",
		"UNPIVOT items ON id INTO NAME n VALUE v", "EXPLAIN (FORMAT json) SELECT 1", "EXPLAIN WITH x AS (SELECT 1) FROM x", "WITH x AS (FROM items) FROM x",
	} {
		query(t, s, sql)
	}
	if e := refused(t, s, "EXPLAIN PIVOT items ON id USING count(*)"); !strings.Contains(e.Hint, "IN (") {
		t.Errorf("the plan of a PIVOT without values: %v (%s)", e, e.Hint)
	}
}

// Macros that call each other, and a view of a view of one that is gone, break neither the
// session nor other statements.
func TestTornDefinitions(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, append(slices.Clone(items), "CREATE MACRO even(n) AS n", "CREATE MACRO odd(n) AS even(n - 1)", "CREATE OR REPLACE MACRO even(n) AS odd(n - 1)",
		"CREATE MACRO gone() AS 1", "CREATE VIEW torn AS SELECT gone() AS n", "CREATE VIEW over_torn AS SELECT n FROM torn", "DROP MACRO gone")...))
	for _, sql := range []string{"SELECT even(4)", "SELECT * FROM over_torn"} {
		if e := refused(t, s, sql); e.Kind == sdk.KindInternal || e.Kind == sdk.KindNotReadOnly {
			t.Errorf("%s: %s %v", sql, e.Kind, e)
		}
	}
	query(t, s, "SELECT * FROM items")
}

// Every function of this build of the library that is no mere computation is
// known, so that a new version cannot bring one unseen.
func TestEveryFunctionIsClassified(t *testing.T) {
	t.Parallel()
	harmless := strings.Fields(`check_peg_parser duckdb_approx_database_count duckdb_columns duckdb_connection_count duckdb_constraints duckdb_coordinate_systems
		duckdb_databases duckdb_dependencies duckdb_extensions duckdb_external_file_cache duckdb_functions duckdb_indexes duckdb_keywords duckdb_log_contexts
		duckdb_logs duckdb_logs_parsed duckdb_memory duckdb_optimizers duckdb_prepared_statements duckdb_profiling_settings duckdb_schemas duckdb_secret_types
		duckdb_sequences duckdb_settings duckdb_table_sample duckdb_tables duckdb_temporary_files duckdb_types duckdb_variables duckdb_views
		generate_series histogram histogram_values icu_calendar_names json_each json_tree pg_timezone_names pragma_collations pragma_database_size pragma_metadata_info
		pragma_platform pragma_show pragma_storage_info pragma_table_info pragma_user_agent pragma_version range repeat repeat_row sql_auto_complete summary
		test_all_types test_vector_types unnest
		current_connection_id current_database current_date current_query current_query_id current_schema current_schemas current_transaction_id currval error
		gen_random_uuid get_current_time get_current_timestamp in_search_path now random stats today transaction_timestamp txid_current uuid uuidv4 uuidv7`)
	d := &duckdb.Dialects()[0]
	for _, name := range column(t, outside(t, "", ""), `SELECT DISTINCT function_name FROM duckdb_functions()
		WHERE database_name = 'system' AND (function_type IN ('table', 'table_macro') OR stability IN ('VOLATILE', 'CONSISTENT_WITHIN_QUERY') AND function_type = 'scalar')`) {
		denied := slices.ContainsFunc(d.Guard.Functions, func(r dialect.FunctionRule) bool {
			match, err := path.Match(r.Pattern, name)
			return match && err == nil
		})
		if denied == slices.Contains(harmless, name) {
			t.Errorf("%s: refused is %t, listed as harmless is %t", name, denied, !denied)
		}
	}
}

// What a statement leaves in its session reaches no other one.
func TestEveryCallHasItsOwnConnection(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, items...))
	a := query(t, s, "SELECT current_connection_id()").rows[0][0]
	b := query(t, s, "SELECT current_connection_id()").rows[0][0]
	if a == b {
		t.Errorf("both statements ran on connection %v", a)
	}
}

// More memory than allowed ends the statement, and the next one runs.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	file := create(t, items...)
	req := request(t, map[string]any{"path": file, "threads": 1})
	req.MemoryBytes = 50 << 20
	s := openRequest(t, req)
	e := refused(t, s, "SELECT count(*) FROM (SELECT DISTINCT i, repeat('x', 100) || i AS s FROM range(3000000) t(i))")
	if e.Kind != sdk.KindLimit || !strings.Contains(e.Hint, "limits.memory") {
		t.Errorf("%s: %v (%s)", e.Kind, e, e.Hint)
	}
	query(t, s, "SELECT 1")
	names, err := listing(path.Dir(file))
	if err != nil || len(names) != 2 {
		t.Errorf("files beside the database: %q, %v", names, err)
	}
}
