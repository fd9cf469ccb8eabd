// Package store keeps the host's state in one SQLite file, .loam/state.db. Everything
// else is in files that a person owns.
//
// One connection writes, a few read (write-ahead log). A commit survives every end of the
// process. A power failure may lose the last commits, but does not damage the file
// (synchronous NORMAL). Several processes may use one folder. The content of state.db can
// be derived again from files and warehouses, or is a record of the past; losing it loses
// no configuration.
package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// readers is how many statements read at once beside the writer.
const readers = 4

// Store is an open state store. Concurrency: any number of goroutines and
// processes.
type Store struct {
	path  string
	write *sql.DB // one connection; its transactions begin IMMEDIATE
	read  *sql.DB // cannot write
}

// Open opens the store file at path, making it and its folder when they are
// missing, and brings its schema up to date.
// Errors: KindUnsupported (a newer schema, a network file system),
// KindUnavailable (the file is damaged), KindConflict with Retry (held by
// another process for too long), KindDenied, KindLimit (disk full).
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path)
	if err != nil {
		return nil, explain("open the state store", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string) (_ *Store, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, path+".lock")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s := &Store{path: path, write: pool(path, writer), read: pool(path, reader)}
	s.write.SetMaxOpenConns(1)
	s.read.SetMaxOpenConns(readers)
	if err := migrate(ctx, s.write, path); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare makes the folder and the file, for this user's eyes only. SQLite
// gives its other files the permissions of the first.
func prepare(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	if err := refuseNetwork(dir, networkFileSystem); err != nil {
		return err
	}
	for _, name := range []string{path, path + ".lock"} {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func refuseNetwork(dir string, probe func(string) (name string, remote bool)) error {
	name, remote := probe(dir)
	if !remote {
		return nil
	}
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s is on a network file system (%s), where SQLite cannot lock safely", dir, name).
		WithHint("put the project folder on a local disk")
}

// freeze makes every further write fail as on the file at original, which this user may not
// write.
func (s *Store) freeze(original string) error {
	err := s.write.Close()
	s.write, s.path = pool(s.path, reader), original
	return err
}

// Close closes the store. Idempotent.
func (s *Store) Close() error {
	return errors.Join(s.read.Close(), s.write.Close())
}

// Check reads the whole file and checks that it is consistent.
// Errors: KindUnavailable when the file is damaged.
func (s *Store) Check(ctx context.Context) error {
	var finding string
	err := s.read.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&finding)
	if err == nil && finding != "ok" {
		err = damaged(s.path, finding)
	}
	return explain("check the state store", s.path, err)
}

// Opener opens the state store; *Lazy is one.
type Opener interface {
	Get(ctx context.Context) (*Store, error)
}

// Lazy is a store that is opened on first use: a host that needs no state never opens it.
type Lazy struct {
	path   string
	copyOf string // the file that path is a copy of, which cannot be written; "" = none
	mu     sync.Mutex
	store  *Store
	over   bool
}

// NewLazy returns the store at path, unopened.
func NewLazy(path string) *Lazy { return &Lazy{path: path} }

// NewCopy returns the store at path, which may be read alone: it is a copy of the one at
// original, which this user may not write. What is written fails as it would there.
func NewCopy(path, original string) *Lazy { return &Lazy{path: path, copyOf: original} }

// Path returns the path of the store, which may not exist yet.
func (l *Lazy) Path() string { return l.path }

// Get opens the store if it is not open. After a failure the next call tries
// again. Errors: as Open; KindUnavailable after Close.
func (l *Lazy) Get(ctx context.Context) (*Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the state store is closed")
	}
	if l.store == nil {
		s, err := Open(ctx, l.path)
		if err != nil {
			return nil, err
		}
		if l.copyOf != "" {
			if err := s.freeze(l.copyOf); err != nil {
				return nil, errors.Join(err, s.Close())
			}
		}
		l.store = s
	}
	return l.store, nil
}

// Close closes the store if it was opened. Idempotent.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.store == nil {
		return nil
	}
	err := l.store.Close()
	l.store = nil
	return err
}
