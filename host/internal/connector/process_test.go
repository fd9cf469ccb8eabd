package connector

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// supervise runs test in a bubble of virtual time with a fake connector.
func supervise(t *testing.T, f *fakeStarter, config Config, test func(t *testing.T, s *Supervisor)) {
	t.Helper()
	config.ResetDir = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSupervisor(t, f, config)
		test(t, s)
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}

func mustLease(t *testing.T, s *Supervisor, target Target) *Lease {
	t.Helper()
	lease, err := s.Lease(t.Context(), target)
	if err != nil {
		t.Fatalf("Lease: %v", err)
	}
	return lease
}

// state waits until nothing moves and returns the only process.
func state(t *testing.T, s *Supervisor) ProcessState {
	t.Helper()
	synctest.Wait()
	states := s.State()
	if len(states) != 1 {
		t.Fatalf("%d processes, want 1", len(states))
	}
	return states[0]
}

// crashNow ends the running program as a crash would.
func crashNow(t *testing.T, f *fakeStarter) {
	t.Helper()
	f.last().die()
	synctest.Wait()
}

func TestOneStartForAllWhoAsk(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{delay: time.Second}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		target := fakeTarget()
		target.Installed.Description.Capabilities.MaxStreams = 64
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				lease, err := s.Lease(t.Context(), target)
				if err != nil {
					t.Errorf("Lease: %v", err)
					return
				}
				lease.Release()
			})
		}
		wg.Wait()
		if got := f.started(); got != 1 {
			t.Errorf("%d starts, want 1", got)
		}
		if got := state(t, s); got.State != StateReady || got.Calls != 0 {
			t.Errorf("state %s with %d calls, want ready with 0", got.State, got.Calls)
		}
	})
}

func TestBackoffDoublesAndEndsInDisabled(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		var waits []time.Duration
		for range 5 {
			asked := time.Now()
			mustLease(t, s, fakeTarget()).Release()
			waits = append(waits, time.Since(asked))
			crashNow(t, f)
		}
		want := []time.Duration{0, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("waits before each start (-want +got):\n%s", diff)
		}
		_, err := s.Lease(t.Context(), fakeTarget())
		if sdk.KindOf(err) != sdk.KindUnavailable || !strings.Contains(err.Error(), "disabled") || !strings.Contains(err.Error(), "panic: boom") {
			t.Errorf("Lease = %v, want unavailable, disabled, with the panic", err)
		}
		if e, ok := errors.AsType[*sdk.Error](err); !ok || !e.Retry || e.RetryAfter != time.Minute || !strings.Contains(e.Hint, "loam connector reset fake") {
			t.Errorf("error %+v must say when it is tried again and name the command", e)
		}
		if got := f.started(); got != 5 {
			t.Errorf("%d starts, want 5", got)
		}
		if got := state(t, s); got.State != StateDisabled || got.Failures != 5 || got.LastError == nil || time.Until(got.NextStart) != time.Minute {
			t.Errorf("state %+v, want disabled after 5 failures, for a minute", got)
		}
	})
}

// TestDisabledConnectorIsTriedAgain has a connector that crashes at every start.
func TestDisabledConnectorIsTriedAgain(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		disable(t, s, f)
		var pauses []time.Duration
		for range 7 {
			got := state(t, s)
			if got.State != StateDisabled {
				t.Fatalf("state %s, want disabled", got.State)
			}
			pause := time.Until(got.NextStart)
			pauses = append(pauses, pause)
			time.Sleep(pause)
			mustLease(t, s, fakeTarget()).Release()
			crashNow(t, f)
		}
		want := []time.Duration{1, 2, 4, 8, 16, 30, 30}
		for i := range want {
			want[i] *= time.Minute
		}
		if diff := cmp.Diff(want, pauses); diff != "" {
			t.Errorf("pauses (-want +got):\n%s", diff)
		}
		time.Sleep(30 * time.Minute)
		lease := mustLease(t, s, fakeTarget()) // it runs for a while, and all is forgiven
		time.Sleep(5 * time.Minute)
		lease.Release()
		crashNow(t, f)
		if got := state(t, s); got.State != StateBackoff {
			t.Errorf("state %s after a crash that came late, want backoff", got.State)
		}
	})
}

