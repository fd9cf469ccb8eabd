package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// children returns the live child processes of pid whose program is a connector.
func connectors(t testing.TB, pid int) []int {
	t.Helper()
	var found []int
	for _, child := range processes(t) {
		if child.parent == pid && strings.HasPrefix(child.name, "loam-connector") {
			found = append(found, child.pid)
		}
	}
	return found
}

type process struct {
	pid, parent int
	state, name string
}

func processes(t testing.TB) []process {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var all []process
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		open, shut := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
		fields := strings.Fields(string(text[shut+1:]))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text[:open])))
		parent, _ := strconv.Atoi(fields[1])
		p := process{pid: pid, parent: parent, state: fields[0], name: programOf(pid)}
		if p.state != "Z" {
			all = append(all, p)
		}
	}
	return all
}

// programOf names the program by its first argument: a connector may be
// started through a file descriptor, which hides its name from comm and exe.
func programOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	first, _, _ := bytes.Cut(text, []byte{0})
	return filepath.Base(string(first))
}

func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(text, []byte(") Z "))
}

// resident returns a figure of /proc/pid/status in KiB, "VmRSS" or "VmHWM".
func resident(t testing.TB, pid int, key string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib
		}
	}
	t.Fatalf("no %s in /proc/%d/status", key, pid)
	return 0
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
