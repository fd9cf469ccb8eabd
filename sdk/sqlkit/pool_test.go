package sqlkit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// server counts the connections to it.
type server struct {
	open, most, made atomic.Int64
	refuses          atomic.Bool
	slow             time.Duration // to connect
}

type link struct {
	s      *server
	closed atomic.Bool
	dead   bool
}

var errRefused = errors.New("refused")

func (s *server) connect(ctx context.Context) (*link, error) {
	select {
	case <-time.After(s.slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.refuses.Load() {
		return nil, errRefused
	}
	s.made.Add(1)
	for n := s.open.Add(1); ; {
		most := s.most.Load()
		if n <= most || s.most.CompareAndSwap(most, n) {
			return &link{s: s}, nil
		}
	}
}

func (s *server) pool(t *testing.T, maxOpen int) *sqlkit.Pool[*link] {
	t.Helper()
	p := sqlkit.NewPool(sqlkit.PoolOptions[*link]{
		MaxOpen: maxOpen, IdleTimeout: time.Minute, Connect: s.connect,
		Alive: func(l *link) bool { return !l.dead },
		Close: func(l *link) {
			if l.closed.Swap(true) {
				t.Error("a connection was closed twice")
			}
			l.s.open.Add(-1)
		},
	})
	t.Cleanup(func() {
		p.Close()
		if n := s.open.Load(); n != 0 {
			t.Errorf("%d connections stay open", n)
		}
	})
	return p
}

func acquire(t *testing.T, p *sqlkit.Pool[*link], wantIdle bool) *link {
	t.Helper()
	l, idle, err := p.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if idle != wantIdle {
		t.Errorf("the connection was idle: %t", idle)
	}
	return l
}

func TestPoolReuses(t *testing.T) {
	t.Parallel()
	s := &server{}
	p := s.pool(t, 2)
	a, b := acquire(t, p, false), acquire(t, p, false)
	p.Release(a)
	p.Release(b)
	if got := acquire(t, p, true); got != b {
		t.Error("the pool gives the connection first that was idle for longer")
	}
	p.Discard(b)
	a.dead = true
	if got := acquire(t, p, false); got == a || !a.closed.Load() {
		t.Error("a dead connection was given out, or not closed")
	} else {
		p.Release(got)
	}
	if got := s.made.Load(); got != 3 {
		t.Errorf("%d connections were made", got)
	}
}

// Spare never waits, gives the connection that was idle for longest, and has one made in
// a slot that nobody uses, unless that has just failed.
func TestPoolSpares(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{slow: time.Second}
		p := s.pool(t, 2)
		none := func(what string) {
			t.Helper()
			if _, ok := p.Spare(); ok {
				t.Errorf("%s: there is a connection to spare", what)
			}
		}
		a := acquire(t, p, false)
		s.refuses.Store(true)
		none("before one is made")
		time.Sleep(2 * time.Second)
		s.refuses.Store(false)
		none("behind a failure")
		time.Sleep(2 * time.Second)
		none("still behind a failure")
		time.Sleep(time.Minute)
		none("before the next is made")
		none("while it is made")
		time.Sleep(2 * time.Second)
		spare, ok := p.Spare()
		if !ok || s.made.Load() != 2 || s.most.Load() != 2 {
			t.Fatalf("none was made ahead: %d made, %d at once", s.made.Load(), s.most.Load())
		}
		none("without a slot")
		p.Release(spare)
		p.Release(a)
		if got, _ := p.Spare(); got != spare {
			t.Error("the connection that was idle for longest is not the one to spare")
		}
		p.Release(spare)
		p.Close()
		none("of a pool that is closed")
	})
}

func TestPoolWaitsForASlot(t *testing.T) {
	t.Parallel()
	s := &server{}
	p := s.pool(t, 1)
	l := acquire(t, p, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := p.Acquire(ctx); sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("got %v", err)
	}
	p.Discard(l)
	s.refuses.Store(true)
	for range 3 { // a slot is not lost to a failure
		if _, _, err := p.Acquire(t.Context()); !errors.Is(err, errRefused) {
			t.Errorf("got %v", err)
		}
	}
}

// What ended one connection ended the idle ones.
func TestPoolDrop(t *testing.T) {
	t.Parallel()
	s := &server{}
	p := s.pool(t, 3)
	a, b, c := acquire(t, p, false), acquire(t, p, false), acquire(t, p, false)
	p.Release(a)
	p.Release(b)
	p.Drop(c)
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}

// A connection that served makes room for one that is ready before it is asked for.
func TestPoolReplace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{slow: time.Second}
		p := s.pool(t, 1)
		p.Replace(acquire(t, p, false))
		time.Sleep(2 * time.Second)
		started := time.Now()
		l := acquire(t, p, true)
		if waited := time.Since(started); waited != 0 {
			t.Errorf("it took %s", waited)
		}
		// One who waits meanwhile gets it, and no second one is made.
		p.Replace(l)
		l = acquire(t, p, true)
		if made := s.made.Load(); made != 3 || s.most.Load() != 1 {
			t.Errorf("%d connections were made, %d at once", made, s.most.Load())
		}
		// Closing ends what is being made.
		p.Replace(l)
		p.Close()
		if waited := time.Since(started); waited > 2*time.Second {
			t.Errorf("closing waited for a connection: %s", waited)
		}
	})
}

func TestPoolEndsIdleConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		p := s.pool(t, 2)
		a, b := acquire(t, p, false), acquire(t, p, false)
		p.Release(a)
		time.Sleep(40 * time.Second)
		p.Release(b)
		for _, tt := range []struct {
			after time.Duration
			want  int64
		}{{19 * time.Second, 2}, {2 * time.Second, 1}, {40 * time.Second, 0}} {
			time.Sleep(tt.after)
			synctest.Wait()
			if got := s.open.Load(); got != tt.want {
				t.Errorf("%d connections are open, want %d", got, tt.want)
			}
		}
		p.Close()
	})
}

func TestPoolUnderLoad(t *testing.T) {
	t.Parallel()
	s := &server{}
	p := s.pool(t, 3)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for j := range 200 {
				l, _, err := p.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				switch (i + j) % 8 {
				case 0:
					p.Replace(l)
				case 1:
					p.Drop(l)
				case 2:
					p.Discard(l)
				default:
					p.Release(l)
				}
			}
		})
	}
	all.Wait()
	if most := s.most.Load(); most > 3 {
		t.Errorf("%d connections at once", most)
	}
}

func TestPoolGivenBackAfterClose(t *testing.T) {
	t.Parallel()
	s := &server{}
	p := s.pool(t, 2)
	a, b := acquire(t, p, false), acquire(t, p, false)
	p.Close()
	p.Release(a)
	p.Replace(b)
	p.Close()
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d connections stay open", n)
	}
}
