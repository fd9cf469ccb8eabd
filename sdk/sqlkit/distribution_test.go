package sqlkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func text(s string) *string { return &s }

func TestDistribution(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600)
	for _, tt := range []struct {
		name        string
		req         sdk.ProfileRequest
		rows, nulls int64
		feed        func(*sqlkit.Distribution)
		want        sdk.ColumnStats
	}{
		{
			"numbers",
			sdk.ProfileRequest{MaxValues: 5, Quantiles: []float64{0.5, 0.25, 0.99}},
			11, 1,
			func(d *sqlkit.Distribution) {
				d.Number([]byte("1"), 3)
				d.Number([]byte("2"), 2)
				d.Number([]byte("10"), 5)
			},
			sdk.ColumnStats{
				Rows: 11, Nulls: 1, Distinct: 3, Min: text("1"), Max: text("10"), Quantiles: []string{"2", "1", "10"},
				MinLength: -1, MaxLength: -1, AvgLength: -1,
				Values: []string{"10", "1", "2"}, Counts: []int64{5, 3, 2}, ValuesComplete: true,
			},
		},
		{
			"text",
			sdk.ProfileRequest{MaxValues: 2, TopValues: 1, Quantiles: []float64{0.5}},
			4, 0,
			func(d *sqlkit.Distribution) {
				d.Text([]byte("é"), 2)
				d.Text([]byte("ab"), 1)
				d.Text([]byte("zzzz"), 1)
			},
			sdk.ColumnStats{
				Rows: 4, Distinct: 3, Min: text("é"), Max: text("zzzz"), MinLength: 1, MaxLength: 4, AvgLength: 2,
				Values: []string{"é"}, Counts: []int64{2},
			},
		},
		{
			"of equal counts any are kept, in order",
			sdk.ProfileRequest{TopValues: 2},
			3, 0,
			func(d *sqlkit.Distribution) {
				d.Other([]byte("a"), 1)
				d.Other([]byte("b"), 1)
				d.Other([]byte("c"), 1)
			},
			sdk.ColumnStats{
				Rows: 3, Distinct: 3, Min: text("a"), Max: text("c"), MinLength: -1, MaxLength: -1, AvgLength: -1,
				Values: []string{"b", "c"}, Counts: []int64{1, 1},
			},
		},
		{
			"long values are counted, not listed",
			sdk.ProfileRequest{MaxValues: 9, TopValues: 9},
			2, 0,
			func(d *sqlkit.Distribution) {
				d.Text([]byte("a"), 1)
				d.Text([]byte(long), 1)
			},
			sdk.ColumnStats{
				Rows: 2, Distinct: 2, MinLength: 1, MaxLength: 600, AvgLength: 300.5,
				Values: []string{"a"}, Counts: []int64{1},
			},
		},
		{
			"a long value first",
			sdk.ProfileRequest{},
			2, 0,
			func(d *sqlkit.Distribution) {
				d.Text([]byte(long), 1)
				d.Text([]byte("y"), 1)
			},
			sdk.ColumnStats{Rows: 2, Distinct: 2, MinLength: 1, MaxLength: 600, AvgLength: 300.5},
		},
		{
			"a value that was not sent",
			sdk.ProfileRequest{MaxValues: 9, TopValues: 9},
			4, 0,
			func(d *sqlkit.Distribution) {
				d.Text([]byte("a"), 1)
				d.Long(1<<20, 3)
			},
			sdk.ColumnStats{
				Rows: 4, Distinct: 2, MinLength: 1, MaxLength: 1 << 20, AvgLength: (3<<20 + 1) / 4.0,
				Values: []string{"a"}, Counts: []int64{1},
			},
		},
		{
			"bytes that were not sent",
			sdk.ProfileRequest{MaxValues: 9},
			1, 0,
			func(d *sqlkit.Distribution) { d.Long(-1, 1) },
			sdk.ColumnStats{Rows: 1, Distinct: 1, MinLength: -1, MaxLength: -1, AvgLength: -1},
		},
		{
			"only NULL",
			sdk.ProfileRequest{MaxValues: 5, Quantiles: []float64{0.5}},
			7, 7,
			func(*sqlkit.Distribution) {},
			sdk.ColumnStats{Rows: 7, Nulls: 7, MinLength: -1, MaxLength: -1, AvgLength: -1, ValuesComplete: true},
		},
		{
			"mixed columns have no quantiles",
			sdk.ProfileRequest{Quantiles: []float64{0.1, 0.9}},
			2, 0,
			func(d *sqlkit.Distribution) {
				d.Number([]byte("1"), 1)
				d.Text([]byte("a"), 1)
			},
			sdk.ColumnStats{Rows: 2, Distinct: 2, Min: text("1"), Max: text("a"), MinLength: 1, MaxLength: 1, AvgLength: 1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := sqlkit.NewDistribution("c", &tt.req, tt.rows, tt.nulls)
			tt.feed(d)
			tt.want.Column = "c"
			if diff := cmp.Diff(tt.want, d.Stats(false, false), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The most frequent values survive whatever order they come in.
func TestDistributionTop(t *testing.T) {
	t.Parallel()
	d := sqlkit.NewDistribution("c", &sdk.ProfileRequest{TopValues: 3}, 28, 0)
	for _, g := range []struct {
		text  string
		count int64
	}{{"a", 1}, {"b", 7}, {"c", 2}, {"d", 6}, {"e", 3}, {"f", 5}, {"g", 4}} {
		d.Text([]byte(g.text), g.count)
	}
	got := d.Stats(true, true)
	if diff := cmp.Diff([]string{"b", "d", "f"}, got.Values); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !got.Complete || got.ValuesComplete {
		t.Errorf("complete %t, values complete %t", got.Complete, got.ValuesComplete)
	}
}

// A list of a thousand long values would fill a message: the most frequent are
// listed as far as they fit, and no rarer one in the place of one that did not.
func TestDistributionListIsBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                  string
		bytes, values, listed int
	}{
		{"short values", 100, 1000, 1000},
		{"as much as fits", 512, 200, 200},
		{"one more", 512, 201, 200},
		{"many", 500, 1000, 204},
		{"a mebibyte each", 1 << 20, 10, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := sqlkit.NewDistribution("c", &sdk.ProfileRequest{MaxValues: 1000, TopValues: 1000}, 1<<20, 0)
			for i := range tt.values {
				text := fmt.Appendf(nil, "%06d%s", i, strings.Repeat("x", tt.bytes-6))
				d.Text(text, int64(1+i*7919%tt.values)) // each count once, in no order
			}
			var want []int64
			for i := range tt.listed {
				want = append(want, int64(tt.values-i))
			}
			got := d.Stats(true, false)
			if diff := cmp.Diff(want, got.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if complete := tt.listed == tt.values; got.ValuesComplete != complete || got.Distinct != int64(tt.values) || len(got.Values) != tt.listed {
				t.Errorf("%d values of %d, complete: %t", len(got.Values), got.Distinct, got.ValuesComplete)
			}
		})
	}
}

func TestDistributionSketch(t *testing.T) {
	t.Parallel()
	req := sdk.ProfileRequest{SketchSize: 2}
	d := sqlkit.NewDistribution("c", &req, 1, 0)
	d.Number([]byte("1"), 1)
	d.Sketch([]byte("2"))
	d.Sketch([]byte("3"))
	if got := d.Stats(false, false).Sketch; got != nil {
		t.Errorf("a column that is no key has the sketch %v", got)
	}
	all := sqlkit.NewSketch(2)
	for _, v := range []string{"1", "2", "3"} {
		all.Add([]byte(v))
	}
	if diff := cmp.Diff(all.Hashes(), d.Stats(false, true).Sketch); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
