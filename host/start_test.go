package host

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestStartCompilesNothing counts what each package of the program allocates before main:
// patterns and tables are made when they are first used.
func TestStartCompilesNothing(t *testing.T) {
	t.Parallel()
	const module, most = "github.com/loam-data/loam/", 600
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	packages := 0
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		// init PACKAGE @T ms, T ms clock, N bytes, N allocs
		fields := strings.Fields(lines.Text())
		if len(fields) != 11 || fields[0] != "init" || !strings.HasPrefix(fields[1], module) {
			continue
		}
		packages++
		if allocs, err := strconv.Atoi(fields[9]); err != nil || allocs > most {
			t.Errorf("%s: more than %d allocations", lines.Text(), most)
		}
	}
	if packages < 10 {
		t.Errorf("%d packages in\n%s", packages, &trace)
	}
}
