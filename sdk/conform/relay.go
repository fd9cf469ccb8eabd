package conform

import (
	"errors"
	"io"
	"net"
	"sync"
)

// relay is a TCP proxy between a connector and its server. It breaks and delays connections, and
// does not read their content.
type relay struct {
	listener net.Listener
	server   string
	work     sync.WaitGroup

	mu      sync.Mutex
	conns   map[net.Conn]bool // both ends of every connection
	refuses bool
	gate    chan struct{} // while it is not nil, new connections wait until it is closed
	held    *sync.WaitGroup
	waiting int           // connections that wait at the gate, or waited at the last one
	arrived chan struct{} // closed when settle's own connection is taken, whose client is last
	last    string
}

func startRelay(server string) (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // on loopback, for as long as a check
	if err != nil {
		return nil, err
	}
	r := &relay{listener: listener, server: server, conns: map[net.Conn]bool{}, held: &sync.WaitGroup{}}
	r.work.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed
			}
			r.take(client)
		}
	})
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

// take serves, closes or delays a new connection.
func (r *relay) take(client net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.arrived != nil && client.RemoteAddr().String() == r.last {
		_ = client.Close()
		close(r.arrived)
		r.arrived = nil
		return
	}
	if r.refuses {
		_ = client.Close()
		return
	}
	r.conns[client] = true
	if r.gate == nil {
		r.work.Go(func() { r.serve(client) })
		return
	}
	gate, held := r.gate, r.held
	r.waiting++
	held.Add(1)
	r.work.Go(func() {
		defer held.Done()
		<-gate
		r.serve(client)
	})
}

// serve forwards a connection until one of its ends closes.
func (r *relay) serve(client net.Conn) {
	defer r.end(client)
	server, err := net.Dial("tcp", r.server) //nolint:noctx // on this machine; it ends with the relay
	if err != nil {
		return
	}
	defer r.end(server)
	r.mu.Lock()
	r.conns[server] = true
	r.mu.Unlock()
	var up sync.WaitGroup
	up.Go(func() {
		if _, err := io.Copy(server, client); err != nil {
			_ = server.Close()
			return
		}
		_ = server.(*net.TCPConn).CloseWrite() // the server may still answer
	})
	_, _ = io.Copy(client, server) // broken connections are expected
	_ = client.Close()
	up.Wait()
}

func (r *relay) end(conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = conn.Close()
	delete(r.conns, conn)
}

// cut breaks every connection. With refuse, new ones are closed as well, as if the server were
// down; cut(false) accepts new ones again.
func (r *relay) cut(refuse bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = refuse
	for conn := range r.conns {
		_ = conn.Close()
	}
}

// hold delays new connections until pass.
func (r *relay) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = make(chan struct{})
}

// pass serves new connections again, and returns the number of delayed ones. release serves those
// too; its channel closes when they have ended.
func (r *relay) pass() (waiting int, release func() <-chan struct{}, err error) {
	if err := r.settle(); err != nil {
		return 0, nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	gate, held := r.gate, r.held
	r.gate, r.held = nil, &sync.WaitGroup{}
	return r.waiting, sync.OnceValue(func() <-chan struct{} {
		ended := make(chan struct{})
		close(gate)
		r.work.Go(func() {
			held.Wait()
			close(ended)
		})
		return ended
	}), nil
}

// settle waits until all earlier connections are accepted. Connections are accepted in order, so it
// makes one of its own and waits for that.
func (r *relay) settle() error {
	arrived := make(chan struct{})
	r.mu.Lock()
	own, err := net.Dial("tcp", r.address()) //nolint:noctx // to itself
	if err == nil {
		r.arrived, r.last = arrived, own.LocalAddr().String()
	}
	r.mu.Unlock()
	if err != nil {
		return err
	}
	<-arrived
	return own.Close()
}

// close closes the relay and all its connections, and waits for its goroutines.
func (r *relay) close() error {
	err := r.listener.Close()
	r.mu.Lock()
	if r.gate != nil {
		close(r.gate)
		r.gate = nil
	}
	r.mu.Unlock()
	r.cut(true)
	r.work.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
