package wire

import (
	"context"
	"errors"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// Sizes of an error's texts. A status travels in trailers, its details in
// base64 and its message percent-encoded; with these sizes the trailers stay
// below 4 KiB. Source: C-core clients and servers limit metadata to 8 KiB in
// all (grpc/grpc#37852).
const (
	maxErrorText     = 2432 // of all texts in ErrorInfo together
	maxStatusMessage = 128
	maxShortText     = 128 // op, code, query id, one candidate
	maxHint          = 768
	maxCandidates    = 8
)

var kinds = []struct {
	kind   sdk.Kind
	number pb.ErrorInfo_Kind
	code   codes.Code
}{
	{sdk.KindInvalid, pb.ErrorInfo_KIND_INVALID, codes.InvalidArgument},
	{sdk.KindSyntax, pb.ErrorInfo_KIND_SYNTAX, codes.InvalidArgument},
	{sdk.KindNotReadOnly, pb.ErrorInfo_KIND_NOT_READ_ONLY, codes.FailedPrecondition},
	{sdk.KindNotFound, pb.ErrorInfo_KIND_NOT_FOUND, codes.NotFound},
	{sdk.KindConflict, pb.ErrorInfo_KIND_CONFLICT, codes.Aborted},
	{sdk.KindUnauthenticated, pb.ErrorInfo_KIND_UNAUTHENTICATED, codes.Unauthenticated},
	{sdk.KindDenied, pb.ErrorInfo_KIND_DENIED, codes.PermissionDenied},
	{sdk.KindUnsupported, pb.ErrorInfo_KIND_UNSUPPORTED, codes.Unimplemented},
	{sdk.KindLimit, pb.ErrorInfo_KIND_LIMIT, codes.ResourceExhausted},
	{sdk.KindRateLimited, pb.ErrorInfo_KIND_RATE_LIMITED, codes.ResourceExhausted},
	{sdk.KindTimeout, pb.ErrorInfo_KIND_TIMEOUT, codes.DeadlineExceeded},
	{sdk.KindCanceled, pb.ErrorInfo_KIND_CANCELED, codes.Canceled},
	{sdk.KindUnavailable, pb.ErrorInfo_KIND_UNAVAILABLE, codes.Unavailable},
	{sdk.KindInternal, pb.ErrorInfo_KIND_INTERNAL, codes.Internal},
}

// encodeError turns an error of a connector into a status with one ErrorInfo.
func encodeError(err error) error {
	if err == nil {
		return nil
	}
	info := encodeErrorInfo(sdk.AsError(err, sdk.SourceConnector))
	code := codes.Internal
	for _, k := range kinds {
		if k.number == info.Kind {
			code = k.code
		}
	}
	bare := status.New(code, cut(info.Message, maxStatusMessage))
	full, err := bare.WithDetails(info)
	if err != nil { // only if info could not be marshalled, and its texts are valid
		return bare.Err()
	}
	return full.Err()
}

func encodeErrorInfo(e *sdk.Error) *pb.ErrorInfo {
	info := &pb.ErrorInfo{
		Kind: pb.ErrorInfo_KIND_INTERNAL, Source: string(e.Source), Op: e.Op, Message: e.Msg,
		Hint: e.Hint, Code: e.Code, Line: small(e.Pos.Line), Column: small(e.Pos.Column), Candidates: slices.Clone(e.Candidates),
		Retry: e.Retry, RetryAfterMs: millis(e.RetryAfter), WarehouseQueryId: e.QueryID,
	}
	for _, k := range kinds {
		if k.kind == e.Kind {
			info.Kind = k.number
		}
	}
	if info.Message == "" && e.Err != nil {
		info.Message = e.Err.Error()
	}
	boundError(info)
	return info
}

// boundError cuts every text; what the rest leaves over is the message's. The SDK
// bounds what it sends, and the host what it receives: connectors are written without
// the SDK too.
func boundError(info *pb.ErrorInfo) {
	for _, short := range []*string{&info.Source, &info.Op, &info.Code, &info.WarehouseQueryId} {
		*short = cut(*short, maxShortText)
	}
	info.Hint = cut(info.Hint, maxHint)
	used := len(info.Source) + len(info.Op) + len(info.Hint) + len(info.Code) + len(info.WarehouseQueryId)
	info.Candidates = info.Candidates[:min(len(info.Candidates), maxCandidates)]
	for i, name := range info.Candidates {
		info.Candidates[i] = cut(name, maxShortText)
		used += len(info.Candidates[i]) + 4
	}
	info.Message = cut(info.Message, maxErrorText-used)
}

func decodeErrorInfo(info *pb.ErrorInfo) *sdk.Error {
	boundError(info)
	e := &sdk.Error{
		Kind: sdk.KindInternal, Source: sdk.Source(info.GetSource()), Op: info.GetOp(), Msg: info.GetMessage(),
		Hint: info.GetHint(), Code: info.GetCode(),
		Pos:        sdk.Position{Line: int(info.GetLine()), Column: int(info.GetColumn())},
		Candidates: info.GetCandidates(), Retry: info.GetRetry(),
		RetryAfter: duration(info.GetRetryAfterMs(), time.Millisecond), QueryID: info.GetWarehouseQueryId(),
	}
	for _, k := range kinds {
		if k.number == info.GetKind() {
			e.Kind = k.kind
		}
	}
	known := []sdk.Source{sdk.SourceCaller, sdk.SourceHost, sdk.SourceConnector, sdk.SourceWarehouse}
	if !slices.Contains(known, e.Source) {
		e.Source = sdk.SourceConnector
	}
	return e
}

// failure turns what a call returned into an *sdk.Error. A reason for which
// the host ended the context comes first; then the connector's own words; what is
// left is a fault of the transport, which the host's supervisor knows more about.
func (c *Client) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && status.Code(err) == codes.DeadlineExceeded && !time.Now().Before(deadline) {
		<-ctx.Done() // the connector's gRPC has the same deadline and may be a moment ahead
	}
	if e, ok := errors.AsType[*sdk.Error](context.Cause(ctx)); ok {
		return e
	}
	if o, ok := errors.AsType[*overfull](err); ok {
		return c.broken("%w", o)
	}
	s, ok := status.FromError(err)
	if !ok {
		return sdk.AsError(err, sdk.SourceConnector)
	}
	for _, detail := range s.Details() {
		if info, ok := detail.(*pb.ErrorInfo); ok {
			return c.scrubber.Error(decodeErrorInfo(info))
		}
	}
	if ctx.Err() != nil {
		return sdk.AsError(ctx.Err(), sdk.SourceCaller)
	}
	return c.scrubber.Error(c.transportError(s))
}

// transportError classifies a status without an ErrorInfo.
func (c *Client) transportError(s *status.Status) *sdk.Error {
	e := &sdk.Error{Kind: sdk.KindInternal, Source: sdk.SourceConnector}
	message := cut(s.Message(), maxErrorText)
	switch s.Code() {
	case codes.Unavailable, codes.Canceled, codes.Aborted: // Canceled: the connection was closed on this side
		e.Kind, e.Retry = sdk.KindUnavailable, true
		e.Msg = "the connection to " + c.name() + " broke"
		e.Hint = "repeat the call"
	case codes.DeadlineExceeded:
		e.Kind, e.Source, e.Retry = sdk.KindTimeout, sdk.SourceCaller, true
		e.Msg = "the time allowed is over"
	case codes.Unimplemented:
		e.Kind, e.Msg = sdk.KindUnsupported, c.name()+" does not know this call"
		e.Hint = "install a newer version of the connector"
	case codes.ResourceExhausted:
		e.Kind, e.Msg = sdk.KindLimit, "a message of "+c.name()+" is larger than connector and host exchange: "+message
	default:
		e.Msg = c.name() + " failed without an explanation: " + message
	}
	return e
}
