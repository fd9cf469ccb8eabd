//go:build !windows

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A stranger's connector for an engine that differs from ours in what is easily taken for granted
// passes every check, and the semantic layer gives right numbers on it.
func TestAStrangersFirebird(t *testing.T) {
	t.Parallel()
	heavy(t, "a stand-in for Firebird is built and checked")
	dir := project(t, "version: 1\nconnections:\n  bank: {connector: acme/firebird, path: ./loam-connector-firebird, config: {path: firebird.db}}\n")
	program := filepath.Join(dir, "loam-connector-firebird")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", program, "./firebird/loam-connector-firebird").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.CopyFS(dir, os.DirFS("firebird/testdata")); err != nil {
		t.Fatal(err)
	}
	inShell(t, dir, "touch firebird.db && "+program+" manifest --output "+program+".json")

	c, code := check(t, dir, program)
	for _, r := range c.Results {
		if r.Outcome == "failed" {
			t.Errorf("%s/%s: %+v", r.Group, r.Check, r.Findings)
		}
	}
	if code != 0 || c.Level != "full" {
		t.Errorf("exit %d, level %s, lacks %q", code, c.Level, c.Lacks)
	}

	writeFile(t, filepath.Join(dir, "semantic-layer/bank/ledger.yaml"), `name: ledger
table: LEDGER
primary_key: [ID]
dimensions: [{name: account, expr: ACCOUNT_ID, type: number}]
measures:
  - {name: turnover_of_everything_that_was_ever_booked, agg: sum, expr: AMOUNT}
  - {name: bookings, agg: count}
`)
	for _, tt := range []struct{ name, args, rows, words string }{
		{"without groups", "-m ledger.turnover_of_everything_that_was_ever_booked -m ledger.bookings", "[[200,3]]", "FETCH FIRST"},
		{"with groups", "-m ledger.bookings -b ledger.account", "[[1,1],[2,2]]", "FETCH FIRST"},
		{"a page", "-m ledger.bookings -b ledger.account --limit 1 --offset 1", "[[2,2]]", "OFFSET 1 ROWS FETCH FIRST"},
	} {
		ask := append([]string{"sl", "query"}, strings.Fields(tt.args)...)
		r := loam(t, dir, append(ask, "--json")...)
		var a struct {
			Rows json.RawMessage `json:"rows"`
		}
		if err := json.Unmarshal([]byte(r.stdout), &a); err != nil {
			t.Errorf("%s: exit %d: %s", tt.name, r.code, r.stderr)
			continue
		}
		sql := loam(t, dir, append(ask, "--format", "sql")...).stdout
		if rows := strings.Join(strings.Fields(string(a.Rows)), ""); rows != tt.rows || !strings.Contains(sql, tt.words) {
			t.Errorf("%s: %s, want %s\n%s", tt.name, rows, tt.rows, sql)
		}
	}
	if r := loam(t, dir, "sql", "-c", "bank", "SELECT id FROM ledger LIMIT 1"); r.code == 0 || !strings.Contains(r.stderr, "Token unknown: LIMIT") {
		t.Errorf("LIMIT: exit %d: %s", r.code, r.stderr)
	}
}