func disable(t *testing.T, s *Supervisor, f *fakeStarter) {
	t.Helper()
	for range 5 {
		mustLease(t, s, fakeTarget()).Release()
		crashNow(t, f)
	}
	if got := state(t, s); got.State != StateDisabled {
		t.Fatalf("state %s, want disabled", got.State)
	}
}

func TestDisabledUntil(t *testing.T) {
	t.Parallel()
	cases := map[string]func(t *testing.T, s *Supervisor, target *Target){
		"reset": func(t *testing.T, s *Supervisor, _ *Target) {
			time.Sleep(time.Second)
			if err := RequestReset(s.config.ResetDir, "fake"); err != nil {
				t.Fatal(err)
			}
		},
		"another configuration": func(_ *testing.T, _ *Supervisor, target *Target) { target.Fingerprint = "2" },
		"another program":       func(_ *testing.T, _ *Supervisor, target *Target) { target.Installed.SHA256 = "2" },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeStarter{}
			supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
				disable(t, s, f)
				target := fakeTarget()
				change(t, s, &target)
				mustLease(t, s, target).Release()
			})
		})
	}
}

func TestOldCrashesAreForgotten(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		for range 12 {
			mustLease(t, s, fakeTarget()).Release()
			crashNow(t, f)
			time.Sleep(80 * time.Second) // four within any five minutes
		}
		mustLease(t, s, fakeTarget()).Release()
	})
}

func TestFailedStartIsNotRetriedInALoop(t *testing.T) {
	t.Parallel()
	broken := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "no handshake")
	f := &fakeStarter{startErr: func(n int) error {
		if n == 1 {
			return broken
		}
		return nil
	}}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		for range 10 {
			asked := time.Now()
			_, err := s.Lease(t.Context(), fakeTarget())
			if sdk.KindOf(err) != sdk.KindUnavailable || !strings.Contains(err.Error(), "no handshake") {
				t.Fatalf("Lease = %v, want the failure of the start", err)
			}
			if waited := time.Since(asked); waited != 0 {
				t.Errorf("the failure came after %s, want at once", waited)
			}
		}
		if got := f.started(); got != 1 {
			t.Errorf("%d starts, want 1", got)
		}
		time.Sleep(s.timing.backoff)
		mustLease(t, s, fakeTarget()).Release()
	})
}

func TestRefusedProgramMayBeMendedAtOnce(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{verifyErr: sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "wrong checksum")}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		for range 10 {
			if _, err := s.Lease(t.Context(), fakeTarget()); sdk.KindOf(err) != sdk.KindDenied {
				t.Fatalf("Lease = %v, want denied", err)
			}
		}
		if got := f.started(); got != 0 {
			t.Errorf("%d starts, want none", got)
		}
		f.verifyErr = nil
		mustLease(t, s, fakeTarget()).Release()
	})
}

func TestIdleProcessIsStopped(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		lease := mustLease(t, s, fakeTarget())
		time.Sleep(time.Hour)
		if got := state(t, s); got.State != StateReady || got.Calls != 1 {
			t.Errorf("state %s with %d calls during a long call, want ready with 1", got.State, got.Calls)
		}
		lease.Release()
		lease.Release() // idempotent
		time.Sleep(10*time.Minute - time.Second)
		if got := state(t, s); got.State != StateReady {
			t.Errorf("state %s just before the time is over, want ready", got.State)
		}
		time.Sleep(2 * time.Second)
		if got := state(t, s); got.State != StateStopped || got.PID != 0 {
			t.Errorf("state %s, want stopped", got.State)
		}
		if !f.last().drained.Load() {
			t.Error("the program was stopped without a drain")
		}
		mustLease(t, s, fakeTarget()).Release()
		if got := f.started(); got != 2 {
			t.Errorf("%d starts, want 2", got)
		}
	})
}

