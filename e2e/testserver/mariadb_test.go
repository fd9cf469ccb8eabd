package testserver_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

func TestMariaDBAccountsHaveTheirRightsAndNoMore(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `
		CREATE TABLE a (id int); INSERT INTO a VALUES (1), (NULL);
		CREATE DATABASE {db}_s; CREATE TABLE {db}_s.b (id int);`)
	insert := "INSERT INTO " + db.Name + "_s.b VALUES (1)"
	for _, c := range []struct {
		account, sql string
		code         uint16
	}{
		{testserver.MariaDBReader, "SELECT * FROM " + db.Name + "_s.b", 0},
		{testserver.MariaDBReader, insert, 1142},
		{testserver.MariaDBReader, "CREATE TABLE x (id int)", 1142},
		{testserver.MariaDBReader, "CREATE TEMPORARY TABLE x (id int)", 1044},
		{testserver.MariaDBReader, "SELECT 1 INTO OUTFILE '/tmp/loam-none'", 1227},
		{testserver.MariaDBWriter, insert, 0},
		{testserver.MariaDBWriter, "DROP TABLE " + db.Name + "_s.b", 1142},
		{testserver.MariaDBOwner, insert, 0},
		{testserver.MariaDBOwner, "CREATE DATABASE elsewhere", 1044},
		{testserver.MariaDBAdmin, "SET GLOBAL max_connections = 200", 0},
	} {
		t.Run(c.account+" "+c.sql, func(t *testing.T) {
			pool, err := sql.Open("mysql", db.DSN(c.account))
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			_, err = pool.ExecContext(t.Context(), c.sql)
			var got uint16
			if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
				got = refused.Number
			} else if err != nil {
				t.Fatal(err)
			}
			if got != c.code {
				t.Errorf("error %d, want %d: %v", got, c.code, err)
			}
		})
	}
	want := [][]string{{"NULL"}, {"1"}}
	if diff := cmp.Diff(want, db.Rows(t, testserver.MariaDBReader, "SELECT id FROM a ORDER BY id")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A statement whose client is gone would run on beside the tests that follow.
func TestMariaDBStatementsEndWithTheirTest(t *testing.T) {
	t.Parallel()
	server := testserver.MariaDB(t)
	observer := server.Database(t, "")
	running := func() bool {
		return observer.Rows(t, testserver.MariaDBAdmin, "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT COUNT%left behind%' AND info NOT LIKE '%processlist%'")[0][0] != "0"
	}
	t.Run("leaves one", func(t *testing.T) {
		pool, err := sql.Open("mysql", server.Database(t, "").DSN(testserver.MariaDBReader))
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := pool.ExecContext(ctx, "SELECT COUNT(*) /* left behind */ FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq < 0")
			left <- err
		}()
		eventually(t, "the statement runs", running)
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if !running() {
			t.Error("the server ends what its client left: this test shows nothing")
		}
	})
	eventually(t, "the statement ends with its test", func() bool { return !running() })
}

func TestMariaDBKnowsClientsByTheirCertificate(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	pem, err := os.ReadFile(db.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(db.ClientCert, db.ClientKey)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	for name, certificates := range map[string][]tls.Certificate{"with": {pair}, "without": nil} {
		cfg := mysql.NewConfig()
		cfg.User, cfg.Net, cfg.Addr, cfg.DBName = testserver.MariaDBCertified, "tcp", net.JoinHostPort(db.Host, strconv.Itoa(db.Port)), db.Name
		cfg.Logger = &mysql.NopLogger{}
		cfg.TLS = &tls.Config{RootCAs: roots, ServerName: "localhost", Certificates: certificates, MinVersion: tls.VersionTLS12}
		connector, err := mysql.NewConnector(cfg)
		if err != nil {
			t.Fatal(err)
		}
		pool := sql.OpenDB(connector)
		err = pool.PingContext(t.Context())
		if (err == nil) != (certificates != nil) {
			t.Errorf("%s the certificate: %v", name, err)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMariaDBEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	s := testserver.MariaDB(t)
	if os.Getenv(childEnv) != "" { // this is the process that is killed
		fmt.Printf("%d %s\n", s.Port, s.Socket)
		select {}
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childEnv+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var port int
	var socket string
	if _, err := fmt.Sscanf(line, "%d %s", &port, &socket); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	eventually(t, "the folder goes", func() bool {
		_, err := os.Stat(filepath.Dir(socket))
		return errors.Is(err, os.ErrNotExist)
	})
	if conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
		conn.Close()
		t.Error("the server still listens")
	}
}

func TestMariaDBOfTheTestsOwnCanBeKilled(t *testing.T) {
	t.Parallel()
	s := testserver.NewMariaDB(t, "--read-only")
	pool, err := sql.Open("mysql", s.DSN(testserver.MariaDBAdmin, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var readOnly bool
	if err := pool.QueryRowContext(t.Context(), "SELECT @@read_only").Scan(&readOnly); err != nil || !readOnly {
		t.Errorf("the option did not arrive: %v, %v", readOnly, err)
	}
	s.Kill()
	s.Kill()
	if err := pool.PingContext(t.Context()); err == nil {
		t.Error("the server still answers")
	}
	if _, err := os.Stat(filepath.Dir(s.Socket)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of %s is still there: %v", s.Socket, err)
	}
}
