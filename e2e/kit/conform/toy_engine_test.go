package conform_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// toyEngine is what runs the toy's slow statements: a connection is a statement
// once a byte was sent on it, and runs until it is closed. It lives in the test's
// process wherever the connector does, so that the test can look into it.
type toyEngine struct {
	listener net.Listener
	running  atomic.Int64
}

func startEngine(t *testing.T) *toyEngine {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &toyEngine{listener: listener}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { e.run(conn) })
		}
	})
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
	})
	return e
}

func (e *toyEngine) run(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	buffer := make([]byte, 1)
	if n, _ := conn.Read(buffer); n == 0 {
		return
	}
	e.running.Add(1)
	defer e.running.Add(-1)
	_, _ = conn.Read(buffer) // returns when the other side is gone
}

func (e *toyEngine) address() string { return e.listener.Addr().String() }

// dialEngine reaches the engine and, to run a statement, keeps the connection.
func dialEngine(ctx context.Context, address string, run bool) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	if !run {
		return nil, conn.Close()
	}
	if _, err := conn.Write([]byte{1}); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// nowhere returns an address at which nobody listens.
func nowhere(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}()
	return listener.Addr().String()
}

func toyConfigAt(address string, writer bool) sdk.Config {
	return sdk.Config{
		JSON:    fmt.Appendf(nil, `{"host": %q, "writer": %t}`, address, writer),
		Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(toyPassword)},
	}
}
