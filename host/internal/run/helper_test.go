package run

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// helperVariable makes the test binary another process of the same project, which begins a scan, prints its id, and
// works until it is canceled.
const helperVariable = "LOAM_RUN_TEST_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVariable); dir != "" {
		os.Exit(helper(dir))
	}
	os.Exit(m.Run())
}

func helper(dir string) int {
	e := newEngine(dir)
	r, err := e.Begin(context.Background(), scanOf("shop"), untilCanceled)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println(r.ID)
	e.work.Wait()
	return 0
}

func newEngine(dir string) *Engine {
	return New(Config{
		State: dir, Store: store.NewLazy(filepath.Join(dir, "state.db")), Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }, pace: 5 * time.Millisecond,
	})
}

func scanOf(target string) Work {
	return Work{Kind: Scan, Target: target, Actor: change.Actor{Channel: change.MCP, Client: "agent"}, Principal: "ana", Cause: "scan_trigger", Input: map[string]string{"mode": "structural"}}
}

func untilCanceled(ctx context.Context, report func(sdk.Progress)) (any, error) {
	report(sdk.Progress{Phase: "tables", Done: 3, Total: 9})
	<-ctx.Done()
	return nil, ctx.Err()
}

// project is an engine on a folder of its own, closed with the test.
func project(t *testing.T) (*Engine, string) {
	t.Helper()
	dir := t.TempDir()
	return engineOn(t, dir), dir
}

func engineOn(t *testing.T, dir string) *Engine {
	t.Helper()
	e := newEngine(dir)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Store.(*store.Lazy).Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// other starts the helper on a folder, and returns the id of its run.
func other(t *testing.T, dir string) (cmd *exec.Cmd, id string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stderr = append(os.Environ(), helperVariable+"="+dir), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() || strings.HasPrefix(lines.Text(), "error") {
		t.Fatalf("the other process said %q", lines.Text())
	}
	return cmd, lines.Text()
}

func must(t *testing.T) func(Run, error) Run {
	return func(r Run, err error) Run {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func wantKind(t *testing.T, err error, kind sdk.Kind, says string) {
	t.Helper()
	e := sdk.AsError(err, sdk.SourceHost)
	if e == nil || e.Kind != kind || !strings.Contains(e.Msg+" "+e.Hint, says) || e.Hint == "" {
		t.Errorf("error %+v, want %s with %q", e, kind, says)
	}
}
