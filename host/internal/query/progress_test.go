package query

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		reports []sdk.Progress
		want    []string
	}{
		{"none", nil, nil},
		{"share", []sdk.Progress{{Done: 1, Total: 2}, {Done: 2, Total: 2}}, []string{"0.625 Executing", "0.950 Executing"}},
		{"message", []sdk.Progress{{Done: 1, Total: 4, Message: "queued", Phase: "Waiting"}}, []string{"0.463 queued"}},
		{"unit", []sdk.Progress{{Done: 1, Total: 4, Unit: "stages", Phase: "Running"}}, []string{"0.463 Running: 1 of 4 stages"}},
		{"falling", []sdk.Progress{{Done: 3, Total: 4}, {Done: 1, Total: 4}, {Done: 3, Total: 4}, {Done: 4, Total: 4}}, []string{"0.788 Executing", "0.950 Executing"}},
		{"beyond its ends", []sdk.Progress{{Done: -5, Total: 4}, {Done: 9, Total: 4}}, []string{"0.950 Executing"}},
		{"unknown total", []sdk.Progress{{Done: 10, Unit: "rows"}, {Done: 20, Unit: "rows"}}, []string{"0.332 Executing: 10 rows", "0.363 Executing: 20 rows"}},
		{"unknown, then known", []sdk.Progress{{}, {Done: 1, Total: 100}, {Done: 1, Total: 2}}, []string{"0.332 Executing", "0.625 Executing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var late *sdk.RowWriter
			f := newFake(func(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
				for _, p := range tt.reports {
					w.Progress(p)
				}
				late = w
				return numbers(3, nil)(ctx, req, w)
			})
			var got []string
			req := request("SELECT 1")
			req.Progress = func(fraction float64, message string) {
				got = append(got, fmt.Sprintf("%.3f %s", fraction, message))
			}
			if _, err := f.service().Run(t.Context(), req, &rows{}); err != nil {
				t.Fatal(err)
			}
			late.Progress(sdk.Progress{Done: 1, Total: 1}) // a connector that does not know it is over
			want := append([]string{"0.000 Validating SQL", "0.300 Executing"}, tt.want...)
			want = append(want, "1.000 Fetched 3 rows")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reports (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgressOfAFailure(t *testing.T) {
	t.Parallel()
	var got []string
	req := request("DROP TABLE t")
	req.Progress = func(_ float64, message string) { got = append(got, message) }
	if _, err := newFake(nil).service().Run(t.Context(), req, &rows{}); sdk.KindOf(err) != sdk.KindNotReadOnly {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Validating SQL"}, got); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

func TestProgressFromManyGoroutines(t *testing.T) {
	t.Parallel()
	f := newFake(func(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for n := range 50 {
					w.Progress(sdk.Progress{Done: int64(n * i), Total: 400})
					w.Notice(sdk.Warning{Message: "n"})
				}
			})
		}
		all.Wait()
		return numbers(1, nil)(ctx, req, w)
	})
	last := -1.0
	req := request("SELECT 1")
	req.Progress = func(fraction float64, _ string) { // unlocked: one call at a time is promised
		if fraction <= last || fraction > 1 {
			t.Errorf("%g after %g", fraction, last)
		}
		last = fraction
	}
	if _, err := f.service().Run(t.Context(), req, &rows{}); err != nil || last != 1 {
		t.Errorf("ended at %g: %v", last, err)
	}
}

func TestExecuted(t *testing.T) {
	t.Parallel()
	for fraction, want := range map[float64]float64{fractionValidating: 0, 0.2: 0, fractionExecuting: 0, 0.65: 0.5, fractionDone: 1} {
		if got := Executed(fraction); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%v: %v, want %v", fraction, got, want)
		}
	}
}
