package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// discard counts what it is sent.
type discard struct{ rows int }

func (*discard) Started(string) error       { return nil }
func (*discard) Columns([]sdk.Column) error { return nil }
func (d *discard) Batch(b *sdk.Batch) error { d.rows += b.Rows; return nil }
func (*discard) Progress(sdk.Progress)      {}
func (*discard) Notice(sdk.Warning)         {}

func run(b testing.TB, s sdk.Session, sql string) int {
	d := &discard{}
	w := sdk.NewRowWriter(d, sdk.Limits{})
	if err := s.Execute(b.Context(), sdk.ExecuteRequest{SQL: sql}, w); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return d.rows
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkSmallQuery shows what the read-only sequence costs beside the driver
// alone, in one run: the difference of the medians is the connector's overhead.
func BenchmarkSmallQuery(b *testing.B) {
	db := testserver.Postgres(b).Database(b, "CREATE TABLE t AS SELECT i AS id, i * 1.5 AS amount, 'row ' || i AS name FROM generate_series(1, 1000) i")
	const sql = "SELECT id, amount, name FROM t WHERE id <= 10 ORDER BY id"
	s := openAs(b, db, testserver.PostgresReader)
	conn, err := pgx.Connect(b.Context(), db.DSN(testserver.PostgresReader))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	var driver, connector []time.Duration
	for b.Loop() {
		started := time.Now()
		rows, err := conn.Query(b.Context(), sql)
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
			if _, err := rows.Values(); err != nil {
				b.Fatal(err)
			}
		}
		rows.Close()
		driver = append(driver, time.Since(started))

		started = time.Now()
		run(b, s, sql)
		connector = append(connector, time.Since(started))
	}
	b.ReportMetric(float64(median(driver).Microseconds()), "driver-p50-µs")
	b.ReportMetric(float64(median(connector).Microseconds()), "connector-p50-µs")
}

// BenchmarkRows shows rows per second of a wide result.
func BenchmarkRows(b *testing.B) {
	db := testserver.Postgres(b).Database(b, "SELECT")
	s := openAs(b, db, testserver.PostgresReader)
	const sql = `SELECT i, i::int8 * 1000, i / 3.0::float8, i::numeric, 'name ' || i, i % 2 = 0, now(), current_date + i % 100, md5('x'), NULL::int
		FROM generate_series(1, 200000) i`
	rows := 0
	b.ReportAllocs()
	for b.Loop() {
		rows += run(b, s, sql)
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

// manyFunctions makes n functions that call each other, n/10 views over them, and
// one chain that leaves the transaction.
func manyFunctions(t testing.TB, n int) *testserver.PostgresDatabase {
	t.Helper()
	return manyFunctionsOn(t, testserver.Postgres(t), n)
}

func manyFunctionsOn(t testing.TB, server *testserver.PostgresServer, n int) *testserver.PostgresDatabase {
	t.Helper()
	db := server.Database(t, fmt.Sprintf(`CREATE TABLE t (id int);
		DO $$ BEGIN FOR i IN 1..%[1]d LOOP
			EXECUTE format('CREATE FUNCTION f%%s(a int) RETURNS int LANGUAGE plpgsql AS %%L', i, format('DECLARE x int; BEGIN SELECT a + count(*) INTO x FROM t WHERE id < 7; RETURN f%%s(x); END', i %% %[1]d + 1));
			IF i %% 10 = 0 THEN EXECUTE format('CREATE VIEW v%%s AS SELECT id, f%%s(id) AS x FROM t', i, i); END IF;
		END LOOP; END $$`, n))
	db.Exec(t, testserver.PostgresAdmin, `CREATE EXTENSION dblink; CREATE FUNCTION spend(a int) RETURNS text LANGUAGE sql AS $$ SELECT public.dblink_exec('', '') $$;
		CREATE VIEW spent AS SELECT spend(1)`)
	return db
}

// BenchmarkReach shows what it costs to find out what statements reach: the first time
// for a catalogue with n functions; after a change of a function and of a view; when
// only data has changed; and with nothing changed, where a repeated statement asks
// for nothing. What is above that is the look-up. These are the least of all rounds:
// whatever else the machine does only adds to them.
func BenchmarkReach(b *testing.B) {
	for _, n := range []int{0, 100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			db := manyFunctions(b, n)
			s := openAs(b, db, testserver.PostgresReader)
			write := writer(b, db)
			var nothing, data, one, view []time.Duration
			timed := func(into *[]time.Duration) {
				started := time.Now()
				run(b, s, "SELECT 1")
				*into = append(*into, time.Since(started))
			}
			var first []time.Duration
			timed(&first)
			for b.Loop() {
				run(b, s, "SELECT 1") // finds out that nothing changes any more
				timed(&nothing)
				write("INSERT INTO t VALUES (1)")
				timed(&data)
				write("CREATE OR REPLACE FUNCTION f1(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'")
				timed(&one)
				write("CREATE OR REPLACE VIEW v10 AS SELECT id, f1(id) AS x FROM t WHERE id < 8")
				timed(&view)
			}
			b.ReportMetric(float64(first[0].Microseconds()), "first-µs")
			b.ReportMetric(float64(slices.Min(nothing).Microseconds()), "nothing-µs")
			b.ReportMetric(float64(slices.Min(data).Microseconds()), "data-µs")
			b.ReportMetric(float64(slices.Min(one).Microseconds()), "change-µs")
			b.ReportMetric(float64(slices.Min(view).Microseconds()), "view-µs")
			b.ReportMetric(float64((median(data) - median(nothing)).Microseconds()), "data-look-up-p50-µs")
			b.ReportMetric(float64((median(one) - median(nothing)).Microseconds()), "change-look-up-p50-µs")
		})
	}
}

