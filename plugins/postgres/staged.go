package postgres

import (
	"context"
	"crypto/tls"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// login connects once.
func (s *Session) login(ctx context.Context) (l sqlkit.Login) {
	var at stages
	c, err := s.dialer.dial(ctx, &at)
	l.Secured = at.secured
	if err != nil {
		l.Err = s.dialer.explain(ctx, err, &at)
		return l
	}
	defer c.close(context.WithoutCancel(ctx))
	l.Detail, l.Warning = s.cfg.security(c)
	return l
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

func (r *reading) testRead(_ context.Context, step *sdk.TestStep) error {
	found := sqlkit.Readable{Where: r.s.Info.Database, Grant: grantStatements(quote(r.s.Info.CurrentUser), quoteAll(r.s.schemas))}
	err := r.query(readableSQL, [][]byte{textList(r.s.cfg.Schemas)}, func(v [][]byte) error {
		found.Tables, found.Sample = int(number(v[0])), string(v[1])
		return nil
	})
	if err != nil || !found.Report(step) {
		return err
	}
	return r.command("SELECT FROM " + found.Sample + " LIMIT 1")
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
