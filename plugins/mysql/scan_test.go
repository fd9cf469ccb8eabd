package mysql_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// scanned collects a scan.
type scanned struct {
	Tables   []sdk.Table
	Warnings []sdk.Warning
}

func (s *scanned) Table(t *sdk.Table) error {
	s.Tables = append(s.Tables, *t)
	return nil
}

func (s *scanned) Warning(w sdk.Warning) error {
	s.Warnings = append(s.Warnings, w)
	return nil
}

func (s *scanned) Progress(sdk.Progress) {}

func (s *scanned) table(t testing.TB, name string) sdk.Table {
	t.Helper()
	i := slices.IndexFunc(s.Tables, func(table sdk.Table) bool { return table.Name == name })
	if i < 0 {
		t.Fatalf("table %s is missing", name)
	}
	return s.Tables[i]
}

func (s *scanned) names() []string {
	var names []string
	for i := range s.Tables {
		names = append(names, s.Tables[i].Name)
	}
	slices.Sort(names)
	return names
}

func scanAll(t testing.TB, s sdk.Session, req sdk.ScanRequest) (*scanned, sdk.ScanSummary) {
	t.Helper()
	found := &scanned{}
	summary, err := s.Scan(t.Context(), req, found)
	if err != nil {
		t.Fatal(err)
	}
	return found, summary
}

const warehouse = `
CREATE TABLE customers (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(100) NOT NULL DEFAULT 'nobody', secret INT INVISIBLE,
  lower_email VARCHAR(100) AS (LOWER(email)) VIRTUAL, day DATE DEFAULT CURDATE(), UNIQUE KEY by_email (email(10)));
INSERT INTO customers (email) SELECT seq FROM seq_1_to_100;
CREATE TABLE versions (id INT, note TEXT) WITH SYSTEM VERSIONING;
CREATE TABLE keyed (id INT PRIMARY KEY, at DATE) PARTITION BY KEY () PARTITIONS 2;
CREATE TABLE hashed (id INT, at DATE) PARTITION BY RANGE (YEAR(at)) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION a VALUES LESS THAN (2025), PARTITION b VALUES LESS THAN MAXVALUE);
CREATE TABLE plain (id INT) ENGINE = MyISAM;
CREATE SEQUENCE numbers;
CREATE VIEW shown AS SELECT id, email FROM customers;
CREATE TABLE part (open INT, closed INT);
CREATE TABLE closed (id INT);
ANALYZE TABLE customers;
`

func TestScan(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	scanned := "scan_" + db.Name // the reader's rights on it are its own
	db.Exec(t, testserver.MariaDBAdmin, "CREATE DATABASE "+scanned+"; USE "+scanned+";"+warehouse+`
		CREATE USER scanner_`+db.Name+` IDENTIFIED BY '`+testserver.MariaDBPassword+`';`)
	t.Cleanup(func() {
		db.MariaDBServer.Exec(t, testserver.MariaDBAdmin, "", "DROP DATABASE "+scanned+"; DROP USER scanner_"+db.Name)
	})
	for _, table := range []string{"customers", "versions", "keyed", "hashed", "plain", "shown"} {
		db.Exec(t, testserver.MariaDBAdmin, "GRANT SELECT, SHOW VIEW ON "+scanned+"."+table+" TO scanner_"+db.Name)
	}
	db.Exec(t, testserver.MariaDBAdmin, "GRANT SELECT (open) ON "+scanned+".part TO scanner_"+db.Name+"; GRANT INSERT (closed) ON "+scanned+".part TO scanner_"+db.Name+"; GRANT INSERT ON "+scanned+".closed TO scanner_"+db.Name)
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, "scanner_"+db.Name, map[string]any{"database": scanned, "schemas": []string{scanned, "nowhere"}})})
	found, summary := scanAll(t, s, sdk.ScanRequest{})

	if diff := cmp.Diff([]string{"customers", "hashed", "keyed", "part", "plain", "shown", "versions"}, found.names()); diff != "" || !summary.Complete {
		t.Errorf("complete %t, tables (-want +got):\n%s", summary.Complete, diff)
	}
	var about []string
	for _, w := range found.Warnings {
		about = append(about, strings.ReplaceAll(w.Object, scanned, "db")+" "+w.Code)
	}
	if diff := cmp.Diff([]string{"nowhere 1044", "db.closed 1142"}, about); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	customers := found.table(t, "customers")
	wantColumns := []sdk.Column{
		{Name: "id", Type: sdk.TypeInt64, NativeType: "int(11)", Properties: map[string]string{"auto_increment": "true"}},
		{Name: "email", Type: sdk.TypeText, NativeType: "varchar(100)", Default: "'nobody'"},
		{Name: "secret", Type: sdk.TypeInt64, NativeType: "int(11)", Nullable: true, Properties: map[string]string{"invisible": "true"}},
		{Name: "lower_email", Type: sdk.TypeText, NativeType: "varchar(100)", Nullable: true, Generated: true},
		{Name: "day", Type: sdk.TypeDate, NativeType: "date", Nullable: true, Default: "curdate()"},
	}
	if diff := cmp.Diff(wantColumns, customers.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if customers.RowEstimate != 100 || customers.ByteEstimate <= 0 {
		t.Errorf("estimates: %d rows, %d bytes", customers.RowEstimate, customers.ByteEstimate)
	}
	part := found.table(t, "part")
	if diff := cmp.Diff([]sdk.Column{
		{Name: "open", Type: sdk.TypeInt64, NativeType: "int(11)", Nullable: true},
		{Name: "closed", Type: sdk.TypeInt64, NativeType: "int(11)", Nullable: true, Properties: map[string]string{"select": "denied"}},
	}, part.Columns); diff != "" {
		t.Errorf("columns of part (-want +got):\n%s", diff)
	}
	if got := found.table(t, "shown"); got.Kind != sdk.TableView || !strings.Contains(got.Definition, "select") || got.RowEstimate != -1 {
		t.Errorf("the view is %+v", got)
	}
	if got := found.table(t, "versions"); got.Kind != sdk.TableBase || got.Properties["system_versioned"] != "true" {
		t.Errorf("the versioned table is %+v", got)
	}
	if got := found.table(t, "plain").Properties["engine"]; got != "MyISAM" {
		t.Errorf("the engine is %s", got)
	}
	partition := sdk.Key{Kind: sdk.KeyPartition, Columns: []string{"at"}, Enforced: true}
	if got := found.table(t, "hashed"); got.Kind != sdk.TablePartitioned || !cmp.Equal(got.Keys, []sdk.Key{partition}) || got.Properties["partition_by"] != "RANGE (year(`at`))" {
		t.Errorf("the partitioned table is %+v", got)
	}
}

