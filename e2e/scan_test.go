package e2e

import (
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

// scanned is what `loam scan --json` says of a connection.
type scanned struct {
	ConnectionID string
	Snapshot     struct {
		SyncID, Mode, Content           string
		Tables, Columns, ForeignKeys    int
		ProfiledTables, ProfiledColumns int
		SampledRows                     int64
		Warnings                        []struct{ Object, Code, Message string }
	}
	PreviousSyncID string
	Changes        struct{ Added, Removed, Changed int }
	Profiles       struct{ Made, Kept, LeftOut int }
	Relationships  struct{ Declared, Accepted, Review, Unchecked, Queries int }
	Notes          []string
	ElapsedMs      int64
	Error          *struct{ Kind, Message, Hint string }
}

// scan runs loam scan and returns what it says, one entry per connection.
func scan(t testing.TB, dir string, args ...string) []scanned {
	t.Helper()
	r := loam(t, dir, append([]string{"scan", "--json"}, args...)...)
	if r.code != 0 {
		t.Fatalf("scan: exit %d: %s", r.code, r.stderr)
	}
	return scansOf(t, r)
}

func scansOf(t testing.TB, r result) []scanned {
	t.Helper()
	var doc struct{ Connections []scanned }
	unmarshal(t, []byte(r.stdout), &doc)
	for _, c := range doc.Connections {
		t.Logf("%s: %d tables, %d columns, %+v, %+v in %d ms", c.ConnectionID, c.Snapshot.Tables, c.Snapshot.Columns, c.Profiles, c.Relationships, c.ElapsedMs)
	}
	return doc.Connections
}

// latest returns the sync id of the warehouse's last snapshot.
func latest(t testing.TB, dir string) string {
	t.Helper()
	r := loam(t, dir, "catalog", "list", "--json")
	var doc struct {
		Connections []struct{ LastScan *struct{ SyncID string } }
	}
	unmarshal(t, []byte(r.stdout), &doc)
	if len(doc.Connections) != 1 || doc.Connections[0].LastScan == nil {
		t.Fatalf("no snapshot: %s%s", r.stdout, r.stderr)
	}
	return doc.Connections[0].LastScan.SyncID
}

// accepted lists the relationships that were inferred and accepted.
func accepted(t testing.TB, dir, connection string) (links []string) {
	t.Helper()
	r := loam(t, dir, "catalog", "relationships", "-c", connection, "--json")
	var doc struct {
		Relationships []struct {
			From, To struct {
				Display string
				Columns []string
			}
			Origin, Status string
		}
	}
	unmarshal(t, []byte(r.stdout), &doc)
	for _, l := range doc.Relationships {
		if l.Origin == "inferred" && l.Status == "accepted" {
			links = append(links, fmt.Sprint(l.From.Display, l.From.Columns, " ", l.To.Display, l.To.Columns))
		}
	}
	return links
}

// sqliteProject makes a project with an SQLite file as its warehouse.
func sqliteProject(t testing.TB, script string) string {
	t.Helper()
	dir := project(t, "version: 1\nconnections:\n  warehouse: {connector: sqlite, config: {path: warehouse.db}}\n")
	execSQLite(t, dir, script)
	return dir
}

func execSQLite(t testing.TB, dir, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "warehouse.db")+"?_pragma=synchronous(OFF)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
}

// sampleScript reads a script of the sample databases.
func sampleScript(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "sample", name+".sql.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(text), "\ufeff")
}

// The sample databases on SQLite: everything is there, a second scan asks for
// nothing that it has, and a change is one.
func TestScanSamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                     string
		tables, columns, profile int
	}{{"chinook", 11, 64, 11}, {"northwind", 29, 190, 13}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := sqliteProject(t, sampleScript(t, c.name+"-sqlite"))
			first := scan(t, dir)[0]
			if s := first.Snapshot; s.Tables != c.tables || s.Columns != c.columns || s.ProfiledTables != c.profile || s.Mode != "enriched" {
				t.Errorf("%+v", s)
			}
			again := scan(t, dir)[0]
			if again.Profiles.Made != 0 || again.Profiles.Kept != c.profile || again.Relationships.Queries != 0 || again.PreviousSyncID != first.Snapshot.SyncID || again.Changes.Added+again.Changes.Removed+again.Changes.Changed != 0 {
				t.Errorf("a second scan: %+v", again)
			}
		})
	}
}

