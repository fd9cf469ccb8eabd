//go:build cgo

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestScanStoreDuckDB(t *testing.T) {
	t.Parallel()
	heavy(t, "what a scan of DuckDB keeps")
	dir := duckDB(t, storeScript("INTEGER", "VARCHAR", "", func(n int) string { return fmt.Sprintf("repeat('x', %d)", n) })...)
	checkStore(t, dir, "bank.main.", func(s string) {
		db := openDuckDB(t, filepath.Join(dir, "data", "bank.db"))
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	})
}

// A table of 3,000 columns is scanned and profiled whole.
func TestScanWideTable(t *testing.T) {
	t.Parallel()
	heavy(t, "scans that meet trouble")
	const columns = 3000
	var names, values []string
	for i := range columns {
		names, values = append(names, fmt.Sprintf("c%d INTEGER", i)), append(values, fmt.Sprint(i))
	}
	dir := duckDB(t, "CREATE TABLE wide ("+strings.Join(names, ", ")+")", "INSERT INTO wide VALUES ("+strings.Join(values, ", ")+")")
	got := scan(t, dir)[0]
	if s := got.Snapshot; s.Tables != 1 || s.Columns != columns || s.ProfiledColumns != columns || len(s.Warnings) != 0 {
		t.Errorf("%+v", s)
	}
}
