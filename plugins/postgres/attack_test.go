package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// moreAttacks are those that need a closer look than the corpus takes: each leaves
// something behind that is not in a table.
func moreAttacks(dsn string) map[string]string {
	return map[string]string{
		"function that prepares":            "SELECT prepares()",
		"function that listens":             "SELECT listens()",
		"function that locks":               "SELECT locks()",
		"function that locks, then fails":   "SELECT locks(), 1 / 0",
		"function that keeps a setting":     "SELECT keeps('work_mem', '1GB')",
		"function that drops the timeout":   "SELECT keeps('statement_timeout', '0')",
		"function that becomes another":     "SELECT becomes()",
		"function that makes a temp table":  "SELECT makes_temp()",
		"function that notifies":            "SELECT notifies()",
		"function that opens a held cursor": "SELECT holds()",
		"function that makes large objects": "SELECT makes_large()",
		"explain analyze of a lock":         "EXPLAIN ANALYZE SELECT locks()",
		"lock in a set operation":           "SELECT 1 UNION ALL SELECT locks()",
		"lock by a cast in a view":          "SELECT * FROM locking",
		"dblink by its schema":              fmt.Sprintf(`SELECT "public" . "dblink_exec" ('%s', 'DELETE FROM accounts')`, dsn),
		"second statement in a parameter":   "SELECT $1::text",
	}
}

// attackFunctions hide behind names what the connector cannot know.
const attackFunctions = `
CREATE FUNCTION prepares() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'PREPARE stolen AS SELECT 1'; RETURN 1; END $$;
CREATE FUNCTION listens() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'LISTEN stolen'; RETURN 1; END $$;
CREATE FUNCTION locks() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(4711); RETURN 1; END $$;
CREATE FUNCTION keeps(name text, value text) RETURNS text LANGUAGE sql AS $$ SELECT set_config(name, value, false) $$;
CREATE FUNCTION becomes() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SET ROLE NONE'; EXECUTE 'SET SESSION AUTHORIZATION DEFAULT'; RETURN 1; END $$;
CREATE FUNCTION makes_temp() RETURNS int LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE stolen (id int); RETURN 1; END $$;
CREATE FUNCTION notifies() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('stolen', 'x'); RETURN 1; END $$;
CREATE FUNCTION holds() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DECLARE stolen CURSOR WITH HOLD FOR SELECT 1'; RETURN 1; END $$;
CREATE FUNCTION makes_large() RETURNS oid LANGUAGE plpgsql AS $$ BEGIN RETURN lo_create(0); END $$;
CREATE FUNCTION copies(path text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'COPY (SELECT 1) TO ' || quote_literal(path); RETURN 1; END $$;
CREATE VIEW locking AS SELECT locks() AS n;
`

// TestAttacks runs every attack of the corpus, and some more, as roles that could
// do all of it but for the connector: what holds is the engine and the
// connector's short list. The suite does the same as a reader.
func TestAttacks(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testAttacks)
}

func testAttacks(t *testing.T, server *testserver.PostgresServer) {
	connector := postgres.Connector()
	d := &connector.Dialects[len(connector.Dialects)-1]
	for _, role := range []string{testserver.PostgresOwner, testserver.PostgresWriter, testserver.PostgresAdmin} {
		t.Run(role, func(t *testing.T) {
			if testing.Short() && role != testserver.PostgresAdmin {
				t.Skip("-short: the attacks as weaker accounts than the strongest")
			}
			t.Parallel()
			db := corpusDatabase(t, server, d)
			db.Exec(t, testserver.PostgresOwner, attackFunctions)
			reread := rereader(t, db, d)
			s := openWith(t, sdk.OpenRequest{Config: configOf(db, role, nil), MaxOpen: 1})
			settings := query(t, s, sessionSQL).Rows
			want, err := reread(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			folder := openFolder(t)
			attacks := attacksOf(t, db, d, filepath.Join(folder, "stolen"))
			dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=''%s''", db.Host, db.Port, db.Name, role, testserver.PostgresPassword)
			for name, sql := range moreAttacks(dsn) {
				attacks = append(attacks, conform.Attack{Name: name, SQL: sql})
			}
			if role != testserver.PostgresAdmin { // what a superuser's own function does to files, nothing stops
				attacks = append(attacks, conform.Attack{Name: "function that makes a file", SQL: "SELECT copies('" + filepath.Join(folder, "made") + "')"})
			}
			if testing.Short() {
				t.Log("-short: three of four attacks and their look-alikes")
			}
			for i, a := range attacks {
				if testing.Short() && i%4 != 0 {
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: a.SQL, Limits: sdk.Limits{MaxRows: 1000, Timeout: 10 * time.Second}})
				cancel()
				switch kind := sdk.KindOf(err); {
				case a.Harmless && err != nil:
					t.Errorf("%s: refused: %v\n%s", a.Name, err, a.SQL)
				case kind == sdk.KindInternal, kind == sdk.KindUnavailable:
					t.Errorf("%s: %v", a.Name, err)
				}
				if a.Harmless {
					continue
				}
				if got, err := reread(t.Context()); err != nil || got != want {
					t.Fatalf("%s: the data changed (%v)\n%s", a.Name, err, a.SQL)
				}
				if diff := cmp.Diff(settings, query(t, s, sessionSQL).Rows); diff != "" {
					t.Errorf("%s: the session changed (-before +after):\n%s", a.Name, diff)
				}
			}
			if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
				t.Errorf("files appeared: %v, %v", found, err)
			}
		})
	}
}

