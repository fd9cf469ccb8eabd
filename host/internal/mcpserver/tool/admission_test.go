package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// admitted runs work as the request of a method, and returns how it ended.
func admitted(t *testing.T, work transport.Work) (result json.RawMessage, refusal *transport.Error, recorded Record, log string) {
	t.Helper()
	var lines bytes.Buffer
	s := New(Config{Logger: slog.New(slog.NewTextHandler(&lines, nil)), Audit: func(_ context.Context, r Record) { recorded = r }})
	result, refusal = s.Admit(t.Context(), "prompts/get", transport.ReadParams(json.RawMessage(`{"name":"x","_meta":{}}`)), work)
	return result, refusal, recorded, lines.String()
}

// A request that takes too long is told so, whatever became of its work.
func TestAdmittedRequestsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		result, refusal, r, _ := admitted(t, func(ctx context.Context) (json.RawMessage, *transport.Error) {
			<-ctx.Done()
			return nil, &transport.Error{Code: mcp.INTERNAL_ERROR, Message: ctx.Err().Error()}
		})
		if result != nil || refusal == nil || !strings.Contains(refusal.Message, "not read within 30s") || !strings.Contains(refusal.Message, "loam doctor") || r.Outcome != "timeout" || r.Elapsed != readDeadline {
			t.Errorf("%s, %+v, recorded as %+v", result, refusal, r)
		}
	})
}

// What went wrong inside is in the log alone, under the incident that the client is told.
func TestFaultsOfAdmittedRequestsAreIncidents(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]transport.Work{
		"a panic": func(context.Context) (json.RawMessage, *transport.Error) { panic("inner workings") },
		"an internal error": func(context.Context) (json.RawMessage, *transport.Error) {
			return nil, &transport.Error{Code: mcp.INTERNAL_ERROR, Message: "inner workings"}
		},
	} {
		result, refusal, r, log := admitted(t, work)
		if result != nil || refusal == nil || refusal.Code != mcp.INTERNAL_ERROR || strings.Contains(refusal.Message, "inner") || r.Incident == "" ||
			!strings.Contains(refusal.Message, r.Incident) || r.Outcome != "internal" || !strings.Contains(log, "inner workings") || !strings.Contains(log, r.Incident) {
			t.Errorf("%s: %s, %+v, recorded as %+v, log %s", name, result, refusal, r, log)
		}
	}
}

// The log names a request by its method, and a call by its tool.
func TestFinishedRequestsInTheLog(t *testing.T) {
	t.Parallel()
	_, _, _, log := admitted(t, func(context.Context) (json.RawMessage, *transport.Error) { return nil, nil })
	if !strings.Contains(log, `msg="request finished" method=prompts/get outcome=ok`) {
		t.Error(log)
	}
	r := newRig(t, greet(hello))
	r.call(t, t.Context(), `{"personName":"Ada"}`)
	if line := r.log.String(); !strings.Contains(line, `"msg":"tool call finished","tool":"greet"`) {
		t.Error(line)
	}
}

// The record of a request has the caller's parameters, and not those of the protocol.
func TestWithoutMeta(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		`{"uri":"loam://x","_meta":{"token":1},"requestState":"s","inputResponses":[]}`: `{"uri":"loam://x"}`,
		`{"uri":"loam://x"}`: `{"uri":"loam://x"}`,
		`["_meta"]`:          `["_meta"]`,
		``:                   ``,
	} {
		if got := withoutMeta(json.RawMessage(params)); string(got) != want {
			t.Errorf("%s: %s, want %s", params, got, want)
		}
	}
}
