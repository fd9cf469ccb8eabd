package wire

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/loam-data/loam/sdk"
)

// A statement costs no pings of HTTP/2, which gRPC measures bandwidth with unless its
// windows are fixed.
func TestNoPings(t *testing.T) {
	t.Parallel()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(ServerOptions()...)
	f := &fake{connector: sdk.Connector{ID: "fake", Version: "1.0.0", Capabilities: everything(), Config: sdk.ConfigOf[struct{}]()}}
	Register(server, backend{f})
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(listener); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	defer serving.Wait()
	defer server.Stop()
	var sent, received frames
	sent.skip = len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	conn, err := grpc.NewClient("passthrough:buf", append(DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			c, err := listener.DialContext(ctx)
			return &counted{c, &sent, &received}, err
		}))...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	client := NewClient(conn, nil)
	for range 20 {
		if _, err := client.Open(t.Context(), sdk.OpenRequest{ConnectionID: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	const data, ping = 0, 6
	if sent.of(data) < 20 || received.of(data) < 20 {
		t.Errorf("%d and %d frames of data for 20 calls", sent.of(data), received.of(data))
	}
	if n := sent.of(ping) + received.of(ping); n > 0 {
		t.Errorf("%d pings", n)
	}
}

// counted counts the frames of a connection.
type counted struct {
	net.Conn
	sent, received *frames
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.see(p[:n])
	return n, err
}

func (c *counted) Write(p []byte) (int, error) {
	c.sent.see(p)
	return c.Conn.Write(p)
}

// frames counts frames of HTTP/2 by their type.
type frames struct {
	mu    sync.Mutex
	skip  int // bytes until the next header
	head  []byte
	count [256]int
}

func (f *frames) see(p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range p {
		if f.skip > 0 {
			f.skip--
			continue
		}
		if f.head = append(f.head, b); len(f.head) == 9 {
			f.count[f.head[3]]++
			f.skip = int(binary.BigEndian.Uint32(f.head) >> 8)
			f.head = f.head[:0]
		}
	}
}

func (f *frames) of(kind byte) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[kind]
}
