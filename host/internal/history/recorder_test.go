package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// shelf is a Store in memory that can be broken.
type shelf struct {
	mu      sync.Mutex
	calls   []store.Call
	gaps    []store.CallGap
	batches []int
	pruned  []store.Retention
	broken  error
	tried   int
	held    chan struct{} // when not nil, a write waits for it
}

func (s *shelf) PutCalls(ctx context.Context, calls []store.Call, gaps []store.CallGap) error {
	if s.held != nil {
		select {
		case <-s.held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried++
	if s.broken != nil {
		return s.broken
	}
	s.calls, s.gaps = append(s.calls, calls...), append(s.gaps, gaps...)
	s.batches = append(s.batches, len(calls))
	return nil
}

func (s *shelf) PruneCalls(_ context.Context, r store.Retention) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pruned = append(s.pruned, r)
	return nil
}

func (s *shelf) Calls(context.Context, store.CallFilter) ([]store.Call, error) { return nil, nil }
func (s *shelf) SavedQueryRuns(context.Context, []store.SavedQuery) (map[store.SavedQuery]store.SavedQueryRuns, error) {
	return nil, nil
}

func (s *shelf) Answered(context.Context, []string, int) ([]store.Answered, error) {
	return nil, errors.New("nothing is read while calls are written")
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}

// engine is an engine's dialect as far as it matters here.
var engine = dialect.Dialect{Lexis: dialect.Lexis{
	Identifiers:  []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}},
	Strings:      []dialect.Quote{{Open: "'", Close: "'", Doubled: true}},
	LineComments: []dialect.LineComment{{Open: "--"}},
}}

type rig struct {
	*Recorder
	shelf    *shelf
	settings Settings
	log      bytes.Buffer
}

func newRig(change func(*Config)) *rig {
	r := &rig{shelf: &shelf{}, settings: Default()}
	c := Config{
		Store:    func(context.Context) (Store, error) { return r.shelf, nil },
		Settings: func(context.Context) (Settings, error) { return r.settings, nil },
		Dialects: func(string) []dialect.Dialect { return []dialect.Dialect{engine} },
		Now:      time.Now,
		Logger:   slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	if change != nil {
		change(&c)
	}
	r.Recorder = New(c)
	return r
}

func call(name string) Call {
	return Call{Request: name, Started: time.Now(), Elapsed: time.Second, Tool: "t", Outcome: store.OutcomeOK, Rows: store.NoRows}
}

func (s *shelf) requests() (names []string) {
	for _, c := range s.calls {
		names = append(names, c.Request)
	}
	return names
}

// A burst is one transaction, in the order in which calls ended.
func TestBurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		var want []string
		for i := range 20 {
			want = append(want, fmt.Sprint(i))
			r.Record(call(fmt.Sprint(i)))
		}
		time.Sleep(2 * gather)
		synctest.Wait()
		if diff := cmp.Diff(want, r.shelf.requests()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int{20}, r.shelf.batches); diff != "" {
			t.Errorf("batches (-want +got):\n%s", diff)
		}
		r.Close(t.Context())
		if diff := cmp.Diff(Stats{Recorded: 20}, r.Stats()); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	})
}

// What waits when the host ends is written, at once.
func TestCloseWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		for range 3 * maxBatch {
			r.Record(call("x"))
		}
		began := time.Now()
		r.Close(t.Context())
		r.Close(t.Context())
		if got := len(r.shelf.calls); got != 3*maxBatch || time.Since(began) != 0 {
			t.Errorf("%d calls after %v", got, time.Since(began))
		}
		r.Record(call("late"))
		if got := r.Stats(); got.Recorded != 3*maxBatch || got.Lost != 1 {
			t.Errorf("stats %+v", got)
		}
	})
	newRig(nil).Close(t.Context()) // nothing to end
}

// A full queue loses calls, not time, and the trail says so.
func TestOverflow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		r.shelf.held = make(chan struct{})
		first := time.Now()
		r.Record(call("first"))
		time.Sleep(gather)
		synctest.Wait() // the first is with the store, and the store waits
		for range maxQueued + 10 {
			r.Record(call("x"))
		}
		close(r.shelf.held)
		r.Close(t.Context())
		if got := r.Stats(); got.Recorded != maxQueued+1 || got.Lost != 10 {
			t.Errorf("stats %+v", got)
		}
		at := first.Add(gather + time.Second) // when those calls ended
		want := []store.CallGap{{From: at, Until: at, Calls: 10, Reason: "more calls ended than could be written"}}
		if diff := cmp.Diff(want, r.shelf.gaps); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
		if !strings.Contains(r.log.String(), "calls are missing in the history") {
			t.Errorf("log: %s", &r.log)
		}
	})
}

