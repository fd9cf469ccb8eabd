//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	d, s := begin(t, "well")
	phase, looked, err := d.Status(t.Context())
	if err != nil || phase != Running {
		t.Fatalf("%s, %v", phase, err)
	}
	if diff := cmp.Diff(s, looked); diff != "" {
		t.Errorf("started and looked at (-started +looked):\n%s", diff)
	}
	if sid, err := sessionOf(s.PID); err != nil || sid != s.PID {
		t.Errorf("its session is %d, %v; want its own, %d", sid, err, s.PID)
	}
	if _, err := d.Start(t.Context(), launchOf(t, d, "well")); !isAlready(err, s.PID) || sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("started twice: %v", err)
	}
	for token, want := range map[string]bool{"right": true, "wrong": false, "": false} {
		if got, err := s.Accepts(t.Context(), "/closed", token); err != nil || got != want {
			t.Errorf("token %q: %v, %v", token, got, err)
		}
	}
	ending, err := d.Stop(t.Context(), patience)
	if err != nil || ending.Phase != Running || ending.Killed {
		t.Errorf("stopped: %+v, %v", ending, err)
	}
	if phase := phaseOf(t, d); phase != Stopped {
		t.Errorf("afterwards it is %s", phase)
	}
	if ending, err := d.Stop(t.Context(), 0); err != nil || ending.Phase != Stopped {
		t.Errorf("stopped again: %+v, %v", ending, err)
	}
	if _, err := s.Accepts(t.Context(), "/closed", "right"); err == nil {
		t.Error("a token was sent to a process that is gone")
	}
}

