package sqlite_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// profiled records a profile.
type profiled struct {
	rows   result
	sample *sdk.RowWriter
	stats  map[string]sdk.ColumnStats
	order  []string
}

func (p *profiled) Sample() *sdk.RowWriter {
	if p.sample == nil {
		p.sample = sdk.NewRowWriter(&p.rows, sdk.Limits{})
	}
	return p.sample
}

func (p *profiled) Stats(s sdk.ColumnStats) error {
	p.stats[s.Column], p.order = s, append(p.order, s.Column)
	return nil
}

func (*profiled) Warning(sdk.Warning) error { return nil }
func (*profiled) Progress(sdk.Progress)     {}

func profileOf(t testing.TB, s sdk.Session, req sdk.ProfileRequest) *profiled {
	t.Helper()
	p := &profiled{stats: map[string]sdk.ColumnStats{}}
	if err := s.(sdk.Profiler).Profile(t.Context(), req, p); err != nil {
		t.Fatal(err)
	}
	if p.sample != nil {
		if err := p.sample.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func ptr(s string) *string { return &s }

func TestProfileStatistics(t *testing.T) {
	t.Parallel()
	s := open(t, create(t,
		"CREATE TABLE t (id INTEGER PRIMARY KEY, status TEXT COLLATE NOCASE, price DECIMAL(9,2), yes BOOLEAN, day DATE, stamp DATETIME, raw BLOB, none TEXT, any)",
		`INSERT INTO t (status, price, yes, day, stamp, raw, any) VALUES
			('open', 10, 1, '2024-01-01', '2024-01-01 10:00:00', x'00', 1), ('Open', 0.5, 0, '2024-01-02', '2024-01-02 10:00:00', x'ff', 'x'),
			('open', 10, 1, '2024-01-03', NULL, NULL, NULL), ('überfällig', 1e21, 1, '2024-01-03', 'soon', NULL, x'00')`))
	got := profileOf(t, s, sdk.ProfileRequest{
		Table: sdk.TableRef{Schema: "main", Name: "T"}, MaxValues: 3, TopValues: 1, Quantiles: []float64{0.5, 0.9}, SketchSize: 8,
	})
	if got.sample != nil {
		t.Error("a sample came that nobody asked for")
	}
	sketch := func(values ...string) []uint64 {
		all := sqlkit.NewSketch(8)
		for _, v := range values {
			all.Add([]byte(v))
		}
		return all.Hashes()
	}
	want := map[string]sdk.ColumnStats{
		"id": {Distinct: 4, Min: ptr("1"), Max: ptr("4"), Quantiles: []string{"2", "4"}, Values: []string{"1"}, Counts: []int64{1}, Sketch: sketch("1", "2", "3", "4")},
		"status": {
			Distinct: 3, Min: ptr("Open"), Max: ptr("überfällig"), MinLength: 4, MaxLength: 10, AvgLength: 5.5,
			Values: []string{"open", "Open", "überfällig"}, Counts: []int64{2, 1, 1}, ValuesComplete: true, Sketch: sketch("open", "Open", "überfällig"),
		},
		"price": {
			Distinct: 3, Min: ptr("0.5"), Max: ptr("1e+21"), Quantiles: []string{"10", "1e+21"},
			Values: []string{"10", "0.5", "1e+21"}, Counts: []int64{2, 1, 1}, ValuesComplete: true,
		},
		"yes": {Distinct: 2, Min: ptr("false"), Max: ptr("true"), Values: []string{"true", "false"}, Counts: []int64{3, 1}, ValuesComplete: true},
		"day": {
			Distinct: 3, Min: ptr("2024-01-01"), Max: ptr("2024-01-03"), Quantiles: []string{"2024-01-02", "2024-01-03"},
			Values: []string{"2024-01-03", "2024-01-01", "2024-01-02"}, Counts: []int64{2, 1, 1}, ValuesComplete: true, Sketch: sketch("2024-01-01", "2024-01-02", "2024-01-03"),
		},
		"stamp": {
			Nulls: 1, Distinct: 3, Min: ptr("2024-01-01 10:00:00"), Max: ptr("soon"), MinLength: 4, MaxLength: 4, AvgLength: 4,
			Values: []string{"2024-01-01 10:00:00", "2024-01-02 10:00:00", "soon"}, Counts: []int64{1, 1, 1}, ValuesComplete: true,
		},
		"raw":  {Nulls: 2, Distinct: 2, Min: ptr("AA=="), Max: ptr("/w=="), Values: []string{"AA==", "/w=="}, Counts: []int64{1, 1}, ValuesComplete: true},
		"none": {Nulls: 4, ValuesComplete: true},
		"any":  {Nulls: 1, Distinct: 3, Min: ptr("1"), Max: ptr("AA=="), MinLength: 1, MaxLength: 1, AvgLength: 1, Values: []string{"1", "x", "AA=="}, Counts: []int64{1, 1, 1}, ValuesComplete: true},
	}
	for name, w := range want {
		w.Column, w.Rows, w.Complete = name, 4, true
		if w.AvgLength == 0 {
			w.MinLength, w.MaxLength, w.AvgLength = -1, -1, -1
		}
		if diff := cmp.Diff(w, got.stats[name], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"id", "status", "price", "yes", "day", "stamp", "raw", "none", "any"}, got.order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// The sample is of the whole table, without a row twice.
func TestProfileSample(t *testing.T) {
	t.Parallel()
	const rows, sample = 5000, 200
	fill := "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO %s SELECT i, 'x' FROM n"
	s := open(t, create(t,
		"CREATE TABLE plain (i INTEGER PRIMARY KEY, s TEXT)", fmt.Sprintf(fill, rows, "plain"),
		"CREATE TABLE keyed (i INTEGER PRIMARY KEY, s TEXT) WITHOUT ROWID", fmt.Sprintf(fill, rows, "keyed"),
		"CREATE VIEW seen AS SELECT * FROM plain"))
	for _, name := range []string{"plain", "keyed", "seen"} {
		got := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: name}, SampleRows: sample})
		var ids []int64
		for _, row := range got.rows.rows {
			ids = append(ids, row[0].(int64))
		}
		slices.Sort(ids)
		if len(slices.Compact(slices.Clone(ids))) != sample {
			t.Fatalf("%s: %d different rows of %d", name, len(slices.Compact(ids)), sample)
		}
		// All 200 in one half of the table: one in 2^199.
		if ids[sample-1] <= rows/2 || ids[0] > rows/2 {
			t.Errorf("%s: the sample lies in %d..%d of %d", name, ids[0], ids[sample-1], rows)
		}
	}
}

func TestProfileColumns(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, `CREATE TABLE t (a INT, "odd ""b" INT, c INT)`, "INSERT INTO t VALUES (1, 2, 3)"))
	got := profileOf(t, s, sdk.ProfileRequest{Table: sdk.TableRef{Name: "t"}, Columns: []string{"C", `odd "b`}, SampleRows: 5})
	if diff := cmp.Diff([]string{"c", `odd "b`}, got.order); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([][]any{{int64(3), int64(2)}}, got.rows.rows); diff != "" {
		t.Errorf("sample (-want +got):\n%s", diff)
	}
}

