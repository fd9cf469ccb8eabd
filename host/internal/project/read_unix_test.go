//go:build unix

package project

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

func TestLoadDoesNotWaitAtANamedPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, FileName), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan error, 1)
	go func() {
		_, err := Load(dir)
		loaded <- err
	}()
	select {
	case err := <-loaded:
		if sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("a named pipe instead of a file: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Load waits for a writer")
	}
}
