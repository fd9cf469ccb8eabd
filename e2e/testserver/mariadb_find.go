package testserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"testing"
)

// mariaDBPrograms are what a server is made of.
type mariaDBPrograms struct {
	server  string // mariadbd
	install string // mariadb-install-db
	zones   string // mariadb-tzinfo-to-sql; "" = the server knows no time zones
	version string
}

var (
	mariaDBFolders = []string{"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/bin", "/opt/homebrew/bin", "/usr/local/mysql/bin"}
	mariaDBVersion = regexp.MustCompile(`\d+\.\d+\.\d+-MariaDB`)
)

// requireMariaDB returns the programs of the server found: those in
// LOAM_MARIADB_BIN where it is set, else in the PATH and the folders that
// packages use.
func requireMariaDB(t testing.TB) *mariaDBPrograms {
	t.Helper()
	if runtime.GOOS == "windows" {
		missing(t, "MariaDB test servers are not started on Windows")
	}
	if dir := os.Getenv("LOAM_MARIADB_BIN"); dir != "" {
		found, err := mariaDBIn([]string{dir})
		if err != nil {
			t.Fatalf("LOAM_MARIADB_BIN=%s: %v", dir, err)
		}
		return found
	}
	found, err := installedMariaDB()
	if err != nil {
		missing(t, "no MariaDB server found (%v): install mariadb-server (Debian, Ubuntu, Fedora) or mariadb (Homebrew), or set LOAM_MARIADB_BIN to the folder of mariadbd and mariadb-install-db", err)
	}
	return found
}

// installedMariaDB looks once: it asks the server for its version.
var installedMariaDB = sync.OnceValues(func() (*mariaDBPrograms, error) {
	return mariaDBIn(append(filepath.SplitList(os.Getenv("PATH")), mariaDBFolders...))
})

func mariaDBIn(folders []string) (*mariaDBPrograms, error) {
	find := func(name string) (string, error) {
		for _, dir := range folders {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
		return "", fmt.Errorf("there is no %s", name)
	}
	server, serverErr := find("mariadbd")
	install, installErr := find("mariadb-install-db")
	if err := errors.Join(serverErr, installErr); err != nil {
		return nil, err
	}
	zones, err := find("mariadb-tzinfo-to-sql")
	if err != nil {
		zones = ""
	}
	out, err := exec.Command(server, "--no-defaults", "--version").Output()
	if err != nil {
		return nil, err
	}
	version := mariaDBVersion.FindString(string(out))
	if version == "" {
		return nil, fmt.Errorf("%s says %q", server, out)
	}
	return &mariaDBPrograms{server, install, zones, version}, nil
}
