package scan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// many makes tables, the largest first.
func many(n int) (all []*sdk.Table) {
	for i := range n {
		t := table(fmt.Sprintf("t%02d", i), "id")
		t.RowEstimate = int64(1000 - i)
		all = append(all, t)
	}
	return all
}

// wait takes as long as it is told, or until it is cancelled.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// The budget is kept; what it leaves out comes first the next time, before what
// is old.
func TestBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, many(10)...)
		f.connection.Limits.Concurrency = 3 // two at once
		f.profiled = func(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
			if err := wait(ctx, 40*time.Second); err != nil {
				return err
			}
			return session{f}.stats(req, w)
		}
		var promised string
		started := time.Now()
		r := f.run(t, Request{Budget: 100 * time.Second, Progress: func(p Progress) {
			if p.Message != "" {
				promised = p.Message
			}
		}})
		if took := time.Since(started); took != 100*time.Second {
			t.Errorf("it took %s", took)
		}
		if r.Profiled != 4 || r.LeftOut != 6 || len(f.profiles) != 6 || !slices.Contains(f.asked()[:2], "t09") {
			t.Errorf("%d profiled, %d left out, %v asked for", r.Profiled, r.LeftOut, f.asked())
		}
		if want := "0 kept, for at most 1m40s, 2 at once"; promised != want {
			t.Errorf("it promised %q, want %q", promised, want)
		}
		want := []sdk.Warning{{Code: codeBudget, Message: "the time for profiles (1m40s) was over: 6 of 10 tables were left out and come first in the next scan: run loam scan warehouse --budget 3m20s"}}
		if diff := cmp.Diff(want, r.Coverage.Warnings); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}

		f.now = f.now.Add(8 * 24 * time.Hour)
		r = f.run(t, Request{Budget: 100 * time.Second})
		if got := strings.Join(slices.Sorted(slices.Values(f.asked()[:4])), " "); r.Profiled != 4 || r.LeftOut != 6 || got != "t02 t03 t04 t05" {
			t.Errorf("then %d were profiled, %d left out, first %s", r.Profiled, r.LeftOut, got)
		}
		if r := f.run(t, Request{}); r.Profiled != 6 || r.LeftOut != 0 || r.Kept != 4 || len(r.Coverage.Warnings) != 0 {
			t.Errorf("with the usual budget: %+v", r)
		}
		f.wantSettled(t)
	})
}

// As many tables are profiled at once as the connection allows, but one.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ limit, streams, want int }{{0, 0, 3}, {1, 0, 1}, {2, 0, 1}, {6, 0, 5}, {64, 0, 7}, {64, 3, 2}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, many(20)...)
			f.connection.Limits.Concurrency, f.description.Capabilities.MaxStreams = tc.limit, tc.streams
			var running, most atomic.Int32
			f.profiled = func(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
				now := running.Add(1)
				defer running.Add(-1)
				if now > most.Load() { // they begin one after the other: nobody else writes it
					most.Store(now)
				}
				if err := wait(ctx, time.Second); err != nil {
					return err
				}
				return session{f}.stats(req, w)
			}
			f.run(t, Request{})
			if got := int(most.Load()); got != tc.want {
				t.Errorf("concurrency %d, %d streams: %d at once, want %d", tc.limit, tc.streams, got, tc.want)
			}
		})
	}
}

// A table has a time of its own, however large the budget is.
func TestTableTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, many(2)...)
		f.connection.Limits = struct {
			Timeout     time.Duration
			MaxRows     int
			Concurrency int
			Memory      int64
		}{Timeout: 10 * time.Second, Concurrency: 1}
		f.profiled = func(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
			if req.Table.Name == "t01" {
				return wait(ctx, time.Hour)
			}
			return session{f}.stats(req, w)
		}
		started := time.Now()
		r := f.run(t, Request{Budget: 30 * time.Minute})
		if took := time.Since(started); took != 11*time.Second { // and one for its column
			t.Errorf("it took %s", took)
		}
		if r.Profiled != 1 || r.LeftOut != 0 || len(r.Coverage.Warnings) != 1 || r.Coverage.Warnings[0].Object != "s.t01" {
			t.Errorf("%+v", r)
		}
	})
}

