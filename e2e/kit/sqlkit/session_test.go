package sqlkit_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	native "modernc.org/sqlite"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// result records what a session wrote.
type result struct {
	columns []sdk.Column
	rows    [][]any
}

func (*result) Started(string) error  { return nil }
func (*result) Progress(sdk.Progress) {}
func (*result) Notice(sdk.Warning)    {}

func (r *result) Columns(c []sdk.Column) error {
	r.columns = c
	return nil
}

func (r *result) Batch(b *sdk.Batch) error {
	for i := range b.Rows {
		row := make([]any, len(r.columns))
		for c := range row {
			row[c] = b.Columns[c].Value(r.columns[c].Type, i)
			if text, ok := row[c].([]byte); ok {
				row[c] = string(text)
			}
		}
		r.rows = append(r.rows, row)
	}
	return nil
}

func text(s string) *string { return &s }

var types = sqlkit.Types{
	"INTEGER": sdk.TypeInt64, "REAL": sdk.TypeFloat64, "BLOB": sdk.TypeBytes, "DECIMAL": sdk.TypeDecimal,
	"DATE": sdk.TypeDate, "BOOLEAN": sdk.TypeBool,
}

// opened is SQLite behind a Driver; what is set before the first call counts.
type opened struct {
	sqlkit.Driver
	Pool *sql.DB // around the session

	once    sync.Once
	session *sqlkit.Session[*sqlkit.SQL, *sqlkit.Statement]
}

func open(t testing.TB, statements ...string) *opened {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Pool: pool, Driver: sqlkit.Driver{
		Types: types, Dialect: &sqlite.Dialects()[0],
		Connect: func(context.Context) (driver.Conn, error) { return (&native.Driver{}).Open(path) },
	}}
	t.Cleanup(func() {
		if err := errors.Join(s.opened().Close(context.Background()), pool.Close()); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range statements {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return s
}

func (s *opened) opened() *sqlkit.Session[*sqlkit.SQL, *sqlkit.Statement] {
	s.once.Do(func() { s.session = s.Session(sdk.OpenRequest{}) })
	return s.session
}

func (s *opened) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	return s.opened().Execute(ctx, req, w)
}

func (s *opened) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	return s.opened().Scan(ctx, req, w)
}

// Query is a sqlkit.Queries.
func (s *opened) Query(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
	return s.opened().Engine.Read(ctx, time.Minute, func(ctx context.Context, r *sqlkit.SQL) error { return r.Query(ctx, sql, row) })
}

func execute(ctx context.Context, s *opened, req sdk.ExecuteRequest) (*result, sdk.Summary, error) {
	r := &result{}
	w := sdk.NewRowWriter(r, req.Limits)
	if err := s.Execute(ctx, req, w); err != nil {
		return nil, sdk.Summary{}, err
	}
	err := w.Close()
	return r, w.Summary(), err
}

