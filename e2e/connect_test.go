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

const connectTables = `
CREATE TABLE customers (id int PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL, amount int NOT NULL, FOREIGN KEY (customer_id) REFERENCES customers (id));
CREATE TABLE refunds (id int PRIMARY KEY, order_id int NOT NULL);
`

const connectRows = `
INSERT INTO customers SELECT i, 'c' || i FROM generate_series(1, 3) AS g(i);
INSERT INTO orders SELECT i, 1 + i % 3, 14 FROM generate_series(1, 5) AS g(i);
INSERT INTO refunds SELECT i, 1 + i % 5 FROM generate_series(1, 8) AS g(i);
ANALYZE;
`

// TestConnect runs the stories of loam connect, in which nothing is on the machine before.
func TestConnect(t *testing.T) {
	t.Parallel()
	stories := []string{"file", "postgres"}
	if testing.Short() {
		t.Log("-short: the stories of testdata/connect but " + strings.Join(stories, " and "))
	} else {
		stories = append(stories, "again", "elsewhere", "files")
	}
	demo := demoProject(t)
	variables := connectVariables(t)
	if !testing.Short() {
		mariaDB := testserver.MariaDB(t).Database(t, connectTables)
		clickHouse := testserver.ClickHouse(t).Database(t, "CREATE TABLE events (id UInt32, name String) ENGINE = MergeTree ORDER BY id")
		variables["MARIADB"] = connectURL("mysql", testserver.MariaDBReader, testserver.MariaDBPassword, mariaDB.Host, mariaDB.Port, mariaDB.Name)
		variables["CLICKHOUSE"] = connectURL("http", testserver.ClickHouseReader, testserver.ClickHousePassword, clickHouse.Host, clickHouse.Port, clickHouse.Name)
	}
	for i, story := range stories {
		stories[i] = filepath.Join("testdata", "connect", story+".txtar")
	}
	scripts(t, "", func(env *testscript.Env) {
		for name, value := range variables {
			env.Setenv(name, value)
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, "url"), []byte(variables["URL"]+"\n"), 0o600); err != nil {
			t.Error(err)
		}
		copyFile(t, filepath.Join(demo, "data", "shop.db"), filepath.Join(env.WorkDir, "sample.db"))
	}, stories...)
}

// connectVariables are the URLs of two databases of PostgreSQL, and of attempts that fail.
func connectVariables(t *testing.T) map[string]string {
	t.Helper()
	db := testserver.Postgres(t).Database(t, connectTables+connectRows)
	other := testserver.Postgres(t).Database(t, connectTables)
	at := func(role, password, database string) string {
		return connectURL("postgres", role, password, db.Host, db.Port, database) + "?sslmode=require"
	}
	return map[string]string{
		"DBUS_SESSION_BUS_ADDRESS": keyringless,
		"DB":                       db.Name, "ENV": strings.ToUpper(db.Name) + "_PASSWORD", "SECRET": testserver.PostgresPassword,
		"URL":    at(testserver.PostgresReader, testserver.PostgresPassword, db.Name),
		"BARE":   at(testserver.PostgresReader, "", db.Name),
		"OTHER":  at(testserver.PostgresReader, testserver.PostgresPassword, other.Name),
		"WRITER": at(testserver.PostgresWriter, testserver.PostgresPassword, db.Name),
		"WRONG":  at(testserver.PostgresReader, "hush", db.Name),
		"NODB":   at(testserver.PostgresReader, testserver.PostgresPassword, "nosuch"),
	}
}

// connectURL is a connection URL; without a password it has none.
func connectURL(scheme, user, password, host string, port int, database string) string {
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, strconv.Itoa(port)), Path: "/" + database, User: url.UserPassword(user, password)}
	if password == "" {
		u.User = url.User(user)
	}
	return u.String()
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
