//go:build linux

package connector

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestCrashEndsTheCallAndNothingElse(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		sql  string
		says []string
		log  string
	}{
		"panic in a goroutine": {"panic goroutine", []string{"exited with code 2", "panic: chaos in a goroutine"}, "panic: chaos in a goroutine"},
		"exit in a result":     {"exit", []string{"exited with code 3"}, `"connector crashed"`},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "chaos")
			_, err := r.run(t.Context(), test.sql)
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Kind != sdk.KindUnavailable || !e.Retry || e.Hint == "" {
				t.Fatalf("error %#v, want unavailable, to be repeated", err)
			}
			for _, want := range test.says {
				if !strings.Contains(e.Msg, want) {
					t.Errorf("error %q does not say %q", e.Msg, want)
				}
			}
			r.log.await(t, test.log)
			if diff := cmp.Diff([]string{"again"}, r.mustRun(t, "again")); diff != "" {
				t.Errorf("next call (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPanicInHandlerLeavesTheProcess(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	r.mustRun(t, "warm")
	pid := r.pid(t)
	_, err := r.run(t.Context(), "panic")
	if sdk.KindOf(err) != sdk.KindInternal || !strings.Contains(err.Error(), "incident") || strings.Contains(err.Error(), "chaos in") {
		t.Errorf("error %v, want internal with an incident and without the panic's text", err)
	}
	r.mustRun(t, "again")
	if got := r.pid(t); got != pid {
		t.Errorf("process %d, want still %d", got, pid)
	}
}

func TestKilledMidQuery(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	other := chaosTarget(install(t, "chaos", nil))
	other.ID = "other"

	// A query on another connector's process runs all the while.
	ctx, stop := context.WithCancel(t.Context())
	running, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- stream(ctx, r.Supervisor, other, func() { close(running) }) }()
	<-running

	err := stream(t.Context(), r.Supervisor, r.target, func() {
		for _, p := range r.State() {
			if p.Connections[0] == r.target.ID {
				kill(t, p.PID)
			}
		}
	})
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != sdk.KindUnavailable || !e.Retry || !strings.Contains(e.Msg, "killed") {
		t.Errorf("error %#v, want unavailable because it was killed", err)
	}
	r.log.await(t, `"calls_charged":true`)
	r.mustRun(t, "again")

	select {
	case err := <-ended:
		t.Errorf("the other query ended: %v", err)
	default:
	}
	stop()
	if err := <-ended; sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("the other query ended with %v, want canceled", err)
	}
}

// stream runs the statement without an end and calls first with its first batch.
func stream(ctx context.Context, s *Supervisor, target Target, first func()) error {
	lease, err := s.Lease(ctx, target)
	if err != nil {
		return err
	}
	defer lease.Release()
	return lease.Session.Execute(ctx, sdk.ExecuteRequest{SQL: "slow"}, sdk.NewRowWriter(&countSink{first: first}, sdk.Limits{}))
}

// countSink forgets the rows.
type countSink struct {
	sink
	first func()
}

func (s *countSink) Batch(b *sdk.Batch) error {
	if s.first != nil {
		s.first()
		s.first = nil
	}
	return s.sink.Batch(b)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func TestCrashInOpen(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	r.target.Open = openWith(`{"mode":"crash"}`)
	_, err := r.Lease(t.Context(), r.target)
	if sdk.KindOf(err) != sdk.KindUnavailable || !strings.Contains(err.Error(), "code 4") {
		t.Errorf("Lease = %v, want unavailable with code 4", err)
	}
	r.target.Open, r.target.Fingerprint = openWith(`{}`), "2"
	r.mustRun(t, "again")
}

func TestRefusedCallHasTheCredentialsResolvedAgain(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	r := newRig(t, "chaos", func(s *Supervisor) {
		s.config.OnOpen = func(string, sdk.ServerInfo, error) { opened.Add(1) }
	})
	for _, kind := range []sdk.Kind{sdk.KindDenied, sdk.KindUnauthenticated} {
		if _, err := r.run(t.Context(), "fail "+string(kind)); sdk.KindOf(err) != kind {
			t.Fatalf("error %v, want %s", err, kind)
		}
	}
	r.mustRun(t, "again")
	r.mustRun(t, "again")
	if got := opened.Load(); got != 2 {
		t.Errorf("opened %d times, want 2", got)
	}
}

func TestOpenThatHangsHonoursTheContext(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	r.target.Open = openWith(`{"mode":"hang"}`)
	r.mustRunOther(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.Lease(ctx, r.target); sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("Lease = %v, want timeout", err)
	}
	r.mustRunOther(t)
}

// mustRunOther runs a statement on another connection of the same process.
func (r *rig) mustRunOther(t *testing.T) {
	t.Helper()
	other := r.target
	other.ID, other.Open = "other", openWith(`{}`)
	if _, err := runOn(t.Context(), r.Supervisor, other, "x"); err != nil {
		t.Fatal(err)
	}
}

func TestHangingCallHonoursTheContext(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]sdk.Kind{"hang": sdk.KindTimeout, "hang hard": sdk.KindUnavailable, "leak": sdk.KindTimeout} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "chaos")
			r.mustRun(t, "warm")
			var calls sync.WaitGroup
			for range 3 {
				lease, err := r.Lease(t.Context(), r.target)
				if err != nil {
					t.Fatal(err)
				}
				calls.Go(func() {
					defer lease.Release()
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					err := lease.Session.Execute(ctx, sdk.ExecuteRequest{SQL: sql}, sdk.NewRowWriter(&textSink{}, sdk.Limits{}))
					if sdk.KindOf(err) != want {
						t.Errorf("error %v, want %s", err, want)
					}
				})
			}
			calls.Wait()
			r.mustRun(t, "again")
		})
	}
}

func TestSlowReaderHoldsTheConnectorBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := stream(ctx, r.Supervisor, r.target, cancel); sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("error %v, want canceled", err)
	}
}

func TestBrokenContractEndsTheCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, "liar")
	cases := map[string]struct {
		kind sdk.Kind
		says string
	}{
		"lie about all rows": {sdk.KindInternal, "claims 8 rows and has 1"},
		"lie about a batch":  {sdk.KindInternal, "malformed"},
		"no schema":          {sdk.KindInternal, "before the columns"},
		"no summary":         {sdk.KindInternal, "without its closing event"},
		"two summaries":      {sdk.KindInternal, "after the closing one"},
		"oversize":           {sdk.KindLimit, "larger"},
	}
	for sql, test := range cases {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			_, err := r.run(t.Context(), sql)
			if sdk.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want %s that says %q", err, test.kind, test.says)
			}
			if got := r.mustRun(t, "the truth"); len(got) != 1 {
				t.Errorf("next call: %q", got)
			}
		})
	}
}

func TestTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	lease, err := r.Lease(t.Context(), r.target)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	to := &textSink{}
	w := sdk.NewRowWriter(to, sdk.Limits{})
	if err := lease.Session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "utf8"}, w); err != nil {
		t.Fatal(err)
	}
	if len(to.lines) != 1 || to.lines[0] != "caf\xe9" {
		t.Errorf("cells %q, want the bytes as they were", to.lines)
	}
	if len(to.columns) != 1 || to.columns[0].Name != "caf\uFFFD" || len(to.notices) != 1 {
		t.Errorf("columns %v and notices %v, want them made valid", to.columns, to.notices)
	}
	err = lease.Session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "utf8 error"}, sdk.NewRowWriter(&textSink{}, sdk.Limits{}))
	if sdk.KindOf(err) != sdk.KindSyntax || !strings.Contains(err.Error(), "caf\uFFFD") {
		t.Errorf("error %v, want the connector's own, made valid", err)
	}
}

func TestSessionHasTheDeclaredAbilities(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	lease, err := r.Lease(t.Context(), r.target)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	explainer, ok := lease.Session.(sdk.Explainer)
	if _, profiles := lease.Session.(sdk.Profiler); !ok || profiles {
		t.Fatalf("a %T explains %v and profiles %v; want only the first", lease.Session, ok, profiles)
	}
	if plan, err := explainer.Explain(t.Context(), sdk.ExplainRequest{SQL: "x"}); err != nil || plan.Text != "x" {
		t.Errorf("Explain = %v, %v", plan, err)
	}
	if _, err := explainer.Explain(t.Context(), sdk.ExplainRequest{SQL: "panic"}); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("Explain = %v, want internal", err)
	}
}

func TestManyLeasesAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			target := r.target
			target.ID = "warehouse" + strconv.Itoa(i%4)
			want := fmt.Sprintf("call %d", i)
			got, err := runOn(t.Context(), r.Supervisor, target, want)
			if err != nil || len(got) != 1 || got[0] != want {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(r.log.String(), `"connector started"`); got != 1 {
		t.Errorf("%d starts, want 1", got)
	}
}

func TestGreedyConnectorIsKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos", func(s *Supervisor) {
		s.config.MemoryMax, s.timing.look = 64<<20, 20*time.Millisecond
	})
	_, err := r.run(t.Context(), "allocate 256")
	if sdk.KindOf(err) != sdk.KindLimit || !strings.Contains(err.Error(), "more than twice its 64 MiB") {
		t.Errorf("error %v, want a limit because of its memory", err)
	}
	r.mustRun(t, "again")
}

// TestSystemKeepsAConnectorToItsMemory has a connector that takes memory faster
// than anybody looks, more often than would disable it.
func TestSystemKeepsAConnectorToItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a connector that takes 21 GiB")
	}
	t.Parallel()
	r := newRig(t, "chaos", func(s *Supervisor) {
		s.config.MemoryMax, s.timing.look = 64<<20, time.Hour
	})
	for i := range 7 {
		_, err := r.run(t.Context(), "allocate 3000 "+strconv.Itoa(i))
		if sdk.KindOf(err) != sdk.KindLimit {
			t.Fatalf("error %v, want a limit", err)
		}
		r.mustRun(t, "again")
	}
	if got := r.State()[0]; got.State != StateReady || got.Failures != 0 {
		t.Errorf("state %s after %d failures, want ready after none", got.State, got.Failures)
	}
}

