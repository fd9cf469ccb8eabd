package mysql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Tables and columns of any name are found, in the right one of two databases,
// and profiled. The server keeps 64 characters, none of them beyond U+FFFF.
func TestHardNames(t *testing.T) {
	t.Parallel()
	names := []string{
		"a `quoted` name", `"double"`, "it's", "a.b.c", "`", "x y", "☃ snow", "Straße", "select", "%s %d", "100%_", `back\slash`, "tab\tand\nline", "?", "NULL",
		strings.Repeat("ñ", 64),
	}
	db := testserver.MariaDB(t).Database(t, "")
	other := "hard.`names`_" + db.Name
	db.Exec(t, testserver.MariaDBAdmin, "CREATE DATABASE "+quoted(other))
	t.Cleanup(func() { db.MariaDBServer.Exec(t, testserver.MariaDBAdmin, "", "DROP DATABASE "+quoted(other)) })
	schemas := []string{db.Name, other}
	var ddl strings.Builder
	for i, schema := range schemas {
		for _, name := range names {
			fmt.Fprintf(&ddl, "CREATE TABLE %s.%s (%[2]s INT PRIMARY KEY, word TEXT); INSERT INTO %[1]s.%[2]s VALUES (%d, 'x');", quoted(schema), quoted(name), i)
		}
	}
	db.Exec(t, testserver.MariaDBAdmin, "SET NAMES utf8mb4; "+ddl.String())
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.MariaDBAdmin, map[string]any{"schemas": schemas})})
	found, _ := scanAll(t, s, sdk.ScanRequest{})
	if len(found.Tables) != 2*len(names) || len(found.Warnings) != 0 {
		t.Errorf("%d tables, warnings %v", len(found.Tables), found.Warnings)
	}
	for i, schema := range schemas {
		for _, name := range names {
			ref := sdk.TableRef{Schema: schema, Name: name}
			at := slices.IndexFunc(found.Tables, func(table sdk.Table) bool { return table.TableRef == ref })
			if at < 0 {
				t.Errorf("%q is missing", name)
				continue
			}
			table := found.Tables[at]
			if table.Columns[0].Name != name || len(table.Keys) != 1 || table.Keys[0].Columns[0] != name {
				t.Errorf("%q has columns %v and keys %v", name, table.Columns, table.Keys)
			}
			p := profileOf(t, s, sdk.ProfileRequest{Table: ref, Columns: []string{name}, MaxValues: 5, SampleRows: 1})
			if diff := cmp.Diff([]string{fmt.Sprint(i)}, p.stats[0].Values); diff != "" {
				t.Errorf("values of %q in %q (-want +got):\n%s", name, schema, diff)
			}
		}
	}
}

func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	found, summary := scanAll(t, openAs(t, db, testserver.MariaDBReader), sdk.ScanRequest{})
	if len(found.Tables) != 0 || len(found.Warnings) != 0 || !summary.Complete {
		t.Errorf("%d tables, warnings %v, %+v", len(found.Tables), found.Warnings, summary)
	}
}

// The most columns that a table of InnoDB may have, and about as many as a table of
// any engine: its definition is then of 64 KiB.
func TestWidestTable(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	for engine, width := range map[string]int{"InnoDB": 1017, "MyISAM": 2600} {
		var columns []string
		for i := range width {
			columns = append(columns, fmt.Sprintf("c%d TINYINT NOT NULL", i))
		}
		db.Exec(t, testserver.MariaDBAdmin, "CREATE TABLE "+engine+" ("+strings.Join(columns, ", ")+") ENGINE = "+engine+"; SET sql_mode = ''; INSERT INTO "+engine+" (c0) VALUES (7)")
		s := openAs(t, db, testserver.MariaDBReader)
		found, _ := scanAll(t, s, sdk.ScanRequest{Include: []string{db.Name + "." + engine}})
		if len(found.Tables) != 1 || len(found.Tables[0].Columns) != width {
			t.Errorf("%s: %d tables", engine, len(found.Tables))
		}
		last := fmt.Sprintf("c%d", width-1)
		p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: engine}, Columns: []string{"c0", last}, MaxValues: 5, SampleRows: 1})
		if !slices.Equal(p.stats[1].Values, []string{"0"}) {
			t.Errorf("%s: %+v", engine, p.stats)
		}
	}
}

