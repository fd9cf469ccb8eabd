package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bin is the folder with the programs under test, work one that ends with the process.
var bin, work string

func TestMain(m *testing.M) {
	code := run(m)
	closeBrowser()
	_ = os.RemoveAll(work)
	os.Exit(code)
}

func run(m *testing.M) int {
	if err := os.Setenv("LOAM_TRUST", "1"); err != nil { // the tests write loam.yaml by hand
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Unsetenv("GOGC"); err != nil { // that of the tests
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var err error
	if work, err = os.MkdirTemp("", "loam-console-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if bin = os.Getenv("LOAM_BIN"); bin == "" {
		bin = filepath.Join(work, "bin")
		if err := build(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// build makes the programs in the workspace, which these tests are not in.
func build() error {
	for _, target := range []string{"connector-sqlite", bin + "/loam"} {
		cmd := exec.Command("make", "--no-print-directory", "-s", target, "BIN="+bin)
		cmd.Dir = filepath.Join("..", "..")
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "GOWORK=") && !strings.HasPrefix(v, "GOFLAGS=") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build the programs: %w\n%s", err, out)
		}
	}
	return nil
}

// result is one finished run of the command line.
type result struct {
	code           int
	stdout, stderr string
}

// command runs loam in a folder.
func command(ctx context.Context, dir string, args ...string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "loam"), args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	r := result{stdout: stdout.String(), stderr: stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code, err = exit.ExitCode(), nil
	}
	return r, err
}

// loam runs a command that has to succeed and returns its output.
func loam(t testing.TB, dir string, args ...string) string {
	t.Helper()
	r, err := command(context.WithoutCancel(t.Context()), dir, args...)
	if err != nil || r.code != 0 {
		t.Fatalf("loam %s: exit %d: %v\n%s%s", strings.Join(args, " "), r.code, err, r.stdout, r.stderr)
	}
	return r.stdout
}

// eventually polls a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
