package testserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/e2e/testserver"
)

const childEnv = "LOAM_TESTSERVER_CHILD"

func TestPostgresRolesHaveTheirRightsAndNoMore(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `
		CREATE TABLE a (id int); INSERT INTO a VALUES (1), (NULL);
		CREATE SCHEMA s; CREATE TABLE s.b (id int);`)
	const insert = "INSERT INTO s.b VALUES (1)"
	for _, c := range []struct {
		role, sql, code string
	}{
		{testserver.PostgresReader, "SELECT * FROM s.b", ""},
		{testserver.PostgresReader, insert, "42501"},
		{testserver.PostgresReader, "CREATE TABLE x ()", "42501"},
		{testserver.PostgresReader, "CREATE TEMP TABLE x ()", "42501"},
		{testserver.PostgresWriter, insert, ""},
		{testserver.PostgresWriter, "DROP TABLE s.b", "42501"},
		{testserver.PostgresOwner, insert, ""},
		{testserver.PostgresOwner, "COPY a TO PROGRAM 'cat'", "42501"},
		{testserver.PostgresAdmin, "CREATE EXTENSION IF NOT EXISTS plpgsql", ""},
	} {
		t.Run(c.role+" "+c.sql, func(t *testing.T) {
			conn, err := pgx.Connect(t.Context(), db.DSN(c.role))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.WithoutCancel(t.Context()))
			_, err = conn.Exec(t.Context(), c.sql)
			got := ""
			if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
				got = refused.Code
			} else if err != nil {
				t.Fatal(err)
			}
			if got != c.code {
				t.Errorf("SQLSTATE %q, want %q", got, c.code)
			}
		})
	}
	want := [][]string{{"1"}, {"NULL"}}
	if diff := cmp.Diff(want, db.Rows(t, testserver.PostgresReader, "SELECT id FROM a ORDER BY id")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestPostgresSpeaksTLS(t *testing.T) {
	t.Parallel()
	s := testserver.Postgres(t)
	conn, err := pgx.Connect(t.Context(), s.AdminDSN+"?sslmode=verify-full&sslrootcert="+s.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestPostgresEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	s := testserver.Postgres(t)
	if os.Getenv(childEnv) != "" { // this is the process that is killed
		fmt.Printf("%d %s\n", s.Port, s.SocketDir)
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
	var dir string
	if _, err := fmt.Sscanf(line, "%d %s", &port, &dir); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	eventually(t, "the folder goes", func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, os.ErrNotExist)
	})
	if conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
		conn.Close()
		t.Error("the server still listens")
	}
}

func TestPostgresOfTheTestsOwnCanBeKilled(t *testing.T) {
	t.Parallel()
	s := testserver.NewPostgres(t)
	conn, err := pgx.Connect(t.Context(), s.AdminDSN)
	if err != nil {
		t.Fatal(err)
	}
	s.Kill()
	s.Kill()
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("the server still answers")
	}
	if _, err := os.Stat(s.SocketDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is still there: %v", s.SocketDir, err)
	}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not within 2 minutes", what)
		}
	}
}
