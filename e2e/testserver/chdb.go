package testserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// ClickHouseWriter reads and writes rows, and ends statements. The old server has
// no such account.
const ClickHouseWriter = "loam_writer"

// ClickHouseServer is today's ClickHouse engine as a library behind an HTTP front:
// the doc comment of the program in the folder chdb says where it is not a real
// server. Its accounts have grants: ClickHouseAdmin everything, ClickHouseWriter
// SHOW, SELECT, INSERT and KILL QUERY, ClickHouseReader (readonly = 1) and
// ClickHouseSettings (readonly = 2) SHOW and SELECT, ClickHouseLimited the same in
// the database "default" alone.
type ClickHouseServer struct {
	Host string // a loopback address
	Port int    // for HTTP
	// TLSPort is for HTTPS. The certificate is good for "127.0.0.1" and
	// "localhost".
	TLSPort int
	// CAFile is the PEM of the authority that signed the certificate.
	CAFile string
	// Version is the engine's, as "26.7.2.1".
	Version string

	folder  string
	process *process
}

var sharedFront shared[*ClickHouseServer]

// ClickHouse returns the server that the test process shares, starting it on
// first use. It ends with the process, however that ends.
func ClickHouse(t testing.TB) *ClickHouseServer {
	t.Helper()
	library := requireFront(t)
	return sharedFront.get(t, "the front of "+library, func() (*ClickHouseServer, error) { return startFront(library) })
}

// NewClickHouse returns a server of the test's own, which the test may Kill. It
// ends with the test.
func NewClickHouse(t testing.TB) *ClickHouseServer {
	t.Helper()
	library := requireFront(t)
	return own(t, "the front of "+library, func() (*ClickHouseServer, error) { return startFront(library) })
}

// Kill ends the server at once, without a farewell to its clients, and waits
// until it is gone. Idempotent.
func (s *ClickHouseServer) Kill() { s.process.stop() }

// URL returns the address of the HTTP interface for one of the users. The
// query is of settings and other parameters, as in "database=x&readonly=1".
func (s *ClickHouseServer) URL(user, query string) string {
	u := url.URL{
		Scheme: "http", User: url.UserPassword(user, ClickHousePassword),
		Host: s.Host + ":" + strconv.Itoa(s.Port), Path: "/", RawQuery: query,
	}
	return u.String()
}

// DSN returns clickhouse-go's connection URL for one of the users.
func (s *ClickHouseServer) DSN(user, database string) string {
	u := url.URL{
		Scheme: "http", User: url.UserPassword(user, ClickHousePassword),
		Host: s.Host + ":" + strconv.Itoa(s.Port), Path: "/" + database,
	}
	return u.String()
}

// ClickHouseDatabase is one database of a server.
type ClickHouseDatabase struct {
	*ClickHouseServer
	Name string
}

// Database creates a database for one test and runs the statements in it as the
// administrator. It ends with the test.
func (s *ClickHouseServer) Database(t testing.TB, setup ...string) *ClickHouseDatabase {
	t.Helper()
	return s.database(t, "test", setup)
}

// Forbidden is Database, of which nobody but the administrator may read the rows.
func (s *ClickHouseServer) Forbidden(t testing.TB, setup ...string) *ClickHouseDatabase {
	t.Helper()
	return s.database(t, "forbidden", setup)
}

func (s *ClickHouseServer) database(t testing.TB, prefix string, setup []string) *ClickHouseDatabase {
	t.Helper()
	databaseCount.Lock()
	databaseCount.n++
	db := &ClickHouseDatabase{ClickHouseServer: s, Name: fmt.Sprintf("%s_%d", prefix, databaseCount.n)}
	databaseCount.Unlock()
	(&ClickHouseDatabase{ClickHouseServer: s, Name: "default"}).Exec(t, "CREATE DATABASE "+db.Name)
	t.Cleanup(func() {
		if s.process.stopped() {
			return
		}
		if _, err := s.Ask(context.Background(), ClickHouseAdmin, "default", "DROP DATABASE "+db.Name+" SYNC"); err != nil {
			t.Errorf("dropping %s: %v", db.Name, err)
		}
	})
	db.Exec(t, setup...)
	return db
}

// DSN returns clickhouse-go's connection URL to this database.
func (db *ClickHouseDatabase) DSN(user string) string {
	return db.ClickHouseServer.DSN(user, db.Name)
}

// Exec runs statements in the database as the administrator.
func (db *ClickHouseDatabase) Exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := db.Ask(t.Context(), ClickHouseAdmin, db.Name, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// Ask runs a statement as a user and returns its answer, tabs between the
// columns.
// Errors: what the server said, "Code: 164. …".
func (s *ClickHouseServer) Ask(ctx context.Context, user, database, sql string) (string, error) {
	address := s.URL(user, url.Values{"database": {database}, "wait_end_of_query": {"1"}}.Encode())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(sql))
	if err != nil {
		return "", err
	}
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

// toolsFolder is where scripts/setup puts what it brings itself.
func toolsFolder() (string, error) {
	if dir := os.Getenv("LOAM_TEST_TOOLS"); dir != "" {
		return dir, nil
	}
	if os.Geteuid() == 0 {
		return "/var/cache/loam-test", nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "loam-test"), err
}

// requireFront returns the path of the engine's library.
func requireFront(t testing.TB) string {
	t.Helper()
	tools, err := toolsFolder()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(tools, "clickhouse-26.7", "libchdb.so")
	if _, err := os.Stat(library); err != nil {
		missing(t, "no ClickHouse engine at %s: run scripts/setup, or set LOAM_TEST_TOOLS to the folder it filled", library)
	}
	if problem := compilerProblem(); problem != "" {
		missing(t, "the front of the ClickHouse engine cannot be built: %s", problem)
	}
	return library
}
