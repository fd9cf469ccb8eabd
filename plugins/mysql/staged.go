package mysql

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// test implements sdk.Connector.Test: config, dns or ssh, tcp, tls, login,
// database, read, no_write. A socket has no dns and no tcp step.
func test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	steps := sqlkit.NewSteps(report)
	var s *Session
	ok := steps.Run("config", func(step *sdk.TestStep) error {
		var err error
		if s, err = newSession(req); err != nil {
			return err
		}
		sqlkit.Warn(step, s.cfg.problems())
		return nil
	})
	if !ok {
		return nil
	}
	defer func() { _ = s.Close(context.WithoutCancel(ctx)) }() // the steps have said what is wrong
	if !network.Socket(s.cfg.Host) && !s.network.Steps(ctx, steps, s.cfg.Host, s.cfg.Port) {
		return nil
	}
	s.testLogin(ctx, steps)
	s.testRights(ctx, steps)
	return nil
}

// testLogin connects once and reports what the attempt came to in three steps.
func (s *Session) testLogin(ctx context.Context, steps *sqlkit.Steps) {
	var at stages
	c, err := s.dialer.attempt(ctx, &at)
	if err == nil {
		c.close()
	} else {
		err = s.dialer.connectError(ctx, err, &at)
	}
	kind := sdk.KindOf(err)
	steps.Run("tls", func(step *sdk.TestStep) error {
		if err != nil && at.tls == nil && kind != sdk.KindUnauthenticated && kind != sdk.KindNotFound && kind != sdk.KindDenied {
			return err
		}
		step.Detail, step.Warning = s.cfg.Describe(s.cfg.Host, s.cfg.sslMode(), at.tls)
		return nil
	})
	steps.Run("login", func(step *sdk.TestStep) error {
		step.Detail = s.cfg.User
		if kind == sdk.KindNotFound || kind == sdk.KindDenied {
			return nil // the password was right; the database is the problem
		}
		return err
	})
	steps.Run("database", func(step *sdk.TestStep) error {
		if err != nil {
			return err
		}
		if err := s.examine(ctx); err != nil {
			return err
		}
		step.Detail = fmt.Sprintf("%s on %s %s", s.info.Database, s.info.Product, s.info.Version)
		return nil
	})
}

func (s *Session) testRights(ctx context.Context, steps *sqlkit.Steps) {
	steps.Run("read", func(step *sdk.TestStep) error {
		return s.read(ctx, s.limit(0), func(r *reading) error { return r.testRead(step) })
	})
	steps.NoWrite(s.info, s.readerStatements, func() error {
		return s.read(ctx, s.limit(0), func(r *reading) error { return r.exec("CREATE TABLE loam_must_not_exist (id INT)") })
	})
}

const readableSQL = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (%s)"

func (r *reading) testRead(step *sdk.TestStep) error {
	count, sample := 0, ""
	err := r.queryf(readableSQL, []any{literals(r.s.cfg.schemas())}, func(row []driver.Value) error {
		schema, table := text(row[0]), text(row[1])
		if !r.s.grants.reads(schema, table) {
			return nil
		}
		count++
		if text(row[2]) == "BASE TABLE" { // no view, which may fail or take long of its own
			sample = quote(schema) + "." + quote(table)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count == 0 {
		step.Warning, step.Detail = true, "the account can read no table or view of "+strings.Join(r.s.cfg.schemas(), ", ")
		step.Statements = r.s.grantStatements(accountName(r.s.info.CurrentUser))
		return nil
	}
	step.Detail = fmt.Sprintf("%d tables and views can be read", count)
	if sample == "" {
		return nil
	}
	step.Detail += ", such as " + sample
	return r.query("SELECT 1 FROM "+sample+" LIMIT 1", func([]driver.Value) error { return nil })
}
