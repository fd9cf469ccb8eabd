package sqlite_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

func scan(t testing.TB, s sdk.Session, req sdk.ScanRequest) (*scanned, sdk.ScanSummary) {
	t.Helper()
	w := &scanned{}
	sum, err := s.Scan(t.Context(), req, w)
	if err != nil {
		t.Fatal(err)
	}
	return w, sum
}

// What the conformance fixture has no place for.
func TestScanCorners(t *testing.T) {
	t.Parallel()
	s := open(t, create(t,
		`CREATE TABLE "odd name. ""x""" ("a b" INT DEFAULT (1 + 1), "c" TEXT DEFAULT 'x')`,
		`CREATE TABLE Parent (id INTEGER PRIMARY KEY, Code TEXT)`,
		`CREATE UNIQUE INDEX by_code ON Parent (Code)`,
		`CREATE UNIQUE INDEX part ON Parent (id) WHERE id > 7`,
		`CREATE UNIQUE INDEX lowered ON Parent (lower(Code))`,
		`CREATE INDEX plain ON Parent (Code, id)`,
		`CREATE TABLE child (a INT PRIMARY KEY, p INT REFERENCES PARENT, c TEXT REFERENCES parent (CODE), q INT REFERENCES parent (id),
			gone INT REFERENCES nowhere (x), lost INT REFERENCES nowhere, UNIQUE (p, c), UNIQUE (c, p))`,
		`CREATE TABLE g (a INT, b INT AS (a * 2), c INT AS (a + 1) STORED)`,
		`CREATE VIRTUAL TABLE box USING rtree (id, x0, x1)`,
		`CREATE VIEW broken AS SELECT nope FROM parent`,
		`CREATE VIEW odd AS SELECT 1 + 1, id AS "" FROM parent`,
	))
	got, sum := scan(t, s, sdk.ScanRequest{})
	if !sum.Complete || sum.Tables != int64(len(got.tables)) {
		t.Errorf("summary %+v for %d tables", sum, len(got.tables))
	}
	const (
		i, text = sdk.TypeInt64, sdk.TypeText
		base    = sdk.TableBase
	)
	withDefault := func(c sdk.Column, def string) sdk.Column { c.Default = def; return c }
	named := func(k sdk.Key, name string) sdk.Key { k.Name = name; return k }
	want := []sdk.Table{
		table("Parent", base, []sdk.Column{notNull(col("id", i, "INTEGER")), col("Code", text, "TEXT")},
			key(sdk.KeyPrimary, "id"), named(key(sdk.KeyUnique, "Code"), "by_code")),
		table("box", base, []sdk.Column{col("id", i, "INT"), col("x0", sdk.TypeFloat64, "REAL"), col("x1", sdk.TypeFloat64, "REAL")}),
		table("broken", sdk.TableView, nil),
		table("child", base, []sdk.Column{
			col("a", i, "INT"), col("p", i, "INT"), col("c", text, "TEXT"), col("q", i, "INT"), col("gone", i, "INT"), col("lost", i, "INT"),
		},
			key(sdk.KeyPrimary, "a"), key(sdk.KeyUnique, "c", "p"), key(sdk.KeyUnique, "p", "c"),
			foreign([]string{"gone"}, "nowhere", "x"), foreign([]string{"q"}, "Parent", "id"),
			foreign([]string{"c"}, "Parent", "Code"), foreign([]string{"p"}, "Parent", "id")),
		table("g", base, []sdk.Column{col("a", i, "INT"), generated(col("b", i, "INT")), generated(col("c", i, "INT"))}),
		table("odd", sdk.TableView, []sdk.Column{col("1 + 1", text, "ANY"), col("", i, "INTEGER")}),
		table(`odd name. "x"`, base, []sdk.Column{withDefault(col("a b", i, "INT"), "1 + 1"), withDefault(col("c", text, "TEXT"), "'x'")}),
	}
	less := cmpopts.SortSlices(func(a, b sdk.Table) bool { return a.Name < b.Name })
	ignore := cmpopts.IgnoreFields(sdk.Table{}, "Fingerprint", "Definition", "RowEstimate", "ByteEstimate")
	var tables []sdk.Table
	for _, table := range got.tables {
		tables = append(tables, *table)
	}
	if diff := cmp.Diff(want, tables, less, ignore, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var warned []string
	for _, w := range got.warnings {
		warned = append(warned, w.Object+": "+w.Message)
	}
	wantWarned := []string{
		"main.child: its foreign key to nowhere matches no primary key there",
		"main.broken: its columns cannot be read: no such column: nope",
	}
	if diff := cmp.Diff(wantWarned, warned); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestScanDefinitionsAndEstimates(t *testing.T) {
	t.Parallel()
	path := create(t, "CREATE TABLE t (a INT, b INT)", "CREATE INDEX i ON t (a)", "CREATE INDEX part ON t (b) WHERE b > 7",
		"INSERT INTO t VALUES (1, 1), (2, 2), (3, 9)", "CREATE VIEW v AS SELECT a FROM t", "CREATE TABLE none (x)")
	facts := func(s sdk.Session) map[string]any {
		got, _ := scan(t, s, sdk.ScanRequest{})
		all := map[string]any{}
		for _, table := range got.tables {
			all[table.Name] = []any{table.RowEstimate, table.ByteEstimate, table.Definition}
		}
		return all
	}
	const view = "CREATE VIEW v AS SELECT a FROM t"
	unknown := map[string]any{"t": []any{int64(-1), int64(-1), ""}, "v": []any{int64(-1), int64(-1), view}, "none": []any{int64(-1), int64(-1), ""}}
	if diff := cmp.Diff(unknown, facts(open(t, path))); diff != "" {
		t.Errorf("without statistics (-want +got):\n%s", diff)
	}
	change(t, path, "ANALYZE")
	analyzed := map[string]any{"t": []any{int64(3), int64(-1), ""}, "v": unknown["v"], "none": unknown["none"]}
	if diff := cmp.Diff(analyzed, facts(open(t, path))); diff != "" {
		t.Errorf("with statistics (-want +got):\n%s", diff)
	}
}

// A scan sees one state of the database, also when the schema changes while it
// runs.
func TestScanIsConsistent(t *testing.T) {
	t.Parallel()
	path := create(t, "PRAGMA journal_mode = wal", "CREATE TABLE a (x INT)", "CREATE TABLE b (x INT)")
	s := open(t, path)
	db := writable(t, path)
	w := &onTable{do: func() {
		if _, err := db.ExecContext(t.Context(), "DROP TABLE b"); err != nil {
			t.Error(err)
		}
	}}
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, w)
	if err != nil || sum.Tables != 2 || sum.Columns != 2 {
		t.Errorf("summary %+v, %v", sum, err)
	}
	if again, _ := scan(t, s, sdk.ScanRequest{}); len(again.tables) != 1 {
		t.Errorf("afterwards %d tables", len(again.tables))
	}
}

// onTable does something at the first table.
type onTable struct {
	scanned
	do   func()
	done bool
	err  error
}

func (o *onTable) Table(t *sdk.Table) error {
	if !o.done {
		o.done = true
		o.do()
	}
	return o.err
}

func TestScanErrors(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE a (x INT)", "CREATE TABLE b (x INT)", "CREATE VIEW broken AS SELECT nope FROM a"))
	stop := errors.New("stop")
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, &onTable{do: func() {}, err: stop}); !errors.Is(err, stop) {
		t.Errorf("the writer's error became %v", err)
	}
	_, err := s.Scan(t.Context(), sdk.ScanRequest{Include: []string{"main."}}, &scanned{})
	if sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a broken glob: %v", err)
	}
	got, sum := scan(t, s, sdk.ScanRequest{Include: []string{"A"}})
	if len(got.tables) != 1 || len(got.warnings) != 0 || !sum.Complete {
		t.Errorf("include of one table: %d tables, warnings %v", len(got.tables), got.warnings)
	}
}

