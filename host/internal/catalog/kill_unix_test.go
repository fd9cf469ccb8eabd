//go:build !windows

package catalog

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

const killAt, killDir = "CATALOG_TEST_KILL_AT", "CATALOG_TEST_KILL_DIR"

// TestMain is the program that TestKilled kills when it is told where.
func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv(killAt)); err == nil {
		os.Exit(scanUntil(at, os.Getenv(killDir)))
	}
	os.Exit(m.Run())
}

// scanUntil makes the snapshot "new" and dies, as by kill -9, at a step of it.
func scanUntil(at int, dir string) int {
	c := Open(dir, "wh")
	steps := 0
	c.step = func(string) {
		if steps++; steps == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if err := scanNew(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func scanNew(c *Catalog) error {
	w, err := c.Begin(context.Background(), false)
	if err != nil {
		return err
	}
	for i := range 20 {
		if err := w.Table(table(fmt.Sprintf("new.t%02d", i), "id")); err != nil {
			return err
		}
		c.step("table")
	}
	_, err = w.Commit(context.Background(), Identity{SyncID: "new"})
	return err
}

// A process that is killed at any step of a scan leaves the snapshot before or
// the new one, whole, and the next scan works.
func TestKilled(t *testing.T) {
	t.Parallel()
	before, after := 0, 0
	for at := 1; ; at++ {
		dir := t.TempDir()
		c := Open(dir, "wh")
		w := begin(t, c, false)
		add(t, w, table("old.t", "id"))
		commit(t, w, "old")

		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), killAt+"="+strconv.Itoa(at), killDir+"="+dir)
		out, err := cmd.CombinedOutput()
		m, failed := Open(dir, "wh").Latest()
		if failed != nil {
			t.Fatalf("killed at step %d: %v", at, failed)
		}
		switch m.SyncID {
		case "old":
			before++
			if after > 0 || m.Len() != 1 {
				t.Errorf("killed at step %d: the old snapshot, with %d tables, after the new one was there", at, m.Len())
			}
		case "new":
			after++
			if m.Len() != 20 {
				t.Errorf("killed at step %d: the new snapshot has %d tables", at, m.Len())
			}
		}
		for i := range m.Len() {
			if _, err := m.At(i); err != nil {
				t.Errorf("killed at step %d: %v", at, err)
			}
		}
		w = begin(t, c, false)
		add(t, w, table("next.t", "id"))
		commit(t, w, "next")
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 2+Kept || latest(t, c).SyncID != "next" {
			t.Errorf("killed at step %d: the next scan leaves %v, %v", at, entries, err)
		}
		if err == nil {
			break
		}
		if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: %v\n%s", at, err, out)
		}
	}
	t.Logf("killed at %d steps before the new snapshot was there and %d after", before, after-1)
	if before < 24 || after < 2 {
		t.Errorf("%d steps before and %d after: the steps are not those of a commit", before, after)
	}
}
