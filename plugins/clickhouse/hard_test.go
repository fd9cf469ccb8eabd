package clickhouse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// Tables and columns of any name are found and profiled. A table's name is that
// of a file in the server, with three bytes for each odd one.
func TestHardNames(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		names := []string{`a "quoted" name`, "it''s", "a.b.c", `"`, " ", "☃ 🦆 snow", "Straße", "select", "%s %d", `back\\slash`, `tab\tand\nline`, "{x:Int8}", "NULL", strings.Repeat("n", 180)}
		var ddl []string
		for i, name := range names {
			quoted := "`" + strings.ReplaceAll(name, "''", "'") + "`"
			ddl = append(ddl, fmt.Sprintf("CREATE TABLE %s (%[1]s Int32, word String) ENGINE = Memory", quoted), fmt.Sprintf("INSERT INTO %s VALUES (%d, 'x')", quoted, i))
		}
		db := make(t, ddl...)
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})})
		found := scan(t, s, sdk.ScanRequest{})
		if len(found.tables) != len(names) || len(found.warnings) != 0 {
			t.Errorf("%d tables, warnings %v", len(found.tables), found.warnings)
		}
		for i, name := range names {
			name = strings.NewReplacer("''", "'", `\\`, `\`, `\t`, "\t", `\n`, "\n").Replace(name)
			table := found.tables[name]
			if table == nil || table.Columns[0].Name != name {
				t.Errorf("%q is missing or has another column: %+v", name, table)
				continue
			}
			p := profile(t, s, sdk.ProfileRequest{Table: table.TableRef, Columns: []string{name}, MaxValues: 5, SampleRows: 1})
			if diff := cmp.Diff([]string{fmt.Sprint(i)}, p.stats[name].Values); diff != "" {
				t.Errorf("values of %q (-want +got):\n%s", name, diff)
			}
		}
	})
}

// Two databases with tables of the same name.
func TestTablesOfTheSameName(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		one := make(t, "CREATE TABLE same (x Int8) ENGINE = Memory", "INSERT INTO same VALUES (1)")
		two := make(t, "CREATE TABLE same (x Int16) ENGINE = Memory", "INSERT INTO same VALUES (2)")
		s := openWith(t, sdk.OpenRequest{Config: one.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{one.name, two.name}})})
		found := &scanned{}
		if sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, found); err != nil || sum.Tables != 2 || sum.Columns != 2 {
			t.Errorf("%+v, %v", sum, err)
		}
		for value, schema := range map[string]string{"1": one.name, "2": two.name} {
			p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Schema: schema, Name: "same"}, MaxValues: 5})
			if got := p.stats["x"].Values; !slices.Equal(got, []string{value}) {
				t.Errorf("values of %s.same: %q", schema, got)
			}
		}
	})
}

func TestEmptyDatabase(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})})
		if found := scan(t, s, sdk.ScanRequest{}); len(found.tables) != 0 || len(found.warnings) != 0 {
			t.Errorf("%d tables, warnings %v", len(found.tables), found.warnings)
		}
	})
}

func TestWideTable(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a table of 3,000 columns")
	}
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		const width = 3000
		var columns []string
		for i := range width {
			columns = append(columns, fmt.Sprintf("c%d UInt16 DEFAULT %d", i, i))
		}
		db := make(t, "CREATE TABLE wide ("+strings.Join(columns, ", ")+") ENGINE = Memory", "INSERT INTO wide (c0) VALUES (7)")
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})})
		if found := scan(t, s, sdk.ScanRequest{}); found.columns != width {
			t.Errorf("%d columns", found.columns)
		}
		p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.name, Name: "wide"}, Columns: []string{"c0", "c2999"}, MaxValues: 5, SampleRows: 1})
		if !slices.Equal(p.stats["c2999"].Values, []string{"2999"}) || !slices.Equal(p.stats["c0"].Values, []string{"7"}) {
			t.Errorf("%+v", p.stats)
		}
	})
}

// Text that is no text, or too much of it.
func TestHardValues(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		many := func(s string, n int) string { // 18.16 has no repeat
			return fmt.Sprintf("arrayStringConcat(arrayMap(x -> '%s', range(%d)), '')", s, n)
		}
		db := make(t,
			"CREATE TABLE t (v Nullable(String), big String, low LowCardinality(String), f FixedString(3), a Array(String), e Enum8('String' = 1), n Nullable(FixedString(2))) ENGINE = Memory",
			`INSERT INTO t VALUES (NULL, '', 'x', 'abc', ['a'], 'String', NULL), ('', 'x', '', 'a', [], 'String', 'ab'), ('a\0b', 'x', 'x', 'abc', ['a'], 'String', 'ab'), (' ', 'x', 'x', 'abc', ['a'], 'String', 'ab')`,
			"INSERT INTO t SELECT unhex('61FF'), concat(toString(number), "+many("ü", 1<<20)+"), "+many("l", 600)+", 'abc', ["+many("q", 2000)+"], 'String', NULL FROM system.numbers LIMIT 4",
		)
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})})
		p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.name, Name: "t"}, MaxValues: 100, TopValues: 10, SketchSize: 8})
		v := p.stats["v"]
		if v.Rows != 8 || v.Nulls != 1 || v.Distinct != 4 || !v.ValuesComplete || len(v.Values) != 4 || !slices.Contains(v.Values, "a\x00b") {
			t.Errorf("v: %+v", v)
		}
		big := p.stats["big"]
		if big.Distinct != 6 || big.Nulls != 0 || big.MaxLength != 1<<20+1 || big.ValuesComplete || !slices.Equal(big.Values, []string{"x", ""}) {
			t.Errorf("big: %d distinct, %d characters, complete %t, %d values", big.Distinct, big.MaxLength, big.ValuesComplete, len(big.Values))
		}
		low := p.stats["low"]
		if low.Distinct != 3 || low.MaxLength != 600 || low.ValuesComplete || !slices.Equal(low.Values, []string{"x", ""}) {
			t.Errorf("low: %+v", low)
		}
		if a := p.stats["a"]; a.Distinct != 3 || a.ValuesComplete || !slices.Equal(a.Values, []string{`["a"]`, "[]"}) {
			t.Errorf("a: %d distinct, complete %t, values %.100q", a.Distinct, a.ValuesComplete, a.Values)
		}
		if e := p.stats["e"]; !slices.Equal(e.Values, []string{"String"}) || !e.ValuesComplete {
			t.Errorf("e: %+v", e)
		}
		if n := p.stats["n"]; n.Nulls != 5 || !slices.Equal(n.Values, []string{"ab"}) {
			t.Errorf("n: %+v", n)
		}
	})
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

// A table that goes while it is profiled is no failure of the session.
func TestTableDroppedMeanwhile(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t, "CREATE TABLE a (x Int32, y Int32) ENGINE = Memory", "CREATE TABLE b (x Int32) ENGINE = Memory")
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})})
		w := &onProgress{&profiled{stats: map[string]sdk.ColumnStats{}}, func() { db.exec(t, "DROP TABLE a") }}
		err := s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.name, Name: "a"}, MaxValues: 5}, w)
		wantKind(t, err, sdk.KindNotFound)
		if found := scan(t, s, sdk.ScanRequest{}); len(found.tables) != 1 {
			t.Errorf("%d tables", len(found.tables))
		}
	})
}

// What has no order of its own is listed as a result shows it.
func TestProfileOfNestedValues(t *testing.T) {
	t.Parallel()
	db := today(t,
		"CREATE TABLE t (m Map(String, UInt8), u Tuple(a Int8, b String), j JSON, p Point, n Nested(x Int8, y String)) ENGINE = Memory",
		`INSERT INTO t SELECT map('k', 1), (1, 'x'), '{"a": 1}', (1, 2), [1], ['y'] FROM numbers(3)`)
	s := db.openAs(t, testserver.ClickHouseReader)
	p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.name, Name: "t"}, MaxValues: 10})
	shown := query(t, s, "SELECT * FROM "+db.name+".t LIMIT 1")
	for i, c := range shown.Columns {
		got := p.stats[c.Name]
		if want := fmt.Sprint(shown.Rows[0][i]); !slices.Equal(got.Values, []string{want}) || got.Distinct != 1 || !got.ValuesComplete {
			t.Errorf("%s: values %q, want %q", c.Name, got.Values, want)
		}
	}
}

// A cell has any length, and a block one row at least: what must not come to
// memory is refused before it does, and the next statement runs. On the newest server one value shows that HTTP is bounded
// like the native protocol.
func TestCellThatFillsTheMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: cells of 300 MiB")
	}
	t.Parallel()
	test := func(t *testing.T, db *database, repeated string, which ...string) {
		t.Parallel()
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"statement_timeout": "10m"}), StatementTimeout: 10 * time.Minute})
		long := func(mebibytes int) string {
			return fmt.Sprintf(repeated, strings.Repeat("x", 1024), mebibytes<<10)
		}
		var columns []string
		for i := range 9 {
			columns = append(columns, fmt.Sprintf("%s AS c%d", long(32), i))
		}
		statements := map[string]string{
			"a cell":         "SELECT " + long(300) + " AS c",
			"cells of a row": "SELECT " + strings.Join(columns, ", "),
			"an array":       "SELECT range(80000000) AS c",
		}
		for _, name := range which {
			sql := statements[name]
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Limits: sdk.Limits{MaxRows: 10, MaxCellBytes: 100}})
			if e := wantKind(t, err, sdk.KindLimit); e.Hint == "" {
				t.Errorf("%s: %v, want a hint", name, e)
			}
			query(t, s, "SELECT 1")
		}
		if got := query(t, s, "SELECT length("+long(8)+")"); len(got.Rows) != 1 {
			t.Errorf("a long value measured: %v", got.Rows)
		}
	}
	t.Run("18.16 native", func(t *testing.T) {
		test(t, old(t), "arrayStringConcat(arrayMap(x -> '%s', range(%d)))", "a cell", "cells of a row", "an array")
	})
	t.Run("26.7 http", func(t *testing.T) { test(t, today(t), "repeat('%s', %d)", "a cell") })
}
