package folder

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

const moment = 200 * time.Millisecond

// resting is a folder of n files with a clock.
func resting(t *testing.T, n int) (f *Folder[string], dir string, clock *time.Time) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		put(t, dir, fmt.Sprintf("a/%05d.txt", i), "one")
	}
	now := time.Now().Add(time.Hour)
	clock = &now
	f = New(Config[string]{
		Dir: dir, Of: "box", Within: []string{"a"}, MaxBytes: 100, MaxDepth: 3,
		Takes: func(base string) bool { return strings.HasSuffix(base, ".txt") },
		Parse: func(_ string, content []byte, _ time.Time) (string, *sdk.Error) { return string(content), nil },
		Rest:  moment,
		Now:   func() time.Time { return *clock },
	})
	return f, dir, clock
}

// Many files are looked at five times a second: a change is seen a moment later, and at
// once when this process made it. Few are looked at each time.
func TestRests(t *testing.T) {
	for _, n := range []int{many, many + 1} {
		f, dir, clock := resting(t, n)
		first, _ := listed(t, f)
		path := filepath.Join(dir, "a/00007.txt")
		says := func(when, want string) {
			t.Helper()
			if _, all := listed(t, f); all["a/00007.txt"] != want {
				t.Errorf("%d files, %s: %q, want %q", n, when, all["a/00007.txt"], want)
			}
		}
		put(t, dir, "a/00007.txt", "two")
		if n > many {
			says("in the same moment", "one")
			*clock = clock.Add(moment - 1)
			says("at the end of it", "one")
			*clock = clock.Add(1)
		}
		says("after it", "two")
		if err := file.Replace(path, []byte("three"), 0o644); err != nil {
			t.Fatal(err)
		}
		says("written by this process", "three")
		put(t, dir, "a/00007.txt", "four")
		*clock = clock.Add(-time.Minute)
		says("on a clock that went back", "four")
		if now, _ := listed(t, f); now == first {
			t.Error("the listing is the first one")
		}
	}
}

// An unchanged folder is looked at once in a moment, however many calls there are, and what a call costs within it does
// not grow with the files. A small folder is looked at by each call.
func TestUnchangedCostsNothing(t *testing.T) {
	const calls = 20
	var allocated []float64
	for _, tc := range []struct{ files, within, after int }{
		{many, calls * many, calls * many},
		{300, 0, 300},
		{3000, 0, 3000},
	} {
		f, _, clock := resting(t, tc.files)
		var looks atomic.Int64
		f.Takes = func(string) bool { looks.Add(1); return true } // asked once for each stat of a file
		listed(t, f)
		again := func() int {
			looks.Store(0)
			for range calls {
				glance(t, f)
			}
			return int(looks.Load())
		}
		within := again()
		allocated = append(allocated, testing.AllocsPerRun(calls, func() { glance(t, f) }))
		*clock = clock.Add(moment)
		if after := again(); within != tc.within || after != tc.after {
			t.Errorf("%d files: %d calls looked at %d within a moment and at %d after it, want %d and %d", tc.files, calls, within, after, tc.within, tc.after)
		}
	}
	if allocated[1] > 20 || allocated[2] > allocated[1]+1 {
		t.Errorf("allocations of a call with 256, 300 and 3,000 files: %v", allocated)
	}
}

func glance(t *testing.T, f *Folder[string]) {
	if _, err := f.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
}
