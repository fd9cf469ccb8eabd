package trust

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestCheckLinks(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for name, test := range map[string]struct {
		link, target string // link is below the project folder
		dir          string // that the host writes in; "" = .loam
		refused      bool
	}{
		"nothing there":           {},
		"the folder itself":       {link: ".loam", target: elsewhere, refused: true},
		"a file":                  {link: ".loam/state.db", target: filepath.Join(elsewhere, "profile"), refused: true},
		"a file two folders down": {link: ".loam/logs/deep/mcp.log", target: "../../../../profile", refused: true},
		"a file that is missing":  {link: ".loam/logs/mcp.log", target: filepath.Join(elsewhere, "missing"), refused: true},
		"a folder":                {link: ".loam/catalog", target: elsewhere, refused: true},
		"a folder above it":       {link: "states", target: elsewhere, dir: "states/shop-1", refused: true},
		"a link to the project":   {link: "states", target: ".", dir: "states/shop-1"},
		"within the project":      {link: ".loam/state.db", target: "../kept.db"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if test.link != "" {
				link := filepath.Join(dir, test.link)
				if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(test.target, link); err != nil {
					t.Fatal(err)
				}
			}
			state := filepath.Join(dir, cmp.Or(test.dir, ".loam"))
			err := New(Config{Dir: dir}).CheckLinks(state)
			if !test.refused {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), filepath.Join(dir, test.link)) {
				t.Errorf("got %v, want a refusal that names the link", err)
			}
			if err := New(Config{Dir: dir, Everything: true}).CheckLinks(state); err != nil {
				t.Errorf("refused where everything is trusted: %v", err)
			}
		})
	}
}
