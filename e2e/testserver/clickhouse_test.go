package testserver_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

func TestClickHouse18UsersHaveTheirRightsAndNoMore(t *testing.T) {
	t.Parallel()
	db := testserver.ClickHouse18(t).Database(t, "CREATE TABLE a (id Int32) ENGINE = MergeTree ORDER BY id", "INSERT INTO a VALUES (1)")
	const readOnly, denied = "Code: 164,", "Code: 291,"
	for _, c := range []struct{ user, sql, refusal string }{
		{testserver.ClickHouseReader, "SELECT id FROM a", ""},
		{testserver.ClickHouseReader, "INSERT INTO a VALUES (2)", readOnly},
		{testserver.ClickHouseReader, "SELECT 1 SETTINGS max_threads = 3", readOnly},
		{testserver.ClickHouseSettings, "INSERT INTO a VALUES (2)", readOnly},
		{testserver.ClickHouseSettings, "SELECT 1 SETTINGS max_threads = 3", ""},
		{testserver.ClickHouseAdmin, "INSERT INTO a VALUES (2)", ""},
		{testserver.ClickHouseLimited, "SELECT id FROM " + db.Name + ".a", denied},
	} {
		t.Run(c.user+" "+c.sql, func(t *testing.T) {
			database := db.Name
			if c.user == testserver.ClickHouseLimited {
				database = "default"
			}
			_, err := db.Ask(t.Context(), c.user, database, c.sql)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, c.refusal) || (got == "") != (c.refusal == "") {
				t.Errorf("%q, want %q", got, c.refusal)
			}
		})
	}
}

func TestClickHouse18OfTheTestsOwnCanBeKilled(t *testing.T) {
	t.Parallel()
	s := testserver.NewClickHouse18(t)
	s.Kill()
	s.Kill()
	if _, err := s.Ask(t.Context(), testserver.ClickHouseReader, "default", "SELECT 1"); err == nil {
		t.Error("the server still answers")
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is still there: %v", s.Dir, err)
	}
}

func TestClickHouse18SpeaksTLS(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse18(t)
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	dialer := &tls.Dialer{Config: &tls.Config{RootCAs: roots}}
	for _, port := range []int{s.SecurePort, s.HTTPSPort} {
		conn, err := dialer.DialContext(t.Context(), "tcp", s.Host+":"+strconv.Itoa(port))
		if err != nil {
			t.Errorf("port %d: %v", port, err)
			continue
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}
