package sqlkit_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// scanned records a scan and its warnings.
type scanned struct {
	tables
	warnings []sdk.Warning
}

func (s *scanned) Warning(w sdk.Warning) error {
	s.warnings = append(s.warnings, w)
	return nil
}

// What only some engines have: properties, partition and cluster keys, columns
// whose native type says more than their type.
func TestScanOfPropertiesAndKeys(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Catalog = sqlkit.Catalog{
		Levels:          2,
		TableProperties: []string{"engine", "partition_by"}, ColumnProperties: []string{"codec"},
		Tables: `VALUES (NULL, 's', 'a', 'BASE TABLE', NULL, NULL, NULL, NULL, NULL, 'MergeTree', 'toYYYYMM(day)'),
			(NULL, 's', 'b', 'VIEW', NULL, NULL, NULL, NULL, '', NULL, '')`,
		Columns: `VALUES (NULL, 's', 'a', 'day', 'Nullable(Decimal(9, 2))', NULL, NULL, NULL, NULL, 'LZ4'),
			(NULL, 's', 'a', 'n.x', 'Array(String)', NULL, NULL, NULL, NULL, NULL)`,
		Keys: `VALUES (NULL, 's', 'a', '', 'PARTITION KEY', 'day', 1, NULL, NULL, NULL, NULL, 1),
			(NULL, 's', 'a', '', 'CLUSTER KEY', 'day', 1, NULL, NULL, NULL, NULL, 1), (NULL, 's', 'a', '', 'CLUSTER KEY', 'n.x', 2, NULL, NULL, NULL, NULL, 1)`,
		Column: func(c *sdk.Column) {
			if inner, ok := strings.CutPrefix(c.NativeType, "Nullable("); ok {
				*c = withProperties(sqlkit.Types{"DECIMAL": sdk.TypeDecimal}.Column(c.Name, strings.TrimSuffix(inner, ")")), c)
			} else {
				c.Type = sdk.TypeNestedJSON
			}
		},
	}
	var w scanned
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, &w); err != nil {
		t.Fatal(err)
	}
	want := []*sdk.Table{
		{
			TableRef: sdk.TableRef{Schema: "s", Name: "a"}, Kind: sdk.TableBase, RowEstimate: -1, ByteEstimate: -1,
			Properties: map[string]string{"engine": "MergeTree", "partition_by": "toYYYYMM(day)"},
			Columns: []sdk.Column{
				{
					Name: "day", Type: sdk.TypeDecimal, NativeType: "Nullable(Decimal(9, 2))", Nullable: true, Precision: 9, Scale: 2,
					Properties: map[string]string{"codec": "LZ4"},
				},
				{Name: "n.x", Type: sdk.TypeNestedJSON, NativeType: "Array(String)"},
			},
			Keys: []sdk.Key{
				{Kind: sdk.KeyPartition, Columns: []string{"day"}, Enforced: true},
				{Kind: sdk.KeyCluster, Columns: []string{"day", "n.x"}, Enforced: true},
			},
		},
		{TableRef: sdk.TableRef{Schema: "s", Name: "b"}, Kind: sdk.TableView, RowEstimate: -1, ByteEstimate: -1},
	}
	if diff := cmp.Diff(want, w.got, cmpopts.IgnoreFields(sdk.Table{}, "Fingerprint")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// withProperties keeps what a scan knows of a column beside its type.
func withProperties(c sdk.Column, from *sdk.Column) sdk.Column {
	c.NativeType, c.Properties = from.NativeType, from.Properties
	return c
}

// What the account may not read is warned about, in few words however much it is,
// and left out; the scan is complete all the same.
func TestScanOfWhatIsDenied(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Catalog = sqlkit.Catalog{
		Levels: 2, DeniedCode: "42501",
		Tables: fmt.Sprintf(numbers, 150) + `SELECT NULL, 'one', 't' || i, 'BASE TABLE', NULL, NULL, NULL, NULL, 'TABLE' FROM n
			UNION ALL SELECT NULL, 'two', 't' || i, 'BASE TABLE', NULL, NULL, NULL, NULL, 'SCHEMA' FROM n
			UNION ALL SELECT NULL, 'three' || i, 't', 'BASE TABLE', NULL, NULL, NULL, NULL, 'SCHEMA' FROM n
			UNION ALL SELECT NULL, 'one', 'open', 'BASE TABLE', NULL, NULL, NULL, NULL, NULL`,
		Columns: `VALUES (NULL, 'one', 't1', 'x', 'INTEGER', 'YES', NULL, NULL, NULL), (NULL, 'one', 'open', 'x', 'INTEGER', 'YES', NULL, NULL, NULL)`,
	}
	var w scanned
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{MaxObjects: 1}, &w)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sdk.ScanSummary{Tables: 1, Columns: 1, Complete: true}, sum); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if len(w.warnings) != 202 {
		t.Fatalf("%d warnings", len(w.warnings))
	}
	for i, want := range map[int]sdk.Warning{
		0:   {Object: "three1", Code: "42501", Message: "the account may not use this schema: its tables are left out (1)"},
		100: {Code: "42501", Message: "the account may not use 51 more schemas: their tables are left out"},
		101: {Object: "one.t1", Code: "42501", Message: "the account may not read this table; it is left out"},
		201: {Code: "42501", Message: "the account may not read 50 more tables; they are left out"},
	} {
		if diff := cmp.Diff(want, w.warnings[i]); diff != "" {
			t.Errorf("warning %d (-want +got):\n%s", i, diff)
		}
	}
	w = scanned{}
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{Include: []string{"two.t1"}}, &w); err != nil {
		t.Fatal(err)
	}
	want := []sdk.Warning{{Object: "two", Code: "42501", Message: "the account may not use this schema: its tables are left out (1)"}}
	if diff := cmp.Diff(want, w.warnings); diff != "" {
		t.Errorf("of one table (-want +got):\n%s", diff)
	}
}

