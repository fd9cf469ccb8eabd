package mysql

import (
	"context"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a database of a MySQL or MariaDB server.
type Session struct {
	sqlkit.Warehouse[*reading, *statement]
	cfg         *config
	network     *network.Dialer
	dialer      *dialer
	connections sqlkit.Connections[*conn]

	// Known after examine.
	server  server
	grants  *grants
	catalog *catalog

	// odd remembers which columns of which statements have dates that are none.
	odd sqlkit.Recall[columnSet]
}

// engine is what the frame asks of a session.
func (s *Session) engine() sqlkit.Engine[*reading, *statement] {
	return sqlkit.Engine[*reading, *statement]{
		Parse:    s.parse,
		Read:     sqlkit.Readings(&s.connections, func(r *sqlkit.Reading[*conn]) *reading { return &reading{Reading: r, s: s} }),
		Check:    (*reading).check,
		Execute:  (*reading).execute,
		Ping:     (*reading).ping,
		Suggest:  s.suggest,
		Scan:     (*reading).scan,
		Shows:    func(st *statement) bool { return st.form == formExplain || st.form == formDescribe },
		Explain:  (*reading).plan,
		Validate: (*reading).validate,
		Profile:  (*reading).profile,
		Tables:   func(ctx context.Context, _ sdk.TableRef) ([]string, error) { return s.tables()(ctx) },
		QueryLog: (*reading).queryLog,
		Close: func(context.Context) error {
			s.connections.Pool.Close()
			return s.network.Close()
		},
	}
}

func (r *reading) ping(context.Context) error {
	r.Clean = true
	return r.Heard(r.Conn.Ping(context.Background()))
}

// use says how calls use connections. Each gets one of its own, so that no KILL,
// however late it is, hits the statement of another.
func (s *Session) use(req sdk.OpenRequest) sqlkit.Connections[*conn] {
	return sqlkit.Connections[*conn]{
		Pool: sqlkit.NewPool(sqlkit.PoolOptions[*conn]{
			MaxOpen: req.MaxOpen, IdleTimeout: req.IdleTimeout,
			Connect: s.dialer.connect, Alive: (*conn).Alive, Close: (*conn).Close,
		}),
		Begin: (*conn).setLimit, Grace: graceTime,
		Kill: s.dialer.kill, Interrupt: (*conn).interrupt, Settle: (*conn).settle,
		Broken: broken, Forget: func() { s.catalog.forget() },
		// A statement that the server ended without an error, as it does within
		// BENCHMARK, has still not run to its end.
		Stopped: func(err error) bool {
			return err == nil || said(err, errInterrupted, errStatementTime, errExecutionTime)
		},
		Native: nativeError, Cause: func(c *conn) error { return c.socket.err },
	}
}

// newSession returns the stages of a session that has not connected yet.
func newSession(cfg *config, req sdk.OpenRequest) (*sqlkit.Stages, error) {
	driver, err := cfg.driver()
	if err != nil {
		return nil, err
	}
	s := &Session{cfg: cfg, network: network.NewDialer(&cfg.SSH)}
	s.Timeout, s.Longest, s.Engine = req.StatementTimeout, cfg.StatementTimeout, s.engine()
	s.dialer = &dialer{driver: driver, dial: s.network.DialContext, timeout: cfg.ConnectTimeout, limit: s.Limit(0)}
	s.connections = s.use(req)
	return &sqlkit.Stages{
		Session: s, Examine: s.examine, Account: cfg.User, Login: s.login, Reader: s.readerStatements,
		Reach: func(ctx context.Context, steps *sqlkit.Steps) bool {
			return network.Socket(cfg.Host) || s.network.Steps(ctx, steps, cfg.Host, cfg.Port)
		},
		Read:  s.Reads((*reading).testRead),
		Write: s.Writes(func(r *reading, _ context.Context) error { return r.exec("CREATE TABLE loam_must_not_exist (id INT)") }),
	}, nil
}

// login connects once.
func (s *Session) login(ctx context.Context) (l sqlkit.Login) {
	var at stages
	c, err := s.dialer.attempt(ctx, &at)
	if err != nil {
		l.Err = s.dialer.connectError(ctx, err, &at)
	} else {
		c.Close()
	}
	l.Secured = at.State != nil
	l.Detail, l.Warning = s.cfg.Describe(s.cfg.Host, s.cfg.sslMode(), at.State)
	return l
}
