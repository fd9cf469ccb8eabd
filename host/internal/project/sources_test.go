package project

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSourceRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := parse(dir, []byte("version: 1\nsources:\n  roots: [docs, ., ../handbook/, /srv/notes]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "docs"), dir, filepath.Join(filepath.Dir(dir), "handbook"), "/srv/notes"}
	if diff := cmp.Diff(want, p.Sources.Roots); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Line("sources.roots[1]") != 3 {
		t.Errorf("the second root is in line %d", p.Line("sources.roots[1]"))
	}
	for text, says := range map[string]string{
		"sources: {roots: docs}":     "list of folders",
		"sources: {roots: ['']}":     "must name a folder",
		"sources: {roots: [1]}":      "must be text",
		"sources: {folders: [docs]}": "unknown key",
	} {
		if _, err := parse(dir, []byte("version: 1\n"+text+"\n")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
