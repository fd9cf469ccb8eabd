package testserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// The users of every ClickHouse server of the Debian package, which has no
// grants: a profile says what a user may do, and a list which databases it sees.
// All of them log in with ClickHousePassword, from the loopback only.
const (
	ClickHouseAdmin    = "loam_admin"    // readonly = 0
	ClickHouseSettings = "loam_settings" // readonly = 2: reads, and changes settings
	ClickHouseReader   = "loam_reader"   // readonly = 1: reads, and changes nothing
	ClickHouseLimited  = "loam_limited"  // readonly = 0, sees the databases "default" and ClickHouseVisible alone

	ClickHousePassword = "correct horse: battery/staple"
)

// ClickHouseVisible is a database of the 18.16 server, for a test to create.
const ClickHouseVisible = "loam_visible"

// ClickHousePolicied is a database of today's engine, for a test to create. A row policy
// shows all users of its table "salaries" only the rows where team = 'own'.
const ClickHousePolicied = "loam_policied"

// ClickHouse18Server is a running ClickHouse server of version 18.16, the last one
// in Debian.
type ClickHouse18Server struct {
	Host string // a loopback address
	// Port speaks the native protocol, SecurePort the same over TLS, HTTPPort and
	// HTTPSPort HTTP.
	Port, SecurePort, HTTPPort, HTTPSPort int
	// Dir is the server's folder.
	Dir string
	// CAFile is the PEM of the authority that signed the server's certificate,
	// which is good for "127.0.0.1" and "localhost".
	CAFile string
	// Version is the server's, as "18.16.1".
	Version string

	process *process
}

var sharedClickHouse18 shared[*ClickHouse18Server]

// ClickHouse18 returns the server that the test process shares, starting it on
// first use. It ends with the process, however that ends.
func ClickHouse18(t testing.TB) *ClickHouse18Server {
	t.Helper()
	bin := requireClickHouse18(t)
	return sharedClickHouse18.get(t, bin, func() (*ClickHouse18Server, error) { return startClickHouse18(bin) })
}

// NewClickHouse18 returns a server of the test's own, which the test may Kill.
// It ends with the test.
func NewClickHouse18(t testing.TB) *ClickHouse18Server {
	t.Helper()
	bin := requireClickHouse18(t)
	return own(t, bin, func() (*ClickHouse18Server, error) { return startClickHouse18(bin) })
}

// requireClickHouse18 returns the server's program: LOAM_CLICKHOUSE_SERVER where
// it is set, else the one on the PATH or in the folder of the Debian package.
func requireClickHouse18(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("LOAM_CLICKHOUSE_SERVER"); path != "" {
		return path
	}
	for _, name := range []string{"clickhouse-server", "/usr/sbin/clickhouse-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "no ClickHouse server found: install clickhouse-server (Debian 12), or set LOAM_CLICKHOUSE_SERVER to the program of version 18.16")
	return ""
}

// Kill ends the server at once, without a farewell to its clients, and waits
// until it is gone. Idempotent.
func (s *ClickHouse18Server) Kill() { s.process.stop() }

// Ask runs a statement as a user over HTTP and returns its answer, tabs between
// the columns; with INSERT … VALUES too.
// Errors: what the server said, "Code: 164, …".
func (s *ClickHouse18Server) Ask(ctx context.Context, user, database, sql string) (string, error) {
	u := url.URL{
		Scheme: "http", Host: s.Host + ":" + strconv.Itoa(s.HTTPPort), Path: "/",
		RawQuery: url.Values{"database": {database}}.Encode(),
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(user, ClickHousePassword)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(strings.TrimSpace(string(body)))
	}
	return string(body), err
}

// ClickHouse18Database is one database of a server.
type ClickHouse18Database struct {
	*ClickHouse18Server
	Name string
}

// Database creates a database for one test and runs statements in it as the
// administrator. It ends with the test.
func (s *ClickHouse18Server) Database(t testing.TB, statements ...string) *ClickHouse18Database {
	t.Helper()
	databaseCount.Lock()
	databaseCount.n++
	name := fmt.Sprintf("test_%d", databaseCount.n)
	databaseCount.Unlock()
	return s.create(t, name, statements)
}

// Visible is Database for ClickHouseVisible, one test at a time.
func (s *ClickHouse18Server) Visible(t testing.TB, statements ...string) *ClickHouse18Database {
	t.Helper()
	return s.create(t, ClickHouseVisible, statements)
}

func (s *ClickHouse18Server) create(t testing.TB, name string, statements []string) *ClickHouse18Database {
	t.Helper()
	db := &ClickHouse18Database{ClickHouse18Server: s, Name: name}
	(&ClickHouse18Database{ClickHouse18Server: s, Name: "default"}).Exec(t, "CREATE DATABASE "+db.Name)
	t.Cleanup(func() {
		if s.process.stopped() {
			return
		}
		if _, err := s.Ask(context.Background(), ClickHouseAdmin, "default", "DROP DATABASE "+db.Name); err != nil {
			t.Errorf("dropping %s: %v", db.Name, err)
		}
	})
	db.Exec(t, statements...)
	return db
}

// Exec runs statements as the administrator.
func (db *ClickHouse18Database) Exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := db.Ask(t.Context(), ClickHouseAdmin, db.Name, sql); err != nil {
			t.Fatalf("in %s: %s: %v", db.Name, strings.TrimSpace(sql), err)
		}
	}
}
