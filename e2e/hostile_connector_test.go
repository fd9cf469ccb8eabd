//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// A connector of somebody else's declares writes as reads, under kinds that exist
// and others. The host refuses them before they reach it, and shows what it
// declares.
func TestHostileDialect(t *testing.T) {
	t.Parallel()
	heavy(t, "a hostile dialect")
	folder := chaosNamed(t, "hostile")
	record := filepath.Join(folder, "received")
	dir := project(t, fmt.Sprintf("version: 1\nconnections:\n  hostile: {connector: hostile, config: {record: %q}}\n", record))
	s := stdioServer(t, dir, "LOAM_CONNECTOR_PATH="+folder, "LOAM_TRUST=1")

	reads := []string{"SELECT 1", "PRAGMA table_info(t)", "EXPLAIN SELECT 2"}
	for _, sql := range reads {
		if _, f := s.sql(t.Context(), t, "hostile", sql, nil); f != nil {
			t.Errorf("%s: %+v", sql, f)
		}
	}
	for _, sql := range []string{
		"DELETE FROM t", "delete from t", "(DELETE FROM t)", "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "WITH x AS (SELECT 1) DELETE FROM t",
		"UPDATE t SET a = 1", "INSERT INTO t VALUES (1)", "DROP TABLE t", "INTO t SELECT 1",
		"SELECT * INTO t2 FROM t", "SELECT 1 INTO OUTFILE x", "SELECT * FROM t FOR UPDATE",
		"PRAGMA journal_mode = wal", "PRAGMA writable_schema(1)", "PRAGMA wal_checkpoint",
		"EXPLAIN DELETE FROM t", "EXPLAIN ANALYZE DELETE FROM t", "SELECT 1; DELETE FROM t",
	} {
		if _, f := s.sql(t.Context(), t, "hostile", sql, nil); f == nil || f.Code != "not_read_only" {
			t.Errorf("%s: %+v", sql, f)
		}
	}

	var received []string
	if text, err := os.ReadFile(record); err != nil {
		t.Error(err)
	} else {
		received = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	want := make([]string, len(reads))
	for i, sql := range reads {
		want[i] = "execute " + sql
	}
	if diff := cmp.Diff(want, received); diff != "" {
		t.Errorf("the connector received (-want +got):\n%s", diff)
	}
	declared(t, dir, folder)
}

// declared wants that the commands show what the dialect allows beyond the common
// set, and what it declares in vain.
func declared(t *testing.T, dir, folder string) {
	t.Helper()
	show := func(args ...string) string {
		t.Helper()
		r := loamWith(t, dir, []string{"LOAM_CONNECTOR_PATH=" + folder}, args...)
		if r.code != 0 {
			t.Fatalf("loam %v: exit %d: %s", args, r.code, r.stderr)
		}
		return r.stdout
	}
	refused := []string{"the option DELETE of EXPLAIN", "DELETE as query", "UPDATE as command", "INSERT of no kind", "DROP as show", "INTO as query"}
	info := show("connector", "info", "hostile")
	for _, want := range append([]string{"beyond the common set: PRAGMA", "declared and refused all the same"}, refused...) {
		if !strings.Contains(info, want) {
			t.Errorf("loam connector info does not show %q:\n%s", want, info)
		}
	}
	var list struct {
		Connectors []struct {
			ID      string   `json:"id"`
			Beyond  []string `json:"allowsBeyond"`
			Refused []string `json:"refused"`
		} `json:"connectors"`
	}
	if err := json.Unmarshal([]byte(show("connector", "list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Connectors {
		if c.ID == "hostile" && cmp.Equal(c.Beyond, []string{"PRAGMA"}) && cmp.Equal(c.Refused, refused) {
			return
		}
	}
	t.Errorf("loam connector list: %+v", list)
}

// What a connector of somebody else's answers harms neither the terminal nor the MCP
// client, and each failure names the connector.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	heavy(t, "a hostile connector's catalogs and answers")
	chaos, liar := chaosNamed(t, "chaos"), chaosNamed(t, "liar")
	yaml := "version: 1\nconnections:\n  liar: {connector: chaos, path: " + filepath.Join(liar, "loam-connector-liar") + "}\n"
	catalogs := []string{"names", "many", "cycle", "columns", "long", "twice"}
	for _, name := range catalogs {
		yaml += fmt.Sprintf("  %s: {connector: chaos, config: {catalog: %s}}\n", name, name)
	}
	dir := project(t, yaml)
	env := []string{"LOAM_CONNECTOR_PATH=" + chaos, "LOAM_TRUST=1"}
	run := func(args ...string) result {
		t.Helper()
		r := loamWith(t, dir, env, args...)
		for _, c := range r.stdout + r.stderr {
			if unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.In(c, unicode.Bidi_Control) {
				t.Errorf("loam %v prints %q", args, c)
				break
			}
		}
		return r
	}

	refused := map[string]string{"columns": "connector chaos broke the contract: a message Table holds more than", "long": "name has more than", "twice": "was sent twice"}
	for _, name := range catalogs {
		r := run("scan", name)
		if want, bad := refused[name]; bad && (r.code == 0 || !strings.Contains(r.stderr, want)) || !bad && r.code != 0 {
			t.Errorf("loam scan %s: exit %d: %s", name, r.code, r.stderr)
		}
	}
	for _, args := range [][]string{
		{"search", "previous instructions", "-c", "names"}, {"sl", "list", "--all", "-c", "names"}, {"sl", "list", "--all", "-c", "cycle"}, {"catalog", "list"},
	} {
		if r := run(args...); r.code != 0 {
			t.Errorf("loam %v: exit %d: %s", args, r.code, r.stderr)
		}
	}
	if r := run("sql", "-c", "liar", "SELECT status ESC RLO owned"); r.code == 0 || !strings.Contains(r.stderr, `connector chaos failed without an explanation: \x1b `) {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}

	s := stdioServer(t, dir, env...)
	for _, sql := range []string{"SELECT wide", "SELECT deep", "SELECT status MiB", "SELECT detail MiB"} {
		_, f := s.sql(t.Context(), t, "liar", sql, nil)
		if f == nil || !strings.Contains(f.Message, "internal error, incident") {
			t.Errorf("%s: %.300v", sql, f)
		}
		if _, f := s.sql(t.Context(), t, "cycle", "SELECT fine", nil); f != nil {
			t.Errorf("another connection after %s: %v", sql, f)
		}
	}
	a, f := s.sql(t.Context(), t, "liar", "SELECT notices MiB", nil)
	if f != nil || len(fmt.Sprint(a)) > 100<<10 {
		t.Errorf("notices: %.300v %.300v", a, f)
	}
}
