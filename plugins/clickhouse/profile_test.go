package clickhouse_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// profiled collects a profile.
type profiled struct {
	result
	w        *sdk.RowWriter
	stats    map[string]sdk.ColumnStats
	warnings []sdk.Warning
}

func (p *profiled) Sample() *sdk.RowWriter { return p.w }

func (p *profiled) Stats(s sdk.ColumnStats) error { p.stats[s.Column] = s; return nil }

func (p *profiled) Warning(w sdk.Warning) error { p.warnings = append(p.warnings, w); return nil }

func (p *profiled) Progress(sdk.Progress) {}

func profile(t testing.TB, s sdk.Session, req sdk.ProfileRequest) *profiled {
	t.Helper()
	p := &profiled{stats: map[string]sdk.ColumnStats{}}
	p.w = sdk.NewRowWriter(p.Sink(), sdk.Limits{})
	err := s.(sdk.Profiler).Profile(t.Context(), req, p)
	if err == nil && req.SampleRows > 0 {
		err = p.w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProfileCountsValuesByColumn: also of columns that are named like what the
// query itself would name.
func TestProfileCountsValuesByColumn(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t,
			"CREATE TABLE p (n Nullable(Int32), v String, total Float64, a Array(Int8), m String MATERIALIZED 'x') ENGINE = MergeTree ORDER BY v",
			"INSERT INTO p (n, v, total, a) SELECT if(number % 3 = 0, NULL, number % 3), concat('v', toString(number % 2)), number / 2, [1, 2] FROM system.numbers LIMIT 600")
		s := db.openAs(t, testserver.ClickHouseReader)
		got := profile(t, s, sdk.ProfileRequest{
			Table: sdk.TableRef{Schema: db.name, Name: "p"}, SampleRows: 5, MaxValues: 10, TopValues: 3, Quantiles: []float64{0.5}, SketchSize: 8,
		})
		if len(got.Rows) != 5 || len(got.Columns) != 5 {
			t.Errorf("a sample of %d rows, %d columns", len(got.Rows), len(got.Columns))
		}
		n := got.stats["n"]
		if n.Rows != 600 || n.Nulls != 200 || n.Distinct != 2 || !n.Complete || !slices.Equal(n.Values, []string{"1", "2"}) || !slices.Equal(n.Counts, []int64{200, 200}) {
			t.Errorf("n: %+v", n)
		}
		if v := got.stats["v"]; v.Distinct != 2 || v.MaxLength != 2 || *v.Min != "v0" || *v.Max != "v1" || len(v.Sketch) != 2 {
			t.Errorf("v: %+v", v)
		}
		if f := got.stats["total"]; f.Distinct != 600 || *f.Min != "0" || *f.Max != "299.5" || !slices.Equal(f.Quantiles, []string{"149.5"}) {
			t.Errorf("total: %+v", f)
		}
		if a := got.stats["a"]; a.Distinct != 1 || !slices.Equal(a.Values, []string{"[1,2]"}) {
			t.Errorf("a: %+v", a)
		}
		if m := got.stats["m"]; m.Distinct != 1 {
			t.Errorf("m: %+v", m)
		}
	})
}

// TestProfileSamplesTheWholeTable: of a large table, by its sampling key or by
// chance, never the head.
func TestProfileSamplesTheWholeTable(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		const rows = 1_000_000
		for _, engine := range []string{"MergeTree ORDER BY x", "MergeTree ORDER BY (x, h) SAMPLE BY h"} {
			db := make(t, "CREATE TABLE big (x UInt32, h UInt32) ENGINE = "+engine,
				"INSERT INTO big SELECT number, intHash32(number) FROM system.numbers LIMIT 1000000")
			s := db.openAs(t, testserver.ClickHouseReader)
			got := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.name, Name: "big"}, Columns: []string{"x"}, SampleRows: 50, TopValues: 1})
			x := got.stats["x"]
			if x.Complete || x.Rows < 150_000 || x.Rows > 250_000 {
				t.Errorf("%s: %+v", engine, x)
			}
			late := 0
			for _, row := range got.Rows {
				if row[0].(int64) > rows/2 {
					late++
				}
			}
			if late < 5 || late > 45 {
				t.Errorf("%s: %d of %d sampled rows are of the second half", engine, late, len(got.Rows))
			}
		}
	})
}

func TestProfileOfATableThatIsNotThere(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t, "CREATE TABLE orders (x UInt32) ENGINE = Memory")
		s := db.openAs(t, testserver.ClickHouseReader)
		err := s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.name, Name: "order"}}, &profiled{})
		e := wantKind(t, err, sdk.KindNotFound)
		if diff := cmp.Diff([]string{"orders"}, e.Candidates); diff != "" {
			t.Errorf("candidates (-want +got):\n%s", diff)
		}
	})
}
