package sqlite

import (
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
)

// trees are the R*Trees of a file. To open one, SQLite compiles the statements
// with which a write would change its shadow tables; it runs them only for a
// write. The authorizer refuses them, so that the connector opens the trees
// itself before a caller's statement is compiled: only then, and only for these
// tables, are they compiled.
const trees = `SELECT name FROM sqlite_schema WHERE type = 'table'
	AND (sql LIKE 'create virtual table%using%rtree%' OR sql LIKE 'create virtual table%using%geopoly%')`

// openTrees opens the R*Trees of the file, if its schema is another one than the
// last time. A tree that cannot be opened is left to the statement that names it.
func (p *pooled) openTrees() error {
	var schema int64
	if err := each(p.Conn, "PRAGMA schema_version", nil, func(row *engine.Stmt) error {
		schema = row.Int64(0)
		return nil
	}); err != nil || p.opened && schema == p.schema {
		return err
	}
	var names []string
	if err := each(p.Conn, trees, nil, func(row *engine.Stmt) error {
		name, err := row.Bytes(0, engine.Text)
		names = append(names, string(name))
		return err
	}); err != nil {
		return err
	}
	for _, name := range names {
		if err := p.openTree(name); err != nil {
			return err
		}
	}
	p.schema, p.opened = schema, true
	return nil
}

func (p *pooled) openTree(name string) error {
	shadows := map[string]bool{}
	for _, suffix := range []string{"_node", "_rowid", "_parent"} {
		shadows[strings.ToLower(name+suffix)] = true
	}
	if err := p.Authorize(func(a engine.Action) bool {
		switch a.Code {
		case sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE:
			return shadows[strings.ToLower(a.Arg1)]
		default:
			return authorize(a)
		}
	}); err != nil {
		return err
	}
	if stmt, err := p.Conn.Prepare("SELECT 1 FROM " + quoting.QuoteIdentifier(name)); err == nil {
		stmt.Finalize()
	}
	return p.Authorize(authorize)
}
