//go:build !linux && !darwin && !freebsd && !windows

package file

// Free does not know the answer on this platform.
func Free(string) (bytes int64, ok bool) { return 0, false }
