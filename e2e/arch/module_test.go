package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// outside runs the go tool in a folder of the repository as for somebody who has no
// other: without the workspace.
func outside(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = filepath.Join(root(t), folder)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s in %s: %v\n%s", strings.Join(args, " "), folder, err, out)
	}
	return string(out)
}

var foreignDriver = regexp.MustCompile(`(?i)duckdb|arrow|jackc/|mysql|clickhouse|mssql|gosnowflake|bigquery`)

// A connector's module stays small: nothing of another's comes with the sdk. The graph
// of gRPC's own go.mod is half of it (docs/adr/0018).
func TestAModuleOfAConnectorStaysSmall(t *testing.T) {
	for folder, limit := range map[string]struct{ graph, needed int }{
		"proto":                  {graph: 40, needed: 8},
		"sdk":                    {graph: 60, needed: 24},
		"examples/connector-csv": {graph: 80, needed: 28}, // 20 of them are its driver's
	} {
		t.Run(folder, func(t *testing.T) {
			outside(t, folder, "mod", "tidy", "-diff")
			graph := strings.Split(strings.TrimSpace(outside(t, folder, "list", "-m", "all")), "\n")
			if len(graph) > limit.graph {
				t.Errorf("the graph has %d modules; the limit is %d", len(graph), limit.graph)
			}
			needed := 0
			for module := range strings.SplitSeq(strings.TrimSpace(outside(t, folder, "list", "-m", "-f", "{{.Path}}", "all")), "\n") {
				if foreignDriver.MatchString(module) {
					t.Errorf("%s is in the graph", module)
				}
			}
			sums, err := os.ReadFile(filepath.Join(root(t), folder, "go.mod"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(sums)) {
				if strings.HasPrefix(line, "\t") && !strings.Contains(line, "=>") {
					needed++
				}
			}
			if needed > limit.needed {
				t.Errorf("go.mod needs %d modules; the limit is %d", needed, limit.needed)
			}
		})
	}
}
