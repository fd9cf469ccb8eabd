// Package transport carries MCP messages between clients and the protocol
// library: Streamable HTTP and stdio, for both eras of the protocol. It owns
// what the library leaves open: who may connect, how much, for how long, and
// that a call's notifications arrive before its answer and nowhere else.
package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// codeRefused is the JSON-RPC code of what this package refuses by itself.
// Source: JSON-RPC 2.0, section 5.1, the range for servers.
const codeRefused = -32000

// Error is a JSON-RPC error.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// respond renders the error as the answer to a request; a nil id is null.
func (e *Error) respond(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *Error          `json:"error"`
	}{mcp.JSONRPC_VERSION, id, e})
	if err != nil {
		panic("transport: a checked id is no JSON: " + err.Error())
	}
	return text
}

// Check looks at the params of a tools/call before the library does: nil, or
// the error to answer with.
type Check func(ctx context.Context, params json.RawMessage) *Error

// message is the part of a JSON-RPC message that decides what happens to it.
type message struct {
	id       json.RawMessage // nil for a notification and for a response
	method   string          // "" for a response
	params   json.RawMessage
	meta     meta
	response bool
}

// modern reports whether the message is of the stateless era, which its header
// or its body says.
func (m *message) modern(header string) bool {
	return mcp.IsModernProtocol(m.meta.version) || mcp.IsModernProtocol(header)
}

// streams reports whether the request stays open for notifications.
func (m *message) streams() bool { return m.method == string(mcp.MethodSubscriptionsListen) }

// maxInteger is the largest id that every client and the library keep exactly.
const maxInteger = 1 << 53

// parse reads one message. The library would take invalid UTF-8, a null id and
// a fractional id for something else than they are, and answer a batch with a
// parse error.
// Errors: a JSON-RPC error to be answered with the message's id, which is nil when
// there is none to be trusted.
func parse(text []byte) (message, *Error) {
	if !utf8.Valid(text) {
		return message{}, &Error{Code: mcp.PARSE_ERROR, Message: "the message is not valid UTF-8"}
	}
	var raw struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return message{}, &Error{Code: mcp.PARSE_ERROR, Message: "the message is not valid JSON"}
		}
		if bytes.TrimLeft(text, " \t\r\n")[0] == '[' {
			return message{}, invalidRequest("batches are not supported: send each message by itself")
		}
		return message{}, invalidRequest("the message is not a JSON object")
	}
	m := message{id: raw.ID, params: raw.Params}
	if raw.Method == nil {
		m.response = raw.Result != nil || raw.Error != nil
		if !m.response {
			return message{}, invalidRequest("the message has neither a method nor a result")
		}
		m.id = nil
		return m, nil
	}
	if !validID(m.id) {
		return message{}, invalidRequest("id must be a string or an integer between -2^53 and 2^53")
	}
	if json.Unmarshal(raw.Method, &m.method) != nil || m.method == "" {
		return message{id: m.id}, invalidRequest("method is not a string")
	}
	m.meta = readMeta(raw.Params)
	return m, nil
}

func invalidRequest(text string) *Error { return &Error{Code: mcp.INVALID_REQUEST, Message: text} }

func validID(id json.RawMessage) bool {
	if id == nil || id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -maxInteger <= n && n <= maxInteger
}

// meta is what a message of the stateless era says in params._meta.
type meta struct{ version, client string }

func readMeta(params json.RawMessage) meta {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if len(params) == 0 || json.Unmarshal(params, &p) != nil || len(p.Meta) == 0 {
		return meta{}
	}
	var m meta
	var client struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(p.Meta[mcp.MetaKeyProtocolVersion], &m.version) != nil {
		return meta{}
	}
	if json.Unmarshal(p.Meta[mcp.MetaKeyClientInfo], &client) == nil {
		m.client = client.Name
	}
	return m
}

// takesBack reports whether the message takes a request back.
func (m *message) takesBack() bool {
	return m.method == string(mcp.MethodNotificationCancelled) && m.id == nil
}

// takenBack returns the id of the request that a message takes back; nil = it
// names none.
func (m *message) takenBack() json.RawMessage {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.params, &p) != nil {
		return nil
	}
	return p.RequestID
}
