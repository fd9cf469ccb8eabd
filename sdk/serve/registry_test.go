package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/loam-data/loam/sdk"
)

// stub is a session that only opens and closes.
type stub struct {
	sdk.Session
	n      int64
	closed atomic.Int64
	close  func(context.Context) error
}

func (s *stub) Server() sdk.ServerInfo { return sdk.ServerInfo{Product: fmt.Sprint(s.n)} }

func (s *stub) Close(ctx context.Context) error {
	s.closed.Add(1)
	if s.close != nil {
		return s.close(ctx)
	}
	return nil
}

// opener makes a registry whose Open runs open, counted, and gives a stub.
func opener(open func(ctx context.Context, n int64) error) (r *registry, opened *atomic.Int64, sessions *sync.Map) {
	opened, sessions = &atomic.Int64{}, &sync.Map{}
	return newRegistry(&sdk.Connector{Open: func(ctx context.Context, _ sdk.OpenRequest) (sdk.Session, error) {
		n := opened.Add(1)
		if err := open(ctx, n); err != nil {
			return nil, err
		}
		s := &stub{n: n}
		sessions.Store(n, s)
		return s, nil
	}}), opened, sessions
}

var request = sdk.OpenRequest{ConnectionID: "c"}

func TestOpenOnceForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r, opened, _ := opener(func(context.Context, int64) error { <-release; return nil })
		var calls sync.WaitGroup
		for range 20 {
			calls.Go(func() {
				if info, err := r.Open(t.Context(), request); err != nil || info.Product != "1" {
					t.Errorf("%+v, %v", info, err)
				}
			})
		}
		synctest.Wait()
		close(release)
		calls.Wait()
		if _, err := r.Open(t.Context(), request); err != nil || opened.Load() != 1 {
			t.Errorf("opened %d times, %v", opened.Load(), err)
		}
	})
}

func TestOpenFailsForAllAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refused := &sdk.Error{Kind: sdk.KindUnauthenticated, Msg: "no"}
		release := make(chan struct{})
		r, opened, _ := opener(func(_ context.Context, n int64) error {
			<-release
			if n == 1 {
				return refused
			}
			return nil
		})
		var calls sync.WaitGroup
		for range 5 {
			calls.Go(func() {
				if _, err := r.Open(t.Context(), request); !errors.Is(err, refused) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		close(release)
		calls.Wait()
		if _, err := r.Open(t.Context(), request); err != nil || opened.Load() != 2 {
			t.Errorf("the second attempt: %v after %d", err, opened.Load())
		}
	})
}

// TestOpenerThatGivesUp: the one who opens takes its request back; the other
// one, who waits, still wants the connection.
func TestOpenerThatGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, opened, _ := opener(func(ctx context.Context, n int64) error {
			if n == 1 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		impatient, giveUp := context.WithCancel(t.Context())
		var calls sync.WaitGroup
		calls.Go(func() {
			if _, err := r.Open(impatient, request); !errors.Is(err, context.Canceled) {
				t.Errorf("the opener got %v", err)
			}
		})
		synctest.Wait()
		calls.Go(func() {
			if info, err := r.Open(t.Context(), request); err != nil || info.Product != "2" {
				t.Errorf("the other one got %+v, %v", info, err)
			}
		})
		synctest.Wait()
		giveUp()
		calls.Wait()
		if opened.Load() != 2 {
			t.Errorf("opened %d times", opened.Load())
		}
	})
}

func TestWaitingForAnOpenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r, _, _ := opener(func(context.Context, int64) error { <-release; return nil })
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = r.Open(t.Context(), request) })
		synctest.Wait()
		brief, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Open(brief, request); sdk.KindOf(err) != sdk.KindTimeout {
			t.Errorf("got %v, want kind timeout", err)
		}
		close(release)
		calls.Wait()
	})
}

func TestOpenThatPanicsOrGivesNothing(t *testing.T) {
	t.Parallel()
	r, _, _ := opener(func(context.Context, int64) error { panic("boom") })
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed: the wire reports it")
			}
		}()
		_, _ = r.Open(t.Context(), request)
	}()
	if len(r.slots) != 0 || len(r.running) != 0 {
		t.Errorf("left behind: %d slots, %d calls", len(r.slots), len(r.running))
	}
	nothing := newRegistry(&sdk.Connector{Open: func(context.Context, sdk.OpenRequest) (sdk.Session, error) { return nil, nil }})
	if _, err := nothing.Open(t.Context(), request); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("got %v, want kind internal", err)
	}
}