// A virtual table of a module that only its own program has.
func TestScanOfAMissingModule(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE t (x INT)", "PRAGMA writable_schema = on",
		"INSERT INTO sqlite_schema VALUES ('table', 'fuzzy', 'fuzzy', 0, 'CREATE VIRTUAL TABLE fuzzy USING spellfix1')"))
	got, sum := scan(t, s, sdk.ScanRequest{})
	if sum.Tables != 2 || sum.Columns != 1 || !sum.Complete {
		t.Errorf("summary %+v", sum)
	}
	want := []sdk.Warning{{Object: "main.fuzzy", Code: "broken", Message: "its columns cannot be read: no such module: spellfix1"}}
	if diff := cmp.Diff(want, got.warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT * FROM fuzzy"})
	if sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("got %v", err)
	}
}

func TestScanOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	got, sum := scan(t, open(t, write(t, nil)), sdk.ScanRequest{})
	if len(got.tables) != 0 || !sum.Complete {
		t.Errorf("%d tables, summary %+v", len(got.tables), sum)
	}
}

// A column that is declared in an odd case, and a table with many of them.
func TestScanWideTable(t *testing.T) {
	t.Parallel()
	var columns []string
	for i := range 1500 {
		columns = append(columns, "c"+strings.Repeat("i", i%7)+string(rune('a'+i%26))+strings.Repeat("z", i/26)+" int")
	}
	got, sum := scan(t, open(t, create(t, "CREATE TABLE wide ("+strings.Join(columns, ", ")+")")), sdk.ScanRequest{})
	if len(got.tables) != 1 || sum.Columns != 1500 || got.tables[0].Columns[1499].Type != sdk.TypeInt64 {
		t.Errorf("summary %+v", sum)
	}
}
