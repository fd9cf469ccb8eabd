package conform_test

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	built "github.com/loam-data/loam/e2e/program"
)

// The CSV connector that was built when contract 1.0 was the newest satisfies the kit of
// today, by the tests of the connector itself, which is a module of its own.
func TestCSVConnectorOfContract10(t *testing.T) {
	binary := built.Frozen(t, "examples/connector-csv")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-short", "-count=1", "-vet=off", "-run", "^TestConformance$/^binary$", ".")
	cmd.Dir = "../../../examples/connector-csv"
	cmd.Env = append(os.Environ(), "GOWORK=off", "LOAM_CSV_BINARY="+binary)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The host of contract 1.0 runs a connector of today: it ignores what it does not know of
// the manifest, reads rows, scans and refuses writes.
func TestHostOfContract10(t *testing.T) {
	host := built.FrozenProgram(t, "cmd/loam")
	dir, connectors := t.TempDir(), t.TempDir()
	connector := filepath.Join(connectors, "loam-connector-sqlite")
	if err := os.Symlink(built.Connector(t, "sqlite"), connector); err != nil {
		t.Fatal(err)
	}
	built.Describe(t, connector)
	db, err := sql.Open("sqlite", filepath.Join(dir, "w.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE orders (id INTEGER PRIMARY KEY, price NUMERIC, at TIMESTAMP); INSERT INTO orders VALUES (7, 1.5, '2024-01-01 10:00:00')"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), []byte("version: 1\nconnections:\n  w: {connector: sqlite, config: {path: w.db}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		fails bool
		want  string
	}{
		{[]string{"sql", "-c", "w", "--json", "SELECT id, at FROM orders"}, false, `[7,"2024-01-01 10:00:00"]`},
		{[]string{"scan", "w"}, false, "1 table, 3 columns"},
		{[]string{"search", "orders"}, false, "orders"},
		{[]string{"sql", "-c", "w", "DELETE FROM orders"}, true, "DELETE is refused"},
		{[]string{"sql", "-c", "w", "--json", "SELECT count(*) FROM orders"}, false, "[1]"},
	} {
		cmd := exec.CommandContext(t.Context(), host, c.args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LOAM_CONNECTOR_PATH="+connectors, "LOAM_TRUST=1", "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails || !strings.Contains(string(out), c.want) {
			t.Errorf("loam %v: %v\n%s", c.args, err, out)
		}
	}
}