func TestHungProcessIsKilled(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		mustLease(t, s, fakeTarget()).Release()
		time.Sleep(46 * time.Second)
		if got := f.pinged(); got != 3 {
			t.Errorf("%d pings in 46 s, want 3", got)
		}
		f.sick.Store(true)
		time.Sleep(35 * time.Second)
		if got := state(t, s); got.State != StateReady {
			t.Errorf("state %s after two misses, want ready", got.State)
		}
		time.Sleep(17 * time.Second)
		got := state(t, s)
		if got.State != StateBackoff || got.LastError == nil || !strings.Contains(got.LastError.Error(), "did not answer") {
			t.Errorf("state %s because %v, want backoff because it did not answer", got.State, got.LastError)
		}
	})
}

// TestHungProcessIsKilledUnderCalls has a caller that repeats its call whenever
// it ends, as the error of a silent connector asks for.
func TestHungProcessIsKilledUnderCalls(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		lease := mustLease(t, s, fakeTarget())
		time.Sleep(5 * time.Minute)
		if got := state(t, s); got.State != StateReady {
			t.Errorf("state %s after a long call, want ready", got.State)
		}
		f.sick.Store(true)
		for range 6 {
			lease.Release()
			lease = mustLease(t, s, fakeTarget())
			time.Sleep(10 * time.Second)
		}
		defer lease.Release()
		got := state(t, s)
		if f.started() != 2 && got.State != StateBackoff || got.LastError == nil || !strings.Contains(got.LastError.Error(), "did not answer") {
			t.Errorf("state %s because %v after %d starts, want it killed because it did not answer", got.State, got.LastError, f.started())
		}
	})
}

func TestGreedyProcessIsKilled(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{MemoryMax: 100 << 20}, func(t *testing.T, s *Supervisor) {
		lease := mustLease(t, s, fakeTarget())
		defer lease.Release()
		f.memory.Store(200 << 20)
		time.Sleep(time.Minute)
		if got := state(t, s); got.State != StateReady {
			t.Errorf("state %s at twice the memory, want ready", got.State)
		}
		f.memory.Store(200<<20 + 1)
		time.Sleep(3 * time.Second)
		got := state(t, s)
		if got.State != StateBackoff || got.LastError == nil || !strings.Contains(got.LastError.Error(), "200 MiB") {
			t.Errorf("state %s because %v, want backoff because of 200 MiB", got.State, got.LastError)
		}
	})
}

func TestProcessThatKeepsItsMemoryIsRenewed(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		f.data.Store(75)
		mustLease(t, s, fakeTarget()).Release()
		time.Sleep(time.Second)
		a, b := mustLease(t, s, fakeTarget()), mustLease(t, s, fakeTarget())
		f.data.Store(76)
		a.Release()
		if got := state(t, s); got.State != StateReady {
			t.Errorf("state %s while a call runs, want ready", got.State)
		}
		b.Release()
		if got := state(t, s); got.State != StateStopped || got.Crashes != 0 {
			t.Errorf("state %s after %d crashes, want stopped after none", got.State, got.Crashes)
		}
		f.data.Store(0)
		mustLease(t, s, fakeTarget()).Release()
		if got := f.started(); got != 2 {
			t.Errorf("%d starts, want 2", got)
		}
	})
}

func TestConnectionsGrantMemory(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{MemoryMax: 100 << 20}, func(t *testing.T, s *Supervisor) {
		target := fakeTarget()
		target.Memory = 300 << 20
		lease := mustLease(t, s, target)
		defer lease.Release()
		f.memory.Store(600 << 20)
		time.Sleep(time.Minute)
		if got := state(t, s); got.State != StateReady {
			t.Errorf("state %s at twice what the connection may take, want ready", got.State)
		}
		f.memory.Store(600<<20 + 1)
		time.Sleep(3 * time.Second)
		if got := state(t, s); got.State != StateBackoff {
			t.Errorf("state %s beyond that, want backoff", got.State)
		}
	})
}

