package wiki

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Pages that link by key, by alias and by a relative address are found, and no others.
func TestLinksTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"arr": "---\naliases: [annual revenue]\n---\n# ARR\n[[arr]]", "a": "[[arr]]", "b": "see [[Annual Revenue]]", "finance/c": "[x](../arr.md)", "d": "[[arrears]] and `[[arr]]`", "e": "[[mrr]]", "mrr": "# MRR",
	} {
		path := filepath.Join(dir, "global", name+".md")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range v.LinksTo("arr") {
		got = append(got, p.Key)
	}
	if want := []string{"a", "b", "finance/c"}; !slices.Equal(got, want) {
		t.Errorf("links to arr: %q, want %q", got, want)
	}
	if p, ok := v.Find("annual revenue"); !ok || p.Key != "arr" {
		t.Errorf("the alias leads to %v, %t", p, ok)
	}
	if _, ok := v.Find("arrears"); ok {
		t.Error("a page that is not there was found")
	}
	if none := v.Only(func(p *Page) bool { return p.Key != "b" }).LinksTo("arr"); len(none) != 2 {
		t.Errorf("a page that is not open is listed: %d", len(none))
	}
	if key, ok := Linked("../arr.md", "finance/c"); !ok || key != "arr" {
		t.Errorf("the address leads to %q, %t", key, ok)
	}
	for file, want := range map[string]string{"---\ntitle: a\n---\n\n# A\n": "# A\n", "# A\n": "# A\n", "---\ntitle: a\n": "---\ntitle: a\n"} {
		if got := BodyOf(file); got != want {
			t.Errorf("body of %q: %q", file, got)
		}
	}
}