// writer returns what runs statements as the owner over one connection: the end of a
// process of the server is no part of a look-up behind it.
func writer(b *testing.B, db *testserver.PostgresDatabase) func(sql string) {
	conn, err := pgx.Connect(b.Context(), db.DSN(testserver.PostgresOwner))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	return func(sql string) {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReachTables shows what a look-up costs after another transaction, in a database with n
// tables of eight columns and a primary key.
func BenchmarkReachTables(b *testing.B) {
	for _, n := range []int{1, 300, 3000, 30000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			db := testserver.PostgresAt(b, "18").Database(b, "CREATE TABLE t1 (id int)")
			for from := 2; from <= n; from += 500 { // locks are limited
				db.Exec(b, testserver.PostgresOwner, fmt.Sprintf(`DO $$ BEGIN FOR i IN %d..%d LOOP
					EXECUTE format('CREATE TABLE t%%s (id int PRIMARY KEY, a text, b text, c numeric, d date, e int, f int, g int)', i); END LOOP; END $$`, from, min(from+499, n)))
			}
			db.Exec(b, testserver.PostgresAdmin, "ANALYZE")
			for _, role := range []string{testserver.PostgresReader, testserver.PostgresAdmin} {
				b.Run(role, func(b *testing.B) {
					s := openAs(b, db, role)
					write := writer(b, db)
					var nothing, data []time.Duration
					timed := func(into *[]time.Duration) {
						started := time.Now()
						run(b, s, "SELECT 1")
						*into = append(*into, time.Since(started))
					}
					run(b, s, "SELECT 1")
					for b.Loop() {
						run(b, s, "SELECT 1")
						timed(&nothing)
						write("INSERT INTO t1 VALUES (1)")
						timed(&data)
					}
					b.ReportMetric(float64(slices.Min(nothing).Microseconds()), "nothing-µs")
					b.ReportMetric(float64(slices.Min(data).Microseconds()), "data-µs")
					b.ReportMetric(float64((median(data) - median(nothing)).Microseconds()), "look-up-p50-µs")
				})
			}
		})
	}
}

// BenchmarkOpen shows what it costs to open a session in a database with n tables: when
// something was committed since the last one, and when nothing was. The difference is what
// the rights of the account cost.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1, 300, 3000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			db := testserver.NewPostgresAt(b, "18").Database(b, fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP EXECUTE format('CREATE TABLE t%%s (id int)', i); END LOOP; END $$;
				GRANT SELECT ON ALL TABLES IN SCHEMA public TO loam_reader`, n))
			connector, config := postgres.Connector(), configOf(db, testserver.PostgresReader, nil)
			var committed, unchanged []time.Duration
			timed := func(into *[]time.Duration) {
				started := time.Now()
				warned(b, connector, config)
				*into = append(*into, time.Since(started))
			}
			for b.Loop() {
				db.Exec(b, testserver.PostgresOwner, "INSERT INTO t1 VALUES (1)")
				timed(&committed)
				timed(&unchanged)
			}
			b.ReportMetric(float64(median(committed).Microseconds()), "committed-p50-µs")
			b.ReportMetric(float64(median(unchanged).Microseconds()), "unchanged-p50-µs")
			b.ReportMetric(float64((slices.Min(committed) - slices.Min(unchanged)).Microseconds()), "rights-µs")
		})
	}
}

// Ten thousand functions are looked through, and only what leaves is refused.
func TestReachManyFunctions(t *testing.T) {
	t.Parallel()
	n := 10000
	if testing.Short() {
		t.Log("-short: 9,000 more functions")
		n = 1000
	}
	s := openAs(t, manyFunctions(t, n), testserver.PostgresReader)
	for sql, refused := range map[string]bool{"SELECT * FROM spent": true, "SELECT spend(1)": true, "SELECT * FROM v100 WHERE false": false, "SELECT id FROM t": false} {
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); (sdk.KindOf(err) == sdk.KindNotReadOnly) != refused || !refused && err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
