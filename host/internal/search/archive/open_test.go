package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func write(t *testing.T, path string, numbers []uint32) {
	t.Helper()
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	first := w.Section("first", 5)
	if err := PutArray(w, "numbers", numbers); err != nil {
		t.Fatal(err)
	}
	if err := w.Put("empty", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Close(), w.Commit(), w.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	numbers := make([]uint32, 700_000)
	for i := range numbers {
		numbers[i] = uint32(i * i)
	}
	write(t, path, numbers)
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(a.Bytes("first")); got != "hello" {
		t.Errorf("first = %q", got)
	}
	if diff := cmp.Diff(numbers[:10], Array[uint32](a, "numbers")[:10]); diff != "" || len(Array[uint32](a, "numbers")) != len(numbers) {
		t.Errorf("numbers: -want +got\n%s", diff)
	}
	if !a.Has("empty") || len(a.Bytes("empty")) != 0 || a.Has("none") || a.Bytes("none") != nil {
		t.Error("the empty section and the missing one are confused")
	}
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Errorf("close twice: %v", err)
	}
}

func TestOpenRefusesEveryAlteration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "index")
	write(t, path, []uint32{1, 2, 3})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	check := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(bad, content, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := Open(bad)
		if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindUnavailable || e.Hint == "" || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			a.Close()
		}
	}
	for n := range whole {
		check("cut short", whole[:n])
	}
	check("longer", append(bytes.Clone(whole), 0))
	check("empty", nil)
	check("another file", bytes.Repeat([]byte("not an index "), 100))
	a, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(whole)) // padding between sections is of no account
	for _, s := range a.sections {
		for i := s.Offset; i < s.Offset+s.Size; i++ {
			used[i] = true
		}
	}
	a.Close()
	for i := range whole {
		if used[i] || i < headerSize {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 0x40
			check("altered", flipped)
		}
	}
}

func TestOpenMissing(t *testing.T) {
	t.Parallel()
	_, err := Open(filepath.Join(t.TempDir(), "none"))
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindNotFound {
		t.Errorf("got %v, want not_found", err)
	}
}

func TestReplaceIsWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "index")
	write(t, path, []uint32{1})
	old, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	unfinished, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unfinished.Put("x", []byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unfinished.Close(), unfinished.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, path, []uint32{2})
	now, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if Array[uint32](old, "numbers")[0] != 1 || Array[uint32](now, "numbers")[0] != 2 {
		t.Error("a reader of the old file sees the new one, or the other way round")
	}
	if err := errors.Join(old.Close(), now.Close()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d files are left, want the one", len(entries))
	}
}

func TestLeftOversOfTheDeadGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "index")
	for name, age := range map[string]time.Duration{".index.123": 48 * time.Hour, ".index.456": time.Minute, ".other.1": 48 * time.Hour, "index.old": 48 * time.Hour} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, path, nil)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{".index.456", ".other.1", "index", "index.old"}, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestSectionsAreFilledExactly(t *testing.T) {
	t.Parallel()
	w, err := Create(filepath.Join(t.TempDir(), "index"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := w.Section("s", 3)
	if err := w.Commit(); err == nil {
		t.Error("committed with an open section")
	}
	if _, err := s.Write([]byte("ab")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err == nil {
		t.Error("a section is closed before it is full")
	}
	if _, err := s.Write([]byte("cd")); err == nil {
		t.Error("a section takes more than it was given")
	}
}

func TestCreateInNoFolder(t *testing.T) {
	t.Parallel()
	_, err := Create(filepath.Join(t.TempDir(), "none", "index"))
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindDenied || e.Hint == "" {
		t.Errorf("got %v, want denied with a hint", err)
	}
}
