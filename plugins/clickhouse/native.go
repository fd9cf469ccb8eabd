package clickhouse

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// writeTime bounds the sending of a packet: the server reads them at once.
	writeTime = 10 * time.Second
)

// native runs statements over ClickHouse's own protocol. Those with parameters have
// connections of their own, which speak a later revision.
type native struct {
	pool, binding *sqlkit.Pool[*nativeConn]
}

func newNative(d *dialer, maxOpen int, idle time.Duration) *native {
	pool := func(revision uint64) *sqlkit.Pool[*nativeConn] {
		return sqlkit.NewPool(sqlkit.PoolOptions[*nativeConn]{
			MaxOpen: maxOpen, IdleTimeout: idle,
			Connect: func(ctx context.Context) (*nativeConn, error) { return d.hello(ctx, revision) },
			Alive:   (*nativeConn).alive,
			Close:   (*nativeConn).close,
		})
	}
	return &native{pool: pool(revision), binding: pool(bindingRevision)}
}

func (n *native) run(ctx context.Context, q *query) error {
	pool := n.pool
	if q.binds() {
		pool = n.binding
	}
	for {
		c, wasIdle, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		reusable, err := c.run(ctx, q)
		switch {
		case reusable:
			pool.Release(c)
		case err != nil && ctx.Err() == nil && broken(err):
			pool.Drop(c)
			if wasIdle && !c.answered {
				continue // it died while it was idle, or as it was taken; statements only read
			}
		default:
			pool.Discard(c)
		}
		return err
	}
}

