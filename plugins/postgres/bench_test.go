package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loam-data/loam/e2e/testserver"
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
