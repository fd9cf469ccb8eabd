package mysql_test

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
	"github.com/loam-data/loam/sdk"
)

// trapRoutines hide behind names what the connector cannot know. {tmp} is a file
// in a folder that the server can write to.
const trapRoutines = `
CREATE FUNCTION sets() RETURNS INT BEGIN SET @stolen = 1; RETURN 1; END;
CREATE FUNCTION sets_session() RETURNS INT BEGIN SET SESSION sql_mode = 'ANSI_QUOTES', time_zone = '+09:00', sql_select_limit = 1; RETURN 1; END;
CREATE FUNCTION sets_clock() RETURNS INT BEGIN SET timestamp = 1; RETURN 1; END;
CREATE FUNCTION lifts() RETURNS INT BEGIN SET SESSION tx_read_only = OFF; RETURN 1; END;
CREATE FUNCTION locks() RETURNS INT RETURN GET_LOCK('stolen', 0);
CREATE FUNCTION inserts() RETURNS INT BEGIN INSERT INTO t VALUES (9); RETURN 1; END;
CREATE FUNCTION files() RETURNS INT BEGIN SELECT 1 INTO OUTFILE '{tmp}'; RETURN 1; END;
CREATE FUNCTION sleeps() RETURNS INT RETURN SLEEP(120);
CREATE PROCEDURE commits() BEGIN COMMIT; SET SESSION TRANSACTION READ WRITE; START TRANSACTION READ WRITE; INSERT INTO t VALUES (9); COMMIT; END;
CREATE VIEW setting AS SELECT sets() AS n;
CREATE VIEW locking AS SELECT locks() AS n;
CREATE SEQUENCE q;
`

// trap is a way past one of the protections.
type trap struct {
	name string
	sql  string
	kind sdk.Kind // of the refusal; "" = it runs, without effect
}

var traps = []trap{
	{"DDL commits a read-only transaction", "CREATE TABLE made (id INT)", sdk.KindNotReadOnly},
	{"DDL of a temporary table", "CREATE TEMPORARY TABLE made (id INT)", sdk.KindNotReadOnly},
	{"truncate commits a read-only transaction", "TRUNCATE TABLE t", sdk.KindNotReadOnly},
	{"grant commits a read-only transaction", "CREATE USER stolen", sdk.KindNotReadOnly},
	{"analyze commits a read-only transaction", "ANALYZE TABLE t", sdk.KindNotReadOnly},
	{"lock tables commits a read-only transaction", "LOCK TABLES t WRITE", sdk.KindNotReadOnly},
	{"commit ends a read-only transaction", "COMMIT", sdk.KindNotReadOnly},
	{"start transaction read write", "START TRANSACTION READ WRITE", sdk.KindNotReadOnly},
	{"set session transaction read write", "SET SESSION TRANSACTION READ WRITE", sdk.KindNotReadOnly},
	{"second statement", "SELECT 1; INSERT INTO t VALUES (9)", sdk.KindNotReadOnly},
	{"call of a procedure that commits", "CALL commits()", sdk.KindNotReadOnly},
	{"into outfile", "SELECT 1 INTO OUTFILE '{tmp}'", sdk.KindNotReadOnly},
	{"into dumpfile", "SELECT 1 INTO DUMPFILE '{tmp}'", sdk.KindNotReadOnly},
	{"into outfile behind a set operation", "SELECT 1 UNION SELECT 2 INTO OUTFILE '{tmp}'", sdk.KindNotReadOnly},
	{"into a variable", "SELECT 1 INTO @stolen", sdk.KindNotReadOnly},
	{"executable comment", "SELECT 1 /*!50000 INTO OUTFILE '{tmp}' */", sdk.KindNotReadOnly},
	{"executable comment of MariaDB", "SELECT 1 /*M! INTO OUTFILE '{tmp}' */", sdk.KindNotReadOnly},
	{"executable comment around a write", "/*!50000 INSERT INTO t VALUES (9) */", sdk.KindNotReadOnly},
	{"file in a function whose maker may write none", "SELECT files()", sdk.KindNotReadOnly},
	{"set global", "SET GLOBAL max_connections = 7", sdk.KindNotReadOnly},
	{"set statement for", "SET STATEMENT max_statement_time = 0 FOR SELECT SLEEP(0)", sdk.KindNotReadOnly},
	{"begin not atomic", "BEGIN NOT ATOMIC INSERT INTO t VALUES (9); END", sdk.KindNotReadOnly},
	{"handler", "HANDLER t OPEN", sdk.KindNotReadOnly},
	{"get_lock", "SELECT GET_LOCK('stolen', 0)", sdk.KindNotReadOnly},
	{"get_lock in a view", "SELECT * FROM locking", ""},
	{"sleep", "SELECT SLEEP(120)", sdk.KindNotReadOnly},
	{"sleep in a function", "SELECT sleeps()", sdk.KindTimeout},
	{"benchmark", "SELECT BENCHMARK(1000000000, SHA2('x', 512))", sdk.KindNotReadOnly},
	{"load_file", "SELECT LOAD_FILE('/etc/passwd')", sdk.KindNotReadOnly},
	{"last_insert_id", "SELECT LAST_INSERT_ID(42)", sdk.KindNotReadOnly},
	{"assignment", "SELECT @stolen := 1", sdk.KindNotReadOnly},
	{"assignment in a function", "SELECT sets()", ""},
	{"assignment in a view", "SELECT * FROM setting", ""},
	{"setting in a function", "SELECT sets_session()", ""},
	{"clock in a function", "SELECT sets_clock()", ""},
	{"read-only lifted in a function", "SELECT lifts()", ""},
	{"insert in a function", "SELECT inserts()", sdk.KindNotReadOnly},
	{"insert in a function, explained", "EXPLAIN SELECT * FROM (SELECT inserts() AS n) x", sdk.KindNotReadOnly},
	{"for update", "SELECT * FROM t FOR UPDATE", sdk.KindNotReadOnly},
	{"lock in share mode", "SELECT * FROM t LOCK IN SHARE MODE", sdk.KindNotReadOnly},
	{"next value of a sequence", "SELECT NEXT VALUE FOR q", sdk.KindNotReadOnly},
	{"explain of a write", "EXPLAIN INSERT INTO t VALUES (9)", sdk.KindNotReadOnly},
	{"analyze of a write", "ANALYZE INSERT INTO t VALUES (9)", sdk.KindNotReadOnly},
	{"prepare", "PREPARE s FROM 'INSERT INTO t VALUES (9)'", sdk.KindNotReadOnly},
	{"execute immediate", "EXECUTE IMMEDIATE 'INSERT INTO t VALUES (9)'", sdk.KindNotReadOnly},
	{"load data local", "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t", sdk.KindNotReadOnly},
}

