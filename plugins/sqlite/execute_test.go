package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// late returns a statement whose value v comes after n rows of w.
func late(n int, w, v string) string {
	return fmt.Sprintf("WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i <= %d) SELECT i, CASE WHEN i <= %[1]d THEN %s ELSE %s END AS v FROM n", n, w, v)
}

// A value that comes too late to change its column's type is neither bent nor
// lost: the statement fails, and repeated it delivers text.
func TestMisfit(t *testing.T) {
	t.Parallel()
	const many = 9000 // more than are read ahead
	for _, tt := range []struct{ name, first, late, want string }{
		{"text after integers", "i", "'many'", "many"},
		{"a real after integers", "i", "0.5", "0.5"},
		{"a blob after integers", "i", "x'ff00'", "X'FF00'"},
		{"a large integer after reals", "i * 0.5", "9007199254740993", "9007199254740993"},
		{"text after blobs", "x'00'", "'a'", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, write(t, nil))
			req := sdk.ExecuteRequest{SQL: late(many, tt.first, tt.late)}
			_, _, err := execute(t.Context(), s, req)
			if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindUnsupported || !e.Retry || !strings.Contains(e.Msg, `"v"`) || e.Hint == "" {
				t.Fatalf("got %#v", err)
			}
			got, sum, err := execute(t.Context(), s, req)
			if err != nil || sum.Rows != many+1 {
				t.Fatalf("repeated: %d rows, %v", sum.Rows, err)
			}
			if got.columns[0].Type != sdk.TypeInt64 || got.columns[1].Type != sdk.TypeText || got.rows[many][1] != tt.want {
				t.Errorf("columns %s and %s, last row %v", got.columns[0].Type, got.columns[1].Type, got.rows[many])
			}
			if len(got.notices) != 1 || got.notices[0].Object != "v" || got.notices[0].Code != "mixed" {
				t.Errorf("notices %+v", got.notices)
			}
		})
	}
}

// Declared types are promises that later values may break as well.
func TestMisfitOfDeclaredTypes(t *testing.T) {
	t.Parallel()
	path := create(t, "CREATE TABLE t (day DATE, yes BOOLEAN)",
		"WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO t SELECT '2024-02-29', 1 FROM n",
		"INSERT INTO t VALUES ('29.2.2024', 2)")
	s := open(t, path)
	for _, column := range []string{"day", "yes"} {
		sql := "SELECT " + column + " FROM t"
		if _, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) != sdk.KindUnsupported {
			t.Errorf("%s: %v", column, err)
		}
		got := query(t, s, sql)
		if got.columns[0].Type != sdk.TypeText || len(got.rows) != 9001 {
			t.Errorf("%s repeated: %s, %d rows", column, got.columns[0].Type, len(got.rows))
		}
	}
	last := query(t, s, "SELECT day, yes FROM t ORDER BY rowid DESC LIMIT 1")
	if diff := cmp.Diff([][]any{{"29.2.2024", int64(2)}}, last.rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Text that stands for values of other types says so; text that is text does not.
func TestMixedColumnsAreNoted(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE t (whole, part, words, any, raw)", "INSERT INTO t VALUES (1, 1, 'a', 1, x'00'), (2, 0.5, 'b', 'many', 'text'), (NULL, NULL, NULL, NULL, NULL)"))
	got := query(t, s, "SELECT * FROM t")
	var noted []string
	for _, n := range got.notices {
		noted = append(noted, n.Object)
	}
	if diff := cmp.Diff([]string{"any", "raw"}, noted); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A value that still fits is no misfit, however late it comes.
func TestLateValuesThatFit(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, nil))
	for _, tt := range []struct {
		first, late string
		want        any
	}{
		{"i", "NULL", nil}, {"NULL", "5", "5"}, {"i * 0.5", "5", 5.0}, {"'a'", "x'00'", "X'00'"}, {"'a'", "0.5", "0.5"}, {"'a'", "9e999", "Infinity"},
	} {
		got := query(t, s, late(9000, tt.first, tt.late))
		if diff := cmp.Diff(tt.want, got.rows[9000][1]); diff != "" {
			t.Errorf("%s after %s (-want +got):\n%s", tt.late, tt.first, diff)
		}
	}
}

