package store

import (
	"slices"
	"syscall"
)

// networkFileSystem returns the name of the network file system that dir is on.
func networkFileSystem(dir string) (name string, remote bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return "", false
	}
	for _, c := range stat.Fstypename {
		if c == 0 {
			break
		}
		name += string(rune(c))
	}
	return name, slices.Contains([]string{"nfs", "smbfs", "afpfs", "webdav"}, name)
}
