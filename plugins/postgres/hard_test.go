package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// hardNames are names that have to be quoted with care, up to the longest that
// the server keeps.
var hardNames = []string{
	`a "quoted" name`, "it's", "a.b.c", `"`, " ", "☃ 🦆 snow", "Straße", "select", "%s %d", `back\slash`, "tab\tand\nline", "$1", "{a,b}", "NULL", strings.Repeat("n", 63),
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Tables and columns of any name are found, in the right one of two schemas, and
// profiled.
func TestHardNames(t *testing.T) {
	t.Parallel()
	var ddl strings.Builder
	for i, schema := range []string{"public", `Other "schema".x`} {
		if i > 0 {
			fmt.Fprintf(&ddl, "CREATE SCHEMA %s; GRANT USAGE ON SCHEMA %[1]s TO PUBLIC;", quoted(schema))
		}
		for _, name := range hardNames {
			fmt.Fprintf(&ddl, "CREATE TABLE %s.%s (%[2]s int PRIMARY KEY, word text); INSERT INTO %[1]s.%[2]s VALUES (%d, 'x');", quoted(schema), quoted(name), i)
		}
	}
	db := testserver.Postgres(t).Database(t, ddl.String())
	s := openAs(t, db, testserver.PostgresOwner)
	found, _ := scanAll(t, s, sdk.ScanRequest{})
	if len(found.Tables) != 2*len(hardNames) || len(found.Warnings) != 0 {
		t.Errorf("%d tables, warnings %v", len(found.Tables), found.Warnings)
	}
	for i, schema := range []string{"public", `Other "schema".x`} {
		for _, name := range hardNames {
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
			if diff := cmp.Diff([]string{fmt.Sprint(i)}, p.stats[0].Values); diff != "" || p.stats[0].Column != name {
				t.Errorf("values of %q in %q (-want +got):\n%s", name, schema, diff)
			}
		}
	}
}

func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "")
	found, summary := scanAll(t, openAs(t, db, testserver.PostgresReader), sdk.ScanRequest{})
	if len(found.Tables) != 0 || len(found.Warnings) != 0 || !summary.Complete {
		t.Errorf("%d tables, warnings %v, %+v", len(found.Tables), found.Warnings, summary)
	}
}

// The most columns that a table may have.
func TestWidestTable(t *testing.T) {
	t.Parallel()
	const width = 1600
	var columns, values []string
	for i := range width {
		columns, values = append(columns, fmt.Sprintf("c%d smallint", i)), append(values, fmt.Sprint(i%100))
	}
	db := testserver.Postgres(t).Database(t, "CREATE TABLE wide ("+strings.Join(columns, ", ")+"); INSERT INTO wide VALUES ("+strings.Join(values, ", ")+")")
	s := openAs(t, db, testserver.PostgresReader)
	found, summary := scanAll(t, s, sdk.ScanRequest{})
	if summary.Columns != width || found.Tables[0].Columns[width-1].Name != "c1599" {
		t.Errorf("%+v", summary)
	}
	p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "wide"}, MaxValues: 5, SampleRows: 1, SketchSize: 4})
	if len(p.stats) != width || !slices.Equal(p.stats[width-1].Values, []string{"99"}) || len(p.sample.Columns) != width {
		t.Errorf("%d columns profiled, %d sampled", len(p.stats), len(p.sample.Columns))
	}
}

