package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
)

// Method answers a request of an extension, which the library does not know.
// Errors: those of the protocol.
type Method func(ctx context.Context, params json.RawMessage) (result any, refusal *Error)

// Admit decides on a request other than a tools/call that answers with what the server
// has. It runs the work of one that is admitted, and returns what is answered.
type Admit func(ctx context.Context, method string, p Params, work Work) (result json.RawMessage, refusal *Error)

// Work answers an admitted request.
type Work func(context.Context) (result json.RawMessage, refusal *Error)

// read are the methods of the library that answer with what the server has. The others
// negotiate, list what there is, or notify.
var read = map[string]bool{
	string(mcp.MethodPromptsGet): true, string(mcp.MethodResourcesRead): true, string(mcp.MethodCompletionComplete): true,
}

// checkModern checks a request of the stateless era as the library checks those of the
// methods that it knows. header is nil for a transport that has none.
func checkModern(header http.Header, m message) *Error {
	version := m.params.meta.ProtocolVersion()
	switch {
	case header.Get(mcp.HeaderLastEventID) != "":
		return &Error{Code: mcp.HEADER_MISMATCH, Message: mcp.HeaderLastEventID + " is not supported: streams are not resumable, send the request again"}
	case version == "":
		return &Error{Code: mcp.INVALID_PARAMS, Message: "missing or invalid _meta field " + mcp.MetaKeyProtocolVersion}
	case header != nil && header.Get(mcp.HeaderProtocolVersion) != version:
		return &Error{Code: mcp.HEADER_MISMATCH, Message: mcp.HeaderProtocolVersion + " must be " + version + ", as " + mcp.MetaKeyProtocolVersion + " says"}
	case !mcp.IsValidProtocolVersion(version):
		e := mcp.UnsupportedProtocolVersionError{Version: version, Supported: mcp.ValidProtocolVersions}.JSONRPCError().Error
		return &Error{Code: e.Code, Message: e.Message, Data: e.Data}
	case m.params.meta.ClientCapabilities() == nil:
		return &Error{Code: mcp.INVALID_PARAMS, Message: "missing or invalid _meta field " + mcp.MetaKeyClientCapabilities}
	case header == nil:
		return nil
	}
	if err := mcp.ValidateStandardHeaders(header.Get, version, mcp.MCPMethod(m.method), m.params.Text); err != nil {
		return &Error{Code: mcp.HEADER_MISMATCH, Message: err.Error()}
	}
	return nil
}

// own answers an admitted request: run is who runs a tools/call, nil for another method.
func (h *HTTP) own(w *response, r *http.Request, m message, modern bool, run server.ToolHandlerFunc) {
	ctx, ended := untilTakenBack(r.Context())
	defer ended()
	text, refusal := h.answers.of(ctx, r.Header, m, modern, run)
	if refusal != nil {
		h.answer(w, r, callStatus(modern, refusal.Code), m.id, refusal)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK) // or the last event, behind those that were emitted
	_, _ = w.Write(text)         // a client that is gone needs no answer
}

// answers are those of requests that are admitted.
type answers struct {
	library *server.MCPServer
	methods map[string]Method
	admit   Admit
	self    json.RawMessage // what the server says of itself
	task    func(meta *mcp.Meta, tool string, answer json.RawMessage) any
}

// given reports whether a request that is no tools/call is answered here.
func (a answers) given(m message) bool {
	return m.id != nil && (read[m.method] || a.methods[m.method] != nil)
}

// of answers a request, with a line of its own. header is nil for a transport that has
// none.
func (a answers) of(ctx context.Context, header http.Header, m message, modern bool, run server.ToolHandlerFunc) ([]byte, *Error) {
	if string(m.version) != `"`+mcp.JSONRPC_VERSION+`"` {
		return nil, invalidRequest("jsonrpc must be " + mcp.JSONRPC_VERSION)
	}
	if modern {
		if refusal := checkModern(header, m); refusal != nil {
			return nil, refusal
		}
	}
	if run != nil {
		return a.call(ctx, m, modern, run), nil
	}
	result, refusal := a.admit(ctx, m.method, m.params, func(ctx context.Context) (json.RawMessage, *Error) { return a.work(ctx, m) })
	if refusal != nil {
		return nil, refusal
	}
	return append(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), m.id, []byte(`,"result":`), result), "}\n"...), nil
}

