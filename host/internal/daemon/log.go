package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
)

const (
	// logSize is the size at which the log is rotated, in bytes.
	logSize = 10 << 20
	// logKeep is the number of rotated logs that are kept.
	logKeep = 3
)

// Log is the log file of a daemon. At 10 MiB it is rotated: it becomes .1, the one before .2,
// up to .3.
// Concurrency: its methods may be called concurrently; only one process may write at a time.
type Log struct {
	path  string
	limit int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// OpenLog opens the log for appending, and rotates it first if it is large. The caller closes
// it. After a later rotation, crash output of the Go runtime goes to the new file; until then
// it goes to standard error, which Start connects with the log.
// Errors: KindDenied.
func (d *Daemon) OpenLog() (*Log, error) {
	l := &Log{path: d.LogPath(), limit: d.logSize}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return nil, d.denied(err)
	}
	err := l.open()
	if err == nil && l.size >= l.limit {
		err = l.rotateFiles()
	}
	if err != nil {
		return nil, d.denied(err)
	}
	return l, nil
}

func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write appends p, which must be whole lines. If the rotation fails, the log grows.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(p)) > l.limit {
		if err := l.rotate(); err != nil {
			fmt.Fprintf(l.file, "the log could not be rotated: %v\n", err)
			l.size = 0 // try again after another limit bytes
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

func (l *Log) rotate() error {
	if err := l.rotateFiles(); err != nil {
		return err
	}
	return debug.SetCrashOutput(l.file, debug.CrashOptions{})
}

// rotateFiles renames the files and opens a new one. On an error the old one stays open.
func (l *Log) rotateFiles() error {
	for i := logKeep; i > 0; i-- {
		if err := os.Rename(numbered(l.path, i-1), numbered(l.path, i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	old := l.file
	if err := l.open(); err != nil {
		return err
	}
	return old.Close()
}

// numbered returns the path of the log that was rotated a number of times; 0 = the current one.
func numbered(path string, times int) string {
	if times == 0 {
		return path
	}
	return path + "." + strconv.Itoa(times)
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