// TestStatementsAreChargedWithCrashes has one client whose statement crashes the
// connector and another that goes on.
func TestStatementsAreChargedWithCrashes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	for i := range 7 {
		_, err := r.run(t.Context(), "die 1 Assertion failed")
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Kind != sdk.KindUnavailable || e.Retry != (i == 0) {
			t.Errorf("time %d: error %#v, want unavailable, to be repeated once", i, err)
		}
		if refused := e.RetryAfter > 0; refused != (i >= 3) {
			t.Errorf("time %d: refused until %s: %v", i, e.RetryAfter, err)
		}
		r.mustRun(t, "again")
	}
	if got := r.State()[0]; got.State != StateReady || got.Failures != 0 || got.Starts != 4 {
		t.Errorf("state %s after %d failures and %d starts, want ready after none and 4", got.State, got.Failures, got.Starts)
	}
}

// TestOnlyTheCauseIsChargedWithMemory has several statements run when the
// process ends for memory.
func TestOnlyTheCauseIsChargedWithMemory(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	const greedy = "die 3 fatal error: runtime: out of memory"
	together := func(others ...string) map[string]*sdk.Error {
		var mu sync.Mutex
		var wg sync.WaitGroup
		ended := map[string]*sdk.Error{}
		for _, sql := range append(others, greedy) {
			wg.Go(func() {
				_, err := r.run(t.Context(), sql)
				e, _ := errors.AsType[*sdk.Error](err)
				mu.Lock()
				defer mu.Unlock()
				ended[sql] = e
			})
		}
		wg.Wait()
		return ended
	}
	for sql, e := range together("die 99 a", "die 99 b") {
		if e == nil || e.Kind != sdk.KindUnavailable || !e.Retry || !strings.Contains(e.Msg, "2 others") {
			t.Errorf("first, %q: %#v, want unavailable: it may have been another", sql, e)
		}
	}
	for sql, e := range together("die 99 c", "die 99 d") {
		want := sdk.KindUnavailable
		if sql == greedy {
			want = sdk.KindLimit
		}
		if e == nil || e.Kind != want || e.Retry != (sql != greedy) {
			t.Errorf("then, %q: %#v, want %s", sql, e, want)
		}
	}
	if got := r.State()[0]; got.Failures != 0 {
		t.Errorf("%d failures, want none", got.Failures)
	}
}

func TestWhatAConnectorStartedEndsWithIt(t *testing.T) {
	t.Parallel()
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "chaos")
		child, err := strconv.Atoi(r.mustRun(t, "grandchild")[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		awaitEnd(t, child)
	})
	t.Run("left the group", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "chaos")
		child, err := strconv.Atoi(r.mustRun(t, "daemon")[0])
		if err != nil {
			t.Fatal(err)
		}
		if !alive(child) {
			t.Fatal("the daemon does not run")
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		awaitEnd(t, child)
	})
	for _, how := range []string{"grandchild", "daemon"} {
		t.Run(how+", crashed", func(t *testing.T) { endsWithACrash(t, how) })
	}
}

func endsWithACrash(t *testing.T, how string) {
	t.Parallel()
	r := newRig(t, "chaos")
	if _, err := r.run(t.Context(), how+" exit"); sdk.KindOf(err) != sdk.KindUnavailable || !strings.Contains(err.Error(), "code 5") {
		t.Errorf("error %v, want unavailable with code 5", err)
	}
	_, after, found := strings.Cut(r.log.String(), "child ")
	digits, _, _ := strings.Cut(after, `"`)
	child, err := strconv.Atoi(digits)
	if !found || err != nil {
		t.Fatalf("no child in the log: %v", err)
	}
	awaitEnd(t, child)
	r.mustRun(t, "again")
}

func TestTestConnectionReportsSteps(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		config string
		want   []string
	}{
		"well":    {`{}`, []string{"config ", "open "}},
		"refused": {`{"mode":"refuse"}`, []string{"config ", "open unauthenticated"}},
		"wrong":   {`{"mode":"nonsense"}`, []string{"config invalid"}},
	}
	r := newRig(t, "chaos")
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := r.target
			target.Open = openWith(test.config)
			var got []string
			err := r.TestConnection(t.Context(), target, func(step sdk.TestStep) {
				kind := sdk.Kind("")
				if step.Err != nil {
					kind = step.Err.Kind
				}
				got = append(got, step.Name+" "+string(kind))
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("validate", func(t *testing.T) {
		t.Parallel()
		found, err := r.ValidateConfig(t.Context(), r.target.Installed, sdk.Config{JSON: []byte(`{"moed":"well"}`)})
		if err != nil || len(found) != 1 || found[0].Path != "moed" {
			t.Errorf("ValidateConfig = %v, %v; want the unknown key", found, err)
		}
	})
}
