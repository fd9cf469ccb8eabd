package sqlkit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// profiled records a profile.
type profiled struct {
	rows   result
	sample *sdk.RowWriter
	stats  []sdk.ColumnStats
	err    error
}

func (p *profiled) Sample() *sdk.RowWriter {
	if p.sample == nil {
		p.sample = sdk.NewRowWriter(&p.rows, sdk.Limits{})
	}
	return p.sample
}

func (p *profiled) Stats(s sdk.ColumnStats) error {
	p.stats = append(p.stats, s)
	return p.err
}

func (*profiled) Warning(sdk.Warning) error { return nil }
func (*profiled) Progress(sdk.Progress)     {}

func (p *profiled) of(t *testing.T, column string) sdk.ColumnStats {
	t.Helper()
	i := slices.IndexFunc(p.stats, func(s sdk.ColumnStats) bool { return s.Column == column })
	if i < 0 {
		t.Fatalf("there are no statistics of %s", column)
	}
	return p.stats[i]
}

// engine is SQLite as an engine with types of its own would profile it, with a
// count of its queries and of the values they returned.
type engine struct {
	sqlkit.Profiling
	queries int
	values  int64
}

func profiling(s *opened, table string, columns ...sqlkit.ProfiledColumn) *engine {
	e := &engine{}
	e.Profiling = sqlkit.Profiling{
		Table: table, Columns: columns, Random: "random()",
		Count: func(ctx context.Context, _ int64) (n int64, err error) {
			e.queries++
			err = s.Pool.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n)
			return n, err
		},
		Choice: func(total, rows int64) string {
			return fmt.Sprintf("(SELECT * FROM %s WHERE abs(random() %% %d) < %d)", table, total, rows)
		},
		Run: func(ctx context.Context, sql string, w *sdk.RowWriter) error {
			e.queries++
			err := s.Execute(ctx, sdk.ExecuteRequest{SQL: sql}, w)
			e.values += w.Summary().Rows
			return err
		},
	}
	for i := range e.Columns {
		c := &e.Columns[i]
		c.Quoted = `"` + c.Name + `"`
	}
	return e
}

