package file

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(dir *os.File, one, other string) error {
	return rename(dir, one, other, unix.RENAME_SWAP)
}

// renameNew renames where there is no file of the new name.
func renameNew(dir *os.File, from, to string) error {
	return rename(dir, from, to, unix.RENAME_EXCL)
}

func rename(dir *os.File, from, to string, flags uint32) error {
	fd := int(dir.Fd())
	for {
		err := unix.RenameatxNp(fd, from, fd, to, flags)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
