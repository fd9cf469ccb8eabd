package store

import (
	"fmt"
	"testing"
	"time"
)

func TestProcessesShareAFolder(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	helpers := make([]process, 3)
	for i := range helpers {
		helpers[i] = start(t, path, fmt.Sprintf("once%d", i)) // they make the file together
	}
	for i, p := range helpers {
		names := p.rest(t)
		if err := p.cmd.Wait(); err != nil || len(names) != 25 {
			t.Errorf("process %d wrote %d states: %v", i, len(names), err)
		}
		wantStates(t, mustOpen(t, path), names)
	}
	wantWhole(t, mustOpen(t, path))
}

func TestKillLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	for round := range 5 {
		p := start(t, path, fmt.Sprintf("round%d", round))
		var names []string
		for len(names) < 20 && p.lines.Scan() {
			names = append(names, p.lines.Text())
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		names = append(names, p.rest(t)...)
		if err := p.cmd.Wait(); err == nil {
			t.Fatal("the killed process ended well")
		}
		s := mustOpen(t, path)
		wantStates(t, s, names)
		wantWhole(t, s)
	}
}

// A kill at any moment of making the store leaves a file that opens.
func TestKillWhileTheStoreIsMade(t *testing.T) {
	t.Parallel()
	for round := range 20 {
		path := statePath(t)
		p := start(t, path, "made")
		timer := time.AfterFunc(time.Duration(round)*2*time.Millisecond, func() { _ = p.cmd.Process.Kill() })
		names := p.rest(t)
		timer.Stop()
		if err := p.cmd.Wait(); err == nil {
			t.Fatal("the killed process ended well")
		}
		s := mustOpen(t, path)
		wantStates(t, s, names)
		wantWhole(t, s)
	}
}
