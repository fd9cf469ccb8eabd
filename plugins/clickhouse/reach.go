package clickhouse

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// reaches refuses a statement that can leave readonly = 1 through the objects
// that it names. The setting stops table functions that a statement or a view
// calls, but not those of a view with SQL SECURITY NONE or with SETTINGS of its
// own, no table whose engine asks another place, no dictionary, and no function
// that is a program.
// Errors: KindNotReadOnly with the path, and those of the questions.
func (s *Session) reaches(ctx context.Context, sql string, tokens []dialect.Token) error {
	look := func(names []reach.Ref) (map[reach.Ref][]reach.Entry, error) { return s.lookUp(ctx, names) }
	path, err := s.explorer.Find(catalogVersion(time.Now()), sql, tokens, s.Info.Database, look)
	if path == nil || err != nil {
		return err
	}
	return path.Refuse(sql)
}

// catalogVersion is the version of the server's catalogue: there is none that is
// cheaper to learn than what stands behind a few names, so that this is believed
// for a second.
func catalogVersion(now time.Time) string { return strconv.FormatInt(now.Unix(), 10) }

// newExplorer returns the explorer of a session, whose database is where names
// without one are looked up.
func newExplorer(d *dialect.Dialect, database string, allowed []string) *reach.Explorer {
	e := &reach.Explorer{Dialect: d, Builtins: leavingFunctions(), Exceptions: reach.NewExceptions(allowed)}
	e.Names = func(sql string, tokens []dialect.Token, schema string, inner bool, each func(reach.Mention)) {
		t := body{d: d, sql: sql, tokens: tokens, schema: schema, inner: inner}
		if schema == "" { // of a function in SQL, which is of no database
			t.schema = database
		}
		t.names(each)
	}
	return e
}

// unmatched warns of exceptions that name nothing which the account may see.
func (s *Session) unmatched(ctx context.Context) ([]sdk.Diagnostic, error) {
	if len(s.cfg.AllowFunctions) == 0 {
		return nil, nil
	}
	sql := "SELECT 'table', database, name FROM system.tables UNION ALL SELECT 'function', '', name FROM system.functions UNION ALL SELECT 'function', '', name FROM system.table_functions"
	if s.newer(ownDictionaries) {
		sql += " UNION ALL SELECT 'dictionary', database, name FROM system.dictionaries"
	} else {
		sql += " UNION ALL SELECT 'dictionary', '', name FROM system.dictionaries"
	}
	var all []reach.Object
	err := s.ask(ctx, s.Limit(0), sql, func(r sqlkit.Row) error {
		all = append(all, reach.Object{Kind: reach.Kind(r.Text(0)), Schema: r.Text(1), Name: r.Text(2)})
		return nil
	})
	return s.explorer.Exceptions.Unmatched(all, s.Dialect.Folding == dialect.FoldInsensitive), err
}

// Names of things that have none in the catalogue. No object has a NUL in its
// name.
const (
	byPattern    = "\x00pattern " // and a regular expression: the tables that match it
	byExpression = "\x00expression"
)

// body is a statement or a definition whose names are looked up.
type body struct {
	d      *dialect.Dialect
	sql    string
	tokens []dialect.Token
	schema string
	inner  bool
}

func (t *body) is(i int, words ...string) bool {
	return i >= 0 && i < len(t.tokens) && slices.ContainsFunc(words, func(word string) bool {
		return t.tokens[i].Is(t.sql, word) || t.tokens[i].IsWord(t.sql, word)
	})
}

func (t *body) named(i int) bool {
	return i >= 0 && i < len(t.tokens) && (t.tokens[i].Kind == dialect.TokenWord || t.tokens[i].Kind == dialect.TokenQuoted)
}

// currentDatabase are the names of the function that returns the session's database.
var currentDatabase = []string{"currentDatabase", "current_database", "DATABASE", "SCHEMA"}

// here reports whether token i calls for the database of the statement. In a
// definition it may be another one than that of the object, and an alias of the
// same name may stand for a lambda.
func (t *body) here(i int) bool {
	if t.inner || !t.is(i, currentDatabase...) {
		return false
	}
	for j := range t.tokens {
		if t.named(j) && !t.is(j+1, "(") && slices.ContainsFunc(currentDatabase, func(name string) bool {
			return strings.EqualFold(name, t.d.Unquote(t.sql, t.tokens[j]))
		}) {
			return false
		}
	}
	return true
}

// constant reports whether token i is a string that is written as it is.
func (t *body) constant(i int) bool {
	return i < len(t.tokens) && t.tokens[i].Kind == dialect.TokenString && !strings.Contains(t.tokens[i].Text(t.sql), `\`)
}

// split returns the database and the name that a string has.
func (t *body) split(i int) (schema, name string) {
	value := t.d.Unquote(t.sql, t.tokens[i])
	if schema, name, ok := strings.Cut(value, "."); ok {
		return schema, name
	}
	return t.schema, value
}
