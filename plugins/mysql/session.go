package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a database of a MySQL or MariaDB server.
type Session struct {
	cfg     *config
	network *network.Dialer
	dialer  *dialer
	pool    *sqlkit.Pool[*conn]
	timeout time.Duration // of statements whose request names none
	longest time.Duration // of every statement; 0 = no such bound

	// Known after examine.
	info    sdk.ServerInfo
	server  server
	dialect *dialect.Dialect
	grants  *grants
	catalog *catalog

	// odd remembers which columns of which statements have dates that are none.
	odd   sqlkit.Recall[columnSet]
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
	return s.calls.Run(ctx, 0, s.limit(0), func(ctx context.Context) error {
		return s.read(ctx, s.limit(0), func(r *reading) error {
			r.untouched = true
			return r.heard(r.c.driver.(driver.Pinger).Ping(context.Background()))
		})
	})
}

// Close implements sdk.Session.
func (s *Session) Close(ctx context.Context) error {
	err := s.calls.Close(ctx)
	s.pool.Close()
	return errors.Join(err, s.network.Close())
}

// limit returns how long a statement may take that asks for d; 0 = the default.
func (s *Session) limit(d time.Duration) time.Duration {
	if d <= 0 {
		d = s.timeout
	}
	if s.longest > 0 {
		d = min(d, s.longest)
	}
	return max(d, time.Millisecond) // 0 would mean no limit to the server
}
