package file

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(dir *os.File, one, other string) error {
	return rename(dir, one, other, unix.RENAME_EXCHANGE)
}

// renameNew renames where there is no file of the new name.
func renameNew(dir *os.File, from, to string) error {
	return rename(dir, from, to, unix.RENAME_NOREPLACE)
}

func rename(dir *os.File, from, to string, flags uint) error {
	fd := int(dir.Fd())
	for {
		switch err := unix.Renameat2(fd, from, fd, to, flags); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EINVAL): // the file system does not know the flag
			return errors.ErrUnsupported
		default:
			return err
		}
	}
}
