//go:build !windows

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reader is a user who may read a project and not write it. To root nothing is unwritable,
// so it runs the program as another user.
type reader struct{ dir, program string }

// newReader scans the sample project and makes it readable alone. Everything is in a folder
// that any user can enter.
func newReader(t *testing.T) *reader {
	t.Helper()
	root, err := os.MkdirTemp("", "loam-reader-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", root).Run(); _ = os.RemoveAll(root) })
	r := &reader{dir: filepath.Join(root, "project"), program: filepath.Join(root, "bin", "loam")}
	for _, name := range []string{"loam", "loam-connector-sqlite", "loam-connector-sqlite.json"} {
		copyFile(t, filepath.Join(bin, name), filepath.Join(root, "bin", name))
	}
	source := demoProject(t)
	if scanned := loam(t, source, "scan"); scanned.code != 0 {
		t.Fatalf("scan: %s", scanned.stderr)
	}
	tool(t, root, "cp", "-R", source, r.dir)
	tool(t, root, "chmod", "-R", "a+rX,a-w", r.dir)
	tool(t, root, "chmod", "-R", "a+rx", filepath.Join(root, "bin"))
	tool(t, root, "chmod", "a+rx", root)
	return r
}

// run runs the program with variables of the environment.
func (r *reader) run(t *testing.T, env []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.program, args...)
	cmd.Dir = r.dir
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LOAM_TRUST=1"}, env...)
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// files lists the files below a folder.
func (r *reader) files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestReadOnlyProject serves a project that cannot be written, from memory and from a folder
// of its own, with the catalog and the tokens that it brings.
func TestReadOnlyProject(t *testing.T) {
	t.Parallel()
	heavy(t, "a project that cannot be written")
	r := newReader(t)
	before := r.files(t, r.dir)

	found := r.run(t, nil, "search", "orders", "-v")
	if found.code != 0 || !strings.Contains(found.stdout, "orders") {
		t.Fatalf("search: exit %d\n%s%s", found.code, found.stdout, found.stderr)
	}
	folder := regexp.MustCompile(`in memory.*folder=(\S+)`).FindStringSubmatch(found.stderr)
	if folder == nil {
		t.Fatalf("the log does not name the folder:\n%s", found.stderr)
	}
	if _, err := os.Stat(folder[1]); err == nil {
		t.Errorf("%s is left", folder[1])
	}
	if counted := r.run(t, nil, "sql", "-c", "shop", "select count(*) from orders"); counted.code != 0 {
		t.Errorf("sql: exit %d\n%s", counted.code, counted.stderr)
	}
	if started := r.run(t, nil, "mcp", "start", "--port", "0"); started.code == 0 || !strings.Contains(started.stderr, "LOAM_STATE_DIR") {
		t.Errorf("a server that nobody would find: exit %d\n%s", started.code, started.stderr)
	}

	states := filepath.Join(filepath.Dir(r.dir), "states")
	if err := os.Mkdir(states, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(states, 0o777); err != nil { // the reader's
		t.Fatal(err)
	}
	env := []string{"LOAM_STATE_DIR=" + states}
	if found := r.run(t, env, "search", "orders", "-v"); found.code != 0 || !strings.Contains(found.stdout, "orders") || strings.Contains(found.stderr, "in memory") {
		t.Errorf("search with a folder: exit %d\n%s%s", found.code, found.stdout, found.stderr)
	}
	if scanned := r.run(t, env, "scan", "shop"); scanned.code != 0 {
		t.Errorf("scan with a folder: exit %d\n%s", scanned.code, scanned.stderr)
	}
	if added := r.run(t, env, "token", "add", "ada"); added.code != 0 {
		t.Errorf("a token: exit %d\n%s", added.code, added.stderr)
	}
	for _, name := range []string{"catalog", "index", "tokens.json"} {
		match, err := filepath.Glob(filepath.Join(states, "project-*", name))
		if err != nil || len(match) != 1 {
			t.Errorf("%s is in %v (%v)", name, match, err)
		}
	}
	if diff := cmp.Diff(before, r.files(t, r.dir)); diff != "" {
		t.Errorf("the project's files (-before +after):\n%s", diff)
	}

	if found := r.run(t, []string{"LOAM_STATE_DIR=" + filepath.Join(r.dir, "states")}, "search", "orders"); found.code != 0 {
		t.Errorf("a folder that cannot be made: exit %d\n%s", found.code, found.stderr)
	}
	if found := r.run(t, []string{"LOAM_STATE_DIR=states"}, "search", "orders"); found.code == 0 || !strings.Contains(found.stderr, "absolute") {
		t.Errorf("a relative folder: exit %d\n%s", found.code, found.stderr)
	}
}

// A stranger's project does not choose where Loam writes when its state is in a folder of
// the project that LOAM_STATE_DIR names.
func TestStateFolderThatIsALink(t *testing.T) {
	t.Parallel()
	dir, elsewhere := project(t, "version: 1\n"), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "states")); err != nil {
		t.Fatal(err)
	}
	run := func(states string) result {
		return loamWith(t, dir, []string{"LOAM_TRUST=", "LOAM_STATE_DIR=" + states}, "connection", "list")
	}
	if r := run(filepath.Join(dir, "states")); r.code == 0 || !strings.Contains(r.stderr, "outside the project folder") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if r := run(elsewhere); r.code != 0 { // a person's own folder
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}