// broken reports whether an error came from the network.
func broken(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func (n *native) close() error {
	n.pool.Close()
	n.binding.Close()
	return nil
}

// nativeConn is one connection that said hello.
// Concurrency: one goroutine.
type nativeConn struct {
	net      net.Conn
	reader   *reader
	buf      chproto.Buffer
	revision uint64
	packer   *compress.Writer // nil without compression
	block    block
	totals   block
	answered bool // the server has sent something for the query
}

// greet exchanges hellos on a fresh connection and agrees on at most a revision.
// Errors: *proto.Exception, errStray, or the network's.
func greet(c net.Conn, database, user, password string, revision uint64) (*nativeConn, error) {
	n := &nativeConn{net: c, reader: newReader(c)}
	n.buf.PutByte(proto.ClientHello)
	proto.ClientHandshake{ProtocolVersion: revision, ClientName: clientName}.Encode(&n.buf)
	n.buf.PutString(database)
	n.buf.PutString(user)
	n.buf.PutString(password)
	if err := n.flush(); err != nil {
		return nil, err
	}
	packet, err := n.reader.ReadByte()
	if err != nil {
		return nil, err
	}
	switch packet {
	case proto.ServerHello:
		var hello proto.ServerHandshake
		if err := hello.Decode(n.reader.Reader); err != nil {
			return nil, err
		}
		if n.revision = min(revision, hello.Revision); n.revision >= revisionWithAddendum {
			n.buf.PutString("") // the quota key, which leaves with the first query
		}
		return n, nil
	case proto.ServerException:
		return nil, n.exception()
	default:
		return nil, fmt.Errorf("%w: it starts with byte %d", errStray, packet)
	}
}

func (c *nativeConn) flush() error {
	err := c.net.SetWriteDeadline(time.Now().Add(writeTime))
	if err == nil {
		_, err = c.net.Write(c.buf.Buf)
	}
	c.buf.Reset()
	return err
}

func (c *nativeConn) exception() error {
	e := &proto.Exception{}
	if err := e.Decode(c.reader.Reader); err != nil {
		return unexpected(err)
	}
	return e
}

// alive looks whether the server closed the connection while it was idle: it
// sends nothing by itself. On a busy machine the time is over before the look, and a
// dead connection seems alive.
func (c *nativeConn) alive() bool {
	if err := c.net.SetReadDeadline(time.Now().Add(50 * time.Microsecond)); err != nil {
		return false
	}
	var one [1]byte
	_, err := c.net.Read(one[:])
	var network net.Error
	return errors.As(err, &network) && network.Timeout() && c.net.SetReadDeadline(time.Time{}) == nil
}

// close ends the connection; what it fails with says only that it has ended.
func (c *nativeConn) close() { _ = c.net.Close() }

// run runs a query; reusable says that the connection may serve another one.
func (c *nativeConn) run(ctx context.Context, q *query) (reusable bool, err error) {
	if ctx.Err() != nil {
		return true, sqlkit.ContextError(ctx)
	}
	if q.binds() && c.revision < bindingRevision {
		return true, errUnbound(c.revision)
	}
	c.answered = false
	if err := c.send(q); err != nil {
		return false, err
	}
	var cancel sync.Once
	end := func() { cancel.Do(c.cancel) }
	stop := context.AfterFunc(ctx, end)
	err = c.receive(q, end)
	if c.reader.most > keptBytes {
		c.block, c.totals, c.reader.most = block{}, block{}, 0
	}
	if !stop() {
		return false, errors.Join(sqlkit.ContextError(ctx), err)
	}
	// After an exception old servers have not read all of the query's packets, and
	// take them for the next query's.
	return err == nil, err
}

// cancel asks the server to end the query. It runs beside receive, which sees
// the end or, when there is none in time, an error.
func (c *nativeConn) cancel() {
	// A connection that cannot be written to is broken, which receive sees too.
	_ = c.net.SetWriteDeadline(time.Now().Add(writeTime))
	_, _ = c.net.Write([]byte{proto.ClientCancel})
	_ = c.net.SetReadDeadline(time.Now().Add(sqlkit.SettleTime))
}

// send sends a query, and that there are no external tables.
func (c *nativeConn) send(q *query) error {
	c.buf.PutByte(proto.ClientQuery)
	message := proto.Query{
		ID: q.id, ClientName: clientName, ClientTCPProtocolVersion: c.revision, Body: q.sql,
		Settings: q.settings, Compression: c.packer != nil, InitialAddress: "0.0.0.0:0",
	}
	if q.binds() {
		for _, p := range q.bound.params {
			message.Parameters = append(message.Parameters, proto.Parameter{Key: p.name, Value: p.value})
		}
	}
	if err := message.Encode(&c.buf, c.revision); err != nil {
		return err
	}
	c.buf.PutByte(proto.ClientData)
	c.buf.PutString("")
	start := len(c.buf.Buf)
	if err := proto.NewBlock().EncodeHeader(&c.buf, c.revision); err != nil {
		return err
	}
	if c.packer != nil {
		if err := c.packer.Compress(c.buf.Buf[start:]); err != nil {
			return err
		}
		c.buf.Buf = append(c.buf.Buf[:start], c.packer.Data...)
	}
	return c.flush()
}

// receive reads packets until the end of the query. When q.block has enough, it
// ends the query and drops what still comes; when an answer cannot be read, it
// ends the query and returns.
func (c *nativeConn) receive(q *query, end func()) error {
	var enough error
	for {
		packet, err := c.reader.ReadByte()
		if err != nil {
			return errors.Join(enough, unexpected(err))
		}
		c.answered = true
		switch packet {
		case proto.ServerEndOfStream:
			return enough
		case proto.ServerException:
			err := c.exception()
			return cmp.Or(enough, err)
		case proto.ServerData:
			if err = c.data(&c.block); err == nil && enough == nil {
				if enough = q.block(&c.block); enough != nil {
					end()
				}
			}
		default:
			err = c.packet(packet, q)
		}
		if err != nil {
			end()
			return errors.Join(enough, err)
		}
	}
}

// packet reads what a server sends beside the blocks of a result.
func (c *nativeConn) packet(packet byte, q *query) error {
	switch packet {
	case proto.ServerTotals, proto.ServerExtremes:
		return c.data(&c.totals)
	case proto.ServerProgress:
		var p proto.Progress
		if err := p.Decode(c.reader.Reader, c.revision); err != nil {
			return unexpected(err)
		}
		if q.progress != nil {
			q.progress(p.Rows, p.Bytes, p.TotalRows)
		}
		return nil
	case proto.ServerProfileInfo:
		var p proto.ProfileInfo
		return unexpected(p.Decode(c.reader.Reader, c.revision))
	case proto.ServerTableColumns:
		var t proto.TableColumns
		return unexpected(t.Decode(c.reader.Reader, c.revision))
	case proto.ServerLog, proto.ServerProfileEvents:
		if _, err := c.reader.Str(); err != nil {
			return unexpected(err)
		}
		return unexpected(c.totals.next(c.reader, int(c.revision)))
	default:
		return errBlock()
	}
}

// data reads a block behind the name of its table.
func (c *nativeConn) data(b *block) error {
	if _, err := c.reader.Str(); err != nil {
		return unexpected(err)
	}
	if c.packer != nil {
		c.reader.EnableCompression()
		defer c.reader.DisableCompression()
	}
	return unexpected(b.next(c.reader, int(c.revision)))
}

// secured returns the TLS state of a connection, nil without TLS.
func secured(c net.Conn) *tls.ConnectionState {
	t, ok := c.(*tls.Conn)
	if !ok {
		return nil
	}
	state := t.ConnectionState()
	return &state
}
