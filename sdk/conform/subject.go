package conform

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/peer"
	"github.com/loam-data/loam/sdk/serve"
	"github.com/loam-data/loam/sdk/wire"
)

// subject is a connector in one of the modes.
type subject interface {
	describe(context.Context) (sdk.Description, error)
	diagnose(context.Context, sdk.Config) ([]sdk.Diagnostic, error)
	open(context.Context, sdk.OpenRequest) (sdk.Session, error)
	test(context.Context, sdk.OpenRequest, func(sdk.TestStep)) error
	stop() error
}

// start starts a new subject in the run's mode.
func (r *run) start(ctx context.Context) (subject, error) {
	switch r.mode {
	case InProcess:
		return direct{r.target.Connector}, nil
	case Wire:
		return startWire(r.target.Connector, r.serverOptions...)
	default:
		return startProcess(ctx, r.target, launch{mutualTLS: !peer.Supported, started: r.owns})
	}
}

// direct is a connector in this process.
type direct struct{ c *sdk.Connector }

func (d direct) describe(context.Context) (sdk.Description, error) { return d.c.Describe(), nil }

func (d direct) diagnose(_ context.Context, config sdk.Config) ([]sdk.Diagnostic, error) {
	return d.c.Diagnose(config), nil
}

func (d direct) open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	return d.c.Open(ctx, req)
}

func (d direct) test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	return d.c.TestConnection(ctx, req, report)
}

func (d direct) stop() error { return nil }

// remote is a connector that is reached over the wire.
type remote struct{ client *wire.Client }

func (r remote) describe(ctx context.Context) (sdk.Description, error) {
	return r.client.Describe(ctx, wire.HostInfo{Version: "conform", ContractMinor: sdk.ContractMinor})
}

func (r remote) diagnose(ctx context.Context, config sdk.Config) ([]sdk.Diagnostic, error) {
	return r.client.ValidateConfig(ctx, config)
}

func (r remote) open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	return r.client.Open(ctx, req)
}

func (r remote) test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	return r.client.TestConnection(ctx, req, report)
}

// overWire is a connector that is reached over an in-memory connection.
type overWire struct {
	remote
	conn    *grpc.ClientConn
	server  *grpc.Server
	serving sync.WaitGroup
	failed  error // of the server, after serving
}

func startWire(c *sdk.Connector, options ...grpc.ServerOption) (*overWire, error) {
	listener := bufconn.Listen(1 << 20)
	w := &overWire{server: grpc.NewServer(append(options, wire.ServerOptions()...)...)}
	wire.Register(w.server, serve.NewBackend(c))
	conn, err := grpc.NewClient("passthrough:conform", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		return nil, err
	}
	w.serving.Go(func() {
		if err := w.server.Serve(listener); !errors.Is(err, grpc.ErrServerStopped) {
			w.failed = err
		}
	})
	w.conn, w.client = conn, wire.NewClient(conn, nil)
	return w, nil
}

const drainGrace = 3 * time.Second

func (w *overWire) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*drainGrace)
	defer cancel()
	_, err := w.client.Drain(ctx, drainGrace)
	err = errors.Join(err, w.conn.Close())
	w.server.Stop()
	w.serving.Wait()
	return errors.Join(err, w.failed)
}

// run is a target in one mode.
type run struct {
	target        *Target
	mode          Mode
	description   sdk.Description // zero until the connector was described
	secrets       []string
	serverOptions []grpc.ServerOption
	pace          Pace

	logs     *logBuffer
	restore  func() // of slog's default logger
	shared   subject
	session  sdk.Session
	narrow   []sdk.Session // see narrowSessions
	opened   int           // number of connection ids used
	outcomes map[string]*outcome

	checkLimit time.Duration // 0 = none
	dead       string        // why the connector does not start

	mu       sync.Mutex
	leaks    []string // where a secret was seen
	children []*child // every program of the run
}

// owns records a program, so that abandon can kill it.
func (r *run) owns(c *child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.children = append(r.children, c)
}