// Arguments bound the queue too: large ones must not fill memory.
func TestLargeArguments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		large := json.RawMessage(`{"sql":"` + strings.Repeat("a", maxArguments-10) + `"}`)
		for range maxQueuedBytes / maxArguments {
			c := call("x")
			c.Arguments = large[:maxArguments:maxArguments]
			r.Record(c)
		}
		c := call("too many")
		c.Arguments = large
		c.Arguments = c.Arguments[:maxArguments]
		r.Record(c)
		c = call("too large")
		c.Arguments = append(slices.Clone(large), ' ')
		r.Record(c)
		r.Close(t.Context())
		if got := r.Stats(); got.Recorded != maxQueuedBytes/maxArguments+1 || got.Lost != 1 {
			t.Errorf("stats %+v", got)
		}
		last := r.shelf.calls[len(r.shelf.calls)-1]
		if last.Request != "too large" || last.Arguments != "" || last.ArgumentsBytes != maxArguments+1 {
			t.Errorf("last: %q %q %d", last.Request, last.Arguments, last.ArgumentsBytes)
		}
	})
}

// A store that cannot be written is tried again, ever more seldom, said once in
// a while, and loses nothing that the queue has room for.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		r.shelf.broken = sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the disk is full")
		r.Record(call("first"))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if r.shelf.tried > 30 || strings.Count(r.log.String(), "cannot be written") > 11 {
			t.Errorf("%d attempts, log:\n%s", r.shelf.tried, &r.log)
		}
		for range maxQueued + 5 {
			r.Record(call("x"))
		}
		if got := r.Stats(); got.Recorded != 0 || got.Lost != 5 || sdk.KindOf(got.Failure) != sdk.KindLimit {
			t.Errorf("stats %+v", got)
		}
		r.shelf.fail(nil)
		time.Sleep(2 * lastRetry)
		synctest.Wait()
		if got := r.Stats(); got.Recorded != maxQueued+1 || got.Lost != 5 || got.Failure != nil {
			t.Errorf("stats %+v", got)
		}
		if len(r.shelf.gaps) != 1 || r.shelf.gaps[0].Calls != 5 || r.shelf.gaps[0].Reason != "the state store could not be written: limit" {
			t.Errorf("gaps %+v", r.shelf.gaps)
		}
		if !strings.Contains(r.log.String(), "written again") {
			t.Errorf("log: %s", &r.log)
		}
		r.Close(t.Context())
	})
}

// A host that ends with a broken store says what is lost, and ends.
func TestCloseWithoutAStore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		hurt func(*rig)
	}{
		{"that fails", func(r *rig) { r.shelf.broken = errors.New("no") }},
		{"that never answers", func(r *rig) { r.shelf.held = make(chan struct{}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(nil)
				tt.hurt(r)
				r.Record(call("x"))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				r.Close(ctx)
				if took := time.Since(began); took > time.Second {
					t.Errorf("closing took %v", took)
				}
				if got := r.Stats(); got.Recorded != 0 || got.Lost != 1 {
					t.Errorf("stats %+v", got)
				}
				if !strings.Contains(r.log.String(), "the history of the last calls is lost") {
					t.Errorf("log: %s", &r.log)
				}
			})
		})
	}
}

