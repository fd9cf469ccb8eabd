package mysql_test

import (
	"database/sql"
	"slices"
	"testing"
	"time"

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
	db := testserver.MariaDB(b).Database(b, "CREATE TABLE t (id INT PRIMARY KEY, amount DECIMAL(10,2), name VARCHAR(20)) AS SELECT seq AS id, seq * 1.5 AS amount, CONCAT('row ', seq) AS name FROM seq_1_to_1000")
	const query = "SELECT id, amount, name FROM t WHERE id <= 10 ORDER BY id"
	s := openAs(b, db, testserver.MariaDBReader)
	pool, err := sql.Open("mysql", db.DSN(testserver.MariaDBReader))
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	var driver, connector []time.Duration
	for b.Loop() {
		started := time.Now()
		rows, err := pool.QueryContext(b.Context(), query)
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
			var id, amount, name sql.RawBytes
			if err := rows.Scan(&id, &amount, &name); err != nil {
				b.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
		driver = append(driver, time.Since(started))

		started = time.Now()
		run(b, s, query)
		connector = append(connector, time.Since(started))
	}
	b.ReportMetric(float64(median(driver).Microseconds()), "driver-p50-µs")
	b.ReportMetric(float64(median(connector).Microseconds()), "connector-p50-µs")
}

// BenchmarkRows shows rows per second and allocations per row of a wide result.
func BenchmarkRows(b *testing.B) {
	db := testserver.MariaDB(b).Database(b, "")
	s := openAs(b, db, testserver.MariaDBReader)
	const query = `SELECT seq, seq * 1000, seq / 3e0, CAST(seq AS DECIMAL(20,4)), CONCAT('name ', seq), seq % 2 = 0, TIMESTAMP '2024-01-01 00:00:00' + INTERVAL seq SECOND,
		DATE '2024-01-01' + INTERVAL seq % 100 DAY, MD5('x'), NULL FROM seq_1_to_200000`
	rows := 0
	b.ReportAllocs()
	for b.Loop() {
		rows += run(b, s, query)
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
