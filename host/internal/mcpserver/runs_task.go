package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// tasksExtension is the extension by which a client of the stateless era gets a task for a call that begins long work. A
// task is the row of a run, its id the run's: every host on the store serves it, also after a restart.
// Source: modelcontextprotocol/modelcontextprotocol, seps/2663-tasks-extension.md.
const tasksExtension = "io.modelcontextprotocol/tasks"

// triggers are the tools whose answer can be a task.
var triggers = []string{"scan_trigger", "ingest_trigger", "ingest_replay"}

// task is a run as a task.
type task struct {
	ResultType    string         `json:"resultType"`
	ID            string         `json:"taskId"`
	Status        mcp.TaskStatus `json:"status"`
	Message       string         `json:"statusMessage,omitempty"`
	CreatedAt     time.Time      `json:"createdAt"`
	LastUpdatedAt time.Time      `json:"lastUpdatedAt"`
	TTL           *int64         `json:"ttlMs"` // nil = it is kept
	PollInterval  *int64         `json:"pollIntervalMs,omitempty"`
	// Result and Error are those of a task that has ended, in the answer of tasks/get.
	Result *taskResult      `json:"result,omitempty"`
	Error  *transport.Error `json:"error,omitempty"`
	Meta   map[string]any   `json:"_meta"`
}

// taskResult is the answer of the call that began the task, as it would have been at the end.
type taskResult struct {
	Content    []mcp.TextContent `json:"content"`
	Structured json.RawMessage   `json:"structuredContent"`
}

var taskStates = map[run.State]mcp.TaskStatus{
	run.Queued: mcp.TaskStatusWorking, run.Running: mcp.TaskStatusWorking,
	run.Done: mcp.TaskStatusCompleted, run.Failed: mcp.TaskStatusFailed, run.Canceled: mcp.TaskStatusCancelled,
}

// taskOf returns a run as a task, without its result.
func (c Config) taskOf(s job.Status, resultType string) task {
	t := task{
		ResultType: resultType, ID: s.RunID, Status: taskStates[s.Status], Message: s.Stage, CreatedAt: s.QueuedAt, LastUpdatedAt: time.Now().UTC(),
		PollInterval: s.PollAfterMs, Meta: map[string]any{mcp.MetaKeyServerInfo: c.implementation()},
	}
	if s.Kind != run.Ingest {
		kept := run.Keep.Milliseconds()
		t.TTL = &kept
	}
	if s.FinishedAt != nil {
		t.LastUpdatedAt = *s.FinishedAt
	}
	if s.Error != nil {
		t.Message = s.Error.Message
	}
	return t
}

// began returns the task with which a call is answered that began long work; nil = it began none, or its client does not
// declare the extension. A run that ended while the call waited is answered as a result.
func (c Config) began(meta *mcp.Meta, name string, answer json.RawMessage) any {
	var s job.Status
	if !slices.Contains(triggers, name) || !declaresTasks(meta) || json.Unmarshal(answer, &s) != nil || s.Status.Ended() {
		return nil
	}
	return c.taskOf(s, "task")
}

// offerTasks adds the extension to what a client of the stateless era discovers.
func offerTasks(tools *tool.Set) server.OnAfterDiscoverFunc {
	return func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		if beginsWork(ctx, tools) {
			extensions := maps.Clone(result.Capabilities.Extensions) // all answers share it
			extensions[tasksExtension] = struct{}{}
			result.Capabilities.Extensions = extensions
		}
	}
}

// beginsWork reports whether the caller of ctx may call a tool that begins long work.
func beginsWork(ctx context.Context, tools *tool.Set) bool {
	return slices.ContainsFunc(triggers, func(trigger string) bool { return tools.Available(ctx, trigger) })
}

