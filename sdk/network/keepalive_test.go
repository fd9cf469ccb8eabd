package network

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/loam-data/loam/sdk"
)

// wire is one end of a network that may fall silent without breaking.
type wire struct {
	net.Conn // for the methods that nobody calls
	in       <-chan []byte
	out      chan<- []byte
	rest     []byte
	silent   <-chan struct{} // closed: what is written gets lost
	broken   chan struct{}   // closed with either end
	once     *sync.Once
}

func newWire(silent <-chan struct{}) (near, far *wire) {
	to, from, broken, once := make(chan []byte, 64), make(chan []byte, 64), make(chan struct{}), new(sync.Once)
	return &wire{in: from, out: to, silent: silent, broken: broken, once: once},
		&wire{in: to, out: from, silent: silent, broken: broken, once: once}
}

func (w *wire) Read(p []byte) (int, error) {
	for len(w.rest) == 0 {
		select {
		case w.rest = <-w.in:
		case <-w.broken:
			return 0, net.ErrClosed
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

func (w *wire) Write(p []byte) (int, error) {
	select {
	case <-w.silent:
		return len(p), nil
	default:
	}
	select {
	case w.out <- bytes.Clone(p):
		return len(p), nil
	case <-w.broken:
		return 0, net.ErrClosed
	}
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.broken) })
	return nil
}

func (w *wire) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 22} }

func (w *wire) LocalAddr() net.Addr { return w.RemoteAddr() }

// A tunnel whose server has gone without a word ends in time, and its
// connections say so; one that is idle goes on.
func TestKeepAlive(t *testing.T) {
	_, hostKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	host, err := ssh.NewSignerFromKey(hostKey)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(hostKey, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := &SSH{Host: "bastion", Port: 22, User: "u", Key: filepath.Join(dir, "key"), KnownHosts: filepath.Join(dir, "known_hosts")}
	for path, text := range map[string]string{
		config.Key:        string(pem.EncodeToMemory(block)),
		config.KnownHosts: knownhosts.Line([]string{"bastion"}, host.PublicKey()),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		silent := make(chan struct{})
		server := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil }}
		server.AddHostKey(host)
		tunnel := newTunnel(config, func(context.Context, string, string) (net.Conn, error) {
			near, far := newWire(silent)
			go answer(far, server)
			return near, nil
		})
		c, err := tunnel.connect(t.Context(), "tcp", "db:5432")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * keepAlive) // of the bubble's clock
		if tunnel.link.over() {
			t.Fatal("a tunnel that was idle is over")
		}
		close(silent)
		since := time.Now()
		_, err = c.Read(make([]byte, 1))
		if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindUnavailable {
			t.Errorf("reading gave %v", err)
		}
		if took := time.Since(since); took > 2*keepAlive {
			t.Errorf("it took %s to notice", took)
		}
		if err := tunnel.close(); err != nil {
			t.Error(err)
		}
	})
}

// answer is an SSH server whose connections lead nowhere.
func answer(c net.Conn, config *ssh.ServerConfig) {
	defer c.Close()
	_, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	go func() {
		for r := range requests {
			_ = r.Reply(false, nil) // as to every request that is not known
		}
	}()
	for asked := range channels {
		channel, requests, err := asked.Accept()
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		go func() { _, _ = io.Copy(io.Discard, channel) }()
	}
}