// storeScript is tables whose keys are not declared, with an account's worth of
// personal values, NULLs and a long text; quote writes a string's length of x.
func storeScript(integer, text, engine string, long func(n int) string) []string {
	script := []string{
		fmt.Sprintf("CREATE TABLE customers (id %s, name %s, email %s, segment %s, remark %s)%s", integer, text, text, text, text, engine),
		fmt.Sprintf("CREATE TABLE orders (id %s, customer_id %s, status %s)%s", integer, integer, text, engine),
		fmt.Sprintf("CREATE TABLE order_lines (order_id %s, line %s, product_code %s)%s", integer, integer, text, engine),
		fmt.Sprintf("CREATE TABLE products (code %s, title %s)%s", text, text, engine),
	}
	rows := func(table string, n int, row func(i int) string) {
		var all []string
		for i := range n {
			all = append(all, "("+row(i)+")")
		}
		script = append(script, "INSERT INTO "+table+" VALUES "+strings.Join(all, ", "))
	}
	rows("customers", 60, func(i int) string {
		remark := "NULL"
		if i == 7 {
			remark = long(1 << 20)
		}
		return fmt.Sprintf("%d, 'Customer %d GmbH', 'c%d@example.com', '%s', %s", i+1, i, i, []string{"public", "business", "consumer"}[i%3], remark)
	})
	rows("orders", 200, func(i int) string {
		return fmt.Sprintf("%d, %d, '%s'", 1000+i*3, i*7%60+1, []string{"open", "paid"}[i%2])
	})
	rows("products", 50, func(i int) string { return fmt.Sprintf("'SKU-%04d', 'Product %d'", i*37, i) })
	rows("order_lines", 400, func(i int) string { return fmt.Sprintf("%d, %d, 'SKU-%04d'", 1000+i/2*3, i%2+1, i%50*37) })
	return script
}

// storeLinks are what such a store's tables refer to.
func storeLinks(schema string) []string {
	return []string{
		schema + "order_lines[order_id] " + schema + "orders[id]",
		schema + "order_lines[product_code] " + schema + "products[code]",
		schema + "orders[customer_id] " + schema + "customers[id]",
	}
}

// checkStore scans a store of any engine, changes it, and scans again.
func checkStore(t *testing.T, dir, schema string, exec func(statement string)) {
	t.Helper()
	// Its own tables alone: a server may hold those of other tests beside them.
	scan := func(t testing.TB, dir string, args ...string) []scanned {
		t.Helper()
		return scan(t, dir, append(args, "--include", schema+"*")...)
	}
	first := scan(t, dir)[0]
	if s := first.Snapshot; s.Tables != 4 || s.Columns != 13 || s.ProfiledTables != 4 || s.ProfiledColumns != 13 || len(s.Warnings) != 0 {
		t.Errorf("%+v", s)
	}
	if first.Relationships.Queries == 0 || first.Relationships.Accepted != 3 {
		t.Errorf("relationships: %+v", first.Relationships)
	}
	links := accepted(t, dir, "warehouse")
	slices.Sort(links)
	if diff := cmp.Diff(storeLinks(schema), links); diff != "" {
		t.Errorf("relationships (-want +got):\n%s", diff)
	}
	checkProfileValues(t, dir)
	checkSample(t, dir)
	for _, personal := range []string{"c7@example.com", strings.Repeat("x", 100)} {
		if path := containing(t, filepath.Join(dir, ".loam", "index"), personal); path != "" {
			t.Errorf("%s has %.20q", path, personal)
		}
	}

	again := scan(t, dir)[0]
	if again.Profiles.Made != 0 || again.Profiles.Kept != 4 || again.Relationships.Queries != 0 || again.Relationships.Accepted != 3 || again.Changes.Added+again.Changes.Removed+again.Changes.Changed != 0 {
		t.Errorf("a second scan: %+v", again)
	}
	exec("DROP TABLE products")
	exec("CREATE TABLE " + "added AS SELECT * FROM orders")
	exec("ALTER TABLE customers ADD COLUMN vip INTEGER")
	changed := scan(t, dir)[0]
	if got := changed.Changes; got.Added != 1 || got.Removed != 1 || got.Changed != 1 {
		t.Errorf("after one was added, one removed, one changed: %+v", got)
	}
	if changed.Profiles.Made != 2 || changed.Profiles.Kept != 2 {
		t.Errorf("after a change: %+v", changed.Profiles)
	}
	full := scan(t, dir, "--full")[0]
	if full.Profiles.Made != 4 || full.Profiles.Kept != 0 {
		t.Errorf("a full scan: %+v", full.Profiles)
	}
	if n := scan(t, dir, "--mode", "structural")[0]; n.Snapshot.Mode != "structural" || n.Profiles.Made != 0 || n.Profiles.Kept != 4 || n.Relationships.Queries != 0 {
		t.Errorf("a structural scan: %+v", n)
	}
}

