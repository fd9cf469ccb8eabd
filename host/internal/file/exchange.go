package file

import (
	"errors"
	"io/fs"
	"os"
)

// Exchange swaps two files of a folder in one step, so that a file that was saved in the
// meantime is displaced and never overwritten.
// Errors: errors.ErrUnsupported where the system or the file system cannot; fs.ErrNotExist. Both files
// are as they were then.
func Exchange(dir *os.File, one, other string) error {
	if err := exchange(dir, one, other); err != nil {
		return &os.LinkError{Op: "exchange", Old: one, New: other, Err: err}
	}
	writes.Add(1)
	return nil
}

// Put renames a file of a folder in one step, to a name that is not in use.
// Errors: fs.ErrExist when there is one, fs.ErrNotExist. Where the file system can only link, a process that is killed may leave
// both names of the file.
func Put(dir *os.File, from, to string) error {
	err := renameNew(dir, from, to)
	if errors.Is(err, errors.ErrUnsupported) {
		err = linkNew(dir, from, to)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	writes.Add(1)
	return nil
}

// linkNew renames by way of a second name.
func linkNew(dir *os.File, from, to string) (err error) {
	root, err := os.OpenRoot(dir.Name())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.Link(from, to); err != nil {
		return err
	}
	return ignoreMissing(root.Remove(from))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
