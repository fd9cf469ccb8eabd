package registry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// A push on a disk with little room, or on one that is read-only, succeeds or leaves the layout as it was.
func TestPushOnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("loam-test", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	dir, filler := filepath.Join(disk, "layout"), filepath.Join(disk, "filler")
	if _, err := pushTo(t, dir, "1", "first"); err != nil {
		t.Fatal(err)
	}
	refused := func(err error) bool {
		return sdk.KindOf(err) == sdk.KindDenied && strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, "make room")
	}
	failed := 0
	for pages := range 12 {
		fill(t, filler, pages*os.Getpagesize())
		_, err := pushTo(t, dir, "2", strings.Repeat("x", 3*os.Getpagesize()))
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		wantText(t, dir, "1", "first")
		if err == nil {
			break
		}
		failed++
		if !refused(err) {
			t.Errorf("%d pages left: %v", pages, err)
		}
		if _, err := textAt(t, dir, "2"); sdk.KindOf(err) != sdk.KindNotFound {
			t.Errorf("%d pages left: a part of it is seen: %v", pages, err)
		}
	}
	if failed == 0 || failed == 12 {
		t.Errorf("%d pushes failed", failed)
	}
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := pushTo(t, dir, "3", "third"); !refused(err) {
		t.Errorf("read-only: %v", err)
	}
	wantText(t, dir, "1", "first")
}

// fill writes a file until so many bytes of its file system are free.
func fill(t *testing.T, path string, free int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	page := make([]byte, os.Getpagesize())
	size := int64(0)
	for err == nil {
		var n int
		n, err = f.Write(page)
		size += int64(n)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(max(size-int64(free), 0)), f.Close()); err != nil {
		t.Fatal(err)
	}
}
