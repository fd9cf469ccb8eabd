//go:build cgo

package duckdb_test

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// names returns the scanned tables as text, and the objects warned about.
func names(found *scanned) (tables, warned []string) {
	for _, t := range found.tables {
		tables = append(tables, t.TableRef.String()+" "+string(t.Kind))
	}
	for _, w := range found.warnings {
		warned = append(warned, w.Code+" "+w.Object)
	}
	return tables, warned
}

// gzipped returns a text as a .gz file has it.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parquet writes a Parquet file of one column.
func parquet(t *testing.T, path, query string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db := outside(t, "", "")
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet)", query, path)); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreTables(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	sales := filepath.Join(root, "sales 2024")
	write(t, sales, map[string]string{
		"orders.csv": "id,amount,day\n1,2.5,2024-02-29\n2,-1,2024-03-01\n", "odd \"name\".csv": "a;b\n1;x\n", "tabs.tsv": "a\tb\n1\tx\n", "packed.csv.gz": gzipped(t, "n\n7\n"),
		"both.csv": "a\n1\n", "Case.csv": "a\n1\n", "case.tsv": "a\n2\n", "select.csv": "from\n1\n", "notes.txt": "no data", ".hidden.csv": "a\n1\n", "broken.parquet": "not parquet",
		"monthly/jan.csv": "a\n1\n", "monthly/feb.csv": "a\n2\n", "monthly/_tmp/x.csv": "a\n9\n", "empty/readme.md": "",
	})
	parquet(t, filepath.Join(sales, "both.parquet"), "SELECT 42 AS answer")
	for year := 2023; year <= 2024; year++ {
		parquet(t, filepath.Join(sales, fmt.Sprintf("visits/year=%d/part.parquet", year)), "SELECT i FROM range(5) t(i)")
	}
	write(t, filepath.Join(root, "other", "sales 2024"), map[string]string{"orders.csv": "id\n77\n"})
	s := openWith(t, map[string]any{"folders": []string{sales, filepath.Join(root, "other", "sales 2024")}})
	found := scan(t, s)
	tables, warned := names(found)
	want := []string{
		"files.sales 2024.Case_csv external", "files.sales 2024.both_csv external", "files.sales 2024.both_parquet external", "files.sales 2024.case_csv_2 external",
		"files.sales 2024.monthly external", `files.sales 2024.odd "name" external`, "files.sales 2024.orders external", "files.sales 2024.packed external",
		"files.sales 2024.select external", "files.sales 2024.tabs external", "files.sales 2024.visits external", "files.sales 2024_2.orders external",
	}
	if diff := cmp.Diff(want, tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"broken files.sales 2024.broken"}, warned); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	visits := found.tables[slices.IndexFunc(found.tables, func(t *sdk.Table) bool { return t.Name == "visits" })]
	if visits.RowEstimate != 10 || visits.ByteEstimate <= 0 || visits.Properties["files"] != "2" || visits.Properties["format"] != "parquet" || visits.Definition != "" {
		t.Errorf("visits: %+v", visits)
	}
	for sql, want := range map[string]any{
		"SELECT sum(amount) FROM orders":                             1.5,
		`SELECT id FROM files."sales 2024_2".orders`:                 int64(77),
		`SELECT b FROM "odd ""name"""`:                               "x",
		"SELECT n FROM packed":                                       int64(7),
		"SELECT count(*) FROM monthly":                               int64(2),
		"SELECT count(*) FROM visits WHERE year = 2024":              int64(5),
		`SELECT "from" FROM "select"`:                                int64(1),
		"SELECT answer FROM both_parquet":                            int64(42),
		"SELECT typeof(day) FROM orders LIMIT 1":                     "DATE",
		"SELECT o.id FROM orders o JOIN monthly m ON m.a = o.id + 1": int64(1),
	} {
		if got := query(t, s, sql).rows[0][0]; got != want {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
}

// A database file and folders are catalogs beside each other.
func TestFilesBesideADatabase(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "crm")
	write(t, folder, map[string]string{"notes.csv": "id,note\n3,hello\n"})
	s := openWith(t, map[string]any{"path": create(t, items...), "folders": []string{folder}})
	if got := query(t, s, "SELECT label || ' ' || note FROM items JOIN notes USING (id)").rows[0][0]; got != "item 3 hello" {
		t.Errorf("the join gives %v", got)
	}
	tables, warned := names(scan(t, s))
	if diff := cmp.Diff([]string{"files.crm.notes external", "it's a shop.main.items table"}, tables); diff != "" || len(warned) > 0 {
		t.Errorf("warnings %q, tables (-want +got):\n%s", warned, diff)
	}
	for _, sql := range []string{"INSERT INTO items VALUES (1, 'x')", `CREATE TABLE files.crm.stolen (a INTEGER)`, "DROP VIEW files.crm.notes", "DETACH files"} {
		if e := refused(t, s, sql); e.Kind != sdk.KindNotReadOnly {
			t.Errorf("%s: %v", sql, e)
		}
	}
}