// TestTraps runs every trap with the guard out of the way, as accounts that could
// do all of it but for the connector, and looks at the data, the session and the
// folder afterwards.
func TestTraps(t *testing.T) {
	t.Parallel()
	for _, account := range []string{testserver.MariaDBOwner, testserver.MariaDBAdmin} {
		t.Run(account, func(t *testing.T) {
			t.Parallel()
			folder := openFolder(t)
			db := testserver.MariaDB(t).Database(t, "CREATE TABLE t (id INT) ENGINE = MyISAM; INSERT INTO t VALUES (1);")
			// Locks are the server's: one of its own, for the other account's traps run at the same time.
			tmp := strings.NewReplacer("{tmp}", filepath.Join(folder, "stolen"), "'stolen'", "'"+db.Name+"'")
			db.Exec(t, testserver.MariaDBOwner, tmp.Replace(trapRoutines))
			s := openWith(t, sdk.OpenRequest{Config: configOf(db, account, nil), MaxOpen: 1})
			settings := query(t, s, tmp.Replace(sessionSQL)).Rows
			data := func() [][]string {
				return append(db.Rows(t, testserver.MariaDBAdmin, "SELECT id, (SELECT next_not_cached_value FROM q), @@global.max_connections FROM t"),
					db.Rows(t, testserver.MariaDBAdmin, "SHOW TABLES")...)
			}
			before := data()
			for _, c := range traps {
				t.Run(c.name, func(t *testing.T) {
					limit := time.Minute // of the look-up, too, on a busy machine
					if c.kind == sdk.KindTimeout {
						limit = time.Second
					}
					_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: tmp.Replace(c.sql), Limits: sdk.Limits{Timeout: limit}})
					if c.kind == "" && err != nil {
						t.Errorf("it is refused: %v", err)
					}
					if c.kind != "" {
						if e := wantKind(t, err, c.kind); e.Hint == "" {
							t.Error("there is no hint")
						}
					}
					if diff := cmp.Diff(before, data()); diff != "" {
						t.Fatalf("the data changed (-before +after):\n%s", diff)
					}
					if diff := cmp.Diff(settings, query(t, s, tmp.Replace(sessionSQL)).Rows); diff != "" {
						t.Errorf("the session changed (-before +after):\n%s", diff)
					}
				})
			}
			if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
				t.Errorf("files appeared: %v, %v", found, err)
			}
		})
	}
}