// openFolder returns a folder in which the server's account could write.
func openFolder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "loam-attack")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}

// The folder of the attacks is one in which files do appear.
func TestAttackFolderIsOpen(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	path := filepath.Join(openFolder(t), "stolen")
	db.Exec(t, testserver.PostgresAdmin, "COPY (SELECT 1) TO '"+path+"'")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// What the engine alone does must not depend on the text's first look: the
// statements go to the server as they are.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE SEQUENCE q")
	s := openAs(t, db, testserver.PostgresOwner)
	for _, c := range []struct {
		sql  string
		kind sdk.Kind
		code string
		pos  sdk.Position
	}{
		{"INSERT INTO t VALUES (2)", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"-- é\n  DELETE FROM t", sdk.KindNotReadOnly, "", sdk.Position{Line: 2, Column: 3}},
		{"INSERT INTO nowhere VALUES (2)", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"INSERT INTO t VALUES (2", sdk.KindSyntax, "42601", sdk.Position{Line: 1, Column: 24}},
		{"WITH x AS (DELETE FROM t RETURNING id) SELECT * FROM x", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"SELECT * FROM t FOR UPDATE", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 17}},
		{"SELECT * INTO x FROM t", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 10}},
		{"SELECT 1; DELETE FROM t", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 11}},
		{"SELECT nextval('q')", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 8}},
		{"EXPLAIN DELETE FROM t", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"EXPLAIN (ANALYZE) DELETE FROM t", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"EXPLAIN ANALYZE VERBOSE DELETE FROM t", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"EXPLAIN", sdk.KindSyntax, "42601", sdk.Position{Line: 1, Column: 8}},
		{"EXPLAIN (", sdk.KindSyntax, "42601", sdk.Position{Line: 1, Column: 10}},
		{"SHOW nothing", sdk.KindNotFound, "42704", sdk.Position{}},
		{"", sdk.KindInvalid, "", sdk.Position{}},
		{" ; ; ", sdk.KindInvalid, "", sdk.Position{}},
		{"SELECT 'x", sdk.KindSyntax, "", sdk.Position{Line: 1, Column: 8}},
		{"SELECT 1\x00", sdk.KindSyntax, "", sdk.Position{Line: 1, Column: 9}},
		{"SELECT \xff", sdk.KindSyntax, "", sdk.Position{Line: 1, Column: 8}},
		{"SET ROLE NONE", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"COPY t TO STDOUT", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
		{"COMMIT", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}},
	} {
		t.Run(strings.ToValidUTF8(c.sql, "?"), func(t *testing.T) {
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.sql})
			e := wantKind(t, err, c.kind)
			if e.Code != c.code || e.Pos != c.pos {
				t.Errorf("code %q at %v, want %q at %v: %v", e.Code, e.Pos, c.code, c.pos, e)
			}
			if e.Hint == "" {
				t.Error("there is no hint")
			}
			for name, check := range map[string]func() error{
				"explain":  func() error { _, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: c.sql}); return err },
				"validate": func() error { _, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: c.sql}); return err },
			} {
				if err := check(); err == nil && !strings.HasPrefix(c.sql, "SHOW") {
					t.Errorf("%s accepts it", name)
				}
			}
		})
	}
	if rows := db.Rows(t, testserver.PostgresOwner, "SELECT id, (SELECT last_value FROM q) FROM t"); len(rows) != 1 || rows[0][1] != "1" {
		t.Errorf("the data is %q", rows)
	}
}

// The transaction's own mode cannot be lifted by what it runs.
func TestReadOnlyCannotBeLifted(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE t (id int);
		CREATE FUNCTION lift() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
			BEGIN SET TRANSACTION READ WRITE; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END;
			INSERT INTO t VALUES (1); RETURN 'lifted'; END $$`)
	for _, role := range []string{testserver.PostgresReader, testserver.PostgresOwner, testserver.PostgresAdmin} {
		s := openAs(t, db, role)
		if got := query(t, s, "SELECT lift()").Rows[0][0]; got != "25001" {
			t.Errorf("as %s: %v, want the refusal 25001", role, got)
		}
	}
	if rows := db.Rows(t, testserver.PostgresOwner, "SELECT * FROM t"); len(rows) > 0 {
		t.Errorf("t has %q", rows)
	}
}
