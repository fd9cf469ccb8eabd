//go:build cgo

package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// many makes a database of tables of 20 columns each.
func many(t testing.TB, tables int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "many.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	var columns, script strings.Builder
	for c := range 19 {
		fmt.Fprintf(&columns, ", c%d VARCHAR", c)
	}
	script.WriteString("BEGIN;")
	for i := range tables {
		fmt.Fprintf(&script, "CREATE TABLE t%05d (id INTEGER PRIMARY KEY%s);", i, &columns)
	}
	script.WriteString("COMMIT; CHECKPOINT")
	if _, err := db.ExecContext(context.Background(), script.String()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

type counter struct {
	tables, columns int
	sdk.ScanWriter
}

func (c *counter) Table(t *sdk.Table) error {
	c.tables++
	c.columns += len(t.Columns)
	return nil
}

func (*counter) Progress(sdk.Progress) {}

// A scan asks as many questions of 500 tables as of 5,000.
func TestScanQueriesDoNotGrow(t *testing.T) {
	few, more := 500, 5000
	if testing.Short() {
		t.Log("-short: a scan of 5,000 tables")
		few, more = 50, 500
	}
	asked := map[int]int{}
	for _, tables := range []int{few, more} {
		config := &config{Path: many(t, tables), Threads: 2}
		i, err := openInstance(t.Context(), config, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		c, err := i.connect()
		if err != nil {
			t.Fatal(err)
		}
		run := queries(c)
		counted := func(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
			asked[tables]++
			return run(ctx, sql, row)
		}
		found := &counter{}
		started := time.Now()
		if _, err := sqlkit.Scan(t.Context(), counted, catalog, sdk.ScanRequest{}, found); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d tables, %d columns in %s, resident %s", found.tables, found.columns, time.Since(started), resident())
		if found.tables != tables || found.columns != 20*tables {
			t.Errorf("%d tables and %d columns, want %d and %d", found.tables, found.columns, tables, 20*tables)
		}
		c.Close()
		i.db.Close()
	}
	if asked[few] != asked[more] {
		t.Errorf("%d queries for %d tables, %d for %d", asked[few], few, asked[more], more)
	}
}

// resident is the process's memory, for the log.
func resident() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}