func TestScanRequests(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE orders (id INT PRIMARY KEY); CREATE TABLE owners (id INT); CREATE TABLE logs (id INT)")
	s := openAs(t, db, testserver.MariaDBReader)
	for _, c := range []struct {
		name string
		req  sdk.ScanRequest
		want []string
	}{
		{"include", sdk.ScanRequest{Include: []string{"o*"}}, []string{"orders", "owners"}},
		{"exclude", sdk.ScanRequest{Exclude: []string{"*.o*"}}, []string{"logs"}},
		{"system", sdk.ScanRequest{Include: []string{"mysql.*"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, summary := scanAll(t, s, c.req)
			if diff := cmp.Diff(c.want, found.names()); diff != "" || !summary.Complete {
				t.Errorf("complete: %t, tables (-want +got):\n%s", summary.Complete, diff)
			}
		})
	}
	before, _ := scanAll(t, s, sdk.ScanRequest{})
	db.Exec(t, testserver.MariaDBOwner, "INSERT INTO orders VALUES (1); ALTER TABLE logs MODIFY id INT NOT NULL")
	after, _ := scanAll(t, s, sdk.ScanRequest{})
	if before.table(t, "orders").Fingerprint != after.table(t, "orders").Fingerprint {
		t.Error("rows changed the fingerprint of orders")
	}
	if before.table(t, "logs").Fingerprint == after.table(t, "logs").Fingerprint {
		t.Error("NOT NULL did not change the fingerprint of logs")
	}
	gone := errors.New("gone")
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, failingScan{gone}); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

type failingScan struct{ err error }

func (f failingScan) Table(*sdk.Table) error    { return f.err }
func (f failingScan) Warning(sdk.Warning) error { return f.err }
func (failingScan) Progress(sdk.Progress)       {}

// counted counts a scan and keeps nothing.
type counted struct{ tables, columns, keys int }

func (c *counted) Table(t *sdk.Table) error {
	c.tables, c.columns, c.keys = c.tables+1, c.columns+len(t.Columns), c.keys+len(t.Keys)
	return nil
}
func (*counted) Warning(sdk.Warning) error { return nil }
func (*counted) Progress(sdk.Progress)     {}

// The number of queries of a scan does not grow with the number of tables.
func TestScanOfManyTables(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a scan of thousands of tables")
	}
	t.Parallel()
	const columns = 20
	server := testserver.NewMariaDB(t, "--table-open-cache=20000", "--innodb-file-per-table=OFF", "--open-files-limit=40000")
	db := server.Database(t, "")
	// A statement of the scan may take longer than its minute where other tests take the processors.
	s := openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: configOf(db, testserver.MariaDBReader, nil), StatementTimeout: 10 * time.Minute})
	pool := outside(t, db)
	run := func(statement string) {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	run("SET GLOBAL log_output = 'TABLE'")
	asked := map[int]int{} // queries of the catalogue
	made := 0
	for _, tables := range []int{500, 5000} {
		var script strings.Builder
		for ; made < tables; made++ {
			fmt.Fprintf(&script, "CREATE TABLE t%d (id INT PRIMARY KEY", made)
			for i := 1; i < columns; i++ {
				fmt.Fprintf(&script, ", c%d DECIMAL(12,2)", i)
			}
			script.WriteString(", UNIQUE KEY (c1, c2)) ENGINE = Aria TRANSACTIONAL = 0;")
		}
		db.Exec(t, testserver.MariaDBOwner, script.String())
		run("TRUNCATE mysql.general_log")
		run("SET GLOBAL general_log = ON")
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		started := time.Now()
		found := &counted{}
		if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, found); err != nil {
			t.Fatal(err)
		}
		took := time.Since(started)
		runtime.ReadMemStats(&after)
		run("SET GLOBAL general_log = OFF")
		var n int
		if err := pool.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM mysql.general_log WHERE command_type = 'Query' AND argument LIKE '%information_schema%'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		asked[tables] = n
		if found.tables != tables || found.columns != tables*columns || found.keys != 2*tables {
			t.Errorf("found %+v of %d tables", found, tables)
		}
		t.Logf("%d tables, %d columns: %s, %d MiB allocated, heap %d MiB", found.tables, found.columns, took,
			(after.TotalAlloc-before.TotalAlloc)>>20, after.HeapAlloc>>20)
	}
	if asked[500] == 0 || asked[5000] != asked[500] {
		t.Errorf("queries of the catalogue: %v", asked)
	}
}
