package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// semanticReport is what `loam sl validate --json` prints.
type semanticReport struct {
	Connections []struct {
		ConnectionID string
		Error        string
		Problems     []struct {
			Severity, File, Path, Message string
			Line, Column                  int
			Candidates                    []string
		}
		Checks []struct {
			Kind, Status, Severity, Source, Join string
			Rows, Violations, Nulls, Orphans     int64
			MaxMatches                           int64
			OrphanRate                           float64
			Columns, Examples                    []string
			Message                              string
		}
	}
	Errors, Warnings int
}

func validate(t testing.TB, dir string, code int, args ...string) semanticReport {
	t.Helper()
	r := loam(t, dir, append([]string{"sl", "validate", "--json"}, args...)...)
	if r.code != code {
		t.Fatalf("exit %d, want %d: %s%s", r.code, code, r.stdout, r.stderr)
	}
	var doc semanticReport
	unmarshal(t, []byte(r.stdout), &doc)
	return doc
}

// TestSemanticProblems: each problem with its place, what is meant, and a code of
// failure; files of no connection too.
func TestSemanticProblems(t *testing.T) {
	heavy(t, "problems of a semantic layer")
	t.Parallel()
	dir := semanticProject(t)
	if doc := validate(t, dir, 0); doc.Errors+doc.Warnings != 0 {
		t.Errorf("the example: %+v", doc)
	}
	writeFile(t, filepath.Join(dir, "semantic-layer/shop/products.yaml"), `name: products
measures:
  - {name: goods, agg: count}
  - {name: worth, agg: sum, expr: lower(nam)}
joins:
  - {to: order, join_on: products.id = orders.id, relationship: many_to_one}
`)
	writeFile(t, filepath.Join(dir, "semantic-layer/shop/cut.yaml"), "name: cut\nmeasures: [\n")
	writeFile(t, filepath.Join(dir, "semantic-layer/shop/keys.yaml"), "name: keys\ntable: keys\nmesures: []\n")
	writeFile(t, filepath.Join(dir, "semantic-layer/shpo/orders.yaml"), "name: orders\ntable: orders\n")
	r := loam(t, dir, "sl", "validate")
	for _, want := range []string{
		"semantic-layer/shop/products.yaml:4:41: error: measures.worth.expr: ", "did you mean name?",
		"semantic-layer/shop/products.yaml:6:10: error: joins[0].to: ", "did you mean orders?",
		"semantic-layer/shop/cut.yaml:3:1: error: ", "semantic-layer/shop/keys.yaml:3:1: error: ", "mesures: unknown key", "warning: semantic-layer/shpo belongs to no connection",
	} {
		if !strings.Contains(r.stdout+r.stderr, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if r.code != 2 || !strings.Contains(r.stderr, "error: the semantic layer has ") {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if t.Failed() {
		t.Logf("%s%s", r.stdout, r.stderr)
	}
	// One source alone: what is wrong elsewhere is not told.
	if r := loam(t, dir, "sl", "validate", "orders"); r.code != 0 || strings.Contains(r.stdout, "products.yaml") {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := loam(t, dir, "sl", "validate", "ordres"); r.code != 5 || !strings.Contains(r.stderr, "orders") {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := loam(t, dir, "sl", "validate", "-c", "shpo"); r.code != 5 {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	// What works goes on.
	if rows := slQuery(t, dir, "-m", "products.goods").Rows; fmt.Sprint(rows) != "[[3]]" {
		t.Errorf("%v", rows)
	}
}

// TestSemanticClaims: what files claim falsely of the data is counted exactly.
func TestSemanticClaims(t *testing.T) {
	t.Parallel()
	dir := sqliteProject(t, `
CREATE TABLE people (id INTEGER, name TEXT);
INSERT INTO people VALUES (1, 'a'), (1, 'b'), (2, 'c'), (2, 'd'), (2, 'e'), (3, 'f'), (NULL, 'g');
CREATE TABLE visits (id INTEGER PRIMARY KEY, person INTEGER);
INSERT INTO visits VALUES (1, 1), (2, 1), (3, 3), (4, 9), (5, 9), (6, NULL);
`)
	writeFile(t, filepath.Join(dir, "semantic-layer/warehouse/people.yaml"), "name: people\ntable: people\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: head_count, agg: count}]\n")
	writeFile(t, filepath.Join(dir, "semantic-layer/warehouse/visits.yaml"), "name: visits\ntable: visits\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: visit_count, agg: count}]\njoins: [{to: people, join_on: visits.person = people.id, relationship: many_to_one}]\n")
	if doc := validate(t, dir, 0); doc.Errors != 0 {
		t.Errorf("without the data: %+v", doc)
	}
	doc := validate(t, dir, 2, "--data")
	type outcome struct {
		Status                                       string
		Rows, Violations, MaxMatches, Nulls, Orphans int64
	}
	got := map[string]outcome{}
	for _, c := range doc.Connections[0].Checks {
		got[strings.TrimSpace(c.Kind+" "+c.Source+" "+c.Join)] = outcome{c.Status, c.Rows, c.Violations, c.MaxMatches, c.Nulls, c.Orphans}
	}
	want := map[string]outcome{
		"primary_key people":   {"violated", 7, 2, 3, 1, 0},
		"primary_key visits":   {"ok", 6, 0, 1, 0, 0},
		"to_one visits people": {"violated", 6, 2, 2, 1, 2},
	}
	for name, o := range want {
		if diff := cmp.Diff(o, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	r := loam(t, dir, "sl", "validate", "--data", "--sql")
	for _, want := range []string{"VIOLATIONS", "violated", "semantic-layer/warehouse/people.yaml:1", "SELECT"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, r.stdout)
		}
	}
	if r.code != 2 {
		t.Errorf("exit %d", r.code)
	}
	// Orphans alone are a warning, and no failure.
	execSQLite(t, dir, "DELETE FROM people WHERE name IN ('b', 'd', 'e', 'g')")
	doc = validate(t, dir, 0, "--data")
	if doc.Errors != 0 || doc.Warnings == 0 {
		t.Errorf("%d errors, %d warnings", doc.Errors, doc.Warnings)
	}
}
