package library

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func put(t testing.TB, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func titles(t *testing.T, l *Library) (all []string) {
	t.Helper()
	items, err := l.Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		text := string(i.Connection) + "|" + i.Name + "|"
		if i.Problem == nil {
			text += i.Query.Title
		} else if e := sdk.AsError(i.Problem, sdk.SourceHost); e.Hint == "" || i.Query != nil {
			t.Errorf("%s: a problem without a hint or with a query: %v", i.Name, e)
		} else {
			text += "! " + string(e.Kind)
		}
		all = append(all, text)
	}
	return all
}

const one, two = "/* loam\ntitle: One\n*/\nSELECT 1\n", "/* loam\ntitle: Two\n*/\nSELECT 2\n"

func TestItems(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "queries")
	l := New(root)
	if got := titles(t, l); len(got) != 0 {
		t.Errorf("a folder that does not exist has %v", got)
	}
	put(t, root, "shop/b.sql", one)
	put(t, root, "shop/a.sql", two)
	put(t, root, "bank/z.sql", one)
	put(t, root, "bank/broken.sql", "/* loam\ntitel: x\n*/\nSELECT 1\n")
	put(t, root, "bank/notes.md", "# no query")
	put(t, root, "bank/.hidden.sql", one)
	put(t, root, "bank/Big Name.sql", one)
	put(t, root, "bank/deep/x.sql", one)
	put(t, root, "bank/long.sql", strings.Repeat("x", 300<<10))
	put(t, root, "lost.sql", one)
	want := []string{
		"|bank/Big Name.sql|! invalid", "|bank/deep|! limit", "|lost.sql|! invalid",
		"bank|broken|! invalid", "bank|long|! limit", "bank|z|One", "shop|a|Two", "shop|b|One",
	}
	if diff := cmp.Diff(want, titles(t, l)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An edit counts on the next call, changes the version, and leaves the other files as they were.
func TestItemsFollowTheFiles(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "queries")
	put(t, root, "shop/a.sql", one)
	put(t, root, "shop/b.sql", two)
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"a", "b"} {
		if err := os.Chtimes(filepath.Join(root, "shop", name+".sql"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	l := New(root)
	first, err := l.Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "shop/a.sql", strings.Replace(one, "One", "New", 1))
	next, err := l.Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if next[0].Query.Title != "New" || next[0].Version == first[0].Version || first[0].Query.Title != "One" {
		t.Errorf("an edit: %+v, before %+v", next[0], first[0])
	}
	if next[1].Query != first[1].Query || next[1].Version != first[1].Version {
		t.Errorf("the file beside it was read again")
	}
	again, err := l.Items(t.Context())
	if err != nil || !slices.Equal(again, next) || &again[0] != &next[0] {
		t.Errorf("nothing changed, and the list is another: %v", err)
	}
	if err := os.Remove(filepath.Join(root, "shop/a.sql")); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, l); !slices.Equal(got, []string{"shop|b|Two"}) {
		t.Errorf("after a file was removed: %v", got)
	}
}
