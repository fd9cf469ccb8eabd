package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

const one = "version: 1\nconnections: {a: {connector: x}}\n"

func TestSourceSeesEdits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, FileName)
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	put := func(text string, at time.Time) {
		t.Helper()
		write(t, dir, text)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	clock := old.Add(time.Hour)
	s := NewSource(dir, func() time.Time { return clock })
	steps := []struct {
		name string
		do   func()
		kind sdk.Kind
		want string // the only connection
	}{
		{"no file", func() {}, sdk.KindNotFound, ""},
		{"created", func() { put(one, old) }, "", "a"},
		{"untouched", func() {}, "", "a"},
		{"broken", func() { put("version: 1\nconections: {}\n", old) }, sdk.KindInvalid, ""},
		{"still broken", func() {}, sdk.KindInvalid, ""},
		{"mended", func() { put("version: 1\nconnections: {bb: {connector: x}}\n", old) }, "", "bb"},
		{"same size, other time", func() { put("version: 1\nconnections: {cc: {connector: x}}\n", old.Add(time.Second)) }, "", "cc"},
		{"same size and time, other file", func() {
			if err := os.Rename(file, file+".old"); err != nil { // it keeps its inode, as an editor's backup does
				t.Fatal(err)
			}
			put("version: 1\nconnections: {dd: {connector: x}}\n", old.Add(time.Second))
		}, "", "dd"},
		{"changed just now", func() { put("version: 1\nconnections: {ee: {connector: x}}\n", clock) }, "", "ee"},
		{"same size and time, within the time's grain", func() { put("version: 1\nconnections: {ff: {connector: x}}\n", clock) }, "", "ff"},
		{"gone", func() {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, sdk.KindNotFound, ""},
		{"back", func() { put("version: 1\nconnections: {ff: {connector: x}}\n", clock) }, "", "ff"},
	}
	for _, step := range steps {
		step.do()
		for range 2 {
			r, err := s.Connections(t.Context())
			if sdk.KindOf(err) != step.kind {
				t.Fatalf("%s: error %v, want %s", step.name, err, step.kind)
			}
			if err == nil && (r.Len() != 1 || string(r.All()[0].ID) != step.want) {
				t.Fatalf("%s: connections %v, want %s", step.name, r.All(), step.want)
			}
		}
	}
}

func TestSourceKeepsASnapshotWhileTheFileStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, one)
	for _, later := range []time.Duration{0, time.Hour} {
		clock := time.Now().Add(later)
		s := NewSource(dir, func() time.Time { return clock })
		first, err := s.Current(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Current(t.Context())
		if err != nil || second != first {
			t.Errorf("read %s after the change, the project was made again: %v", later, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewSource(dir, time.Now).Current(ctx); sdk.KindOf(err) == "" {
		t.Error("a cancelled call was answered")
	}
}

func BenchmarkCurrent(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(full), 0o600); err != nil {
		b.Fatal(err)
	}
	s := NewSource(dir, func() time.Time { return time.Now().Add(time.Hour) })
	for b.Loop() {
		if _, err := s.Current(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
