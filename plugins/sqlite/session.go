package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	product   = "SQLite"
	mechanism = "file opened read-only, authorizer that allows only reads, query_only"
)

// session is an open database.
type session struct {
	pool    *sql.DB
	info    sdk.ServerInfo
	timeout time.Duration // of a statement without a limit of its own
	calls   sqlkit.Calls
	// loose remembers, by statement, the columns whose later values did not fit what
	// the first rows promised.
	loose sqlkit.Recall[[]int]
	// profileRows is how many rows of a table a profile counts; 0 = the usual.
	profileRows int64
}

var (
	_ sdk.Session   = (*session)(nil)
	_ sdk.Explainer = (*session)(nil)
	_ sdk.Validator = (*session)(nil)
	_ sdk.Profiler  = (*session)(nil)
)

// open implements sdk.Connector.Open: it proves that the file is a database
// which can be read.
func open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	c, err := sqlkit.Decode[config](req.Config, nil)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "path: %w", err).WithHint("give the whole path of the database file")
	}
	c.Path = path
	s := &session{
		pool: sql.OpenDB(connector{*c}), timeout: sqlkit.Defaults(req).StatementTimeout,
		info: sdk.ServerInfo{
			Product: product, Version: engine.Version(), Database: filepath.Base(path),
			ReadOnly: sdk.ReadOnlyEngine, ReadOnlyMechanism: mechanism,
		},
	}
	sqlkit.Limit(s.pool, req)
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// Server implements sdk.Session.
func (s *session) Server() sdk.ServerInfo { return s.info }

// Ping implements sdk.Session: it reads the schema from the file.
func (s *session) Ping(ctx context.Context) error {
	return s.call(ctx, 0, "", func(_ context.Context, c *engine.Conn) error {
		return each(c, "SELECT count(*) FROM sqlite_schema", nil, nil)
	})
}

// Close implements sdk.Session.
func (s *session) Close(ctx context.Context) error {
	return errors.Join(s.calls.Close(ctx), s.pool.Close())
}

// call runs f on a connection of the pool as one call of the session, within
// limit. sql is the text that positions in errors are about.
func (s *session) call(ctx context.Context, limit time.Duration, sql string, f func(context.Context, *engine.Conn) error) error {
	return s.calls.Run(ctx, limit, s.timeout, func(ctx context.Context) error {
		return failed(ctx, sql, use(ctx, s.pool, func(c *engine.Conn) error { return f(ctx, c) }))
	})
}

// prepare compiles the caller's statement.
// Errors: as the caller shall see them.
func prepare(ctx context.Context, c *engine.Conn, sql string) (*engine.Stmt, error) {
	stmt, err := c.Prepare(sql)
	if err != nil {
		what, missing, err := compileFailed(sql, failed(ctx, sql, err))
		return nil, sqlkit.Suggest(ctx, err, missing, known(c, what))
	}
	if !stmt.IsReadOnly() && !asksJournalMode(sql) {
		stmt.Finalize()
		return nil, sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "the statement writes").WithHint("only statements that read can run")
	}
	return stmt, nil
}

// asksJournalMode reports whether a statement is PRAGMA [schema.]journal_mode. The
// library says that it writes, as it does with a value, which the authorizer refuses.
func asksJournalMode(sql string) bool {
	tokens, err := quoting.Tokens(sql, nil)
	for n := len(tokens); n > 0 && tokens[n-1].Is(sql, ";"); n = len(tokens) {
		tokens = tokens[:n-1]
	}
	n := len(tokens)
	return err == nil && (n == 2 || n == 4 && tokens[2].Is(sql, ".")) && tokens[0].IsWord(sql, "PRAGMA") && tokens[n-1].IsWord(sql, "JOURNAL_MODE")
}

// known returns what lists the names of a kind, for a hint.
func known(c *engine.Conn, what string) func(context.Context) ([]string, error) {
	query := map[string]string{
		"table":    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
		"column":   "SELECT DISTINCT x.name FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) x WHERE m.type = 'table' ORDER BY 1",
		"function": "SELECT DISTINCT name FROM pragma_function_list ORDER BY 1",
	}[what]
	return func(ctx context.Context) (names []string, err error) {
		if query == "" {
			return nil, nil
		}
		err = catalogQueries(c)(ctx, query, func(r sqlkit.Row) error {
			names = append(names, r.Text(0))
			return nil
		})
		return names, err
	}
}
