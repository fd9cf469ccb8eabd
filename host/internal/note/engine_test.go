package note

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/store"
)

// engine returns the notes of a folder, as another process would see them.
func engine(t testing.TB, dir string) *Engine {
	t.Helper()
	state := store.NewLazy(filepath.Join(dir, "state.db"))
	e := New(state, filepath.Join(dir, "index"))
	t.Cleanup(func() {
		if err := errors.Join(e.Close(), state.Close()); err != nil {
			t.Error(err)
		}
	})
	return e
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// save saves a checkpoint of an owner, number n of all.
func save(t testing.TB, e *Engine, n int, owner, summary string, tags ...string) string {
	t.Helper()
	s, err := e.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := start.Add(time.Duration(n) * time.Second)
	c := store.Checkpoint{Note: store.Note{ID: NewID(at), Owner: owner, Principal: owner, Author: "agent", ProjectPath: "/p" + fmt.Sprint(n%3), Context: Context(nil), Tags: Tags(tags), CreatedAt: at, UsedAt: at}, Summary: summary}
	if _, err := s.PutCheckpoint(t.Context(), &c, store.NoteCall{}, "", store.NotePrune{}); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func as(ctx context.Context, name string) context.Context {
	return caller.With(ctx, &caller.Caller{Transport: caller.HTTP, Principal: name, Named: name != ""})
}

func ids(t testing.TB, ctx context.Context, e *Engine, q Query) (all []string) {
	t.Helper()
	found, err := e.FindCheckpoints(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		all = append(all, found[i].Note.ID)
	}
	return all
}

// A note that one process saved is found by the next search of another, at each number of notes; a save makes few
// segments anew, and none that is full.
func TestSavedHereFoundThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, there := engine(t, dir), engine(t, dir)
	if got := ids(t, t.Context(), there, Query{Text: "x", Limit: 5}); got != nil {
		t.Errorf("without a store %v is found", got)
	}
	for n := range 290 {
		if n%19 != 0 && n > 34 {
			save(t, here, n, "", "filler")
			continue
		}
		word := "word" + strings.Repeat("x", n%5) + string(rune('a'+n%26)) + string(rune('a'+n/26))
		id := save(t, here, n, "", word)
		before := slices.Clone(there.checkpoints.spans)
		if got := ids(t, t.Context(), there, Query{Text: word, Limit: 1}); !slices.Equal(got, []string{id}) {
			t.Fatalf("note %d: found %v, want %s", n, got, id)
		}
		for _, s := range before {
			if s.to-s.from == 1<<middleBits-1 && !slices.Contains(there.checkpoints.spans, s) {
				t.Fatalf("note %d: the full span %v is made anew", n, s)
			}
		}
	}
	if n := len(there.checkpoints.spans); n > 5 {
		t.Errorf("290 notes are in %d segments", n)
	}
	files, err := os.ReadDir(there.checkpoints.dir)
	if err != nil || len(files) > 8 {
		t.Errorf("%d files are in the index: %v", len(files), err)
	}
}

func TestPrivateNotes(t *testing.T) {
	t.Parallel()
	e := engine(t, t.TempDir())
	ada, bob, all := save(t, e, 1, "ada", "revenue", "Money"), save(t, e, 2, "bob", "revenue", "money"), save(t, e, 3, "", "revenue")
	for viewer, want := range map[string][]string{"ada": {ada, all}, "bob": {all, bob}, "": {all}, "eve": {all}} {
		got := ids(t, as(t.Context(), viewer), e, Query{Text: "revenue", Limit: 10})
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%q finds %v, want %v", viewer, got, want)
		}
	}
	for q, want := range map[string]Query{
		ada: {Text: "revenue", Tags: []string{"money"}, Limit: 9}, all: {Text: "revenue", ProjectPath: "/p0", Limit: 9},
	} {
		if got := ids(t, as(t.Context(), "ada"), e, want); !slices.Equal(got, []string{q}) {
			t.Errorf("%+v finds %v, want %s", want, got, q)
		}
	}
}

// What is deleted is not found, also where its segment still has it; and a folder of the index that is gone or damaged
// is made again.
func TestDeletedAndDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := engine(t, dir)
	for n := range 40 {
		save(t, e, n, "", "revenue")
	}
	if got := ids(t, t.Context(), e, Query{Text: "revenue", Limit: 100}); len(got) != 40 {
		t.Fatalf("%d are found", len(got))
	}
	s, err := e.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err := s.PruneNotes(t.Context(), store.NotePrune{MostCheckpoints: 3}); n != 37 || err != nil {
		t.Fatalf("%d are deleted: %v", n, err)
	}
	if got := ids(t, t.Context(), e, Query{Text: "revenue", Limit: 3}); len(got) != 3 {
		t.Errorf("%v are found of the 3 that are left", got)
	}
	files, err := filepath.Glob(filepath.Join(e.checkpoints.dir, "*"+extension))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, t.Context(), engine(t, dir), Query{Text: "revenue", Limit: 5}); len(got) != 3 {
		t.Errorf("with a damaged file %v are found", got)
	}
	if err := os.RemoveAll(e.checkpoints.dir); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, t.Context(), engine(t, dir), Query{Text: "revenue", Limit: 5}); len(got) != 3 {
		t.Errorf("without the folder %v are found", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.FindCheckpoints(ctx, Query{Text: "revenue", Limit: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	last := ""
	for n := range 50 {
		id := NewID(start.Add(time.Duration(n) * time.Millisecond))
		if !form.MatchString(id) || id <= last {
			t.Errorf("%s comes after %s", id, last)
		}
		last = id
	}
	if got := NewID(time.UnixMilli(1469918176385)); !strings.HasPrefix(got, "01ARYZ6S41") { // the example of the ULID specification
		t.Errorf("the time of %s is wrong", got)
	}
}
