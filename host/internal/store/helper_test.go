package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// helperVariable makes the test binary another process on the same store.
const helperVariable = "LOAM_STORE_TEST_HELPER"

func TestMain(m *testing.M) {
	if path := os.Getenv(helperVariable); path != "" {
		os.Exit(helper(path, os.Args[len(os.Args)-1]))
	}
	os.Exit(m.Run())
}

// helper opens the store, writes states named prefix-0, prefix-1, … and prints
// each name once its write was acknowledged, until it is killed or, for the
// prefix "once", after 25.
func helper(path, prefix string) int {
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	for i := 0; !strings.HasPrefix(prefix, "once") || i < 25; i++ {
		name := fmt.Sprintf("%s-%d", prefix, i)
		if err := s.PutOpened(ctx, name, "f", sdk.ServerInfo{Product: name}, time.Now()); err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println(name)
	}
	if err := s.Close(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// process is a running helper; lines has what it acknowledged.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func start(t *testing.T, path, prefix string) process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, prefix)
	cmd.Env = append(os.Environ(), helperVariable+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return process{cmd, bufio.NewScanner(out)}
}

// rest returns what the helper printed until its output ended.
func (p process) rest(t *testing.T) []string {
	t.Helper()
	var names []string
	for p.lines.Scan() {
		if strings.HasPrefix(p.lines.Text(), "error:") {
			t.Error(p.lines.Text())
			continue
		}
		names = append(names, p.lines.Text())
	}
	return names
}

func statePath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), ".loam", "state.db")
}

func mustOpen(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func wantStates(t *testing.T, s *Store, names []string) {
	t.Helper()
	for _, name := range names {
		state, err := s.ConnectionState(t.Context(), name, "f")
		if err != nil || state.Server.Product != name {
			t.Errorf("acknowledged state %s is %+v, %v", name, state, err)
		}
	}
}

func wantWhole(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