// Text with U+0000, blanks at the end, and too much of it; values that differ only
// behind what the server sorts by.
func TestHardValues(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `SET sql_mode = 'NO_BACKSLASH_ESCAPES';
		CREATE TABLE t (v TEXT, big LONGTEXT, raw LONGBLOB, doc JSON, g GEOMETRY, bits BIT(3), l TEXT CHARACTER SET latin1);
		INSERT INTO t VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('', '', '', '{"a": 1}', POINT(1, 2), 5, _latin1 X'E9'), (' ', 'x', X'00', '{"a": 1}', POINT(1, 2), 5, _latin1 X'E9'),
			('a', 'x', X'FF', '{"a": 1}', POINT(1, 2), 5, 'e'), ('A', 'x', X'FF', NULL, NULL, NULL, NULL), ('a ', 'x', NULL, NULL, NULL, NULL, NULL), (CONCAT('a', CHAR(0 USING utf8mb4), 'b'), 'x', NULL, NULL, NULL, NULL, NULL),
			(CONCAT('a', CHAR(0 USING utf8mb4), 'c'), 'x', NULL, NULL, NULL, NULL, NULL), ('🦆', 'x', NULL, NULL, NULL, NULL, NULL);
		INSERT INTO t (big, raw, doc) SELECT CONCAT(REPEAT('ü', 1 << 20), seq % 3), REPEAT('r', 1 << 20), JSON_ARRAY(REPEAT('j', 5000)) FROM seq_1_to_6;`)
	s := openAs(t, db, testserver.MariaDBReader)
	p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, MaxValues: 100, TopValues: 10, SketchSize: 8})
	stats := map[string]sdk.ColumnStats{}
	for _, c := range p.stats {
		stats[c.Column] = c
	}
	v := stats["v"]
	got := slices.Sorted(slices.Values(v.Values))
	if diff := cmp.Diff([]string{"", " ", "A", "a", "a\x00b", "a\x00c", "a ", "🦆"}, got); diff != "" || v.Distinct != 8 || v.Nulls != 7 || !v.ValuesComplete {
		t.Errorf("v: %d distinct, %d NULL, complete %t, values (-want +got):\n%s", v.Distinct, v.Nulls, v.ValuesComplete, diff)
	}
	if big := stats["big"]; big.Distinct != 5 || big.Nulls != 1 || big.MaxLength != 1<<20+1 || big.ValuesComplete || !slices.Equal(big.Values, []string{"x", ""}) {
		t.Errorf("big: %d distinct, %d NULL, %d characters, complete %t, values %.50q", big.Distinct, big.Nulls, big.MaxLength, big.ValuesComplete, big.Values)
	}
	if raw := stats["raw"]; raw.Distinct != 4 || raw.Nulls != 5 || raw.ValuesComplete || !slices.Equal(raw.Values, []string{"/w==", "", "AA=="}) {
		t.Errorf("raw: %+v", raw)
	}
	if doc := stats["doc"]; doc.Distinct != 2 || doc.ValuesComplete || !slices.Equal(doc.Values, []string{`{"a": 1}`}) {
		t.Errorf("doc: %d distinct, %.50q", doc.Distinct, doc.Values)
	}
	if g := stats["g"]; g.Distinct != 1 || !slices.Equal(g.Values, []string{"POINT(1 2)"}) {
		t.Errorf("g: %+v", g)
	}
	if l := stats["l"]; !slices.Equal(l.Values, []string{"é", "e"}) {
		t.Errorf("l: %+v", l)
	}
	if bits := stats["bits"]; !slices.Equal(bits.Values, []string{"5"}) {
		t.Errorf("bits: %+v", bits)
	}
}

// A table that goes while it is scanned or profiled is no failure of the session.
func TestTableDroppedMeanwhile(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE a (x INT); CREATE TABLE b (x INT); CREATE VIEW v AS SELECT x FROM b; CREATE TABLE c (x INT)")
	s := openAs(t, db, testserver.MariaDBReader)
	w := &onTable{do: func() { db.Exec(t, testserver.MariaDBAdmin, "DROP TABLE b, c") }}
	summary, err := s.Scan(t.Context(), sdk.ScanRequest{}, w)
	if err != nil || !summary.Complete {
		t.Errorf("%+v, %v", summary, err)
	}
	wantKind(t, s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "c"}}, newProfiled(sdk.Limits{})), sdk.KindNotFound)
	found, _ := scanAll(t, s, sdk.ScanRequest{})
	if diff := cmp.Diff([]string{"a"}, found.names()); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
	if len(found.Warnings) != 1 || !strings.HasSuffix(found.Warnings[0].Object, ".v") {
		t.Errorf("warnings %v", found.Warnings)
	}
}

// onTable runs something when the first table comes.
type onTable struct {
	scanned
	do func()
}

func (o *onTable) Table(t *sdk.Table) error {
	if len(o.Tables) == 0 {
		o.do()
	}
	return o.scanned.Table(t)
}
