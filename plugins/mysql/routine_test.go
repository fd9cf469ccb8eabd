package mysql

import (
	"strings"
	"testing"
)

// What the body of a routine says about itself; what it names is looked up.
func TestLeak(t *testing.T) {
	t.Parallel()
	d := &Dialects()[0]
	for body, want := range map[string]string{
		"RETURN 1":  "",
		"BEGIN END": "",
		"BEGIN INSERT INTO t VALUES (1); UPDATE t SET kill = 1; DELETE FROM shutdown; RETURN 1; END":                                                                                               "",
		"BEGIN DECLARE x INT DEFAULT 0; SELECT a, b INTO x, @y FROM t; SET x = 1, @z = 2, SESSION sql_mode = '', t.global = 3; RETURN x; END":                                                      "",
		"BEGIN IF a THEN RETURN 1; ELSEIF CASE a WHEN 1 THEN b ELSE c END THEN RETURN 2; ELSE RETURN 3; END IF; END":                                                                               "",
		"BEGIN CASE x WHEN 1 THEN SET y = 1; WHEN (CASE WHEN z THEN 1 END) THEN SET y = 2; ELSE BEGIN END; END CASE; RETURN y; END":                                                                "",
		"l1: BEGIN l2: LOOP LEAVE l2; END LOOP l2; w: WHILE a DO ITERATE w; END WHILE w; REPEAT SET a = 1; UNTIL a END REPEAT; END l1":                                                             "",
		"BEGIN FOR i IN 1 .. 10 DO SET s = s + i; END FOR; FOR r IN (SELECT a FROM t) DO SET s = r.a; END FOR; RETURN s; END":                                                                      "",
		"BEGIN DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1; DECLARE EXIT HANDLER FOR SQLEXCEPTION, SQLSTATE VALUE '23000', 1062 BEGIN ROLLBACK; END; OPEN c; FETCH c INTO x; CLOSE c; END": "",
		"BEGIN START TRANSACTION; COMMIT; PREPARE s FROM 'x'; EXECUTE s; DEALLOCATE PREPARE s; CREATE TEMPORARY TABLE x (a INT); TRUNCATE TABLE x; END":                                            "",
		"(SELECT 1 INTO @x)": "",
		"BEGIN SET STATEMENT max_statement_time = 1 FOR SELECT 1 INTO @x; RETURN 1; END": "",
		"SELECT 'KILL 5; SHUTDOWN' INTO @x -- ; SHUTDOWN":                                "",

		"KILL 5":              "runs KILL",
		"BEGIN SHUTDOWN; END": "runs SHUTDOWN",
		"begin shutdown wait for all slaves; end":                                              "runs SHUTDOWN WAIT",
		"BEGIN IF a THEN KILL QUERY 5; END IF; END":                                            "runs KILL QUERY",
		"BEGIN IF a THEN RETURN 1; ELSE STOP SLAVE; END IF; END":                               "runs STOP SLAVE",
		"BEGIN CASE WHEN CASE x WHEN 1 THEN 2 END THEN START SLAVE; END CASE; END":             "runs START SLAVE",
		"BEGIN l: LOOP BINLOG 'x'; END LOOP; END":                                              "runs BINLOG",
		"BEGIN WHILE a DO PURGE BINARY LOGS TO 'x'; END WHILE; END":                            "runs PURGE BINARY",
		"BEGIN REPEAT XA START 'x'; UNTIL 1 END REPEAT; END":                                   "runs XA START",
		"BEGIN DECLARE EXIT HANDLER FOR SQLSTATE '45000', NOT FOUND KILL 5; RETURN 1; END":     "runs KILL",
		"BEGIN DECLARE EXIT HANDLER FOR oops BEGIN CHANGE MASTER TO MASTER_HOST='x'; END; END": "runs CHANGE MASTER",
		"BEGIN ALTER INSTANCE ROTATE INNODB MASTER KEY; END":                                   "runs ALTER INSTANCE",
		"BEGIN something NEW; END":                                                             "runs SOMETHING NEW",
		"BEGIN 5; END":                                                                         "runs a statement that is not known",
		"SELECT 1 INTO OUTFILE 'x'":                                                            "writes a file of the server (INTO OUTFILE)",
		"BEGIN INSERT INTO t SELECT 1; (SELECT 2) UNION SELECT 1 INTO DUMPFILE 'x'; END":       "writes a file of the server (INTO DUMPFILE)",
		"SET GLOBAL a = 1":         "changes a setting",
		"SET @a = 1, GLOBAL b = 2": "changes a setting",
		"SET @@global.a = 1":       "changes a setting",
		"SET @@ GLOBAL . a = 1":    "changes a setting",
		"SET PERSIST a = 1":        "changes a setting",
		"SET @@persist_only.a = 1": "changes a setting",
		"SET PASSWORD = 'x'":       "changes a setting",
		"SET STATEMENT max_statement_time = 0 FOR SET GLOBAL a = 1": "changes a setting",
		"BEGIN SELECT 1 /*!50000 INTO OUTFILE 'x' */; END":          "cannot be read",
		"BEGIN SELECT 'x": "cannot be read",
	} {
		if got := leak(d, body, "STRICT_TRANS_TABLES"); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	for mode, body := range map[string]string{"ANSI_QUOTES,ANSI": "RETURN 1", "PIPES_AS_CONCAT,ORACLE": "RETURN 1", "NO_BACKSLASH_ESCAPES": `RETURN '\'`} {
		if got := leak(d, body, mode); !strings.Contains(got, "sql_mode") {
			t.Errorf("%s: %q", mode, got)
		}
	}
	if got := leak(d, "RETURN 1", "NO_BACKSLASH_ESCAPES"); got != "" {
		t.Error(got)
	}
}

// The time to read a body grows with its length: no loop of it begins anew.
func TestLeakOfDeepBodies(t *testing.T) {
	t.Parallel()
	d := &Dialects()[0]
	for _, part := range []string{"BEGIN ", "IF a THEN ", "CASE WHEN CASE ", "SET x = (", "l: ", "DECLARE EXIT HANDLER FOR 1, ", "END "} {
		leak(d, strings.Repeat(part, 200_000), "") // ends
	}
}

func FuzzLeak(f *testing.F) {
	d := &Dialects()[0]
	f.Add("BEGIN IF a THEN KILL 5; END IF; END")
	f.Add("DECLARE EXIT HANDLER FOR NOT FOUND, SQLSTATE VALUE 'x' SET GLOBAL a = 1")
	f.Fuzz(func(t *testing.T, body string) {
		leak(d, body, "")
		// Whatever stands before it, a statement of its own is seen.
		if tokens, err := d.Tokens(body, nil); err == nil && len(tokens) == 0 && leak(d, body+"\nKILL 5", "") == "" {
			t.Errorf("%q hides a KILL", body)
		}
	})
}
