package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Session is an open connection to a PostgreSQL database.
type Session struct {
	sqlkit.Warehouse[*reading, *statement]
	cfg     *config
	version int      // as server_version_num: 150018
	schemas []string // the configured ones, or all that the role may use
	dialer  *dialer
	pool    *sqlkit.Pool[*conn]
	types   types
	// known are the fields of statements that were run, so that the next run need
	// not ask for them first: a guess that its answer proves.
	known   sqlkit.Recall[[]pgconn.FieldDescription]
	reacher *reacher    // shared with other sessions of the account, from examine on
	memory  *remembered // of all sessions of the connector
}

// engine is what the frame asks of a session.
func (s *Session) engine() sqlkit.Engine[*reading, *statement] {
	return sqlkit.Engine[*reading, *statement]{
		Parse: s.parse,
		Read:  s.readAnew,
		Snapshot: func(ctx context.Context, limit time.Duration, f func(context.Context, *reading) error) error {
			return s.read(ctx, beginSnapshot, limit, func(r *reading) error { return f(ctx, r) })
		},
		Execute:  (*reading).executeRequest,
		Ping:     func(r *reading, _ context.Context) error { return r.command("SELECT 1") },
		Suggest:  s.suggest,
		Scan:     (*reading).scan,
		Shows:    func(st *statement) bool { return st.query != st.first },
		Explain:  (*reading).explain,
		Validate: (*reading).validate,
		Profile:  (*reading).profile,
		Tables:   func(ctx context.Context, _ sdk.TableRef) ([]string, error) { return s.names(tableNamesSQL)(ctx) },
		QueryLog: (*reading).queryLog,
		Close: func(context.Context) error {
			s.pool.Close()
			return s.dialer.way.Close()
		},
	}
}

// readAnew is ask, and once more when f finds that a statement is not the one it
// was before.
func (s *Session) readAnew(ctx context.Context, limit time.Duration, f func(context.Context, *reading) error) error {
	err := s.ask(ctx, limit, func(r *reading) error { return f(ctx, r) })
	if !errors.Is(err, errOutdated) {
		return err
	}
	return s.ask(ctx, limit, func(r *reading) error {
		r.anew = true
		return f(ctx, r)
	})
}

// newSession returns the stages of a session that has not connected yet.
func newSession(cfg *config, req sdk.OpenRequest, memory *remembered) (*sqlkit.Stages, error) {
	dialer, err := newDialer(cfg)
	if err != nil {
		return nil, err
	}
	dialects := Dialects()
	s := &Session{cfg: cfg, dialer: dialer, reacher: &reacher{}, memory: memory, pool: sqlkit.NewPool(sqlkit.PoolOptions[*conn]{
		MaxOpen: req.MaxOpen, IdleTimeout: req.IdleTimeout, Connect: dialer.connect,
		Close: func(c *conn) {
			ctx, cancel := context.WithTimeout(context.Background(), resetTime)
			defer cancel()
			c.close(ctx)
		},
	})}
	// Dialects differ in their forms; words and guard are those of the last.
	s.Life = sqlkit.Life{Dialect: &dialects[len(dialects)-1], Timeout: req.StatementTimeout, Longest: cfg.StatementTimeout}
	s.Engine = s.engine()
	s.types.forget()
	return &sqlkit.Stages{
		Session: s, Examine: s.examine, Account: cfg.User, Login: s.login, Reader: s.readerStatements,
		Reach: func(ctx context.Context, steps *sqlkit.Steps) bool {
			return cfg.socket() || dialer.way.Steps(ctx, steps, cfg.Host, cfg.Port)
		},
		Read: s.Reads((*reading).testRead),
		Write: s.Writes(func(r *reading, _ context.Context) error {
			return r.command("CREATE TEMPORARY TABLE loam_must_not_exist ()")
		}),
	}, nil
}
