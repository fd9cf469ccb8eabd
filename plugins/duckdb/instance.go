//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// filesCatalog holds a schema for every folder.
const filesCatalog = "files"

// instance is an open database.
type instance struct {
	db *engine.Database
	// name is the catalog that unqualified names are looked for in first.
	name string
	// setUp readies a connection for a caller's statement.
	setUp string
	path  string      // of the database file, "" without one
	file  fs.FileInfo // as it was when it was opened
	// folders are as they were read; tables are those of their files, by name.
	folders []*folder
	tables  map[sdk.TableRef]*fileTable
	// hidden are the views and macros that call what a statement must not.
	hidden map[string]bool

	// The source's:
	uses  int
	timer *time.Timer
}

// quoting is how names and strings are written. Its guard has no phrases: UNPIVOT
// … INTO reads, and the type of a statement, which the engine tells, decides.
var quoting = func() *dialect.Dialect {
	d := &Dialects()[0]
	d.Guard.Phrases = nil
	return d
}()

func quoteName(parts ...string) string {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		quoted[i] = quoting.QuoteIdentifier(part)
	}
	return strings.Join(quoted, ".")
}

// openInstance opens the database of a configuration, which may take so many
// bytes of memory, so that nothing can
// loosen it afterwards.
func openInstance(ctx context.Context, c *config, memory int64) (*instance, error) {
	i := &instance{tables: map[sdk.TableRef]*fileTable{}}
	path, options := "", map[string]string{
		"memory_limit": strconv.FormatInt(memory>>10, 10) + "KiB", "threads": strconv.Itoa(c.Threads),
		"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "allow_community_extensions": "false",
		"allow_unsigned_extensions": "false", "duckdb_api": "loam",
	}
	if c.Path != "" {
		file, err := findFile(c.Path)
		if err != nil {
			return nil, err
		}
		i.path, i.file, i.name = c.Path, file, catalogName(c.Path)
	}
	if len(c.Folders) == 0 {
		path, options["access_mode"] = c.Path, "READ_ONLY"
	}
	db, err := engine.Open(path, options)
	if err != nil {
		return nil, openFailed(c.Path, err)
	}
	i.db = db
	if err := i.prepare(ctx, c); err != nil {
		db.Close()
		return nil, openFailed(c.Path, failed(ctx, err))
	}
	return i, nil
}

// prepare fills the catalogs and locks the configuration.
func (i *instance) prepare(ctx context.Context, c *config) error {
	conn, err := i.db.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	defer conn.Watch(ctx)()
	// DuckDB 1.5.5 gives a wrong number where two branches of a statement group the same
	// join by keys of which one has more: its search for common subplans takes them for one.
	if err := conn.Exec("SET GLOBAL disabled_optimizers = 'common_subplan'"); err != nil {
		return err
	}
	// No spill to disk: a temporary file beside the data would be a write.
	if err := conn.Exec("SET GLOBAL errors_as_json = true; SET GLOBAL TimeZone = 'UTC'; SET GLOBAL temp_directory = ''"); err != nil {
		return err
	}
	var search []string
	if len(c.Folders) == 0 {
		if i.name, err = text1(conn, "SELECT current_database()"); err != nil {
			return err
		}
	} else if search, err = i.attach(ctx, conn, c); err != nil {
		return err
	}
	if err := conn.Exec("SET GLOBAL enable_external_access = false; SET GLOBAL lock_configuration = true"); err != nil {
		return err
	}
	if i.hidden, err = hiddenCalls(conn); err != nil {
		return err
	}
	// The bar itself would be printed to standard output.
	i.setUp = "PRAGMA disable_print_progress_bar; PRAGMA enable_progress_bar"
	if len(search) > 0 {
		i.setUp += "; SET search_path = " + quoting.QuoteString(strings.Join(search, ","))
	}
	return nil
}

// attach brings the database file and the folders in beside each other, and
// returns their schemas.
func (i *instance) attach(ctx context.Context, conn *engine.Conn, c *config) (search []string, err error) {
	if c.Path != "" {
		if err := conn.Exec(fmt.Sprintf("ATTACH %s AS %s (READ_ONLY)", quoting.QuoteString(c.Path), quoteName(i.name))); err != nil {
			return nil, err
		}
		search = append(search, quoteName(i.name, "main"))
	} else {
		i.name = filesCatalog
	}
	if err := conn.Exec("ATTACH ':memory:' AS " + filesCatalog); err != nil {
		return nil, err
	}
	if i.folders, err = readFolders(ctx, c.Folders); err != nil {
		return nil, err
	}
	var allowed []string
	for _, f := range i.folders {
		if err := conn.Exec("CREATE SCHEMA " + quoteName(filesCatalog, f.schema)); err != nil {
			return nil, err
		}
		search = append(search, quoteName(filesCatalog, f.schema))
		for _, t := range f.tables {
			if err := t.create(ctx, conn, f); err != nil {
				return nil, err
			}
			if t.broken == "" {
				i.tables[t.ref(f)] = t
				allowed = append(allowed, t.paths...)
			}
		}
	}
	return search, conn.Exec("SET GLOBAL allowed_paths = " + list(allowed))
}

// list writes texts as a LIST.
func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quoting.QuoteString(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// connect opens a connection for a caller.
func (i *instance) connect() (*conn, error) {
	c, err := i.db.Connect()
	if err != nil {
		return nil, err
	}
	if err := c.Exec(i.setUp); err != nil {
		c.Close()
		return nil, err
	}
	return &conn{Conn: c, instance: i}, nil
}

// replaced reports whether another file is now where the database's was: what
// is open is the past.
func (i *instance) replaced() bool {
	if i.file == nil {
		return false
	}
	now, err := os.Stat(i.path)
	return err != nil || !os.SameFile(i.file, now)
}

// catalogName is the name of a database of its own: the file's, without what
// follows the first dot.
func catalogName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	switch strings.ToLower(name) {
	case "", "system", "temp", "memory", filesCatalog:
		return name + "_db"
	default:
		return name
	}
}

// findFile describes the file of a database.
func findFile(path string) (fs.FileInfo, error) {
	return sqlkit.DatabaseFile(path, "point path at the database file inside, or list the folder under folders")
}
