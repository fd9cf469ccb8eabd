//go:build unix

package connector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// shortDir is a folder whose path leaves room for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestSocketFolderIsPrivateAndSwept(t *testing.T) {
	t.Parallel()
	base := filepath.Join(shortDir(t), "loam")
	first, lock, err := makeSocketDir([]string{base})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{base, first} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v; want mode 0700", dir, info, err)
		}
	}
	// A second host leaves the folder of the first, which lives, alone.
	second, secondLock, err := makeSocketDir([]string{base})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first); err != nil {
		t.Errorf("the folder of a living host is gone: %v", err)
	}
	// The first dies; the third sweeps what it left.
	closeAll(lock)
	_, thirdLock, err := makeSocketDir([]string{base})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Errorf("the folder of a dead host is left: %v", err)
	}
	if _, err := os.Stat(second); err != nil {
		t.Errorf("the folder of a living host is gone: %v", err)
	}
	closeAll(secondLock, thirdLock)
}

func TestSocketFolderIsTheFirstThatWillDo(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	long := filepath.Join(dir, strings.Repeat("x", 90))
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o755); err != nil { //nolint:gosec // that is what is tested
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "good")
	path, lock, err := makeSocketDir([]string{long, open, link, good})
	if err != nil {
		t.Fatal(err)
	}
	closeAll(lock)
	if filepath.Dir(path) != good {
		t.Errorf("folder %s, want one in %s", path, good)
	}
	_, _, err = makeSocketDir([]string{long, open})
	if sdk.KindOf(err) != sdk.KindUnavailable || !strings.Contains(err.Error(), "too long") || !strings.Contains(err.Error(), "this user alone") {
		t.Errorf("error %v, want what is wrong with each", err)
	}
}

func TestSocketFolderGoesWithItsHost(t *testing.T) {
	t.Parallel()
	var unused, used socketDir
	if err := unused.close(); err != nil {
		t.Errorf("close of an unused one: %v", err)
	}
	path, err := used.open()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := used.open(); again != path || err != nil {
		t.Errorf("open again = %q, %v; want %q", again, err, path)
	}
	if err := used.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s is left", path)
	}
}

func TestWhatOthersMayWriteToIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, test := range map[string]struct {
		mode os.FileMode
		safe bool
	}{
		"owner": {0o755, true}, "group": {0o775, false}, "others": {0o757, false},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, test.mode); err != nil {
			t.Fatal(err)
		}
		if got := writableByOthers(path); (got == "") != test.safe {
			t.Errorf("%s: writable %q, safe %v", name, got, test.safe)
		}
	}
	if got := writableByOthers(dir, filepath.Join(dir, "gone")); got == "" {
		t.Error("a file that is gone passes")
	}
}

// A program may make a folder for its socket in the one that it was given.
func TestTheAddressOfAProgram(t *testing.T) {
	t.Parallel()
	r := &programRunner{sockets: "/run/loam/h1/plugin-dir2"}
	for address, own := range map[string]bool{
		"/run/loam/h1/plugin-dir2/plugin3":    true,
		"/run/loam/h1/plugin-dir2/c4/s":       true,
		"/run/loam/h1/plugin-dir2":            false,
		"/run/loam/h1/plugin-dir22/plugin3":   false,
		"/run/loam/h1/plugin-dir2/../other/s": false,
		"/tmp/another.sock":                   false,
		"plugin3":                             false,
	} {
		if _, _, err := r.PluginToHost("unix", address); (err == nil) != own {
			t.Errorf("%s: %v, want it to be the program's own: %v", address, err, own)
		}
	}
}
