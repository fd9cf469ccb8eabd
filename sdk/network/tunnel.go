package network

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// keepAlive is both how often a tunnel is tried out and how long its server may
// take to answer.
const keepAlive = 15 * time.Second

// tunnel keeps one SSH client for all connections of a session. It is made on
// first use, and made anew after it broke.
// Concurrency: safe for several goroutines.
type tunnel struct {
	ssh  *SSH
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// turn holds one token for whoever looks at link.
	turn chan struct{}
	link *link // nil before the first use

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newTunnel(s *SSH, dial func(context.Context, string, string) (net.Conn, error)) *tunnel {
	return &tunnel{ssh: s, dial: dial, turn: make(chan struct{}, 1)}
}

// connect makes a connection from the SSH server to an address.
// Errors: [*sdk.Error] of every kind that the keys, the login or the forwarding
// ends with; KindTimeout and KindCanceled from ctx.
func (t *tunnel) connect(ctx context.Context, network, address string) (net.Conn, error) {
	for {
		l, fresh, err := t.open(ctx)
		if err != nil {
			return nil, err
		}
		c, err := l.client.DialContext(ctx, network, address)
		switch {
		case err == nil:
			return t.forward(l, c, network, address)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case fresh || !l.over():
			return nil, t.ssh.notForwarded(err, address)
		}
		// The client had died unnoticed: once more with another.
	}
}

// open returns a client that is not known to be dead, and whether it was made
// just now.
func (t *tunnel) open(ctx context.Context) (_ *link, fresh bool, _ error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if !t.start() {
		return nil, false, t.ssh.broken(net.ErrClosed)
	}
	if t.link != nil && !t.link.over() {
		return t.link, false, nil
	}
	l, err := t.login(ctx)
	if err != nil {
		return nil, false, err
	}
	if !t.start(l.watch) {
		return nil, false, errors.Join(t.ssh.broken(net.ErrClosed), l.client.Close())
	}
	t.link = l
	return l, true, nil
}

// start runs functions that close waits for; false: the tunnel is closed.
func (t *tunnel) start(functions ...func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	for _, f := range functions {
		t.running.Go(f)
	}
	return true
}

// login connects to the SSH server.
func (t *tunnel) login(ctx context.Context) (*link, error) {
	config, err := t.ssh.client()
	if err != nil {
		return nil, err
	}
	raw, err := t.dial(ctx, "tcp", t.ssh.address())
	if err != nil {
		return nil, t.ssh.unreachable(ctx, err)
	}
	l := &link{Conn: raw, dead: make(chan struct{})}
	check := config.HostKeyCallback
	config.HostKeyCallback = func(address string, remote net.Addr, key ssh.PublicKey) error {
		err := check(address, remote, key)
		if err == nil && l.hostKey == nil { // asked again with every new session key
			l.hostKey = key
		}
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() }) // the handshake ends with an error
	conn, channels, requests, err := ssh.NewClientConn(l, t.ssh.address(), config)
	if !stop() && err == nil {
		err = errors.Join(ctx.Err(), conn.Close())
	}
	if err != nil {
		return nil, t.ssh.handshake(ctx, err, l.hostKey != nil)
	}
	l.client = ssh.NewClient(conn, channels, requests)
	return l, nil
}

// close ends the client with all connections through it, and waits until
// nothing of them is left. Idempotent.
func (t *tunnel) close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.turn <- struct{}{}
	l := t.link
	<-t.turn
	var err error
	if l != nil && !l.over() {
		err = l.client.Close()
	}
	t.running.Wait()
	return err
}

// link is the connection to the SSH server under its client.
type link struct {
	net.Conn
	client  *ssh.Client
	hostKey ssh.PublicKey // nil until the server has proved it
	once    sync.Once
	// dead is closed as soon as the connection is, so before those through it
	// hear of it.
	dead chan struct{}
}

func (l *link) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if err != nil {
		l.once.Do(func() { close(l.dead) })
	}
	return n, err
}

// Write may hear of the end before Read does.
func (l *link) Write(p []byte) (int, error) {
	n, err := l.Conn.Write(p)
	if err != nil {
		l.once.Do(func() { close(l.dead) })
	}
	return n, err
}

func (l *link) Close() error {
	l.once.Do(func() { close(l.dead) })
	return l.Conn.Close()
}

func (l *link) over() bool {
	select {
	case <-l.dead:
		return true
	default:
		return false
	}
}

// watch ends the client when its server does not answer any more, and returns
// when the client is over.
func (l *link) watch() {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-l.dead:
			_ = l.client.Wait() // only says why
			return
		case <-tick.C:
		}
		silent := time.AfterFunc(keepAlive, func() { _ = l.Close() })
		_, _, err := l.client.SendRequest("keepalive@openssh.com", true, nil)
		silent.Stop()
		if err != nil {
			_ = l.Close() // it failed already
		}
	}
}
