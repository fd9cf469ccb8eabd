package machine

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

var foodb = Record{
	Release: Release{ID: "acme/foodb", Version: "0.3.1", Platform: "linux_amd64"}, Archive: "aa", Tree: "h1:a=", Source: "./dist", Key: "RWT4",
	InstalledAt: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC),
}

// locked returns an empty store that this test may change.
func locked(t *testing.T) *Store {
	t.Helper()
	s := New(t.TempDir())
	unlock, err := s.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func stage(t *testing.T, s *Store, content string) string {
	t.Helper()
	dir, err := s.Stage()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "program"), []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCommit(t *testing.T) {
	t.Parallel()
	s := locked(t)
	for _, content := range []string{"first", "second"} {
		err := s.Commit(stage(t, s, content), foodb, func(r *Records) { r.Serials["index"] = 412 })
		if err != nil {
			t.Fatal(err)
		}
		installed, err := os.ReadFile(filepath.Join(s.Path(foodb.Release), "program"))
		if err != nil || string(installed) != content {
			t.Errorf("installed is %q, %v", installed, err)
		}
	}
	records, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := Records{Version: 1, Installed: []Record{foodb}, Serials: map[string]int64{"index": 412}, Archives: map[string]string{"aa": "RWT4"}}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if left, err := filepath.Glob(filepath.Join(s.Staging, "new-*")); err != nil || len(left) > 0 {
		t.Errorf("left in the staging folder: %v, %v", left, err)
	}
	if err := s.Remove(foodb.Release); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "acme")); !os.IsNotExist(err) {
		t.Errorf("the folder of the publisher is there after the removal of its only connector: %v", err)
	}
}

// A process that is killed leaves a staged folder, or one in place that no record knows.
func TestAfterAKill(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir())
	unlock, err := s.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stage(t, s, "unfinished")
	if err := s.place(stage(t, s, "in place"), foodb.Release); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = s.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}()
	if left, err := filepath.Glob(filepath.Join(s.Staging, "new-*")); err != nil || len(left) > 0 {
		t.Errorf("the next process leaves %v, %v", left, err)
	}
	records, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, found := records.Find(foodb.Release); found {
		t.Error("a release is recorded that was not committed")
	}
	if err := s.Commit(stage(t, s, "again"), foodb, nil); err != nil {
		t.Errorf("it cannot be installed again: %v", err)
	}
}

func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	s := locked(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Lock(ctx); err == nil {
		t.Error("two processes may change the store at once")
	}
}

func TestStoreThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "connectors"), nil, 0o644); err != nil { // a file where the folder belongs
		t.Fatal(err)
	}
	_, err := New(data).Lock(t.Context())
	if sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("got %v, want a refusal", err)
	}
}