// The traps snap outside: what they try is possible on this server.
func TestTrapsAreReal(t *testing.T) {
	t.Parallel()
	folder := openFolder(t)
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE t (id INT); CREATE TABLE u (id INT)")
	db.Exec(t, testserver.MariaDBAdmin, fmt.Sprintf("SELECT 1 INTO OUTFILE '%s'", filepath.Join(folder, "plain")))
	db.Exec(t, testserver.MariaDBAdmin, fmt.Sprintf("SELECT 1 /*M! INTO OUTFILE '%s' */", filepath.Join(folder, "comment")))
	db.Exec(t, testserver.MariaDBOwner, "START TRANSACTION READ ONLY; CREATE TABLE made (id INT); DROP TABLE u")
	if found, err := os.ReadDir(folder); err != nil || len(found) != 2 {
		t.Errorf("files: %v, %v", found, err)
	}
	if diff := cmp.Diff([][]string{{"made"}, {"t"}}, db.Rows(t, testserver.MariaDBReader, "SHOW TABLES")); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// A recursive query that MariaDB bounds by default, and a group that both bound,
// would be cut without an error.
func TestTrapSilentCuts(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE t AS SELECT seq AS id FROM seq_1_to_200000")
	s := openAs(t, db, testserver.MariaDBReader)
	for sql, want := range map[string]int64{
		"WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3000) SELECT COUNT(*) FROM r": 3000,
		"SELECT LENGTH(GROUP_CONCAT(id)) FROM t": 1288894,
	} {
		r := query(t, s, sql)
		if len(r.Notices) > 0 || r.Rows[0][0] != want {
			t.Errorf("%s: %v, want %d; notices %v", sql, r.Rows[0][0], want, r.Notices)
		}
	}
	r := query(t, s, "SELECT GROUP_CONCAT(REPEAT(id, 20)) IS NULL FROM t")
	if len(r.Notices) != 1 || r.Notices[0].Code != "1260" {
		t.Errorf("a group that is cut is not noticed: %v", r.Notices)
	}
}

// What the account's or the server's own settings say does not decide what a
// value looks like.
func TestTrapSettingsOfTheServer(t *testing.T) {
	t.Parallel()
	server := testserver.NewMariaDB(t, "--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,PAD_CHAR_TO_FULL_LENGTH",
		"--div-precision-increment=1", "--lc-time-names=de_DE", "--default-week-format=3", "--character-set-server=latin1",
		"--init-connect=SET time_zone = '-09:00', sql_mode = 'ORACLE', sql_select_limit = 2, timestamp = 1")
	db := server.Database(t, "CREATE TABLE t (c CHAR(3), at TIMESTAMP); INSERT INTO t VALUES ('a', '2024-01-01 12:00:00'), ('b', '2024-01-01 12:00:00')")
	db.Exec(t, testserver.MariaDBAdmin, "SET GLOBAL sql_select_limit = 1")
	s := openAs(t, db, testserver.MariaDBReader)
	sql := `SELECT c, at, 1 / 3, DATE_FORMAT(at, '%M'), WEEK(at), "a\"b", 1 || 0, CHAR_LENGTH(c), 'é' FROM t ORDER BY c`
	noon := int64(1704110400000000)
	want := [][]any{
		{"a", noon, "0.3333", "January", int64(0), `a"b`, int64(1), int64(1), "é"},
		{"b", noon, "0.3333", "January", int64(0), `a"b`, int64(1), int64(1), "é"},
	}
	if diff := cmp.Diff(want, query(t, s, sql).Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A pooled connection keeps locks and variables: no statement gets the one of
// another.
func TestTrapPooledConnections(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.MariaDBReader, nil), MaxOpen: 1})
	seen := map[any]bool{}
	for range 5 {
		id := query(t, s, "SELECT CONNECTION_ID()").Rows[0][0]
		if seen[id] {
			t.Errorf("connection %v served two statements", id)
		}
		seen[id] = true
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A context that ends does not end a statement in the server by itself: the
// driver only hangs up.
func TestTrapCancelLeavesTheQueryRunning(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	s := openAs(t, db, testserver.MariaDBReader)
	seen := running(t, db, "trap")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: slow("trap")})
		done <- err
	}()
	eventually(t, 2*time.Minute, "the statement shows up", func() bool { return is(t, seen) })
	cancel()
	wantKind(t, <-done, sdk.KindCanceled)
	if is(t, seen) {
		t.Error("the statement runs on")
	}
}
