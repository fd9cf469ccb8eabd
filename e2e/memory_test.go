//go:build cgo && linux

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fillsTheMemory are statements whose memory DuckDB does not count towards its
// own limit, or not in time. The last ends the process: C++ code that does not
// expect an allocation to fail.
var fillsTheMemory = []string{
	"SELECT range(2000000000) AS n",
	"SELECT range(2000000000) AS n",
	"SELECT range(2000000000) AS n",
	"SELECT range(2000000000) AS n",
	"SELECT range(2000000000) AS n",
	"SELECT list(range) AS n FROM range(400000000)",
	"SELECT range AS n FROM range(400000000) ORDER BY hash(range)",
	"SELECT histogram(range) AS n FROM range(100000000)",
}

const twoEngines = `version: 1
connections:
  attacked: {connector: duckdb, config: {folders: [data]}, limits: {memory: 512MiB, timeout: 10m}}
  other: {connector: duckdb, config: {folders: [data]}, limits: {memory: 512MiB, timeout: 10m}}
`

// TestStatementsThatFillTheMemory has one client send statements that take all
// memory there is, while another works on the same connection and on another.
func TestStatementsThatFillTheMemory(t *testing.T) {
	heavy(t, "statements that fill the memory")
	t.Parallel()
	dir := project(t, twoEngines)
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "t.csv"), []byte("n\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := httpServer(t, dir)
	attacker := client(t, &mcp.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{}})
	answers := func(when string) {
		t.Helper()
		for _, connection := range []string{"attacked", "other"} {
			got, f := s.sql(t.Context(), t, connection, "SELECT n FROM t", nil)
			if f != nil || len(got.Rows) != 1 {
				t.Errorf("%s, %s: %+v, %+v", when, connection, got, f)
			}
		}
	}
	answers("before")
	programs := connectors(t, s.cmd.Process.Pid)
	slices.Sort(programs) // in the order of their start
	if len(programs) != 2 {
		t.Fatalf("%d connector processes, want one for each connection", len(programs))
	}
	for _, statement := range fillsTheMemory {
		if _, f := attacker.sql(t.Context(), t, "attacked", statement, nil); f == nil || f.Code != "limit" {
			t.Errorf("%s: %+v, want limit", statement, f)
		}
		for _, pid := range connectors(t, s.cmd.Process.Pid) {
			if !alive(pid) {
				continue // the host has renewed it
			}
			if peak := resident(t, pid, "VmHWM") >> 10; peak > 900 {
				t.Errorf("%s: a connector held %d MiB with 512 MiB for its engine", statement, peak)
			}
		}
		answers(statement)
	}
	if now := connectors(t, s.cmd.Process.Pid); !slices.Contains(now, programs[1]) {
		t.Errorf("processes %v, before %v: the other connection lost its own", now, programs)
	}
}
