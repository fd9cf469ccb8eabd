//go:build linux || darwin

// Package peer lets host and connector authenticate each other by the peer credentials
// of a unix socket, so that the socket needs no TLS.
package peer

import (
	"context"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/loam-data/loam/sdk"
)

// Supported reports whether the system has peer credentials.
const Supported = true

// identity is what the kernel knows of the process at the other end of a socket.
type identity struct{ pid, uid int }

// DialOptions make a client check the listening process: it must belong to this
// process's user, and accept must return true for its id. Otherwise the connection is
// closed before gRPC reads or writes a byte, and refused is called with the error. The
// connection must be a unix socket.
// Errors: KindDenied of SourceHost.
// Concurrency: gRPC's goroutines call accept and refused.
func DialOptions(accept func(pid int) bool, refused func(error)) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithTransportCredentials(&gate{accept, refused})}
}

// ServerOptions make a server check the dialing process, as DialOptions do.
func ServerOptions(accept func(pid int) bool, refused func(error)) []grpc.ServerOption {
	return []grpc.ServerOption{grpc.Creds(&gate{accept, refused})}
}

// Any is a condition: every process of this user.
func Any(int) bool { return true }

// Is returns a condition: the process is the given one.
func Is(pid int) func(int) bool { return func(other int) bool { return other == pid } }

// IsChild returns a condition: the process is the given one, or belongs
// to the process group that the given one leads, as when a script starts the program.
func IsChild(pid int) func(int) bool {
	return func(other int) bool {
		if other == pid {
			return true
		}
		group, err := unix.Getpgid(other)
		return err == nil && group == pid
	}
}

// gate checks both kinds of connections, accepted and dialed.
type gate struct {
	accept  func(pid int) bool
	refused func(error)
}

var _ credentials.TransportCredentials = (*gate)(nil)

func (g *gate) ClientHandshake(_ context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return g.check(conn)
}

func (g *gate) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return g.check(conn)
}

func (g *gate) check(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	other, err := identify(conn)
	switch {
	case err != nil:
		err = sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the process at the other end of the socket cannot be identified: %w", err)
	case other.uid != os.Geteuid():
		err = sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "process %d of user %d is at the other end of the socket, which is for user %d", other.pid, other.uid, os.Geteuid())
	case !g.accept(other.pid):
		err = sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "process %d is at the other end of the socket, which is for another process", other.pid)
	default:
		return conn, info{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}}, nil
	}
	g.refused(err)
	return nil, nil, err
}

// identify asks the kernel who is at the other end of a unix socket.
func identify(conn net.Conn) (who identity, err error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return identity{}, syscall.ENOTSOCK
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return identity{}, err
	}
	var asked error
	if err := raw.Control(func(fd uintptr) { who, asked = peerOf(int(fd)) }); err != nil {
		return identity{}, err
	}
	return who, asked
}

const protocol = "peer"

func (g *gate) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: protocol}
}

func (g *gate) Clone() credentials.TransportCredentials { return g }

func (g *gate) OverrideServerName(string) error { return nil }

// info tells gRPC that nobody else reads or changes what the socket carries.
type info struct{ credentials.CommonAuthInfo }

func (info) AuthType() string { return protocol }
