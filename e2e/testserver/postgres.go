package testserver

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The roles of every PostgreSQL server, least dangerous last. All of them log
// in with PostgresPassword over TCP and the socket.
const (
	PostgresAdmin  = "loam_admin"  // superuser
	PostgresOwner  = "loam_owner"  // owns the databases and what their scripts create
	PostgresWriter = "loam_writer" // SELECT, INSERT, UPDATE, DELETE on all of it
	PostgresReader = "loam_reader" // SELECT on all of it, nothing else

	PostgresPassword = "correct horse: battery/staple"
)

// PostgresServer is a running PostgreSQL cluster.
type PostgresServer struct {
	Host string // a loopback address
	Port int
	// SocketDir is the folder of the Unix socket.
	SocketDir string
	// CAFile is the PEM of the authority that signed the server's certificate,
	// which is good for "127.0.0.1" and "localhost".
	CAFile string
	// Version is the server's, as "15.18".
	Version string
	// AdminDSN connects as PostgresAdmin to the database "postgres".
	AdminDSN string

	process *process
	limit   time.Duration // of a statement of a test
}

// sharedPostgres are the clusters of the test process, by the folder of their
// programs.
var sharedPostgres struct {
	sync.Mutex
	clusters map[string]*shared[*PostgresServer]
}

// Postgres returns the cluster that the test process shares, starting it on
// first use. It ends with the process, however that ends.
func Postgres(t testing.TB) *PostgresServer {
	t.Helper()
	return postgresFrom(t, requirePostgres(t))
}

// PostgresAt is Postgres for a major version, such as "18".
func PostgresAt(t testing.TB, major string) *PostgresServer {
	t.Helper()
	return postgresFrom(t, requirePostgresAt(t, major))
}

// EachPostgres runs a test on the cluster of Postgres and, if that is another, on
// one of the newest major version that is known to work; with -short the first alone.
func EachPostgres(t *testing.T, test func(*testing.T, *PostgresServer)) {
	t.Helper()
	first := Postgres(t)
	t.Run(first.Version, func(t *testing.T) { test(t, first) })
	if oneIsEnough() {
		t.Log("-short: the same on another PostgreSQL")
		return
	}
	if !strings.HasPrefix(first.Version, newestPostgres+".") {
		t.Run(newestPostgres, func(t *testing.T) { test(t, PostgresAt(t, newestPostgres)) })
	}
}

func oneIsEnough() bool { return testing.Short() }

func postgresFrom(t testing.TB, bin string) *PostgresServer {
	t.Helper()
	sharedPostgres.Lock()
	if sharedPostgres.clusters == nil {
		sharedPostgres.clusters = map[string]*shared[*PostgresServer]{}
	}
	c := sharedPostgres.clusters[bin]
	if c == nil {
		c = &shared[*PostgresServer]{}
		sharedPostgres.clusters[bin] = c
	}
	sharedPostgres.Unlock()
	return c.get(t, "PostgreSQL from "+bin, func() (*PostgresServer, error) { return startPostgres(bin) })
}

// NewPostgres returns a cluster of the test's own, which the test may Kill. It
// ends with the test.
func NewPostgres(t testing.TB) *PostgresServer {
	t.Helper()
	return newPostgresFrom(t, requirePostgres(t))
}

// NewPostgresAt is NewPostgres for a major version.
func NewPostgresAt(t testing.TB, major string) *PostgresServer {
	t.Helper()
	return newPostgresFrom(t, requirePostgresAt(t, major))
}

func newPostgresFrom(t testing.TB, bin string) *PostgresServer {
	t.Helper()
	return own(t, "PostgreSQL from "+bin, func() (*PostgresServer, error) { return startPostgres(bin) })
}

// Kill ends the server at once, without a farewell to its clients, and waits
// until it is gone. Idempotent.
func (s *PostgresServer) Kill() { s.process.stop() }

// DSN returns a connection URL over TCP for one of the roles.
func (s *PostgresServer) DSN(role, database string) string {
	u := url.URL{
		Scheme: "postgres",
		User:   url.UserPassword(role, PostgresPassword),
		Host:   s.Host + ":" + strconv.Itoa(s.Port),
		Path:   "/" + database,
	}
	return u.String()
}

