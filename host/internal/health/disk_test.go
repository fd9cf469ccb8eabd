package health

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "sub/b", "sub/c"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, 10), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		most int
		want Disk
	}{{9, Disk{dir, 30, 3, false}}, {3, Disk{dir, 30, 3, false}}, {2, Disk{dir, 20, 2, true}}} {
		got, err := measure(t.Context(), dir, tt.most)
		if diff := cmp.Diff(&tt.want, got); diff != "" || err != nil {
			t.Errorf("at most %d (-want +got): %v\n%s", tt.most, err, diff)
		}
	}
	if got, err := measure(t.Context(), filepath.Join(dir, "none"), 9); err != nil || got.Files != 0 {
		t.Errorf("no folder: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure(ctx, dir, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
