package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The index of the documentation links every page, and what the pages for people link is
// there.
func TestTheIndexHasEveryPage(t *testing.T) {
	t.Parallel()
	index := filepath.Join(root(t), "docs", "README.md")
	linked := map[string]bool{}
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/README.md", "docs/connectors/writing.md", "docs/connectors/other-languages.md", "docs/connectors/reference.md"} {
		path := filepath.Join(root(t), filepath.FromSlash(page))
		for _, target := range links(t, path) {
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links %s, which is not there", page, target)
			}
			linked[target] = linked[target] || path == index
		}
	}
	if !slices.Contains(links(t, filepath.Join(root(t), "README.md")), index) {
		t.Error("README.md does not link docs/README.md")
	}
	for _, folder := range []string{"docs", "docs/connectors"} {
		pages, err := filepath.Glob(filepath.Join(root(t), folder, "*.md"))
		if err != nil || len(pages) == 0 {
			t.Fatal(folder, err)
		}
		for _, page := range pages {
			if page != index && !linked[page] {
				t.Errorf("docs/README.md does not link %s", page)
			}
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

// links are the files and folders that a page links.
func links(t *testing.T, page string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range link.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(m[1], "://") {
			all = append(all, filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1])))
		}
	}
	return all
}

// The commands of CONTRIBUTING.md are targets of the Makefile.
func TestContributingNamesTargets(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	targets := regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(read("Makefile"), -1)
	for _, m := range regexp.MustCompile(`make ([a-z-]+)`).FindAllStringSubmatch(read("CONTRIBUTING.md"), -1) {
		if !slices.ContainsFunc(targets, func(target []string) bool { return target[1] == m[1] }) {
			t.Errorf("make %s is no target", m[1])
		}
	}
}
