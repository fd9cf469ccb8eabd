package conform_test

import (
	"os"
	"os/exec"
	"testing"

	built "github.com/loam-data/loam/e2e/program"
)

// The CSV connector that was built when contract 1.0 was the newest satisfies the kit of
// today, by the tests of the connector itself, which is a module of its own.
func TestCSVConnectorOfContract10(t *testing.T) {
	binary := built.Frozen(t, "examples/connector-csv")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-short", "-count=1", "-vet=off", "-run", "^TestConformance$/^binary$", ".")
	cmd.Dir = "../../../examples/connector-csv"
	cmd.Env = append(os.Environ(), "GOWORK=off", "LOAM_CSV_BINARY="+binary)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
