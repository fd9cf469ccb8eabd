package postgres_test

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

func text(s string) *string { return &s }

func TestProfile(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN age AS int CHECK (VALUE > 0);
		CREATE TABLE t (id int, name text COLLATE "C", at timestamptz, amount numeric(10,2), yes bool, doc json, mood mood, raw bytea, day date, list int[], age age);
		INSERT INTO t VALUES
		  (1, 'b', '2024-02-29 12:00+02', 1.50, true, '{"a": 1}', 'happy', '\x00', '0044-03-15 BC', '{1,NULL}', 9),
		  (2, 'é', '2024-03-01 00:00+00', 1.5, true, '{"a": 1}', 'sad', '\xff', 'infinity', '{}', 10),
		  (3, 'b', NULL, 10, false, NULL, 'happy', NULL, NULL, '{1,NULL}', 10),
		  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`)
	s := openAs(t, db, testserver.PostgresReader)
	p := profileOf(t, s, sdk.ProfileRequest{
		Table: sdk.TableRef{Name: "t"}, SampleRows: 2, MaxValues: 5, Quantiles: []float64{0.5}, SketchSize: 8,
	})
	if len(p.sample.Rows) != 2 || len(p.sample.Columns) != 11 {
		t.Errorf("the sample has %d rows of %d columns", len(p.sample.Rows), len(p.sample.Columns))
	}
	number := sdk.ColumnStats{Rows: 4, Complete: true, MinLength: -1, MaxLength: -1, AvgLength: -1, ValuesComplete: true}
	with := func(s sdk.ColumnStats, change func(*sdk.ColumnStats)) sdk.ColumnStats {
		change(&s)
		return s
	}
	want := []sdk.ColumnStats{
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Distinct, s.Min, s.Max, s.Quantiles = "id", 4, text("1"), text("4"), []string{"2"}
			s.Values, s.Counts = []string{"1", "2", "3", "4"}, []int64{1, 1, 1, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "name", 1, 2, text("b"), text("é")
			s.MinLength, s.MaxLength, s.AvgLength = 1, 1, 1
			s.Values, s.Counts = []string{"b", "é"}, []int64{2, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "at", 2, 2, text("2024-02-29T10:00:00Z"), text("2024-03-01T00:00:00Z")
			s.Quantiles, s.Values, s.Counts = []string{"2024-02-29T10:00:00Z"}, []string{"2024-02-29T10:00:00Z", "2024-03-01T00:00:00Z"}, []int64{1, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "amount", 1, 2, text("1.50"), text("10.00")
			s.Quantiles, s.Values, s.Counts = []string{"1.50"}, []string{"1.50", "10.00"}, []int64{2, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "yes", 1, 2, text("false"), text("true")
			s.Values, s.Counts = []string{"true", "false"}, []int64{2, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "doc", 2, 1, text(`{"a": 1}`), text(`{"a": 1}`)
			s.Values, s.Counts = []string{`{"a": 1}`}, []int64{2}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "mood", 1, 2, text("happy"), text("sad")
			s.MinLength, s.MaxLength, s.AvgLength = 3, 5, 13.0/3
			s.Values, s.Counts = []string{"happy", "sad"}, []int64{2, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "raw", 2, 2, text("AA=="), text("/w==")
			s.Values, s.Counts = []string{"AA==", "/w=="}, []int64{1, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "day", 2, 2, text("-000043-03-15"), text("infinity")
			s.Quantiles, s.Values, s.Counts = []string{"-000043-03-15"}, []string{"-000043-03-15", "infinity"}, []int64{1, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max = "list", 1, 2, text("[1,null]"), text("[]")
			s.Values, s.Counts = []string{"[1,null]", "[]"}, []int64{2, 1}
		}),
		with(number, func(s *sdk.ColumnStats) {
			s.Column, s.Nulls, s.Distinct, s.Min, s.Max, s.Quantiles = "age", 1, 2, text("9"), text("10"), []string{"10"}
			s.Values, s.Counts = []string{"10", "9"}, []int64{2, 1}
		}),
	}
	if diff := cmp.Diff(want, p.stats, cmpopts.IgnoreFields(sdk.ColumnStats{}, "Sketch")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for i, keys := range []bool{true, true, false, true, false, false, true, false, true, false, true} {
		if got := len(p.stats[i].Sketch) > 0; got != keys {
			t.Errorf("%s has a sketch: %t, want %t", p.stats[i].Column, got, keys)
		}
	}
}

// A large table is counted on a choice of its rows from all over it.
func TestProfileOfALargeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the profile of a large table")
	}
	t.Parallel()
	const rows = 500_000
	db := testserver.Postgres(t).Database(t, `CREATE TABLE big AS SELECT i AS id, i % 10 AS digit FROM generate_series(1, `+strconv.Itoa(rows)+`) i;
		CREATE VIEW shown AS SELECT * FROM big;
		CREATE TABLE parts (id int, digit int) PARTITION BY RANGE (id);
		CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (250000);
		CREATE TABLE parts_2 PARTITION OF parts DEFAULT;
		INSERT INTO parts SELECT * FROM big`)
	s := openAs(t, db, testserver.PostgresReader)
	for _, table := range []string{"big", "shown", "parts"} {
		t.Run(table, func(t *testing.T) {
			p := profileOf(t, s, sdk.ProfileRequest{
				Table: sdk.TableRef{Schema: "public", Name: table}, SampleRows: 100, MaxValues: 20, Quantiles: []float64{0.5}, SketchSize: 4,
			})
			id, digit := p.stats[0], p.stats[1]
			if id.Complete || id.Rows < 100_000 || id.Rows > 300_000 {
				t.Errorf("%d rows were counted of %d, complete: %t", id.Rows, rows, id.Complete)
			}
			if len(digit.Values) != 10 || !digit.ValuesComplete {
				t.Errorf("digits: %v", digit.Values)
			}
			if median, err := strconv.Atoi(id.Quantiles[0]); err != nil || median < rows*2/5 || median > rows*3/5 {
				t.Errorf("the median is %v", id.Quantiles)
			}
			high := 0
			for _, row := range p.sample.Rows {
				if row[0].(int64) > rows/2 {
					high++
				}
			}
			if len(p.sample.Rows) != 100 || high < 20 || high > 80 {
				t.Errorf("of %d sample rows %d lie in the upper half", len(p.sample.Rows), high)
			}
		})
	}
	// A sketch is of all values: those of two tables with the same ones are equal.
	sketch := func(table string) []uint64 {
		return profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: table}, Columns: []string{"id"}, SketchSize: 16}).stats[0].Sketch
	}
	if diff := cmp.Diff(sketch("big"), sketch("parts")); diff != "" || len(sketch("big")) != 16 {
		t.Errorf("sketches of equal columns differ:\n%s", diff)
	}
}

func TestProfileRequests(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE t (id int, secret text); INSERT INTO t VALUES (1, 'x'), (2, 'y'); CREATE TABLE nothing ()`)
	db.Exec(t, testserver.PostgresAdmin, "REVOKE ALL ON t FROM loam_reader; GRANT SELECT (id) ON t TO loam_reader")
	s := openAs(t, db, testserver.PostgresReader)
	t.Run("a column that may not be read", func(t *testing.T) {
		p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, SampleRows: 1})
		if len(p.stats) != 1 || p.stats[0].Column != "id" || len(p.warnings) != 1 || p.warnings[0].Object != "secret" {
			t.Errorf("stats %+v, warnings %+v", p.stats, p.warnings)
		}
	})
	t.Run("no columns", func(t *testing.T) {
		if p := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "nothing"}}); len(p.stats) != 0 {
			t.Errorf("got %+v", p.stats)
		}
	})
	t.Run("no such column", func(t *testing.T) {
		err := s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, Columns: []string{"ident"}}, newProfiled(sdk.Limits{}))
		wantKind(t, err, sdk.KindNotFound)
	})
	t.Run("no such table", func(t *testing.T) {
		err := s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "nothin"}}, newProfiled(sdk.Limits{}))
		if e := wantKind(t, err, sdk.KindNotFound); !cmp.Equal(e.Candidates, []string{"nothing"}) {
			t.Errorf("candidates %q", e.Candidates)
		}
	})
	t.Run("no room for the whole sample", func(t *testing.T) {
		p := newProfiled(sdk.Limits{MaxRows: 1})
		if err := s.Profile(t.Context(), sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, SampleRows: 2}, p); err != nil {
			t.Fatal(err)
		}
		if err := p.writer.Close(); err != nil || len(p.sample.Rows) != 1 || len(p.stats) != 1 {
			t.Errorf("%v: %d rows, %d statistics", err, len(p.sample.Rows), len(p.stats))
		}
	})
}