// work answers an admitted request.
func (a answers) work(ctx context.Context, m message) (json.RawMessage, *Error) {
	if method := a.methods[m.method]; method != nil {
		result, refusal := method(ctx, m.params.Text)
		if refusal != nil {
			return nil, refusal
		}
		return encoded(m.method, result), nil
	}
	switch answer := a.library.HandleMessage(ctx, m.text).(type) {
	case mcp.JSONRPCResponse:
		return encoded(m.method, answer.Result), nil
	case mcp.JSONRPCError:
		return nil, &Error{Code: answer.Error.Code, Message: answer.Error.Message, Data: answer.Error.Data}
	default:
		panic(fmt.Sprintf("transport: the library answers %s with a %T", m.method, answer))
	}
}

func encoded(method string, result any) json.RawMessage {
	text, err := json.Marshal(result)
	if err != nil {
		panic(errors.Join(errors.New("transport: the result of "+method+" is no JSON"), err))
	}
	return text
}

// call answers a tools/call. Its answer is written once, into one buffer.
func (a answers) call(ctx context.Context, m message, modern bool, run server.ToolHandlerFunc) []byte {
	if modern {
		ctx = server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{
			Modern: true, ProtocolVersion: m.params.meta.ProtocolVersion(), ClientInfo: m.params.meta.ClientInfo(),
			ClientCapabilities: m.params.meta.ClientCapabilities(),
		})
	}
	result, err := run(ctx, m.params.call(modern))
	if err != nil {
		panic("transport: a tool fails outside of its answer: " + err.Error())
	}
	if result.NeedsInput() {
		return a.question(m, result)
	}
	if modern && !result.IsError && a.task != nil {
		if task := a.task(m.params.meta, Text(m.params.Name), result.RawStructuredContent); task != nil {
			return append(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), m.id, []byte(`,"result":`), encoded(m.method, task)), "}\n"...)
		}
	}
	shown, _ := result.Content[0].(mcp.TextContent)
	structured := result.RawStructuredContent
	text := structured
	if shown.Text != string(structured) {
		text = []byte(shown.Text)
	}
	b := make([]byte, 0, len(m.id)+len(a.self)+len(text)*5/4+len(structured)+256)
	b = append(append(append(b, `{"jsonrpc":"2.0","id":`...), m.id...), `,"result":{"content":[{"type":"text","text":`...)
	b, _ = sdk.AppendJSONText(b, text)
	b = append(append(b, `}],"structuredContent":`...), structured...)
	if result.IsError {
		b = append(b, `,"isError":true`...)
	}
	if modern {
		b = append(append(append(b, `,"resultType":"complete","_meta":{"`+mcp.MetaKeyServerInfo+`":`...), a.self...), '}')
	}
	return append(b, "}}\n"...)
}

// call returns the request of a tools/call. Answers to questions belong to the stateless era.
func (p *Params) call(modern bool) (request mcp.CallToolRequest) {
	request.Params.RawArguments, request.Params.Meta = p.Arguments, p.meta // who runs it knows its name
	if modern && len(p.State)+len(p.Responses) > 0 {
		request.Params.RequestState = Text(p.State)
		if json.Unmarshal(p.Responses, &request.Params.InputResponses) != nil {
			request.Params.InputResponses = nil // Check has read them; a transport without it would not have
		}
	}
	return request
}

// question answers a tools/call of the stateless era with what the client is asked.
func (a answers) question(m message, result *mcp.CallToolResult) []byte {
	text := encoded(m.method, result)
	meta := slices.Concat([]byte(`,"_meta":{"`+mcp.MetaKeyServerInfo+`":`), a.self, []byte(`}}`))
	return append(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), m.id, []byte(`,"result":`), text[:len(text)-1], meta), "}\n"...)
}
