//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestFrozenConnectorIsNotTheStatementsFault stops a real connector in the middle
// of a statement, as a debugger or a full swap does.
func TestFrozenConnectorIsNotTheStatementsFault(t *testing.T) {
	heavy(t, "frozen connectors")
	t.Parallel()
	dir := project(t, "version: 1\nconnections:\n  w: {connector: sqlite, config: {path: w.db}, limits: {timeout: 2s}}\n")
	if err := os.WriteFile(filepath.Join(dir, "w.db"), nil, 0o600); err != nil { // a database without tables
		t.Fatal(err)
	}
	s := stdioServer(t, dir)
	works(t, s, "SELECT 1")
	running := connectors(t, s.cmd.Process.Pid)
	if len(running) != 1 {
		t.Fatalf("connectors: %v", running)
	}
	go func() {
		for {
			select {
			case p := <-s.progress:
				if strings.HasPrefix(p.Message, "Executing") {
					if err := syscall.Kill(running[0], syscall.SIGSTOP); err != nil {
						t.Error(err)
					}
					return
				}
			case <-t.Context().Done():
				return
			}
		}
	}()
	params := &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{
		"connectionId": "w", "sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
	}}
	params.SetProgressToken("frozen")
	r, err := s.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	failed := &failure{}
	unmarshal(t, body, failed)
	unanswered(t, failed, "sqlite")
	if err := syscall.Kill(running[0], syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	works(t, s, "SELECT 2")
}

// TestWhoKeepsTheTime has a connector that ends a statement in time, and one that
// does not answer though its process lives.
func TestWhoKeepsTheTime(t *testing.T) {
	heavy(t, "frozen connectors")
	t.Parallel()
	dir := project(t, "version: 1\nconnections:\n  w: {connector: chaos, config: {}, limits: {timeout: 1s}}\n")
	s := stdioServer(t, dir, "LOAM_CONNECTOR_PATH="+chaosConnector(t), "LOAM_TRUST=1")
	works(t, s, "SELECT x")
	failed := failureOf(t, s, "SELECT hang")
	if failed == nil || failed.Code != "timeout" || !strings.Contains(failed.Message, "the statement did not finish in the time allowed") {
		t.Errorf("a slow statement: %+v", failed)
	}
	unanswered(t, failureOf(t, s, "SELECT hang hard"), "chaos")
	works(t, s, "SELECT x")
}

// works wants an answer to a statement.
func works(t *testing.T, s *server, sql string) {
	t.Helper()
	if failed := failureOf(t, s, sql); failed != nil {
		t.Fatalf("%s: %+v", sql, failed)
	}
}

// failureOf runs a statement and returns its failure, again where its short time was over before
// the statement began: to start a connector, to connect or to get a slot takes seconds on a
// busy machine.
func failureOf(t *testing.T, s *server, sql string) (failed *failure) {
	t.Helper()
	for range 20 {
		_, failed = s.sql(t.Context(), t, "w", sql, nil)
		if failed == nil || failed.Code != "timeout" || !strings.Contains(failed.Message, "the time allowed was over before") {
			break
		}
	}
	return failed
}

// unanswered wants the error of a connector that did not answer in time.
func unanswered(t *testing.T, f *failure, connector string) {
	t.Helper()
	if f == nil || f.Code != "unavailable" || !f.Retryable || !strings.Contains(f.Message, "connector "+connector+" did not answer within") ||
		strings.Contains(f.Message, "statement") || !strings.Contains(f.Hint, "loam doctor") {
		t.Errorf("%+v", f)
	}
}
