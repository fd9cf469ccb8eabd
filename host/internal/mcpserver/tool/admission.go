package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// request is one that is admitted, and recorded when it has ended.
type request struct {
	method string
	// name is what it is counted and recorded by: the tool of a call, else the method.
	name      string
	meta      *mcp.Meta
	arguments json.RawMessage
	example   string // of the arguments, or ""
	pace      transport.Pace
}

// readDeadline is the time limit of a request that only reads what the host has: it ends a folder that does not
// answer, not a machine that is busy.
const readDeadline = 30 * time.Second

// unread is the error of a request that reached readDeadline.
func unread() error {
	err := sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the project was not read within %v", readDeadline).
		WithHint("call again; if it lasts, run loam doctor: a folder of the project may not answer")
	err.Retry = true
	return err
}

// Admit is the transport.Admit of the set: a request of another method passes what a
// tools/call does.
func (s *Set) Admit(ctx context.Context, method string, p transport.Params, work transport.Work) (result json.RawMessage, refusal *transport.Error) {
	var told failing
	s.serve(ctx, request{method: method, name: method, meta: p.Parsed(), arguments: withoutMeta(p.Text)}, func(ctx context.Context) (size int, err error) {
		ctx, cancel := context.WithTimeoutCause(ctx, readDeadline, unread())
		defer cancel()
		result, refusal = work(context.WithValue(ctx, failingKey{}, &told))
		switch {
		case refusal != nil && told.err != nil:
			return 0, because(ctx, told.err)
		case refusal != nil && ctx.Err() != nil:
			return 0, because(ctx, ctx.Err())
		case refusal != nil:
			return 0, &refused{refusal}
		}
		result = s.redactJSON(result)
		return len(result), nil
	}, func(f *failure) (size int) {
		if f.refusal != nil {
			result, refusal = nil, f.refusal
			return len(refusal.Message)
		}
		data := f.encoded()
		result, refusal = nil, transport.Refused(f.text(), data)
		if code := refusalCode(f.Code, method, p); code != 0 {
			refusal.Code = code
		}
		return len(data)
	})
	return result, refusal
}

// failing receives the error of a prompt, a resource or a completion.
type failing struct{ err error }

type failingKey struct{}

// Fail returns an error of a function that the library calls, and records it for the answer: the library
// forwards only its text.
func Fail(ctx context.Context, err error) error {
	if told, ok := ctx.Value(failingKey{}).(*failing); ok {
		told.err = err
	}
	return err
}

// refusalCode is the JSON-RPC code of an error; 0 = the usual one.
// Source: Model Context Protocol, "Resources", error handling: not found is -32002 before version 2026-07-28.
func refusalCode(kind sdk.Kind, method string, p transport.Params) int {
	switch kind {
	case sdk.KindInternal:
		return mcp.INTERNAL_ERROR
	case sdk.KindInvalid:
		return mcp.INVALID_PARAMS
	case sdk.KindNotFound:
		if method == string(mcp.MethodResourcesRead) && !mcp.IsModernProtocol(p.Parsed().ProtocolVersion()) {
			return mcp.RESOURCE_NOT_FOUND
		}
		return mcp.INVALID_PARAMS
	}
	return 0
}

// refused is a JSON-RPC error as the outcome of a request.
type refused struct{ told *transport.Error }

func (e *refused) Error() string { return e.told.Message }

// kind is the outcome that the history has of it.
func (e *refused) kind() sdk.Kind {
	switch e.told.Code {
	case mcp.INTERNAL_ERROR:
		return sdk.KindInternal
	case mcp.METHOD_NOT_FOUND:
		return sdk.KindUnsupported
	default:
		return sdk.KindInvalid
	}
}

// clean returns the error without secrets.
func (s *Set) clean(e *transport.Error) *transport.Error {
	clean := &transport.Error{Code: e.Code, Message: s.config.Redact(e.Message)}
	if e.Data != nil {
		data, err := json.Marshal(e.Data)
		if err != nil {
			panic("tool: the data of an error is no JSON: " + err.Error())
		}
		clean.Data = s.redactJSON(data)
	}
	return clean
}

// withoutMeta returns the parameters of a request without those of the protocol.
func withoutMeta(params json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil {
		return params
	}
	for _, name := range []string{"_meta", "requestState", "inputResponses"} {
		delete(members, name)
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic("tool: what was JSON is none: " + err.Error())
	}
	return text
}

// serve runs the work of a request that is admitted, and records it. Each of work and
// failed tells the size of the answer; failed is called where work did not run or failed.
func (s *Set) serve(ctx context.Context, q request, work func(context.Context) (size int, err error), failed func(*failure) (size int)) {
	started := time.Now()
	ctx, call, end := s.observe(ctx, q)
	ctx = context.WithValue(ctx, callKey{}, call)
	size, err := s.attempt(ctx, q, work)
	r := Record{Tool: q.name, Outcome: outcomeOK, Bytes: size, Started: started, Call: call}
	if err != nil {
		f := s.failureOf(ctx, q, err)
		r.Bytes, r.Outcome, r.Incident = failed(f), string(f.Code), f.Details.Incident
	}
	r.Elapsed = time.Since(started)
	end(r.Outcome)
	s.finished(ctx, q, r)
}

// callKey leads to the *telemetry.Call of a request.
type callKey struct{}

func callIn(ctx context.Context) *telemetry.Call {
	call, _ := ctx.Value(callKey{}).(*telemetry.Call)
	return call
}

// attempt runs the work of a request within the limits of its client.
func (s *Set) attempt(ctx context.Context, q request, work func(context.Context) (size int, err error)) (size int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{value: p, stack: debug.Stack()}
		}
	}()
	if err := s.config.Admit(ctx, q.name, q.pace); err != nil {
		return 0, err
	}
	who := part(caller.Of(ctx))
	has, taken := s.calls.Take(who)
	if !taken {
		whose := "the client has"
		if has == s.calls.All() {
			whose = "there are"
		}
		return 0, sdk.Errorf(sdk.KindRateLimited, sdk.SourceCaller, "%s %d calls under way already", whose, has).
			WithHint("wait for other calls to finish and call again")
	}
	defer s.calls.Give(who)
	return work(ctx)
}

// finished writes the one log line of a request and tells the audit.
func (s *Set) finished(ctx context.Context, q request, r Record) {
	if log := s.config.Logger; log.Enabled(ctx, slog.LevelInfo) {
		attrs := make([]slog.Attr, 0, 5)
		if who := caller.Of(ctx); who.Named {
			attrs = append(attrs, slog.String("principal", who.Principal))
		}
		message, what := "tool call finished", "tool"
		if q.method != string(mcp.MethodToolsCall) {
			message, what = "request finished", "method"
		}
		log.LogAttrs(ctx, slog.LevelInfo, message, append(attrs, slog.String(what, r.Tool), slog.String("outcome", r.Outcome),
			slog.Int64("duration_ms", r.Elapsed.Milliseconds()), slog.Int("bytes", r.Bytes))...)
	}
	if s.config.Audit == nil {
		return
	}
	r.Arguments = bytes.Clone(s.redactJSON(q.arguments)) // the message it is a part of may be large
	r.Caller = CallerOf(ctx)
	s.config.Audit(context.WithoutCancel(ctx), r)
}
