//go:build cgo

package engine

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// Database is an open database.
// Concurrency: safe for several goroutines; Close after every Conn is closed.
type Database struct{ db duck.Database }

// instances makes the databases of one process that are of one file the same
// instance: the file's lock belongs to the process, and closing one of two
// instances would take it from the other.
// Source: fcntl(2), "Record locking".
var instances = sync.OnceValue(duck.CreateInstanceCache)

// Open opens a file, or a database in memory for "". The options are what
// duckdb_settings() lists and can be given before the start.
// Errors: *Error.
func Open(path string, options map[string]string) (*Database, error) {
	var config duck.Config
	if duck.CreateConfig(&config) == duck.StateError {
		return nil, &Error{Type: "Internal", Msg: "the library gave no configuration"}
	}
	defer duck.DestroyConfig(&config)
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if duck.SetConfig(config, name, options[name]) == duck.StateError {
			return nil, &Error{Type: "Invalid Configuration", Msg: fmt.Sprintf("the library refuses %s = %q", name, options[name])}
		}
	}
	d := &Database{}
	var message string
	var state duck.State
	if path == "" {
		state = duck.OpenExt(path, &d.db, config, &message)
	} else {
		state = duck.GetOrCreateFromCache(instances(), path, &d.db, config, &message)
	}
	if state == duck.StateError {
		duck.Close(&d.db)
		return nil, parseError(message)
	}
	return d, nil
}

// Close frees the database. Idempotent.
func (d *Database) Close() { duck.Close(&d.db) }

// Connect opens a connection.
func (d *Database) Connect() (*Conn, error) {
	c := &Conn{}
	if duck.Connect(d.db, &c.conn) == duck.StateError {
		return nil, &Error{Type: "Connection", Msg: "the library opens no further connection"}
	}
	return c, nil
}

// Version returns the library's version, "1.5.5".
func Version() string {
	version := duck.LibraryVersion()
	if len(version) > 0 && version[0] == 'v' {
		return version[1:]
	}
	return version
}