// checkProfileValues tests what is kept of a store's customers: a whole list where
// there are few values, none of what is personal, none that is long.
func checkProfileValues(t *testing.T, dir string) {
	t.Helper()
	r := loam(t, dir, "catalog", "show", "customers", "-c", "warehouse", "--json")
	var doc struct {
		Columns []struct {
			Name    string
			Profile struct {
				Rows, Nulls, MaxLength int64
				Distinct               *int64
				Values                 []struct{ Value string }
				ValuesComplete         bool
				Withheld               string
			}
		}
	}
	unmarshal(t, []byte(r.stdout), &doc)
	for _, c := range doc.Columns {
		p := c.Profile
		if p.Rows != 60 || p.Distinct == nil {
			t.Errorf("%s: %+v", c.Name, p)
			continue
		}
		got := fmt.Sprintf("%d values, complete %t, %d distinct, %d NULL, withheld %t", len(p.Values), p.ValuesComplete, *p.Distinct, p.Nulls, p.Withheld != "")
		want := map[string]string{
			"id":      "20 values, complete false, 60 distinct, 0 NULL, withheld false",
			"name":    "60 values, complete true, 60 distinct, 0 NULL, withheld false",
			"email":   "0 values, complete false, 60 distinct, 0 NULL, withheld true",
			"segment": "3 values, complete true, 3 distinct, 0 NULL, withheld false",
			"remark":  "0 values, complete false, 1 distinct, 59 NULL, withheld false",
		}[c.Name]
		if got != want {
			t.Errorf("%s: %s, want %s", c.Name, got, want)
		}
	}
}

// checkSample checks the rows that are kept of a store's customers: they are rows of the
// table, without the column that is personal.
func checkSample(t *testing.T, dir string) {
	t.Helper()
	r := loam(t, dir, "catalog", "show", "customers", "-c", "warehouse", "--sample", "4", "--json")
	var doc struct {
		Sample struct {
			Columns []string
			Rows    [][]*string
		}
	}
	unmarshal(t, []byte(r.stdout), &doc)
	if diff := cmp.Diff([]string{"id", "name", "segment", "remark"}, doc.Sample.Columns); diff != "" || len(doc.Sample.Rows) != 4 {
		t.Fatalf("%d rows, columns (-want +got):\n%s", len(doc.Sample.Rows), diff)
	}
	for _, row := range doc.Sample.Rows {
		id, err := strconv.Atoi(*row[0])
		if err != nil || *row[1] != fmt.Sprintf("Customer %d GmbH", id-1) || *row[2] != []string{"public", "business", "consumer"}[(id-1)%3] {
			t.Errorf("%s, %s, %s is no row of the table", *row[0], *row[1], *row[2])
		}
		if row[3] != nil && !strings.HasSuffix(*row[3], " bytes)") {
			t.Errorf("a remark is %.100q", *row[3])
		}
	}
	r = loam(t, dir, "catalog", "show", "customers", "-c", "warehouse", "--sample", "2")
	if strings.Count(r.stdout, "(withheld)") != 2 {
		t.Errorf("two rows do not show twice that an address is withheld:\n%s", r.stdout)
	}
}