// Nothing is opened for a history that is off; a setting holds from the next
// batch, and a project file that is broken changes nothing.
func TestSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failure error
		var r *rig
		r = newRig(func(c *Config) {
			c.Settings = func(context.Context) (Settings, error) { return r.settings, failure }
			c.Store = func(context.Context) (Store, error) {
				if r.settings.Off {
					t.Error("the store was opened")
				}
				return r.shelf, nil
			}
		})
		step := func(name string) {
			r.Record(call(name))
			time.Sleep(2 * gather)
			synctest.Wait()
		}
		r.settings.Off = true
		step("off")
		r.settings = Settings{Keep: time.Hour, Rows: 5, Arguments: None}
		step("on")
		failure = errors.New("broken")
		r.settings = Settings{}
		step("broken")
		r.Close(t.Context())
		if diff := cmp.Diff([]string{"on", "broken"}, r.shelf.requests()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for i, p := range r.shelf.pruned {
			if p.Rows != 5 {
				t.Errorf("pruned %d: %+v", i, p)
			}
		}
		if got := r.Stats(); got.Recorded != 2 || got.Lost != 0 {
			t.Errorf("stats %+v", got)
		}
	})
}

// Old calls are forgotten every hundredth of what stays, and every hour.
func TestPruning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		r.settings.Rows = 1000
		write := func(n int) {
			for range n {
				r.Record(call("x"))
			}
			time.Sleep(gather)
			synctest.Wait()
		}
		write(1) // the first
		write(9)
		if got := len(r.shelf.pruned); got != 1 {
			t.Fatalf("pruned %d times", got)
		}
		write(1)
		if got := len(r.shelf.pruned); got != 2 {
			t.Fatalf("pruned %d times after a hundredth", got)
		}
		time.Sleep(pruneEvery)
		write(1)
		if got := r.shelf.pruned; len(got) != 3 || got[2].Rows != 1000 || time.Since(got[2].Since) < r.settings.Keep {
			t.Fatalf("pruned %+v", got)
		}
		r.Close(t.Context())
	})
}

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Two hosts with one store record everything, from 64 callers each, and no
// secret of a call is in any file of the store.
func TestTwoHosts(t *testing.T) {
	t.Parallel()
	const callers, each, secret = 64, 10, "hunter2-ada@example.com"
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	var hosts sync.WaitGroup
	for range 2 {
		s := open(t, path)
		r := newRig(func(c *Config) { c.Store = func(context.Context) (Store, error) { return s, nil } })
		hosts.Go(func() {
			var calls sync.WaitGroup
			for i := range callers {
				calls.Go(func() {
					for n := range each {
						c := call(fmt.Sprintf("%d-%d", i, n))
						c.Arguments = json.RawMessage(`{"connectionId":"shop","sql":"select * from users where mail = '` + secret + `' -- ` + secret + `","query":"` + secret + `"}`)
						r.Record(c)
					}
				})
			}
			calls.Wait()
			r.Close(t.Context())
			if got := r.Stats(); got.Recorded != callers*each || got.Lost != 0 || got.Failure != nil {
				t.Errorf("stats %+v", got)
			}
		})
	}
	hosts.Wait()
	all, err := open(t, path).Calls(t.Context(), store.CallFilter{})
	if err != nil || len(all) != 2*callers*each {
		t.Fatalf("%d calls, %v", len(all), err)
	}
	seen := map[string]int{}
	for _, c := range all {
		seen[c.Request]++
		if c.Connection != "shop" || c.Arguments != `{"connectionId":"shop","query":"… (23 characters)","sql":"select * from users where mail = ?"}` {
			t.Fatalf("%+v", c)
		}
	}
	for name, n := range seen {
		if n != 2 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err != nil || bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s holds the secret, %v", f, err)
		}
	}
}

// The trail stays within its bounds on a real store.
func TestRetention(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	r := newRig(func(c *Config) { c.Store = func(context.Context) (Store, error) { return s, nil } })
	r.settings.Rows, r.settings.Keep = 50, time.Hour
	old := call("old")
	old.Started = time.Now().Add(-2 * time.Hour)
	r.Record(old)
	for i := range 120 {
		r.Record(call(fmt.Sprint(i)))
	}
	r.Close(t.Context())
	all, err := s.Calls(t.Context(), store.CallFilter{})
	if err != nil || len(all) != 50 || all[0].Request != "70" || all[49].Request != "119" {
		t.Errorf("%d calls, %v", len(all), err)
	}
}

// Recording takes no more memory than the arguments' own copy needs.
func TestRecordIsCheap(t *testing.T) {
	r := newRig(nil)
	r.settings.Off = true
	c := call("x")
	if got := testing.AllocsPerRun(1000, func() { r.Record(c) }); got > 5 {
		t.Errorf("%v allocations", got)
	}
	r.Close(t.Context())
}
