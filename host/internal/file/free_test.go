package file

import (
	"path/filepath"
	"testing"
)

func TestFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if n, ok := Free(dir); ok && n < 0 {
		t.Errorf("%d bytes are free", n)
	}
	if n, ok := Free(filepath.Join(dir, "none")); ok {
		t.Errorf("a folder that does not exist: %d", n)
	}
}
