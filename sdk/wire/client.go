package wire

import (
	"context"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// Client calls one connector process.
// Errors: every method returns *sdk.Error; a broken connection is
// KindUnavailable of SourceConnector with Retry, whatever ended the process.
// Concurrency: safe for several goroutines. The caller closes the gRPC
// connection.
type Client struct {
	rpc      pb.ConnectorClient
	known    atomic.Pointer[sdk.Description]
	scrubber *Scrubber
}

// NewClient returns a client on conn. It removes the scrubber's secrets from the texts
// for people in the connector's answers; nil = it removes none. A connector that was
// written without the SDK may send them.
func NewClient(conn grpc.ClientConnInterface, scrubber *Scrubber) *Client {
	if scrubber == nil {
		scrubber = &Scrubber{}
	}
	return &Client{rpc: pb.NewConnectorClient(bounded{conn}), scrubber: scrubber}
}

// bounded holds every call to the size of a message and to what it may hold, whatever the
// connection was dialled with: go-plugin dials without a bound.
type bounded struct{ conn grpc.ClientConnInterface }

// The limits of every call, made once.
var receiveLimit, sendLimit = grpc.MaxCallRecvMsgSize(MaxMessageBytes), grpc.MaxCallSendMsgSize(MaxMessageBytes)

func (b bounded) options(given []grpc.CallOption, codec *frugal) []grpc.CallOption {
	return append(given, receiveLimit, sendLimit, grpc.ForceCodecV2(codec))
}

func (b bounded) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	codec := newFrugal()
	return codec.explain(b.conn.Invoke(ctx, method, args, reply, b.options(opts, codec)...))
}

func (b bounded) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s := &boundedStream{codec: *newFrugal()}
	stream, err := b.conn.NewStream(ctx, desc, method, b.options(opts, &s.codec)...)
	if err != nil {
		return nil, err
	}
	s.ClientStream = stream
	return s, nil
}

type boundedStream struct {
	grpc.ClientStream
	codec frugal
}

func (s *boundedStream) RecvMsg(m any) error {
	return s.codec.explain(s.ClientStream.RecvMsg(m))
}

// Describe returns the connector's description.
func (c *Client) Describe(ctx context.Context, host HostInfo) (sdk.Description, error) {
	answer, err := c.rpc.Describe(ctx, encodeHostInfo(host))
	if err != nil {
		return sdk.Description{}, c.failure(ctx, err)
	}
	description, err := decodeDescription(answer)
	if err != nil {
		return sdk.Description{}, err
	}
	c.known.Store(&description)
	return description, nil
}

// description returns what Describe said, asking if nobody has yet.
func (c *Client) description(ctx context.Context) (*sdk.Description, error) {
	if known := c.known.Load(); known != nil {
		return known, nil
	}
	description, err := c.Describe(ctx, HostInfo{ContractMinor: sdk.ContractMinor})
	return &description, err
}

// ValidateConfig lets the connector check a configuration, offline.
func (c *Client) ValidateConfig(ctx context.Context, config sdk.Config) ([]sdk.Diagnostic, error) {
	answer, err := c.rpc.ValidateConfig(ctx, &pb.ValidateConfigRequest{Config: encodeConfig(config)})
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	return convert(convert(answer.GetDiagnostics(), decodeDiagnostic), c.scrubber.diagnostic), nil
}

// Open opens a connection. The session implements sdk.Explainer, sdk.Validator,
// sdk.Profiler and sdk.QueryLogger exactly as the connector's capabilities say.
func (c *Client) Open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	if _, err := c.description(ctx); err != nil {
		return nil, err
	}
	answer, err := ask(ctx, c, c.rpc.Open, encodeOpen(req))
	if err != nil {
		return nil, err
	}
	info := decodeServerInfo(answer)
	info.Warnings = convert(info.Warnings, c.scrubber.diagnostic)
	return c.Session(req.ConnectionID, info), nil
}

// Session returns the session of a connection that is open already, without any
// I/O. The optional interfaces are those that the last Describe named.
func (c *Client) Session(id string, info sdk.ServerInfo) sdk.Session {
	s := &session{client: c, id: id, info: info}
	if known := c.known.Load(); known != nil {
		return withAbilities(s, known.Capabilities)
	}
	return s
}

// TestConnection runs the staged checks of a configuration and reports each
// step as it is done.
func (c *Client) TestConnection(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx, stop := c.patient(ctx)
	defer stop()
	stream, err := c.rpc.TestConnection(ctx, &pb.TestConnectionRequest{
		Config: encodeConfig(req.Config), TimeoutMs: millis(req.StatementTimeout), MemoryBytes: req.MemoryBytes,
		Resume: req.Resume,
	})
	if err != nil {
		return c.failure(ctx, err)
	}
	for {
		step, err := stream.Recv()
		if ended, err := c.streamEnd(ctx, err); ended {
			return err
		}
		report(c.scrubber.step(decodeTestStep(step)))
	}
}

// Authenticate signs a person in; it calls prompt with each action of the
// person.
// Errors: those of prompt, which end the sign-in; KindUnsupported where
// Capabilities.Authenticate is not set.
func (c *Client) Authenticate(ctx context.Context, req sdk.OpenRequest, prompt func(sdk.Prompt) error) (sdk.Credentials, error) {
	var credentials sdk.Credentials
	open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.AuthenticateEvent], error) {
		return c.rpc.Authenticate(ctx, &pb.AuthenticateRequest{Config: encodeConfig(req.Config), TimeoutMs: millis(req.StatementTimeout)})
	}
	err := receive(ctx, c, open, func(event *pb.AuthenticateEvent) (bool, error) {
		switch e := event.GetEvent().(type) {
		case *pb.AuthenticateEvent_Prompt:
			return false, prompt(decodePrompt(e.Prompt))
		case *pb.AuthenticateEvent_Done:
			credentials = decodeCredentials(e.Done)
			return true, nil
		}
		return false, nil
	})
	if err != nil {
		return sdk.Credentials{}, err
	}
	return credentials, nil
}

// Drain drains the connector: see Backend. It returns how many calls the
// connector canceled.
func (c *Client) Drain(ctx context.Context, grace time.Duration) (int, error) {
	answer, err := c.rpc.Drain(ctx, &pb.DrainRequest{GraceMs: millis(grace)})
	if err != nil {
		return 0, c.failure(ctx, err)
	}
	return int(answer.GetCancelled()), nil
}

// name is how messages call the connector.
func (c *Client) name() string {
	if known := c.known.Load(); known != nil {
		return "connector " + known.ID
	}
	return "the connector"
}

// broken is a breach of the contract by the connector.
func (c *Client) broken(format string, args ...any) *sdk.Error {
	e := sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, format, args...)
	e.Msg = c.name() + " broke the contract: " + e.Msg
	return e.WithHint("report this to the author of the connector")
}
