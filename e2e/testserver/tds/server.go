package tds

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"testing"
)

// Backend answers what clients ask.
type Backend interface {
	// Login opens a session for a client.
	// Errors: *Error tells the client why not, for example number 18456.
	Login(ctx context.Context, login Login) (Session, error)
}

// Session is a client's. Its calls come one after the other.
type Session interface {
	// Answer runs a request. When ctx ends, the client has asked for attention or is
	// gone: the statement is to end, and Answer then returns.
	// Errors: *Error reaches the client; any other does so as number 50000.
	Answer(ctx context.Context, request Request, answer *Answer) error
	// Reset makes the session as it was after Login.
	Reset(ctx context.Context) error
	Close()
}

// Config says how a server answers.
type Config struct {
	Backend Backend
	// TLS encrypts connections whose clients want it; nil = none.
	TLS *tls.Config
	// RequireTLS refuses clients that do not want it.
	RequireTLS bool
}

// Server is a running fixture.
type Server struct {
	Host string // a loopback address
	Port int

	backend    Backend
	tls        *tls.Config
	requireTLS bool
	listener   net.Listener
	running    sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
	log    []Request
}

// Start returns a server that ends with the test.
func Start(t testing.TB, config Config) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	s := &Server{
		Host: address.IP.String(), Port: address.Port,
		backend: config.Backend, tls: config.TLS, requireTLS: config.RequireTLS, listener: listener, conns: map[net.Conn]bool{},
	}
	s.running.Go(s.accept)
	t.Cleanup(s.Close)
	return s
}

// Requests returns what clients have sent so far, in the order in which it came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.log...)
}

// Close ends the server and its connections, and waits for both.
func (s *Server) Close() {
	_ = s.listener.Close()
	s.mu.Lock()
	s.closed = true
	for conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			_ = conn.Close()
		} else {
			s.conns[conn] = true
			s.running.Go(func() {
				s.serve(conn)
				s.mu.Lock()
				delete(s.conns, conn)
				s.mu.Unlock()
				_ = conn.Close()
			})
		}
		s.mu.Unlock()
	}
}

// serve speaks to a client until it goes, or says what is no TDS.
func (s *Server) serve(raw net.Conn) {
	conn, encrypted, err := s.prelogin(raw)
	if err != nil {
		return
	}
	m, err := readMessage(conn)
	if err != nil {
		return
	}
	login, err := readLogin(m)
	if err != nil || s.requireTLS && !encrypted {
		return
	}
	login.Encrypted, login.Disconnect = encrypted, func() { _ = raw.Close() }
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := &Answer{out: packets{w: conn, kind: messageAnswer}}
	session, err := s.backend.Login(ctx, login)
	if err != nil {
		_ = a.finish(asError(err), false) // the client's loss
		return
	}
	defer session.Close()
	if login.Database == "" {
		login.Database = "master"
	}
	a.accept(login.Database)
	if a.out.send(true) == nil {
		s.converse(ctx, conn, session)
	}
}

// converse answers a client's requests, one after the other.
func (s *Server) converse(ctx context.Context, conn net.Conn, session Session) {
	ctx, cancel := context.WithCancel(ctx)
	messages := make(chan message)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(messages)
		for {
			m, err := readMessage(conn)
			if err != nil {
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	})
	defer reading.Wait()
	defer func() { _ = conn.Close() }()
	defer cancel()
	for m := range messages {
		a := &Answer{out: packets{w: conn, kind: messageAnswer}, call: m.kind == messageCall}
		if m.kind == messageAttention { // for what has ended
			if a.finish(nil, true) != nil {
				return
			}
			continue
		}
		attention, gone, err := s.answer(ctx, messages, m, session, a)
		told := asError(err)
		if gone || a.finish(told, attention) != nil || told != nil && told.Class >= fatal {
			return
		}
	}
}

// fatal is the severity from which on an error ends its connection.
const fatal = 20

// answer runs one request, and looks for the client's attention meanwhile.
func (s *Server) answer(ctx context.Context, messages <-chan message, m message, session Session, a *Answer) (attention, gone bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.run(ctx, m, session, a) }()
	for {
		select {
		case err := <-done:
			return attention, gone, err
		case next, ok := <-messages:
			// A client that has gone, or that speaks before it has read, is done.
			attention, gone = next.kind == messageAttention, !ok || next.kind != messageAttention
			cancel()
			if !ok {
				messages = nil
			}
		}
	}
}

func (s *Server) run(ctx context.Context, m message, session Session, a *Answer) error {
	if m.status&(statusReset|statusResetKeepsTrans) != 0 {
		if err := session.Reset(ctx); err != nil {
			return err
		}
		a.change(changeReset, []byte{0, 0})
	}
	request, err := readRequest(m)
	if err != nil {
		return &Error{Number: 4002, Class: 16, Message: err.Error()}
	}
	s.mu.Lock()
	s.log = append(s.log, request)
	s.mu.Unlock()
	if err := session.Answer(ctx, request, a); err != nil {
		return err
	}
	// A transaction is known by a number; there is one at a time.
	number := []byte{8, 1, 0, 0, 0, 0, 0, 0, 0}
	switch request.Procedure {
	case Begin:
		a.change(changeBegin, append(number, 0))
	case Commit:
		a.change(changeCommit, append([]byte{0}, number...))
	case Rollback:
		a.change(changeRollback, append([]byte{0}, number...))
	}
	return nil
}

// asError returns what the client is told; nil for no error.
func asError(err error) *Error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Number: 50000, Class: 16, Message: err.Error()}
}