// What goes wrong with one table is a warning; when nothing can be reached any
// more the others are not tried.
func TestProfileFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name              string
		fail              func(table string) error
		profiled, leftOut int
		warnings          []string
	}{
		{"denied", func(name string) error {
			if name == "t03" {
				return sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "the account may not read it")
			}
			return nil
		}, 5, 0, []string{"s.t03: it has no new profile: the account may not read it"}},
		{"dropped meanwhile", func(name string) error {
			if name == "t00" {
				return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table t00")
			}
			return nil
		}, 5, 0, []string{"s.t00: it was there when the scan began, but not when it was to be profiled: there is no table t00"}},
		{"the warehouse is gone", func(name string) error {
			if name < "t05" {
				return sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "no route")
			}
			return nil
		}, 1, 2, []string{
			": the warehouse could not be reached any more: 2 of 6 tables were left out and come first in the next scan: run loam connection test warehouse, then loam scan warehouse",
			"s.t02: it has no new profile: no route", "s.t03: it has no new profile: no route", "s.t04: it has no new profile: no route",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, many(6)...)
			f.connection.Limits.Concurrency = 1
			f.profiled = func(_ context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
				if err := tc.fail(req.Table.Name); err != nil {
					return err
				}
				return session{f}.stats(req, w)
			}
			r := f.run(t, Request{})
			var warnings []string
			for _, w := range r.Coverage.Warnings {
				warnings = append(warnings, w.Object+": "+w.Message)
			}
			if diff := cmp.Diff(tc.warnings, warnings); diff != "" || r.Profiled != tc.profiled || r.LeftOut != tc.leftOut {
				t.Errorf("%d profiled, %d left out, warnings (-want +got):\n%s", r.Profiled, r.LeftOut, diff)
			}
		})
	}
}

