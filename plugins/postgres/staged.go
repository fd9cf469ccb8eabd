package postgres

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
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
	if !s.cfg.socket() && !s.dialer.way.Steps(ctx, steps, s.cfg.Host, s.cfg.Port) {
		return nil
	}
	s.testLogin(ctx, steps)
	s.testRights(ctx, steps)
	return nil
}

// testLogin connects once and reports what the attempt came to in three steps.
func (s *Session) testLogin(ctx context.Context, steps *sqlkit.Steps) {
	var at stages
	c, err := s.dialer.dial(ctx, &at)
	if err == nil {
		defer c.close(context.WithoutCancel(ctx))
	} else {
		err = s.dialer.explain(ctx, err, &at)
	}
	steps.Run("tls", func(step *sdk.TestStep) error {
		if err != nil && !at.secured {
			return err
		}
		if c != nil {
			step.Detail, step.Warning = s.cfg.security(c)
		}
		return nil
	})
	steps.Run("login", func(step *sdk.TestStep) error {
		step.Detail = s.cfg.User
		if kind := sdk.KindOf(err); kind == sdk.KindNotFound || kind == sdk.KindDenied {
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

// security describes how a connection is protected, and whether it should not be
// like that.
func (c *config) security(on *conn) (detail string, warning bool) {
	var state *tls.ConnectionState
	if secured, ok := on.pg.Conn().(*tls.Conn); ok {
		now := secured.ConnectionState()
		state = &now
	}
	return c.Describe(c.Host, c.sslMode(), state)
}

// readableSQL counts what can be read in the schemas $1, none = all, and names
// one such table: no view, which may fail or take long of its own.
const readableSQL = `
SELECT pg_catalog.count(*),
  pg_catalog.min(pg_catalog.format('%I.%I', n.nspname, c.relname)) FILTER (WHERE c.relkind IN ('r', 'p'))
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND ($1::pg_catalog.text[] = '{}' OR n.nspname = ANY ($1::pg_catalog.text[]))
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')`

func (s *Session) testRights(ctx context.Context, steps *sqlkit.Steps) {
	steps.Run("read", func(step *sdk.TestStep) error {
		return s.ask(ctx, s.limit(0), func(r *reading) error { return r.testRead(step) })
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

func (r *reading) testRead(step *sdk.TestStep) error {
	var count, sample string
	err := r.query(readableSQL, [][]byte{textList(r.s.cfg.Schemas)}, func(v [][]byte) error {
		count, sample = string(v[0]), string(v[1])
		return nil
	})
	if err != nil {
		return err
	}
	if count == "0" {
		step.Warning, step.Detail = true, "the role can read no table or view"
		step.Statements = grantStatements(quote(r.s.info.CurrentUser), r.s.schemas)
		return nil
	}
	step.Detail = count + " tables and views can be read"
	if sample == "" {
		return nil
	}
	step.Detail += ", such as " + sample
	return r.command("SELECT FROM " + sample + " LIMIT 1")
}

// testNoWrite tries to create a table, which the transaction must refuse.
func (s *Session) testNoWrite(ctx context.Context) error {
	err := s.ask(ctx, s.limit(0), func(r *reading) error {
		return r.command("CREATE TEMPORARY TABLE loam_must_not_exist ()")
	})
	switch sdk.KindOf(err) {
	case sdk.KindNotReadOnly, sdk.KindDenied:
		return nil
	case "":
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a read-only transaction created a table").
			WithHint("do not use this connection; report the server's version")
	default:
		return err
	}
}

// textList writes an array of text.
func textList(elements []string) []byte {
	quoted := make([]string, len(elements))
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i, e := range elements {
		quoted[i] = `"` + escape.Replace(e) + `"`
	}
	return list(quoted)
}
