package mysql_test

import (
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

// hiddenRoutines do what no read-only transaction stops. {tmp} is a file in a
// folder that the server can write to.
const hiddenRoutines = `
CREATE TABLE t (id INT) ENGINE = MyISAM; INSERT INTO t VALUES (1);
CREATE SEQUENCE q;
CREATE TABLE defaulted (id INT, n BIGINT DEFAULT (NEXT VALUE FOR q)); INSERT INTO defaulted VALUES (1, 0);
CREATE FUNCTION spills() RETURNS INT BEGIN SELECT 1 INTO OUTFILE '{tmp}'; RETURN 1; END;
CREATE FUNCTION dumps() RETURNS INT BEGIN IF 1 = 1 THEN SELECT 1 INTO DUMPFILE '{tmp}'; END IF; RETURN 1; END;
CREATE FUNCTION tunes() RETURNS INT BEGIN SET GLOBAL max_connections = 77; RETURN 1; END;
CREATE FUNCTION tunes_at() RETURNS INT BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @@global.max_connections = 78; SIGNAL SQLSTATE '45000'; RETURN 1; END;
CREATE FUNCTION logs() RETURNS INT BEGIN SET @x = 1, GLOBAL general_log_file = '{tmp}', GLOBAL general_log = 1; RETURN 1; END;
CREATE FUNCTION kills() RETURNS INT BEGIN KILL USER nobody_of_that_name; RETURN 1; END;
CREATE FUNCTION purges() RETURNS INT BEGIN PURGE BINARY LOGS TO 'x'; RETURN 1; END;
CREATE FUNCTION switches() RETURNS INT BEGIN CHANGE MASTER 'stolen' TO MASTER_HOST = '127.0.0.1'; RETURN 1; END;
CREATE FUNCTION ends() RETURNS INT BEGIN SHUTDOWN; RETURN 1; END;
CREATE FUNCTION reads_file() RETURNS TEXT RETURN LOAD_FILE('/etc/hostname');
CREATE PROCEDURE tune() BEGIN SET GLOBAL max_connections = 79; END;
CREATE FUNCTION calls() RETURNS INT BEGIN CALL tune(); RETURN 1; END;
CREATE FUNCTION calls_bare() RETURNS INT BEGIN CALL tune; RETURN 1; END;
CREATE FUNCTION outer_of() RETURNS INT RETURN 1 + spills();
CREATE FUNCTION ping_() RETURNS INT RETURN 0;
CREATE OR REPLACE FUNCTION pong_() RETURNS INT RETURN ping_();
CREATE OR REPLACE FUNCTION ping_() RETURNS INT RETURN IF(FALSE, pong_(), spills());
CREATE FUNCTION inserts() RETURNS INT BEGIN INSERT INTO t VALUES (9); RETURN 1; END;
CREATE FUNCTION advances() RETURNS BIGINT RETURN NEXTVAL(q);
CREATE FUNCTION remote_of() RETURNS INT BEGIN DECLARE n INT; SELECT MAX(id) INTO n FROM far; RETURN n; END;
CREATE FUNCTION taxed(amount INT) RETURNS INT BEGIN DECLARE r INT DEFAULT 0; CASE WHEN amount > 10 THEN SET r = 2; ELSE SET r = CASE amount WHEN 1 THEN 1 ELSE 3 END; END CASE; l: WHILE r < 9 DO SET r = r + 1; IF r = 5 THEN LEAVE l; END IF; END WHILE l; REPEAT SET r = r + 1; UNTIL r > 7 END REPEAT; RETURN COALESCE(r, 0) + ST_X(POINT(1, 2)) + JSON_LENGTH(JSON_ARRAY(1)); END;
CREATE TABLE far (id INT) ENGINE = FEDERATED CONNECTION = '{server}/t';
CREATE TABLE far_spill (n INT) ENGINE = FEDERATED CONNECTION = '{server}/v_inserts';
`

// way is a way out of the read-only transaction through an object.
type way struct {
	behind string // the expression or table of a view
	path   string // of the refusal, from the view's function on; "" = the engine refuses
}

// ways are what a plain SELECT could do, and what stops it. Each is run by hand
// too, as the maker of the view, to see that it is real.
var ways = map[string]way{
	"spills":     {"spills()", "{db}.spills, which writes a file of the server (INTO OUTFILE)"},
	"dumps":      {"dumps()", "{db}.dumps, which writes a file of the server (INTO DUMPFILE)"},
	"tunes":      {"tunes()", "{db}.tunes, which changes a setting of the server (SET GLOBAL)"},
	"tunes_at":   {"tunes_at()", "{db}.tunes_at, which changes a setting of the server (SET GLOBAL)"},
	"logs":       {"logs()", "{db}.logs, which changes a setting of the server (SET GLOBAL)"},
	"kills":      {"kills()", "{db}.kills, which runs KILL USER"},
	"purges":     {"purges()", "{db}.purges, which runs PURGE BINARY"},
	"switches":   {"switches()", "{db}.switches, which runs CHANGE MASTER"},
	"ends":       {"ends()", "{db}.ends, which runs SHUTDOWN"},
	"reads_file": {"reads_file()", "function {db}.reads_file → load_file, which reads a file of the server"},
	"calls":      {"calls()", "function {db}.calls → {db}.tune, which changes a setting of the server (SET GLOBAL)"},
	"calls_bare": {"calls_bare()", "function {db}.calls_bare → {db}.tune, which changes a setting of the server (SET GLOBAL)"},
	"outer_of":   {"outer_of()", "function {db}.outer_of → {db}.spills, which writes"},
	"recursion":  {"pong_()", "function {db}.pong_ → function {db}.ping_ → {db}.spills, which writes"},
	"view":       {"(SELECT n FROM v_spills)", "view {db}.v_spills → {db}.spills, which writes"},
	"remote":     {"(SELECT MAX(id) FROM far)", "foreign table {db}.far, which lives on another server"},
	"remote_of":  {"remote_of()", "function {db}.remote_of → foreign table {db}.far, which lives"},
	"far_spill":  {"(SELECT MAX(n) FROM far_spill)", "foreign table {db}.far_spill, which lives"},
	"inserts":    {"inserts()", ""},
	"advances":   {"advances()", ""},
	"sequence":   {"NEXTVAL(q)", ""},
	"second":     {"1 AS a, spills()", "{db}.spills, which writes"},
}

// order is that in which views can be made.
var order = []string{
	"spills", "dumps", "tunes", "tunes_at", "logs", "kills", "purges", "switches", "ends", "reads_file", "calls", "calls_bare", "outer_of",
	"recursion", "view", "remote", "remote_of", "far_spill", "inserts", "advances", "sequence", "second",
}

// hiding makes the objects, and a reader who may look into them.
func hiding(t testing.TB, folder string) (*testserver.MariaDBDatabase, string) {
	t.Helper()
	db := testserver.MariaDB(t).Database(t, "")
	server, seer := db.Name+"_far", db.Name+"_seer"
	fill := strings.NewReplacer("{tmp}", filepath.Join(folder, "stolen"), "{server}", server)
	db.Exec(t, testserver.MariaDBAdmin, fmt.Sprintf("CREATE SERVER %s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', PORT %d, USER '%s', PASSWORD '%s', DATABASE '%s')",
		server, db.Port, testserver.MariaDBAdmin, testserver.MariaDBPassword, db.Name))
	t.Cleanup(func() {
		db.Exec(t, testserver.MariaDBAdmin, "DROP USER IF EXISTS "+seer)
	})
	views := hiddenRoutines
	views = strings.Replace(views, "CREATE TABLE far ", "CREATE VIEW v_inserts AS SELECT inserts() AS n; CREATE TABLE far ", 1)
	db.Exec(t, testserver.MariaDBAdmin, fill.Replace(views))
	for _, name := range order {
		if name != "inserts" {
			db.Exec(t, testserver.MariaDBAdmin, "CREATE VIEW v_"+name+" AS SELECT "+ways[name].behind+" AS n")
		}
	}
	db.Exec(t, testserver.MariaDBAdmin, fmt.Sprintf("CREATE USER %s IDENTIFIED BY '%s'; GRANT SELECT, SHOW VIEW ON `%s`.* TO %[1]s; GRANT SELECT ON mysql.proc TO %[1]s; GRANT SELECT ON mysql.func TO %[1]s",
		seer, testserver.MariaDBPassword, db.Name))
	return db, seer
}

// TestWaysOut runs every way out as the owner of everything and as an account
// that can only read, and looks at the data, the settings and the folder.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	folder := openFolder(t)
	db, seer := hiding(t, folder)
	state := func() [][]string {
		return append(db.Rows(t, testserver.MariaDBAdmin, "SELECT id, (SELECT next_not_cached_value FROM q), @@global.max_connections, @@global.general_log FROM t"),
			db.Rows(t, testserver.MariaDBAdmin, "SHOW ALL SLAVES STATUS")...)
	}
	before := state()
	for _, account := range []string{testserver.MariaDBAdmin, seer, testserver.MariaDBReader} {
		s := openAs(t, db, account)
		for _, name := range order {
			for _, sql := range []string{
				"SELECT * FROM v_" + name, "SELECT 1 FROM (SELECT n FROM " + db.Name + ".v_" + name + " LIMIT 1) AS x", "EXPLAIN SELECT * FROM `v_" + name + "`",
				"WITH w AS (SELECT * FROM v_" + name + ") SELECT COUNT(*) FROM w", "SELECT 1 WHERE 1 IN (SELECT n FROM v_" + name + ")",
			} {
				_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Limits: sdk.Limits{Timeout: 20 * time.Second}})
				e := wantKind(t, err, sdk.KindNotReadOnly)
				path := strings.ReplaceAll(ways[name].path, "{db}", db.Name)
				switch {
				case path == "" || account == testserver.MariaDBReader && !strings.HasPrefix(path, "foreign"):
				case !strings.Contains(e.Msg, "view "+db.Name+".v_"+name+" → "+path):
					t.Errorf("as %s, %s: %s", account, sql, e.Msg)
				case !strings.Contains(e.Hint, `allow_functions: ["`+db.Name+"."):
					t.Errorf("as %s, %s: %s", account, sql, e.Hint)
				}
			}
			if err := s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "v_" + name}}, nil); sdk.KindOf(err) != sdk.KindNotReadOnly {
				t.Errorf("as %s, the profile of v_%s: %v", account, name, err)
			}
			if _, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT * FROM v_" + name}); sdk.KindOf(err) != sdk.KindNotReadOnly {
				t.Errorf("as %s, the plan of v_%s: %v", account, name, err)
			}
			if _, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT * FROM v_" + name + " WHERE n = ?"}); sdk.KindOf(err) != sdk.KindNotReadOnly {
				t.Errorf("as %s, the check of v_%s: %v", account, name, err)
			}
		}
		for _, sql := range []string{"SELECT DEFAULT(n) FROM defaulted", "SHOW TABLES WHERE (SELECT n FROM v_spills) = 1", "SELECT * FROM {oj t LEFT JOIN v_spills ON TRUE}"} {
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) != sdk.KindNotReadOnly {
				t.Errorf("as %s, %s: %v", account, sql, err)
			}
		}
		if diff := cmp.Diff(before, state()); diff != "" {
			t.Fatalf("as %s, something changed (-before +after):\n%s", account, diff)
		}
	}
	if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
		t.Errorf("files appeared: %v, %v", found, err)
	}
}

