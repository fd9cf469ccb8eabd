package postgres_test

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// trapSchema is what the traps try to change. The functions hide what they do.
const trapSchema = `
CREATE TABLE kept (id int PRIMARY KEY, note text); INSERT INTO kept VALUES (1, 'one');
CREATE SEQUENCE counter;
CREATE MATERIALIZED VIEW old AS SELECT count(*) AS n FROM kept;
CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO kept VALUES (2) RETURNING id';
CREATE FUNCTION trusted() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'INSERT INTO kept VALUES (3) RETURNING id';
CREATE FUNCTION lifts() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT set_config('transaction_read_only', 'off', false) $$;
CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$ BEGIN ROLLBACK; SET TRANSACTION READ WRITE; INSERT INTO kept VALUES (4); COMMIT; END $$;
`

// traps are ways past a read-only transaction, or out of it, by what they are. A
// statement of several is sent one after the other on one connection.
func traps(tmp, dsn string) map[string][]string {
	return map[string][]string{
		"DML":                                  {"INSERT INTO kept VALUES (9)", "UPDATE kept SET note = 'x'", "DELETE FROM kept", "TRUNCATE kept"},
		"CTE with DML":                         {"WITH x AS (DELETE FROM kept RETURNING *) SELECT * FROM x"},
		"SELECT INTO":                          {"SELECT * INTO stolen FROM kept"},
		"FOR UPDATE":                           {"SELECT * FROM kept FOR UPDATE", "SELECT * FROM kept FOR KEY SHARE"},
		"temporary table":                      {"CREATE TEMP TABLE stolen (id int)"},
		"sequence":                             {"SELECT nextval('counter')", "SELECT setval('counter', 7)"},
		"function that writes":                 {"SELECT writes()", "SELECT trusted()"},
		"CALL and DO":                          {"CALL commits()", "DO $$ BEGIN INSERT INTO kept VALUES (9); END $$"},
		"REFRESH":                              {"REFRESH MATERIALIZED VIEW old"},
		"CREATE ROLE":                          {"CREATE ROLE stolen"},
		"set_config of the transaction":        {"SELECT set_config('transaction_read_only', 'off', false)", "SELECT lifts()", "SELECT query_to_xml('SELECT lifts()', true, true, '')"},
		"SET TRANSACTION READ WRITE first":     {"SET TRANSACTION READ WRITE", "INSERT INTO kept VALUES (9)"},
		"several commands in one text":         {"ROLLBACK; BEGIN READ WRITE; INSERT INTO kept VALUES (9); COMMIT"},
		"procedure that ends the transaction":  {"CALL commits()", "EXPLAIN ANALYZE CALL commits()"},
		"SET SESSION CHARACTERISTICS":          {"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "SET default_transaction_read_only = off", "INSERT INTO kept VALUES (9)"},
		"large objects":                        {"SELECT lo_create(0)", "SELECT lo_from_bytea(0, 'x')", "SELECT lo_import('/etc/hostname')"},
		"COPY TO a file or a program":          {"COPY kept TO '" + tmp + "'", "COPY kept TO PROGRAM 'cat > " + tmp + "'"},
		"dblink with a password":               {"SELECT dblink_exec('" + dsn + "', 'DELETE FROM kept')", "SELECT * FROM dblink('" + dsn + "', 'DELETE FROM kept RETURNING id') AS x (id int)"},
		"advisory lock":                        {"SELECT pg_advisory_lock(1)", "SELECT pg_try_advisory_lock_shared(1)"},
		"functions that act on the server":     {"SELECT pg_terminate_backend(0)", "SELECT pg_reload_conf()", "SELECT pg_switch_wal()", "SELECT pg_stat_reset()", "SELECT pg_create_physical_replication_slot('stolen')", "SELECT pg_read_file('PG_VERSION')"},
		"messages":                             {"SELECT pg_logical_emit_message(false, 'x', 'y')", "SELECT pg_notify('x', 'y')", "LISTEN x", "NOTIFY x", "SELECT txid_current()", "SELECT pg_export_snapshot()"},
		"LOCK TABLE":                           {"LOCK TABLE kept IN ACCESS EXCLUSIVE MODE", "LOCK TABLE kept IN ACCESS SHARE MODE"},
		"maintenance":                          {"ANALYZE", "REINDEX TABLE kept", "CHECKPOINT", "VACUUM", "ALTER SYSTEM SET work_mem = '5MB'"},
		"what stays in the session":            {"PREPARE stolen AS SELECT 1", "DECLARE stolen CURSOR WITH HOLD FOR SELECT 1", "SET ROLE NONE", "SET statement_timeout = 0", "SELECT set_config('statement_timeout', '0', false)"},
		"EXPLAIN of what writes":               {"EXPLAIN ANALYZE DELETE FROM kept", "EXPLAIN (ANALYZE) CREATE TABLE stolen AS SELECT 1", "EXPLAIN DECLARE stolen CURSOR WITH HOLD FOR SELECT 1"},
		"MERGE, with RETURNING since 17":       {"MERGE INTO kept USING (VALUES (1)) v (id) ON kept.id = v.id WHEN MATCHED THEN DELETE RETURNING kept.*", "WITH x AS (MERGE INTO kept USING (VALUES (1)) v (id) ON kept.id = v.id WHEN MATCHED THEN DELETE RETURNING kept.*) SELECT * FROM x"},
		"RETURNING of old and new since 18":    {"UPDATE kept SET note = 'x' RETURNING old.note, new.note"},
		"statistics that are written since 18": {"SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', 'kept', 'reltuples', 1e9::real)", "SELECT pg_clear_relation_stats('public', 'kept')"},
		"replication slots since 17":           {"SELECT pg_sync_replication_slots()", "SELECT pg_log_standby_snapshot()"},
	}
}

// No trap changes anything for a superuser, whom only the connector holds back,
// nor the session for the statements behind it.
func TestTraps(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testTraps)
}

