package file

import (
	"math"

	"golang.org/x/sys/windows"
)

// Free returns how many bytes this user can still write to the file system of a folder; false = the system does not say.
func Free(dir string) (bytes int64, ok bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 0, false
	}
	return int64(min(free, math.MaxInt64)), true
}
