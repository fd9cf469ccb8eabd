//go:build !windows

package indexer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

const killAt, killDir = "INDEXER_TEST_KILL_AT", "INDEXER_TEST_KILL_DIR"

// TestMain is the program that TestKilled kills when it is told where.
func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv(killAt)); err == nil {
		os.Exit(refreshUntil(at, os.Getenv(killDir)))
	}
	goleak.VerifyTestMain(m)
}

// refreshUntil makes the index and dies, as by kill -9, at a step of it.
func refreshUntil(at int, dir string) int {
	p := &project{dir: dir}
	p.configure("shop", "crm")
	h, err := p.open()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	steps := 0
	h.step = func(string) {
		if steps++; steps == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if err := h.Refresh(context.Background(), nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A host that is killed at any step leaves nothing wrong: the next one makes
// what is missing, no more, and removes what is left over.
func TestKilled(t *testing.T) {
	t.Parallel()
	steps := map[int]int{} // by how many segments were there
	for at := 1; ; at++ {
		p := newProject(t, "shop", "crm")
		p.scan("shop", map[string][]string{"orders": {"Berlin"}}, table("s.orders", "city"), table("s.users", "id"))
		p.scan("crm", nil, table("c.leads", "id"), table("c.deals", "id"), table("c.calls", "id"))
		p.page("global/churn", "# Churn")
		p.source("crm", "deals", deals)
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), killAt+"="+strconv.Itoa(at), killDir+"="+p.dir)
		out, err := cmd.CombinedOutput()
		there := len(p.segments())
		steps[there]++
		h := p.host()
		h.finds("churn", "churn")
		h.finds("leads", "c.leads")
		h.finds("berlin", "=s.orders")
		h.finds("win rate", "deals.win_rate", "deals")
		if n := h.wrote(); n != 4-there {
			t.Errorf("killed at step %d with %d segments there: %d were made", at, there, n)
		}
		p.page("global/churn", "# Attrition")
		h.finds("attrition", "churn")
		entries, failed := os.ReadDir(p.index())
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				t.Errorf("killed at step %d: %s is left over", at, e.Name())
			}
		}
		if failed != nil || len(entries) != 3+5 {
			t.Errorf("killed at step %d: the folder has %v, %v", at, entries, failed)
		}
		if err == nil {
			break
		}
		if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: %v\n%s", at, err, out)
		}
	}
	t.Logf("steps by how many segments were there: %v", steps)
	for there, least := range []int{2, 3, 3, 4, 1} {
		if steps[there] < least {
			t.Errorf("killed at %d steps with %d segments: the steps are not those of a build", steps[there], there)
		}
	}
}