func sessionOf(pid int) (int, error) {
	out, err := exec.Command("ps", "-o", "sid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

func isAlready(err error, pid int) bool {
	already, ok := errors.AsType[*AlreadyError](err)
	return ok && already.State.PID == pid
}

// Of several that start it at once, one does, and the others are told of it.
func TestStartsRace(t *testing.T) {
	t.Parallel()
	d := New(t.TempDir())
	const many = 6
	var starts sync.WaitGroup
	states, errs := make([]*State, many), make([]error, many)
	for i := range many {
		starts.Go(func() { states[i], errs[i] = d.Start(t.Context(), launchOf(t, d, "well")) })
	}
	starts.Wait()
	_, running, err := d.Status(t.Context())
	if err != nil || running == nil {
		t.Fatalf("nothing runs: %v", err)
	}
	defer func() {
		if _, err := d.Stop(t.Context(), patience); err != nil {
			t.Error(err)
		}
		reap(t, running.PID)
	}()
	started := 0
	for i := range many {
		switch {
		case errs[i] == nil && states[i].PID == running.PID:
			started++
		case !isAlready(errs[i], running.PID):
			t.Errorf("start %d: %v", i, errs[i])
		}
	}
	if started != 1 {
		t.Errorf("%d started it", started)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	d := New(t.TempDir())
	_, err := d.Start(t.Context(), launchOf(t, d, "breaks"))
	ended, ok := errors.AsType[*EndedError](err)
	if !ok || ended.How != "exit status 3" || !strings.HasSuffix(ended.Output, "it cannot work like this\n") {
		t.Errorf("%v: %+v", err, ended)
	}
	if _, err := d.Start(t.Context(), Launch{Program: filepath.Join(t.TempDir(), "none")}); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("no program: %v", err)
	}
	// Whoever is told to give up leaves nothing behind.
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		waitUntil(t, "the daemon has the lock", func() bool {
			text, err := os.ReadFile(d.LogPath())
			return err == nil && strings.Contains(string(text), "silent")
		})
		cancel(context.Canceled)
	}()
	if _, err := d.Start(ctx, launchOf(t, d, "silent")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if held, err := d.Acquire(t.Context()); err != nil {
		t.Errorf("the lock is not free: %v", err)
	} else if err := held.Close(); err != nil {
		t.Error(err)
	}
}

func TestKilled(t *testing.T) {
	t.Parallel()
	d, s := begin(t, "well")
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "it is stale", func() bool { return phaseOf(t, d) == Stale })
	next, err := d.Start(t.Context(), launchOf(t, d, "well"))
	if err != nil || next.PID == s.PID {
		t.Fatalf("started over a stale one: %+v, %v", next, err)
	}
	if err := syscall.Kill(next.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	reap(t, next.PID)
	if ending, err := d.Stop(t.Context(), 0); err != nil || ending.Phase != Stale || ending.State.PID != next.PID {
		t.Errorf("stopped when it was stale: %+v, %v", ending, err)
	}
	if phase := phaseOf(t, d); phase != Stopped {
		t.Errorf("afterwards it is %s", phase)
	}
}

// One that does not end is killed, and those of its connectors with it that do
// not end by themselves.
func TestStopKills(t *testing.T) {
	t.Parallel()
	d, s := begin(t, "deaf")
	stray := exec.Command("sleep", "600")
	stray.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := stray.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- stray.Wait() }()
	process, err := identify(stray.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	s.Connectors = []Connector{
		{Name: "stray", PID: stray.Process.Pid, Process: process},
		{Name: "another process by now", PID: os.Getpid(), Process: "another"},
		{Name: "none"},
	}
	put(t, d, s)
	ending, err := d.Stop(t.Context(), 50*time.Millisecond)
	if err != nil || !ending.Killed || ending.Connectors != 1 {
		t.Errorf("%+v, %v", ending, err)
	}
	if err := <-ended; err == nil || err.Error() != "signal: killed" {
		t.Errorf("the connector: %v", err)
	}
	if phase := phaseOf(t, d); phase != Stopped {
		t.Errorf("afterwards it is %s", phase)
	}
}

func put(t *testing.T, d *Daemon, s any) {
	t.Helper()
	text, err := json.Marshal(s)
	if raw, ok := s.(string); ok {
		text, err = []byte(raw), nil
	}
	if err == nil {
		err = os.WriteFile(d.statePath(), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is in the state file decides nothing about processes that it does not
// mean, whatever their ids.
func TestStateFile(t *testing.T) {
	t.Parallel()
	self, err := identify(os.Getpid())
	if err != nil || self == "" {
		t.Fatalf("this process: %q, %v", self, err)
	}
	for _, c := range []struct {
		name string
		file any
		want Phase
	}{
		{"this process", State{PID: os.Getpid(), Process: self}, Running},
		{"its id, of another program", State{PID: os.Getpid(), Process: "earlier"}, Stale},
		{"an id alone", State{PID: os.Getpid()}, Stale},
		{"the first process", State{PID: 1, Process: self}, Stale},
		{"a group", State{PID: -1, Process: self}, Stale},
		{"no such process", State{PID: 1 << 30, Process: self}, Stale},
		{"empty", "", Stale},
		{"no JSON", "{", Stale},
		{"other JSON", "[1]", Stale},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := New(t.TempDir())
			put(t, d, c.file)
			if got := phaseOf(t, d); got != c.want {
				t.Fatalf("it is %s, want %s", got, c.want)
			}
			if c.want != Stale {
				return
			}
			if ending, err := d.Stop(t.Context(), 0); err != nil || ending.Phase != Stale || ending.Killed {
				t.Errorf("%+v, %v", ending, err)
			}
			if got := phaseOf(t, d); got != Stopped {
				t.Errorf("after stop it is %s", got)
			}
		})
	}
}

// A lock that is held counts for more than a file that names nobody.
func TestHeldElsewhere(t *testing.T) {
	t.Parallel()
	d := New(t.TempDir())
	held, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put(t, d, State{PID: 1 << 30, Process: "elsewhere"})
	if got := phaseOf(t, d); got != Unknown {
		t.Errorf("it is %s", got)
	}
	if _, err := d.Stop(t.Context(), 0); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("stop: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hold: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	d := New(t.TempDir())
	held, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Publish(State{Host: "::", Port: 80}); err != nil {
		t.Fatal(err)
	}
	live := func() Live { return Live{Sessions: 2, Connectors: []Connector{{Name: "a", PID: os.Getpid()}}} }
	if err := held.Update(live()); err != nil {
		t.Fatal(err)
	}
	_, s, err := d.Status(t.Context())
	if err != nil || s.Sessions != 2 || s.Connectors[0].Process != held.process || s.Port != 80 {
		t.Fatalf("%+v, %v", s, err)
	}
	before, err := os.Stat(d.statePath())
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Update(live()); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(d.statePath()); err != nil || !os.SameFile(before, after) {
		t.Errorf("nothing changed, and the file was written again: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if got := phaseOf(t, d); got != Stopped {
		t.Errorf("afterwards it is %s", got)
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"127.0.0.1": "http://127.0.0.1:7/mcp", "0.0.0.0": "http://127.0.0.1:7/mcp", "::": "http://[::1]:7/mcp",
		"::1": "http://[::1]:7/mcp", "10.1.2.3": "http://10.1.2.3:7/mcp", "localhost": "http://localhost:7/mcp",
	} {
		if got := (&State{Host: host, Port: 7}).URL("/mcp"); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}