// TestWaysOutByName has statements call a function that writes a file, wherever a call
// can stand and however its name can be written.
func TestWaysOutByName(t *testing.T) {
	t.Parallel()
	folder := openFolder(t)
	db, _ := hiding(t, folder)
	other := db.Name + "_other"
	db.Exec(t, testserver.MariaDBAdmin, "CREATE DATABASE "+other)
	t.Cleanup(func() { db.Exec(t, testserver.MariaDBAdmin, "DROP DATABASE "+other) })
	db.Exec(t, testserver.MariaDBAdmin, strings.NewReplacer("{other}", other, "{tmp}", filepath.Join(folder, "stolen")).Replace(`
CREATE FUNCTION {other}.soundex(x TEXT) RETURNS INT BEGIN SELECT 1 INTO OUTFILE '{tmp}'; RETURN 1; END;
SET sql_mode = ORACLE; CREATE PACKAGE pkg AS FUNCTION f RETURN INT; END;
CREATE PACKAGE BODY pkg AS FUNCTION f RETURN INT AS BEGIN SELECT 1 INTO OUTFILE '{tmp}'; RETURN 1; END; END;
SET sql_mode = DEFAULT`))
	s := openAs(t, db, testserver.MariaDBAdmin)
	query(t, s, "SELECT SOUNDEX('a')") // which makes it known as a function of the server
	for _, sql := range []string{
		"SELECT 1, spills() AS n", "SELECT 1, spills(/**/) AS n FROM t", "SELECT 1, `spills`() AS `n`", "SELECT (SELECT 1), SPILLS () AS n", "SELECT spílls()",
		"WITH RECURSIVE x AS (SELECT 1 AS a, spills() AS n) SELECT * FROM x", "WITH x (a) AS (SELECT 1), y (b) AS (SELECT spills()) SELECT * FROM x, y",
		"VALUES (1, spills())", "SELECT {fn spills()}", "SELECT * FROM JSON_TABLE(spills(), '$' COLUMNS (a INT PATH '$')) AS j",
		"SELECT COUNT(*) OVER (PARTITION BY 1, spills()) AS n FROM t", "SELECT * FROM t GROUP BY id, spills() WITH ROLLUP", "SELECT " + other + ".soundex('a')",
		"SELECT pkg.f()", "SELECT " + db.Name + ".pkg.f()", "SELECT 1, `" + db.Name + "`.`pkg`.`f`() AS n",
	} {
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) != sdk.KindNotReadOnly {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
		t.Errorf("files appeared: %v, %v", found, err)
	}
	for _, sql := range []string{"WITH x (a), y (b) AS (SELECT 1) SELECT 1", "WITH x (a) AS (SELECT 1), spills (b) AS (SELECT 2) SELECT a, b AS spills FROM x, spills"} {
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) == sdk.KindNotReadOnly {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestWaysOutAreReal runs some of them around the connector as a reader, in the
// transaction that the connector uses.
func TestWaysOutAreReal(t *testing.T) {
	t.Parallel()
	folder := openFolder(t)
	db, seer := hiding(t, folder)
	readOnly := "SET SESSION TRANSACTION READ ONLY; START TRANSACTION READ ONLY; "
	db.Exec(t, seer, readOnly+"SELECT * FROM v_spills; SELECT * FROM v_far_spill; SELECT * FROM v_kills; SELECT * FROM v_purges")
	if found, err := os.ReadDir(folder); err != nil || len(found) != 1 {
		t.Errorf("files: %v, %v", found, err)
	}
	if rows := db.Rows(t, testserver.MariaDBAdmin, "SELECT COUNT(*) FROM t WHERE id = 9"); rows[0][0] == "0" {
		t.Error("the view behind a FEDERATED table wrote no row")
	}
}

// An ordinary function is no reason, and a reader who may not look into it learns
// which right is missing.
func TestOrdinaryFunctionsRun(t *testing.T) {
	t.Parallel()
	db, seer := hiding(t, openFolder(t))
	db.Exec(t, testserver.MariaDBAdmin, "CREATE VIEW v_taxed AS SELECT id, taxed(id) AS tax, COUNT(*) AS n, POINT(1, 2) AS p FROM t GROUP BY id; CREATE VIEW v_over AS SELECT * FROM v_taxed")
	for _, account := range []string{testserver.MariaDBAdmin, seer} {
		s := openAs(t, db, account)
		for _, sql := range []string{"SELECT tax FROM v_taxed", "SELECT * FROM v_over", "SELECT spills.id FROM t AS spills", "SELECT 'v_spills', id AS v_spills FROM t", "WITH x (a, b) AS (SELECT 1, 2) SELECT a FROM x"} {
			query(t, s, sql)
		}
	}
	query(t, openAs(t, db, testserver.MariaDBAdmin), "SELECT taxed(1), "+db.Name+".taxed(2)")
	s := openAs(t, db, testserver.MariaDBReader)
	query(t, s, "WITH x (a, b) AS (SELECT 1, 2), y (c) AS (SELECT UUID() = 'x' OR NOW() > '2000-01-01') SELECT a, c, COALESCE(a, 1), ST_AsText(POINT(a, 2)), JSON_ARRAY(a) FROM x, y")
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM v_over"})
	e := wantKind(t, err, sdk.KindNotReadOnly)
	want := fmt.Sprintf("view %[1]s.v_over → view %[1]s.v_taxed → taxed, which the account may not see: GRANT SELECT ON mysql.proc TO 'loam_reader'@'%%'", db.Name)
	if !strings.Contains(e.Msg, want) || !strings.Contains(e.Hint, "allow_functions") {
		t.Errorf("got %s (%s), want %s", e.Msg, e.Hint, want)
	}
	_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT nosuch(1)"})
	if kind := sdk.KindOf(err); kind != sdk.KindNotFound && kind != sdk.KindDenied {
		t.Errorf("a function that is not there: %v", err)
	}
}

// A view of a view of a function that is gone, and functions that call each other: who
// sees all routines is told what is wrong with them, and who does not which right is
// missing.
func TestTornDefinitions(t *testing.T) {
	t.Parallel()
	db, seer := hiding(t, openFolder(t))
	db.Exec(t, testserver.MariaDBAdmin, `CREATE FUNCTION gone() RETURNS INT RETURN 1; CREATE VIEW torn AS SELECT gone() AS n; CREATE VIEW over_torn AS SELECT n FROM torn; DROP FUNCTION gone;
		CREATE FUNCTION even(n INT) RETURNS INT RETURN n; CREATE FUNCTION odd(n INT) RETURNS INT RETURN IF(n > 0, even(n - 1), 0);
		CREATE OR REPLACE FUNCTION even(n INT) RETURNS INT RETURN IF(n > 0, odd(n - 1), 1); CREATE VIEW recursive_calls AS SELECT even(4) AS n`)
	for _, account := range []string{testserver.MariaDBAdmin, seer, testserver.MariaDBReader} {
		s := openAs(t, db, account)
		for sql, code := range map[string]string{"SELECT * FROM over_torn": "1356", "SELECT * FROM recursive_calls": "1424"} {
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
			e := sdk.AsError(err, "")
			if account == testserver.MariaDBReader {
				if e == nil || e.Kind != sdk.KindNotReadOnly || !strings.Contains(e.Msg, "which the account may not see: GRANT SELECT ON mysql.proc") {
					t.Errorf("as %s, %s: %v", account, sql, err)
				}
			} else if e == nil || e.Kind == sdk.KindInternal || e.Code != code {
				t.Errorf("as %s, %s: %v", account, sql, err)
			}
		}
	}
}

// What the refusal says to add is what lets the statement run.
func TestAllowFunctions(t *testing.T) {
	t.Parallel()
	db, seer := hiding(t, openFolder(t))
	for _, allowed := range []string{"kills", "{db}.kills", "v_kills", "{db}.v_*"} {
		s := openWith(t, sdk.OpenRequest{Config: configOf(db, seer, map[string]any{"allow_functions": []string{strings.ReplaceAll(allowed, "{db}", db.Name)}})})
		query(t, s, "SELECT * FROM v_kills")
	}
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, seer, map[string]any{"allow_functions": []string{"far"}})})
	query(t, s, "SELECT * FROM v_remote")
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM v_kills"})
	wantKind(t, err, sdk.KindNotReadOnly)
	s = openWith(t, sdk.OpenRequest{Config: configOf(db, seer, map[string]any{
		"allow_functions": []string{"kills", "kill", db.Name + ".v_kill", "nothing_like_it*", db.Name + ".v_*", "load_file"},
	})})
	var warned []string
	for _, w := range s.Server().Warnings {
		if w.Path == "allow_functions" {
			warned = append(warned, w.Summary)
		}
	}
	if diff := cmp.Diff([]string{
		"allow_functions names kill, which is not there; did you mean kills?",
		"allow_functions names " + db.Name + ".v_kill, which is not there; did you mean " + db.Name + ".v_kills or " + db.Name + ".kills or " + db.Name + ".v_calls?",
		"allow_functions names nothing_like_it*, which is not there",
	}, warned); diff != "" {
		t.Error(diff)
	}
}
