package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a [b]*")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "head")
	for _, content := range []string{"one", "", "three"} {
		if err := Replace(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Errorf("read %q, %v; want %q", got, err, content)
		}
	}
	temp, err := Temp(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := temp.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "head" {
		t.Errorf("the folder has %v, %v; want the file alone", entries, err)
	}
	if err := Replace(filepath.Join(dir, "none", "head"), nil, 0o600); err == nil {
		t.Error("a file was put into a folder that does not exist")
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(path)
	if err != nil || unlock == nil {
		t.Fatalf("the first: %v", err)
	}
	if second, err := Lock(path); err != nil || second != nil {
		t.Fatalf("two have the lock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = Lock(path)
	if err != nil || unlock == nil {
		t.Fatalf("after the first: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// Who waits gets the lock when the other one is done with it, gives up when its
// patience is over, and at once when it is cancelled.
func TestWait(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	synctest.Test(t, func(t *testing.T) {
		first, err := Wait(t.Context(), path, time.Second)
		if err != nil || first == nil {
			t.Fatal("free:", err)
		}
		if unlock, err := Wait(t.Context(), path, time.Second); unlock != nil || err != nil {
			t.Errorf("while another one has it: %v", err)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if unlock, err := Wait(cancelled, path, time.Hour); unlock != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		time.AfterFunc(time.Second, func() {
			if err := first(); err != nil {
				t.Error(err)
			}
		})
		second, err := Wait(t.Context(), path, time.Hour)
		if err != nil || second == nil {
			t.Fatal("afterwards:", err)
		}
		if err := second(); err != nil {
			t.Error(err)
		}
	})
}
