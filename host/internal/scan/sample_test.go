package scan

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/sdk"
)

// sampling sends rows with a profile if there is room for them, and statistics of the
// columns that have any.
func (f *fake) sampling(err error, columns []sdk.Column, rows [][]any, stats ...sdk.ColumnStats) {
	f.profiled = func(_ context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
		if req.SampleRows > 0 {
			if err != nil {
				return err
			}
			if err := w.Sample().Columns(columns...); err != nil {
				return err
			}
			for _, row := range rows {
				if err := w.Sample().Row(row...); err != nil {
					return err
				}
			}
		}
		for _, s := range stats {
			if err := w.Stats(s); err != nil {
				return err
			}
		}
		return nil
	}
}

func textColumns(names ...string) (all []sdk.Column) {
	for _, name := range names {
		all = append(all, sdk.Column{Name: name, Type: sdk.TypeText})
	}
	return all
}

// rows are the cells of a profile as text; NULL is "-".
func rows(p *catalog.Profile) (all []string) {
	for _, c := range p.Cells {
		line := c.Column + ":"
		for _, v := range c.Values {
			if v == nil {
				line += " -"
			} else {
				line += " " + *v
			}
		}
		all = append(all, line)
	}
	return all
}

func (f *fake) snapshots(t *testing.T) int {
	t.Helper()
	all, err := f.catalogs.Of(string(f.connection.ID)).History()
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// Of the rows that come a few are kept, without what is withheld: whole columns, single
// values, values in running text, and what is too long to be judged.
func TestRowsAreKept(t *testing.T) {
	t.Parallel()
	f := newFake(t, table("t", "id", "email:text", "code:text", "note:text", "raw:text"))
	long := strings.Repeat("ab ", 60)
	data := [][]any{
		{"7", "a@example.com", "A1", "ask Frau Schmidt today", strings.Repeat("x", 513)},
		{nil, "b@example.com", "carl@example.com", long, "é"},
	}
	for range 9 {
		data = append(data, []any{"8", "c@example.com", "A2", "fine", "z"})
	}
	columns := []sdk.Column{{Name: "id", Type: sdk.TypeText}}
	columns = append(columns, textColumns("email", "code", "note", "raw")...)
	columns = append(columns, sdk.Column{Name: "unknown", Type: sdk.TypeText})
	for i := range data {
		data[i] = append(data[i], "not counted")
	}
	frequent := func(column, values string) sdk.ColumnStats {
		s := sdk.ColumnStats{Column: column, Rows: 50, Distinct: 3000, Values: strings.Split(values, " ")}
		s.Counts = make([]int64, len(s.Values))
		return s
	}
	f.sampling(nil, columns, data, sdk.ColumnStats{Column: "id", Rows: 50, Distinct: 50}, sdk.ColumnStats{Column: "email", Rows: 50},
		frequent("code", "A1 A2 A3 A4 A5 A6 A7 A8 A9 B1 B2 B3"), frequent("note", "fine late again done open closed wait ready lost found new old"), sdk.ColumnStats{Column: "raw", Rows: 50})
	f.run(t, Request{})
	want := []string{
		"id: 7 - 8 8 8",
		"code: A1 " + privacy.Masked + " A2 A2 A2",
		"note: ask Frau " + privacy.Placeholder + " today " + long[:maxCell] + "… fine fine fine",
		"raw: (513 bytes) é z z z",
	}
	p := f.profile(t, "t")
	if diff := cmp.Diff(want, rows(p)); diff != "" || !p.Sampled {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if len(p.Withheld) != 1 || p.Withheld[0].Column != "email" {
		t.Errorf("withheld: %+v", p.Withheld)
	}

	// What a project withholds by now goes out of the rows with the next scan, and with it
	// the snapshots that have it.
	f.connection.Scan.WithholdValues = []string{"s.t.code"}
	f.run(t, Request{})
	if got := rows(f.profile(t, "t")); len(got) != 3 || len(f.profiles) != 0 || f.snapshots(t) != 1 {
		t.Errorf("rows %q, %d profiles, %d snapshots", got, len(f.profiles), f.snapshots(t))
	}
	f.connection.Scan.WithholdRows = true
	f.run(t, Request{})
	if p := f.profile(t, "t"); p.Sampled || p.Cells != nil || len(p.Stats) != 5 || len(f.profiles) != 0 || f.snapshots(t) != 1 {
		t.Errorf("rows %q, %d profiles, %d snapshots", rows(p), len(f.profiles), f.snapshots(t))
	}
	f.run(t, Request{Full: true})
	if p := f.profile(t, "t"); p.Sampled || f.profiles[0].SampleRows != 0 {
		t.Errorf("rows %q were asked for: %+v", rows(p), f.profiles[0])
	}
	// They come back when they may, without that anything else changes.
	f.connection.Scan.WithholdRows = false
	f.run(t, Request{})
	if got := rows(f.profile(t, "t")); len(got) != 3 || len(f.profiles) != 1 {
		t.Errorf("rows %q, %d profiles", got, len(f.profiles))
	}
}

// A value that has no room in a row costs the rows, not the profile, and they are not
// asked for again.
func TestRowsTooLarge(t *testing.T) {
	t.Parallel()
	f := newFake(t, table("t", "id"))
	f.sampling(sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "a JSON value has 2000000 bytes"), nil, nil, sdk.ColumnStats{Column: "id", Rows: 50, Distinct: 50})
	r := f.run(t, Request{})
	if p := f.profile(t, "t"); p == nil || len(p.Stats) != 1 || !p.Sampled || p.Cells != nil || len(r.Coverage.Warnings) != 0 || len(f.profiles) != 2 {
		t.Errorf("%+v, warnings %+v, %d profiles", p, r.Coverage.Warnings, len(f.profiles))
	}
	if f.run(t, Request{}); len(f.profiles) != 0 {
		t.Errorf("%d profiles of an unchanged table", len(f.profiles))
	}
}

// A snapshot from before rows were kept gets them with a scan.
func TestRowsOfOldProfiles(t *testing.T) {
	t.Parallel()
	f := newFake(t, personal()...)
	f.old(t, "sync-one", "token")
	f.unchanged, f.description.Capabilities.IncrementalScan = true, true
	if f.run(t, Request{Mode: catalog.Structural}); len(f.profiles) != 0 {
		t.Errorf("%d profiles in a structural scan", len(f.profiles))
	}
	if f.run(t, Request{}); len(f.profiles) != 1 || !f.profile(t, "t1").Sampled {
		t.Errorf("%d profiles", len(f.profiles))
	}
}

// However wide a table is, its rows take so much room.
func TestRowsFit(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]struct{ rows, chars int }{10: {5, 101}, 150: {2, 101}, 300: {1, 101}, 1000: {1, 17}} {
		p := &catalog.Profile{}
		for range columns {
			c := catalog.Cells{}
			for range sampleRows {
				c.Values = append(c.Values, new(strings.Repeat("x", 500)))
			}
			p.Cells = append(p.Cells, c)
		}
		cutCells(p)
		if got := p.Cells[columns-1].Values; len(got) != want.rows || len([]rune(*got[0])) != want.chars {
			t.Errorf("%d columns keep %d rows of %d characters, want %+v", columns, len(got), len([]rune(*got[0])), want)
		}
	}
}
