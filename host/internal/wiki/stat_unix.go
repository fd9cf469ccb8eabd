//go:build linux || darwin

package wiki

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// statIn returns what looks at names of an open folder: one call of the system
// and nothing kept, since it is what a look at the wiki mostly consists of.
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
			break
		}
		s := stat{size: st.Size, modified: time.Unix(st.Mtim.Unix())}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
		case unix.S_IFDIR:
			s.kind = fs.ModeDir
		case unix.S_IFLNK:
			s.kind = fs.ModeSymlink
		default:
			s.kind = fs.ModeIrregular
		}
		return s, nil
	}
}
