//go:build cgo

// Package service tests Loam as a black box on the services that cannot be had: the real
// binaries, with the fixtures of e2e/testserver in the services' place.
package service

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/e2e/testserver/sqlserver"
)

// bin is the folder with the programs: LOAM_BIN, or one that ends with the tests.
var bin string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	flag.Parse()
	if bin = os.Getenv("LOAM_BIN"); bin != "" || testing.Short() {
		return m.Run()
	}
	var err error
	if bin, err = os.MkdirTemp("", "loam-service-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	build := exec.Command("make", "--no-print-directory", "-s", "BIN="+bin, "connector-sqlserver", "connector-snowflake", filepath.Join(bin, "loam"))
	build.Dir = filepath.Join("..", "..")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		return 1
	}
	return m.Run()
}

// project is a folder with one connection, warehouse.
type project struct {
	dir string
	env []string
}

// newProject writes a project for a connector. Its secret is LOAM_TEST_SECRET.
func newProject(t testing.TB, connector, config, secret string) *project {
	t.Helper()
	p := &project{dir: t.TempDir(), env: append(os.Environ(), "LOAM_TRUST=1", "LOAM_TEST_SECRET="+secret, "LOAM_CONNECTOR_PATH="+bin)}
	yaml := fmt.Sprintf("version: 1\nconnections:\n  warehouse: {connector: %s, config: %s}\n", connector, config)
	if err := os.WriteFile(filepath.Join(p.dir, "loam.yaml"), []byte(yaml), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs the command line: what it prints, what it says beside, and whether it fails.
func (p *project) run(t testing.TB, args ...string) (stdout, stderr string, failed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "loam"), args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	err := cmd.Run()
	return out.String(), notes.String(), err != nil
}

// scan scans the warehouse.
func (p *project) scan(t testing.TB) {
	t.Helper()
	if _, stderr, failed := p.run(t, "scan", "warehouse"); failed {
		t.Fatal(stderr)
	}
}

// query asks the semantic layer for the ids and times that fit a condition.
func (p *project) query(t testing.TB, id, at string, filter any) ([][]any, string) {
	t.Helper()
	request, err := json.Marshal(map[string]any{"dimensions": []string{id, at}, "filters": []any{filter}, "order_by": []any{map[string]any{"field": id}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "q.json")
	if err := os.WriteFile(file, request, 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, failed := p.run(t, "sl", "query", "--json", "--file", file)
	if failed {
		return nil, stdout + stderr
	}
	var answer struct{ Rows [][]any }
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatalf("%v\n%s", err, stdout)
	}
	return answer.Rows, ""
}

// TestTimesToTheLastDigit filters a time column that is finer than microseconds by values
// whose last digit alone tells them apart.
func TestTimesToTheLastDigit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: filters to the last digit of datetime2(7) and TIMESTAMP_NTZ(9)")
	}
	t.Run("sqlserver", func(t *testing.T) {
		t.Parallel()
		s := sqlserver.Start(t)
		s.Exec(t, "CREATE TABLE dbo.events (id int NOT NULL PRIMARY KEY, at datetime2(7) NOT NULL)",
			"INSERT INTO dbo.events VALUES (1, '2024-05-15 13:14:15.1234567'), (2, '2024-05-15 13:14:15.1234568'), (3, '2024-05-15 13:14:15.1234569')")
		p := newProject(t, "sqlserver", fmt.Sprintf("{host: 127.0.0.1, port: %d, database: shop, user: %s, sslmode: disable, password: \"env:LOAM_TEST_SECRET\"}", s.Port, sqlserver.Reader), sqlserver.ReaderPassword)
		p.scan(t)
		checkTimes(t, p, "events.id", "events.at", "123456", []string{"7", "8", "9"})
		for _, filter := range conditions("events.at", "2024-05-15T13:14:15.12345678") {
			if rows, said := p.query(t, "events.id", "events.at", filter); rows != nil || !bytes.Contains([]byte(said), []byte("8 digits of a second")) {
				t.Errorf("%v: an eighth digit is not refused: %v %s", filter, rows, said)
			}
		}
	})
	t.Run("snowflake", func(t *testing.T) {
		t.Parallel()
		s := snowflake.Start(t)
		s.Exec(t, `CREATE TABLE events (id INTEGER PRIMARY KEY, at TIMESTAMP_NTZ(9));
			INSERT INTO events VALUES (1, '2024-05-15 13:14:15.123456787'), (2, '2024-05-15 13:14:15.123456788'), (3, '2024-05-15 13:14:15.123456789')`)
		p := snowflakeProject(t, s)
		p.scan(t)
		checkTimes(t, p, "EVENTS.ID", "EVENTS.AT", "12345678", []string{"7", "8", "9"})
	})
}

// snowflakeProject writes a project for the reader of a fixture.
func snowflakeProject(t testing.TB, s *snowflake.Server) *project {
	return newProject(t, "snowflake", fmt.Sprintf("{account: %s, host: %s, port: %d, protocol: http, user: %s, database: %s, warehouse: %s, role: %s, password: \"env:LOAM_TEST_SECRET\"}",
		snowflake.DefaultAccount, s.Host, s.Port, snowflake.DefaultUser, snowflake.DefaultDatabase, snowflake.DefaultWarehouse, snowflake.Reader), snowflake.DefaultPassword)
}

// TestFieldsOfStructuredColumns asks the semantic layer for fields of a structured column of
// Snowflake, one inside another, after a scan.
func TestFieldsOfStructuredColumns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: fields of structured columns as dimensions")
	}
	s := snowflake.Start(t)
	s.Exec(t, `CREATE TABLE people (id INTEGER PRIMARY KEY, address OBJECT(city VARCHAR, place OBJECT(floor NUMBER(3,0))));
		INSERT INTO people SELECT 1, PARSE_JSON('{"city": "Bern", "place": {"floor": 4}}')::OBJECT(city VARCHAR, place OBJECT(floor NUMBER(3,0)));
		INSERT INTO people SELECT 2, NULL`)
	p := snowflakeProject(t, s)
	p.scan(t)
	rows, said := p.query(t, "PEOPLE.ADDRESS.city", "PEOPLE.ADDRESS.place.floor", map[string]any{"field": "PEOPLE.ADDRESS.place.floor", "op": "gt", "values": []int{3}})
	if diff := cmp.Diff("[[Bern 4]]", fmt.Sprint(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, said)
	}
}