// taskMethods are the methods of the extension.
func (c Config) taskMethods(tools *tool.Set) map[string]transport.Method {
	of := func(name string, answer func(ctx context.Context, s job.Status) (any, error)) transport.Method {
		return func(ctx context.Context, params json.RawMessage) (any, *transport.Error) {
			if !beginsWork(ctx, tools) {
				return nil, &transport.Error{Code: mcp.METHOD_NOT_FOUND, Message: name + ": no tool that begins long work is switched on"}
			}
			if refusal := declares(name, params); refusal != nil {
				return nil, refusal
			}
			var p struct {
				ID string `json:"taskId"`
			}
			if err := paramsOf(params, &p); err != nil || p.ID == "" {
				return nil, &transport.Error{Code: mcp.INVALID_PARAMS, Message: name + ": taskId is missing"}
			}
			s, err := c.Jobs.Report(ctx, job.Follow{RunID: p.ID})
			var result any
			if err == nil {
				result, err = answer(ctx, s)
			}
			if err != nil {
				return nil, c.taskRefusal(name, err)
			}
			return result, nil
		}
	}
	done := struct {
		ResultType string         `json:"resultType"`
		Meta       map[string]any `json:"_meta"`
	}{string(mcp.ResultTypeComplete), map[string]any{mcp.MetaKeyServerInfo: c.implementation()}}
	return map[string]transport.Method{
		"tasks/get": of("tasks/get", func(_ context.Context, s job.Status) (any, error) { return c.ended(s) }),
		// A task asks nothing: answers to it have nothing to go to.
		"tasks/update": of("tasks/update", func(context.Context, job.Status) (any, error) { return done, nil }),
		"tasks/cancel": of("tasks/cancel", func(ctx context.Context, s job.Status) (any, error) {
			if s.Status.Ended() {
				return done, nil
			}
			_, err := c.Jobs.Cancel(ctx, s.RunID)
			if kind := sdk.KindOf(err); kind == sdk.KindConflict || kind == sdk.KindTimeout { // it ended itself, or ends later: tasks/get says so
				err = nil
			}
			return done, err
		}),
	}
}

// ended is a task with its result or error.
func (c Config) ended(s job.Status) (any, error) {
	t := c.taskOf(s, string(mcp.ResultTypeComplete))
	switch t.Status {
	case mcp.TaskStatusFailed:
		t.Error = &transport.Error{Code: mcp.INTERNAL_ERROR, Message: t.Message}
		if s.Error != nil {
			t.Error.Data = map[string]any{"code": s.Error.Code}
		}
	case mcp.TaskStatusCompleted:
		text, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		t.Result = &taskResult{Content: []mcp.TextContent{mcp.NewTextContent(string(text))}, Structured: text}
	}
	return t, nil
}

// declares refuses a request that does not declare the extension: no other client has tasks.
func declares(name string, params json.RawMessage) *transport.Error {
	p := transport.ReadParams(params)
	if !mcp.IsModernProtocol(p.Parsed().ProtocolVersion()) {
		return &transport.Error{Code: mcp.METHOD_NOT_FOUND, Message: name + ": only the stateless protocol has tasks; call scan_status or ingest_status"}
	}
	if !declaresTasks(p.Parsed()) {
		return &transport.Error{
			Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, Message: name + ": the request does not declare the extension " + tasksExtension,
			Data: map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{tasksExtension: struct{}{}}}},
		}
	}
	return nil
}

func declaresTasks(meta *mcp.Meta) bool {
	capabilities := meta.ClientCapabilities()
	if capabilities == nil {
		return false
	}
	_, declared := capabilities.Extensions[tasksExtension]
	return declared
}

// taskRefusal is an error as one of the protocol.
func (c Config) taskRefusal(name string, err error) *transport.Error {
	e, known := errors.AsType[*sdk.Error](err)
	if !known || e.Kind == sdk.KindInternal {
		c.Logger.Error("a task was not served", "method", name, "error", err)
		return &transport.Error{Code: mcp.INTERNAL_ERROR, Message: name + ": it failed; the log has the place"}
	}
	code := mcp.INVALID_PARAMS
	if e.Kind != sdk.KindNotFound && e.Kind != sdk.KindInvalid {
		code = mcp.INTERNAL_ERROR
	}
	return &transport.Error{Code: code, Message: name + ": " + e.Msg, Data: map[string]any{"code": e.Kind, "hint": e.Hint}}
}
