package relationship

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func double() *dialect.Dialect {
	return &dialect.Dialect{
		Identifier: dialect.Quote{Open: `"`, Close: `"`, Doubled: true}, Limit: dialect.LimitOffset,
		Forms: map[dialect.Form]string{dialect.Sample: "sampled({table}, {percent})"},
	}
}

// Every statement counts the same, whatever the names are.
func TestStatements(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{
		`CREATE TABLE "pa""r.ent" ("a b" INTEGER, "select" TEXT)`,
		`INSERT INTO "pa""r.ent" VALUES (0, 'x'), (1, 'x'), (2, 'y'), (2, 'z'), (NULL, 'x'), (NULL, 'x')`,
		`CREATE TABLE child (c INTEGER, "d""" TEXT)`,
		`INSERT INTO child VALUES (0, 'x'), (0, 'x'), (1, 'x'), (7, 'x'), (NULL, 'x'), (1, NULL)`,
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	single := Link{From: sdk.TableRef{Schema: "main", Name: "child"}, Columns: []string{"c"}, To: sdk.TableRef{Name: `pa"r.ent`}, ToColumns: []string{"a b"}}
	double2 := Link{From: single.From, Columns: []string{"c", `d"`}, To: single.To, ToColumns: []string{"a b", "select"}}
	empty := single
	empty.From.Name, empty.To = "none", single.From
	empty.ToColumns = []string{"c"}
	if _, err := db.Exec("CREATE TABLE none (c INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		c    Candidate
		want string
	}{
		{"a key that is not unique", Candidate{Link: single}, "3 2 1"},
		{"a key of two", Candidate{Link: double2}, "3 2 0"},
		{"known to be unique", Candidate{Link: double2, Unique: true}, "3 2 0"},
		{"no rows", Candidate{Link: empty}, "0 0 1"},
	} {
		for _, statement := range tc.c.Statements(double(), -1) {
			var checked, found, twice sql.NullInt64
			if err := db.QueryRow(statement).Scan(&checked, &found, &twice); err != nil {
				t.Fatalf("%s: %v\n%s", tc.name, err, statement)
			}
			if got := fmt.Sprint(checked.Int64, found.Int64, twice.Int64); got != tc.want {
				t.Errorf("%s: %s, want %s\n%s", tc.name, got, tc.want, statement)
			}
		}
	}
}

func TestStatementStyles(t *testing.T) {
	t.Parallel()
	c := Candidate{Link: link("orders", "customer_id", "customers")}
	top, fetch := double(), double()
	top.Limit, fetch.Limit = dialect.LimitTop, dialect.LimitFetch
	fetch.Forms[dialect.EmptyFrom] = "FROM dual"
	for _, tc := range []struct {
		d    *dialect.Dialect
		rows int64
		want []string
	}{
		{double(), 5_000_000, []string{`FROM "s"."orders" WHERE "customer_id" IS NOT NULL LIMIT 100000`}},
		{double(), 50_000_000, []string{`FROM sampled("s"."orders", 2.000000) WHERE`}},
		{top, 0, []string{`SELECT DISTINCT TOP (100000) "customer_id" AS k0`, `SELECT TOP (1) "id" FROM "s"."customers"`}},
		{fetch, 0, []string{`IS NOT NULL FETCH FIRST 100000 ROWS ONLY)`, `HAVING COUNT(*) > 1 FETCH FIRST 1 ROWS ONLY)`, "FROM dual"}},
	} {
		all := strings.Join(c.Statements(tc.d, tc.rows), "\n")
		for _, want := range tc.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s has no %q:\n%s", tc.d.Limit, want, all)
			}
		}
	}
}
