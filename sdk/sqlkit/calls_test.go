package sqlkit_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestCallsEndWithTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls sqlkit.Calls
		var over atomic.Int32
		for range 3 {
			ctx, end, err := calls.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				<-ctx.Done()
				if sqlkit.ContextError(ctx).Kind != sdk.KindUnavailable {
					t.Errorf("a call ended with %v", sqlkit.ContextError(ctx))
				}
				over.Add(1)
				end()
			}()
		}
		_, ended, err := calls.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ended()
		if err := calls.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if over.Load() != 3 {
			t.Errorf("Close returned after %d of 3 calls", over.Load())
		}
		if _, _, err := calls.Begin(t.Context()); sdk.KindOf(err) != sdk.KindUnavailable {
			t.Errorf("a call begins after Close: %v", err)
		}
		if err := calls.Close(t.Context()); err != nil {
			t.Errorf("closing twice: %v", err)
		}
	})
}

func TestCallsCloseIsBounded(t *testing.T) {
	t.Parallel()
	var calls sqlkit.Calls
	_, end, err := calls.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := calls.Close(ctx); sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("got %v", err)
	}
	end()
	if err := calls.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