func TestSessionExecute(t *testing.T) {
	t.Parallel()
	s := open(t,
		`CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB, d DECIMAL(10,2), day DATE, yes BOOLEAN)`,
		`INSERT INTO t VALUES (9007199254740993, 1.5, 'é', x'00ff', '1.50x', '2024-02-29', 1), (NULL, NULL, NULL, NULL, NULL, NULL, NULL)`)
	got, sum, err := execute(t.Context(), s, sdk.ExecuteRequest{
		SQL: "SELECT *, count(*) OVER () AS n, i AS i FROM t WHERE i IS NULL OR i > ? ORDER BY i DESC", Params: []sdk.Value{int64(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &result{
		columns: []sdk.Column{
			{Name: "i", Type: sdk.TypeInt64, NativeType: "INTEGER", Nullable: true},
			{Name: "r", Type: sdk.TypeFloat64, NativeType: "REAL", Nullable: true},
			{Name: "s", Type: sdk.TypeText, NativeType: "TEXT", Nullable: true},
			{Name: "b", Type: sdk.TypeBytes, NativeType: "BLOB", Nullable: true},
			{Name: "d", Type: sdk.TypeDecimal, NativeType: "DECIMAL(10,2)", Nullable: true, Precision: 10, Scale: 2},
			{Name: "day", Type: sdk.TypeDate, NativeType: "DATE", Nullable: true},
			{Name: "yes", Type: sdk.TypeBool, NativeType: "BOOLEAN", Nullable: true},
			{Name: "n", Type: sdk.TypeInt64, Nullable: true},
			{Name: "i", Type: sdk.TypeInt64, NativeType: "INTEGER", Nullable: true},
		},
		rows: [][]any{
			{int64(9007199254740993), 1.5, "é", "\x00\xff", "1.50x", int64(19782), true, int64(2), int64(9007199254740993)},
			{nil, nil, nil, nil, nil, nil, nil, int64(2), nil},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if sum.Rows != 2 {
		t.Errorf("summary %+v", sum)
	}
}

func TestSessionStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	s := open(t)
	const endless = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
	got, sum, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: endless, Limits: sdk.Limits{MaxRows: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.rows) != 3 || sum.TruncatedBy != sdk.TruncatedByRows {
		t.Errorf("%d rows, summary %+v", len(got.rows), sum)
	}
}

func TestSessionErrors(t *testing.T) {
	t.Parallel()
	const endless = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		req  sdk.ExecuteRequest
		want sdk.Kind
	}{
		{"mapped", t.Context(), sdk.ExecuteRequest{SQL: "SELECT nope"}, sdk.KindSyntax},
		{"timeout", t.Context(), sdk.ExecuteRequest{SQL: endless, Limits: sdk.Limits{Timeout: 20 * time.Millisecond}}, sdk.KindTimeout},
		{"canceled", canceled, sdk.ExecuteRequest{SQL: "SELECT 1"}, sdk.KindCanceled},
		{"a value that does not fit", t.Context(), sdk.ExecuteRequest{SQL: "SELECT b FROM t"}, sdk.KindInternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "CREATE TABLE t (b BOOLEAN)", "INSERT INTO t VALUES (7)")
			s.Errors = func(err error) *sdk.Error { return sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "%w", err) }
			if _, _, err := execute(tt.ctx, s, tt.req); sdk.KindOf(err) != tt.want {
				t.Errorf("got %v", err)
			}
		})
	}
	s := open(t)
	if _, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT nope"}); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("unmapped: got %v", err)
	}
}

// With a dialect a text is looked at before it runs: this driver would run all
// its statements.
func TestSessionWithADialect(t *testing.T) {
	t.Parallel()
	s := open(t, "CREATE TABLE t (i INTEGER)")
	_, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1; INSERT INTO t VALUES (1)"})
	if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindNotReadOnly || e.Pos.IsZero() {
		t.Errorf("got %#v", err)
	}
	got, _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT count(*) AS n FROM t;"})
	if err != nil || got.rows[0][0] != int64(0) {
		t.Errorf("got %v, %v", got, err)
	}
}

// tables records a scan.
type tables struct {
	got []*sdk.Table
	err error
}

func (s *tables) Table(t *sdk.Table) error { s.got = append(s.got, t); return s.err }
func (*tables) Warning(sdk.Warning) error  { return nil }
func (*tables) Progress(p sdk.Progress)    {}
func (s *tables) names() (names []string) {
	for _, t := range s.got {
		names = append(names, t.Name)
	}
	return
}

// A catalogue of literal rows.
var literal = sqlkit.Catalog{
	Levels: 2,
	Tables: `VALUES (NULL, 's', 'a', 'BASE TABLE', 'first', 10, 100, NULL), (NULL, 's', 'b', 'view', NULL, NULL, 'x', 'SELECT 1'),
		(NULL, 's', 'empty', 'BASE TABLE', NULL, NULL, NULL, NULL)`,
	Columns: `VALUES (NULL, 's', 'a', 'x', 'INTEGER', 'NO', '7', 'the x', NULL), (NULL, 's', 'a', 'y', 'DECIMAL(9, 3)', 'YES', NULL, NULL, 'ALWAYS'),
		(NULL, 's', 'hidden', 'z', 'TEXT', 'YES', NULL, NULL, NULL), (NULL, 's', 'b', 'x', 'odd', 1, NULL, NULL, 0)`,
	Keys: `VALUES (NULL, 's', 'a', 'pk', 'PRIMARY KEY', 'x', 1, NULL, NULL, NULL, NULL, 1), (NULL, 's', 'a', 'pk', 'PRIMARY KEY', 'y', 2, NULL, NULL, NULL, NULL, 1),
		(NULL, 's', 'hidden', 'pk', 'PRIMARY KEY', 'z', 1, NULL, NULL, NULL, NULL, 1),
		(NULL, 's', 'b', '', 'FOREIGN KEY', 'x', 1, NULL, 's', 'a', 'x', 0), (NULL, 's', 'b', '', 'FOREIGN KEY', 'x', 1, NULL, 's', 'a', 'y', 0),
		(NULL, 's', 'b', 'u', 'UNIQUE', 'x', 1, NULL, NULL, NULL, NULL, 1)`,
}