// catalogue is the rows of a database of so many tables, made as they are read.
func catalogue(tables, columns int) (sqlkit.Catalog, sqlkit.Queries, *int) {
	queries := 0
	name := func(i int) string { return fmt.Sprintf("table_%06d", i) }
	return sqlkit.Catalog{Levels: 2, Tables: "tables", Columns: "columns", Keys: "keys", Type: sqlkit.Types{}.Of},
		func(_ context.Context, query string, row func(sqlkit.Row) error) error {
			queries++
			for i := range tables {
				rows := []sqlkit.Row{{"", "s", name(i), "BASE TABLE", "a comment", int64(i), int64(i), nil}}
				switch query {
				case "columns":
					rows = rows[:0]
					for c := range columns {
						rows = append(rows, sqlkit.Row{"", "s", name(i), fmt.Sprintf("column_%d", c), "INTEGER", "YES", nil, "a comment", nil})
					}
				case "keys":
					rows = []sqlkit.Row{{"", "s", name(i), "pk", "PRIMARY KEY", "column_0", int64(1), nil, nil, nil, nil, true}}
				}
				for _, r := range rows {
					if err := row(r); err != nil {
						return err
					}
				}
			}
			return nil
		}, &queries
}

// peak measures the memory in use while tables are written.
type peak struct {
	tables int
	most   uint64
}

func (p *peak) Table(*sdk.Table) error {
	if p.tables++; p.tables%1000 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.most = max(p.most, m.HeapAlloc)
	}
	return nil
}
func (*peak) Warning(sdk.Warning) error { return nil }
func (*peak) Progress(sdk.Progress)     {}

// A scan asks as many questions of 10,000 tables as of 50, and keeps their names
// and keys but not their columns. Not parallel: it measures the heap.
func TestScanOfManyTables(t *testing.T) {
	const tables, columns = 10_000, 20
	for _, n := range []int{50, tables} {
		catalog, query, queries := catalogue(n, columns)
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		w := &peak{}
		sum, err := sqlkit.Scan(t.Context(), query, catalog, sdk.ScanRequest{}, w)
		if err != nil || sum.Tables != int64(n) || sum.Columns != int64(n*columns) || *queries != 3 {
			t.Fatalf("%d tables: %+v with %d queries, %v", n, sum, *queries, err)
		}
		if n < tables {
			continue
		}
		perTable := (int64(w.most) - int64(before.HeapAlloc)) / tables
		t.Logf("%d bytes per table at most", perTable)
		if perTable > 2<<10 {
			t.Errorf("a table of %d columns keeps %d bytes until the end", columns, perTable)
		}
	}
}
