package mysql_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// A date that is none makes its column text, with a notice; one that comes too
// late for that makes it text the next time.
func TestDatesThatAreNone(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `SET sql_mode = ''; CREATE TABLE t (id INT PRIMARY KEY, day DATE, at DATETIME);
		INSERT INTO t SELECT seq, '2024-01-01', '2024-01-01' FROM seq_1_to_1000; INSERT INTO t VALUES (0, '0000-00-00', NULL), (2000, '2024-01-02', '2024-00-01 12:00:00')`)
	s := openAs(t, db, testserver.MariaDBReader)
	r := query(t, s, "SELECT day, at FROM t WHERE id < 2 ORDER BY id")
	if diff := cmp.Diff([][]any{{"0000-00-00", nil}, {"2024-01-01", int64(1704067200000000)}}, r.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if len(r.Notices) != 1 || r.Notices[0].Object != "day" || r.Columns[0].Type != sdk.TypeText || r.Columns[1].Type != sdk.TypeTimestamp {
		t.Errorf("columns %+v, notices %v", r.Columns, r.Notices)
	}

	const late = "SELECT day, at FROM t WHERE id > 0 ORDER BY id"
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: late})
	if e := wantKind(t, err, sdk.KindConflict); !e.Retry || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
	r = query(t, s, late)
	if last := r.Rows[len(r.Rows)-1]; r.Columns[0].Type != sdk.TypeDate || last[1] != "2024-00-01 12:00:00" || len(r.Notices) != 1 {
		t.Errorf("columns %+v, last row %v, notices %v", r.Columns, last, r.Notices)
	}
}
