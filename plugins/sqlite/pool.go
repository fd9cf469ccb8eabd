package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// maxValueBytes is the longest string, blob or row that SQLite may make; it
	// bounds what zeroblob() and the like can take.
	maxValueBytes = 64 << 20
	// minFileBytes is the smallest page. Source: https://sqlite.org/fileformat2.html
	minFileBytes = 512
)

// connector opens connections for a database/sql pool. The pool is all that is
// used of database/sql: its connections run no statements.
type connector struct {
	config config
}

// Connect implements driver.Connector.
// Errors: *sdk.Error, as sdk.Connector.Open lists them.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	file, err := findFile(c.config.Path)
	if err != nil {
		return nil, err
	}
	conn, err := engine.Open(c.config.Path, engine.Options{
		BusyTimeout: time.Duration(c.config.BusySeconds) * time.Second,
		Limits: map[int32]int32{
			sqlite3.SQLITE_LIMIT_ATTACHED:       0,
			sqlite3.SQLITE_LIMIT_LENGTH:         maxValueBytes,
			sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
		},
		Switches: map[int32]bool{
			sqlite3.SQLITE_DBCONFIG_DEFENSIVE:             true,
			sqlite3.SQLITE_DBCONFIG_TRUSTED_SCHEMA:        false,
			sqlite3.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: false,
			sqlite3.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER: false,
			sqlite3.SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE:  false,
			sqlite3.SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE:   false,
			sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER:        false,
			sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE:      true,
			sqlite3.SQLITE_DBCONFIG_DQS_DML:               c.config.QuotedStrings,
		},
	})
	if err != nil {
		return nil, failed(ctx, "", err)
	}
	if err := harden(ctx, conn); err != nil {
		return nil, errors.Join(failed(ctx, "", err), conn.Close())
	}
	return &pooled{Conn: conn, path: c.config.Path, file: file}, nil
}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return nil }

// harden switches query_only on, puts the authorizer in place, and reads the
// file's first page: from here on the connection is known to read and unable to
// write.
func harden(ctx context.Context, conn *engine.Conn) error {
	release := conn.Watch(ctx)
	defer release()
	if err := conn.Authorize(func(a engine.Action) bool { return a.Code == sqlite3.SQLITE_PRAGMA }); err != nil {
		return err
	}
	if err := each(conn, "PRAGMA query_only = on", nil, nil); err != nil {
		return err
	}
	if err := conn.Authorize(authorize); err != nil {
		return err
	}
	return each(conn, "SELECT count(*) FROM sqlite_schema", nil, nil)
}

// findFile describes the file of a database. SQLite would show a file that is too short for
// one as an empty database.
func findFile(path string) (fs.FileInfo, error) {
	info, err := sqlkit.DatabaseFile(path, "point path at the database file inside")
	if err == nil && 0 < info.Size() && info.Size() < minFileBytes {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is too short for a database", path).
			WithHint("point path at a SQLite 3 database that is not encrypted")
	}
	return info, err
}

// pooled is a connection in the pool.
type pooled struct {
	*engine.Conn
	path string
	file fs.FileInfo // as it was at path before the connection was opened
	// schema is the version of the schema whose R*Trees are open, if opened.
	schema int64
	opened bool
}

// ResetSession implements driver.SessionResetter. It has the pool give up a
// connection whose file was moved, replaced or removed: what it reads is the
// past.
func (p *pooled) ResetSession(context.Context) error {
	if now, err := os.Stat(p.path); err != nil || !os.SameFile(p.file, now) {
		return driver.ErrBadConn
	}
	return nil
}

var errRaw = errors.New("the pool's connections run no statements themselves")

// Prepare implements driver.Conn.
func (*pooled) Prepare(string) (driver.Stmt, error) { return nil, errRaw }

// Begin implements driver.Conn.
func (*pooled) Begin() (driver.Tx, error) { return nil, errRaw }

// use takes a connection out of the pool for f.
func use(ctx context.Context, pool *sql.DB, f func(*engine.Conn) error) (err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return conn.Raw(func(raw any) error {
		c, ok := raw.(*pooled)
		if !ok {
			return fmt.Errorf("the pool holds a %T", raw)
		}
		release := c.Watch(ctx)
		defer release()
		if err := c.openTrees(); err != nil {
			return err
		}
		return f(c.Conn)
	})
}

// each runs a statement of the connector's own and passes on its rows.
func each(c *engine.Conn, sql string, params []any, row func(*engine.Stmt) error) error {
	stmt, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	defer stmt.Finalize()
	for i, p := range params {
		if err := stmt.Bind(i+1, p); err != nil {
			return err
		}
	}
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return err
		}
		if row == nil {
			continue
		}
		if err := row(stmt); err != nil {
			return err
		}
	}
}
