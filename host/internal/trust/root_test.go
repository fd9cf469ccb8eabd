package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// TestRoot: a root outside the project folder, also behind a link, is refused until a person allowed it.
func TestRoot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := t.TempDir()
	link := filepath.Join(f.Dir, "handbook")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	none, err := connection.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &project.Project{Connections: none, Sources: project.Sources{Roots: []string{f.Dir, filepath.Join(f.Dir, "docs"), link, outside}}}
	items, _, err := f.Items(p, func(connection.Connection) (connector.Installed, error) { return connector.Installed{}, nil })
	if err != nil || len(items) != 2 || items[0].Where != "sources.roots[2]" || items[0].Kind != KindFile || items[0].State != StateNew {
		t.Fatalf("%+v %v", items, err)
	}
	for _, root := range p.Sources.Roots[:2] {
		if err := f.Root(p, root); err != nil {
			t.Errorf("%s: %v", root, err)
		}
	}
	err = f.Root(p, link)
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Hint, "loam trust") {
		t.Errorf("before it is allowed: %v", err)
	}
	if err := f.Accept(t.Context(), []Ask{items[0].Ask}, false); err != nil {
		t.Fatal(err)
	}
	if err := f.Root(p, link); err != nil {
		t.Errorf("after it is allowed: %v", err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := f.Root(p, link); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a link that leads elsewhere now: %v", err)
	}
}
