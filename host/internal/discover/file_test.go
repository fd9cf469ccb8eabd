package discover

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/indexer"
	state "github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// collected gives a fixture an index of files.
func collected(t *testing.T, f *fixture) *chunk.Engine {
	t.Helper()
	kept := state.NewLazy(filepath.Join(f.dir, ".loam", "state.db"))
	files := chunk.New(kept, time.Now)
	index := indexer.New(indexer.Config{Dir: filepath.Join(f.dir, "index", "files"), Files: files, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := errors.Join(index.Close(), kept.Close()); err != nil {
			t.Error(err)
		}
	})
	f.Texts, f.Service.Files = files, index
	return files
}

func keep(t *testing.T, e *chunk.Engine, repo, connection, path, text string) {
	t.Helper()
	b := &chunk.Batch{Repo: repo, Connection: connection, Files: []chunk.File{chunk.NewFile(path, chunk.ParserOf(path), text)}}
	if err := e.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func named(a *SearchAnswer) (all []string) {
	for _, r := range a.Refs {
		all = append(all, r.Kind+" "+r.ID)
	}
	return all
}

func TestFilesAreFoundWhenAskedFor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	files := collected(t, f)
	f.scan(t, "shop", snapshot{id: "1", tables: []*sdk.Table{table("public.orders", "Orders of the zebra shop.", "id bigint")}})
	ask := func(kinds ...string) *SearchAnswer {
		t.Helper()
		a, err := f.Search(t.Context(), SearchRequest{Query: "zebra", Kinds: kinds})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask("file"); len(a.Refs) != 0 || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "loam ingest files") }) || files.Began() {
		t.Errorf("before files are collected: %q, or a state store was made", a.Notes)
	}
	keep(t, files, "handbook", "shop", "a.md", "# Zoo\ntext\n## Animals\nA zebra has stripes.\n")
	keep(t, files, "internal", "", "b.md", "The zebra is a project.\n")
	if diff := cmp.Diff([]string{"table public.orders"}, named(ask())); diff != "" {
		t.Errorf("without asking for files (-want +got):\n%s", diff)
	}
	a := ask("file")
	if diff := cmp.Diff([]string{"file handbook/a.md#2", "file internal/b.md#1"}, slices.Sorted(slices.Values(named(a)))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, r := range a.Refs {
		if r.ID == "handbook/a.md#2" && (r.Summary == nil || *r.Summary != "Zoo › Animals, lines 3–4" || r.Snippet == nil || !strings.Contains(*r.Snippet, "zebra has stripes") || r.Trust != "imported" || r.ConnectionID != "shop") {
			t.Errorf("the reference is %+v", r)
		}
	}
	if got := named(ask("file", "table")); len(got) != 3 || len(ask("file", "table").Notes) != len(ask("table").Notes) {
		t.Errorf("files and tables: %q", got)
	}
	// A change is found by the next question.
	keep(t, files, "internal", "", "b.md", "The lion is a project.\n")
	if diff := cmp.Diff([]string{"file handbook/a.md#2"}, named(ask("file"))); diff != "" {
		t.Error(diff)
	}
}

// TestFilesOfOtherConnections: who may see one connection finds its files and those of none.
func TestFilesOfOtherConnections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	files := collected(t, f)
	keep(t, files, "a", "shop", "a.md", "zebra")
	keep(t, files, "b", "crm", "b.md", "zebra")
	keep(t, files, "c", "", "c.md", "zebra")
	ctx := caller.With(t.Context(), &caller.Caller{Principal: "ada", Named: true, Grant: caller.Grant{Connections: []string{"shop"}}})
	a, err := f.Search(ctx, SearchRequest{Query: "zebra", Kinds: []string{"file"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"file a/a.md#1", "file c/c.md#1"}, slices.Sorted(slices.Values(named(a)))); diff != "" {
		t.Error(diff)
	}
	if a, err = f.Search(t.Context(), SearchRequest{Query: "zebra", Connection: "crm", Kinds: []string{"file"}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"file b/b.md#1", "file c/c.md#1"}, slices.Sorted(slices.Values(named(a)))); diff != "" {
		t.Error(diff)
	}
}
