package e2e

import (
	"bytes"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loam-data/loam/e2e/testserver"
)

// keyringless is a desktop's bus on which nobody answers: without it these tests would
// write to the key ring of whoever runs them.
const keyringless = "unix:path=/nonexistent"

const connectScript = `
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, amount int NOT NULL);
CREATE TABLE refunds (id int PRIMARY KEY, order_id int NOT NULL);
INSERT INTO customers SELECT i, 'c' || i FROM generate_series(1, 3) AS g(i);
INSERT INTO orders SELECT i, 1 + i % 3, 14 FROM generate_series(1, 5) AS g(i);
INSERT INTO refunds SELECT i, 1 + i % 5 FROM generate_series(1, 8) AS g(i);
ANALYZE;
`

// TestConnect runs the stories of loam connect, in which nothing is on the machine before.
func TestConnect(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, connectScript)
	other := testserver.Postgres(t).Database(t, connectScript)
	at := func(role, password, database string) string {
		u := url.URL{Scheme: "postgres", Host: net.JoinHostPort(db.Host, strconv.Itoa(db.Port)), Path: "/" + database, RawQuery: "sslmode=require", User: url.UserPassword(role, password)}
		if password == "" {
			u.User = url.User(role)
		}
		return u.String()
	}
	demo := demoProject(t)
	scripts(t, "testdata/connect", func(env *testscript.Env) {
		for name, value := range map[string]string{
			"DBUS_SESSION_BUS_ADDRESS": keyringless,
			"DB":                       db.Name, "ENV": strings.ToUpper(db.Name) + "_PASSWORD", "SECRET": testserver.PostgresPassword,
			"URL":    at(testserver.PostgresReader, testserver.PostgresPassword, db.Name),
			"BARE":   at(testserver.PostgresReader, "", db.Name),
			"OTHER":  at(testserver.PostgresReader, testserver.PostgresPassword, other.Name),
			"WRITER": at(testserver.PostgresWriter, testserver.PostgresPassword, db.Name),
			"WRONG":  at(testserver.PostgresReader, "hush", db.Name),
			"NODB":   at(testserver.PostgresReader, testserver.PostgresPassword, "nosuch"),
		} {
			env.Setenv(name, value)
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, "url"), []byte(env.Getenv("URL")+"\n"), 0o600); err != nil {
			t.Error(err)
		}
		copyFile(t, filepath.Join(demo, "data", "shop.db"), filepath.Join(env.WorkDir, "sample.db"))
	})
}

// cmdNowhere is "nowhere TEXT": no file below the working directory of the story, which
// is also the home folder, contains the text.
func cmdNowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: nowhere TEXT")
	}
	given := ts.MkAbs("../url")
	err := filepath.WalkDir(ts.Getenv("WORK"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == given {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(args[0])) || bytes.Contains(content, []byte(url.QueryEscape(args[0]))) || bytes.Contains(content, []byte(url.PathEscape(args[0]))) {
			ts.Fatalf("%s holds the text", path)
		}
		return err
	})
	ts.Check(err)
}
