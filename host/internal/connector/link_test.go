package connector

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/serve"
	"github.com/loam-data/loam/sdk/wire"
)

// forgetful is a backend that claims not to know an open connection.
type forgetful struct {
	wire.Backend
	forget atomic.Int32 // how often from now on
	opened atomic.Int32
}

func (b *forgetful) Open(ctx context.Context, req sdk.OpenRequest) (sdk.ServerInfo, error) {
	b.opened.Add(1)
	return b.Backend.Open(ctx, req)
}

func (b *forgetful) Begin(ctx context.Context, id string) (context.Context, sdk.Session, func(), error) {
	if b.forget.Add(-1) >= 0 {
		return b.Backend.Begin(ctx, "another")
	}
	return b.Backend.Begin(ctx, id)
}

// oneRow is a session whose every statement returns one row. After it, the
// statement "lose" claims that the connection is unknown.
type oneRow struct{ sdk.Session }

func (oneRow) Server() sdk.ServerInfo      { return sdk.ServerInfo{Product: "OneRow", Version: "1"} }
func (oneRow) Ping(context.Context) error  { return nil }
func (oneRow) Close(context.Context) error { return nil }
func (oneRow) Execute(_ context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	if err := w.Columns(sdk.Column{Name: "n", Type: sdk.TypeInt64}); err != nil {
		return err
	}
	if req.SQL == "lose" {
		return &sdk.Error{Kind: sdk.KindNotFound, Source: sdk.SourceConnector, Code: sdk.CodeUnknownConnection}
	}
	return w.Row(int64(1))
}

// dialBackend serves a backend in memory.
func dialBackend(t *testing.T, b wire.Backend) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(wire.ServerOptions()...)
	wire.Register(server, b)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///bufconn", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return conn
}

type sink struct{ rows, columns int }

func (s *sink) Started(string) error { return nil }
func (s *sink) Columns([]sdk.Column) error {
	s.columns++
	return nil
}

func (s *sink) Batch(b *sdk.Batch) error {
	s.rows += b.Rows
	return nil
}
func (s *sink) Progress(sdk.Progress) {}
func (s *sink) Notice(sdk.Warning)    {}

func TestForgottenConnectionIsOpenedAgain(t *testing.T) {
	t.Parallel()
	execute := func(sql string) func(context.Context, sdk.Session) error {
		return func(ctx context.Context, s sdk.Session) error {
			to := &sink{}
			w := sdk.NewRowWriter(to, sdk.Limits{})
			if err := s.Execute(ctx, sdk.ExecuteRequest{SQL: sql}, w); err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return err
			}
			if to.columns != 1 || to.rows != 1 {
				return errors.New("the result is not one row")
			}
			return nil
		}
	}
	ping := func(ctx context.Context, s sdk.Session) error { return s.Ping(ctx) }
	cases := map[string]struct {
		forget int32
		call   func(context.Context, sdk.Session) error
		opened int32
		want   sdk.Kind
	}{
		"known":                     {0, execute("select"), 1, ""},
		"stream, once":              {1, execute("select"), 2, ""},
		"stream, twice":             {2, execute("select"), 2, sdk.KindNotFound},
		"single answer, once":       {1, ping, 2, ""},
		"single answer, twice":      {2, ping, 2, sdk.KindNotFound},
		"after something was heard": {0, execute("lose"), 1, sdk.KindNotFound},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &forgetful{Backend: serve.NewBackend(&sdk.Connector{
				ID: "onerow", Version: "1.0.0", Dialects: []dialect.Dialect{{Name: "one"}},
				Open: func(context.Context, sdk.OpenRequest) (sdk.Session, error) { return oneRow{}, nil },
			})}
			conn := dialBackend(t, b)
			req := sdk.OpenRequest{ConnectionID: "warehouse"}
			l := &link{ClientConnInterface: conn, calls: newCalls("fake", newBlame(standardTiming())), reopen: func(ctx context.Context) error {
				_, err := wire.NewClient(conn, nil).Open(ctx, req)
				return err
			}}
			session, err := wire.NewClient(l, nil).Open(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			b.forget.Store(test.forget)
			if got := sdk.KindOf(test.call(t.Context(), session)); got != test.want {
				t.Errorf("call: kind %q, want %q", got, test.want)
			}
			if got := b.opened.Load(); got != test.opened {
				t.Errorf("opened %d times, want %d", got, test.opened)
			}
		})
	}
}

func TestBrokenConnectionIsExplained(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	close(gone)
	later := make(chan struct{})
	time.AfterFunc(20*time.Millisecond, func() { close(later) })
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	eof := status.Error(codes.Unavailable, "error reading from server: EOF")
	cases := map[string]struct {
		exited   chan struct{}
		err      error
		canceled bool
		crash    bool
	}{
		"process gone":            {gone, eof, false, true},
		"process goes":            {later, eof, false, true},
		"process lives":           {make(chan struct{}), eof, false, false},
		"caller gave up":          {gone, status.Error(codes.Canceled, "context canceled"), true, false},
		"the connector's answer":  {gone, status.Error(codes.ResourceExhausted, "too large"), false, false},
		"no error":                {gone, nil, false, false},
		"not a status of a call":  {gone, errors.New("closed"), false, false},
		"broken off by the other": {gone, status.Error(codes.Unknown, "stream terminated"), false, true},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := newCalls("x", newBlame(standardTiming()))
			l := &link{calls: calls, fate: fate{exited: test.exited, wait: time.Second, ending: func() ending { return ending{connector: "x", what: "crashed"} }}}
			call, err := calls.begin("Execute", nil)
			if err != nil {
				t.Fatal(err)
			}
			if name == "process lives" {
				l.fate.wait = time.Millisecond
			}
			ctx := t.Context()
			if test.canceled {
				ctx = canceled
			}
			got := l.explain(ctx, call, test.err)
			e, crashed := errors.AsType[*sdk.Error](got)
			if crashed != test.crash || !crashed && !errors.Is(got, test.err) {
				t.Errorf("explain = %v", got)
			}
			if crashed && (e.Kind != sdk.KindUnavailable || !e.Retry) {
				t.Errorf("explain = %+v, want unavailable with retry", e)
			}
		})
	}
}

func TestRefusedCredentialsAreReported(t *testing.T) {
	t.Parallel()
	told := 0
	l := &link{refused: func() { told++ }}
	for _, code := range []codes.Code{codes.Unauthenticated, codes.PermissionDenied, codes.NotFound} {
		if err := l.explain(t.Context(), nil, status.Error(code, "no")); status.Code(err) != code {
			t.Errorf("explain = %v, want it unchanged", err)
		}
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
}
