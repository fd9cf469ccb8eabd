package mysql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// catalogFresh is how long the version of the server's catalogue is believed: a
// definition that changed meanwhile is seen with the next statement after it.
const catalogFresh = time.Second

// catalog is what is known of the objects behind the names of statements.
// Concurrency: safe for several goroutines.
type catalog struct {
	explorer *reach.Explorer

	mu      sync.Mutex
	asked   time.Time // when the version was
	version string
	server  objects
	// natives are the functions of the server itself that were met, in lower case.
	natives map[string]bool
}

// objects are the parts of the catalogue that are read whole; the others are looked up
// by name.
type objects struct {
	schemas map[string]bool // in lower case
	// libraries are the loadable functions by their names, in lower case, and the
	// library of each; nil = the account may not read them.
	libraries map[string]string
}

func newCatalog(d *dialect.Dialect, allowed []string) *catalog {
	c := &catalog{natives: map[string]bool{}}
	c.explorer = &reach.Explorer{
		Dialect: d, Builtins: leavingFunctions(), Exceptions: reach.NewExceptions(allowed), Names: c.names,
	}
	return c
}

// forget drops the version: the server may have been started anew.
func (c *catalog) forget() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.version = time.Time{}, ""
}

// reaches is leaves for a statement of the connector's own.
func (r *reading) reaches(sql string) error {
	tokens, err := r.s.Dialect.Tokens(sql, nil)
	if err != nil {
		return err
	}
	return r.leaves(sql, tokens)
}

// leaves refuses a statement that can leave the read-only transaction through the
// objects that it names: the transaction stops writes of rows, and nothing else
// that a function does as its definer.
// Errors: KindNotReadOnly with the path.
func (r *reading) leaves(sql string, tokens []dialect.Token) error {
	c := r.s.catalog
	version, err := c.current(r)
	if err != nil {
		return err
	}
	path, err := c.explorer.Find(version, sql, tokens, r.s.cfg.Database, r.lookUp)
	if path == nil || err != nil {
		return err
	}
	return path.Refuse(sql)
}

// versionSQL counts what changes definitions: it has a row per kind of statement,
// with how often the server ran such. Neither product has a version or a time of
// change that a reader could ask for: views have none, and a routine's needs a
// look at every routine.
const versionSQL = "SHOW GLOBAL STATUS WHERE Variable_name REGEXP '^Com_(create|alter|drop|rename)_'"

// current returns the version of the catalogue.
func (c *catalog) current(r *reading) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != "" && time.Since(c.asked) < catalogFresh {
		return c.version, nil
	}
	asked, changes := time.Now(), int64(0)
	err := r.query(versionSQL, func(row sqlkit.Row) error {
		n, err := strconv.ParseInt(row.Text(1), 10, 64)
		changes += n
		return err
	})
	if err != nil {
		return "", err
	}
	version := strconv.FormatInt(changes, 10)
	if version != c.version {
		if c.server, err = r.objects(); err != nil {
			return "", err
		}
	}
	c.version, c.asked = version, asked
	return version, nil
}

// objects asks for the databases and the loadable functions of the server.
func (r *reading) objects() (objects, error) {
	o := objects{schemas: map[string]bool{}}
	err := r.query("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA", func(row sqlkit.Row) error {
		o.schemas[strings.ToLower(row.Text(0))] = true
		return nil
	})
	if err != nil {
		return o, err
	}
	libraries := "SELECT UDF_NAME, UDF_LIBRARY FROM performance_schema.user_defined_functions WHERE UDF_LIBRARY IS NOT NULL"
	if r.Conn.server.mariaDB {
		libraries = "SELECT name, dl FROM mysql.func"
	}
	found := map[string]string{}
	err = r.query(libraries, func(row sqlkit.Row) error {
		found[strings.ToLower(row.Text(0))] = row.Text(1)
		return nil
	})
	if err == nil {
		o.libraries = found
	} else if !isServerError(err) {
		return o, err
	}
	return o, nil // without the right to read them, each name is tried
}

// unmatched warns of exceptions that name nothing which the account may see.
func (r *reading) unmatched() ([]sdk.Diagnostic, error) {
	server, err := r.objects()
	if err != nil {
		return nil, err
	}
	var all []reach.Object
	for _, rule := range r.s.catalog.explorer.Builtins {
		all = append(all, reach.Object{Kind: reach.Function, Name: rule.Pattern})
	}
	for name := range server.libraries {
		all = append(all, reach.Object{Kind: reach.Function, Name: name})
	}
	err = r.query(`SELECT 'table', TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES
UNION ALL SELECT 'function', ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES`, func(row sqlkit.Row) error {
		all = append(all, reach.Object{Kind: reach.Kind(row.Text(0)), Schema: row.Text(1), Name: row.Text(2)})
		return nil
	})
	return r.s.catalog.explorer.Exceptions.Unmatched(all, r.s.Dialect.Folding == dialect.FoldInsensitive), err
}

