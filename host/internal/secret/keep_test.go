package secret

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// TestDrawer: what is kept is what the reference resolves to, nobody else reads it, and
// nothing else is ever removed.
func TestDrawer(t *testing.T) {
	t.Parallel()
	config, project := t.TempDir(), t.TempDir()
	d := DrawerOf(config, project)
	if other := DrawerOf(config, t.TempDir()); other == d {
		t.Error("two projects share a drawer")
	}
	for _, value := range []string{"hush", "two\nlines\n", " spaces "} {
		if err := d.Keep("w.password", sdk.NewSecret(value)); err != nil {
			t.Fatal(err)
		}
		got, err := New(project, nil, slog.New(slog.DiscardHandler)).Granting(everything).Resolve(t.Context(), d.Reference("w.password"))
		if err != nil || got.Reveal() != value {
			t.Errorf("%q, %v, want %q", got.Reveal(), err, value)
		}
	}
	path := strings.TrimPrefix(d.Reference("w.password"), "file:")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}

	mine := filepath.Join(project, "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, reference := range []string{"file:" + mine, "env:HOME", "text", "", d.Reference("w.password"), d.Reference("w.password")} {
		if err := d.Forget(reference); err != nil {
			t.Errorf("%s: %v", reference, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the secret is still there: %v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}
