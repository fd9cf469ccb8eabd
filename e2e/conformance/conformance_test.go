package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
)

// runs is how often in a row a requirement set must be met; once with -short.
const runs = 3

// patience bounds one run of the suite, which takes seconds.
const patience = 4 * time.Minute

// work is the folder that tested made, "" for none.
var work string

// tested is the program: the one in LOAM_BIN, which the Makefile has just built, or one that
// is built only where the suite is.
var tested = sync.OnceValues(func() (program string, err error) {
	dir := os.Getenv("LOAM_BIN")
	if dir == "" {
		if dir, err = os.MkdirTemp("", "loam-conformance-"); err != nil {
			return "", err
		}
		work = dir
		build := exec.Command("make", "--no-print-directory", "-s", "connector-sqlite", filepath.Join(dir, "loam"), "BIN="+dir)
		build.Dir = filepath.Join("..", "..")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	return filepath.Join(dir, "loam"), nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if work != "" {
		if err := os.RemoveAll(work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

var served = regexp.MustCompile(`http://\S+/mcp`)

// serve starts the server on a sample project of its own and returns its URL.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	program, err := tested()
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.Command(program, "demo", project).CombinedOutput(); err != nil {
		t.Fatalf("loam demo: %v\n%s", err, out)
	}
	cmd := exec.Command(program, append([]string{"mcp", "start", "--foreground", "--port", "0", "--project-dir", project}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, ended := make(chan string, 1), make(chan struct{})
	var log bytes.Buffer
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(&log, lines.Text())
			if found := served.FindString(lines.Text()); found != "" {
				select {
				case url <- found:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("end the server: %v", err)
		}
		<-ended
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("the server: %v\n%s", err, log.String())
		}
	})
	select {
	case found := <-url:
		return found
	case <-ended:
		t.Fatal("the server ended before it listened")
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen")
	}
	return ""
}

// suite runs the official suite against a server and returns what it prints.
func suite(t *testing.T, url string, args ...string) (code int, output string) {
	t.Helper()
	node, script := testserver.MCPSuite(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{script, "server", "--url", url}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ended:
		return exit.ExitCode(), string(out)
	case err != nil:
		t.Fatalf("run the suite: %v", err)
	}
	return 0, string(out)
}

var (
	scenarioLine = regexp.MustCompile(`(?m)^[✓✗] (\S+): (\d+) passed, (\d+) failed$`)
	notScored    = regexp.MustCompile(`(?m)^  [✓✗] (\S+) \(`)
)

// count adds up the scenarios that a requirement set demands.
func count(t *testing.T, output string) (scenarios, checks, failed int) {
	t.Helper()
	var optional []string
	for _, m := range notScored.FindAllStringSubmatch(output, -1) {
		optional = append(optional, m[1])
	}
	for _, m := range scenarioLine.FindAllStringSubmatch(output, -1) {
		if slices.Contains(optional, m[1]) {
			continue
		}
		passed, err := strconv.Atoi(m[2])
		lost, err2 := strconv.Atoi(m[3])
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		scenarios, checks, failed = scenarios+1, checks+passed, failed+lost
	}
	return scenarios, checks, failed
}

// Both requirement sets are met, again and again, by one server each.
func TestRequirementSets(t *testing.T) {
	testserver.MCPSuite(t)
	for _, set := range []struct {
		revision  string
		scenarios int
	}{{"2025-11-25", 30}, {"2026-07-28", 37}} {
		t.Run(set.revision, func(t *testing.T) {
			t.Parallel()
			url := serve(t, "--toolsets", "conformance")
			for run := range runs {
				code, output := suite(t, url, "--requirements", set.revision)
				scenarios, checks, failed := count(t, output)
				t.Logf("run %d: exit %d, %d scenarios, %d checks passed, %d failed", run+1, code, scenarios, checks, failed)
				if code != 0 || failed != 0 || scenarios != set.scenarios {
					t.Fatalf("run %d: exit %d, %d of %d scenarios, %d checks failed:\n%s", run+1, code, scenarios, set.scenarios, failed, output)
				}
			}
		})
	}
}

// Scenarios without a fixture pass for a project as it is, with the default tools and with all of them;
// so do those of the skills extension, which no requirement set has.
func TestProjectAsItIs(t *testing.T) {
	testserver.MCPSuite(t)
	for name, flags := range map[string][]string{"research": nil, "all": {"--toolsets", "all,legacy"}} {
		t.Run(name, func(t *testing.T) { scenarios(t, serve(t, flags...)) })
	}
}

// scenarios runs the scenarios that need no fixture.
func scenarios(t *testing.T, url string) {
	t.Helper()
	for _, set := range []struct{ revision, scenarios string }{
		{"2025-11-25", "server-initialize ping tools-list server-sse-multiple-streams resources-list prompts-list dns-rebinding-protection server-session-lifecycle"},
		{"2026-07-28", "tools-list server-sse-multiple-streams resources-list prompts-list sep-2164-resource-not-found dns-rebinding-protection caching " +
			"input-required-result-unsupported-methods http-header-validation"},
		{"", "sep-2640-skills-enumeration sep-2640-skills-manifest sep-2640-skills-directory"},
	} {
		for _, scenario := range strings.Fields(set.scenarios) {
			t.Run(strings.Trim(set.revision+" "+scenario, " "), func(t *testing.T) {
				t.Parallel()
				args := []string{"--scenario", scenario}
				if set.revision != "" {
					args = append(args, "--spec-version", set.revision)
				}
				code, output := suite(t, url, args...)
				if code != 0 || !strings.Contains(output, "SUCCESS") || strings.Contains(output, "FAILURE") {
					t.Errorf("exit %d:\n%s", code, output)
				}
			})
		}
	}
}
