package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// open implements sdk.Connector.Open.
func open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	s, err := newSession(req)
	if err != nil {
		return nil, err
	}
	if err := s.examine(ctx); err != nil {
		return nil, errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// newSession returns a session that has not connected yet.
func newSession(req sdk.OpenRequest) (*Session, error) {
	cfg, err := sqlkit.Decode(req.Config, (*config).problems)
	if err != nil {
		return nil, err
	}
	driver, err := cfg.driver()
	if err != nil {
		return nil, err
	}
	req = sqlkit.Defaults(req)
	s := &Session{
		cfg: cfg, network: network.NewDialer(&cfg.SSH),
		timeout: req.StatementTimeout, longest: cfg.StatementTimeout,
	}
	s.dialer = &dialer{driver: driver, dial: s.network.DialContext, timeout: cfg.ConnectTimeout, limit: s.limit(0)}
	s.pool = sqlkit.NewPool(sqlkit.PoolOptions[*conn]{
		MaxOpen: req.MaxOpen, IdleTimeout: req.IdleTimeout, Connect: s.dialer.connect, Alive: (*conn).alive, Close: (*conn).close,
	})
	return s, nil
}

const serverSQL = "SELECT CURRENT_USER(), DATABASE(), @@read_only"

// examine learns what the server and the account are.
func (s *Session) examine(ctx context.Context) error {
	var standby bool
	err := s.calls.Run(ctx, 0, s.limit(0)+graceTime, func(ctx context.Context) error {
		return s.read(ctx, s.limit(0), func(r *reading) error {
			s.server = r.c.server
			err := r.query(serverSQL, func(row []driver.Value) error {
				version, _, _ := strings.Cut(s.server.version, "-log")
				s.info = sdk.ServerInfo{Product: s.server.product, Version: version, CurrentUser: text(row[0]), Database: text(row[1])}
				standby = text(row[2]) == "1"
				return nil
			})
			if err != nil {
				return err
			}
			s.grants, err = r.grants()
			return err
		})
	})
	if err != nil {
		return err
	}
	dialects := Dialects()
	s.dialect = dialect.Pick(dialects, s.info.Product, s.info.Version)
	s.catalog = newCatalog(s.dialect, s.cfg.AllowFunctions)
	rights := s.grants.rights()
	s.info.ReadOnly = sdk.ReadOnlySession
	s.info.ReadOnlyMechanism = "a session and a transaction that are READ ONLY, only what EXPLAIN accepts, a connection per statement"
	switch {
	case standby && !s.grants.overrides():
		s.info.ReadOnly = sdk.ReadOnlyEngine
		s.info.ReadOnlyMechanism = "the server is read_only; " + s.info.ReadOnlyMechanism
	case len(rights) == 0:
		s.info.ReadOnly = sdk.ReadOnlyEngine
		s.info.ReadOnlyMechanism = "the account has no right to write; " + s.info.ReadOnlyMechanism
	}
	for _, right := range rights {
		s.info.Warnings = append(s.info.Warnings, right.diagnostic(s))
	}
	if len(s.cfg.AllowFunctions) == 0 {
		return nil
	}
	return s.calls.Run(ctx, 0, s.limit(0)+graceTime, func(ctx context.Context) error {
		return s.read(ctx, s.limit(0), func(r *reading) error {
			unmatched, err := r.unmatched()
			s.info.Warnings = append(s.info.Warnings, unmatched...)
			return err
		})
	})
}
