package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// logging returns a daemon whose log is rotated at so many bytes, and the log.
func logging(t *testing.T, size int64) (*Daemon, *Log) {
	t.Helper()
	d := New(t.TempDir())
	d.logSize = size
	l, err := d.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, l
}

func tailOf(t *testing.T, d *Daemon, n int) []string {
	t.Helper()
	var lines []string
	if err := d.Tail(t.Context(), n, false, func(s string) error { lines = append(lines, s); return nil }); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLogIsPutAside(t *testing.T) {
	t.Parallel()
	d, l := logging(t, 40)
	var all []string
	for i := range 40 {
		all = append(all, fmt.Sprintf("line %02d", i)) // five fit
		fmt.Fprintln(l, all[i])
	}
	names, err := filepath.Glob(d.LogPath() + "*")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{d.LogPath(), d.LogPath() + ".1", d.LogPath() + ".2", d.LogPath() + ".3"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for n, want := range map[int][]string{0: nil, 3: all[37:], 12: all[28:], 1000: all[20:]} {
		if diff := cmp.Diff(want, tailOf(t, d, n)); diff != "" {
			t.Errorf("the last %d lines (-want +got):\n%s", n, diff)
		}
	}
	fmt.Fprint(l, "no end")
	if got := tailOf(t, d, 1); !slices.Equal(got, []string{"no end"}) {
		t.Errorf("a line without an end: %q", got)
	}

	t.Log("a large log is rotated when it is opened")
	again, err := d.OpenLog()
	if err != nil || again.size != 6 {
		t.Fatalf("%d, %v", again.size, err)
	}
	fmt.Fprintln(again, strings.Repeat("x", 100))
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	last, err := d.OpenLog()
	if err != nil || last.size != 0 {
		t.Errorf("%d bytes, %v", last.size, err)
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
}

// A log that cannot be rotated goes on, and says why.
func TestLogCannotBePutAside(t *testing.T) {
	t.Parallel()
	d, l := logging(t, 20)
	if err := errors.Join(os.MkdirAll(filepath.Join(d.LogPath()+".3", "in the way"), 0o700), os.WriteFile(d.LogPath()+".2", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		fmt.Fprintln(l, "ten bytes")
	}
	got := tailOf(t, d, 7) // it was tried twice
	if len(got) != 7 || strings.Count(strings.Join(got, "\n"), "ten bytes") != 5 || !strings.Contains(got[2], "could not be rotated") {
		t.Errorf("%q", got)
	}
}

func TestNoLog(t *testing.T) {
	t.Parallel()
	err := New(t.TempDir()).Tail(t.Context(), 1, false, func(string) error { return nil })
	if sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("%v", err)
	}
}

// follower follows a log that need not be there yet.
type follower struct {
	mu    sync.Mutex
	lines []string
	done  chan error
}

func follow(t *testing.T, ctx context.Context, d *Daemon, n int) *follower {
	t.Helper()
	f := &follower{done: make(chan error, 1)}
	go func() {
		f.done <- d.Tail(ctx, n, true, func(s string) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.lines = append(f.lines, s)
			return nil
		})
	}()
	return f
}

func (f *follower) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.lines)
}

// Every line is seen once and in order, however often the log is rotated, and
// in whatever pieces it is written.
func TestFollow(t *testing.T) {
	t.Parallel()
	d := New(t.TempDir())
	d.logSize = 4 << 10
	ctx, cancel := context.WithCancel(t.Context())
	f := follow(t, ctx, d, 10)
	l, err := d.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"first"}
	fmt.Fprintln(l, want[0])
	waitUntil(t, "the first line", func() bool { return len(f.seen()) == 1 })
	for i := range 2000 {
		line := fmt.Sprintf("line %d %s", i, strings.Repeat("x", i%50))
		want = append(want, line)
		half := len(line) / 2
		if i%7 == 0 {
			half = 0
		}
		fmt.Fprint(l, line[:half])
		fmt.Fprintln(l.file, line[half:]) // the log is rotated between lines
		// It may be rotated twice before the follower must have kept up.
		if i%100 == 0 {
			waitUntil(t, "the follower keeps up", func() bool { return len(f.seen()) > i })
		}
	}
	waitUntil(t, "the last line is seen", func() bool { seen := f.seen(); return len(seen) > 0 && seen[len(seen)-1] == want[len(want)-1] })
	cancel()
	if err := <-f.done; err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(f.seen(), "\n")); diff != "" {
		t.Errorf("lines (-written +seen):\n%s", diff)
	}
}

// A person who empties the log, or removes all of it, is followed too.
func TestFollowAfterInterference(t *testing.T) {
	t.Parallel()
	d, l := logging(t, 1<<20)
	fmt.Fprintln(l, "first, which is long")
	ctx, cancel := context.WithCancel(t.Context())
	f := follow(t, ctx, d, 10)
	waitUntil(t, "the first line", func() bool { return len(f.seen()) == 1 })
	if err := os.Truncate(d.LogPath(), 0); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(l, "second")
	waitUntil(t, "the second line", func() bool { return len(f.seen()) == 2 })
	if err := os.Remove(d.LogPath()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.LogPath(), []byte("third\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the third line", func() bool { return len(f.seen()) == 4 })
	cancel()
	if err := <-f.done; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"first, which is long", "second", lost, "third"}, f.seen()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// What the reader of the lines says ends the reading.
func TestTailIsRefused(t *testing.T) {
	t.Parallel()
	d, l := logging(t, 1<<20)
	fmt.Fprintln(l, "a")
	stop := errors.New("enough")
	if err := d.Tail(t.Context(), 10, true, func(string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}
