package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// A batch that the disk has no room for stores and deletes nothing: a renamed file keeps its old name.
func TestChunksOnAFullDisk(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	batch := func(path, content string, deleted ...ChunkKey) *ChunkBatch {
		return &ChunkBatch{
			Repo: "handbook", At: at, Files: []ChunkFile{{Path: path, Parser: "raw-text", ParserVersion: 1, Hash: []byte{1}}},
			Chunks: [][]Chunk{{{Ordinal: 1, Hash: []byte{1}, FirstLine: 1, LastLine: 1, Content: content}}}, Deleted: deleted,
		}
	}
	paths := func() (all []string) {
		t.Helper()
		files, err := s.ChunkFiles(t.Context(), "handbook")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			all = append(all, f.Path)
		}
		return all
	}
	room := func(pages int) {
		t.Helper()
		if _, err := s.write.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutChunks(t.Context(), batch("old", "text")); err != nil {
		t.Fatal(err)
	}
	var pages int
	if err := s.write.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	room(pages + 2)
	rename := batch("new", strings.Repeat("x", 100_000), ChunkKey{Path: "old", Parser: "raw-text"})
	err := s.PutChunks(t.Context(), rename)
	if e := sdk.AsError(err, sdk.SourceHost); err == nil || e.Kind != sdk.KindLimit || !strings.Contains(e.Msg, "full") || e.Hint == "" {
		t.Errorf("a full disk: %v", err)
	}
	if diff := cmp.Diff([]string{"old"}, paths()); diff != "" {
		t.Error(diff)
	}
	room(1 << 20)
	if err := s.PutChunks(t.Context(), rename); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"new"}, paths()); diff != "" {
		t.Error(diff)
	}
}
