package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
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
	dialer, err := newDialer(cfg)
	if err != nil {
		return nil, err
	}
	req = sqlkit.Defaults(req)
	dialects := Dialects()
	s := &Session{
		cfg:    cfg,
		dialer: dialer,
		// Dialects differ in their forms; words and guard are those of the last.
		dialect: &dialects[len(dialects)-1],
		pool: sqlkit.NewPool(sqlkit.PoolOptions[*conn]{
			MaxOpen: req.MaxOpen, IdleTimeout: req.IdleTimeout, Connect: dialer.connect,
			Close: func(c *conn) {
				ctx, cancel := context.WithTimeout(context.Background(), resetTime)
				defer cancel()
				c.close(ctx)
			},
		}),
		timeout: req.StatementTimeout,
		longest: cfg.StatementTimeout,
	}
	s.types.forget()
	return s, nil
}

const serverSQL = `
SELECT pg_catalog.current_setting('server_version'), pg_catalog.current_setting('server_version_num'),
  current_user, pg_catalog.current_database(), pg_catalog.pg_is_in_recovery(),
  (SELECT pg_catalog.json_agg(nspname ORDER BY nspname) FROM pg_catalog.pg_namespace
   WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(oid, 'USAGE'))`

// examine learns what the server and the account are.
func (s *Session) examine(ctx context.Context) error {
	var standby bool
	var rights []right
	var unmatched []sdk.Diagnostic
	err := s.ask(ctx, s.limit(0), func(r *reading) error {
		err := r.query(serverSQL, nil, func(v [][]byte) error {
			version, _, _ := strings.Cut(string(v[0]), " ")
			s.info = sdk.ServerInfo{Product: "PostgreSQL", Version: version, CurrentUser: string(v[2]), Database: string(v[3])}
			standby = string(v[4]) == "t"
			var versionErr, schemaErr error
			s.version, versionErr = strconv.Atoi(string(v[1]))
			if s.schemas = s.cfg.Schemas; len(s.schemas) == 0 && v[5] != nil {
				schemaErr = json.Unmarshal(v[5], &s.schemas)
			}
			return errors.Join(versionErr, schemaErr)
		})
		if err != nil {
			return err
		}
		if rights, err = r.rights(); err != nil {
			return r.hidden("what the role may do cannot be found out", err)
		}
		unmatched, err = r.unmatched()
		return err
	})
	if err != nil {
		return err
	}
	s.info.ReadOnly, s.info.ReadOnlyMechanism = sdk.ReadOnlySession, "BEGIN READ ONLY, only queries that a cursor accepts, ROLLBACK"
	switch {
	case standby:
		s.info.ReadOnly = sdk.ReadOnlyEngine
		s.info.ReadOnlyMechanism = "the server is a standby; " + s.info.ReadOnlyMechanism
	case len(rights) == 0:
		s.info.ReadOnly = sdk.ReadOnlyEngine
		s.info.ReadOnlyMechanism = "the role has no right to write; " + s.info.ReadOnlyMechanism
	}
	for _, right := range rights {
		s.info.Warnings = append(s.info.Warnings, right.diagnostic(s))
	}
	s.info.Warnings = append(s.info.Warnings, unmatched...)
	return nil
}
