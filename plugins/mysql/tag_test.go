package mysql_test

import (
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// The process list shows who asks, and nothing in a tag ends its comment.
func TestTagsShowInTheProcessList(t *testing.T) {
	t.Parallel()
	const own = "SELECT INFO FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID() -- mine"
	db := testserver.MariaDB(t).Database(t, "SELECT 1")
	s := openAs(t, db, testserver.MariaDBReader)
	for _, c := range []struct {
		tags map[string]string
		want string
	}{
		{nil, own},
		{map[string]string{"principal": "ada"}, "/*principal='ada'*/ " + own},
		{map[string]string{"principal": "ada", "client": "x y"}, "/*client='x%20y',principal='ada'*/ " + own},
		{map[string]string{"!50000 p": "*/ SELECT 1; DROP TABLE t; /*'\\\x00?"}, "/*%2150000%20p='%2A%2F%20SELECT%201%3B%20DROP%20TABLE%20t%3B%20%2F%2A%27%5C%00%3F'*/ " + own},
	} {
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: own, Tags: c.tags})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Rows[0][0]; got != c.want {
			t.Errorf("%v: got %v, want %v", c.tags, got, c.want)
		}
	}
}

// TestTagsLeaveStatementsAsTheyAre: what is no SELECT works behind a tag, parameters
// too, and an error names the place in the text that was sent.
func TestTagsLeaveStatementsAsTheyAre(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE t (id INT); INSERT INTO t VALUES (7)")
	s := openAs(t, db, testserver.MariaDBReader)
	run := func(sql string, params ...sdk.Value) (*result, error) {
		return execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Params: params, Tags: map[string]string{"principal": "a?da"}})
	}
	for _, sql := range []string{"SHOW TABLES", "DESCRIBE t", "EXPLAIN SELECT * FROM t", "EXPLAIN ANALYZE SELECT * FROM t", "(SELECT 1)", "WITH x AS (SELECT 1) SELECT * FROM x;"} {
		if _, err := run(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if r, err := run("SELECT id FROM t WHERE id = ?", int64(7)); err != nil || len(r.Rows) != 1 {
		t.Errorf("got %v, %v", r, err)
	}
	_, err := run("SELECT id\nFROM t\nWHERE id == = 7")
	if e := wantKind(t, err, sdk.KindSyntax); e.Pos.Line != 3 {
		t.Errorf("the error is at %+v", e.Pos)
	}
}
