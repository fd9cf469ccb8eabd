package wire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// Backend is a connector and its open sessions, for the server.
// Concurrency: all methods may be called from several goroutines.
type Backend interface {
	Connector() *sdk.Connector
	// Open opens a connection, or does nothing when its id is open.
	Open(context.Context, sdk.OpenRequest) (sdk.ServerInfo, error)
	// Begin starts a call on an open connection. The context it returns ends
	// when the connection is closed or the backend drained, with an *sdk.Error as
	// its cause; end must be called when the session's method has returned.
	// Errors: KindNotFound with CodeUnknownConnection, KindUnavailable.
	Begin(ctx context.Context, id string) (callCtx context.Context, session sdk.Session, end func(), err error)
	// Close closes a connection, or does nothing when its id is not open.
	Close(ctx context.Context, id string) error
	// Drain refuses new calls, cancels running ones, waits for them at most grace
	// and closes all connections. It returns how many calls it cancelled.
	Drain(ctx context.Context, grace time.Duration) (int, error)
}

// streamWorkers is how many goroutines wait for calls, with the stack that the
// calls before have grown; a tenth of a small statement's time is in a new one's.
const streamWorkers = 16

// Flow control: what a stream and a connection may have under way before the reader
// takes it. With fixed windows gRPC measures no bandwidth: its pings were four of
// the six messages of a small statement.
const (
	streamWindow     = 1 << 20
	connectionWindow = 8 << 20
)

// ServerOptions are the options that a gRPC server of a connector needs.
func ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(MaxMessageBytes), grpc.MaxSendMsgSize(MaxMessageBytes), grpc.NumStreamWorkers(streamWorkers),
		grpc.StaticStreamWindowSize(streamWindow), grpc.StaticConnWindowSize(connectionWindow),
	}
}

// DialOptions are the options of a connection to a connector. They disable gRPC's
// idle timeout of 30 minutes (PlakarKorp/plakar#2114).
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithIdleTimeout(0),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessageBytes), grpc.MaxCallSendMsgSize(MaxMessageBytes)),
		grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(connectionWindow),
	}
}

// Register registers a backend with s, which was made with ServerOptions.
func Register(s grpc.ServiceRegistrar, b Backend, options ...Option) {
	pb.RegisterConnectorServer(s, newServer(b, options))
}

// Option changes how a backend is served.
type Option func(*server)

// WithLogger sets the logger for panics; the default is slog.Default.
func WithLogger(log *slog.Logger) Option { return func(s *server) { s.log = log } }

// WithScrubber sets the scrubber of errors, to be shared with the scrubber of log
// lines.
func WithScrubber(scrubber *Scrubber) Option { return func(s *server) { s.scrubber = scrubber } }

type server struct {
	pb.UnimplementedConnectorServer
	backend   Backend
	admission *admission
	scrubber  *Scrubber
	log       *slog.Logger
	hostMinor atomic.Uint32 // of the contract, as the host said last
}

func newServer(b Backend, options []Option) *server {
	s := &server{
		backend: b, admission: newAdmission(b.Connector().Capabilities.MaxStreams),
		scrubber: &Scrubber{}, log: slog.Default(),
	}
	for _, option := range options {
		option(s)
	}
	return s
}

func (s *server) Describe(_ context.Context, req *pb.DescribeRequest) (out *pb.DescribeResponse, err error) {
	defer s.settle("describe", &err)
	s.hostMinor.Store(req.GetProtocolMinor())
	return encodeDescription(s.backend.Connector().Describe())
}

func (s *server) ValidateConfig(_ context.Context, req *pb.ValidateConfigRequest) (out *pb.ValidateConfigResponse, err error) {
	defer s.settle("validate_config", &err)
	config := decodeConfig(req.GetConfig())
	s.scrubber.Add(config)
	out = &pb.ValidateConfigResponse{}
	for _, d := range s.backend.Connector().Diagnose(config) {
		out.Diagnostics = append(out.Diagnostics, encodeDiagnostic(s.scrubber.diagnostic(d)))
	}
	return out, nil
}

func (s *server) Open(ctx context.Context, req *pb.OpenRequest) (out *pb.OpenResponse, err error) {
	defer s.settle("open", &err)
	request := decodeOpen(req)
	s.scrubber.Add(request.Config)
	if request.ConnectionID == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "a connection needs an id")
	}
	ctx, cancel := allowed(ctx)
	defer cancel()
	info, err := s.backend.Open(withCall(ctx, request.ConnectionID, ""), request)
	if err != nil {
		return nil, ended(ctx, err)
	}
	for i, d := range info.Warnings {
		info.Warnings[i] = s.scrubber.diagnostic(d)
	}
	return encodeServerInfo(info), nil
}

