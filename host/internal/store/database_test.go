package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWriteDatabaseIsAllOrNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := WriteDatabase(t.Context(), path, slices.Values([]string{"CREATE TABLE a (b)", "INSERT INTO nothing VALUES (1)"})); err == nil {
		t.Fatal("a failing statement was accepted")
	}
	if left, _ := filepath.Glob(path + "*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := WriteDatabase(t.Context(), path, slices.Values([]string{"CREATE TABLE a (b)", "INSERT INTO a VALUES (1)"})); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Error("no file")
	}
}
