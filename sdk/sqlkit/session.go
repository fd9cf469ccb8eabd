package sqlkit

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Session is a connector's session over a database/sql pool. The connector
// makes the pool so that nothing on it can write; the session runs statements
// on it, one call to the driver per statement.
type Session struct {
	Pool *sql.DB
	Info sdk.ServerInfo
	// Types of result columns.
	Types Types
	// Catalog to scan; its Type may be nil for Types.
	Catalog Catalog
	// Errors maps a driver's error; nil, or a nil answer, leaves it as an
	// internal one. It is not asked about ended contexts.
	Errors func(error) *sdk.Error
	// StatementTimeout bounds statements without a limit of their own.
	StatementTimeout time.Duration
	// Dialect is what Parse holds a caller's text against before it runs; nil leaves
	// that to the engine. A driver that runs several statements of a text needs it.
	Dialect *dialect.Dialect
	// Around runs each statement of a caller on a connection: it makes the connection
	// ready (a read-only transaction, a time limit in the engine), calls run once, and
	// leaves the connection as it was. nil just runs it.
	Around func(ctx context.Context, conn *sql.Conn, req *sdk.ExecuteRequest, run func() error) error

	calls Calls
}

var _ sdk.Session = (*Session)(nil)

// Limit bounds a pool as the request asks.
func Limit(pool *sql.DB, req sdk.OpenRequest) {
	req = Defaults(req)
	pool.SetMaxOpenConns(req.MaxOpen)
	pool.SetMaxIdleConns(req.MaxOpen)
	pool.SetConnMaxIdleTime(req.IdleTimeout)
}

// Server implements sdk.Session.
func (s *Session) Server() sdk.ServerInfo { return s.Info }

// Ping implements sdk.Session.
func (s *Session) Ping(ctx context.Context) error {
	return s.Call(ctx, s.StatementTimeout, s.Pool.PingContext)
}

// Execute implements sdk.Session.
func (s *Session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	params := make([]any, len(req.Params))
	for i, p := range req.Params {
		params[i] = p
	}
	if s.Dialect != nil {
		if _, err := Parse(req.SQL, s.Dialect); err != nil {
			return err
		}
	}
	return s.Call(ctx, req.Limits.Timeout, func(ctx context.Context) (err error) {
		if s.Around == nil {
			return s.write(ctx, s.Pool, req.SQL, params, w)
		}
		conn, err := s.Pool.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		return s.Around(ctx, conn, &req, func() error { return s.write(ctx, conn, req.SQL, params, w) })
	})
}

func (s *Session) write(ctx context.Context, on queryer, sql string, params []any, w *sdk.RowWriter) error {
	rows, err := on.QueryContext(ctx, sql, params...)
	if err != nil {
		return err
	}
	return Copy(rows, s.Types, w)
}

// Scan implements sdk.Session.
func (s *Session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sum sdk.ScanSummary, err error) {
	catalog := s.Catalog
	if catalog.Type == nil {
		catalog.Type = s.Types.Of
	}
	err = s.Call(ctx, s.StatementTimeout, func(ctx context.Context) (err error) {
		sum, err = Scan(ctx, DB(s.Pool), catalog, req, w)
		return err
	})
	return sum, err
}

// Close implements sdk.Session.
func (s *Session) Close(ctx context.Context) error {
	return errors.Join(s.calls.Close(ctx), s.Pool.Close())
}

// Call runs f as one call of the session: within limit, 0 = StatementTimeout, ended
// by Close, its error mapped. It is for the abilities that a connector adds by
// embedding a Session: Explain, say, or Profile.
func (s *Session) Call(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	return s.calls.Run(ctx, limit, s.StatementTimeout, func(ctx context.Context) error {
		return s.failed(ctx, f(ctx))
	})
}

func (s *Session) failed(ctx context.Context, err error) error { return Failed(ctx, err, s.Errors) }
