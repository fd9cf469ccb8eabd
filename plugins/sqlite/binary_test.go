package sqlite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary builds the connector's program with its manifest beside it.
func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "loam-connector-sqlite")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/loam-connector-sqlite")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	manifest, err := exec.CommandContext(t.Context(), path, "manifest").Output()
	if err != nil {
		t.Fatalf("manifest: %v", err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "connector.json"), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
