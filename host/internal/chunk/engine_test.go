package chunk

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/store"
)

func newEngine(t *testing.T) *Engine {
	t.Helper()
	state := store.NewLazy(filepath.Join(t.TempDir(), ".loam", "state.db"))
	t.Cleanup(func() {
		if err := state.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(state, func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) })
}

func put(t *testing.T, e *Engine, repo string, files map[string]string, deleted ...string) {
	t.Helper()
	b := &Batch{Repo: repo}
	for name, text := range files {
		b.Files = append(b.Files, NewFile(name, ParserOf(name), text))
	}
	for _, name := range deleted {
		b.Deleted = append(b.Deleted, Key{Path: name, Parser: ParserOf(name).ID})
	}
	if err := e.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, e *Engine, repo, path string) (all []string) {
	t.Helper()
	pieces, err := e.Pieces(t.Context(), repo, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pieces {
		all = append(all, fmt.Sprintf("%s:%d-%d:%s", p.Heading, p.First, p.Last, p.Text))
	}
	return all
}

func TestWriteReplacesAFile(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	put(t, e, "a", map[string]string{"x.md": "# A\none\n# B\ntwo\n# C\nthree\n", "y.md": "why"})
	put(t, e, "b", map[string]string{"x.md": "of another repository"})
	put(t, e, "a", map[string]string{"x.md": "new\n# B\ntwo\n"}, "y.md", "never there.md")
	if diff := cmp.Diff([]string{":1-1:new", "B:2-3:# B\ntwo"}, texts(t, e, "a", "x.md")); diff != "" {
		t.Errorf("x.md (-want +got):\n%s", diff)
	}
	if got := texts(t, e, "a", "y.md"); got != nil {
		t.Errorf("the deleted file has %q", got)
	}
	if got := texts(t, e, "b", "x.md"); len(got) != 1 {
		t.Errorf("the file of another repository has %q", got)
	}
	// Another parser's chunks of a path are not stale.
	raw, err := ParserByID("raw-text")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Write(t.Context(), &Batch{Repo: "a", Files: []File{NewFile("x.md", raw, "raw")}}); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, e, "a", "x.md"); len(got) != 3 {
		t.Errorf("two parsers have %q", got)
	}
	// Those of an older version are.
	raw.Version++
	if err := e.Write(t.Context(), &Batch{Repo: "a", Files: []File{NewFile("x.md", raw, "raw")}}); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, e, "a", "x.md"); len(got) != 3 {
		t.Errorf("after a new version of the parser: %q", got)
	}
}

// TestFailedWriteKeepsWhatWas: a batch is written whole or not at all.
func TestFailedWriteKeepsWhatWas(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	put(t, e, "a", map[string]string{"x.md": "old"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Write(ctx, &Batch{Repo: "a", Files: []File{NewFile("x.md", parsers[1], "new")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled write: %v", err)
	}
	if diff := cmp.Diff([]string{":1-1:old"}, texts(t, e, "a", "x.md")); diff != "" {
		t.Error(diff)
	}
}

func TestViewChangesWithTheFiles(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	view := func() *View {
		v, err := e.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if e.Began() || len(view().Files()) != 0 || e.Began() {
		t.Error("there are files, or a state store, before anything was kept")
	}
	put(t, e, "a", map[string]string{"x.md": "# A\none\n# B\n", "empty.md": "\n"})
	before := view()
	if len(before.Files()) != 1 || before.Files()[0].Chunks != 2 || view() != before {
		t.Errorf("the view has %+v, or is another one while nothing changes", before.Files())
	}
	put(t, e, "a", map[string]string{"x.md": "# A\none\n# B\n"})
	same := view()
	if diff := cmp.Diff(before.Files(), same.Files()); diff != "" {
		t.Errorf("after the same file again:\n%s", diff)
	}
	put(t, e, "a", map[string]string{"x.md": "# A\ntwo\n# B\n"})
	if view().Files()[0].Content == before.Files()[0].Content {
		t.Error("another text has the same content")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	put(t, e, "a", map[string]string{"dir/x#1.md": "# A\none\n# B\ntwo"})
	p, err := e.Find(t.Context(), ID("a", "dir/x#1.md", 2))
	if err != nil || p == nil || p.Text != "# B\ntwo" {
		t.Errorf("%+v %v", p, err)
	}
	for _, id := range []string{"a/dir/x#1.md#3", "a/dir/x#1.md#0", "a/gone.md#1", "b/dir/x#1.md#1"} {
		if p, err := e.Find(t.Context(), id); p != nil || err != nil {
			t.Errorf("%s: %+v %v", id, p, err)
		}
	}
	for _, id := range []string{"", "a", "a/x.md", "a/x.md#x"} {
		if _, err := e.Find(t.Context(), id); err == nil {
			t.Errorf("%q is an id", id)
		}
	}
}

// TestRevisionIsOfTheContents: the same files have the same revision, whatever was there between.
func TestRevisionIsOfTheContents(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	end := func() string {
		r, err := e.End(t.Context(), &Repo{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if kept, _, err := e.Repo(t.Context(), "a"); err != nil || kept.Revision != r {
			t.Errorf("the revision is %q, kept is %q: %v", r, kept.Revision, err)
		}
		return r
	}
	put(t, e, "a", map[string]string{"x.md": "one", "y.md": "two"})
	first := end()
	put(t, e, "a", map[string]string{"x.md": "three"})
	second := end()
	put(t, e, "a", map[string]string{"x.md": "one"})
	if third := end(); first != third || first == second {
		t.Errorf("revisions %s, %s, %s", first, second, third)
	}
}

// TestCall: the answer of a call is found by its id for a week.
func TestCall(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	if c, err := e.Call(t.Context(), "a"); c != nil || err != nil {
		t.Errorf("before there is a store: %+v %v", c, err)
	}
	want := &Call{ID: "a", Arguments: Of("x"), Answer: []byte(`{"n":1}`)}
	if err := e.Answered(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Call(t.Context(), "a"); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%+v %v", got, err)
	}
	later := e.now().Add(keepCalls + time.Second)
	e.now = func() time.Time { return later }
	if err := e.Answered(t.Context(), &Call{ID: "b"}); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Call(t.Context(), "a"); got != nil || err != nil {
		t.Errorf("after a week: %+v %v", got, err)
	}
}

// TestParsedVersion: another version of a client's parser makes another file of the same chunks.
func TestParsedVersion(t *testing.T) {
	t.Parallel()
	pieces := []Piece{{Heading: "a", First: 1, Last: 2, Text: "x"}}
	one, two := NewParsed("x", "proto", "1.2.0", pieces), NewParsed("x", "proto", "1.2.1", pieces)
	if one.Version != 1 || one.Hash == two.Hash || one.Key != (Key{Path: "x", Parser: "proto"}) {
		t.Errorf("%+v, %+v", one, two)
	}
	if again := NewParsed("x", "proto", "1.2.0", pieces); again.Hash != one.Hash {
		t.Error("the same chunks have two hashes")
	}
}
