package connector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
)

// line is a queue under test: it knows which calls have a slot, in their order.
type line struct {
	*queue
	t       *testing.T
	mu      sync.Mutex
	granted []string
	shares  map[string][]*share
	cancel  map[string]context.CancelFunc
}

// queued runs test in a bubble and tests that the queue is empty after it.
func queued(t *testing.T, limit int, test func(l *line)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &line{queue: newQueue(limit), t: t, shares: map[string][]*share{}, cancel: map[string]context.CancelFunc{}}
		defer func() {
			for _, cancel := range l.cancel {
				cancel()
			}
		}()
		test(l)
		for _, cancel := range l.cancel {
			cancel()
		}
		synctest.Wait()
		for name, held := range l.shares {
			for range held {
				l.end(name)
			}
		}
		if l.queue.free != limit || l.root.running != 0 || l.root.waiting != 0 {
			t.Errorf("left behind: %d of %d slots, %d run, %d wait", l.queue.free, limit, l.root.running, l.root.waiting)
		}
	})
}

// callers are the clients of the tests: p/1 is a client of the token p, me the
// host's own user, any other one a session without a name.
func callerFor(name string) *caller.Caller {
	if name == "me" {
		return &caller.Caller{Transport: caller.Stdio, Principal: caller.None, Client: "me"}
	}
	if principal, client, ok := cutName(name); ok {
		return &caller.Caller{Transport: caller.HTTP, Principal: principal, Named: true, Client: client}
	}
	return &caller.Caller{Transport: caller.HTTP, Principal: caller.None, Client: name}
}

func cutName(name string) (principal, client string, ok bool) {
	if i := slices.Index([]byte(name), '/'); i >= 0 {
		return name[:i], name[i+1:], true
	}
	return "", "", false
}

// call has a client ask for a slot n times, and returns when nothing moves.
func (l *line) call(name string, n int) {
	for range n {
		ctx, cancel := context.WithCancel(caller.With(context.Background(), callerFor(name)))
		if before := l.cancel[name]; before != nil {
			l.cancel[name] = func() { before(); cancel() }
		} else {
			l.cancel[name] = cancel
		}
		go func() {
			s, err := l.take(ctx)
			l.mu.Lock()
			defer l.mu.Unlock()
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					l.t.Error(err)
				}
				return
			}
			l.granted = append(l.granted, name)
			l.shares[name] = append(l.shares[name], s)
		}()
		synctest.Wait()
	}
}

// end ends a call of a client that has a slot.
func (l *line) end(name string) {
	l.t.Helper()
	l.mu.Lock()
	held := l.shares[name]
	if len(held) == 0 {
		l.mu.Unlock()
		l.t.Fatalf("%s has no slot", name)
	}
	l.shares[name] = held[1:]
	l.mu.Unlock()
	l.give(held[0])
	synctest.Wait()
}

// got returns who has got a slot since it was asked before.
func (l *line) got() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	got := l.granted
	l.granted = nil
	return got
}

func (l *line) want(what string, names ...string) {
	l.t.Helper()
	if diff := cmp.Diff(names, l.got()); diff != "" {
		l.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// One client with endless statements leaves a slot to each other client that
// comes, as far as there are slots.
func TestQueueLeavesASlot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		limit int
		first string
		has   int
		next  string
		gets  int
	}{
		{"a session, another", 4, "a", 3, "b", 1},
		{"two slots", 2, "a", 1, "b", 1},
		{"one slot", 1, "a", 1, "b", 0},
		{"many", 64, "a", 63, "b", 1},
		{"a token, another", 4, "p/1", 2, "q/1", 1},
		{"a token's session, another of it", 4, "p/1", 2, "p/2", 1},
		{"three slots", 3, "p/1", 2, "q/1", 1},
		{"three slots, the same token", 3, "p/1", 2, "p/2", 0},
		{"the only user", 4, "me", 4, "me", 0},
		{"a process for all", 32, "a", 31, "b", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			queued(t, tt.limit, func(l *line) {
				l.call(tt.first, 150)
				if got := len(l.got()); got != tt.has {
					t.Errorf("%s has %d of %d slots, want %d", tt.first, got, tt.limit, tt.has)
				}
				l.call(tt.next, 1)
				if got := len(l.got()); got != tt.gets {
					t.Errorf("%s got %d, want %d", tt.next, got, tt.gets)
				}
			})
		})
	}
}

// Two sessions of one token have no more between them than one session has.
func TestQueueSharesAmongPrincipals(t *testing.T) {
	t.Parallel()
	queued(t, 4, func(l *line) {
		for i := range 20 {
			l.call(fmt.Sprintf("p/%d", i), 5)
		}
		l.want("three of four", "p/0", "p/0", "p/1")
		l.call("q/1", 2)
		l.want("the last one is for others", "q/1")
		l.end("p/0")
		l.want("the last one is not for one who has a slot")
		l.end("q/1")
		l.want("but for one who has none", "q/1")
		l.end("p/0")
		l.want("a session that had none", "p/2")
		l.end("p/1")
		l.want("the next one, in its turn", "p/3")
	})
}

