//go:build !race

// One goroutine, and ten times slower under the race detector.

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// manyTables makes a database of tables with 20 columns, a primary key and, from
// the second on, a foreign key each; one in ten is a view.
func manyTables(t *testing.T, tables int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "many.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for i := range 18 {
		columns = append(columns, fmt.Sprintf("column_%d DECIMAL(10,2)", i))
	}
	var ddl strings.Builder
	for i := range tables {
		if i%10 == 9 {
			fmt.Fprintf(&ddl, "CREATE VIEW view_%d AS SELECT * FROM table_%d;", i, i-1)
			continue
		}
		fmt.Fprintf(&ddl, "CREATE TABLE table_%d (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES table_0, %s);", i, strings.Join(columns, ", "))
	}
	if _, err := db.ExecContext(t.Context(), "BEGIN;"+ddl.String()+"COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// heapWriter watches the heap while tables come.
type heapWriter struct {
	tables int
	most   uint64
}

func (h *heapWriter) Table(*sdk.Table) error {
	if h.tables++; h.tables%250 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapInuse)
	}
	return nil
}
func (*heapWriter) Warning(sdk.Warning) error { return nil }
func (*heapWriter) Progress(sdk.Progress)     {}

// A scan of 5,000 tables with 100,000 columns runs as many statements as one of
// 500, in seconds.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a scan of 5,000 tables")
	}
	statements := map[int]int{}
	for _, tables := range []int{500, 5000} {
		conn, err := connector{config{Path: manyTables(t, tables)}}.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := conn.(*pooled).Conn
		query := catalogQueries(c)
		counted := func(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
			statements[tables]++
			return query(ctx, sql, row)
		}
		w, started := &heapWriter{}, time.Now()
		sum, err := scan(t.Context(), c, counted, false, sdk.ScanRequest{}, w)
		if err != nil || sum.Tables != int64(tables) || sum.Columns != int64(20*tables) || !sum.Complete {
			t.Fatalf("%+v, %v", sum, err)
		}
		t.Logf("%d tables, %d columns: %d statements, %s, heap of %d MiB", sum.Tables, sum.Columns, statements[tables],
			time.Since(started).Round(time.Millisecond), w.most>>20)
		started = time.Now()
		again, err := scan(t.Context(), c, query, false, sdk.ScanRequest{Since: sum.Since}, w)
		if err != nil || again.Tables != sum.Tables || again.Columns != 0 {
			t.Errorf("%+v, %v: nothing changed, but columns came", again, err)
		}
		t.Logf("the same again: %s, a token of %d KiB", time.Since(started).Round(time.Millisecond), len(sum.Since)>>10)
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if statements[500] != statements[5000] {
		t.Errorf("statements by tables: %v", statements)
	}
}
