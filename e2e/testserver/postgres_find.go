package testserver

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// requirePostgres returns the folder of the newest PostgreSQL server found:
// LOAM_POSTGRES_BIN alone where it is set, else the PATH, what pg_config says
// and the folders that packages use; what scripts/setup brings where there is none, or
// with -short, which runs on one server alone, where that is newer.
func requirePostgres(t testing.TB) string {
	t.Helper()
	notOnWindows(t)
	if dir := os.Getenv("LOAM_POSTGRES_BIN"); dir != "" {
		if _, err := postgresVersion(dir); err != nil {
			t.Fatalf("LOAM_POSTGRES_BIN=%s: %v", dir, err)
		}
		return dir
	}
	folders := postgresFolders(t)
	best := newestIn(folders, nil)
	if best == "" || oneIsEnough() {
		best = newestIn(append(folders, toolsPostgres(t)...), nil)
	}
	if best == "" {
		missing(t, "no PostgreSQL server found: install postgresql (Debian, Ubuntu), postgresql-server (Fedora) or postgresql@17 (Homebrew), or set LOAM_POSTGRES_BIN to the folder of initdb and postgres")
	}
	return best
}

func notOnWindows(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		missing(t, "PostgreSQL test servers are not started on Windows")
	}
}

// newestPostgres is the newest major version that the tests run on.
const newestPostgres = "18"

// requirePostgresAt returns the folder of the newest server of a major version.
func requirePostgresAt(t testing.TB, major string) string {
	t.Helper()
	notOnWindows(t)
	number, err := strconv.Atoi(major)
	if err != nil {
		t.Fatal(err)
	}
	dir := newestIn(append(postgresFolders(t), toolsPostgres(t)...), &number)
	if dir == "" {
		missing(t, "no PostgreSQL %s found: run scripts/setup, or set LOAM_TEST_TOOLS to the folder it filled", major)
	}
	return dir
}

// newestIn returns the folder with the newest server, of a major version if one
// is named; "" for none.
func newestIn(dirs []string, major *int) (best string) {
	var newest []int
	for _, dir := range dirs {
		version, err := postgresVersion(dir)
		if err == nil && (major == nil || version[0] == *major) && slices.Compare(version, newest) > 0 {
			best, newest = dir, version
		}
	}
	return best
}

// toolsPostgres returns the folders of the servers that scripts/setup brings.
func toolsPostgres(t testing.TB) []string {
	t.Helper()
	tools, err := toolsFolder()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(tools, "postgresql-*", "native", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func postgresFolders(t testing.TB) []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	if dir := configuredPostgres(); dir != "" {
		dirs = append(dirs, dir)
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, found...)
	}
	return dirs
}

// configuredPostgres is the folder that pg_config names, "" where there is none.
var configuredPostgres = sync.OnceValue(func() string {
	out, err := exec.Command("pg_config", "--bindir").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

var knownVersions sync.Map // of servers, by their folder

var postgresNumber = regexp.MustCompile(`\d+(\.\d+)*`)

// postgresVersion returns the version of the server in a folder, which must
// have initdb too.
func postgresVersion(dir string) ([]int, error) {
	if known, ok := knownVersions.Load(dir); ok {
		return known.([]int), nil
	}
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return nil, err
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return nil, err
	}
	text := postgresNumber.FindString(string(out))
	if text == "" {
		return nil, fmt.Errorf("postgres --version says %q", out)
	}
	var version []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, err
		}
		version = append(version, n)
	}
	knownVersions.Store(dir, version)
	return version, nil
}

func versionText(version []int) string {
	parts := make([]string, len(version))
	for i, n := range version {
		parts[i] = strconv.Itoa(n)
	}
	return cmp.Or(strings.Join(parts, "."), "unknown")
}
