package folder

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// texts is a folder whose files are their text; "bad" is wrong.
func texts(dir string) *Folder[string] {
	return New(Config[string]{
		Dir: dir, Of: "box", Within: []string{"a", "b/c"}, MaxBytes: 100, MaxDepth: 3,
		Takes: func(base string) bool { return strings.HasSuffix(base, ".txt") },
		Parse: func(name string, content []byte, _ time.Time) (string, *sdk.Error) {
			if string(content) == "bad" {
				return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is bad", name)
			}
			return string(content), nil
		},
		// Every look is long after what was written.
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	})
}

func listed(t *testing.T, f *Folder[string]) (*Listing[string], map[string]string) {
	t.Helper()
	l, err := f.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range l.Files {
		all[f.Name] = f.Value
		if f.Err != nil {
			all[f.Name] = "! " + string(f.Err.Kind)
		}
	}
	return l, all
}

// A folder that is a link itself is followed within the folder that it lies in, and not
// out of it, also when it becomes a link later.
func TestFolderThatIsALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "elsewhere/a/secret.txt", "secret")
	put(t, dir, "project/real/a/own.txt", "own")
	link := func(to string) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, "project/box")), os.Symlink(to, filepath.Join(dir, "project/box"))); err != nil {
			t.Fatal(err)
		}
	}
	link("real")
	f := texts(filepath.Join(dir, "project/box"))
	if _, all := listed(t, f); !maps.Equal(all, map[string]string{"a/own.txt": "own"}) {
		t.Errorf("within the project: %v", all)
	}
	for _, to := range []string{"../elsewhere", filepath.Join(dir, "elsewhere"), "real/../../elsewhere"} {
		link(to)
		_, err := f.Look(t.Context())
		_, _, read := f.Read("a/secret.txt")
		for _, err := range []error{err, read} {
			if e := (*sdk.Error)(nil); !errors.As(err, &e) || e.Kind != sdk.KindDenied || !strings.Contains(e.Msg, "is a link out of the project") || !strings.Contains(e.Hint, filepath.Join(dir, "project/box")) {
				t.Errorf("%s: %v", to, err)
			}
		}
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := texts(filepath.Join(dir, "box"))
	empty, all := listed(t, f)
	if len(all) != 0 {
		t.Errorf("a folder that does not exist has %v", all)
	}
	if again, _ := listed(t, f); again != empty {
		t.Error("nothing changed, but the listing did")
	}
	for name, content := range map[string]string{
		"box/a/one.txt": "one", "box/a/sub/two.txt": "two", "box/b/c/three.txt": "three", "box/b/not.txt": "x", "box/a/not.md": "x", "box/a/.not.txt": "x",
		"box/a/.git/not.txt": "x", "box/a/bad.txt": "bad", "box/a/full.txt": strings.Repeat("x", 100), "box/a/large.txt": strings.Repeat("x", 101),
		"box/a/1/2/3/deep.txt": "x", "out.txt": "secret",
	} {
		put(t, dir, name, content)
	}
	for name, to := range map[string]string{
		"escape.txt": "../../out.txt", "inside.txt": "one.txt", "nowhere.txt": "none", "loop.txt": "loop.txt", "folder.txt": "sub", "other": "../..",
	} {
		if err := os.Symlink(to, filepath.Join(dir, "box/a", name)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"a/one.txt": "one", "a/sub/two.txt": "two", "b/c/three.txt": "three", "a/bad.txt": "! invalid", "a/full.txt": strings.Repeat("x", 100),
		"a/large.txt": "! limit", "a/1/2/3": "! limit", "a/inside.txt": "one",
		"a/escape.txt": "! denied", "a/nowhere.txt": "! denied", "a/loop.txt": "! denied", "a/folder.txt": "! invalid",
	}
	before, all := listed(t, f)
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if again, _ := listed(t, f); again != before {
		t.Error("nothing changed, but the listing did")
	}

	put(t, dir, "box/a/bad.txt", "mended")
	put(t, dir, "box/a/new.txt", "new")
	put(t, dir, "box/a/one.txt", "another")
	for from, to := range map[string]string{"box/a/sub/two.txt": "box/a/sub/renamed.txt", "box/a/full.txt": "box/gone.txt"} {
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	want["a/bad.txt"], want["a/new.txt"], want["a/one.txt"], want["a/inside.txt"], want["a/sub/renamed.txt"] = "mended", "new", "another", "another", "two"
	delete(want, "a/sub/two.txt")
	delete(want, "a/full.txt")
	if _, all := listed(t, f); cmp.Diff(want, all) != "" {
		t.Errorf("after edits (-want +got):\n%s", cmp.Diff(want, all))
	}
	if content, _, err := f.Read("a/one.txt"); err != nil || string(content) != "another" {
		t.Errorf("read: %q, %v", content, err)
	}
	if _, _, err := f.Read("a/none.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read what is not there: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "box")); err != nil {
		t.Fatal(err)
	}
	if _, all := listed(t, f); len(all) != 0 {
		t.Errorf("after all was removed: %v", all)
	}
}

// counting is texts that counts what is parsed.
func counting(dir string) (*Folder[string], *[]string) {
	f := texts(dir)
	var mu sync.Mutex
	parsed := &[]string{}
	parse := f.Parse
	f.Parse = func(name string, content []byte, at time.Time) (string, *sdk.Error) {
		mu.Lock()
		defer mu.Unlock()
		*parsed = append(*parsed, name)
		return parse(name, content, at)
	}
	return f, parsed
}

// What is as it was is not read again; what may have changed is, and parsed if
// it did. An edit of the same size in the same tick of the clock is seen.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a/one.txt", "one")
	f, parsed := counting(dir)
	first, _ := listed(t, f)
	first.Files[0].Hash[0]++ // what reading it would put right
	if again, _ := listed(t, f); again != first || len(*parsed) != 1 {
		t.Errorf("it was read again: %v", *parsed)
	}

	t.Log("touched")
	first.Files[0].Hash[0]--
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(filepath.Join(dir, "a/one.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	if again, _ := listed(t, f); again != first || len(*parsed) != 1 {
		t.Errorf("the same content was parsed again: %v", *parsed)
	}
	f.Timeless = func(string) bool { return false }
	if err := os.Chtimes(filepath.Join(dir, "a/one.txt"), old.Add(time.Second), old.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if listed(t, f); len(*parsed) != 2 {
		t.Errorf("what depends on the time was not parsed again: %v", *parsed)
	}

	t.Log("edited in this moment")
	f.Now = time.Now
	put(t, dir, "a/one.txt", "two")
	now, all := listed(t, f)
	if all["a/one.txt"] != "two" || now.Files[0].Stamp != (Stamp{}) {
		t.Errorf("%v with the stamp %v", all, now.Files[0].Stamp)
	}
	now.Files[0].Hash[0]++
	if again, _ := listed(t, f); again.Files[0].Hash == now.Files[0].Hash {
		t.Error("what may have changed since was not read again")
	}
}

// What another process has read is taken over as far as it is as it was.
func TestKnow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "a/one.txt", "one")
	put(t, dir, "a/two.txt", "two")
	before, _ := listed(t, texts(dir))
	put(t, dir, "a/two.txt", "TWO")
	f, parsed := counting(dir)
	f.Know(append(before.Files, &File[string]{Name: "a/gone.txt", Value: "gone"}))
	if _, all := listed(t, f); cmp.Diff(map[string]string{"a/one.txt": "one", "a/two.txt": "TWO"}, all) != "" {
		t.Errorf("files %v", all)
	}
	if diff := cmp.Diff([]string{"a/two.txt"}, *parsed); diff != "" {
		t.Errorf("parsed (-want +got):\n%s", diff)
	}
}

// later is canceled when it was asked a number of times.
type later struct {
	context.Context
	left int
}

func (l *later) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// What a look that was given up has read is in the next listing; what it has not
// seen is not taken for removed.
func TestCanceled(t *testing.T) {
	t.Parallel()
	for asked := range 6 {
		dir := t.TempDir()
		for _, name := range []string{"a/one.txt", "b/c/two.txt", "b/c/three.txt"} {
			put(t, dir, name, "old")
		}
		f := texts(dir)
		listed(t, f)
		put(t, dir, "a/one.txt", "new")
		put(t, dir, "b/c/two.txt", "new")
		if _, err := f.again(&later{t.Context(), asked}); asked < 4 && !errors.Is(err, context.Canceled) {
			t.Fatalf("canceled after %d: %v", asked, err)
		}
		if _, all := listed(t, f); cmp.Diff(map[string]string{"a/one.txt": "new", "b/c/two.txt": "new", "b/c/three.txt": "old"}, all) != "" {
			t.Errorf("canceled after %d, then %v", asked, all)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := texts(t.TempDir()).Look(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
