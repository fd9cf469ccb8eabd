package wire

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// keep is a ResultSink that keeps everything.
type keep struct {
	queryID  string
	columns  []sdk.Column
	batches  []*sdk.Batch
	progress []sdk.Progress
	notices  []sdk.Warning
	rows     int
	refuse   error // answer to each batch
}

func (k *keep) Started(id string) error      { k.queryID = id; return nil }
func (k *keep) Columns(c []sdk.Column) error { k.columns = c; return nil }
func (k *keep) Progress(p sdk.Progress)      { k.progress = append(k.progress, p) }
func (k *keep) Notice(n sdk.Warning)         { k.notices = append(k.notices, n) }
func (k *keep) Batch(b *sdk.Batch) error {
	k.rows += b.Rows
	kept := &sdk.Batch{Rows: b.Rows}
	for _, v := range b.Columns {
		kept.Columns = append(kept.Columns, sdk.Vector{
			Valid: slices.Clone(v.Valid), I64: slices.Clone(v.I64), F64: slices.Clone(v.F64),
			Bits: slices.Clone(v.Bits), Offsets: slices.Clone(v.Offsets), Data: slices.Clone(v.Data), Nanos: slices.Clone(v.Nanos),
		})
	}
	k.batches = append(k.batches, kept)
	return k.refuse
}

// fake is a session whose methods are fields; it also is the backend of a
// single connection "c".
type fake struct {
	sdk.Session
	info     sdk.ServerInfo
	open     func(context.Context, sdk.OpenRequest) error
	ping     func(context.Context) error
	execute  func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error
	scan     func(context.Context, sdk.ScanRequest, sdk.ScanWriter) (sdk.ScanSummary, error)
	explain  func(context.Context, sdk.ExplainRequest) (sdk.Explanation, error)
	validate func(context.Context, sdk.ValidateRequest) (sdk.Validation, error)
	profile  func(context.Context, sdk.ProfileRequest, sdk.ProfileWriter) error
	queryLog func(context.Context, sdk.QueryLogRequest, sdk.QueryLogWriter) error
	state    sdk.State
	running  map[string]bool // statements that CancelQuery ends

	connector sdk.Connector
	mu        sync.Mutex
	closed    []string
	grace     time.Duration
	stop      context.CancelCauseFunc // of the newest call
	began     int
	ended     int
}

func (f *fake) Server() sdk.ServerInfo         { return f.info }
func (f *fake) Ping(ctx context.Context) error { return f.ping(ctx) }
func (f *fake) Execute(ctx context.Context, r sdk.ExecuteRequest, w *sdk.RowWriter) error {
	return f.execute(ctx, r, w)
}

func (f *fake) Scan(ctx context.Context, r sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	return f.scan(ctx, r, w)
}

func (f *fake) Explain(ctx context.Context, r sdk.ExplainRequest) (sdk.Explanation, error) {
	return f.explain(ctx, r)
}

func (f *fake) Validate(ctx context.Context, r sdk.ValidateRequest) (sdk.Validation, error) {
	return f.validate(ctx, r)
}

func (f *fake) Profile(ctx context.Context, r sdk.ProfileRequest, w sdk.ProfileWriter) error {
	return f.profile(ctx, r, w)
}

func (f *fake) QueryLog(ctx context.Context, r sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	return f.queryLog(ctx, r, w)
}

func (f *fake) State(ctx context.Context) (sdk.State, error) { return f.state, f.ping(ctx) }

func (f *fake) CancelQuery(_ context.Context, id string) (bool, error) {
	running := f.running[id]
	delete(f.running, id)
	return running, nil
}

type backend struct{ *fake }

func (b backend) Connector() *sdk.Connector { return &b.connector }

func (b backend) Open(ctx context.Context, r sdk.OpenRequest) (sdk.ServerInfo, error) {
	if b.open != nil {
		return b.info, b.open(ctx, r)
	}
	return b.info, nil
}

func (b backend) Begin(ctx context.Context, id string) (context.Context, sdk.Session, func(), error) {
	if id != "c" {
		return nil, nil, nil, &sdk.Error{Kind: sdk.KindNotFound, Source: sdk.SourceHost, Code: sdk.CodeUnknownConnection, Msg: "not open"}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = cancel
	b.began++
	end := func() {
		cancel(nil)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ended++
	}
	return ctx, b.fake, end, nil
}

func (b backend) Close(_ context.Context, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = append(b.closed, id)
	return nil
}

func (b backend) Drain(_ context.Context, grace time.Duration) (int, error) {
	b.grace = grace
	return 3, nil
}

// everything declares each ability.
func everything() sdk.Capabilities {
	return sdk.Capabilities{Explain: true, Validate: true, Profile: true, QueryLog: true, MaxStreams: 3, MemoryBytes: 1 << 30}
}

// serveFake serves f in this process and returns a client on it.
func serveFake(t testing.TB, f *fake, options ...Option) *Client {
	t.Helper()
	if f.connector.ID == "" {
		f.connector = sdk.Connector{ID: "fake", Version: "1.0.0", Capabilities: everything(), Config: sdk.ConfigOf[struct{}]()}
	}
	options = append([]Option{WithLogger(slog.New(slog.DiscardHandler))}, options...)
	return dial(t, func(s *grpc.Server) { Register(s, backend{f}, options...) }, ServerOptions()...)
}

// dial serves what register registers on an in-memory connection.
func dial(t testing.TB, register func(*grpc.Server), options ...grpc.ServerOption) *Client {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(options...)
	register(server)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Errorf("serve: %v", err)
		}
	})
	conn, err := grpc.NewClient("passthrough:buf", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		// as go-plugin dials: without a bound
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		server.Stop()
		serving.Wait()
	})
	return NewClient(conn, nil)
}

// openFake opens connection "c".
func openFake(t testing.TB, c *Client) sdk.Session {
	t.Helper()
	session, err := c.Open(t.Context(), sdk.OpenRequest{ConnectionID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// script is a connector that sends what a test wrote down, contract or not.
type script struct {
	pb.UnimplementedConnectorServer
	results  func(grpc.ServerStreamingServer[pb.ResultEvent]) error
	profiles func(grpc.ServerStreamingServer[pb.ProfileEvent]) error
	scans    func(grpc.ServerStreamingServer[pb.ScanEvent]) error
}

func (script) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	return &pb.DescribeResponse{Id: "acme/liar", Capabilities: encodeCapabilities(everything())}, nil
}

func (script) Open(context.Context, *pb.OpenRequest) (*pb.OpenResponse, error) {
	return &pb.OpenResponse{}, nil
}

func (s script) Execute(_ *pb.ExecuteRequest, stream grpc.ServerStreamingServer[pb.ResultEvent]) error {
	return s.results(stream)
}

func (s script) Profile(_ *pb.ProfileRequest, stream grpc.ServerStreamingServer[pb.ProfileEvent]) error {
	return s.profiles(stream)
}

func (s script) Scan(_ *pb.ScanRequest, stream grpc.ServerStreamingServer[pb.ScanEvent]) error {
	return s.scans(stream)
}

// serveScript serves s and opens a connection on it.
func serveScript(t testing.TB, s script) (*Client, sdk.Session) {
	t.Helper()
	client := dial(t, func(server *grpc.Server) { pb.RegisterConnectorServer(server, s) })
	return client, openFake(t, client)
}
