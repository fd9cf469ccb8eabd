package clickhouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// login connects for TLS, and asks for the version as the account.
func (s *Session) login(ctx context.Context) (l sqlkit.Login) {
	c, err := s.dialer.connect(ctx)
	if err != nil {
		return sqlkit.Login{Err: err}
	}
	l.Secured = true
	l.Detail, l.Warning = s.cfg.Describe(s.cfg.Host, s.cfg.sslMode(), secured(c))
	l.Err = errors.Join(c.Close(), s.greet(ctx))
	return l
}

func (s *Session) testRead(ctx context.Context, step *sdk.TestStep) error {
	var count int64
	where := "database NOT IN (" + hiddenDatabases + ")"
	err := s.ask(ctx, s.Limit(0), "SELECT toInt64(count()) FROM system.tables WHERE "+where, func(r sqlkit.Row) error {
		count = r.Int(0, 0)
		return nil
	})
	step.Detail = fmt.Sprintf("%d tables and views can be seen", count)
	if count == 0 && err == nil {
		step.Warning, step.Detail = true, "the account sees no table or view"
		step.Statements = s.readerStatements()
	}
	return err
}

// testWrite tries to create a table, which the server must refuse.
func (s *Session) testWrite(ctx context.Context) error {
	return s.run(ctx, s.Limit(0), nil, &query{sql: "CREATE TEMPORARY TABLE loam_must_not_exist (x UInt8)", block: func(*block) error { return nil }})
}