func TestScan(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Catalog = literal
	var w tables
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, &w)
	if err != nil {
		t.Fatal(err)
	}
	want := []*sdk.Table{
		{
			TableRef: sdk.TableRef{Schema: "s", Name: "a"}, Kind: sdk.TableBase, Comment: "first", RowEstimate: 10, ByteEstimate: 100,
			Columns: []sdk.Column{
				{Name: "x", Type: sdk.TypeInt64, NativeType: "INTEGER", Default: "7", Comment: "the x"},
				{Name: "y", Type: sdk.TypeDecimal, NativeType: "DECIMAL(9, 3)", Nullable: true, Precision: 9, Scale: 3, Generated: true},
			},
			Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Name: "pk", Columns: []string{"x", "y"}, Enforced: true}},
		},
		{
			TableRef: sdk.TableRef{Schema: "s", Name: "b"}, Kind: sdk.TableView, RowEstimate: -1, ByteEstimate: -1, Definition: "SELECT 1",
			Columns: []sdk.Column{{Name: "x", Type: sdk.TypeText, NativeType: "odd", Nullable: true}},
			Keys: []sdk.Key{
				{Kind: sdk.KeyForeign, Columns: []string{"x"}, Ref: sdk.TableRef{Schema: "s", Name: "a"}, RefColumns: []string{"x"}},
				{Kind: sdk.KeyForeign, Columns: []string{"x"}, Ref: sdk.TableRef{Schema: "s", Name: "a"}, RefColumns: []string{"y"}},
				{Kind: sdk.KeyUnique, Name: "u", Columns: []string{"x"}, Enforced: true},
			},
		},
		{TableRef: sdk.TableRef{Schema: "s", Name: "empty"}, Kind: sdk.TableBase, RowEstimate: -1, ByteEstimate: -1},
	}
	if diff := cmp.Diff(want, w.got, cmpopts.IgnoreFields(sdk.Table{}, "Fingerprint")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(sdk.ScanSummary{Tables: 3, Columns: 3, Complete: true}, sum); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestScanSelects(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Catalog = literal
	var w tables
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{Include: []string{"s.?"}, Facets: []sdk.Facet{sdk.FacetKeys}, MaxObjects: 2}, &w); err != nil {
		t.Fatal(err)
	}
	for _, table := range w.got {
		if table.Columns != nil || table.Comment != "" || table.RowEstimate != -1 || table.Definition != "" || table.Keys == nil {
			t.Errorf("facets: got %+v", table)
		}
	}
	if diff := cmp.Diff([]string{"a", "b"}, w.names()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{MaxObjects: 2}, &w)
	if sdk.KindOf(err) != sdk.KindLimit || sum.Complete {
		t.Errorf("too many tables: %+v, %v", sum, err)
	}
	stop := errors.New("stop")
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, &tables{err: stop}); !errors.Is(err, stop) {
		t.Errorf("the writer's error became %v", err)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := sdk.Table{TableRef: sdk.TableRef{Name: "t"}, Columns: []sdk.Column{{Name: "x", Type: sdk.TypeInt64}}}
	same := base
	same.RowEstimate, same.ByteEstimate, same.Fingerprint = 5, 6, "old"
	if sqlkit.Fingerprint(&base) != sqlkit.Fingerprint(&same) {
		t.Error("estimates change the fingerprint")
	}
	for name, change := range map[string]func(*sdk.Table){
		"column": func(t *sdk.Table) { t.Columns = []sdk.Column{{Name: "y", Type: sdk.TypeInt64}} },
		"key":    func(t *sdk.Table) { t.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"x"}}} },
		"view":   func(t *sdk.Table) { t.Definition = "SELECT 1" },
	} {
		other := base
		change(&other)
		if sqlkit.Fingerprint(&base) == sqlkit.Fingerprint(&other) {
			t.Errorf("a changed %s leaves the fingerprint", name)
		}
	}
}

func BenchmarkCopy(b *testing.B) {
	s := open(b)
	const rows = 10000
	query := fmt.Sprintf(`WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT i, i * 1.5, 'name ' || i, i %% 7, NULL FROM n`, rows)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := execute(b.Context(), s, sdk.ExecuteRequest{SQL: query}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
