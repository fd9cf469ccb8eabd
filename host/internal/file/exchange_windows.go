package file

import (
	"errors"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

var replaceFile = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReplaceFileW")

// backup ends the name under which ReplaceFile keeps the file that it displaced.
const backup = ".old"

// exchange replaces other by one, and gives the file that it displaced the name of one. A
// process that is killed between the two steps leaves that file as one.old.
func exchange(dir *os.File, one, other string) error {
	paths := [3]*uint16{}
	for i, name := range []string{other, one, one + backup} {
		path, err := windows.UTF16PtrFromString(filepath.Join(dir.Name(), name))
		if err != nil {
			return err
		}
		paths[i] = path
	}
	done, _, err := replaceFile.Call(uintptr(unsafe.Pointer(paths[0])), uintptr(unsafe.Pointer(paths[1])), uintptr(unsafe.Pointer(paths[2])), 0, 0, 0)
	if done == 0 {
		if errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
			return errors.ErrUnsupported
		}
		return err
	}
	return windows.MoveFileEx(paths[2], paths[1], windows.MOVEFILE_WRITE_THROUGH)
}

// renameNew renames where there is no file of the new name.
func renameNew(dir *os.File, from, to string) error {
	old, err := windows.UTF16PtrFromString(filepath.Join(dir.Name(), from))
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(filepath.Join(dir.Name(), to))
	if err != nil {
		return err
	}
	return windows.MoveFileEx(old, name, windows.MOVEFILE_WRITE_THROUGH)
}
