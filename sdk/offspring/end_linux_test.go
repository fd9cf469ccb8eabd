package offspring

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestEnd starts a process that leaves its parent's session and outlives it.
func TestEnd(t *testing.T) {
	t.Parallel()
	ours, other := NewMark(), NewMark()
	if ours == other {
		t.Fatal("two marks are equal")
	}
	pids := map[string]int{ours: daemonize(t, ours), other: daemonize(t, other)}
	if err := End(ours); err != nil {
		t.Fatal(err)
	}
	if !ended(pids[ours]) {
		t.Errorf("process %d lives on", pids[ours])
	}
	if ended(pids[other]) {
		t.Errorf("process %d of another run was killed", pids[other])
	}
	if err := End(other); err != nil {
		t.Fatal(err)
	}
}

// daemonize starts a process in a session of its own whose parent ends.
func daemonize(t *testing.T, mark string) (pid int) {
	t.Helper()
	shell := exec.Command("sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!")
	shell.Env = append(os.Environ(), Env+"="+mark)
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(bufio.NewReader(out), &pid); err != nil {
		t.Fatal(err)
	}
	if err := shell.Wait(); err != nil {
		t.Fatal(err)
	}
	return pid
}

// ended reports whether a process has ended, within a moment.
func ended(pid int) bool {
	path := fmt.Sprintf("/proc/%d/environ", pid)
	for range 50 {
		if text, err := os.ReadFile(path); err != nil || len(text) == 0 { // a zombie's is empty
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func BenchmarkEnd(b *testing.B) {
	mark := NewMark()
	for b.Loop() {
		if err := End(mark); err != nil {
			b.Fatal(err)
		}
	}
}
