package testserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// The accounts of every MariaDB server, least dangerous last. All of them log
// in over TCP with MariaDBPassword, but for MariaDBCertified, which logs in over
// TLS with the client's certificate and no password.
const (
	MariaDBAdmin  = "loam_admin"  // ALL on everything, with GRANT OPTION
	MariaDBOwner  = "loam_owner"  // ALL on the test's databases
	MariaDBWriter = "loam_writer" // SELECT, INSERT, UPDATE, DELETE, EXECUTE on them
	MariaDBReader = "loam_reader" // SELECT and SHOW VIEW on them, nothing else

	MariaDBCertified = "loam_certified"

	MariaDBPassword = "correct horse: battery/staple"
)

// MariaDBServer is a running MariaDB. Its settings are such that a client which
// relies on them is found out: its time zone is +05:30, and its groups are cut
// at 64 bytes.
type MariaDBServer struct {
	Host string // a loopback address
	Port int
	// Socket is the path of the Unix socket.
	Socket string
	// CAFile is the PEM of the authority that signed the server's certificate,
	// which is good for "127.0.0.1" and "localhost".
	CAFile string
	// ClientCert and ClientKey are the PEMs of MariaDBCertified.
	ClientCert, ClientKey string
	// Version is the server's, as "10.11.19-MariaDB".
	Version string

	process *process
	limit   time.Duration // of a statement of a test
}

var sharedMariaDB shared[*MariaDBServer]

// MariaDB returns the server that the test process shares, starting it on first
// use. It ends with the process, however that ends. Nobody drops a FEDERATED server
// of it: DROP SERVER waits for open tables while who opens one waits for DROP SERVER,
// and the whole of MariaDB hangs.
func MariaDB(t testing.TB) *MariaDBServer {
	t.Helper()
	found := requireMariaDB(t)
	return sharedMariaDB.get(t, "MariaDB from "+found.server, func() (*MariaDBServer, error) { return startMariaDB(found, nil) })
}

// NewMariaDB returns a server of the test's own with more options ("--read-only"),
// which the test may Kill. It ends with the test.
func NewMariaDB(t testing.TB, options ...string) *MariaDBServer {
	t.Helper()
	found := requireMariaDB(t)
	return own(t, "MariaDB from "+found.server, func() (*MariaDBServer, error) { return startMariaDB(found, options) })
}

// Kill ends the server at once, without a farewell to its clients, and waits
// until it is gone. Idempotent.
func (s *MariaDBServer) Kill() { s.process.stop() }

// DSN returns a data source name over TCP for one of the accounts, for
// go-sql-driver/mysql: several statements at once are allowed, in UTC.
func (s *MariaDBServer) DSN(account, database string) string {
	return s.driver(account, database).FormatDSN()
}

func (s *MariaDBServer) driver(account, database string) *mysql.Config {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName = account, MariaDBPassword, database
	c.Net, c.Addr = "tcp", fmt.Sprintf("%s:%d", s.Host, s.Port)
	c.MultiStatements, c.Logger = true, &mysql.NopLogger{}
	c.Params = map[string]string{"time_zone": "'+00:00'"}
	return c
}

// MariaDBDatabase is one database of a server.
type MariaDBDatabase struct {
	*MariaDBServer
	Name string
}

var mariaDBCount struct {
	sync.Mutex
	n int
}

// Database creates a database for one test and runs the script in it as
// MariaDBOwner; "{db}" in the script is its name. The script may create more
// databases, whose names begin with "{db}_". The accounts have their rights on
// all of them. They end with the test, and so does every statement that still runs in
// them: the server does not notice that a client is gone.
func (s *MariaDBServer) Database(t testing.TB, script string) *MariaDBDatabase {
	t.Helper()
	mariaDBCount.Lock()
	mariaDBCount.n++
	db := &MariaDBDatabase{MariaDBServer: s, Name: fmt.Sprintf("test_%d", mariaDBCount.n)}
	mariaDBCount.Unlock()

	var setup strings.Builder
	fmt.Fprintf(&setup, "CREATE DATABASE %s;", db.Name)
	pattern := strings.ReplaceAll(db.Name, "_", `\_`)
	for _, name := range []string{pattern, pattern + `\_%`} {
		fmt.Fprintf(&setup, "GRANT ALL ON `%s`.* TO %s;", name, MariaDBOwner)
		fmt.Fprintf(&setup, "GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE ON `%s`.* TO %s;", name, MariaDBWriter)
		fmt.Fprintf(&setup, "GRANT SELECT, SHOW VIEW ON `%s`.* TO %s, %s;", name, MariaDBReader, MariaDBCertified)
	}
	s.Exec(t, MariaDBAdmin, "", setup.String())
	t.Cleanup(func() { s.drop(t, db.Name, pattern) })
	if strings.TrimSpace(script) != "" {
		db.Exec(t, MariaDBOwner, strings.ReplaceAll(script, "{db}", db.Name))
	}
	return db
}

