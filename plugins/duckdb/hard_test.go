//go:build cgo

package duckdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Tables and columns of any name are found, in the right one of two schemas, and
// profiled.
func TestHardNames(t *testing.T) {
	t.Parallel()
	names := []string{
		`a "quoted" name`, "it's", "a.b.c", `"`, " ", "☃ 🦆 snow", "Straße", "select", "%s %d", `back\slash`, "tab\tand\nline", "$1", "{a,b}", "NULL", strings.Repeat("n", 300),
	}
	schemas := []string{"main", `Other "schema".x`}
	ddl := []string{"CREATE SCHEMA " + quoted(schemas[1])}
	for i, schema := range schemas {
		for _, name := range names {
			ddl = append(ddl, fmt.Sprintf("CREATE TABLE %s.%s (%[2]s INTEGER PRIMARY KEY, word VARCHAR)", quoted(schema), quoted(name)), fmt.Sprintf("INSERT INTO %s.%s VALUES (%d, 'x')", quoted(schema), quoted(name), i))
		}
	}
	s := open(t, create(t, ddl...))
	found := &scanned{}
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, found)
	if err != nil || int(sum.Tables) != 2*len(names) || len(found.warnings) != 0 {
		t.Fatalf("%+v, warnings %v, %v", sum, found.warnings, err)
	}
	for i, schema := range schemas {
		for _, name := range names {
			at := slices.IndexFunc(found.tables, func(table *sdk.Table) bool { return table.Schema == schema && table.Name == name })
			if at < 0 {
				t.Errorf("%q is missing", name)
				continue
			}
			table := found.tables[at]
			if table.Columns[0].Name != name || len(table.Keys) != 1 || table.Keys[0].Columns[0] != name {
				t.Errorf("%q has columns %v and keys %v", name, table.Columns, table.Keys)
			}
			p := profile(t, s, sdk.ProfileRequest{Table: table.TableRef, Columns: []string{name}, MaxValues: 5, SampleRows: 1})
			if diff := cmp.Diff([]string{fmt.Sprint(i)}, p.stats[name].Values); diff != "" {
				t.Errorf("values of %q in %q (-want +got):\n%s", name, schema, diff)
			}
		}
	}
}

func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]map[string]any{
		"file": {"path": create(t)}, "folder": {"folders": []string{t.TempDir()}},
	} {
		found := &scanned{}
		sum, err := openWith(t, config).Scan(t.Context(), sdk.ScanRequest{}, found)
		if err != nil || !sum.Complete || sum.Tables != 0 || len(found.warnings) != 0 {
			t.Errorf("%s: %+v, warnings %v, %v", name, sum, found.warnings, err)
		}
	}
}

func TestWideTable(t *testing.T) {
	t.Parallel()
	const width = 3000
	var columns, values []string
	for i := range width {
		columns, values = append(columns, fmt.Sprintf("c%d INTEGER", i)), append(values, fmt.Sprint(i))
	}
	s := open(t, create(t, "CREATE TABLE wide ("+strings.Join(columns, ", ")+")", "INSERT INTO wide VALUES ("+strings.Join(values, ", ")+")"))
	found := &scanned{}
	if sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, found); err != nil || sum.Columns != width {
		t.Errorf("%+v, %v", sum, err)
	}
	p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "wide"}, Columns: []string{"c0", "c2999"}, MaxValues: 5, SampleRows: 1})
	if !slices.Equal(p.stats["c2999"].Values, []string{"2999"}) {
		t.Errorf("%+v", p.stats)
	}
}

// Text with U+0000 and too much of it; types without an order.
func TestHardValues(t *testing.T) {
	t.Parallel()
	s := open(t, create(t,
		"CREATE TABLE t (v VARCHAR, big VARCHAR, raw BLOB, m MAP(VARCHAR, INTEGER), u UNION(a INTEGER, b VARCHAR), l VARCHAR[], st STRUCT(a INTEGER), bits BIT)",
		"INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('', '', ''::BLOB, MAP {'k': 1}, 7, ['a', NULL], {'a': 1}, '101'::BIT), (' ', 'x', '\\x00'::BLOB, MAP {'k': 1}, 7, ['a', NULL], {'a': 1}, '101'::BIT), ('a' || chr(0) || 'b', 'x', '\\xFF'::BLOB, MAP {'k': 1}, 7, ['a', NULL], {'a': 1}, '101'::BIT), ('a' || chr(0) || 'c', 'x', NULL, NULL, NULL, NULL, NULL, NULL)",
		"INSERT INTO t (big, raw) SELECT repeat('ü', 1 << 20) || i % 3, repeat('r', 1 << 20)::BLOB FROM range(6) r(i)"))
	p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, MaxValues: 100, TopValues: 10, SketchSize: 8})
	v := p.stats["v"]
	if diff := cmp.Diff([]string{"", " ", "a\x00b", "a\x00c"}, v.Values); diff != "" || v.Nulls != 7 || !v.ValuesComplete {
		t.Errorf("v: %d NULL, complete %t (-want +got):\n%s", v.Nulls, v.ValuesComplete, diff)
	}
	if big := p.stats["big"]; big.Distinct != 5 || big.MaxLength != 1<<20+1 || big.ValuesComplete || !slices.Equal(big.Values, []string{"x", ""}) {
		t.Errorf("big: %d distinct, %d characters, complete %t, %.50q", big.Distinct, big.MaxLength, big.ValuesComplete, big.Values)
	}
	if raw := p.stats["raw"]; raw.Distinct != 4 || raw.ValuesComplete || !slices.Equal(raw.Values, []string{"", "AA==", "/w=="}) {
		t.Errorf("raw: %d distinct, %.50q", raw.Distinct, raw.Values)
	}
	for column, want := range map[string]string{"m": `{"k":1}`, "u": `{"a":7}`, "l": `["a",null]`, "st": `{"a":1}`, "bits": "101"} {
		if got := p.stats[column]; !slices.Equal(got.Values, []string{want}) || got.Nulls != 8 {
			t.Errorf("%s: %d NULL, %q", column, got.Nulls, got.Values)
		}
	}
}

// onProgress runs something when a profile is done with its first column.
type onProgress struct {
	*profiled
	do func()
}

func (o *onProgress) Progress(p sdk.Progress) {
	if p.Phase == "columns" && p.Done == 1 {
		o.do()
	}
}

// A file that goes while it is profiled is no failure of the session, and its
// table is gone in the next scan.
func TestFileRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"a.csv", "b.csv"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x,y\n1,2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := openWith(t, map[string]any{"folders": []string{folder}})
	w := &onProgress{&profiled{stats: map[string]sdk.ColumnStats{}}, func() {
		if err := os.Remove(filepath.Join(folder, "a.csv")); err != nil {
			t.Error(err)
		}
	}}
	err := s.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "a"}, MaxValues: 5}, w)
	if sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("got %v", err)
	}
	found := &scanned{}
	if sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, found); err != nil || sum.Tables != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}