func (s *server) Close(ctx context.Context, req *pb.CloseRequest) (out *pb.CloseResponse, err error) {
	defer s.settle("close", &err)
	return &pb.CloseResponse{}, s.backend.Close(withCall(ctx, req.GetConnectionId(), ""), req.GetConnectionId())
}

func (s *server) Ping(ctx context.Context, req *pb.PingRequest) (out *pb.PingResponse, err error) {
	defer s.settle("ping", &err)
	ctx, cancel := allowed(ctx)
	defer cancel()
	out = &pb.PingResponse{}
	err = s.session(ctx, req.GetConnectionId(), "", func(session sdk.Session, ctx context.Context) error {
		reporter, ok := session.(sdk.StateReporter)
		if !ok {
			return session.Ping(ctx)
		}
		state, err := reporter.State(ctx)
		out.State = text(string(state))
		return err
	})
	return out, err
}

func (s *server) Drain(ctx context.Context, req *pb.DrainRequest) (out *pb.DrainResponse, err error) {
	defer s.settle("drain", &err)
	canceled, err := s.backend.Drain(ctx, duration(req.GetGraceMs(), time.Millisecond))
	return &pb.DrainResponse{Cancelled: small(canceled)}, err
}

func (s *server) Explain(ctx context.Context, req *pb.ExplainRequest) (out *pb.ExplainResponse, err error) {
	defer s.settle("explain", &err)
	err = s.call(ctx, req.GetConnectionId(), "", func(ctx context.Context, session sdk.Session) error {
		explainer, ok := session.(sdk.Explainer)
		if !ok {
			return unsupported("show a plan")
		}
		plan, err := explainer.Explain(ctx, decodeExplain(req))
		out = encodeExplanation(plan)
		return err
	})
	return out, err
}

func (s *server) Validate(ctx context.Context, req *pb.ValidateRequest) (out *pb.ValidateResponse, err error) {
	defer s.settle("validate", &err)
	err = s.call(ctx, req.GetConnectionId(), "", func(ctx context.Context, session sdk.Session) error {
		validator, ok := session.(sdk.Validator)
		if !ok {
			return unsupported("check a statement without running it")
		}
		found, err := validator.Validate(ctx, decodeValidate(req))
		for i, w := range found.Warnings {
			found.Warnings[i] = s.scrubber.warning(w)
		}
		out = encodeValidation(found)
		return err
	})
	return out, err
}

// call runs one counted call on a session.
func (s *server) call(ctx context.Context, id, requestID string, run func(context.Context, sdk.Session) error) error {
	ctx, cancel := allowed(ctx)
	defer cancel()
	leave, err := s.admission.await(ctx, id)
	if err != nil {
		return ended(ctx, err)
	}
	defer leave()
	return s.session(ctx, id, requestID, func(session sdk.Session, ctx context.Context) error { return run(ctx, session) })
}

// session runs a call that is not counted. The order of the parameters of run
// is that of a method expression.
func (s *server) session(ctx context.Context, id, requestID string, run func(sdk.Session, context.Context) error) error {
	ctx, session, end, err := s.backend.Begin(withCall(ctx, id, requestID), id)
	if err != nil {
		return err
	}
	defer end()
	return ended(ctx, run(session, ctx))
}

// ended replaces the error of a call whose context ended by the reason, unless
// the connector said something more exact than "canceled".
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	said, _ := errors.AsType[*sdk.Error](err)
	if said != nil && said.Kind != sdk.KindCanceled && said.Kind != sdk.KindInternal {
		return err
	}
	if cause, ok := errors.AsType[*sdk.Error](context.Cause(ctx)); ok {
		return cause
	}
	reason := sdk.AsError(ctx.Err(), sdk.SourceCaller)
	if said != nil && said.Kind == reason.Kind {
		return err
	}
	return reason
}

// settle ends a handler: a panic becomes an internal error with an incident id,
// and every error a scrubbed status.
func (s *server) settle(call string, err *error) {
	if reason := recover(); reason != nil {
		incident := rand.Text()[:8]
		s.log.Error("connector panicked", "call", call, "incident", incident,
			"panic", s.scrubber.Scrub(fmt.Sprint(reason)), "stack", s.scrubber.Scrub(string(debug.Stack())))
		*err = sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector failed internally (incident %s)", incident).
			WithHint("look for incident %s in the connector's log", incident)
	}
	if *err != nil {
		*err = encodeError(s.scrubber.Error(*err))
	}
}

func unsupported(what string) *sdk.Error {
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "this connector cannot %s", what)
}
