package network

import (
	"errors"
	"io"
	"net"
)

// forwarded is a connection through a tunnel. Those of the SSH library know no
// deadlines, which drivers need; a pipe in front of one does.
type forwarded struct {
	net.Conn // the near end of the pipe
	link     *link
	ssh      *SSH
	remote   farAddr
}

// farAddr is an address as the SSH server resolves it.
type farAddr struct{ network, text string }

func (a farAddr) Network() string { return a.network }
func (a farAddr) String() string  { return a.text }

// forward puts the pipe in front of a connection. What moves the bytes ends with
// either side.
func (t *tunnel) forward(l *link, far net.Conn, network, address string) (net.Conn, error) {
	near, inner := net.Pipe()
	pump := func(to io.WriteCloser, from io.Reader) func() {
		return func() {
			// Either side learns of the end by the closing of its connection.
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}
	}
	if !t.start(pump(far, inner), pump(inner, far)) {
		return nil, errors.Join(t.ssh.broken(net.ErrClosed), far.Close())
	}
	return &forwarded{Conn: near, link: l, ssh: t.ssh, remote: farAddr{network, address}}, nil
}

// RemoteAddr returns the address that was dialled, for a second connection to
// the same place.
func (f *forwarded) RemoteAddr() net.Addr { return f.remote }

func (f *forwarded) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	return n, f.reason(err)
}

func (f *forwarded) Write(p []byte) (int, error) {
	n, err := f.Conn.Write(p)
	return n, f.reason(err)
}

// reason says that it was the tunnel that ended the connection, if so.
func (f *forwarded) reason(err error) error {
	if (errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)) && f.link.over() {
		return f.ssh.broken(net.ErrClosed)
	}
	return err
}
