package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A check that is watched runs again when a file changes, appears or is removed, and ends
// with its context.
func TestWatchRunsAgain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	there, later := filepath.Join(dir, "there"), filepath.Join(dir, "later")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	write(there, "1")
	runs := make(chan int)
	go func() {
		defer close(runs)
		n := 0
		watch(ctx, func() []string { return []string{there, later} }, func() {
			n++
			runs <- n
		})
	}()
	changes := []func(){func() { write(there, "12") }, func() { write(later, "1") }, func() { _ = os.Remove(there) }, cancel}
	n := 0
	for got := range runs {
		if n++; got != n || n > len(changes) {
			t.Fatalf("run %d is called the %dth", n, got)
		}
		changes[n-1]()
	}
	if n != len(changes) {
		t.Errorf("%d runs, want %d", n, len(changes))
	}
}
