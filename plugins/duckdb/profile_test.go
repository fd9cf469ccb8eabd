//go:build cgo

package duckdb_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// profiled records a profile.
type profiled struct {
	sample result
	writer *sdk.RowWriter
	stats  map[string]sdk.ColumnStats
}

func (p *profiled) Sample() *sdk.RowWriter {
	if p.writer == nil {
		p.writer = sdk.NewRowWriter(&p.sample, sdk.Limits{})
	}
	return p.writer
}

func (p *profiled) Stats(s sdk.ColumnStats) error {
	p.stats[s.Column] = s
	return nil
}

func (*profiled) Warning(sdk.Warning) error { return nil }
func (*profiled) Progress(sdk.Progress)     {}

func profile(t testing.TB, s sdk.Session, req sdk.ProfileRequest) *profiled {
	t.Helper()
	p := &profiled{stats: map[string]sdk.ColumnStats{}}
	if err := s.(sdk.Profiler).Profile(context.Background(), req, p); err != nil {
		t.Fatal(err)
	}
	if err := p.Sample().Close(); req.SampleRows > 0 && err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProfile(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, `CREATE TABLE facts AS SELECT i AS id, CASE WHEN i % 4 = 0 THEN NULL ELSE 'kind ' || i % 3 END AS kind, DATE '2024-01-01' + (i % 10)::INTEGER AS day,
		i / 4 AS ratio, [i % 2] AS tags, (i % 2)::DECIMAL(4,2) AS amount, {'a': i % 2}::VARIANT AS free, TIMESTAMP '2024-01-01' + to_hours(i % 2) AS at, 'x'::BLOB AS raw FROM range(1000) t(i)`))
	p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "facts"}, SampleRows: 20, MaxValues: 10, TopValues: 2, Quantiles: []float64{0.5}, SketchSize: 16})
	if len(p.sample.rows) != 20 || len(p.sample.columns) != 9 {
		t.Errorf("the sample has %d rows of %d columns", len(p.sample.rows), len(p.sample.columns))
	}
	kind := p.stats["kind"]
	if kind.Rows != 1000 || !kind.Complete || kind.Nulls != 250 || kind.Distinct != 3 || !kind.ValuesComplete || kind.MinLength != 6 {
		t.Errorf("kind: %+v", kind)
	}
	for column, want := range map[string][]string{
		"tags": {"[0]", "[1]"}, "amount": {"0.00", "1.00"}, "at": {"2024-01-01T00:00:00", "2024-01-01T01:00:00"}, "raw": {"eA=="}, "free": {"{'a': 0}", "{'a': 1}"},
	} {
		if diff := cmp.Diff(want, p.stats[column].Values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", column, diff)
		}
	}
	if day := p.stats["day"]; *day.Min != "2024-01-01" || *day.Max != "2024-01-10" {
		t.Errorf("day: %v to %v", *day.Min, *day.Max)
	}
	if id := p.stats["id"]; len(id.Sketch) != 16 || id.Distinct != 1000 || len(id.Quantiles) != 1 {
		t.Errorf("id: %+v", id)
	}
}

// A large table is counted on a choice of rows from all over it.
func TestProfileOfALargeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the profile of a large table")
	}
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE large AS SELECT i AS id, i % 5 AS g FROM range(2000000) t(i)"))
	p := profile(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Schema: "main", Name: "large"}, SampleRows: 50, MaxValues: 10, TopValues: 5})
	id := p.stats["id"]
	if id.Complete || id.Rows < 100_000 || id.Rows > 400_000 {
		t.Errorf("id: %d rows, complete %t", id.Rows, id.Complete)
	}
	late := 0
	for _, row := range p.sample.rows {
		if row[0].(int64) > 1_000_000 {
			late++
		}
	}
	if len(p.sample.rows) != 50 || late == 0 || late == 50 {
		t.Errorf("%d of %d sampled rows are of the second half", late, len(p.sample.rows))
	}
	if err := s.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "none"}}, &profiled{}); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a table that is not there: %v", err)
	}
}