func (e *engine) profile(t *testing.T, req sdk.ProfileRequest) *profiled {
	t.Helper()
	p := &profiled{}
	if err := sqlkit.Profile(t.Context(), e.Profiling, &req, p); err != nil {
		t.Fatal(err)
	}
	if p.sample != nil {
		if err := p.sample.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func sketch(k int, values ...string) []uint64 {
	s := sqlkit.NewSketch(k)
	for _, v := range values {
		s.Add([]byte(v))
	}
	return s.Hashes()
}

func column(name string, t sdk.Type) sqlkit.ProfiledColumn {
	return sqlkit.ProfiledColumn{Name: name, Type: t}
}

const numbers = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d) "

func TestProfileOfAWholeTable(t *testing.T) {
	t.Parallel()
	s := open(t, `CREATE TABLE t (id INTEGER, price REAL, name TEXT, day DATE, yes BOOLEAN, raw BLOB, none INTEGER, v TEXT)`,
		`INSERT INTO t VALUES (1, 0.5, 'b', '2024-02-29', 1, x'ff', NULL, 'x'), (2, 1e21, 'é', '2024-03-01', 0, x'00', NULL, 'x'),
			(3, 0.5, 'b', '2024-03-01', 1, NULL, NULL, 'x'), (4, NULL, NULL, NULL, 1, NULL, NULL, 'x')`)
	e := profiling(s, "t", column("id", sdk.TypeInt64), column("price", sdk.TypeFloat64), column("name", sdk.TypeText), column("day", sdk.TypeDate),
		column("yes", sdk.TypeBool), column("raw", sdk.TypeBytes), column("none", sdk.TypeInt64), column("v", sdk.TypeText))
	got := e.profile(t, sdk.ProfileRequest{SampleRows: 9, MaxValues: 3, TopValues: 1, Quantiles: []float64{0.9, 0.5}, SketchSize: 4})
	want := []sdk.ColumnStats{
		{Column: "id", Distinct: 4, Min: text("1"), Max: text("4"), Quantiles: []string{"4", "2"}, Values: []string{"1"}, Counts: []int64{1}, Sketch: sketch(4, "1", "2", "3", "4")},
		{
			Column: "price", Nulls: 1, Distinct: 2, Min: text("0.5"), Max: text("1e+21"), Quantiles: []string{"1e+21", "0.5"},
			Values: []string{"0.5", "1e+21"}, Counts: []int64{2, 1}, ValuesComplete: true,
		},
		{
			Column: "name", Nulls: 1, Distinct: 2, Min: text("b"), Max: text("é"), MinLength: 1, MaxLength: 1, AvgLength: 1,
			Values: []string{"b", "é"}, Counts: []int64{2, 1}, ValuesComplete: true, Sketch: sketch(4, "b", "é"),
		},
		{
			Column: "day", Nulls: 1, Distinct: 2, Min: text("2024-02-29"), Max: text("2024-03-01"), Quantiles: []string{"2024-03-01", "2024-03-01"},
			Values: []string{"2024-03-01", "2024-02-29"}, Counts: []int64{2, 1}, ValuesComplete: true, Sketch: sketch(4, "2024-02-29", "2024-03-01"),
		},
		{Column: "yes", Distinct: 2, Min: text("false"), Max: text("true"), Values: []string{"true", "false"}, Counts: []int64{3, 1}, ValuesComplete: true},
		{Column: "raw", Nulls: 2, Distinct: 2, Min: text("AA=="), Max: text("/w=="), Values: []string{"AA==", "/w=="}, Counts: []int64{1, 1}, ValuesComplete: true},
		{Column: "none", Nulls: 4, ValuesComplete: true},
		{
			Column: "v", Distinct: 1, Min: text("x"), Max: text("x"), MinLength: 1, MaxLength: 1, AvgLength: 1,
			Values: []string{"x"}, Counts: []int64{4}, ValuesComplete: true, Sketch: sketch(4, "x"),
		},
	}
	for i := range want {
		want[i].Rows, want[i].Complete = 4, true
		if want[i].AvgLength == 0 {
			want[i].MinLength, want[i].MaxLength, want[i].AvgLength = -1, -1, -1
		}
	}
	if diff := cmp.Diff(want, got.stats, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(got.rows.rows) != 4 || len(got.rows.columns) != 8 {
		t.Errorf("the sample has %d rows of %d columns", len(got.rows.rows), len(got.rows.columns))
	}
	if want := 2 + len(e.Columns); e.queries != want {
		t.Errorf("%d queries, want %d", e.queries, want)
	}
}

// Of a large table a choice is counted, and every value sketched, with as many
// queries as of a small one and one more for its keys.
func TestProfileOfALargeTable(t *testing.T) {
	t.Parallel()
	const rows, chosen = 20_000, 2_000
	s := open(t, "CREATE TABLE t (id INTEGER, digit INTEGER, key TEXT)", fmt.Sprintf(numbers, rows)+"INSERT INTO t SELECT i, i % 10, 'k' || i FROM n")
	e := profiling(s, "t", column("id", sdk.TypeInt64), column("digit", sdk.TypeFloat64), column("key", sdk.TypeText))
	e.Columns[2].Value = "CAST(key AS BLOB)" // as an engine that sorts text by its language would
	e.Rows = chosen
	got := e.profile(t, sdk.ProfileRequest{SampleRows: 50, MaxValues: 10, Quantiles: []float64{0.5}, SketchSize: 16})
	id, digit := got.of(t, "id"), got.of(t, "digit")
	// 2,000 of 20,000 with a standard deviation of 43.
	if id.Complete || id.Rows < chosen*3/4 || id.Rows > chosen*5/4 || id.Distinct != id.Rows {
		t.Errorf("id: complete %t, %d rows, %d distinct", id.Complete, id.Rows, id.Distinct)
	}
	if median, err := strconv.Atoi(id.Quantiles[0]); err != nil || median < rows*2/5 || median > rows*3/5 {
		t.Errorf("the median is %v", id.Quantiles)
	}
	if !digit.ValuesComplete || len(digit.Values) != 10 || digit.Sketch != nil {
		t.Errorf("digits: %v, sketch %v", digit.Values, digit.Sketch)
	}
	var ids, keys []string
	for i := range rows {
		ids, keys = append(ids, strconv.Itoa(i+1)), append(keys, "k"+strconv.Itoa(i+1))
	}
	if diff := cmp.Diff(sketch(16, ids...), id.Sketch); diff != "" {
		t.Errorf("sketch of id (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sketch(16, keys...), got.of(t, "key").Sketch); diff != "" {
		t.Errorf("sketch of key (-want +got):\n%s", diff)
	}
	low := 0
	for _, row := range got.rows.rows {
		if row[0].(int64) <= rows/2 {
			low++
		}
	}
	if len(got.rows.rows) != 50 || low < 5 || low > 45 {
		t.Errorf("of %d sample rows %d lie in the lower half", len(got.rows.rows), low)
	}
	if want := 2 + 3 + 1; e.queries != want {
		t.Errorf("%d queries, want %d", e.queries, want)
	}
	if most := int64(50 + 2*rows + 3*chosen*5/4); e.values > most {
		t.Errorf("%d values were read, at most %d were to", e.values, most)
	}

	t.Run("two choices, one sketch", func(t *testing.T) {
		req := sdk.ProfileRequest{Columns: []string{"id"}, SketchSize: 16}
		if diff := cmp.Diff(e.profile(t, req).stats[0].Sketch, e.profile(t, req).stats[0].Sketch); diff != "" {
			t.Errorf("sketches of the same column differ:\n%s", diff)
		}
	})
	t.Run("too large for a sketch", func(t *testing.T) {
		e.Rows = rows/10 - 1
		if got := e.profile(t, sdk.ProfileRequest{Columns: []string{"id"}, SketchSize: 16}); got.stats[0].Sketch != nil {
			t.Errorf("got the sketch %v", got.stats[0].Sketch)
		}
	})
}

func TestProfileRequests(t *testing.T) {
	t.Parallel()
	s := open(t, "CREATE TABLE t (id INTEGER, Name TEXT)", "INSERT INTO t VALUES (1, 'a')", "CREATE TABLE empty (id INTEGER)")
	columns := []sqlkit.ProfiledColumn{column("id", sdk.TypeInt64), column("Name", sdk.TypeText)}
	names := func(p *profiled) (names []string) {
		for _, s := range p.stats {
			names = append(names, s.Column)
		}
		return names
	}
	t.Run("columns in the order wanted, each once", func(t *testing.T) {
		t.Parallel()
		got := profiling(s, "t", columns...).profile(t, sdk.ProfileRequest{Columns: []string{"name", "id", "NAME", "id"}, SampleRows: 1})
		if diff := cmp.Diff([]string{"Name", "id"}, names(got)); diff != "" || len(got.rows.columns) != 2 {
			t.Errorf("a sample of %d columns, statistics (-want +got):\n%s", len(got.rows.columns), diff)
		}
	})
	t.Run("an unknown column", func(t *testing.T) {
		t.Parallel()
		req := sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, Columns: []string{"nmae"}}
		err := sqlkit.Profile(t.Context(), profiling(s, "t", columns...).Profiling, &req, &profiled{})
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Kind != sdk.KindNotFound || !cmp.Equal(e.Candidates, []string{"Name"}) || !strings.Contains(e.Hint, "id, Name") {
			t.Errorf("got %#v", err)
		}
	})
	t.Run("an empty table", func(t *testing.T) {
		t.Parallel()
		got := profiling(s, "empty", columns[0]).profile(t, sdk.ProfileRequest{SampleRows: 5, MaxValues: 5, Quantiles: []float64{0.5}, SketchSize: 4})
		want := []sdk.ColumnStats{{Column: "id", Complete: true, MinLength: -1, MaxLength: -1, AvgLength: -1, ValuesComplete: true}}
		if diff := cmp.Diff(want, got.stats, cmpopts.EquateEmpty()); diff != "" || len(got.rows.rows) != 0 || len(got.rows.columns) != 1 {
			t.Errorf("a sample of %d rows, statistics (-want +got):\n%s", len(got.rows.rows), diff)
		}
	})
	t.Run("no column", func(t *testing.T) {
		t.Parallel()
		if got := profiling(s, "t").profile(t, sdk.ProfileRequest{SampleRows: 5}); len(got.stats) != 0 || got.sample == nil {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("the writer fails", func(t *testing.T) {
		t.Parallel()
		stop := errors.New("stop")
		err := sqlkit.Profile(t.Context(), profiling(s, "t", columns...).Profiling, &sdk.ProfileRequest{}, &profiled{err: stop})
		if !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
	})
}

// Where values have types of their own, the engine says of each what it is.
func TestProfileOfMixedValues(t *testing.T) {
	t.Parallel()
	s := open(t, "CREATE TABLE t (x)", "INSERT INTO t VALUES (1), (1e21), ('a'), (x'ff'), (NULL)")
	e := profiling(s, "t", column("x", sdk.TypeText))
	e.Query = s.Query
	e.Columns[0].TypeOf = func(r sqlkit.Row) sdk.Type {
		switch r[0].(type) {
		case int64, float64:
			return sdk.TypeFloat64
		case []byte:
			return sdk.TypeBytes
		default:
			return sdk.TypeText
		}
	}
	got := e.profile(t, sdk.ProfileRequest{MaxValues: 5, Quantiles: []float64{0.5}})
	want := []sdk.ColumnStats{{
		Column: "x", Rows: 5, Complete: true, Nulls: 1, Distinct: 4, Min: text("1"), Max: text("/w=="), MinLength: 1, MaxLength: 1, AvgLength: 1,
		Values: []string{"1", "1e+21", "a", "/w=="}, Counts: []int64{1, 1, 1, 1}, ValuesComplete: true,
	}}
	if diff := cmp.Diff(want, got.stats, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	e.Values = func(*sqlkit.ProfiledColumn, string) string { return "SELECT 1, 'many'" }
	err := sqlkit.Profile(t.Context(), e.Profiling, &sdk.ProfileRequest{}, &profiled{})
	if sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("a count that is no number: %v", err)
	}
}

// Cancelling ends a query whose values are already coming.
func TestProfileIsCancelled(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	e := profiling(s, "(SELECT 1 AS id)", column("id", sdk.TypeInt64))
	e.Values = func(*sqlkit.ProfiledColumn, string) string {
		return "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i, 1, 1, 0 FROM n"
	}
	e.Query = s.Query
	e.Columns[0].TypeOf = func(sqlkit.Row) sdk.Type {
		cancel()
		return sdk.TypeInt64
	}
	w := &profiled{}
	if err := sqlkit.Profile(ctx, e.Profiling, &sdk.ProfileRequest{}, w); err == nil || len(w.stats) > 0 {
		t.Errorf("got %v and %d statistics", err, len(w.stats))
	}
}