// Whatever is read ahead, limits hold, and no row is lost or doubled at the seam.
func TestReadAheadSeams(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, nil))
	for _, n := range []int{0, 1, 127, 128, 129, 8191, 8192, 8193} {
		for _, limit := range []int64{0, 1, int64(n), int64(n) + 1, 8192} {
			sql := fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT 1 WHERE %[1]d > 0 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d) SELECT i FROM n", n)
			got, sum, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Limits: sdk.Limits{MaxRows: limit}})
			if err != nil {
				t.Fatal(err)
			}
			want := int64(n)
			if limit > 0 {
				want = min(want, limit)
			}
			if sum.Rows != want || int64(len(got.rows)) != want || (sum.TruncatedBy == sdk.TruncatedByRows) != (want < int64(n)) {
				t.Fatalf("%d rows, limit %d: %+v", n, limit, sum)
			}
			for i, row := range got.rows {
				if row[0] != int64(i+1) {
					t.Fatalf("%d rows, limit %d: row %d is %v", n, limit, i+1, row)
				}
			}
		}
	}
}

// Long cells fill the read-ahead before the rows do.
func TestReadAheadOfLongCells(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, nil))
	got, sum, err := execute(t.Context(), s, sdk.ExecuteRequest{
		SQL:    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i, printf('%.*c', 200000, char(64 + i % 26)) FROM n",
		Limits: sdk.Limits{MaxCellBytes: 150_000},
	})
	if err != nil || sum.Rows != 100 || sum.CellsClipped != 100 {
		t.Fatalf("summary %+v, %v", sum, err)
	}
	for i, row := range got.rows {
		if text := row[1].(string); len(text) != 150_000 || text[0] != byte(64+(i+1)%26) {
			t.Fatalf("row %d: %d characters of %q", i+1, len(text), text[0])
		}
	}
}

// Text is UTF-8 outside, whatever the file holds.
func TestUTF16(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"UTF-16le", "UTF-16be"} {
		s := open(t, create(t, "PRAGMA encoding = '"+encoding+"'", "CREATE TABLE t (x)", "INSERT INTO t VALUES ('naïve 東京 🦀'), ('')"))
		if diff := cmp.Diff([][]any{{"naïve 東京 🦀"}, {""}}, query(t, s, "SELECT x FROM t").rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", encoding, diff)
		}
	}
}

// A stored value longer than what may come to memory can still be measured and
// taken in parts.
func TestStoredGiant(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE t (id INTEGER, x)", "INSERT INTO t VALUES (1, zeroblob(70000000))"))
	got := query(t, s, "SELECT id, length(x) FROM t")
	if diff := cmp.Diff([][]any{{int64(1), int64(70_000_000)}}, got.rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT x FROM t"})
	if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindLimit || e.Code != "18" || e.Hint == "" {
		t.Errorf("got %#v", err)
	}
}

func TestDoubleQuotedStrings(t *testing.T) {
	t.Parallel()
	path := create(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES ('open')", `CREATE VIEW v AS SELECT x FROM t WHERE x = "open"`)
	strict := open(t, path)
	for _, sql := range []string{`SELECT "opne" FROM t`, "SELECT * FROM v"} {
		if _, _, err := execute(t.Context(), strict, sdk.ExecuteRequest{SQL: sql}); sdk.KindOf(err) != sdk.KindNotFound {
			t.Errorf("%s: %v", sql, err)
		}
	}
	lax := openWith(t, map[string]any{"path": path, "double_quoted_strings": true})
	if got := query(t, lax, "SELECT * FROM v"); len(got.rows) != 1 {
		t.Errorf("got %v", got.rows)
	}
}

// Many statements at once, some of them cancelled, on fewer connections: each
// gets its own answer.
func TestConcurrentStatements(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, nil))
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			if i%3 == 0 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
				defer cancel()
				_, _, err := execute(ctx, s, sdk.ExecuteRequest{SQL: "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"})
				if sdk.KindOf(err) != sdk.KindTimeout {
					t.Errorf("cancelled: %v", err)
				}
				return
			}
			got, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT ?", Params: []sdk.Value{int64(i)}})
			if err != nil || got.rows[0][0] != int64(i) {
				t.Errorf("statement %d: %v, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

func TestExecuteReceiverFails(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, nil))
	gone := errors.New("gone")
	w := sdk.NewRowWriter(refusing{&result{}, gone}, sdk.Limits{})
	err := s.Execute(t.Context(), sdk.ExecuteRequest{SQL: late(100_000, "i", "i")}, w)
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	query(t, s, "SELECT 1")
}

// refusing takes no batch.
type refusing struct {
	*result
	err error
}

func (r refusing) Batch(*sdk.Batch) error { return r.err }
