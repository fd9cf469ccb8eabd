package clickhouse

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// test implements sdk.Connector.Test: config, dns or ssh, tcp, tls, login,
// database, read, no_write.
func test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	steps := sqlkit.NewSteps(report)
	var s *Session
	ok := steps.Run("config", func(step *sdk.TestStep) error {
		var err error
		if s, err = newSession(req); err != nil {
			return err
		}
		var warned []string
		for _, d := range s.cfg.problems() {
			warned = append(warned, d.Summary)
		}
		step.Warning, step.Detail = len(warned) > 0, strings.Join(warned, "; ")
		return nil
	})
	if !ok {
		return nil
	}
	defer func() { _ = s.Close(context.WithoutCancel(ctx)) }() // the steps have said what is wrong
	if s.dialer.net.Steps(ctx, steps, s.cfg.Host, s.cfg.port()) {
		s.testLogin(ctx, steps)
		s.testRights(ctx, steps)
	}
	return nil
}

// testLogin connects for TLS, then opens the session and reports what it came to
// in two steps.
func (s *Session) testLogin(ctx context.Context, steps *sqlkit.Steps) {
	steps.Run("tls", func(step *sdk.TestStep) error {
		c, err := s.dialer.connect(ctx)
		if err != nil {
			return err
		}
		step.Detail, step.Warning = s.cfg.security(c)
		return c.Close()
	})
	var opened error
	steps.Run("login", func(step *sdk.TestStep) error {
		step.Detail = s.cfg.User
		opened = s.examine(ctx)
		if kind := sdk.KindOf(opened); kind == sdk.KindNotFound || kind == sdk.KindDenied {
			return nil // the password was right; the database is the problem
		}
		return opened
	})
	steps.Run("database", func(step *sdk.TestStep) error {
		step.Detail = fmt.Sprintf("%s on %s %s", s.info.Database, s.info.Product, s.info.Version)
		return opened
	})
}

// security describes how a connection is protected, and whether it should not be
// like that.
func (c *config) security(on net.Conn) (detail string, warning bool) {
	return c.Describe(c.Host, c.sslMode(), secured(on))
}

func (s *Session) testRights(ctx context.Context, steps *sqlkit.Steps) {
	steps.Run("read", func(step *sdk.TestStep) error {
		var count int64
		where := "database NOT IN (" + hiddenDatabases + ")"
		err := s.ask(ctx, s.limit(0), "SELECT toInt64(count()) FROM system.tables WHERE "+where, func(r sqlkit.Row) error {
			count = r.Int(0, 0)
			return nil
		})
		step.Detail = fmt.Sprintf("%d tables and views can be seen", count)
		if count == 0 && err == nil {
			step.Warning, step.Detail = true, "the account sees no table or view"
			step.Statements = s.readerStatements()
		}
		return err
	})
	steps.Run("no_write", func(step *sdk.TestStep) error {
		if len(s.info.Warnings) > 0 {
			step.Warning, step.Statements = true, s.readerStatements()
		}
		var found []string
		for _, w := range s.info.Warnings {
			found = append(found, w.Summary)
		}
		step.Detail = strings.Join(append(found, "read-only by "+s.info.ReadOnly.String()+": "+s.info.ReadOnlyMechanism), "; ")
		return s.testNoWrite(ctx)
	})
}

// testNoWrite tries to create a table, which the server must refuse.
func (s *Session) testNoWrite(ctx context.Context) error {
	q := &query{sql: "CREATE TEMPORARY TABLE loam_must_not_exist (x UInt8)", block: func(*block) error { return nil }}
	err := s.run(ctx, s.limit(0), nil, q)
	switch sdk.KindOf(err) {
	case sdk.KindNotReadOnly, sdk.KindDenied:
		return nil
	case "":
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the server created a table under readonly = 1").
			WithHint("do not use this connection; report the server's version")
	default:
		return err
	}
}
