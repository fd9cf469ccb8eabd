package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// An update on a disk with little room succeeds, or changes nothing and says what to do; with room it
// succeeds.
func TestFullDisk(t *testing.T) {
	data := t.TempDir()
	if err := syscall.Mount("loam-test", data, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(data, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	p := newPublisher(t)
	p.release("0.3.0")
	s := serviceIn(t, filepath.Dir(newProject(t, p)), data)
	p.must(s.Trust(t.Context(), p.key(), "acme/*"))
	p.must(operate(t.Context(), s, "install"))
	p.release("0.3.1")
	p.release("0.3.2")
	filler := filepath.Join(data, "filler")
	failed := 0
	for pages := range int64(10) {
		before := listing(t, s.Store.Dir, s.Store.Downloads, s.Dir)
		fill(t, filler, data, pages*4096)
		err := operate(t.Context(), s, "update")
		p.must(os.Remove(filler))
		wantWhole(t, s, "any")
		wantNothingLeft(t, s)
		if err == nil {
			break
		}
		failed++
		if kind, hint := sdk.KindOf(err), sdk.AsError(err, sdk.SourceHost).Hint; kind != sdk.KindDenied && kind != sdk.KindUnavailable || !strings.Contains(hint, "make room") {
			t.Errorf("%d pages left: %v (%s)", pages, err, hint)
		}
		if after := listing(t, s.Store.Dir, s.Store.Downloads, s.Dir); strings.Join(before, "\n") != strings.Join(after, "\n") {
			t.Errorf("%d pages left: something changed: %v", pages, after)
		}
	}
	if failed == 0 {
		t.Error("the disk was never full")
	}
	p.must(operate(t.Context(), s, "update"))
	wantWhole(t, s, "0.3.2")
}

// fill leaves so many bytes of a file system.
func fill(t *testing.T, filler, dir string, left int64) {
	t.Helper()
	var at syscall.Statfs_t
	if err := syscall.Statfs(dir, &at); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filler, make([]byte, max(0, int64(at.Bavail)*at.Bsize-left)), 0o600); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
