package offspring

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// A process that runs one program after the other has an empty environment in between:
// none of these moments may hide it.
func TestBetweenTwoPrograms(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(script, []byte("exec sh \"$0\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mark := NewMark()
	restless := exec.Command("sh", script) // no program of its own: a child of another test may have it open for writing
	restless.Env = append(os.Environ(), Env+"="+mark)
	if err := restless.Start(); err != nil {
		t.Fatal(err)
	}
	var buffer []byte
	for range 5000 {
		if is, known := marked(strconv.Itoa(restless.Process.Pid), []byte(Env+"="+mark), &buffer); !is && known {
			t.Error("a process that runs was not found")
			break
		}
	}
	if err := End(mark); err != nil {
		t.Error(err)
	}
	_ = restless.Wait() // it was killed
}

func TestStat(t *testing.T) {
	t.Parallel()
	line := func(state, flags, start, end string) []byte {
		return []byte("7 (a) Z 0 0 (x) " + state + " 1 7 7 0 -1 " + flags + strings.Repeat(" 0", 40) + " " + start + " " + end + " 0\n")
	}
	for _, tt := range []struct {
		what           string
		stat           []byte
		finished, bare bool
	}{
		{"between two programs", line("R", "4194304", "0", "0"), false, false},
		{"with an environment by now", line("S", "4194304", "140000", "140100"), false, false},
		{"without an environment, or while it is written", line("S", "4194304", "140000", "140000"), false, true},
		{"ended", line("Z", "4227084", "0", "0"), true, false},
		{"of the kernel", line("I", "69238880", "0", "0"), true, false},
		{"gone", nil, true, false},
	} {
		if got := finished(tt.stat); got != tt.finished {
			t.Errorf("%s: finished is %t", tt.what, got)
		}
		if got := bare(tt.stat); got != tt.bare {
			t.Errorf("%s: bare is %t", tt.what, got)
		}
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
	for range 50 {
		// Its environment says nothing: it is empty also while setsid becomes sleep.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || finished(stat) {
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
