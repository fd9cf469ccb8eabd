package sqlite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Tables and columns of any name are found and profiled, and scanned again by
// name when they changed.
func TestHardNames(t *testing.T) {
	t.Parallel()
	names := []string{
		`a "quoted" name`, "it's", "a.b.c", `"`, " ", "☃ 🦆 snow", "Straße", "select", "%s %d", `back\slash`, "tab\tand\nline", "?1", "[x]", "NULL", strings.Repeat("n", 300),
	}
	var ddl []string
	for i, name := range names {
		ddl = append(ddl, fmt.Sprintf("CREATE TABLE %s (%[1]s INTEGER PRIMARY KEY, word TEXT)", quoted(name)), fmt.Sprintf("INSERT INTO %s VALUES (%d, 'x')", quoted(name), i))
	}
	path := create(t, ddl...)
	s := open(t, path)
	got, sum := scan(t, s, sdk.ScanRequest{})
	check := func(got *scanned) {
		t.Helper()
		for i, name := range names {
			at := slices.IndexFunc(got.tables, func(table *sdk.Table) bool { return table.Name == name })
			if at < 0 {
				t.Errorf("%q is missing", name)
				continue
			}
			if table := got.tables[at]; table.Columns[0].Name != name || len(table.Keys) != 1 || table.Keys[0].Columns[0] != name {
				t.Errorf("%q has columns %v and keys %v", name, table.Columns, table.Keys)
			}
			p := profileOf(t, s, sdk.ProfileRequest{Table: got.tables[at].TableRef, Columns: []string{name}, MaxValues: 5, SampleRows: 1})
			if diff := cmp.Diff([]string{fmt.Sprint(i)}, p.stats[name].Values); diff != "" {
				t.Errorf("values of %q (-want +got):\n%s", name, diff)
			}
		}
	}
	check(got)
	var alter []string
	for _, name := range names {
		alter = append(alter, "ALTER TABLE "+quoted(name)+" ADD more INT")
	}
	change(t, path, append(alter, "CREATE TABLE another (x)")...)
	got, sum = scan(t, s, sdk.ScanRequest{Since: sum.Since})
	check(got)
	if sum.Columns != int64(3*len(names)+1) {
		t.Errorf("%+v", sum)
	}
}

func TestWidestTable(t *testing.T) {
	t.Parallel()
	const width = 2000
	var columns, values []string
	for i := range width {
		columns, values = append(columns, fmt.Sprintf("c%d INT", i)), append(values, fmt.Sprint(i))
	}
	// A table of so many columns takes values, one by one or as a query.
	s := open(t, create(t, "CREATE TABLE wide ("+strings.Join(columns, ", ")+")", "INSERT INTO wide VALUES ("+strings.Join(values, ", ")+")"))
	if _, sum := scan(t, s, sdk.ScanRequest{}); sum.Columns != width {
		t.Errorf("%+v", sum)
	}
	p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "wide"}, MaxValues: 5, SampleRows: 1, SketchSize: 4})
	if len(p.order) != width || !slices.Equal(p.stats["c1999"].Values, []string{"1999"}) || len(p.rows.columns) != width {
		t.Errorf("%d columns profiled, %d sampled", len(p.order), len(p.rows.columns))
	}
}

// Text that is no text, or too much of it.
func TestHardValues(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE t (v TEXT, big TEXT, raw BLOB, any)",
		"INSERT INTO t VALUES (NULL, NULL, NULL, NULL), ('', '', x'', 1), (' ', 'x', x'00', '1'), (CAST(x'610062' AS TEXT), NULL, x'ff', 1.0), (CAST(x'610063' AS TEXT), NULL, NULL, x'31'), (CAST(x'61ff' AS TEXT), NULL, NULL, NULL)",
		"INSERT INTO t (big, raw) SELECT printf('%.*c', 1 << 20, 'b') || key, zeroblob(1 << 20) FROM json_each('["+strings.Repeat("1,", 49)+"1]')"))
	p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, MaxValues: 1000, TopValues: 20, SketchSize: 4})
	v := p.stats["v"]
	if v.Distinct != 5 || v.Nulls != 51 || !v.ValuesComplete || v.MinLength != 0 || v.MaxLength != 3 {
		t.Errorf("v: %+v", v)
	}
	if diff := cmp.Diff([]string{"", " ", "a\x00b", "a\x00c", "a\xff"}, v.Values); diff != "" {
		t.Errorf("values of v (-want +got):\n%s", diff)
	}
	big := p.stats["big"]
	if big.Distinct != 52 || big.MaxLength != 1<<20+2 || big.ValuesComplete || !slices.Equal(big.Values, []string{"", "x"}) {
		t.Errorf("big: %d distinct, %d characters, complete %t, values %d", big.Distinct, big.MaxLength, big.ValuesComplete, len(big.Values))
	}
	if raw := p.stats["raw"]; raw.Distinct != 4 || raw.ValuesComplete || !slices.Equal(raw.Values, []string{"", "AA==", "/w=="}) {
		t.Errorf("raw: %+v", raw)
	}
	if mixed := p.stats["any"]; mixed.Distinct != 3 || mixed.Nulls != 52 {
		t.Errorf("any: %+v", mixed)
	}
}

// onProgress runs something when a profile starts on its columns.
type onProgress struct {
	*profiled
	do func()
}

func (o *onProgress) Progress(p sdk.Progress) {
	if p.Phase == "columns" && p.Done == 1 {
		o.do()
	}
}

// A table that goes before or while it is profiled is no failure of the session.
func TestTableDroppedMeanwhile(t *testing.T) {
	t.Parallel()
	path := create(t, "PRAGMA journal_mode = wal", "CREATE TABLE a (x INT, y INT)", "INSERT INTO a VALUES (1, 2)", "CREATE TABLE b (x INT)")
	s := open(t, path)
	err := s.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "a"}, MaxValues: 5},
		&onProgress{&profiled{stats: map[string]sdk.ColumnStats{}}, func() { change(t, path, "DROP TABLE a") }})
	if sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("got %v", err)
	}
	err = s.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "a"}, MaxValues: 5}, &profiled{stats: map[string]sdk.ColumnStats{}})
	if sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("got %v", err)
	}
	if got, _ := scan(t, s, sdk.ScanRequest{}); len(got.tables) != 1 {
		t.Errorf("%d tables", len(got.tables))
	}
}