// drop removes a test's databases and the rights on them.
func (s *MariaDBServer) drop(t testing.TB, name, pattern string) {
	if s.process.stopped() {
		return
	}
	ctx := context.Background()
	if err := s.endStatements(ctx, name, pattern); err != nil {
		t.Errorf("ending the statements in %s: %v", name, err)
	}
	rows, err := s.rows(ctx, MariaDBAdmin, "", fmt.Sprintf(
		`SELECT CONCAT('DROP DATABASE %[1]s', REPLACE(schema_name, '%[1]s', '%[1]s%[1]s'), '%[1]s') FROM information_schema.schemata WHERE schema_name = '%[2]s' OR schema_name LIKE '%[3]s\_%%'`,
		"`", name, pattern))
	statements := []string{
		fmt.Sprintf(`DELETE FROM mysql.db WHERE db IN ('%[1]s', '%[1]s\\_%%')`, strings.ReplaceAll(pattern, `\`, `\\`)),
		fmt.Sprintf(`DELETE FROM mysql.tables_priv WHERE db = '%s'`, name), "FLUSH PRIVILEGES",
	}
	for _, row := range rows {
		statements = append(statements, row[0])
	}
	if err = errors.Join(err, s.exec(ctx, MariaDBAdmin, "", strings.Join(statements, ";"))); err != nil {
		t.Errorf("dropping %s: %v", name, err)
	}
}

// endStatements ends what runs in a test's databases.
func (s *MariaDBServer) endStatements(ctx context.Context, name, pattern string) error {
	rows, err := s.rows(ctx, MariaDBAdmin, "", fmt.Sprintf(
		`SELECT CONCAT('KILL ', id) FROM information_schema.processlist WHERE command IN ('Query', 'Execute') AND (db = '%s' OR db LIKE '%s\_%%')`, name, pattern))
	for _, row := range rows {
		killed := s.exec(ctx, MariaDBAdmin, "", row[0])
		if gone, ok := errors.AsType[*mysql.MySQLError](killed); ok && gone.Number == 1094 { // it ended by itself
			continue
		}
		err = errors.Join(err, killed)
	}
	return err
}

// DSN returns a data source name for this database.
func (db *MariaDBDatabase) DSN(account string) string {
	return db.MariaDBServer.DSN(account, db.Name)
}

// Exec runs a script of any number of statements as an account.
func (db *MariaDBDatabase) Exec(t testing.TB, account, script string) {
	t.Helper()
	db.MariaDBServer.Exec(t, account, db.Name, script)
}

// Rows runs one query as an account and returns its rows as text, "NULL" for
// NULL.
func (db *MariaDBDatabase) Rows(t testing.TB, account, query string) [][]string {
	t.Helper()
	rows, err := db.rows(t.Context(), account, db.Name, query)
	if err != nil {
		t.Fatalf("as %s in %s: %v", account, db.Name, err)
	}
	return rows
}

// Exec runs a script in a database, "" for none.
func (s *MariaDBServer) Exec(t testing.TB, account, database, script string) {
	t.Helper()
	if err := s.exec(context.WithoutCancel(t.Context()), account, database, script); err != nil {
		t.Fatalf("as %s in %q: %v", account, database, err)
	}
}

func (s *MariaDBServer) exec(ctx context.Context, account, database, script string) error {
	return s.limited(ctx, func(ctx context.Context) error {
		return s.with(ctx, account, database, func(conn *sql.Conn) error {
			_, err := conn.ExecContext(ctx, script)
			return err
		})
	})
}

func (s *MariaDBServer) rows(ctx context.Context, account, database, query string) (all [][]string, _ error) {
	return all, s.limited(ctx, func(ctx context.Context) (err error) {
		all, err = s.ask(ctx, account, database, query)
		return err
	})
}

func (s *MariaDBServer) limited(ctx context.Context, run func(context.Context) error) error {
	return limited(ctx, s.limit, run, func(ctx context.Context) ([][]string, error) {
		return s.ask(ctx, MariaDBAdmin, "", "SELECT ID, USER, DB, TIME, STATE, INFO FROM information_schema.PROCESSLIST WHERE COMMAND <> 'Sleep' AND ID <> CONNECTION_ID()")
	})
}

func (s *MariaDBServer) ask(ctx context.Context, account, database, query string) (all [][]string, err error) {
	err = s.with(ctx, account, database, func(conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return err
			}
			row := make([]string, len(cells))
			for i, cell := range cells {
				if row[i] = cell.String; !cell.Valid {
					row[i] = "NULL"
				}
			}
			all = append(all, row)
		}
		return rows.Err()
	})
	return all, err
}

// with runs f on a connection of its own.
func (s *MariaDBServer) with(ctx context.Context, account, database string, f func(*sql.Conn) error) error {
	connector, err := mysql.NewConnector(s.driver(account, database))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(connector)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return errors.Join(err, pool.Close())
	}
	return errors.Join(f(conn), conn.Close(), pool.Close())
}

// await asks until the server answers.
func (s *MariaDBServer) await(ctx context.Context, over <-chan struct{}, ask func(context.Context) error) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-over:
			return fmt.Errorf("the server ended while starting: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("the server did not answer: %w", err)
		}
	}
}
