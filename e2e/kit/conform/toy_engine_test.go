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

// What a connection to the engine is for, its first byte.
const (
	toPing = 'p'
	toRun  = 'r' // a statement, which runs until the connection is closed
	toKill = 'k' // the statements of others
)

// toyEngine is what runs the toy's slow statements. It lives in the test's process
// wherever the connector does, so that the test can look into it.
type toyEngine struct {
	listener net.Listener
	running  atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]bool // true: it runs a statement
}

func startEngine(t *testing.T) *toyEngine {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &toyEngine{listener: listener, conns: map[net.Conn]bool{}}
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
	e.know(conn, false)
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.conns, conn)
		_ = conn.Close()
	}()
	buffer := make([]byte, 1)
	for {
		if n, _ := conn.Read(buffer); n == 0 {
			return
		}
		switch buffer[0] {
		case toPing:
			_, _ = conn.Write(buffer)
		case toKill:
			_ = e.end(context.Background())
			return
		default:
			e.know(conn, true)
			e.running.Add(1)
			defer e.running.Add(-1)
			_, _ = conn.Read(buffer) // returns when the other side is gone
			return
		}
	}
}

func (e *toyEngine) know(conn net.Conn, runs bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conns[conn] = runs
}

// end ends every statement and says so to whoever runs it.
func (e *toyEngine) end(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for conn, runs := range e.conns {
		if runs {
			_, _ = conn.Write([]byte{toKill})
		}
	}
	return nil
}

// disconnect closes every connection.
func (e *toyEngine) disconnect(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for conn := range e.conns {
		_ = conn.Close()
	}
	return nil
}

func (e *toyEngine) address() string { return e.listener.Addr().String() }

// dialEngine reaches the engine for a purpose.
func dialEngine(ctx context.Context, address string, purpose byte) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err == nil {
		_, err = conn.Write([]byte{purpose})
	}
	if err == nil {
		return conn, nil
	}
	if conn != nil {
		_ = conn.Close()
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return nil, context.DeadlineExceeded
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, gone(address, err)
}

func gone(address string, err error) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "nobody answers at %s: %w", address, err).WithHint("check host")
	e.Retry = true
	return e
}

// pingEngine reports whether the engine answers.
func pingEngine(ctx context.Context, address string) error {
	conn, err := dialEngine(ctx, address, toPing)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return answers(conn)
}

func answers(conn net.Conn) error {
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		return gone(conn.RemoteAddr().String(), err)
	}
	return nil
}

// howItEnded waits for the end of a statement.
func howItEnded(statement net.Conn) error {
	if n, err := statement.Read(make([]byte, 1)); n == 0 {
		return gone(statement.RemoteAddr().String(), err)
	}
	e := sdk.Errorf(sdk.KindCanceled, sdk.SourceWarehouse, "somebody ended the statement").WithHint("run it again")
	e.Retry = true
	return e
}

// reach asks the engine whether it is there, before a statement.
func (s *toySession) reach(ctx context.Context) error {
	if s.hit.Swap(false) {
		return sdk.Errorf(sdk.KindCanceled, sdk.SourceWarehouse, "ended with the statement before it")
	}
	if !s.toy.has(keepsDead) {
		return pingEngine(ctx, s.engine)
	}
	var err error
	if s.kept == nil {
		s.kept, err = dialEngine(ctx, s.engine, toPing)
	} else {
		_, err = s.kept.Write([]byte{toPing})
	}
	if err == nil {
		err = answers(s.kept)
	}
	if err != nil {
		if s.kept != nil {
			_ = s.kept.Close()
		}
		s.kept = nil
		return gone(s.engine, err)
	}
	return nil
}

// order ends in the engine what was cancelled, as a toy with a flaw does.
func (s *toySession) order() {
	s.hit.Store(s.toy.has(hitsNext))
	if !s.toy.has(ordersLate) {
		return
	}
	conn, err := dialEngine(context.Background(), s.engine, toKill)
	if err == nil {
		_ = conn.(*net.TCPConn).CloseWrite()
	}
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
