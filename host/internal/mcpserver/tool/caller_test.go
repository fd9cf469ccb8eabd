package tool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// traced notes what its one span was begun and ended with.
type traced struct {
	begun, parent, ended string
	attrs                map[string]string
}

func (s *traced) Start(ctx context.Context, name string, _ telemetry.Kind, parent string, attrs []telemetry.Attr) (context.Context, telemetry.Span) {
	s.begun, s.parent, s.attrs = name, parent, map[string]string{}
	for _, a := range attrs {
		s.attrs[a.Key] = fmt.Sprint(a.Value())
	}
	return ctx, s
}

func (*traced) Set(...telemetry.Attr) {}
func (s *traced) End(failure string)  { s.ended = "ended " + failure }

// A call is known by one id: in its record, in every line that is logged for it
// and in its span, which is inside the client's.
func TestCallIsObserved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, ended string
		fail        error
	}{
		{"good", "ended ", nil},
		{"refused", "ended not_found", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no such person")},
		{"broken", "ended internal", errors.New("the sky fell")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, greet(func(ctx context.Context, in greetIn) (greetOut, error) {
				telemetry.Uses(ctx, "shop")
				telemetry.Delivered(ctx, 7)
				r, _ := hello(ctx, in)
				return r, tt.fail
			}))
			span := &traced{}
			r.config.Tracer = span
			r.config.Logger = slog.New(telemetry.LogHandler(r.config.Logger.Handler()))
			var req mcp.CallToolRequest
			req.Params.Name, req.Params.RawArguments = "greet", []byte(`{"personName":"Ada"}`)
			req.Params.Meta = &mcp.Meta{AdditionalFields: map[string]any{"traceparent": "00-x-y-01"}}
			if _, err := r.handler(r.tools["greet"])(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			call := r.records[0].Call
			if rows, ok := call.Rows(); rows != 7 || !ok || call.Connection() != "shop" {
				t.Errorf("%d rows, %v, of %q", rows, ok, call.Connection())
			}
			lines := strings.Split(strings.TrimSpace(r.log.String()), "\n")
			for _, line := range lines {
				if !strings.Contains(line, `"request_id":"`+call.ID()+`"`) {
					t.Errorf("a line without the id: %s", line)
				}
			}
			if span.begun != "tools/call greet" || span.parent != "00-x-y-01" || span.ended != tt.ended {
				t.Errorf("span %+v", span)
			}
			want := map[string]string{
				"mcp.method.name": "tools/call", "gen_ai.tool.name": "greet", "gen_ai.operation.name": "execute_tool", "network.transport": "pipe",
				"mcp.protocol.version": span.attrs["mcp.protocol.version"], "loam.session": "", "loam.request_id": call.ID(),
			}
			if diff := cmp.Diff(want, span.attrs); diff != "" {
				t.Errorf("attributes (-want +got):\n%s", diff)
			}
		})
	}
}

// A client names itself in each request of the protocol without sessions, or not
// at all.
func TestClientOfARequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		info *server.RequestProtocolInfo
		want caller.Record
	}{
		{nil, caller.Record{Transport: "stdio", Principal: "none"}},
		{&server.RequestProtocolInfo{}, caller.Record{Transport: "stdio", Principal: "none"}},
		{
			&server.RequestProtocolInfo{ClientInfo: &mcp.Implementation{Name: "chat", Version: "2"}},
			caller.Record{Transport: "stdio", Principal: "none", Client: "chat", Version: "2"},
		},
	} {
		got := CallerOf(server.WithRequestProtocolInfo(t.Context(), tt.info))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.info, diff)
		}
	}
}
