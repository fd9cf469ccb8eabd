package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/loam-data/loam/sdk"
)

const benchRows = 100_000

var benchTable = []string{
	`CREATE TABLE wide (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, x REAL, y REAL, s TEXT, t TEXT, d DATE, e TEXT, n INTEGER)`,
	fmt.Sprintf(`WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO wide SELECT i, i * 7919, i %% 13, i / 3.0, i * 1e-3, 'customer ' || i, 'open', '2024-02-29', 'x' || (i %% 97), CASE WHEN i %% 3 THEN i END FROM n`, benchRows),
}

// drop takes batches and forgets them.
type drop struct{ result }

func (*drop) Batch(*sdk.Batch) error { return nil }

func BenchmarkExecute(b *testing.B) {
	s := open(b, create(b, benchTable...))
	b.ReportAllocs()
	for b.Loop() {
		w := sdk.NewRowWriter(&drop{}, sdk.Limits{})
		if err := s.Execute(context.Background(), sdk.ExecuteRequest{SQL: "SELECT * FROM wide"}, w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkDriver reads the same rows with the module's database/sql driver.
func BenchmarkDriver(b *testing.B) {
	db := writable(b, create(b, benchTable...))
	b.ReportAllocs()
	for b.Loop() {
		rows, err := db.QueryContext(context.Background(), "SELECT * FROM wide")
		if err != nil {
			b.Fatal(err)
		}
		var v [10]any
		var into [10]any
		for i := range v {
			into[i] = &v[i]
		}
		for rows.Next() {
			if err := rows.Scan(into[:]...); err != nil {
				b.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkExecuteOneRow(b *testing.B) {
	s := open(b, create(b, benchTable...))
	for b.Loop() {
		w := sdk.NewRowWriter(&drop{}, sdk.Limits{})
		if err := s.Execute(context.Background(), sdk.ExecuteRequest{SQL: "SELECT * FROM wide WHERE id = 77"}, w); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDriverOneRow(b *testing.B) {
	db := writable(b, create(b, benchTable...))
	for b.Loop() {
		var v [10]sql.NullString
		if err := db.QueryRowContext(context.Background(), "SELECT * FROM wide WHERE id = 77").
			Scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	var ddl []string
	for i := range 2000 {
		ddl = append(ddl, fmt.Sprintf("CREATE TABLE t%d (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b INTEGER REFERENCES t%d, c DATE)", i, i/2))
	}
	path := create(b, append(append([]string{"BEGIN"}, ddl...), "COMMIT")...)
	s := open(b, path)
	for b.Loop() {
		if _, err := s.Scan(context.Background(), sdk.ScanRequest{}, &scanned{}); err != nil {
			b.Fatal(err)
		}
	}
}

// scanned records a scan.
type scanned struct {
	tables   []*sdk.Table
	warnings []sdk.Warning
}

func (s *scanned) Table(t *sdk.Table) error {
	s.tables = append(s.tables, t)
	return nil
}

func (s *scanned) Warning(w sdk.Warning) error {
	s.warnings = append(s.warnings, w)
	return nil
}

func (*scanned) Progress(sdk.Progress) {}