// Cancelling ends what runs, whatever it is, and leaves the snapshot before.
func TestCancel(t *testing.T) {
	t.Parallel()
	for phase, hang := range map[string]func(*fake, context.CancelFunc){
		"scan": func(f *fake, cancel context.CancelFunc) {
			f.scanned = func(ctx context.Context, _ *sdk.Table) error {
				cancel()
				return wait(ctx, time.Hour)
			}
		},
		"between two tables": func(f *fake, cancel context.CancelFunc) {
			f.scanned = func(context.Context, *sdk.Table) error {
				cancel()
				return nil
			}
		},
		"profile": func(f *fake, cancel context.CancelFunc) {
			f.profiled = func(ctx context.Context, _ sdk.ProfileRequest, _ sdk.ProfileWriter) error {
				cancel()
				return wait(ctx, time.Hour)
			}
		},
		"relationships": func(f *fake, cancel context.CancelFunc) {
			f.executed = func(ctx context.Context, _ string) ([]any, error) {
				cancel()
				return nil, wait(ctx, time.Hour)
			}
		},
	} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t, shop()...)
				before := f.run(t, Request{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				hang(f, cancel)
				started := time.Now()
				_, err := f.try(ctx, Request{Full: true})
				if sdk.KindOf(err) != sdk.KindCanceled || !strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, "2024-02-29 12:00 UTC stays") {
					t.Errorf("got %v", err)
				}
				if took := time.Since(started); took != 0 {
					t.Errorf("it went on for %s", took)
				}
				if now := f.latest(t); now.SyncID != before.SyncID {
					t.Errorf("the last snapshot is %s, want %s", now.SyncID, before.SyncID)
				}
				f.wantSettled(t)
				f.scanned, f.profiled, f.executed = nil, nil, nil
				if _, err := f.try(t.Context(), Request{}); err != nil { // nothing is locked
					t.Error(err)
				}
			})
		})
	}
	t.Run("the first scan", func(t *testing.T) {
		t.Parallel()
		f := newFake(t, shop()...)
		ctx, cancel := context.WithCancel(t.Context())
		f.scanned = func(context.Context, *sdk.Table) error {
			cancel()
			return nil
		}
		_, err := f.try(ctx, Request{})
		if e := sdk.AsError(err, sdk.SourceHost); e.Kind != sdk.KindCanceled || !strings.Contains(e.Hint, "no snapshot yet") || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("while it is indexed", func(t *testing.T) {
		t.Parallel()
		f := newFake(t, shop()...)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := f.try(ctx, Request{Progress: func(p Progress) {
			if p.Phase == "index" {
				cancel()
			}
		}})
		if err != nil || len(r.Notes) != 1 || f.latest(t).SyncID != r.SyncID {
			t.Errorf("the snapshot is there: %+v, %v", r, err)
		}
	})
}

// Whatever a connector sends of values, what is kept is bounded, and says where
// it is not whole.
func TestBounds(t *testing.T) {
	t.Parallel()
	f := newFake(t, table("t", "a:text", "b:text", "c:text", "d:text", "e:text"))
	f.connection.Scan.ValuesPerColumn = 30
	long := strings.Repeat("x", 1<<20)
	values := func(n int) (values []string, counts []int64) {
		for i := range n {
			values, counts = append(values, fmt.Sprint("value ", i)), append(counts, 1)
		}
		return values, counts
	}
	sent := []sdk.ColumnStats{
		{Column: "a", Values: []string{"short", long, "a\x00b", "bad \xff"}, Counts: []int64{4, 3, 2, 1}, ValuesComplete: true, Min: &long, Max: new("z"), Quantiles: []string{long}},
		{Column: "b", ValuesComplete: true},
		{Column: "c", ValuesComplete: true},
		{Column: "d", Values: []string{"one", "two"}, Counts: []int64{1}, ValuesComplete: true},
		{Column: "e", Sketch: make([]uint64, 500)},
	}
	sent[1].Values, sent[1].Counts = values(30)
	sent[2].Values, sent[2].Counts = values(31)
	f.profiled = func(_ context.Context, _ sdk.ProfileRequest, w sdk.ProfileWriter) error {
		if err := w.Sample().Columns(sdk.Column{Name: "a", Type: sdk.TypeText}); err != nil {
			return err
		}
		if err := errors.Join(w.Sample().Row("not asked for"), w.Warning(sdk.Warning{Object: "z", Message: "left out"})); err != nil {
			return err
		}
		w.Progress(sdk.Progress{})
		for _, s := range sent {
			if err := w.Stats(s); err != nil {
				return err
			}
		}
		return nil
	}
	r := f.run(t, Request{})
	want := []sdk.ColumnStats{
		{Column: "a", Values: []string{"short", "a\x00b", "bad \ufffd"}, Counts: []int64{4, 2, 1}},
		{Column: "b", ValuesComplete: true},
		{Column: "c"},
		{Column: "d", Values: []string{"one"}, Counts: []int64{1}},
		{Column: "e", Sketch: make([]uint64, sketchSize)},
	}
	want[1].Values, want[1].Counts = values(30)
	want[2].Values, want[2].Counts = values(topValues)
	if diff := cmp.Diff(want, f.profile(t, "t").Stats); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]sdk.Warning{{Object: "s.t.z", Message: "left out"}}, r.Coverage.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// A table of very many values keeps whole lists of its first columns only.
func TestValuesOfAWideTable(t *testing.T) {
	t.Parallel()
	const columns = 60
	f := newFake(t, table("t"))
	for i := range columns {
		f.tables[0].Columns = append(f.tables[0].Columns, sdk.Column{Name: fmt.Sprint("c", i), Type: sdk.TypeText})
	}
	f.profiled = func(_ context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
		for i := range columns {
			s := sdk.ColumnStats{Column: fmt.Sprint("c", i), ValuesComplete: true}
			for v := range req.MaxValues {
				s.Values, s.Counts = append(s.Values, fmt.Sprintf("%0500d ", v)), append(s.Counts, 1)
			}
			if err := w.Stats(s); err != nil {
				return err
			}
		}
		return nil
	}
	r := f.run(t, Request{})
	bytes, whole := 0, 0
	for _, s := range f.profile(t, "t").Stats {
		if s.ValuesComplete != (len(s.Values) == 1000) {
			t.Errorf("%s: complete %t, %d values", s.Column, s.ValuesComplete, len(s.Values))
		}
		if s.ValuesComplete {
			whole++
		}
		for _, v := range s.Values {
			bytes += len(v)
		}
	}
	if bytes > maxProfileBytes+2<<20 || whole < 30 || whole == columns || len(r.Coverage.Warnings) != 1 || r.Coverage.Warnings[0].Code != codeValues {
		t.Errorf("%d bytes, %d of %d columns whole, warnings %+v", bytes, whole, columns, r.Coverage.Warnings)
	}
}

// A snapshot does not hold a warning for each of very many tables.
func TestManyWarnings(t *testing.T) {
	t.Parallel()
	f := newFake(t, table("t", "id"))
	for i := range 3 * maxWarnings {
		f.warnings = append(f.warnings, sdk.Warning{Object: fmt.Sprintf("x%04d", i), Code: "denied"})
	}
	got := f.run(t, Request{}).Coverage.Warnings
	if len(got) != maxWarnings+1 || got[0].Message != fmt.Sprintf("%d more warnings of this kind are not listed", 2*maxWarnings) {
		t.Errorf("%d warnings, first %+v", len(got), got[0])
	}
}
