// Package flight runs a function once for all concurrent callers with the same key,
// and runs the parts of a job concurrently.
package flight

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// Shared runs work once for all callers that wait when it begins. There is one run at
// a time. The zero value is ready.
// Concurrency: any number of goroutines.
type Shared[T any] struct {
	mu            sync.Mutex
	running, next *call[T]
}

// call is one run of the work.
type call[T any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	work    func(context.Context) (T, error)
	waiting int
	done    chan struct{} // closed when value and err are there
	value   T
	err     error
}

// Do returns the result of a run that began after the call. A caller whose context
// ends returns at once while others wait for the run; the last one cancels the run and
// waits for it to stop.
// Errors: those of work and of ctx; KindInternal around a *Panic.
func (s *Shared[T]) Do(ctx context.Context, work func(context.Context) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	mine := s.join(ctx, work)
	select {
	case <-mine.done:
		return mine.value, mine.err
	case <-ctx.Done():
		s.leave(mine)
		return none, ctx.Err()
	}
}

// join adds a caller to the next run, which begins at once if none is under way.
func (s *Shared[T]) join(ctx context.Context, work func(context.Context) (T, error)) *call[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &call[T]{work: work, done: make(chan struct{})}
		s.next.ctx, s.next.cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
	mine := s.next
	mine.waiting++
	if s.running == nil {
		s.begin()
	}
	return mine
}

func (s *Shared[T]) begin() {
	s.running, s.next = s.next, nil
	if s.running != nil {
		go s.run(s.running)
	}
}

func (s *Shared[T]) run(t *call[T]) {
	t.value, t.err = guarded(t.ctx, t.work)
	t.cancel()
	s.mu.Lock()
	s.begin()
	s.mu.Unlock()
	close(t.done)
}

func (s *Shared[T]) leave(t *call[T]) {
	s.mu.Lock()
	t.waiting--
	last := t.waiting == 0
	if last {
		t.cancel()
		if s.next == t { // it never begins
			s.next, last = nil, false
		}
	}
	s.mu.Unlock()
	if last {
		<-t.done
	}
}

// Panic is a panic in a shared run.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprint("panic: ", p.Value) }

// guarded makes an error of a panic: the goroutine belongs to no caller that
// could recover from it.
func guarded[T any](ctx context.Context, work func(context.Context) (T, error)) (_ T, err error) {
	defer func() {
		if p := recover(); p != nil {
			fault, ok := p.(*Panic)
			if !ok {
				fault = &Panic{p, debug.Stack()}
			}
			err = sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "reading failed: %w", fault).WithHint("report this with the log of the host")
		}
	}()
	return work(ctx)
}

// All calls do for every number below n, each in a goroutine of its own, and returns
// when all have returned. A panic of one panics in the caller as *Panic.
func All(n int, do func(i int)) {
	faults := make([]*Panic, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					faults[i] = &Panic{p, debug.Stack()}
				}
			}()
			do(i)
		})
	}
	all.Wait()
	for _, fault := range faults {
		if fault != nil {
			panic(fault)
		}
	}
}
