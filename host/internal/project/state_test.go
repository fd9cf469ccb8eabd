package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestFindState(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	shop, other, link := filepath.Join(root, "shop"), filepath.Join(root, "other", "shop"), filepath.Join(root, "link")
	for _, dir := range []string{shop, other} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(shop, link); err != nil {
		t.Fatal(err)
	}
	at := func(dir, named string) State {
		state, err := FindState(dir, func(string) string { return named })
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	states := filepath.Join(root, "states")
	if got := at(shop, ""); got != StateFolder(shop) {
		t.Errorf("without the variable: %s", got)
	}
	switch first := at(shop, states); {
	case filepath.Dir(string(first)) != states || !strings.HasPrefix(filepath.Base(string(first)), "shop-"):
		t.Errorf("the folder is %s", first)
	case first == at(other, states):
		t.Errorf("two projects share %s", first)
	case first != at(link, states):
		t.Errorf("a link to the project has %s, the project %s", at(link, states), first)
	}
	if _, err := FindState(shop, func(string) string { return "states" }); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a relative path: %v", err)
	}
}