func newRun(target *Target, mode Mode) *run {
	if modes := target.modes(); mode != modes[len(modes)-1] { // attacks have the same effect in every mode
		some := *target
		some.nth = fewer
		target = &some
	}
	r := &run{
		target: target, mode: mode, secrets: target.secrets(), logs: &logBuffer{},
		outcomes: map[string]*outcome{}, serverOptions: target.ServerOptions,
	}
	r.pace = Pace{cmp.Or(target.Pace.Deadline, standardPace.Deadline), cmp.Or(target.Pace.Settle, standardPace.Settle)}
	if target.Connector != nil {
		r.description = target.Connector.Describe()
	}
	logger, output, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(r.logs, &slog.HandlerOptions{Level: slog.LevelDebug})))
	r.restore = func() {
		slog.SetDefault(logger)
		log.SetOutput(output) // SetDefault took it over as well
		log.SetFlags(flags)
	}
	return r
}

// close closes the shared sessions and the shared connector.
func (r *run) close(errorf func(string, ...any)) {
	defer r.restore()
	limit := patience
	if r.checkLimit > 0 {
		limit = r.checkLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for _, session := range append(r.narrow, r.session) {
		if session == nil {
			continue
		}
		if err := session.Close(ctx); err != nil {
			errorf("close a shared session: %v", err)
		}
	}
	if r.shared != nil {
		if err := r.shared.stop(); err != nil {
			errorf("stop the connector: %v", err)
		}
	}
}

// subject returns the connector that most checks share.
func (p *probe) subject() subject {
	if p.run.shared == nil {
		s, err := p.run.start(p.ctx) // the context bounds only the start
		if err != nil && p.run.checkLimit > 0 {
			p.run.dead = err.Error()
		}
		p.must("start the connector", err)
		p.run.shared = s
		d, err := s.describe(p.ctx)
		p.must("describe", err)
		p.run.description = d
	}
	return p.run.shared
}

// request returns an OpenRequest with a new connection id, whose statements may take as long as on a busy machine.
func (p *probe) request(config sdk.Config) sdk.OpenRequest {
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	p.run.opened++
	return sdk.OpenRequest{ConnectionID: fmt.Sprintf("conform-%d", p.run.opened), Config: config, StatementTimeout: patience}
}

// open opens a session. The check closes it.
func (p *probe) open(s subject) sdk.Session {
	var session sdk.Session
	var err error
	p.within(patience, "open", func() { session, err = s.open(p.ctx, p.request(p.run.target.Config)) })
	p.must("open", err)
	return session
}

// shareSession returns the session that most checks share.
func (p *probe) shareSession() sdk.Session {
	if p.run.session == nil {
		p.run.session = p.openFor(p.request(p.run.target.Config))
	}
	return p.run.session
}

// narrowSessions returns shared sessions with one physical connection each: one of the configured
// account and one of Target.Writer. With one connection, the effect of a statement on its
// connection is visible to the next statement.
func (p *probe) narrowSessions() []sdk.Session {
	configs := []sdk.Config{p.run.target.Config}
	if p.run.target.Writer != nil {
		configs = append(configs, *p.run.target.Writer)
	}
	for _, config := range configs[len(p.run.narrow):] {
		request := p.request(config)
		request.MaxOpen = 1
		p.run.narrow = append(p.run.narrow, p.openFor(request))
	}
	return p.run.narrow
}

// openFor opens a session. The caller closes it.
func (p *probe) openFor(request sdk.OpenRequest) sdk.Session {
	session, err := p.tryOpen(request)
	p.must("open", err)
	return session
}

func (p *probe) tryOpen(request sdk.OpenRequest) (session sdk.Session, err error) {
	s := p.subject()
	p.within(patience, "open", func() { session, err = s.open(p.ctx, request) })
	return session, err
}

// closeSession closes a session of the check's own.
func (p *probe) closeSession(s sdk.Session) {
	var err error
	p.within(patience, "close", func() { err = s.Close(context.WithoutCancel(p.ctx)) })
	p.must("close", err)
}

// logBuffer is a buffer for logs. Concurrency: its methods may be called concurrently.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
