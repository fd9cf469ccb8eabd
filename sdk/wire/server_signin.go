package wire

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// Authenticate is not counted among the calls at once: it waits for a person.
func (s *server) Authenticate(req *pb.AuthenticateRequest, stream grpc.ServerStreamingServer[pb.AuthenticateEvent]) (err error) {
	defer s.settle("authenticate", &err)
	authenticate := s.backend.Connector().Authenticate
	if authenticate == nil {
		return unsupported("sign a person in")
	}
	ctx, cancel := allowed(stream.Context())
	defer cancel()
	config := decodeConfig(req.GetConfig())
	s.scrubber.Add(config)
	beat := &pb.AuthenticateEvent{Event: &pb.AuthenticateEvent_Heartbeat{Heartbeat: &pb.Heartbeat{}}}
	out := openOutlet(stream, beat, func(*pb.Progress) proto.Message { return beat })
	defer out.close()
	prompt := func(p sdk.Prompt) error {
		return out.emit(&pb.AuthenticateEvent{Event: &pb.AuthenticateEvent_Prompt{Prompt: encodePrompt(p)}})
	}
	request := sdk.OpenRequest{Config: config, MaxOpen: 1, StatementTimeout: duration(req.GetTimeoutMs(), time.Millisecond)}
	credentials, err := authenticate(ctx, request, prompt)
	s.scrubber.Add(sdk.Config{Secrets: credentials.Secrets})
	if err != nil {
		return ended(ctx, err)
	}
	return out.finish(&pb.AuthenticateEvent{Event: &pb.AuthenticateEvent_Done{Done: encodeCredentials(credentials)}})
}

// CancelQuery is not counted: it has to pass when every stream is taken.
func (s *server) CancelQuery(ctx context.Context, req *pb.CancelQueryRequest) (out *pb.CancelQueryResponse, err error) {
	defer s.settle("cancel_query", &err)
	ctx, cancel := allowed(ctx)
	defer cancel()
	out = &pb.CancelQueryResponse{}
	err = s.session(ctx, req.GetConnectionId(), "", func(session sdk.Session, ctx context.Context) error {
		canceler, ok := session.(sdk.QueryCanceler)
		if !ok {
			return unsupported("cancel a statement by its id")
		}
		var err error
		out.WasRunning, err = canceler.CancelQuery(ctx, req.GetWarehouseQueryId())
		return err
	})
	return out, err
}
