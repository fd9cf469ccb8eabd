//go:build linux || darwin

package folder

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// statIn returns what looks at names of an open folder: one call of the system
// and nothing kept, since it is what a look mostly consists of.
// Concurrency: one goroutine for each that is returned, while folder is open.
func statIn(folder *os.File) func(name string) (stat, error) {
	fd := int(folder.Fd())
	var st unix.Stat_t
	return func(name string) (stat, error) {
		for {
			err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil {
				return stat{}, err
			}
			return statOf(&st), nil
		}
	}
}

// statFile looks at an open file.
func statFile(f *os.File) (s stat, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return s, err
	}
	var st unix.Stat_t
	err = errors.Join(raw.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) }), err)
	return statOf(&st), err
}

func statOf(st *unix.Stat_t) stat {
	s := stat{Stamp: Stamp{Size: st.Size, Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano()}}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		s.kind = fs.ModeDir
	case unix.S_IFLNK:
		s.kind = fs.ModeSymlink
	default:
		s.kind = fs.ModeIrregular
	}
	return s
}