// Clients take turns, however many calls each has waiting.
func TestQueueTakesTurns(t *testing.T) {
	t.Parallel()
	queued(t, 1, func(l *line) {
		l.call("a", 100)
		l.call("b", 3)
		l.call("c", 1)
		l.call("d", 1)
		var got []string
		for range 9 {
			got = append(got, l.got()...)
			l.end(got[len(got)-1])
		}
		if diff := cmp.Diff([]string{"a", "b", "c", "d", "a", "b", "a", "b", "a"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Of two that flood a queue, neither has more than half, and one slot is left.
func TestQueueHalves(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{2, 4, 8, 64} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			queued(t, limit, func(l *line) {
				l.call("a", 200)
				l.call("b", 200)
				for len(l.shares["a"]) > limit/2 {
					l.end("a")
				}
				used := max(2, limit-1)
				for range 20 {
					if a, b := len(l.shares["a"]), len(l.shares["b"]); a > limit/2 || b > limit/2 || a+b != used {
						t.Errorf("of %d slots, a has %d and b %d", limit, a, b)
						return
					}
					l.end("a")
					l.end("b")
				}
			})
		})
	}
}

// Whatever happens, no slot stays free that a call who waits may have, and who
// gets one has no more than others who wait and could have it.
func TestQueueIsFair(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "p/1", "p/2", "q/1"}
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, seed))
			queued(t, 1+random.IntN(8), func(l *line) {
				for range 200 {
					name := names[random.IntN(len(names))]
					switch n := random.IntN(8); {
					case n < 4:
						l.call(name, 1)
					case n < 7 && len(l.shares[name]) > 0:
						before := l.fewest(name)
						l.end(name)
						if got := l.got(); len(got) > 0 && before >= 0 && l.had(got[0]) > before {
							t.Fatalf("%s got the slot with %d others of its own; another one that waits has %d", got[0], l.had(got[0]), before)
						}
					case n == 7 && l.cancel[name] != nil:
						l.cancel[name]()
						synctest.Wait()
					}
					l.got()
					if stuck := l.stuck(&l.root); stuck != nil {
						t.Fatalf("%v waits while %d slots are free", stuck.key, l.queue.free)
					}
				}
			})
		})
	}
}

// stuck returns a client below s that waits and may have a slot.
func (l *line) stuck(s *share) *share {
	if s.waiters.Len() > 0 && l.needs(s) <= l.queue.free {
		return s
	}
	for _, child := range s.children {
		if found := l.stuck(child); found != nil {
			return found
		}
	}
	return nil
}

// fewest returns the slots of the unnamed client that waits and has the fewest,
// when ending has given one back; -1 when none waits. Those of a token may have to
// leave a slot to its other clients.
func (l *line) fewest(ending string) int {
	fewest := -1
	for key, s := range l.root.children {
		has := s.running
		if top(ending) == key {
			has--
		}
		if key.principal == "" && s.waiting > 0 && (fewest < 0 || has < fewest) {
			fewest = has
		}
	}
	return fewest
}

// had is how many slots the part of a client had before it got its last one.
func (l *line) had(name string) int { return l.root.children[top(name)].running - 1 }

// top is the part of the queue that a client is of.
func top(name string) shareKey {
	if c := callerFor(name); c.Named {
		return shareKey{principal: c.Principal}
	}
	return shareKey{client: name}
}

// A call that is cancelled leaves the queue at once, and takes no slot with it.
func TestQueueCancels(t *testing.T) {
	t.Parallel()
	queued(t, 2, func(l *line) {
		l.call("a", 1)
		l.call("b", 1)
		l.call("c", 5)
		l.want("the slots", "a", "b")
		l.cancel["c"]()
		synctest.Wait()
		if l.root.waiting != 0 {
			t.Errorf("%d wait", l.root.waiting)
		}
		l.call("d", 1)
		l.end("a")
		l.want("who waits", "d")
	})
}

// Whoever is cancelled in the moment of the grant gives the slot on.
func TestQueueUnderLoad(t *testing.T) {
	t.Parallel()
	q := newQueue(3)
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range 300 {
				ctx, cancel := context.WithCancel(caller.With(t.Context(), callerFor([]string{"a", "b", "p/1", "p/2", "q/1"}[i%5])))
				if random.IntN(3) == 0 {
					go cancel()
				}
				if s, err := q.take(ctx); err == nil {
					q.mu.Lock()
					if q.free < 0 || q.root.running+q.free != 3 {
						t.Errorf("%d run, %d are free", q.root.running, q.free)
					}
					q.mu.Unlock()
					q.give(s)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if q.free != 3 || q.root.waiting != 0 || q.root.running != 0 {
		t.Errorf("left behind: %d free, %d wait, %d run", q.free, q.root.waiting, q.root.running)
	}
}

// Clients that went away are forgotten.
func TestQueueForgets(t *testing.T) {
	t.Parallel()
	q := newQueue(4)
	for i := range 10_000 {
		ctx := caller.With(t.Context(), callerFor(fmt.Sprintf("session %d", i)))
		s, err := q.take(ctx)
		if err != nil {
			t.Fatal(err)
		}
		q.give(s)
	}
	if n := len(q.root.children); n > fewIdle {
		t.Errorf("%d clients are kept", n)
	}
}

func BenchmarkQueue(b *testing.B) {
	for _, waiting := range []int{0, 100, 10_000} {
		b.Run(fmt.Sprintf("%d waiting", waiting), func(b *testing.B) {
			q := newQueue(4)
			ctx, cancel := context.WithCancel(b.Context())
			var wg sync.WaitGroup
			held := make([]*share, 3)
			for i := range held { // which leaves the last one to the measured client
				held[i], _ = q.take(caller.With(ctx, callerFor("flood")))
			}
			for range waiting {
				wg.Go(func() {
					if s, err := q.take(caller.With(ctx, callerFor("flood"))); err == nil {
						q.give(s)
					}
				})
			}
			for q.load().Waiting < waiting {
			}
			mine := caller.With(b.Context(), callerFor("mine"))
			b.ReportAllocs()
			for b.Loop() {
				s, err := q.take(mine)
				if err != nil {
					b.Fatal(err)
				}
				q.give(s)
			}
			cancel()
			wg.Wait()
			for _, s := range held {
				q.give(s)
			}
		})
	}
}
