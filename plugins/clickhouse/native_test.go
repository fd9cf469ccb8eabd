package clickhouse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// peer is a server of the native protocol, written with the encoders of another client
// library: no server of today that speaks it can be had here.
type peer struct {
	t        *testing.T
	conn     net.Conn
	reader   *chproto.Reader
	revision int // the server's
	version  int // agreed
	asked    chan chproto.Query
	answers  []func(*chproto.Buffer, int) // write the packets of the answers
}

// serve answers the hello and the queries.
func (p *peer) serve() {
	defer func() { _ = p.conn.Close() }()
	if err := p.talk(); err != nil && !errors.Is(err, io.EOF) {
		p.t.Errorf("the server: %v", err)
	}
}

func (p *peer) talk() error {
	if _, err := p.reader.UVarInt(); err != nil {
		return err
	}
	var hello chproto.ClientHello
	if err := hello.Decode(p.reader); err != nil {
		return err
	}
	p.version = min(p.revision, hello.ProtocolVersion)
	var out chproto.Buffer
	greeting := chproto.ServerHello{Name: "ClickHouse", Major: 26, Minor: 7, Revision: p.revision, Timezone: "UTC", DisplayName: "peer"}
	greeting.EncodeAware(&out, p.version)
	if _, err := p.conn.Write(out.Buf); err != nil {
		return err
	}
	if chproto.FeatureQuotaKey.In(p.version) {
		if _, err := p.reader.Str(); err != nil {
			return err
		}
	}
	for i, answer := range p.answers {
		if i > 0 { // the end of the query before
			if err := p.skipData(); err != nil {
				return err
			}
		}
		if _, err := p.reader.UVarInt(); err != nil {
			return err
		}
		var q chproto.Query
		if err := q.DecodeAware(p.reader, p.version); err != nil {
			return err
		}
		p.asked <- q
		out.Reset()
		answer(&out, p.version)
		if _, err := p.conn.Write(out.Buf); err != nil {
			return err
		}
	}
	return nil
}

// skipData reads the packet that says that there are no external tables.
func (p *peer) skipData() error {
	if _, err := p.reader.UVarInt(); err != nil {
		return err
	}
	if _, err := p.reader.Str(); err != nil {
		return err
	}
	var none chproto.Block
	return none.DecodeBlock(p.reader, p.version, nil)
}

// put writes a packet with one block of one column.
func put(t *testing.T, out *chproto.Buffer, version int, packet byte, name string, data chproto.ColInput) {
	t.Helper()
	out.PutByte(packet)
	out.PutString("")
	block := chproto.Block{Columns: 1, Rows: data.Rows(), Info: chproto.BlockInfo{BucketNum: -1}}
	if err := block.EncodeBlock(out, version, []chproto.InputColumn{{Name: name, Data: data}}); err != nil {
		t.Error(err)
	}
}

