package sqlkit

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
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
	return s.call(ctx, s.StatementTimeout, s.Pool.PingContext)
}

// Execute implements sdk.Session.
func (s *Session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	params := make([]any, len(req.Params))
	for i, p := range req.Params {
		params[i] = p
	}
	return s.call(ctx, req.Limits.Timeout, func(ctx context.Context) error {
		rows, err := s.Pool.QueryContext(ctx, req.SQL, params...)
		if err != nil {
			return err
		}
		return Copy(rows, s.Types, w)
	})
}

// Scan implements sdk.Session.
func (s *Session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sum sdk.ScanSummary, err error) {
	catalog := s.Catalog
	if catalog.Type == nil {
		catalog.Type = s.Types.Of
	}
	err = s.call(ctx, s.StatementTimeout, func(ctx context.Context) (err error) {
		sum, err = Scan(ctx, DB(s.Pool), catalog, req, w)
		return err
	})
	return sum, err
}

// Close implements sdk.Session.
func (s *Session) Close(ctx context.Context) error {
	return errors.Join(s.calls.Close(ctx), s.Pool.Close())
}

// call runs f as one call of the session, within limit.
func (s *Session) call(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	return s.calls.Run(ctx, limit, s.StatementTimeout, func(ctx context.Context) error {
		return s.failed(ctx, f(ctx))
	})
}

func (s *Session) failed(ctx context.Context, err error) error { return Failed(ctx, err, s.Errors) }
