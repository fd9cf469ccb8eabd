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

// initialised is what a package allocates before main.
type initialised struct {
	path          string
	bytes, allocs int
}

// initialisation returns the packages that a program initialises.
func initialisation(t *testing.T, name string, args ...string) (all []initialised) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		// init PACKAGE @T ms, T ms clock, N bytes, N allocs
		fields := strings.Fields(lines.Text())
		if len(fields) != 11 || fields[0] != "init" {
			continue
		}
		size, err := strconv.Atoi(fields[7])
		if err != nil {
			t.Fatal(lines.Text())
		}
		allocs, err := strconv.Atoi(fields[9])
		if err != nil {
			t.Fatal(lines.Text())
		}
		all = append(all, initialised{fields[1], size, allocs})
	}
	if len(all) < 100 {
		t.Fatalf("%d packages in\n%s", len(all), &trace)
	}
	return all
}

// TestStartCompilesNothing measures what packages allocate before main. Patterns and tables are made
// at first use: a package of the program allocates little. The most of all packages bound what
// dependencies add to each start; the libraries of tests are counted as well.
func TestStartCompilesNothing(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	const (
		module      = "github.com/loam-data/loam/"
		mostAllocs  = 500 // a list of words or a pattern is one, of 16 bytes
		mostOwn     = 300 << 10
		mostOverall = 3800 << 10
		mostCount   = 345
	)
	var own, overall int
	all := initialisation(t, os.Args[0], "-test.run=^$")
	for _, p := range all {
		overall += p.bytes
		if !strings.HasPrefix(p.path, module) {
			continue
		}
		own += p.bytes
		if p.allocs > mostAllocs {
			t.Errorf("%s allocates %d times; the limit is %d", p.path, p.allocs, mostAllocs)
		}
	}
	if own > mostOwn {
		t.Errorf("packages of the program allocate %d bytes; the limit is %d", own, mostOwn)
	}
	if overall > mostOverall {
		t.Errorf("all packages allocate %d bytes; the limit is %d", overall, mostOverall)
	}
	if len(all) > mostCount {
		t.Errorf("%d packages are initialised; the limit is %d", len(all), mostCount)
	}
	t.Logf("%d packages, %d bytes, of the program %d", len(all), overall, own)
}
