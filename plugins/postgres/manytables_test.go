package postgres_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// 5,000 tables with 100,000 columns are as many queries as 500, and need little
// memory in the connector's program.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a scan of 5,000 tables")
	}
	const few, many, columns = 500, 5000, 20
	db := testserver.Postgres(t).Database(t, "CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN cents AS bigint")
	binary := program.Connector(t, "postgres")
	var asked [2]sent // on the session's own wire: the server forgets what it has counted
	made := 0
	for i, tables := range []int{few, many} {
		for ; made < tables; made += 250 { // a transaction can lock only so many tables
			db.Exec(t, testserver.PostgresOwner, fmt.Sprintf(`DO $$ BEGIN FOR i IN %d..%d LOOP
				EXECUTE format('CREATE TABLE t_%%s (id bigint PRIMARY KEY, state mood, total cents, %s)', i); END LOOP; END $$`, made, made+249, plainColumns(columns-3)))
		}
		w, s := tapped(t, db, testserver.PostgresOwner, 1)
		w.taken()
		started := time.Now()
		_, summary := scanAll(t, s, sdk.ScanRequest{})
		asked[i] = w.taken()
		t.Logf("%d tables with %d columns: %s, %+v", summary.Tables, summary.Columns, time.Since(started).Round(time.Millisecond), asked[i])
		want := sdk.ScanSummary{Tables: int64(tables), Columns: int64(tables * columns), Since: summary.Since, Complete: true}
		if diff := cmp.Diff(want, summary); diff != "" {
			t.Errorf("summary (-want +got):\n%s", diff)
		}
		started = time.Now()
		_, again := scanAll(t, s, sdk.ScanRequest{Since: summary.Since})
		if again.Tables != summary.Tables || again.Columns != 0 {
			t.Errorf("%+v: nothing changed, but columns came", again)
		}
		t.Logf("the same again: %s, a token of %d KiB", time.Since(started).Round(time.Millisecond), len(summary.Since)>>10)
		scanByProgram(t, binary, db, tables)
	}
	if asked[0] != asked[1] || asked[0] == (sent{}) {
		t.Errorf("%+v for %d tables, %+v for %d", asked[0], few, asked[1], many)
	}
}

// scanByProgram scans with the connector's program and says what memory it took.
func scanByProgram(t *testing.T, binary string, db *testserver.PostgresDatabase, tables int) {
	t.Helper()
	config := configOf(db, testserver.PostgresOwner, map[string]any{"password": "env:LOAM_TEST_PASSWORD"})
	cmd := exec.CommandContext(t.Context(), binary, "scan", "--config", string(config.JSON))
	cmd.Env = append(os.Environ(), "LOAM_TEST_PASSWORD="+testserver.PostgresPassword)
	var errors bytes.Buffer
	output := &watched{cmd: cmd}
	cmd.Stdout, cmd.Stderr = output, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errors.String())
	}
	if output.lines <= tables {
		t.Errorf("the program wrote %d lines", output.lines)
	}
	t.Logf("the program used at most %s", output.memory)
}

// watched counts the lines that a program writes and reads what memory it has
// used. (What getrusage says of a child includes its parent, which it was before
// it became the program.)
type watched struct {
	cmd    *exec.Cmd
	lines  int
	memory string
}

func (w *watched) Write(p []byte) (int, error) {
	w.lines += bytes.Count(p, []byte("\n"))
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if _, peak, ok := strings.Cut(string(status), "VmHWM:"); err == nil && ok {
		w.memory, _, _ = strings.Cut(strings.TrimSpace(peak), "\n")
	}
	return len(p), nil
}

func plainColumns(n int) string {
	var list []byte
	for i := range n {
		list = fmt.Appendf(list, "c%d numeric(10,2), ", i)
	}
	return string(bytes.TrimSuffix(list, []byte(", ")))
}
