package sqlserver

import (
	"context"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a database of SQL Server.
type Session struct {
	sqlkit.Warehouse[*reading, *sqlkit.Statement]
	cfg         *config
	network     *network.Dialer
	connections sqlkit.Connections[*conn]
	account     account // known after examine
}

// reading is the work of a call on a connection.
// Concurrency: one goroutine, but for Stop.
type reading struct {
	*sqlkit.Reading[*conn]
	s *Session
	// abroad: the statement reads what a snapshot of the database does not cover.
	abroad bool
}

// newSession returns the stages of a session that has not connected yet.
func newSession(cfg *config, req sdk.OpenRequest) (*sqlkit.Stages, error) {
	s := &Session{cfg: cfg, network: network.NewDialer(&cfg.SSH)}
	s.Timeout, s.Longest, s.Dialect, s.Engine = req.StatementTimeout, cfg.StatementTimeout, &Dialects()[0], s.engine()
	s.connections = sqlkit.Connections[*conn]{
		Pool: sqlkit.NewPool(sqlkit.PoolOptions[*conn]{
			MaxOpen: req.MaxOpen, IdleTimeout: req.IdleTimeout,
			Connect: s.connect, Alive: (*conn).Alive, Close: (*conn).Close,
		}),
		Begin: (*conn).begin, End: (*conn).end,
		Broken: broken, Native: nativeError,
	}
	return &sqlkit.Stages{
		Session: s, Examine: s.examine, Account: cfg.User, Login: s.stagedLogin,
		Reader: func() []string { return newReader(quote(cfg.Database)) },
		Reach: func(ctx context.Context, steps *sqlkit.Steps) bool {
			return s.network.Steps(ctx, steps, cfg.Host, cfg.Port)
		},
		Read: s.Reads((*reading).testRead), Write: s.Writes((*reading).testWrite),
	}, nil
}

// stagedLogin connects once.
func (s *Session) stagedLogin(ctx context.Context) (l sqlkit.Login) {
	c, at, err := s.attempt(ctx)
	if err != nil {
		l.Err = s.connectError(ctx, err, at)
	} else {
		c.Close()
	}
	l.Secured = at.State != nil
	l.Detail, l.Warning = s.cfg.Describe(s.cfg.Host, s.cfg.sslMode(), at.State)
	return l
}

// engine is what the frame asks of a session.
func (s *Session) engine() sqlkit.Engine[*reading, *sqlkit.Statement] {
	return sqlkit.Engine[*reading, *sqlkit.Statement]{
		Parse:    s.parse,
		Read:     sqlkit.Readings(&s.connections, func(r *sqlkit.Reading[*conn]) *reading { return &reading{Reading: r, s: s} }),
		Check:    (*reading).check,
		Execute:  (*reading).execute,
		Ping:     func(r *reading, ctx context.Context) error { return r.Heard(r.Conn.Ping(ctx)) },
		Suggest:  s.suggest,
		Scan:     (*reading).scan,
		Shows:    func(*sqlkit.Statement) bool { return false },
		Explain:  (*reading).explain,
		Validate: (*reading).validate,
		Profile:  (*reading).profile,
		Tables:   func(ctx context.Context, _ sdk.TableRef) ([]string, error) { return s.names(tableNamesSQL)(ctx) },
		QueryLog: (*reading).queryLog,
		Close: func(context.Context) error {
			s.connections.Pool.Close()
			return s.network.Close()
		},
	}
}

// suggest adds to the error about a name what may have been meant.
func (s *Session) suggest(ctx context.Context, st *sqlkit.Statement, e *sdk.Error) {
	if e.Kind != sdk.KindNotFound {
		return
	}
	query := tableNamesSQL
	if e.Code == strconv.Itoa(errNoColumn) {
		var names []string
		for _, name := range st.Names(s.Dialect) {
			names = append(names, literal(name))
		}
		query = strings.ReplaceAll(columnNamesSQL, "{names}", strings.Join(names, ", "))
	}
	_ = sqlkit.Suggest(ctx, e, missing(e), s.names(query))
}

// names returns a function that lists names by a query.
func (s *Session) names(query string) func(context.Context) ([]string, error) {
	return s.Names(func(r *reading, ctx context.Context, row func(sqlkit.Row) error) error {
		return r.Query(ctx, query, row)
	})
}