func testTraps(t *testing.T, server *testserver.PostgresServer) {
	t.Parallel()
	db := server.Database(t, trapSchema)
	db.Exec(t, testserver.PostgresAdmin, "CREATE EXTENSION dblink")
	const state = `SELECT k.id, k.note, (SELECT n FROM old), (SELECT is_called FROM counter),
		(SELECT count(*) FROM pg_class WHERE relname = 'stolen'), (SELECT count(*) FROM pg_roles WHERE rolname = 'stolen'),
		(SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_replication_slots),
		(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
		(SELECT reltuples < 1e9 FROM pg_class WHERE oid = 'kept'::regclass)
		FROM kept k ORDER BY k.id`
	before := db.Rows(t, testserver.PostgresAdmin, state)
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresAdmin, nil), MaxOpen: 1})
	session := query(t, s, sessionSQL).Rows
	tmp := filepath.Join(openFolder(t), "stolen")
	dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=''%s''", db.Host, db.Port, db.Name, testserver.PostgresAdmin, testserver.PostgresPassword)
	for name, statements := range traps(tmp, dsn) {
		t.Run(name, func(t *testing.T) {
			for _, sql := range statements {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: sql})
				cancel()
				if e := wantRefused(t, sql, err); e != nil && e.Hint == "" {
					t.Errorf("%s: no hint", sql)
				}
			}
			if diff := cmp.Diff(before, db.Rows(t, testserver.PostgresAdmin, state)); diff != "" {
				t.Errorf("the data changed (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(session, query(t, s, sessionSQL).Rows); diff != "" {
				t.Errorf("the session changed (-before +after):\n%s", diff)
			}
		})
	}
	if left, err := filepath.Glob(tmp + "*"); err != nil || len(left) > 0 {
		t.Errorf("files appeared: %v, %v", left, err)
	}
}

// wantRefused fails the test unless a statement was refused for what it does, or
// the server's version does not know it.
func wantRefused(t *testing.T, sql string, err error) *sdk.Error {
	t.Helper()
	switch kind := sdk.KindOf(err); kind {
	case sdk.KindNotReadOnly, sdk.KindDenied, sdk.KindSyntax, sdk.KindNotFound:
		return sdk.AsError(err, sdk.SourceConnector)
	default:
		t.Errorf("%s: got %v (%s)", sql, err, kind)
		return nil
	}
}

// A role that may read everything reads password hashes too: the check of the
// account says so.
func TestTrapPasswordHashes(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t)
	db := server.Database(t, "SELECT")
	db.Exec(t, testserver.PostgresAdmin, "GRANT SELECT ON pg_authid TO loam_reader")
	warnings := openAs(t, db, testserver.PostgresReader).Server().Warnings
	if len(warnings) != 1 || !strings.Contains(warnings[0].Summary, "password hashes") {
		t.Errorf("got %+v", warnings)
	}
}

// The declaration of a cursor, which would rule out parallel plans, is parsed and
// never executed.
func TestTrapCursorsHaveNoParallelPlans(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE big AS SELECT i FROM generate_series(1, 100000) i; ANALYZE big; ALTER TABLE big SET (parallel_workers = 2)")
	db.Exec(t, testserver.PostgresAdmin, "ALTER DATABASE "+db.Name+" SET parallel_setup_cost = 0")
	s := openAs(t, db, testserver.PostgresReader)
	var plan strings.Builder
	for _, row := range query(t, s, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM big WHERE i % 7 = 3").Rows {
		fmt.Fprintln(&plan, row[0])
	}
	if !strings.Contains(plan.String(), "Workers Planned: 2") {
		t.Errorf("the plan is not parallel:\n%s", plan.String())
	}
}

