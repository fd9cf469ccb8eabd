package mysql_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// profiled collects a profile.
type profiled struct {
	sample   *result
	writer   *sdk.RowWriter
	stats    []sdk.ColumnStats
	warnings []sdk.Warning
}

func newProfiled(limits sdk.Limits) *profiled {
	p := &profiled{sample: &result{}}
	p.writer = sdk.NewRowWriter(p.sample.Sink(), limits)
	return p
}

func (p *profiled) Sample() *sdk.RowWriter { return p.writer }

func (p *profiled) Stats(s sdk.ColumnStats) error {
	p.stats = append(p.stats, s)
	return nil
}

func (p *profiled) Warning(w sdk.Warning) error {
	p.warnings = append(p.warnings, w)
	return nil
}

func (p *profiled) Progress(sdk.Progress) {}

func profileOf(t testing.TB, s sdk.Profiler, req sdk.ProfileRequest) *profiled {
	t.Helper()
	p := newProfiled(sdk.Limits{})
	if err := s.Profile(t.Context(), req, p); err != nil {
		t.Fatal(err)
	}
	if req.SampleRows > 0 {
		if err := p.writer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestProfile(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `SET sql_mode = '';
		CREATE TABLE t (id INT, name VARCHAR(20), at TIMESTAMP NULL, amount DECIMAL(10,2), day DATE, raw VARBINARY(4), mood ENUM('sad', 'happy'), long_ TIME, u BIGINT UNSIGNED, g POINT, f FLOAT);
		SET time_zone = '+00:00';
		INSERT INTO t VALUES
		  (1, 'b', '2024-02-29 10:00:00', 1.5, '2024-02-29', x'00', 'happy', '-01:00:00', 18446744073709551615, POINT(1, 2), 0.1),
		  (2, 'B', '2024-03-01', 1.5, '0000-00-00', x'ff', 'sad', '100:00:00', 10, POINT(1, 2), 0.1),
		  (3, 'b ', NULL, 10, NULL, NULL, 'happy', NULL, 9, NULL, NULL),
		  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`)
	s := openAs(t, db, testserver.MariaDBReader)
	p := profileOf(t, s, sdk.ProfileRequest{
		Table: sdk.TableRef{Name: "t"}, SampleRows: 2, MaxValues: 5, Quantiles: []float64{0.5}, SketchSize: 8,
	})
	if len(p.sample.Rows) != 2 || len(p.sample.Columns) != 11 {
		t.Errorf("the sample has %d rows of %d columns", len(p.sample.Rows), len(p.sample.Columns))
	}
	type row struct {
		Column          string
		Nulls, Distinct int64
		Min, Max        string
		Values          []string
		Counts          []int64
		Quantiles       []string
	}
	var got []row
	for _, c := range p.stats {
		r := row{Column: c.Column, Nulls: c.Nulls, Distinct: c.Distinct, Values: c.Values, Counts: c.Counts, Quantiles: c.Quantiles}
		if c.Min != nil && c.Max != nil {
			r.Min, r.Max = *c.Min, *c.Max
		}
		if !c.Complete || c.Rows != 4 || !c.ValuesComplete {
			t.Errorf("%s: %d rows, complete %t, values complete %t", c.Column, c.Rows, c.Complete, c.ValuesComplete)
		}
		got = append(got, r)
	}
	want := []row{
		{"id", 0, 4, "1", "4", []string{"1", "2", "3", "4"}, []int64{1, 1, 1, 1}, []string{"2"}},
		{"name", 1, 3, "B", "b ", []string{"B", "b", "b "}, []int64{1, 1, 1}, nil},
		{"at", 2, 2, "2024-02-29T10:00:00Z", "2024-03-01T00:00:00Z", []string{"2024-02-29T10:00:00Z", "2024-03-01T00:00:00Z"}, []int64{1, 1}, []string{"2024-02-29T10:00:00Z"}},
		{"amount", 1, 2, "1.50", "10.00", []string{"1.50", "10.00"}, []int64{2, 1}, []string{"1.50"}},
		{"day", 2, 2, "0000-00-00", "2024-02-29", []string{"0000-00-00", "2024-02-29"}, []int64{1, 1}, []string{"0000-00-00"}},
		{"raw", 2, 2, "AA==", "/w==", []string{"AA==", "/w=="}, []int64{1, 1}, nil},
		{"mood", 1, 2, "happy", "sad", []string{"happy", "sad"}, []int64{2, 1}, nil},
		{"long_", 2, 2, "-01:00:00", "100:00:00", []string{"-01:00:00", "100:00:00"}, []int64{1, 1}, []string{"-01:00:00"}},
		{"u", 1, 3, "9", "18446744073709551615", []string{"9", "10", "18446744073709551615"}, []int64{1, 1, 1}, []string{"10"}},
		{"g", 2, 1, "POINT(1 2)", "POINT(1 2)", []string{"POINT(1 2)"}, []int64{2}, nil},
		{"f", 2, 1, "0.1", "0.1", []string{"0.1"}, []int64{2}, []string{"0.1"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("statistics (-want +got):\n%s", diff)
	}
}

// A large table is counted on a choice of rows from all over it.
func TestProfileOfALargeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the profile of a large table")
	}
	t.Parallel()
	const rows = 400_000
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE t (id INT PRIMARY KEY, k INT) AS SELECT seq AS id, seq % 10 AS k FROM seq_1_to_"+strconv.Itoa(rows))
	s := openAs(t, db, testserver.MariaDBReader)
	p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Schema: db.Name, Name: "t"}, SampleRows: 200, MaxValues: 20, TopValues: 5, SketchSize: 64})
	above := 0
	for _, row := range p.sample.Rows {
		if row[0].(int64) > rows/2 {
			above++
		}
	}
	if len(p.sample.Rows) != 200 || above < 50 || above > 150 { // 100 on average; the bounds are 7 deviations away
		t.Errorf("%d of %d sample rows are from the second half", above, len(p.sample.Rows))
	}
	first := p.stats[0].Rows
	for _, c := range p.stats {
		if c.Complete || c.Rows < rows*2/5 || c.Rows > rows*3/5 || c.Rows != first {
			t.Errorf("%s: %d rows, complete %t", c.Column, c.Rows, c.Complete)
		}
	}
	if p.stats[1].Distinct != 10 || len(p.stats[1].Values) != 10 || len(p.stats[0].Sketch) != 64 {
		t.Errorf("k has %d values, the sketch of id %d hashes", p.stats[1].Distinct, len(p.stats[0].Sketch))
	}
}

func TestProfileErrors(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE orders (id INT)")
	s := openAs(t, db, testserver.MariaDBReader)
	e := wantKind(t, s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "ordres"}}, newProfiled(sdk.Limits{})), sdk.KindNotFound)
	if diff := cmp.Diff([]string{"orders"}, e.Candidates); diff != "" || e.Code != "1146" {
		t.Errorf("code %s, candidates (-want +got):\n%s", e.Code, diff)
	}
	e = wantKind(t, s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "orders"}, Columns: []string{"di"}}, newProfiled(sdk.Limits{})), sdk.KindNotFound)
	if diff := cmp.Diff([]string{"id"}, e.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	wantKind(t, s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Schema: "mysql", Name: "global_priv"}}, newProfiled(sdk.Limits{})), sdk.KindDenied)
}
