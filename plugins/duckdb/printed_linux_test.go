//go:build cgo

package duckdb_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loam-data/loam/sdk"
)

// CALL enable_profiling() makes every later query print to standard output,
// which belongs to the host.
func TestNothingIsPrinted(t *testing.T) {
	s := open(t, create(t, append(items, "CREATE VIEW loud AS FROM enable_profiling()", "CREATE MACRO loudly() AS TABLE FROM enable_profiling()",
		"CREATE VIEW louder AS FROM loud", `CREATE VIEW "LOUDEST view" AS FROM query('FROM enable_profiling()')`)...))
	read, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	restore := redirect(t, written)
	for _, sql := range []string{
		"CALL enable_profiling()", "FROM enable_profiling()", `FROM system.main."ENABLE_PROFILING"()`, "SELECT * FROM query('FROM enable_profiling()')",
		`FROM U&"\0065nable_profiling"()`, "FROM json_execute_serialized_sql(json_serialize_sql('FROM enable_profiling()'))", "FROM enable_logging(storage := 'stdout')",
		"FROM loud", "FROM loudly()", "FROM louder", "FROM 'loud'", `FROM "loudest VIEW"`, "SELECT * FROM items, main.loud", "SUMMARIZE loud", "EXPLAIN ANALYZE FROM loud",
	} {
		if e := refused(t, s, sql); e.Kind != sdk.KindNotReadOnly && e.Kind != sdk.KindNotFound && e.Kind != sdk.KindSyntax {
			t.Errorf("%s: %s %v", sql, e.Kind, e)
		}
	}
	query(t, s, "SELECT 'loud', 'enable_profiling()' FROM items")
	restore()
	if err := written.Close(); err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	if _, err := io.Copy(&printed, read); err != nil {
		t.Fatal(err)
	}
	if printed.Len() > 0 {
		t.Errorf("printed: %q", printed.String())
	}
}

// redirect makes the process's standard output, as C has it, write to a file
// until restore is called.
func redirect(t *testing.T, to *os.File) (restore func()) {
	t.Helper()
	saved, err := unix.Dup(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Dup3(int(to.Fd()), 1, 0); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Dup3(saved, 1, 0); err != nil {
			t.Fatal(err)
		}
		if err := unix.Close(saved); err != nil {
			t.Error(err)
		}
	}
}
