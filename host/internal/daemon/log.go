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
	// logSize is the size at which the log is put aside, in bytes.
	logSize = 10 << 20
	// logKeep is how many logs are kept that were put aside.
	logKeep = 3
)

// Log is the file that a daemon logs to. A log that is large is put aside as
// .1, the one before as .2, and so on.
// Concurrency: any number of goroutines; one process writes at a time.
type Log struct {
	path  string
	limit int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// OpenLog opens the log to write at its end. What the runtime has to say when
// the program crashes goes to the log too, as soon as it is not the one that
// standard error was given.
func (d *Daemon) OpenLog() (*Log, error) {
	l := &Log{path: d.LogPath(), limit: d.logSize}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return nil, d.denied(err)
	}
	err := l.open()
	if err == nil && l.size >= l.limit {
		err = l.putAside()
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

// Write writes whole lines. A log that cannot be put aside goes on growing.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(p)) > l.limit {
		if err := l.rotate(); err != nil {
			fmt.Fprintf(l.file, "the log could not be put aside: %v\n", err)
			l.size = 0 // try again when as much has come once more
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

func (l *Log) rotate() error {
	if err := l.putAside(); err != nil {
		return err
	}
	return debug.SetCrashOutput(l.file, debug.CrashOptions{})
}

// putAside begins a new file. When it fails, the old one is written on.
func (l *Log) putAside() error {
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

// numbered names the log that was put aside so many times.
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