// containing returns a file below dir that holds a text as it is.
func containing(t testing.TB, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(raw), text) {
			found = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestScanStore(t *testing.T) {
	t.Parallel()
	repeat := func(n int) string { return fmt.Sprintf("repeat('x', %d)", n) }
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := sqliteProject(t, strings.Join(storeScript("INTEGER", "TEXT", "", func(n int) string { return fmt.Sprintf("hex(zeroblob(%d))", n/2) }), ";"))
		checkStore(t, dir, "main.", func(s string) { execSQLite(t, dir, s) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		heavy(t, "what a scan of PostgreSQL keeps")
		db := testserver.Postgres(t).Database(t, strings.Join(storeScript("integer", "text", "", repeat), ";"))
		checkStore(t, warehouse(t, db, testserver.PostgresReader), "public.", func(s string) { db.Exec(t, testserver.PostgresOwner, s) })
	})
	t.Run("mariadb", func(t *testing.T) {
		heavy(t, "what a scan of MariaDB keeps")
		t.Parallel()
		db := testserver.MariaDB(t).Database(t, strings.Join(storeScript("INTEGER", "LONGTEXT", "", repeat), ";"))
		checkStore(t, mariaDB(t, db, testserver.MariaDBReader), db.Name+".", func(s string) { db.Exec(t, testserver.MariaDBOwner, s) })
	})
	t.Run("clickhouse", func(t *testing.T) {
		heavy(t, "what a scan of ClickHouse keeps")
		t.Parallel()
		clickHouses(t, func(t *testing.T, create func(...string) *clickHouse) {
			long := func(n int) string { return "'" + strings.Repeat("x", min(n, 20_000)) + "'" }
			script := storeScript("Int32", "Nullable(String)", " ENGINE = MergeTree ORDER BY tuple()", long)
			db := create(script...)
			checkStore(t, db.project(t, testserver.ClickHouseReader), db.name+".", func(s string) {
				s = strings.Replace(s, "added AS", "added ENGINE = MergeTree ORDER BY tuple() AS", 1)
				db.exec(t, strings.Replace(s, "vip INTEGER", "vip Int32", 1))
			})
		})
	})
}

// Several connections: one that fails does not stop the others.
func TestScanSeveral(t *testing.T) {
	t.Parallel()
	heavy(t, "scans of several connections")
	dir := demoProject(t)
	text, err := os.ReadFile(filepath.Join(dir, "loam.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(text), "connections:\n", "connections:\n  broken: {connector: sqlite, config: {path: nowhere.db}}\n", 1)
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	r := loam(t, dir, "scan", "--json")
	all := scansOf(t, r)
	if r.code == 0 || len(all) != 3 || all[0].Error == nil || all[1].Error != nil || all[2].Snapshot.Tables != 7 || !strings.Contains(r.stderr, "1 of 3") {
		t.Errorf("exit %d: %+v\n%s", r.code, all, r.stderr)
	}
	prose := loam(t, dir, "scan")
	for _, want := range []string{"broken: there is no snapshot", "shop: 12 tables", "crm: 7 tables", "next: loam search"} {
		if !strings.Contains(prose.stderr, want) {
			t.Errorf("the report has no %q:\n%s", want, prose.stderr)
		}
	}
	if prose.code != r.code || prose.stdout != "" {
		t.Errorf("exit %d, stdout %q", prose.code, prose.stdout)
	}
	if quiet := loam(t, dir, "scan", "shop", "-c", "crm", "--quiet"); quiet.code != 0 || quiet.stderr+quiet.stdout != "" {
		t.Errorf("exit %d, %q", quiet.code, quiet.stderr+quiet.stdout)
	}
	for _, wrong := range [][]string{{"nowhere"}, {"--mode", "deep"}, {"--budget", "0s"}, {"--budget", "-1s"}, {"--include", ""}} {
		if r := loam(t, dir, append([]string{"scan"}, wrong...)...); r.code != 2 && r.code != 5 || !strings.Contains(r.stderr, "error:") {
			t.Errorf("scan %v: exit %d: %s", wrong, r.code, r.stderr)
		}
	}
}

// Names with everything in them, very wide tables, nothing at all.
func TestScanHardNames(t *testing.T) {
	t.Parallel()
	names := []string{`quo"te`, "do.t.s", "emoji 😀 für alle", "sele\nct", strings.Repeat("lang", 75), "日本語", "'; DROP TABLE x; --"}
	var script []string
	for i, name := range names {
		quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		script = append(script, fmt.Sprintf(`CREATE TABLE %s (id INTEGER, %s TEXT)`, quoted, quoted), fmt.Sprintf(`INSERT INTO %s VALUES (%d, 'wert')`, quoted, i))
	}
	dir := sqliteProject(t, strings.Join(script, ";"))
	got := scan(t, dir)[0]
	if got.Snapshot.Tables != len(names) || got.Snapshot.ProfiledColumns != 2*len(names) || len(got.Snapshot.Warnings) != 0 {
		t.Errorf("%+v", got.Snapshot)
	}
	r := loam(t, dir, "scan", "--include", "do.t.s")
	if r.code != 5 { // "do" is the schema of such a glob
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if got := scan(t, dir, "--include", "main.do.t.s", "--include", "*😀*")[0]; got.Snapshot.Tables != 2 || got.Changes.Removed != len(names)-2 {
		t.Errorf("with globs: %+v", got)
	}

	empty := sqliteProject(t, "")
	if got := scan(t, empty)[0]; got.Snapshot.Tables != 0 || len(got.Notes) != 1 {
		t.Errorf("an empty database: %+v", got)
	}
}