// What has no order, no equality or no bound is counted as far as it goes.
func TestHardValues(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `
		CREATE TYPE pair AS (a int, b text);
		CREATE TABLE t (id int, doc json, docb jsonb, feed xml, at point, area polygon, circle circle, list text[], deep int[][], pair pair, span int4range,
			raw bytea, bits bit(3), words tsvector, address inet, fixed char(3), path jsonpath, big text, bigs text[], bigdoc jsonb, bigraw bytea, tid tid, xid xid);
		INSERT INTO t SELECT i, '{"a": 1}', '{"a": 1}', '<a/>', '(1,2)', '((0,0),(1,1),(1,0))', '<(0,0),1>', '{a,NULL}', '{{1},{2}}', '(1,x)', '[1,3)',
			'\x00ff', '101', 'a fat cat', '10.0.0.1', 'x', '$.a', repeat('ü', 1 << 20), ARRAY[repeat('b', 1 << 20)], to_jsonb(repeat('c', 1 << 20)),
			convert_to(repeat('d', 1 << 20), 'UTF8'), '(0,1)', '7'
		FROM generate_series(1, 3) i;
		INSERT INTO t (id, big, bigraw) SELECT 4, '', ''; INSERT INTO t (id, big) VALUES (5, ' '), (6, E'\u2028 🦆'), (7, repeat('u', 512)), (8, repeat('v', 513))`)
	s := openAs(t, db, testserver.PostgresReader)
	found, _ := scanAll(t, s, sdk.ScanRequest{})
	p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, MaxValues: 100, TopValues: 10, Quantiles: []float64{0.5}, SketchSize: 8})
	if len(p.stats) != len(found.Tables[0].Columns) {
		t.Fatalf("%d of %d columns", len(p.stats), len(found.Tables[0].Columns))
	}
	stats := map[string]sdk.ColumnStats{}
	for _, c := range p.stats {
		stats[c.Column] = c
		if c.Rows != 8 || !c.Complete {
			t.Errorf("%s: %d rows", c.Column, c.Rows)
		}
	}
	for column, want := range map[string]string{
		"doc": `{"a": 1}`, "docb": `{"a": 1}`, "feed": "<a/>", "at": "(1,2)", "area": "((0,0),(1,1),(1,0))", "circle": "<(0,0),1>", "list": `["a",null]`,
		"deep": "[[1],[2]]", "pair": `{"a":1,"b":"x"}`, "raw": "AP8=", "bits": "101", "words": "'a' 'cat' 'fat'", "address": "10.0.0.1", "fixed": "x  ", "path": `$."a"`,
		"tid": "(0,1)", "xid": "7",
	} {
		if got := stats[column]; !slices.Equal(got.Values, []string{want}) || !slices.Equal(got.Counts, []int64{3}) || got.Nulls != 5 || !got.ValuesComplete {
			t.Errorf("%s: %d NULL, complete %t, values %q", column, got.Nulls, got.ValuesComplete, got.Values)
		}
	}
	for _, column := range []string{"bigs", "bigdoc"} {
		if got := stats[column]; got.Distinct != 1 || got.Nulls != 5 || got.ValuesComplete || len(got.Values) != 0 {
			t.Errorf("%s: %+v", column, got)
		}
	}
	if got := stats["bigraw"]; got.Distinct != 2 || got.Nulls != 4 || got.ValuesComplete || !slices.Equal(got.Values, []string{""}) {
		t.Errorf("bigraw: %+v", got)
	}
	big := stats["big"]
	if big.Distinct != 6 || big.Nulls != 0 || big.MinLength != 0 || big.MaxLength != 1<<20 || big.ValuesComplete || big.Sketch != nil {
		t.Errorf("big: %d distinct, %d NULL, %d to %d characters, complete %t", big.Distinct, big.Nulls, big.MinLength, big.MaxLength, big.ValuesComplete)
	}
	if diff := cmp.Diff([]string{"", " ", strings.Repeat("u", 512), "\u2028 🦆"}, big.Values); diff != "" {
		t.Errorf("values of big (-want +got):\n%s", diff)
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

// onWarning runs something when a profile warns, before it reads anything.
type onWarning struct {
	*profiled
	do func()
}

func (o *onWarning) Warning(sdk.Warning) error { o.do(); return nil }

// A table that goes while it is being scanned or profiled is no failure of the
// session.
func TestTableDroppedMeanwhile(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE a (x int); CREATE TABLE b (x int DEFAULT 7, hidden int); CREATE TABLE c (x int); CREATE VIEW v AS SELECT x FROM b`)
	s := openAs(t, db, testserver.PostgresReader)
	_, summary := scanAll(t, s, sdk.ScanRequest{})
	db.Exec(t, testserver.PostgresOwner, "ALTER TABLE c ADD y int")
	w := &onTable{do: func() { db.Exec(t, testserver.PostgresOwner, "DROP TABLE c") }}
	again, err := s.Scan(t.Context(), sdk.ScanRequest{Since: summary.Since}, w)
	if err != nil || !again.Complete || again.Tables != 4 {
		t.Errorf("%+v, %v", again, err)
	}
	if found, _ := scanAll(t, s, sdk.ScanRequest{Since: again.Since}); len(found.Tables) != 3 {
		t.Errorf("afterwards %d tables", len(found.Tables))
	}

	db.Exec(t, testserver.PostgresAdmin, "REVOKE ALL ON b FROM loam_reader; GRANT SELECT (x) ON b TO loam_reader")
	err = s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "b"}, MaxValues: 5}, &onWarning{newProfiled(sdk.Limits{}), func() {
		db.Exec(t, testserver.PostgresOwner, "DROP TABLE b CASCADE")
	}})
	wantKind(t, err, sdk.KindNotFound)
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if found, _ := scanAll(t, s, sdk.ScanRequest{}); len(found.Tables) != 1 {
		t.Errorf("at last %d tables", len(found.Tables))
	}
}
