package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// dialer makes connections to one server as one account.
// Concurrency: safe for several goroutines.
type dialer struct {
	driver  *mysql.Config
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	timeout time.Duration // for one attempt
	limit   time.Duration // of a statement, in the server
}

// conn is one connection.
// Concurrency: one goroutine, but for interrupt.
type conn struct {
	sqlkit.Conn
	socket *socket
	server server
	id     string        // the server's own number of it
	limit  time.Duration // of a statement, in the server
}

// socket remembers why it failed, which the driver does not tell.
type socket struct {
	net.Conn
	err error
}

func (s *socket) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

func (s *socket) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// rawSocket is a socket whose life the driver can check without reading.
type rawSocket struct {
	*socket
	syscall.Conn
}

// server is what a connection found at its other end.
type server struct {
	product, version string
	mariaDB          bool
}

// stages notes how far an attempt to connect got: there is a connection, and
// TLS, if any, is established.
type stages struct {
	connected bool
	network.Handshake
}

// connect opens a connection that is ready for a statement of a caller.
// Errors: as connectError makes them.
func (d *dialer) connect(ctx context.Context) (*conn, error) {
	var at stages
	c, err := d.attempt(ctx, &at)
	if err != nil {
		return nil, d.connectError(ctx, err, &at)
	}
	return c, nil
}

// maxLogins is how often a login is tried again that the driver could not read.
const maxLogins = 2

func (d *dialer) attempt(ctx context.Context, at *stages) (*conn, error) {
	return sqlkit.Within(ctx, d.timeout, func(ctx context.Context) (*conn, error) { return d.ready(ctx, at) })
}

// ready logs in and prepares the connection.
func (d *dialer) ready(ctx context.Context, at *stages) (*conn, error) {
	c, err := d.login(ctx, at)
	// The driver takes a NUL at the end of what an ed25519 account is to sign for the
	// end of a text, and gives up: one login in 256. The next one signs something else.
	// Source: readAuthResult of go-sql-driver/mysql 1.10.
	for again := 0; again < maxLogins && errors.Is(err, mysql.ErrMalformPkt) && ctx.Err() == nil; again++ {
		c, err = d.login(ctx, at)
	}
	if err != nil {
		return nil, err
	}
	if err := c.prepare(ctx, d.limit); err != nil {
		return nil, errors.Join(err, c.Driver.Close())
	}
	return c, nil
}

// login opens a connection as the server gives it.
func (d *dialer) login(ctx context.Context, at *stages) (*conn, error) {
	*at = stages{}
	c := &conn{}
	cfg := d.driver.Clone() // the driver takes TLS out of it when it does without
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		plain, err := d.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		at.connected, c.socket = true, &socket{Conn: plain}
		if raw, ok := plain.(syscall.Conn); ok {
			return rawSocket{c.socket, raw}, nil
		}
		return c.socket, nil
	}
	if cfg.TLS != nil {
		cfg.TLS = at.Watch(cfg.TLS)
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	c.Driver, err = connector.Connect(ctx)
	return c, err
}

// prepare makes the connection ready for a statement: nothing of the account's
// or the server's own settings decides what a value looks like.
func (c *conn) prepare(ctx context.Context, limit time.Duration) error {
	var v string
	err := c.Query(ctx, "SELECT VERSION(), CONNECTION_ID()", func(row sqlkit.Row) error {
		v, c.id = row.Text(0), row.Text(1)
		return nil
	})
	if err != nil {
		return err
	}
	c.server = serverOf(v)
	c.limit = limit
	for _, statement := range []string{
		"SET NAMES utf8mb4",
		"SET SESSION " + strings.Join(c.server.settings(limit), ", "),
		"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
		beginReadOnly,
	} {
		if err := c.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func serverOf(v string) server {
	s := server{product: productMySQL, version: v, mariaDB: strings.Contains(v, "MariaDB")}
	if s.mariaDB {
		s.product = productMariaDB
	}
	return s
}

// groupConcatBytes is the longest GROUP_CONCAT. It is beyond what a row may have
// (sdk.MaxRowBytes); the servers' own bounds, 1 KiB and 1 MiB, cut with no more
// than a warning.
const groupConcatBytes = 16 << 20

// settings fix what results depend on. Of the server's own sql_mode only
// ONLY_FULL_GROUP_BY stays: views may have been written without it. Zero dates
// are no error to compare with.
// Source: both manuals' pages on system variables.
func (s server) settings(limit time.Duration) []string {
	common := []string{
		"sql_mode = IF(FIND_IN_SET('ONLY_FULL_GROUP_BY', @@sql_mode), 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION')",
		"time_zone = '+00:00'", "lc_time_names = 'en_US'", "lc_messages = 'en_US'", "default_week_format = 0", "div_precision_increment = 4",
		fmt.Sprintf("group_concat_max_len = %d", groupConcatBytes),
		"sql_select_limit = 18446744073709551615", "sql_auto_is_null = 0", "sql_quote_show_create = 1",
		"sql_warnings = 0", "sql_notes = 1", "max_error_count = 64",
		"autocommit = 1", "completion_type = 0",
		"net_write_timeout = 600", // a reader may be slow
	}
	// A recursive query that reaches its bound ends without an error in MariaDB.
	if s.mariaDB {
		return append(common, "max_recursive_iterations = 4294967295", s.timeLimit(limit))
	}
	return append(common, "cte_max_recursion_depth = 4294967295", s.timeLimit(limit))
}

// timeLimit is the setting that bounds a statement in the server.
func (s server) timeLimit(limit time.Duration) string {
	if s.mariaDB {
		return fmt.Sprintf("max_statement_time = %.3f", max(limit, time.Millisecond).Seconds())
	}
	return fmt.Sprintf("max_execution_time = %d", max(limit.Milliseconds(), 1))
}

// settle waits until the server has done with a statement that it ended: its
// answer comes a moment before the statement leaves the process list.
func (c *conn) settle() {
	// Whatever goes wrong, the connection is given up.
	_ = c.socket.SetDeadline(time.Now().Add(sqlkit.SettleTime))
	_ = c.Ping(context.Background())
}

// interrupt makes a read of the connection fail at once.
func (c *conn) interrupt() {
	// An error means that it is closed, which ends the read too.
	_ = c.socket.SetDeadline(time.Unix(1, 0))
}

// kill ends what runs on a connection, from one on the side.
func (d *dialer) kill(ctx context.Context, c *conn) error {
	var at stages
	side, err := d.login(ctx, &at)
	if err != nil {
		return err
	}
	defer side.Close()
	return side.Exec(ctx, "KILL QUERY "+c.id)
}