// PostgresDatabase is one database of a server.
type PostgresDatabase struct {
	*PostgresServer
	Name string
}

var databaseCount struct {
	sync.Mutex
	n int
}

// Database creates a database for one test, owned by PostgresOwner, runs the
// script in it as that owner, and gives PostgresReader and PostgresWriter their
// rights on everything the script made and will make in schema public and in
// every schema of the script. The database, of 8 MB, ends with the server: to drop it
// takes longer than to make it.
func (s *PostgresServer) Database(t testing.TB, script string) *PostgresDatabase {
	t.Helper()
	databaseCount.Lock()
	databaseCount.n++
	db := &PostgresDatabase{PostgresServer: s, Name: fmt.Sprintf("test_%d", databaseCount.n)}
	databaseCount.Unlock()

	admin := &PostgresDatabase{PostgresServer: s, Name: "postgres"}
	create := fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE template0", db.Name, PostgresOwner)
	if major, _, _ := strings.Cut(s.Version, "."); major >= "15" {
		create += " STRATEGY file_copy" // a fifth of the work of the other, which logs each page
	}
	admin.Exec(t, PostgresAdmin, create)
	admin.Exec(t, PostgresAdmin, fmt.Sprintf("REVOKE ALL ON DATABASE %s FROM PUBLIC; GRANT CONNECT ON DATABASE %s TO %s, %s",
		db.Name, db.Name, PostgresReader, PostgresWriter))
	db.Exec(t, PostgresOwner, script)
	db.Exec(t, PostgresAdmin, grants)
	return db
}

// grants gives the roles their rights on every schema that is not the system's.
const grants = `
DO $$ DECLARE s text; BEGIN
  FOR s IN SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %s TO loam_reader, loam_writer', s);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %s TO loam_reader, loam_writer', s);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO loam_writer', s);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO loam_writer', s);
    EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE loam_owner IN SCHEMA %s GRANT SELECT ON TABLES TO loam_reader, loam_writer', s);
  END LOOP;
END $$`

// DSN returns a connection URL to this database.
func (db *PostgresDatabase) DSN(role string) string {
	return db.PostgresServer.DSN(role, db.Name)
}

// Exec runs a script of any number of statements as a role.
func (db *PostgresDatabase) Exec(t testing.TB, role, script string) {
	t.Helper()
	if err := db.exec(t.Context(), role, db.Name, script); err != nil {
		t.Fatalf("as %s in %s: %v", role, db.Name, err)
	}
}

// Rows runs one query as a role and returns its rows as text, "NULL" for NULL.
func (db *PostgresDatabase) Rows(t testing.TB, role, query string) [][]string {
	t.Helper()
	var rows [][]string
	err := db.limited(t.Context(), func(ctx context.Context) (err error) {
		rows, err = db.ask(ctx, role, db.Name, query)
		return err
	})
	if err != nil {
		t.Fatalf("as %s in %s: %v", role, db.Name, err)
	}
	return rows
}

func (s *PostgresServer) ask(ctx context.Context, role, database, query string) ([][]string, error) {
	conn, err := pgx.Connect(ctx, s.DSN(role, database))
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	result := conn.PgConn().ExecParams(ctx, query, nil, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, result.Err
	}
	rows := make([][]string, len(result.Rows))
	for i, row := range result.Rows {
		for _, cell := range row {
			if cell == nil {
				rows[i] = append(rows[i], "NULL")
			} else {
				rows[i] = append(rows[i], string(cell))
			}
		}
	}
	return rows, nil
}

func (s *PostgresServer) exec(ctx context.Context, role, database, script string) error {
	return s.limited(ctx, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, s.DSN(role, database))
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		return conn.PgConn().Exec(ctx, script).Close()
	})
}

func (s *PostgresServer) limited(ctx context.Context, run func(context.Context) error) error {
	return limited(ctx, s.limit, run, func(ctx context.Context) ([][]string, error) {
		return s.ask(ctx, PostgresAdmin, "postgres", "SELECT pid, pg_blocking_pids(pid), usename, datname, now() - query_start, wait_event, query FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid()")
	})
}