// A path that leads to a schema in which others may create functions is warned
// about. Neither the connector's own queries nor a caller's are led astray: the
// server's own names come first, whatever the role has set.
func TestTrapSearchPath(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t)
	db := server.Database(t, "CREATE TABLE t (id int); CREATE VIEW v AS SELECT id FROM t; CREATE TABLE p (id int) PARTITION BY LIST (id); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)")
	db.Exec(t, testserver.PostgresAdmin, `CREATE EXTENSION pg_stat_statements; CREATE SCHEMA evil; GRANT USAGE, CREATE ON SCHEMA evil TO PUBLIC;
		DO $$ DECLARE f record; BEGIN
			FOR f IN SELECT DISTINCT ON (proname, args) proname, pg_get_function_identity_arguments(oid) AS args, format_type(prorettype, NULL) AS result FROM pg_proc
				WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND provariadic = 0 AND prorettype NOT IN ('internal'::regtype, 'trigger'::regtype)
				AND proname IN ('format', 'format_type', 'current_setting', 'has_schema_privilege', 'has_table_privilege', 'has_column_privilege',
					'pg_is_in_recovery', 'current_database', 'pg_get_expr', 'pg_get_viewdef', 'pg_table_is_visible', 'quote_ident', 'to_char') AND NOT proretset
			LOOP EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''led astray''; END $f$', f.proname, f.args, f.result); END LOOP;
		END $$;
		CREATE FUNCTION evil.sum(real) RETURNS real LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'led astray'; END $$;
		CREATE FUNCTION evil.bool_and(boolean) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'led astray'; END $$;
		CREATE TYPE evil.text AS ENUM ('astray'); CREATE TYPE evil.timestamptz AS ENUM ('astray');
		ALTER ROLE loam_reader SET search_path = evil, pg_catalog, public`)
	s := openAs(t, db, testserver.PostgresReader)
	warnings := s.Server().Warnings
	if len(warnings) != 2 || !strings.Contains(warnings[1].Summary, "may create functions and tables in evil,") ||
		!strings.Contains(warnings[1].Detail, "REVOKE CREATE ON SCHEMA evil FROM PUBLIC") {
		t.Errorf("got %+v", warnings)
	}
	for _, sql := range []string{"SELECT current_database()", "SELECT 'astray'::text, to_char(1, '9')"} {
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if found, _ := scanAll(t, s, sdk.ScanRequest{Include: []string{"public.*"}}); len(found.Tables) < 3 {
		t.Errorf("scanned %v", found.names())
	}
	if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT idd FROM t"}); err == nil || !strings.Contains(sdk.AsError(err, "").Hint, "id") {
		t.Errorf("suggested %v", err)
	}
	if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{}, &queries{}); err != nil {
		t.Errorf("the log: %v", err)
	}
	for _, step := range report(t, configOf(db, testserver.PostgresReader, nil), nil) {
		if step.Err != nil {
			t.Errorf("%s: %v", step.Name, step.Err)
		}
	}
}

// harmless are the volatile functions of the server that a statement may call:
// they read a state that changes, a clock or chance, or are no functions to call.
var harmless = strings.Fields(`amvalidate array_sample array_shuffle bernoulli system *handler *_call_handler *_inline_handler *_validator
	clock_timestamp timeofday current_query currtid2 currval lastval gen_random_uuid random random_normal setseed uuidv4 uuidv7
	pg_blocking_pids pg_safe_snapshot_blocking_pids pg_isolation_test_session_is_blocked pg_collation_actual_version
	pg_database_collation_actual_version pg_control_* pg_current_wal_* pg_last_* pg_xact_* txid_status pg_get_wal_* pg_is_in_recovery
	pg_is_wal_replay_paused pg_available_wal_summaries pg_wal_summary_contents pg_*_size pg_extension_config_dump pg_get_aios
	pg_get_backend_memory_contexts pg_get_loaded_modules pg_get_multixact_members pg_get_sequence_data pg_get_shmem_allocations*
	pg_get_wait_events pg_jit_available pg_lock_status pg_notification_queue_usage pg_partition_ancestors pg_partition_tree
	pg_prepared_xact pg_sequence_last_value pg_show_replication_origin_status pg_stat_clear_snapshot pg_stat_force_next_flush
	pg_stat_get_* pg_stat_have_stats`)

// Every version brings functions: each volatile one is either refused or known to
// be harmless.
func TestTrapNewFunctions(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, func(t *testing.T, server *testserver.PostgresServer) {
		t.Parallel()
		db := server.Database(t, "SELECT")
		matches := func(pattern, name string) bool {
			ok, err := path.Match(pattern, name)
			if err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
			return ok
		}
		rows := db.Rows(t, testserver.PostgresAdmin, `SELECT DISTINCT proname FROM pg_proc
			WHERE provolatile = 'v' AND pronamespace = 'pg_catalog'::regnamespace AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)`)
		for _, row := range rows {
			refused, fine := false, false
			for _, rule := range postgres.Dialects()[0].Guard.Functions {
				refused = refused || matches(rule.Pattern, row[0])
			}
			for _, pattern := range harmless {
				fine = fine || matches(pattern, row[0])
			}
			if refused == fine {
				t.Errorf("%s: refused is %t, harmless is %t", row[0], refused, fine)
			}
		}
		if len(rows) < 200 {
			t.Errorf("only %d functions", len(rows))
		}
	})
}