func TestProfileMisnamed(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE orders (created INT)"))
	for _, tt := range []struct {
		req  sdk.ProfileRequest
		want []string
	}{
		{sdk.ProfileRequest{Table: sdk.TableRef{Name: "order"}}, []string{"orders"}},
		{sdk.ProfileRequest{Table: sdk.TableRef{Schema: "temp", Name: "orders"}}, []string{"orders"}},
		{sdk.ProfileRequest{Table: sdk.TableRef{Name: "orders"}, Columns: []string{"create"}}, []string{"created"}},
	} {
		err := s.(sdk.Profiler).Profile(t.Context(), tt.req, &profiled{})
		e := sdk.AsError(err, "")
		if e == nil || e.Kind != sdk.KindNotFound || e.Hint == "" {
			t.Fatalf("%+v: %#v", tt.req, err)
		}
		if diff := cmp.Diff(tt.want, e.Candidates); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.req, diff)
		}
	}
}

// Of a large table the counts are of a choice of rows, the sketch of all.
func TestProfileLargeTable(t *testing.T) {
	t.Parallel()
	const rows, chosen, median = 12_000, 8_000, 6_000
	s := open(t, create(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, kind TEXT, note TEXT)",
		fmt.Sprintf("WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO t SELECT i, 'k' || (i %% 3), NULL FROM n", rows)))
	sqlite.SetProfileRows(s, chosen)
	got := profileOf(t, s, sdk.ProfileRequest{
		Table: sdk.TableRef{Name: "t"}, Columns: []string{"id", "kind"}, MaxValues: 5, SketchSize: 16, Quantiles: []float64{0.5}, Limits: sdk.Limits{},
	})
	id, kind := got.stats["id"], got.stats["kind"]
	if id.Complete || id.Rows < chosen*90/100 || id.Rows > chosen*110/100 || id.Distinct != id.Rows {
		t.Errorf("id: complete %t, %d rows, %d distinct", id.Complete, id.Rows, id.Distinct)
	}
	if got, err := strconv.Atoi(id.Quantiles[0]); err != nil || got < median*90/100 || got > median*110/100 {
		t.Errorf("median %s, %v", id.Quantiles[0], err)
	}
	all := sqlkit.NewSketch(16)
	var text []byte
	for i := range int64(rows) {
		text = strconv.AppendInt(text[:0], i+1, 10)
		all.Add(text)
	}
	if diff := cmp.Diff(all.Hashes(), id.Sketch); diff != "" {
		t.Errorf("sketch (-want +got):\n%s", diff)
	}
	slices.Sort(kind.Values)
	if !kind.ValuesComplete || strings.Join(kind.Values, " ") != "k0 k1 k2" {
		t.Errorf("kind: %v", kind.Values)
	}
}
