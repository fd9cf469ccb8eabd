package flight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/loam-data/loam/sdk"
)

// Callers who come while work goes on share the next, not the one that began
// before they asked.
func TestShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Shared[int64]
		var begun atomic.Int64
		hold := make(chan struct{})
		work := func(context.Context) (int64, error) {
			n := begun.Add(1)
			<-hold
			return n, nil
		}
		var all sync.WaitGroup
		var answers [5]int64
		for i := range answers {
			all.Go(func() {
				var err error
				if answers[i], err = s.Do(t.Context(), work); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		close(hold)
		all.Wait()
		if want := [5]int64{1, 2, 2, 2, 2}; answers != want {
			t.Errorf("answers %v, want %v", answers, want)
		}
	})
}

// Who gives up returns at once, and the work goes on until nobody waits for it.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Shared[int]
		stopped := false
		work := func(ctx context.Context) (int, error) {
			<-ctx.Done()
			stopped = true
			return 0, ctx.Err()
		}
		var all sync.WaitGroup
		var cancels []context.CancelFunc
		returned := make([]bool, 3)
		for i := range returned {
			ctx, cancel := context.WithCancel(t.Context())
			cancels = append(cancels, cancel)
			all.Go(func() {
				if _, err := s.Do(ctx, work); !errors.Is(err, context.Canceled) {
					t.Errorf("caller %d: %v", i, err)
				}
				returned[i] = true
			})
			synctest.Wait()
		}
		t.Log("the first has a turn of its own, the others share the next, which has not begun")
		cancels[1]()
		synctest.Wait()
		if !returned[1] || returned[2] || stopped {
			t.Errorf("returned %v, stopped %t", returned, stopped)
		}
		cancels[2]()
		synctest.Wait()
		if !returned[2] || stopped {
			t.Errorf("returned %v, stopped %t", returned, stopped)
		}
		cancels[0]()
		all.Wait()
		if !stopped {
			t.Error("the last one returned while the work went on")
		}
		if n, err := s.Do(t.Context(), func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
			t.Errorf("afterwards: %d, %v", n, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Do(gone, func(context.Context) (int, error) { t.Error("it began"); return 0, nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled before: %v", err)
		}
	})
}

func TestPanic(t *testing.T) {
	t.Parallel()
	var s Shared[int]
	for name, work := range map[string]func(context.Context) (int, error){
		"of the work":         func(context.Context) (int, error) { panic("oops") },
		"of one of its parts": func(context.Context) (int, error) { All(3, func(i int) { _ = [2]int{}[i] }); return 0, nil },
	} {
		_, err := s.Do(t.Context(), work)
		fault, ok := errors.AsType[*Panic](err)
		if sdk.KindOf(err) != sdk.KindInternal || !ok || len(fault.Stack) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n, err := s.Do(t.Context(), func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
}
