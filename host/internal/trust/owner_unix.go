//go:build unix

package trust

import (
	"fmt"
	"os"
	"syscall"
)

// foreign returns why another user may have written a file or into a folder; "" = none can.
// root does not count for folders.
func foreign(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() && (stat.Uid != 0 || !info.IsDir()) {
		return fmt.Sprintf("%s belongs to user %d, not to this user, %d", path, stat.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return path + " can be written by others; run: chmod go-w " + path
	}
	return ""
}
