package clickhouse_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// scanned collects a scan.
type scanned struct {
	tables   map[string]*sdk.Table
	columns  int
	warnings []sdk.Warning
}

func (s *scanned) Table(t *sdk.Table) error {
	if s.tables != nil {
		s.tables[t.Name] = t
	}
	s.columns += len(t.Columns)
	return nil
}

func (s *scanned) Warning(w sdk.Warning) error { s.warnings = append(s.warnings, w); return nil }

func (s *scanned) Progress(sdk.Progress) {}

func scan(t testing.TB, s sdk.Session, req sdk.ScanRequest) *scanned {
	t.Helper()
	found := &scanned{tables: map[string]*sdk.Table{}}
	sum, err := s.Scan(t.Context(), req, found)
	if err != nil || !sum.Complete {
		t.Fatalf("%+v, %v", sum, err)
	}
	return found
}

// TestScanTellsKindsKeysAndEstimates: keys are sorting orders and partitions,
// which keep no value from repeating.
func TestScanTellsKindsKeysAndEstimates(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t,
			"CREATE TABLE t (d Date, `a b` Int32, c UInt32 DEFAULT 7, m Int32 MATERIALIZED c + 1, l Int32 ALIAS c + 2) ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY (`a b`, c) SAMPLE BY c PRIMARY KEY (`a b`, c)",
			"INSERT INTO t (d, `a b`) SELECT toDate('2024-01-01'), number FROM system.numbers LIMIT 1000",
			"CREATE TABLE e (x Int32, y Int32) ENGINE = MergeTree PARTITION BY y ORDER BY intDiv(x, 10)",
			"CREATE VIEW v AS SELECT c FROM t",
			"CREATE TABLE u (a String) ENGINE = URL('http://127.0.0.1:1/x', TSV)",
			"CREATE TABLE p (x Int32 COMMENT 'the x') ENGINE = Memory",
		)
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})})
		found := scan(t, s, sdk.ScanRequest{}).tables
		kinds := map[string]sdk.TableKind{}
		for name, table := range found {
			kinds[name] = table.Kind
		}
		if diff := cmp.Diff(map[string]sdk.TableKind{"t": "table", "e": "table", "v": "view", "u": "external", "p": "table"}, kinds); diff != "" {
			t.Errorf("kinds (-want +got):\n%s", diff)
		}
		want := []sdk.Key{{Kind: sdk.KeyCluster, Columns: []string{"a b", "c"}}}
		if diff := cmp.Diff(want, found["t"].Keys); diff != "" && !strings.Contains(found["t"].Properties["order_by"], "`") {
			t.Errorf("keys of t (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]sdk.Key{{Kind: sdk.KeyPartition, Columns: []string{"y"}}}, found["e"].Keys); diff != "" {
			t.Errorf("keys of e (-want +got):\n%s", diff)
		}
		if p := found["t"].Properties; p["partition_by"] != "toYYYYMM(d)" || p["sample_by"] != "c" || p["engine"] != "MergeTree" {
			t.Errorf("properties %v", p)
		}
		if found["t"].RowEstimate != 1000 || found["t"].ByteEstimate <= 0 || found["u"].RowEstimate != -1 {
			t.Errorf("estimates %d, %d, %d", found["t"].RowEstimate, found["t"].ByteEstimate, found["u"].RowEstimate)
		}
		if !strings.Contains(found["v"].Definition, "SELECT") || found["u"].Definition != "" {
			t.Errorf("definitions %q, %q", found["v"].Definition, found["u"].Definition)
		}
		columns := map[string]string{}
		for _, c := range found["t"].Columns {
			columns[c.Name] = fmt.Sprint(c.Generated, " ", c.Default, " ", c.Properties["kind"])
		}
		if diff := cmp.Diff("false 7 ", strings.ReplaceAll(columns["c"], "CAST(7, 'UInt32')", "7")); diff != "" {
			t.Errorf("default (-want +got):\n%s", diff)
		}
		if !strings.HasPrefix(columns["m"], "true ") || !strings.HasSuffix(columns["m"], " materialized") || !strings.HasSuffix(columns["l"], " alias") {
			t.Errorf("columns %v", columns)
		}
		if got := found["p"].Columns[0].Comment; got != "the x" {
			t.Errorf("comment %q", got)
		}
	})
}

// TestScanWarnsAboutADatabaseThatIsHidden: it is left out, and the rest is there.
func TestScanWarnsAboutADatabaseThatIsHidden(t *testing.T) {
	t.Parallel()
	db := old(t)
	s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseLimited, map[string]any{"database": "default", "schemas": []string{"default", db.name}})})
	found := scan(t, s, sdk.ScanRequest{})
	if len(found.warnings) != 1 || found.warnings[0].Object != db.name || found.warnings[0].Code != "291" {
		t.Errorf("warnings %+v", found.warnings)
	}
}

// TestScanOfManyTables: the number of catalogue queries does not grow with the
// number of tables.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	db := oldHTTP(t)
	var seen recorder
	const columns = 20
	conform.Crowd{
		Connector: clickhouse.Connector(), Columns: columns,
		Config: seen.in(t, db).config(testserver.ClickHouseReader, map[string]any{"schemas": []string{db.name}}),
		Fill:   func(from, to int) { fillTables(t, db, from, to, columns) },
		Asked:  seen.taken,
	}.Run(t)
}

// taken returns how many statements were sent since the last call.
func (r *recorder) taken() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, req := range r.requests {
		if req.Method == http.MethodPost {
			n++
		}
	}
	r.requests = nil
	return n
}

// fillTables makes tables from to up to n.
func fillTables(t testing.TB, db *database, from, n, columns int) {
	t.Helper()
	var list []string
	for i := range columns {
		list = append(list, fmt.Sprintf("c%d Nullable(String) COMMENT 'column %d'", i, i))
	}
	ddl := strings.Join(list, ", ")
	for i := from; i < n; i++ {
		db.exec(t, fmt.Sprintf("CREATE TABLE t%05d (%s) ENGINE = Memory", i, ddl))
	}
}
