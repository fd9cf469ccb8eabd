// Package conformance has the fixtures that the official conformance suite of the
// protocol calls by name: tools, prompts and resources that each use one feature
// of a server. They are in a hidden toolset of the released program, so that the
// suite tests that program.
//
// Source of names and contents: @modelcontextprotocol/conformance, the server
// scenarios.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// Toolset is the name by which the fixtures are switched on.
const Toolset = "conformance"

// deadline bounds a call, in which a client may have to answer.
const deadline = 20 * time.Second

// Options are what the library needs to know of the fixtures.
func Options() []server.ServerOption {
	return []server.ServerOption{server.WithLogging(), server.WithCompletions()}
}

// Register adds the tools to a set.
func Register(set *tool.Set) error {
	var errs []error
	for _, f := range slices.Concat(contentTools(), notifyingTools(), askingTools(), roundTripTools()) {
		schema := f.input
		if schema == "" {
			schema = noInput
		}
		yes, no := true, false
		errs = append(errs, tool.RegisterNative(set, tool.Native{
			Tool: mcp.Tool{
				Name: f.name, Title: "Conformance fixture", Description: f.description, RawInputSchema: json.RawMessage(schema),
				Annotations: mcp.ToolAnnotation{ReadOnlyHint: &yes, IdempotentHint: &yes, OpenWorldHint: &no},
			},
			Toolset: Toolset, Needs: f.needs, Deadline: deadline, Handle: f.handle,
		}))
	}
	return errors.Join(errs...)
}

// fixture is one tool.
type fixture struct {
	name, description string
	input             string // JSON Schema, "" = no arguments
	needs             []tool.Capability
	handle            func(context.Context, *tool.Call) (*mcp.CallToolResult, error)
}

const noInput = `{"type":"object","additionalProperties":false}`

// answers is a tool that always answers the same.
func answers(content ...mcp.Content) func(context.Context, *tool.Call) (*mcp.CallToolResult, error) {
	return func(context.Context, *tool.Call) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(s)}}
}

// pause waits before every notification of a call but the first, so that a client
// gets them one by one.
func pause(ctx context.Context, sent int) error {
	if sent == 0 {
		return nil
	}
	timer := time.NewTimer(50 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// severity orders the levels of log messages.
var severity = map[mcp.LoggingLevel]int{
	mcp.LoggingLevelDebug: 0, mcp.LoggingLevelInfo: 1, mcp.LoggingLevelNotice: 2, mcp.LoggingLevelWarning: 3,
	mcp.LoggingLevelError: 4, mcp.LoggingLevelCritical: 5, mcp.LoggingLevelAlert: 6, mcp.LoggingLevelEmergency: 7,
}

// log sends a log message to a client that asked for its level.
func log(ctx context.Context, level mcp.LoggingLevel, message string) error {
	var asked mcp.LoggingLevel
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		asked = info.LogLevel
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithLogging); ok {
		asked = session.GetLogLevel()
	}
	if least, ok := severity[asked]; !ok || severity[level] < least {
		return nil
	}
	return transport.Notify(ctx, "notifications/message", map[string]any{"level": level, "logger": Toolset, "data": message})
}
