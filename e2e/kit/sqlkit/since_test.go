package sqlkit_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// rescan scans a catalogue of three tables, which text tells apart: a's comment,
// its stamp, and b's key.
func rescan(t *testing.T, since, version string, facets []sdk.Facet, comment, stamp, key string) (sent string, sum sdk.ScanSummary) {
	t.Helper()
	s := open(t)
	s.Catalog = sqlkit.Catalog{
		Levels: 2, Version: version,
		Tables: fmt.Sprintf(`VALUES (NULL, 's', 'a', 'BASE TABLE', '%s', 7, 8, NULL), (NULL, 's', 'b', 'BASE TABLE', NULL, 1, NULL, NULL),
			(NULL, 's', 'unstamped', 'BASE TABLE', NULL, NULL, NULL, NULL)`, comment),
		Columns: `VALUES (NULL, 's', 'a', 'x', 'INTEGER', NULL, NULL, NULL, NULL), (NULL, 's', 'b', 'x', 'INTEGER', NULL, NULL, NULL, NULL)`,
		Keys:    fmt.Sprintf(`VALUES (NULL, 's', 'b', '%s', 'PRIMARY KEY', 'x', 1, NULL, NULL, NULL, NULL, 1)`, key),
		Stamps:  fmt.Sprintf(`VALUES (NULL, 's', 'a', '%s'), (NULL, 's', 'b', '1'), (NULL, 's', 'elsewhere', '1')`, stamp),
		ColumnsOf: func(tables []sdk.TableRef) string {
			var list []string
			for _, ref := range tables {
				list = append(list, fmt.Sprintf("(NULL, 's', '%s', 'x', 'INTEGER', NULL, NULL, NULL, NULL)", ref.Name))
			}
			return "VALUES " + strings.Join(list, ", ")
		},
	}
	var w scanned
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{Since: since, Facets: facets}, &w)
	if err != nil || !sum.Complete {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, table := range w.got {
		sent += table.Name
		if table.Unchanged {
			sent += fmt.Sprintf(" as before, %d rows", table.RowEstimate)
		} else if len(table.Columns) == 0 && table.Name != "unstamped" {
			t.Errorf("table %s came without columns", table.Name)
		}
		sent += "; "
	}
	return sent, sum
}

func TestScanOfWhatChanged(t *testing.T) {
	t.Parallel()
	const all = "a; b; unstamped; "
	sent, first := rescan(t, "", "1", nil, "c", "1", "k")
	if sent != all || first.Since == "" {
		t.Fatalf("the first scan sent %s", sent)
	}
	for _, c := range []struct {
		name, since, version string
		facets               []sdk.Facet
		comment, stamp, key  string
		want                 string
	}{
		{"nothing", first.Since, "1", nil, "c", "1", "k", "a as before, 7 rows; b as before, 1 rows; unstamped; "},
		{"a comment", first.Since, "1", nil, "new", "1", "k", "b as before, 1 rows; a; unstamped; "},
		{"a stamp", first.Since, "1", nil, "c", "2", "k", "b as before, 1 rows; a; unstamped; "},
		{"a key", first.Since, "1", nil, "c", "1", "new", "a as before, 7 rows; b; unstamped; "},
		{"the connector", first.Since, "2", nil, "c", "1", "k", all},
		{"the facets", first.Since, "1", []sdk.Facet{sdk.FacetColumns}, "c", "1", "k", all},
		{"no token", "", "1", nil, "c", "1", "k", all},
		{"a token of something else", "2026-11-21T00:00:00Z", "1", nil, "c", "1", "k", all},
		{"a token that was cut", first.Since[:len(first.Since)-3], "1", nil, "c", "1", "k", all},
		{"an empty token", "1.", "1", nil, "c", "1", "k", all},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sent, sum := rescan(t, c.since, c.version, c.facets, c.comment, c.stamp, c.key)
			if diff := cmp.Diff(c.want, sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if c.name == "nothing" && sum.Since != first.Since {
				t.Error("nothing changed, but the token did")
			}
		})
	}
}

// A token remembers a bounded number of tables; those beyond come whole.
func TestTokenIsBounded(t *testing.T) {
	t.Parallel()
	const tables = 100_100
	catalog := sqlkit.Catalog{Levels: 2, Tables: "tables", Columns: "columns", Stamps: "stamps"}
	query := func(_ context.Context, sql string, row func(sqlkit.Row) error) error {
		for i := range tables {
			r := sqlkit.Row{nil, "s", strconv.Itoa(i), "table", nil, nil, nil, nil, nil}
			if sql == "columns" {
				r[3], r[4] = "x", "INTEGER"
			}
			if err := row(r); err != nil {
				return err
			}
		}
		return nil
	}
	scan := func(since string) (w tally, sum sdk.ScanSummary) {
		sum, err := sqlkit.Scan(t.Context(), query, catalog, sdk.ScanRequest{Since: since}, &w)
		if err != nil {
			t.Fatal(err)
		}
		return w, sum
	}
	_, first := scan("")
	if len(first.Since) > 3<<20 {
		t.Errorf("a token of %d bytes", len(first.Since))
	}
	if w, _ := scan(first.Since); w.whole != 100 || w.unchanged != 100_000 {
		t.Errorf("%d whole, %d unchanged", w.whole, w.unchanged)
	}
}

// tally counts.
type tally struct{ whole, unchanged int }

func (c *tally) Table(t *sdk.Table) error {
	if t.Unchanged {
		c.unchanged++
	} else {
		c.whole++
	}
	return nil
}
func (*tally) Warning(sdk.Warning) error { return nil }
func (*tally) Progress(sdk.Progress)     {}
