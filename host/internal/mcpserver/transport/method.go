package transport

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// Method answers a request that the library does not know: that of an extension.
// Errors: one of the protocol.
type Method func(ctx context.Context, params json.RawMessage) (result any, refusal *Error)

// resultOf renders a result as the answer to a request.
func resultOf(id json.RawMessage, result any) (json.RawMessage, error) {
	return json.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{mcp.JSONRPC_VERSION, id, result})
}

// checkModern holds a request of the stateless era to what the library asks of
// those it knows. header is nil for a transport that has none.
func checkModern(header http.Header, m message) *Error {
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(m.params, &p) != nil || m.meta.version == "" {
		return &Error{Code: mcp.INVALID_PARAMS, Message: "missing or invalid _meta field " + mcp.MetaKeyProtocolVersion}
	}
	if header != nil && header.Get(mcp.HeaderProtocolVersion) != m.meta.version {
		return &Error{Code: mcp.HEADER_MISMATCH, Message: mcp.HeaderProtocolVersion + " must be " + m.meta.version + ", as " + mcp.MetaKeyProtocolVersion + " says"}
	}
	if !mcp.IsValidProtocolVersion(m.meta.version) {
		e := mcp.UnsupportedProtocolVersionError{Version: m.meta.version, Supported: mcp.ValidProtocolVersions}.JSONRPCError().Error
		return &Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	if p.Meta.ClientCapabilities() == nil {
		return &Error{Code: mcp.INVALID_PARAMS, Message: "missing or invalid _meta field " + mcp.MetaKeyClientCapabilities}
	}
	if header == nil {
		return nil
	}
	if err := mcp.ValidateStandardHeaders(header.Get, m.meta.version, mcp.MCPMethod(m.method), m.params); err != nil {
		return &Error{Code: mcp.HEADER_MISMATCH, Message: err.Error()}
	}
	return nil
}

// own answers a request by a Method.
func (h *HTTP) own(w *response, r *http.Request, m message, modern bool) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		h.refuse(w, r, http.StatusBadRequest, "Content-Type must be application/json")
		return
	}
	text, refusal := runMethod(r.Context(), h.methods[m.method], r.Header, m, modern)
	if refusal != nil {
		h.answer(w, r, callStatus(modern), m.id, refusal)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n')) // a client that is gone needs no answer
}

// runMethod runs a Method and renders its answer.
func runMethod(ctx context.Context, method Method, header http.Header, m message, modern bool) (json.RawMessage, *Error) {
	if modern {
		if refusal := checkModern(header, m); refusal != nil {
			return nil, refusal
		}
	}
	result, refusal := method(ctx, m.params)
	if refusal != nil {
		return nil, refusal
	}
	text, err := resultOf(m.id, result)
	if err != nil {
		panic(errors.Join(errors.New("transport: the result of "+m.method+" is no JSON"), err))
	}
	return text, nil
}
