// Package e2e tests Loam as a black box: the real binaries, real servers, and
// an MCP client that this project did not write. It imports nothing of the host.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// bin is the folder with the binaries under test, work one that ends with the process.
var bin, work string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	// Tests write loam.yaml by hand where a person would use the commands; the tests
	// of trust take the variable out again.
	if err := os.Setenv("LOAM_TRUST", "1"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Unsetenv("GOGC"); err != nil { // that of the tests: the programs have a rule of their own
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var err error
	if work, err = os.MkdirTemp("", "loam-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(work)
	if bin = os.Getenv("LOAM_BIN"); bin != "" { // the Makefile has just built them
		return m.Run()
	}
	bin = filepath.Join(work, "bin")
	build := exec.Command("make", "--no-print-directory", "-s", "build", "BIN="+bin)
	build.Dir = ".."
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the binaries:", err)
		return 1
	}
	return m.Run()
}

// TestScripts runs what a person types, one file per story; README.txtar is the
// README's quick start.
func TestScripts(t *testing.T) {
	t.Parallel()
	var only []string
	if testing.Short() {
		t.Log("-short: the stories of testdata/script but the quick start")
		only = append(only, filepath.Join("testdata", "script", "quickstart.txtar"))
	}
	scripts(t, "testdata/script", func(*testscript.Env) {}, only...)
}

// scripts runs the stories of a folder, or only the named ones.
func scripts(t *testing.T, folder string, setup func(*testscript.Env), only ...string) {
	t.Helper()
	if len(only) > 0 {
		folder = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		Files:               only,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("BIN", bin)
			env.Setenv("LOAM_TRUST", "1")
			setup(env)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   cmdExits,
			"nowhere": cmdNowhere,
			"sample":  cmdSample,
		},
	})
}

// cmdExits runs "exits CODE loam ARGS…" and tests the exit code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// cmdSample runs "sample DIR", which leaves in a folder what loam demo does: it is made once for all stories.
func cmdSample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sample DIR")
	}
	source, err := sample()
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(source)))
}

// heavy leaves a test to make ci.
func heavy(t *testing.T, what string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: " + what)
	}
}

// result is one finished run of the command line.
type result struct {
	code           int
	stdout, stderr string
}

// loam runs the command line in dir.
func loam(t testing.TB, dir string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "loam"), args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	r := result{stdout: stdout.String(), stderr: stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("loam %v: %v", args, err)
	}
	return r
}

// project writes a loam.yaml into a new folder.
func project(t testing.TB, yaml string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), []byte(yaml), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

var sample = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(work, "demo")
	out, err := exec.Command(filepath.Join(bin, "loam"), "demo", dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("loam demo: %w\n%s", err, out)
	}
	return dir, nil
})

// demoProject copies the sample project, which is built once.
func demoProject(t testing.TB) string {
	t.Helper()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"loam.yaml", "data/shop.db", "data/crm.db"} {
		copyFile(t, filepath.Join(source, name), filepath.Join(dir, name))
	}
	return dir
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
