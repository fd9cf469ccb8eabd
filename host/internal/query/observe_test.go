package query

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// spans notes each span when it ends, with its failure.
type spans struct {
	mu    sync.Mutex
	ended []string
}

func (s *spans) Start(ctx context.Context, name string, _ telemetry.Kind, _ string, _ []telemetry.Attr) (context.Context, telemetry.Span) {
	return ctx, span{s, name}
}

type span struct {
	of   *spans
	name string
}

func (span) Set(...telemetry.Attr) {}

func (s span) End(failure string) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.ended = append(s.of.ended, s.name+":"+failure)
}

// The id of a call goes with its statements, and the call knows their rows.
func TestCallIsObserved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		sql   string
		lease error
		rows  int
		ran   bool
		ended []string
	}{
		{"rows", "SELECT n", nil, 6, true, []string{"execute:", "query:", "execute:", "query:"}},
		{"a refusal", "DROP n", nil, 0, false, []string{"query:not_read_only", "query:not_read_only"}},
		{"no session", "SELECT n", sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "away"), 0, false, []string{"query:unavailable", "query:unavailable"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			three := numbers(3, nil)
			var ids []string
			f := newFake(func(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
				ids = append(ids, req.RequestID)
				return three(ctx, req, w)
			})
			f.leaseErr = tt.lease
			var tracer spans
			ctx, call := telemetry.Begin(t.Context(), &tracer)
			for range 2 {
				if _, err := f.service().Run(ctx, request(tt.sql), &rows{}); (err == nil) != tt.ran {
					t.Fatal(err)
				}
			}
			n, ran := call.Rows()
			if n != tt.rows || ran != tt.ran || call.Connection() != "warehouse" {
				t.Errorf("%d rows, %v, of %q", n, ran, call.Connection())
			}
			var want []string
			if tt.ran {
				want = []string{call.ID(), call.ID() + ".2"}
			}
			if diff := cmp.Diff(want, ids) + cmp.Diff(tt.ended, tracer.ended); diff != "" {
				t.Errorf("ids and spans (-want +got):\n%s", diff)
			}
		})
	}
}
