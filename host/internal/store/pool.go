package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// A role is what a connection is for: the settings it asks for and must have.
// The driver takes a setting only in the form _pragma=name(value) and ignores
// every other spelling in silence, so each connection is asked what it got.
type role struct {
	txlock  string
	pragmas []pragma
}

type pragma struct {
	name string
	set  string
	want int64 // as PRAGMA name answers; for journal_mode see modeWAL
}

const modeWAL = -1 // stands for "wal", the one answer that is no number

var (
	writer = role{txlock: "immediate", pragmas: []pragma{
		{"busy_timeout", "10000", 10_000},
		{"journal_mode", "WAL", modeWAL},
		{"synchronous", "NORMAL", 1},
		{"secure_delete", "ON", 1}, // a text that is replaced or forgotten may have had a secret
		{"foreign_keys", "ON", 1},
		{"cell_size_check", "ON", 1},
		{"trusted_schema", "OFF", 0},
	}}
	reader = role{txlock: "deferred", pragmas: []pragma{
		{"busy_timeout", "10000", 10_000},
		{"query_only", "ON", 1},
		{"cell_size_check", "ON", 1},
		{"trusted_schema", "OFF", 0},
	}}
	locker = role{txlock: "exclusive", pragmas: []pragma{
		{"busy_timeout", "10000", 10_000},
	}}
)

// pool returns connections of a role to the file at path. It does no I/O.
func pool(path string, r role) *sql.DB { return sql.OpenDB(connector(path, r)) }

// connector makes the connections of a pool.
func connector(path string, r role) driver.Connector {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	query := url.Values{"_txlock": {r.txlock}, "mode": {"rw"}}
	for _, p := range r.pragmas {
		query.Add("_pragma", p.name+"("+p.set+")")
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query.Encode()}
	base, err := sqlite.NewConnector(dsn.String())
	if err != nil {
		panic(fmt.Sprintf("store: the driver refuses its own DSN: %v", err)) // nothing in it comes from outside but the escaped path
	}
	return asserted{base, r}
}

// asserted is a driver.Connector whose connections have their role's settings.
type asserted struct {
	driver.Connector
	role role
}

func (a asserted) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := a.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range a.role.pragmas {
		if err := p.assert(ctx, conn); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}

func (p pragma) assert(ctx context.Context, conn driver.Conn) (err error) {
	queryer, ok := conn.(driver.QueryerContext)
	if !ok {
		return fmt.Errorf("the driver's connection %T cannot query", conn)
	}
	rows, err := queryer.QueryContext(ctx, "PRAGMA "+p.name, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	got := make([]driver.Value, 1)
	if err := rows.Next(got); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	want := driver.Value(p.want)
	if p.want == modeWAL {
		want = "wal"
	}
	if got[0] != want {
		return fmt.Errorf("PRAGMA %s is %v instead of %v", p.name, got[0], want)
	}
	return nil
}

// lock waits until no other process holds the lock file, which is a database
// of its own: SQLite's locks are right on every platform, and the kernel frees
// them when a process dies. It must exist.
func lock(ctx context.Context, path string) (unlock func() error, err error) {
	db := pool(path, locker)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return func() error { return errors.Join(tx.Rollback(), db.Close()) }, nil
}
