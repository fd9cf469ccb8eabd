package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/sdk"
)

// handler is what the library calls. It never returns an error: the library
// would answer it with -32603.
func (s *Set) handler(e *entry) server.ToolHandlerFunc {
	r := request{method: string(mcp.MethodToolsCall), name: e.tool.Name, example: e.example, pace: e.pace}
	return func(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		r := r
		r.meta, r.arguments = req.Params.Meta, req.Params.RawArguments
		s.serve(ctx, r, func(ctx context.Context) (size int, err error) {
			if why := s.off(caller.Of(ctx), e); why != "" { // Check has refused it; a transport without it would not have
				return 0, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "tool %q is switched off: %s", e.tool.Name, why)
			}
			ctx, done := withReporter(ctx, req.Params.Meta)
			defer done()
			if result, err = e.serve(ctx, req); err != nil {
				return 0, err
			}
			return len(result.RawStructuredContent), nil
		}, func(f *failure) (size int) {
			if result == nil { // or it is a question
				result = f.result()
			}
			return len(result.RawStructuredContent)
		})
		return result, nil
	}
}

// part is who has a part of the calls: a token of its own, a client; "" = who is
// alone.
func part(c *caller.Caller) string {
	switch {
	case !c.Shared():
		return ""
	case c.Named:
		return c.Principal
	default:
		return c.Client
	}
}

// argumentsOf returns the arguments of a call; none are an empty object.
func argumentsOf(req mcp.CallToolRequest) json.RawMessage {
	if raw := req.Params.RawArguments; len(raw) > 0 && string(raw) != "null" {
		return raw
	}
	return json.RawMessage("{}")
}

// run is the typed middle of a call. It returns the answer as JSON and as text.
func run[In, Out any](ctx context.Context, d Definition[In, Out], raw json.RawMessage) (structured []byte, text string, err error) {
	in, err := d.Read(raw)
	if err != nil {
		return nil, "", err
	}
	if d.Deadline != OfConnection {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d.Deadline, overdue(d.Deadline))
		defer cancel()
	}
	if ctx.Err() != nil {
		return nil, "", because(ctx, ctx.Err())
	}
	out, err := d.Handle(ctx, in)
	if err != nil {
		return nil, "", because(ctx, err)
	}
	if structured, err = encode(out); err != nil {
		return nil, "", err
	}
	if short, ok := any(out).(Texter); ok {
		return structured, short.Text(), nil
	}
	return structured, string(structured), nil
}

// bind checks arguments against a schema and reads them.
// Errors: *invalidArguments; any other one is a fault of the program.
func bind[In any](s *schema, raw json.RawMessage) (in In, err error) {
	args, problems, err := s.arguments(raw)
	if err != nil {
		return in, err
	}
	if len(problems) > 0 {
		return in, &invalidArguments{problems: problems}
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return in, fmt.Errorf("arguments that fit the schema do not fit %T: %w", in, err)
	}
	return in, nil
}

func overdue(limit time.Duration) error {
	err := sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "the call took longer than %v", limit).
		WithHint("ask for less, or raise the connection's limits.timeout")
	err.Retry = true
	return err
}

// because returns why ctx ended in place of an error that only says that it did.
func because(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	switch sdk.AsError(err, sdk.SourceHost).Kind {
	case sdk.KindCanceled, sdk.KindTimeout:
	default:
		return err
	}
	if cause, ok := errors.AsType[*sdk.Error](context.Cause(ctx)); ok {
		return cause
	}
	return err
}

// encode renders an answer; < and > stay readable in the text that clients show.
func encode(out any) ([]byte, error) {
	switch text := out.(type) {
	case Encoded:
		return text, nil
	case Written:
		return text.JSON, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