// dial connects to a server of a revision that answers as many queries as there are answers, and closes the connection.
func dial(t *testing.T, revision int, answers ...func(*chproto.Buffer, int)) (*nativeConn, *peer) {
	t.Helper()
	here, there := net.Pipe()
	for _, c := range []net.Conn{here, there} {
		if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	p := &peer{t: t, conn: there, reader: chproto.NewReader(there), revision: revision, asked: make(chan chproto.Query, len(answers)), answers: answers}
	go p.serve()
	c, err := greet(here, "default", "reader", "", bindingRevision)
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

// values bound in the form of HTTP arrive as the same texts over the native protocol.
func TestParametersOverTheNativeProtocol(t *testing.T) {
	t.Parallel()
	c, p := dial(t, 54480, func(out *chproto.Buffer, version int) {
		put(t, out, version, proto.ServerProfileEvents, "name", chproto.ColInt64{1, 2})
		put(t, out, version, proto.ServerData, "n", chproto.ColInt64{7, 8})
		out.PutByte(proto.ServerEndOfStream)
	})
	params := []parameter{{"_loam_1", escape.Replace("it's a\tb\\c\n\x00")}, {"_loam_2", `\N`}, {"_loam_3", ""}, {"_loam_4", "7"}}
	var rows int
	_, err := c.run(t.Context(), &query{
		id: "1", sql: "SELECT {_loam_1:String}", bound: &bound{params: params},
		block: func(b *block) error { rows += b.rows; return nil },
	})
	if err != nil || rows != 2 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	// What restores a text from its dump in the server: without the quotes, backslashes undone once.
	undo := func(dump string) string {
		text := []byte(dump[1 : len(dump)-1])
		for from, to := range map[string]string{`\'`: `'`} {
			text = bytes.ReplaceAll(text, []byte(from), []byte(to))
		}
		return string(bytes.ReplaceAll(text, []byte(`\\`), []byte(`\`)))
	}
	q := <-p.asked
	var got []parameter
	for _, one := range q.Parameters {
		got = append(got, parameter{one.Key, undo(one.Value)})
	}
	if diff := cmp.Diff(params, got, cmp.AllowUnexported(parameter{})); diff != "" || q.Body != "SELECT {_loam_1:String}" {
		t.Errorf("%s (-want +got):\n%s", q.Body, diff)
	}
}

// A server without parameters in its protocol refuses them before anything is sent; other
// statements run on the same connection.
func TestParametersOfAnOlderProtocol(t *testing.T) {
	t.Parallel()
	c, p := dial(t, 54453, func(out *chproto.Buffer, version int) {
		put(t, out, version, proto.ServerData, "n", chproto.ColInt64{7})
		out.PutByte(proto.ServerEndOfStream)
	})
	reusable, err := c.run(t.Context(), &query{id: "1", sql: "SELECT {_loam_1:Int64}", bound: &bound{params: []parameter{{"_loam_1", "7"}}}})
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != sdk.KindUnsupported || !reusable || len(p.asked) > 0 {
		t.Fatalf("%v, reusable %t", err, reusable)
	}
	if _, err := c.run(t.Context(), &query{id: "2", sql: "SELECT 7", block: func(*block) error { return nil }}); err != nil {
		t.Error(err)
	}
}

// A column that is not sent whole is refused, not misread.
func TestSparseColumnIsRefused(t *testing.T) {
	t.Parallel()
	c, _ := dial(t, 54480, func(out *chproto.Buffer, version int) {
		var whole chproto.Buffer
		put(t, &whole, version, proto.ServerData, "n", chproto.ColInt64{0})
		kind := bytes.Index(whole.Buf, []byte("Int64")) + len("Int64")
		whole.Buf[kind] = 1
		out.PutRaw(whole.Buf)
	})
	_, err := c.run(t.Context(), &query{id: "1", sql: "SELECT n FROM t", bound: &bound{params: []parameter{{"_loam_1", "7"}}}, block: func(*block) error { return nil }})
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindUnsupported {
		t.Error(err)
	}
}

// A connection that dies as it is taken from the pool costs nobody a statement; a new one that dies is an error, and
// so is one that dies behind the first packet of an answer.
func TestIdleConnectionThatDied(t *testing.T) {
	t.Parallel()
	rows := func(out *chproto.Buffer, version int) {
		put(t, out, version, proto.ServerData, "n", chproto.ColInt64{7})
		out.PutByte(proto.ServerEndOfStream)
	}
	for _, tt := range []struct {
		name    string
		last    func(*chproto.Buffer, int) // what the first connection answers to its last query
		fresh   bool                       // further connections answer
		dialled int
		works   bool
	}{
		{"as it is taken", func(*chproto.Buffer, int) {}, true, 2, true},
		{"the next one too", func(*chproto.Buffer, int) {}, false, 2, false},
		{"behind a packet", func(out *chproto.Buffer, version int) {
			put(t, out, version, proto.ServerProfileEvents, "name", chproto.ColInt64{1})
		}, true, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dialled := 0
			n := &native{pool: sqlkit.NewPool(sqlkit.PoolOptions[*nativeConn]{
				MaxOpen: 1, IdleTimeout: time.Minute, Close: (*nativeConn).close,
				Connect: func(context.Context) (*nativeConn, error) {
					dialled++
					answers := []func(*chproto.Buffer, int){rows, tt.last}
					if dialled > 1 {
						answers = []func(*chproto.Buffer, int){func(*chproto.Buffer, int) {}}
						if tt.fresh {
							answers[0] = rows
						}
					}
					c, _ := dial(t, 54480, answers...)
					return c, nil
				},
			})}
			defer n.pool.Close()
			for i, works := range []bool{true, tt.works} {
				got := 0
				err := n.run(t.Context(), &query{id: "1", sql: "SELECT 7", block: func(b *block) error { got += b.rows; return nil }})
				if (err == nil) != works || works && got != 1 {
					t.Errorf("query %d: %d rows, %v", i+1, got, err)
				}
			}
			if dialled != tt.dialled {
				t.Errorf("%d connections, want %d", dialled, tt.dialled)
			}
		})
	}
}