func TestCloseIsIdempotent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, sessions := opener(func(context.Context, int64) error { return nil })
		if err := r.Close(t.Context(), "c"); err != nil {
			t.Errorf("closing what was never open: %v", err)
		}
		if _, err := r.Open(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		first, _ := sessions.Load(int64(1))
		release := make(chan struct{})
		first.(*stub).close = func(context.Context) error { <-release; return nil }
		var calls sync.WaitGroup
		for range 3 {
			calls.Go(func() {
				if err := r.Close(t.Context(), "c"); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		calls.Go(func() { // waits until the old session is gone: it may hold a lock
			if info, err := r.Open(t.Context(), request); err != nil || info.Product != "2" || first.(*stub).closed.Load() != 1 {
				t.Errorf("%+v, %v", info, err)
			}
		})
		synctest.Wait()
		if _, _, _, err := r.Begin(t.Context(), "c"); sdk.KindOf(err) != sdk.KindNotFound {
			t.Errorf("a call on a closing connection: %v", err)
		}
		close(release)
		calls.Wait()
		if n := first.(*stub).closed.Load(); n != 1 {
			t.Errorf("the session was closed %d times", n)
		}
	})
}

func TestCloseEndsWhatRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, sessions := opener(func(context.Context, int64) error { return nil })
		if _, err := r.Open(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		ctx, _, end, err := r.Begin(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		calls.Go(func() {
			if err := r.Close(t.Context(), "c"); err != nil {
				t.Error(err)
			}
		})
		<-ctx.Done()
		if e := sdk.AsError(context.Cause(ctx), ""); e.Kind != sdk.KindCanceled || e.Source != sdk.SourceHost {
			t.Errorf("the call was canceled with %v", context.Cause(ctx))
		}
		synctest.Wait()
		session, _ := sessions.Load(int64(1))
		if session.(*stub).closed.Load() != 0 {
			t.Error("the session was closed under its call")
		}
		end()
		calls.Wait()
		if session.(*stub).closed.Load() != 1 {
			t.Error("the session was not closed")
		}
	})
}

func TestCloseWhileOpening(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, sessions := opener(func(ctx context.Context, _ int64) error { <-ctx.Done(); return nil }) // opens all the same
		var calls sync.WaitGroup
		calls.Go(func() {
			if _, err := r.Open(t.Context(), request); sdk.KindOf(err) != sdk.KindCanceled {
				t.Errorf("got %v, want kind canceled", err)
			}
		})
		synctest.Wait()
		if err := r.Close(t.Context(), "c"); err != nil {
			t.Error(err)
		}
		calls.Wait()
		if session, ok := sessions.Load(int64(1)); !ok || session.(*stub).closed.Load() != 1 {
			t.Error("a session was left open")
		}
		if len(r.slots) != 0 {
			t.Errorf("%d slots are left", len(r.slots))
		}
	})
}

func TestUnknownConnection(t *testing.T) {
	t.Parallel()
	r, _, _ := opener(nil)
	_, _, _, err := r.Begin(t.Context(), "c")
	if e := sdk.AsError(err, ""); e.Kind != sdk.KindNotFound || e.Code != sdk.CodeUnknownConnection {
		t.Errorf("got %v", err)
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, sessions := opener(func(context.Context, int64) error { return nil })
		var calls sync.WaitGroup
		for i := range 3 {
			id := fmt.Sprint(i)
			if _, err := r.Open(t.Context(), sdk.OpenRequest{ConnectionID: id}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				ctx, _, end, err := r.Begin(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				calls.Go(func() {
					defer end()
					<-ctx.Done()
					if e := sdk.AsError(context.Cause(ctx), ""); e.Kind != sdk.KindUnavailable || !e.Retry {
						t.Errorf("canceled with %v", e)
					}
				})
			}
		}
		if n, err := r.Drain(t.Context(), time.Second); n != 6 || err != nil {
			t.Errorf("drain: %d, %v", n, err)
		}
		calls.Wait()
		sessions.Range(func(_, s any) bool {
			if n := s.(*stub).closed.Load(); n != 1 {
				t.Errorf("session %d was closed %d times", s.(*stub).n, n)
			}
			return true
		})
		if n, err := r.Drain(t.Context(), time.Second); n != 0 || err != nil {
			t.Errorf("the second drain: %d, %v", n, err)
		}
		if _, err := r.Open(t.Context(), request); sdk.KindOf(err) != sdk.KindUnavailable {
			t.Errorf("an open after the drain: %v", err)
		}
		if _, _, _, err := r.Begin(t.Context(), "0"); sdk.KindOf(err) != sdk.KindUnavailable {
			t.Errorf("a call after the drain: %v", err)
		}
	})
}

// TestDrainDoesNotWaitForTheDeaf: a connector that ignores its contexts costs
// the grace and no more.
func TestDrainDoesNotWaitForTheDeaf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, sessions := opener(func(context.Context, int64) error { return nil })
		if _, err := r.Open(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		_, _, end, err := r.Begin(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		session, _ := sessions.Load(int64(1))
		session.(*stub).close = func(context.Context) error { <-release; return nil }
		started := time.Now()
		n, err := r.Drain(t.Context(), 3*time.Second)
		if n != 1 || sdk.KindOf(err) != sdk.KindTimeout {
			t.Errorf("drain: %d, %v", n, err)
		}
		if took := time.Since(started); took != 3*time.Second {
			t.Errorf("it took %s", took)
		}
		end()
		close(release)
	})
}

func TestDrainLeavesNoGoroutine(t *testing.T) { // not parallel: it counts goroutines
	ignore := goleak.IgnoreCurrent()
	r, _, _ := opener(func(context.Context, int64) error { return nil })
	if _, err := r.Open(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Drain(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, ignore)
}