// names is reach.Explorer.Names: every name in a place where a table or a
// function can stand. A name that stands for neither is looked up in vain.
func (c *catalog) names(sql string, tokens []dialect.Token, schema string, inner bool, each func(reach.Mention)) {
	d, tables := c.explorer.Dialect, reach.Tables(sql, tokens)
	for i, t := range tokens {
		if t.Kind != dialect.TokenWord && t.Kind != dialect.TokenQuoted {
			continue
		}
		w := word{sql, tokens, i}
		name, in, called := d.Unquote(sql, t), schema, w.called()
		qualified := w.before(".")
		if w.after(".") { // the package of pkg.f(): a routine of that name
			called = i+3 < len(tokens) && tokens[i+3].Is(sql, "(")
		}
		switch {
		case qualified && i > 1:
			in = d.Unquote(sql, tokens[i-2])
			if !called && (!tables[i-2] || !c.schema(in)) {
				continue // a column of a table
			}
		case w.after(".") && !called:
			continue
		case w.after("."):
		case t.Kind == dialect.TokenWord && slices.Contains(d.Reserved, strings.ToUpper(name)):
			continue
		case called && c.native(name):
			continue
		case !called && !tables[i]:
			continue
		}
		each(reach.Mention{Ref: reach.Ref{Schema: in, Name: name, Called: called, Inner: inner}, Start: int(t.Start)})
	}
}

func (c *catalog) schema(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.schemas[strings.ToLower(name)]
}

func (c *catalog) native(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.natives[strings.ToLower(name)]
}

// word is a token and what stands around it.
type word struct {
	sql    string
	tokens []dialect.Token
	at     int
}

func (w word) after(operator string) bool {
	return w.at+1 < len(w.tokens) && w.tokens[w.at+1].Is(w.sql, operator)
}

func (w word) before(words ...string) bool {
	return w.at > 0 && slices.ContainsFunc(words, func(s string) bool {
		return w.tokens[w.at-1].Is(w.sql, s) || w.tokens[w.at-1].IsWord(w.sql, s)
	})
}

// called reports whether the name is that of a function: one in front of a
// parenthesis, or of CALL, and not a table or alias with its columns.
func (w word) called() bool {
	if w.before("CALL") {
		return true
	}
	return w.after("(") && !w.before("INTO", "AS", ")") && !(w.before("WITH", "RECURSIVE", ",") && w.heading())
}

// heading reports whether the name begins WITH name (column, …) AS (, which differs
// from f(column) AS name by the parenthesis at its end.
func (w word) heading() bool {
	for i := w.at + 2; i < len(w.tokens); i++ {
		switch t := w.tokens[i]; {
		case t.Is(w.sql, ")"):
			return i+2 < len(w.tokens) && w.tokens[i+1].IsWord(w.sql, "AS") && w.tokens[i+2].Is(w.sql, "(")
		case t.Kind != dialect.TokenWord && t.Kind != dialect.TokenQuoted && !t.Is(w.sql, ","):
			return false
		}
	}
	return false
}

// unseen makes the reason of an object that cannot be looked into.
func unseen(format string, args ...any) *reach.Reason {
	return &reach.Reason{Text: fmt.Sprintf(format, args...)}
}

// bodyGrant is the statement that lets the account read the bodies of routines.
func (s *Session) bodyGrant(schema string) string {
	account := accountName(s.Info.CurrentUser)
	d := dialect.Dialect{Product: productMariaDB, MinVersion: "11.3"}
	switch {
	case !s.server.mariaDB:
		return "GRANT SHOW_ROUTINE ON *.* TO " + account
	case d.Matches(s.Info.Product, s.Info.Version):
		return "GRANT SHOW CREATE ROUTINE ON " + quote(schema) + ".* TO " + account
	default:
		return "GRANT SELECT ON mysql.proc TO " + account
	}
}

// libraryGrant is the statement that lets the account see the loadable functions.
func (s *Session) libraryGrant() string {
	if s.server.mariaDB {
		return "GRANT SELECT ON mysql.func TO " + accountName(s.Info.CurrentUser)
	}
	return "GRANT SELECT ON performance_schema.user_defined_functions TO " + accountName(s.Info.CurrentUser)
}
