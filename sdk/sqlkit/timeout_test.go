package sqlkit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestWithTimeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		limit, fallback time.Duration
		want            time.Duration
	}{
		{"the caller's", time.Second, time.Hour, time.Second},
		{"the fallback", 0, time.Second, time.Second},
		{"a negative limit is none", -1, time.Second, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := sqlkit.WithTimeout(t.Context(), tt.limit, tt.fallback)
				defer cancel()
				if err := sqlkit.ContextError(ctx); err != nil {
					t.Fatalf("ended at once: %v", err)
				}
				started := time.Now()
				<-ctx.Done()
				if got := time.Since(started); got != tt.want {
					t.Errorf("ended after %s, want %s", got, tt.want)
				}
				err := sqlkit.ContextError(ctx)
				if err == nil || err.Kind != sdk.KindTimeout || err.Hint == "" || !err.Retry {
					t.Errorf("got %#v", err)
				}
			})
		})
	}
}

func TestWithoutTimeout(t *testing.T) {
	t.Parallel()
	ctx, cancel := sqlkit.WithTimeout(t.Context(), 0, 0)
	if _, bounded := ctx.Deadline(); bounded {
		t.Error("bounded")
	}
	cancel()
	if err := sqlkit.ContextError(ctx); err.Kind != sdk.KindCanceled {
		t.Errorf("got %v", err)
	}
}

// The reason that whoever cancelled gave goes before the bare cancel.
func TestContextErrorKeepsTheCause(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "stopping"))
	bounded, stop := sqlkit.WithTimeout(ctx, time.Hour, 0)
	defer stop()
	if err := sqlkit.ContextError(bounded); err.Kind != sdk.KindUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	got := sqlkit.Defaults(sdk.OpenRequest{MaxOpen: 2})
	if got.MaxOpen != 2 || got.IdleTimeout != 5*time.Minute || got.StatementTimeout != time.Minute {
		t.Errorf("got %+v", got)
	}
}

func TestFailed(t *testing.T) {
	t.Parallel()
	native, known := errors.New("native"), sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "known")
	syntax := func(err error) *sdk.Error { return sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "%w", err) }
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		err    error
		native func(error) *sdk.Error
		want   sdk.Kind
	}{
		{"nothing", over, nil, syntax, ""},
		{"known before", over, errors.Join(native, known), syntax, sdk.KindDenied},
		{"the context ended", over, native, syntax, sdk.KindCanceled},
		{"mapped", t.Context(), native, syntax, sdk.KindSyntax},
		{"not mapped", t.Context(), native, func(error) *sdk.Error { return nil }, sdk.KindInternal},
		{"no mapping", t.Context(), native, nil, sdk.KindInternal},
	} {
		err := sqlkit.Failed(tt.ctx, tt.err, tt.native)
		if sdk.KindOf(err) != tt.want || tt.err != nil && tt.want != sdk.KindDenied && !errors.Is(err, native) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestLifeLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ d, timeout, longest, want time.Duration }{
		{time.Second, time.Minute, 0, time.Second},
		{0, time.Minute, 0, time.Minute},
		{-1, time.Minute, 0, time.Minute},
		{time.Hour, time.Minute, time.Second, time.Second},
		{0, time.Minute, time.Second, time.Second},
		{0, 0, 0, time.Millisecond},
		{time.Microsecond, 0, 0, time.Millisecond},
	} {
		if got := (&sqlkit.Life{Timeout: tt.timeout, Longest: tt.longest}).Limit(tt.d); got != tt.want {
			t.Errorf("%v of %v, at most %v: %v", tt.d, tt.timeout, tt.longest, got)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	synctest.Test(t, func(t *testing.T) {
		over, cancel := context.WithCancel(t.Context())
		cancel()
		wait := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, refused }
		for _, tt := range []struct {
			name    string
			ctx     context.Context
			attempt func(context.Context) (int, error)
			want    sdk.Kind
		}{
			{"succeeds", t.Context(), func(context.Context) (int, error) { return 1, nil }, ""},
			{"succeeds as the time ends", t.Context(), func(ctx context.Context) (int, error) { <-ctx.Done(); return 1, nil }, ""},
			{"fails", t.Context(), func(context.Context) (int, error) { return 0, refused }, sdk.KindInternal},
			{"takes too long", t.Context(), wait, sdk.KindTimeout},
			{"is canceled", over, wait, sdk.KindCanceled},
		} {
			c, err := sqlkit.Within(tt.ctx, time.Second, tt.attempt)
			if sdk.KindOf(err) != tt.want || (c == 1) != (err == nil) || err != nil && !errors.Is(err, refused) {
				t.Errorf("%s: %d, %v", tt.name, c, err)
			}
		}
	})
}
