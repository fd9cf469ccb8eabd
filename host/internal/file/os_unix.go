//go:build !windows

package file

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayWrite asks the system, which also knows of file systems that are read-only.
func mayWrite(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// tryLock takes the exclusive lock of an open file, which ends with the
// process or the file. held: another one has it.
func tryLock(f *os.File) (held bool, err error) {
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return true, nil
		default:
			return false, err
		}
	}
}

// release gives the lock up. Closing the file is not enough while a program is
// being started: until it runs it has every open file of this process.
func release(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// SyncDir makes a rename in dir durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Own reports whether a file belongs to this user or to the system's.
func Own(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
