// Package file writes files whole or not at all, and locks files against other
// processes.
package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// temporary begins the names of the files that Temp makes.
const temporary = ".new-"

// Temp creates a temporary file in dir, to be renamed into place.
func Temp(dir string) (*os.File, error) { return os.CreateTemp(dir, temporary+"*") }

// Sweep removes files of Temp that a killed process left in dir. The caller holds the lock under which they are made.
func Sweep(dir string) error {
	left, err := filepath.Glob(filepath.Join(escape(dir), temporary+"*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range left {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// escape escapes the special characters of a pattern.
func escape(dir string) string {
	var out []byte
	for i := range len(dir) {
		switch c := dir[i]; {
		case c == '*' || c == '?' || c == '[':
			out = append(out, '[', c, ']')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// Replace writes a file whole or not at all, on disk before it returns. Without a lock, the last of several writers
// wins.
func Replace(path string, content []byte, mode fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	temp, err := Temp(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	writes.Add(1)
	return SyncDir(dir)
}

// writes counts what Replace put in place.
var writes atomic.Int64

// Writes returns how many files this process has replaced so far. A cache of file contents is stale when the number has
// changed.
func Writes() int64 { return writes.Load() }

// Lock acquires the exclusive lock of a file, and creates the file if there is none. The lock ends with unlock or with the process.
// Shape: unlock is nil when the lock is taken, by this process or another.
func Lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	held, err := tryLock(f)
	if err != nil || held {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(release(f), f.Close()) }, nil
}

// poll is the interval at which Wait tries a taken lock again.
const poll = 10 * time.Millisecond

// Wait is Lock that waits up to patience.
// Shape: unlock is nil when the lock stayed taken.
// Errors: those of Lock and of ctx.
func Wait(ctx context.Context, path string, patience time.Duration) (unlock func() error, err error) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		unlock, err := Lock(path)
		if err != nil || unlock != nil {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-over.C:
			return nil, nil
		case <-time.After(poll):
		}
	}
}
