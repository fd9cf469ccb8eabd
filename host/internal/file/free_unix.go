//go:build linux || darwin || freebsd

package file

import "golang.org/x/sys/unix"

// Free returns how many bytes this user can still write to the file system of a folder; false = the system does not say.
func Free(dir string) (bytes int64, ok bool) {
	var stat unix.Statfs_t
	if unix.Statfs(dir, &stat) != nil {
		return 0, false
	}
	return int64(stat.Bavail) * int64(stat.Bsize), true
}
