package question

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/dialect"
)

const script = `
CREATE TABLE accounts (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, balance INTEGER NOT NULL, "update" TEXT, opened TEXT);
INSERT INTO accounts VALUES (1, 'Ada', 120, 'yes', '2024-01-31'), (2, 'Grace', 80, 'no', '2024-02-29'), (3, 'Edsger', 0, NULL, NULL);
CREATE TABLE "drop" (id INTEGER, account INTEGER, rate REAL);
INSERT INTO "drop" VALUES (1, 1, 0.5), (2, 1, 2.25), (3, 3, NULL), (4, NULL, -1.5);`

var tables = []sdk.Table{
	{TableRef: sdk.TableRef{Schema: "main", Name: "accounts"}, Kind: sdk.TableBase, Columns: []sdk.Column{
		{Name: "id", Type: sdk.TypeInt64}, {Name: "name", Type: sdk.TypeText}, {Name: "balance", Type: sdk.TypeInt64}, {Name: "update", Type: sdk.TypeText}, {Name: "opened", Type: sdk.TypeDate},
	}, Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}}}},
	{TableRef: sdk.TableRef{Schema: "main", Name: "drop"}, Kind: sdk.TableBase, Columns: []sdk.Column{
		{Name: "id", Type: sdk.TypeInt64}, {Name: "account", Type: sdk.TypeInt64}, {Name: "rate", Type: sdk.TypeFloat64},
	}},
}

func opened(t *testing.T, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// recorded returns SQLite's recorded dialect and a way to ask it.
func recorded(t *testing.T) (*dialect.Dialect, conform.Ask) {
	t.Helper()
	text, err := os.ReadFile("../../../../sdk/dialect/testdata/sqlite.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	db := opened(t, ":memory:")
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	return &all[0], func(ctx context.Context, query string) ([]sdk.Column, [][]any, error) {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return nil, nil, err
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil {
			return nil, nil, err
		}
		columns, cells := make([]sdk.Column, len(names)), make([]any, len(names))
		for i, name := range names {
			columns[i].Name, cells[i] = name, new(any)
		}
		var answer [][]any
		for rows.Next() {
			if err := rows.Scan(cells...); err != nil {
				return nil, nil, err
			}
			row := make([]any, len(cells))
			for i, c := range cells {
				row[i] = *c.(*any)
			}
			answer = append(answer, row)
		}
		return columns, answer, rows.Err()
	}
}

// outcome of all requests: how many were answered, refused, differ or failed.
type outcome struct{ answered, refused, differ, failed int }

func ask(t *testing.T, d *dialect.Dialect, through conform.Ask, n int) (o outcome) {
	t.Helper()
	request := Requests(tables)
	for i := range n {
		asked, err := request(t.Context(), i, d, through)
		switch {
		case err != nil:
			if o.failed++; o.failed == 1 {
				t.Logf("failed: %s: %v", asked.Request, err)
			}
		case asked.Differs != "":
			if o.differ++; o.differ == 1 {
				t.Logf("differs: %s: %s\nwanted %s\ngot %s", asked.Request, asked.Differs, asked.Wanted, asked.Got)
			}
		case asked.Refused != "":
			if o.refused++; o.refused < 5 {
				t.Logf("refused: %s: %s", asked.Request, asked.Refused)
			}
		default:
			o.answered++
		}
	}
	return o
}

func TestRequestsHaveTheRowsOfTheReference(t *testing.T) {
	t.Parallel()
	d, through := recorded(t)
	if o := ask(t, d, through, 200); o.failed+o.differ > 0 || o.refused > 20 {
		t.Errorf("%+v", o)
	}
}

// Each fault is one that a connector of a stranger had, or might.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	right, through := recorded(t)
	for name, form := range map[string]struct {
		form dialect.Form
		sql  string
	}{
		"a wrong aggregate": {"agg.sum", "COUNT({x})"},
		"no such function":  {"agg.avg", "MITTEL({x})"},
	} {
		d := *right
		d.Forms = maps.Clone(d.Forms)
		d.Forms[form.form] = form.sql
		if o := ask(t, &d, through, 60); o.failed+o.differ == 0 {
			t.Errorf("%s is not found: %+v", name, o)
		}
	}
	// An engine that takes an order for a row limit as an error: a single row has none.
	strict := func(ctx context.Context, query string) ([]sdk.Column, [][]any, error) {
		if strings.Contains(query, "ORDER BY") && !strings.Contains(query, "GROUP BY") {
			return nil, nil, sdk.Errorf(sdk.KindSyntax, sdk.SourceWarehouse, "ORDER BY")
		}
		return through(ctx, query)
	}
	if o := ask(t, right, strict, 20); o.answered == 0 {
		t.Errorf("no request is without an order: %+v", o)
	}
}
