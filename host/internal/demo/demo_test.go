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

// TestSampleIsFixed: documentation and other tests quote numbers of the sample,
// so a change of its rows is a decision: change the digests with it.
func TestSampleIsFixed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		rows       iter.Seq[string]
	}{
		{"shop", "ad8bc9322f05ad20f33d5da67ac4cfce44aae2c9264265d2c2eb12ed93a9cc8a", shopStatements()},
		{"crm", "848ad258b79f4edaae0785ba9867f34b3dab68e50982d8beb2b6a15f5e39d60e", crmStatements()},
	} {
		if got := digest(c.rows); got != c.want {
			t.Errorf("%s: digest %s, want %s", c.name, got, c.want)
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
