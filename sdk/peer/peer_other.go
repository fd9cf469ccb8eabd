//go:build !linux && !darwin

// Package peer lets host and connector check each other by what the kernel knows of
// the process at the other end of a unix socket. This system does not identify it, so
// that nothing is checked here and host and connector use mutual TLS.
package peer

import "google.golang.org/grpc"

// Supported reports whether the system has peer credentials.
const Supported = false

// DialOptions are none on this system.
func DialOptions(func(pid int) bool, func(error)) []grpc.DialOption { return nil }

// ServerOptions are none on this system.
func ServerOptions(func(pid int) bool, func(error)) []grpc.ServerOption { return nil }

// Any is a condition that nothing asks on this system.
func Any(int) bool { return true }

// Is returns a condition that nothing asks on this system.
func Is(int) func(int) bool { return Any }

// IsChild returns a condition that nothing asks on this system.
func IsChild(int) func(int) bool { return Any }
