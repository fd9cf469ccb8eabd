package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// lastOf10 is the last commit whose programs speak contract 1.0. Building them from
// there keeps the real programs of that minor without binaries or a second copy of the
// sdk in the repository; both would be larger than all tests together.
const lastOf10 = "dfe9788960d4b52c70fe105c9bd0a0fcbcaa6267"

// Frozen returns a connector of contract 1.0, with its manifest, as FrozenProgram does.
func Frozen(t testing.TB, folder string) string {
	t.Helper()
	path := FrozenProgram(t, folder)
	Describe(t, path)
	return path
}

// Describe writes a connector's manifest beside its program.
func Describe(t testing.TB, path string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), path, "manifest", "--output", path+".json").CombinedOutput(); err != nil {
		t.Fatalf("manifest: %v\n%s", err, out)
	}
}

// FrozenProgram returns a program of contract 1.0, built from the history of the
// repository. folder is where its main package was. The test is skipped without that
// history.
func FrozenProgram(t testing.TB, folder string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: programs of contract 1.0, built from the history")
	}
	run := func(dir string, env []string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		return cmd.CombinedOutput()
	}
	top, err := run("", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skipf("no history to build programs of contract 1.0 from: %v", err)
	}
	root, dir := string(top[:len(top)-1]), t.TempDir()
	if out, err := run(root, nil, "git", "cat-file", "-e", lastOf10+"^{commit}"); err != nil {
		t.Skipf("this clone lacks the commit to build programs of contract 1.0 from: %v %s", err, out)
	}
	sources := filepath.Join(dir, "sources.tar")
	for _, args := range [][]string{{"git", "archive", "-o", sources, lastOf10}, {"tar", "-x", "-f", sources, "-C", dir}} {
		if out, err := run(root, nil, args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	path := filepath.Join(dir, filepath.Base(folder))
	workspace := filepath.Join(dir, "go.work")
	if _, err := os.Stat(filepath.Join(dir, folder, "go.mod")); err == nil {
		workspace = "off" // a module of its own
	}
	if out, err := run(filepath.Join(dir, folder), []string{"GOWORK=" + workspace}, "go", "build", "-o", path, "."); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
