// Package program finds or builds the programs that tests of connectors start.
package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Connector returns the program of a connector: the one in the folder LOAM_BIN, which the
// Makefile has just built, or one that it builds for the test.
func Connector(t testing.TB, name string) string {
	t.Helper()
	program := "loam-connector-" + name
	if bin := os.Getenv("LOAM_BIN"); bin != "" {
		path := filepath.Join(bin, program)
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("LOAM_BIN: %v", err)
		}
		return path
	}
	path := filepath.Join(t.TempDir(), program)
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/loam-data/loam/cmd/"+program).CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