func TestCallerMayStopWaiting(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{delay: 5 * time.Second}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		asked := time.Now()
		_, err := s.Lease(ctx, fakeTarget())
		if sdk.KindOf(err) != sdk.KindTimeout || time.Since(asked) != time.Second {
			t.Errorf("Lease = %v after %s, want a timeout after 1 s", err, time.Since(asked))
		}
		time.Sleep(5 * time.Second)
		if got := state(t, s); got.State != StateReady || got.Calls != 0 {
			t.Errorf("state %s with %d calls, want ready with none", got.State, got.Calls)
		}
	})
}

func TestCloseWhileStarting(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{delay: time.Hour}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		failed := make(chan error, 1)
		go func() {
			_, err := s.Lease(t.Context(), fakeTarget())
			failed <- err
		}()
		synctest.Wait()
		if err := s.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := <-failed; sdk.KindOf(err) != sdk.KindUnavailable {
			t.Errorf("Lease = %v, want unavailable", err)
		}
		if _, err := s.Lease(t.Context(), fakeTarget()); sdk.KindOf(err) != sdk.KindUnavailable {
			t.Errorf("Lease after Close = %v, want unavailable", err)
		}
	})
}

func TestCloseHurriesWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ allowed, want time.Duration }{
		"patient": {allowed: time.Hour, want: 6 * time.Second}, // the grace of 5 s and a moment for the answer
		"hurried": {allowed: time.Second, want: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fakeStarter{hangDrain: true}
			supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
				mustLease(t, s, fakeTarget()).Release()
				ctx, cancel := context.WithTimeout(t.Context(), test.allowed)
				defer cancel()
				began := time.Now()
				if err := s.Close(ctx); err != nil {
					t.Errorf("Close: %v", err)
				}
				if took := time.Since(began); took != test.want {
					t.Errorf("Close took %s, want %s", took, test.want)
				}
			})
		})
	}
}

func TestNewProgramReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		old := mustLease(t, s, fakeTarget())
		updated := fakeTarget()
		updated.Installed.SHA256 = "2"
		leased := make(chan *Lease)
		go func() { leased <- mustLease(t, s, updated) }()
		synctest.Wait()
		if got := f.started(); got != 1 {
			t.Errorf("%d starts while the old program had a call, want 1", got)
		}
		old.Release()
		(<-leased).Release()
		if got := f.started(); got != 2 {
			t.Errorf("%d starts, want 2", got)
		}
	})
}

func TestIsolatedConnectionHasAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	f := &fakeStarter{}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		for _, id := range []string{"a", "b", "c", "d"} {
			target := fakeTarget()
			target.ID, target.Isolated = id, id >= "c"
			mustLease(t, s, target).Release()
		}
		var got []string
		for _, p := range s.State() {
			got = append(got, p.Connection+":"+strings.Join(p.Connections, ","))
		}
		if diff := cmp.Diff([]string{":a,b", "c:c", "d:d"}, got); diff != "" {
			t.Errorf("processes (-want +got):\n%s", diff)
		}
	})
}

func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		connections, concurrency, declared int
		want                               int
	}{
		"per connection":           {connections: 1, want: 8},
		"the connector's number":   {connections: 1, declared: 3, want: 3},
		"the connection's number":  {connections: 1, concurrency: 2, want: 2},
		"never above the declared": {connections: 1, concurrency: 20, declared: 5, want: 5},
		"per process":              {connections: 5, want: 32},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			supervise(t, &fakeStarter{}, Config{}, func(t *testing.T, s *Supervisor) {
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				for i := range 64 {
					wg.Go(func() {
						target := fakeTarget()
						target.ID = string(rune('a' + i%test.connections))
						target.Concurrency = test.concurrency
						target.Installed.Description.Capabilities.MaxStreams = test.declared
						lease, err := s.Lease(ctx, target)
						switch {
						case err == nil:
							<-ctx.Done()
							lease.Release()
						case sdk.KindOf(err) != sdk.KindCanceled:
							t.Errorf("Lease = %v, want canceled", err)
						}
					})
				}
				if got := state(t, s).Calls; got != test.want {
					t.Errorf("%d calls at once, want %d", got, test.want)
				}
				cancel()
				wg.Wait()
				if got := state(t, s).Calls; got != 0 {
					t.Errorf("%d calls in the end, want none", got)
				}
			})
		})
	}
}
