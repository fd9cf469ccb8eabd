package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSampleIsFixed: documentation and later tests quote numbers of the sample.
func TestSampleIsFixed(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]iter.Seq[string]{"shop": shopStatements(), "crm": crmStatements()} {
		first, again := digest(rows), digest(rows)
		if first != again {
			t.Errorf("%s differs between two runs", name)
		}
	}
}

func digest(rows iter.Seq[string]) string {
	sum := sha256.New()
	for row := range rows {
		sum.Write([]byte(row + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func TestBuildKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	written := 0
	write := func(_ context.Context, path string, rows iter.Seq[string]) error {
		written++
		for row := range rows {
			if !strings.HasPrefix(row, "INSERT") && !strings.HasPrefix(row, "--") {
				t.Errorf("statement %.40q", row)
			}
		}
		return os.WriteFile(path, nil, 0o600)
	}
	if err := Build(t.Context(), dir, write); err != nil {
		t.Fatal(err)
	}
	mine := []byte("version: 1\n# mine\n")
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), mine, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Build(t.Context(), dir, write); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "loam.yaml")); string(got) != string(mine) {
		t.Errorf("loam.yaml was overwritten: %s", got)
	}
	if written != 2 {
		t.Errorf("%d databases written, want 2", written)
	}
}
