package e2e

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

// visits are four rows around a leap day, with what engines write in a timestamp.
const visits = `CREATE TABLE visits (id INTEGER PRIMARY KEY, ts TIMESTAMP, seconds INTEGER, page VARCHAR(20));
INSERT INTO visits VALUES (1, '2024-02-28 23:00:00', 10, 'a'), (2, '2024-02-29 00:00:00', 20, 'a'),
	(3, '2024-02-29 10:30:00', 30, 'b'), (4, '2024-03-01 00:00:00', 40, 'b');`

// seenYAML is a source over a query whose times say nothing of how they are stored.
const seenYAML = `name: seen
sql: |
  SELECT id, ts, seconds, page
  FROM visits
primary_key: [id]
dimensions:
  - {name: ts, type: time}
measures:
  - {name: n, agg: count}
  - {name: seconds_spent, agg: sum, expr: seconds}
`

func visitsSQLite(t *testing.T) string {
	dir := project(t, "version: 1\nconnections:\n  web: {connector: sqlite, config: {path: web.db}}\n")
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "web.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), visits); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A day means the same against a time of a query as against one of a table, on each
// engine: the engine describes the query once, and nothing has to be declared.
func TestDescribedQueries(t *testing.T) {
	t.Parallel()
	for _, engine := range []struct {
		name, connection string
		project          func(*testing.T) string
	}{
		{"sqlite", "web", visitsSQLite},
		{"postgres", "warehouse", func(t *testing.T) string {
			return warehouse(t, testserver.Postgres(t).Database(t, visits), testserver.PostgresReader)
		}},
		{"mariadb", "warehouse", func(t *testing.T) string {
			return mariaDB(t, testserver.MariaDB(t).Database(t, visits), testserver.MariaDBReader)
		}},
	} {
		t.Run(engine.name, func(t *testing.T) {
			if engine.name == "mariadb" {
				heavy(t, "the same on MariaDB")
			}
			t.Parallel()
			dir := engine.project(t)
			write := func(yaml string) { replaceSeen(t, dir, engine.connection, yaml) }
			write(seenYAML)
			day := []string{"sl", "query", "-m", "seen.n", "-w", "seen.ts <= '2024-02-29'"}
			if r := loam(t, dir, append(day, "--format", "sql")...); r.code == 0 || !strings.Contains(r.stderr, "column_type") || !strings.Contains(r.stderr, "not known yet") {
				t.Errorf("what was never described: exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
			answers := func(want string, args ...string) {
				t.Helper()
				r := loam(t, dir, append(args, "--json")...)
				if rows := strings.Join(strings.Fields(r.stdout), ""); r.code != 0 || !strings.Contains(rows, `"rows":`+want) {
					t.Errorf("%q: exit %d, want %s: %s%s", args, r.code, want, r.stdout, r.stderr)
				}
			}
			answers(`[[2]]`, day...) // its first moment, as the same words mean of a table
			answers(`[["2024-02-29",2]]`, "sl", "query", "-m", "seen.n", "-b", "seen.ts.day", "--date-range", "seen.ts=2024-02-29")
			answers(`[["a",2],["b",2]]`, "sl", "query", "-m", "seen.n", "-b", "seen.page") // which no file declares
			// Another process asks nobody again.
			if r := loam(t, dir, append(day, "--format", "sql")...); r.code != 0 || !strings.Contains(r.stdout, "2024-02-29") {
				t.Errorf("what was described: exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
			if r := loam(t, dir, "sl", "show", "seen"); r.code != 0 || !strings.Contains(r.stdout, "page") {
				t.Errorf("%s%s", r.stdout, r.stderr)
			}
			if r := loam(t, dir, "sl", "validate"); r.code != 0 {
				t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
			write(strings.Replace(seenYAML, "{name: ts, type: time}", "{name: tz, type: time}", 1))
			r := loam(t, dir, "sl", "validate")
			if want := "seen.yaml:7:12: error: dimensions.tz: the query of seen gives no column tz; did you mean ts?"; r.code != 2 || !strings.Contains(r.stdout, want) {
				t.Errorf("exit %d, want %s: %s%s", r.code, want, r.stdout, r.stderr)
			}
			write(strings.Replace(seenYAML, "seconds, page\n", "seconds, paeg\n", 1))
			r = loam(t, dir, "sl", "validate")
			if want := "seen.yaml:2:6: error: sql: the engine refuses the query"; r.code != 2 || !strings.Contains(r.stdout, want) || !strings.Contains(r.stdout, "paeg") {
				t.Errorf("exit %d, want %s: %s%s", r.code, want, r.stdout, r.stderr)
			}
		})
	}
}

func replaceSeen(t *testing.T, dir, connection, yaml string) {
	t.Helper()
	path := filepath.Join(dir, "semantic-layer", connection, "seen.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), replaceFile(path, yaml)); err != nil {
		t.Fatal(err)
	}
}

// A warehouse that is away takes nothing away but what it alone knows.
func TestUndescribedQueries(t *testing.T) {
	t.Parallel()
	dir := visitsSQLite(t)
	replaceSeen(t, dir, "web", seenYAML)
	if err := os.Rename(filepath.Join(dir, "web.db"), filepath.Join(dir, "away.db")); err != nil {
		t.Fatal(err)
	}
	r := loam(t, dir, "sl", "query", "-m", "seen.n", "-w", "seen.ts <= '2024-02-29'")
	if r.code == 0 || !strings.Contains(r.stderr, "column_type") || !strings.Contains(r.stderr, "could not be asked") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := loam(t, dir, "sl", "validate"); r.code != 0 || !strings.Contains(r.stderr, "could not be asked") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	declared := strings.Replace(seenYAML, "type: time}", "type: time, column_type: timestamp}", 1)
	replaceSeen(t, dir, "web", declared)
	if r := loam(t, dir, "sl", "query", "-m", "seen.n", "-w", "seen.ts <= '2024-02-29'", "--format", "sql"); r.code != 0 {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