// The fence around the folders: nothing else is read, and nothing is written,
// also not inside of them.
func TestFenceAroundFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	folder, secret := filepath.Join(root, "shared"), filepath.Join(root, "private")
	write(t, folder, map[string]string{"orders.csv": "id\n1\n", "notes.txt": "not served"})
	write(t, secret, map[string]string{"secret.csv": "password\nhunter2\n", "deep/secret.csv": "password\nhunter2\n"})
	for link, target := range map[string]string{"link.csv": filepath.Join(secret, "secret.csv"), "linked": secret, "relative.csv": "../private/secret.csv", "inside.csv": "orders.csv"} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			t.Skipf("this system makes no links: %v", err)
		}
	}
	s := openWith(t, map[string]any{"folders": []string{folder}})
	tables, warned := names(scan(t, s))
	if diff := cmp.Diff([]string{"files.shared.inside external", "files.shared.orders external"}, tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	slices.Sort(warned)
	if diff := cmp.Diff([]string{"skipped shared/link.csv", "skipped shared/relative.csv"}, warned); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	before, err := listing(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, attack := range []string{
		"SELECT * FROM read_csv('{secret}/secret.csv')", "SELECT * FROM '{secret}/secret.csv'", `SELECT * FROM "{folder}/../private/secret.csv"`, "FROM '../private/secret.csv'",
		"FROM '{folder}/link.csv'", "FROM '{folder}/linked/secret.csv'", "FROM '{folder}/*.csv'", "FROM glob('{folder}/*')", "FROM glob('{secret}/**')", "SELECT * FROM read_text('{folder}/notes.txt')",
		"FROM '{folder}/notes.txt'", "COPY (SELECT 1) TO '{folder}/new.csv'", "COPY (SELECT 1) TO '{folder}/orders.csv'", "COPY (SELECT 1) TO '{secret}/new.csv'", "COPY orders TO '/dev/stdout'",
		"ATTACH '{folder}/new.duckdb'", "ATTACH '{folder}/orders.csv' AS stolen (READ_ONLY)", "ATTACH ':memory:' AS stolen", "EXPORT DATABASE '{folder}/out'", "IMPORT DATABASE '{folder}'",
		"SET allowed_directories = ['{secret}']", "SET allowed_paths = ['{secret}/secret.csv']", "SET enable_external_access = true", "CREATE VIEW stolen AS SELECT 1",
		"FROM enable_logging(storage := 'file', storage_path := '{folder}/log')", "FROM enable_profiling(format := 'json', save_location := '{folder}/profile.json')",
		"CREATE TABLE stolen AS FROM orders", "SELECT * FROM files.shared.orders; DROP VIEW files.shared.orders",
	} {
		sql := strings.NewReplacer("{folder}", folder, "{secret}", secret).Replace(attack)
		if e := refused(t, s, sql); strings.Contains(e.Error(), "hunter2") {
			t.Errorf("%s: %v", attack, e)
		}
	}
	after, err := listing(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "orders.csv")); err != nil || string(text) != "id\n1\n" {
		t.Errorf("orders.csv is %q, %v", text, err)
	}
}

// A file that comes later is there when a statement names it, or after a scan;
// one that goes is an error that says so, and one that changes is read anew.
func TestFilesThatChange(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "shared")
	write(t, folder, map[string]string{"orders.csv": "id\n1\n"})
	s := openWith(t, map[string]any{"folders": []string{folder}})
	write(t, folder, map[string]string{"later.csv": "n\n5\n"})
	if got := query(t, s, "SELECT n FROM later").rows[0][0]; got != int64(5) {
		t.Errorf("a later file gives %v", got)
	}
	write(t, folder, map[string]string{"orders.csv": "id\n1\n2\n3\n", "third.csv": "a\n1\n"})
	if got := query(t, s, "SELECT count(*) FROM orders").rows[0][0]; got != int64(3) {
		t.Errorf("a longer file has %v rows", got)
	}
	if tables, _ := names(scan(t, s)); len(tables) != 3 {
		t.Errorf("tables after a scan: %q", tables)
	}
	if err := os.Remove(filepath.Join(folder, "later.csv")); err != nil {
		t.Fatal(err)
	}
	if e := refused(t, s, "SELECT n FROM later"); e.Kind != sdk.KindNotFound {
		t.Errorf("a file that is gone: %s %v (%s)", e.Kind, e, e.Hint)
	}
	if tables, _ := names(scan(t, s)); len(tables) != 2 {
		t.Errorf("tables after another scan: %q", tables)
	}
	write(t, folder, map[string]string{"orders.csv": "id\nmany\n"})
	if got := query(t, s, "SELECT id FROM orders").rows[0][0]; got != "many" {
		t.Errorf("a file whose columns changed: %v", got)
	}
	if got := scan(t, s).tables[0].Columns[0].NativeType; got != "VARCHAR" {
		t.Errorf("a file whose columns changed is scanned as %s", got)
	}
}
