//go:build !linux && !darwin

package store

// networkFileSystem cannot tell on this platform.
func networkFileSystem(string) (name string, remote bool) { return "", false }
