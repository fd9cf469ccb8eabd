package postgres_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// Every type of the server keeps its own name, with and without a modifier, and
// every value arrives.
func TestNativeTypesAreTheServers(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TYPE mood AS ENUM ('sad'); CREATE TYPE pair AS (a int, b mood)")
	s := openAs(t, db, testserver.PostgresOwner)
	names := []string{
		"numeric(38,10)", "numeric(5,0)", "numeric(3,-2)", "numeric(2,5)", "varchar(1)", "varchar(65535)", "char(10)", "bpchar", "bit(3)", "varbit(8)",
		"time(0)", "time(6)", "timetz(3)", "timestamp(2)", "timestamptz(6)", "timestamptz", "interval(3)", "interval year to month", "interval day to second(2)",
		"numeric(10,2)[]", "varchar(5)[]", "timestamp(3)[]", "mood[]", "pair[]", "name[]",
	}
	conn, err := pgx.Connect(t.Context(), db.DSN(testserver.PostgresOwner))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, row := range db.Rows(t, testserver.PostgresOwner, "SELECT format_type(oid, NULL) FROM pg_type WHERE typtype <> 'p' AND typisdefined") {
		names = append(names, row[0])
	}
	for _, name := range names {
		sql := fmt.Sprintf("SELECT NULL::%s AS v", name)
		description, err := conn.PgConn().Prepare(t.Context(), "", sql, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want string
		f := description.Fields[0]
		if err := conn.QueryRow(t.Context(), "SELECT format_type($1, $2)", f.DataTypeOID, f.TypeModifier).Scan(&want); err != nil {
			t.Fatal(err)
		}
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := r.Columns[0].NativeType; got != want {
			t.Errorf("%s: the native type is %q, want %q", name, got, want)
		}
	}
}

// Precision and scale go with a decimal whose type says them.
func TestPrecision(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openAs(t, db, testserver.PostgresReader)
	r := query(t, s, "SELECT 1::numeric(38,10), 1::numeric, 100::numeric(3,-2), 0::numeric(2,5)")
	var got [][2]int
	for _, c := range r.Columns {
		got = append(got, [2]int{c.Precision, c.Scale})
	}
	if diff := cmp.Diff([][2]int{{38, 10}, {0, 0}, {3, -2}, {2, 5}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The last years that the server knows cannot be said in 64-bit microseconds.
func TestTimestampOutOfRange(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openAs(t, db, testserver.PostgresReader)
	for _, typ := range []string{"timestamp", "timestamptz"} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT '294276-12-31 23:59:59.999999'::" + typ})
		if e := wantKind(t, err, sdk.KindUnsupported); e.Hint == "" {
			t.Error("there is no hint")
		}
		query(t, s, "SELECT '294276-12-31 23:59:59'::"+typ+"::text")
	}
}

// The role's own settings change nothing of what values look like.
func TestValuesDoNotDependOnTheRole(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t)
	db := server.Database(t, "SELECT")
	for _, setting := range []string{
		"datestyle = 'German, DMY'", "intervalstyle = 'iso_8601'", "timezone = 'Asia/Kolkata'", "extra_float_digits = -15", "bytea_output = 'escape'",
		"standard_conforming_strings = off", "statement_timeout = '1ms'", "default_transaction_isolation = 'serializable'",
	} {
		db.Exec(t, testserver.PostgresAdmin, "ALTER ROLE loam_reader SET "+setting)
	}
	s := openAs(t, db, testserver.PostgresReader)
	r := query(t, s, `SELECT '2024-02-29'::date::text, '1 day 02:00'::interval, ARRAY['2024-02-29 12:00+02'::timestamptz], 0.1::float4, ARRAY[0.1::float8 * 3],
		ARRAY['\x00'::bytea], '\', current_setting('TimeZone')`)
	want := []any{"2024-02-29", "1 day 02:00:00", `["2024-02-29T10:00:00Z"]`, 0.1, "[0.30000000000000004]", `["AA=="]`, `\`, "UTC"}
	if diff := cmp.Diff(want, r.Rows[0]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A type may change under a session that knows it.
func TestTypesThatChange(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TYPE pair AS (a int); CREATE TABLE t (p pair, n int); INSERT INTO t VALUES (ROW(1), 1)")
	s := openAs(t, db, testserver.PostgresOwner)
	const sql = "SELECT p, n FROM t"
	for range 2 {
		if got := query(t, s, sql).Rows[0][0]; got != `{"a":1}` {
			t.Fatalf("got %v", got)
		}
	}
	db.Exec(t, testserver.PostgresOwner, "ALTER TYPE pair ADD ATTRIBUTE b text CASCADE")
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
	if e := wantKind(t, err, sdk.KindConflict); !e.Retry {
		t.Error("the error is not worth a retry")
	}
	if got := query(t, s, sql).Rows[0][0]; got != `{"a":1,"b":null}` {
		t.Errorf("afterwards: %v", got)
	}
	db.Exec(t, testserver.PostgresOwner, "ALTER TABLE t ALTER n TYPE text")
	if r := query(t, s, sql); r.Columns[1].Type != sdk.TypeText || r.Rows[0][1] != "1" {
		t.Errorf("a column that became text: %s %v", r.Columns[1].Type, r.Rows[0][1])
	}
	db.Exec(t, testserver.PostgresOwner, "DROP TABLE t")
	_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
	wantKind(t, err, sdk.KindNotFound)
}

func TestResultsOfAllSizes(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openAs(t, db, testserver.PostgresReader)
	t.Run("1,600 columns", func(t *testing.T) {
		const n = 1600 // the server's own limit is 1,664
		list := make([]string, n)
		for i := range list {
			list[i] = strconv.Itoa(i) + " AS c"
		}
		r := query(t, s, "SELECT "+strings.Join(list, ", "))
		if len(r.Columns) != n || r.Rows[0][n-1] != int64(n-1) {
			t.Errorf("%d columns, the last is %v", len(r.Columns), r.Rows[0][n-1])
		}
	})
	t.Run("more columns than there can be", func(t *testing.T) {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT " + strings.TrimSuffix(strings.Repeat("1,", 1665), ",")})
		if e := wantKind(t, err, sdk.KindLimit); e.Code != "54011" {
			t.Errorf("the code is %q", e.Code)
		}
	})
	t.Run("a row of 15 MiB", func(t *testing.T) {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT " + strings.TrimSuffix(strings.Repeat("repeat('x', 1 << 20),", 15), ",")})
		wantKind(t, err, sdk.KindLimit)
		query(t, s, "SELECT 1")
	})
	t.Run("a row of 80 MiB", func(t *testing.T) {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT repeat('x', 80 << 20)"})
		wantKind(t, err, sdk.KindLimit)
		query(t, s, "SELECT 1")
	})
	t.Run("a document of 2 MiB", func(t *testing.T) {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: `SELECT ('"' || repeat('x', 2 << 20) || '"')::json`})
		wantKind(t, err, sdk.KindLimit)
	})
	t.Run("a text of 2 MiB is clipped", func(t *testing.T) {
		r := query(t, s, "SELECT repeat('x', 2 << 20)")
		if got := len(r.Rows[0][0].(string)); got != 1<<20 || r.Summary.CellsClipped != 1 {
			t.Errorf("%d bytes, %d cells clipped", got, r.Summary.CellsClipped)
		}
	})
}

// peak notes how much the heap grew while a result passed by.
type peak struct {
	discard
	base, most uint64
}

func (p *peak) Batch(b *sdk.Batch) error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.most = max(p.most, m.HeapInuse-min(m.HeapInuse, p.base))
	return p.discard.Batch(b)
}

// A result of 100 MiB needs no more memory than its batches. Not parallel: it
// looks at the memory of the whole process.
func TestLargeResultsNeedLittleMemory(t *testing.T) {
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openAs(t, db, testserver.PostgresReader)
	for _, limits := range []sdk.Limits{{}, {MaxBytes: 90 << 20}} {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p := &peak{base: m.HeapInuse}
		w := sdk.NewRowWriter(p, limits)
		if err := s.Execute(t.Context(), sdk.ExecuteRequest{SQL: "SELECT i, repeat('x', 10000) FROM generate_series(1, 10500) i"}, w); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if sum := w.Summary(); sum.Bytes < 85<<20 || (sum.TruncatedBy == sdk.TruncatedNot) != (limits.MaxBytes == 0) {
			t.Errorf("%d bytes came, cut by %q", sum.Bytes, sum.TruncatedBy)
		}
		if p.most > 32<<20 {
			t.Errorf("the heap grew by %d MiB", p.most>>20)
		}
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE FUNCTION talks(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
		FOR i IN 1..n LOOP RAISE WARNING 'number %', i; END LOOP; RETURN n; END $$`)
	s := openAs(t, db, testserver.PostgresReader)
	for _, c := range []struct{ says, want int }{{0, 0}, {2, 2}, {100, 100}, {101, 101}, {5000, 101}} {
		r := query(t, s, fmt.Sprintf("SELECT talks(%d)", c.says))
		if len(r.Notices) != c.want {
			t.Errorf("of %d notices %d came, want %d", c.says, len(r.Notices), c.want)
		}
		if c.says == 2 {
			want := sdk.Warning{Code: "01000", Message: "WARNING: number 2"}
			if diff := cmp.Diff(want, r.Notices[1]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		}
	}
}
