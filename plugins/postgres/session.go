package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a PostgreSQL database.
type Session struct {
	cfg     *config
	info    sdk.ServerInfo
	version int      // as server_version_num: 150018
	schemas []string // the configured ones, or all that the role may use
	dialect *dialect.Dialect
	dialer  *dialer
	pool    *sqlkit.Pool[*conn]
	types   types
	// known are the fields of statements that were run, so that the next run need
	// not ask for them first: a guess that its answer proves.
	known   sqlkit.Recall[[]pgconn.FieldDescription]
	reacher reacher
	timeout time.Duration // of statements whose request names none
	longest time.Duration // of every statement; 0 = no such bound

	calls sqlkit.Calls
}

var (
	_ sdk.Session     = (*Session)(nil)
	_ sdk.Explainer   = (*Session)(nil)
	_ sdk.Validator   = (*Session)(nil)
	_ sdk.Profiler    = (*Session)(nil)
	_ sdk.QueryLogger = (*Session)(nil)
)

// Server implements sdk.Session.
func (s *Session) Server() sdk.ServerInfo { return s.info }

// Ping implements sdk.Session.
func (s *Session) Ping(ctx context.Context) error {
	return s.ask(ctx, s.timeout, func(r *reading) error { return r.command("SELECT 1") })
}

// Close implements sdk.Session.
func (s *Session) Close(ctx context.Context) error {
	err := s.calls.Close(ctx)
	s.pool.Close()
	return errors.Join(err, s.dialer.way.Close())
}

// limit returns how long a statement may take that asks for d; 0 = the default.
func (s *Session) limit(d time.Duration) time.Duration {
	return sqlkit.StatementLimit(d, s.timeout, s.longest)
}
