package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// connected tests that the same command leads to one connection with its scan, whatever an
// earlier one left in the folder.
func connected(t *testing.T, dir, after string) {
	t.Helper()
	if r := loam(t, dir, "connect", "shop.db", "--no-agents"); r.code != 0 || !strings.Contains(r.stderr, "shop: 12 tables") {
		t.Errorf("after %s: exit %d\n%s", after, r.code, r.stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "loam.yaml"))
	if err != nil || strings.Count(string(text), "connector: sqlite") != 1 {
		t.Errorf("after %s: %v\n%s", after, err, text)
	}
}

// A disk that is full or read-only fails the command with a sentence, and the same command
// goes on with what is there when there is room.
func TestConnectOnAFullDisk(t *testing.T) {
	heavy(t, "loam connect on a disk that is full at several points")
	t.Parallel()
	base := t.TempDir()
	copyFile(t, filepath.Join(demoProject(t), "data", "shop.db"), filepath.Join(base, "shop.db"))
	d := newDisk(t, base)
	failed := 0
	for _, left := range []int64{0, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 512 << 10} {
		d.reset()
		d.fill(left)
		if r := loam(t, d.dir, "connect", "shop.db", "--no-agents"); r.code != 0 {
			failed++
			if !strings.Contains(r.stderr, "space") && !strings.Contains(r.stderr, "full") {
				t.Errorf("with %d bytes: exit %d\n%s", left, r.code, r.stderr)
			}
		}
		d.free()
		connected(t, d.dir, "a full disk")
	}
	if failed == 0 {
		t.Error("no disk was too small")
	}
	d.reset()
	d.readOnly(true)
	r := loam(t, d.dir, "connect", "shop.db", "--no-agents")
	d.readOnly(false)
	if entries, err := os.ReadDir(d.dir); r.code != 8 || !strings.Contains(r.stderr, "writable") || len(entries) != 1 {
		t.Errorf("on a read-only disk: exit %d, %v, %v\n%s", r.code, entries, err, r.stderr)
	}
}

// A command that is killed or interrupted at any moment leaves what the same command
// completes.
func TestConnectKilled(t *testing.T) {
	heavy(t, "loam connect killed at several moments")
	t.Parallel()
	demo := demoProject(t)
	for _, after := range []time.Duration{5, 60, 120, 250, 400, 800} {
		for _, signal := range []os.Signal{os.Kill, os.Interrupt} {
			dir := t.TempDir()
			copyFile(t, filepath.Join(demo, "data", "shop.db"), filepath.Join(dir, "shop.db"))
			cmd := exec.Command(filepath.Join(bin, "loam"), "connect", "shop.db", "--no-agents")
			cmd.Dir = dir
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(after*time.Millisecond, func() { _ = cmd.Process.Signal(signal) })
			_ = cmd.Wait() // it may have ended before
			timer.Stop()
			connected(t, dir, signal.String())
		}
	}
}