// conditions are the ways to say that a time equals a value.
func conditions(at, value string) []any {
	return []any{
		map[string]any{"field": at, "op": "equals", "values": []string{value}},
		fmt.Sprintf("%s = '%s'", at, value),
		map[string]any{"field": at, "op": "between", "values": []string{value, value}},
	}
}

// checkTimes checks that a filter finds the one row of three whose last digit it has.
func checkTimes(t *testing.T, p *project, id, at, fraction string, last []string) {
	t.Helper()
	for i, digit := range last {
		value := "2024-05-15T13:14:15." + fraction + digit
		want := fmt.Sprintf("[[%d %s]]", i+1, value)
		for _, filter := range conditions(at, value) {
			rows, said := p.query(t, id, at, filter)
			if diff := cmp.Diff(want, fmt.Sprint(rows)); diff != "" {
				t.Errorf("%v (-want +got):\n%s%s", filter, diff, said)
			}
		}
	}
	rows, said := p.query(t, id, at, map[string]any{"field": at, "op": "gt", "values": []string{"2024-05-15T13:14:15." + fraction + last[1]}})
	if diff := cmp.Diff("[[3 2024-05-15T13:14:15."+fraction+last[2]+"]]", fmt.Sprint(rows)); diff != "" {
		t.Errorf("after the second (-want +got):\n%s%s", diff, said)
	}
}
