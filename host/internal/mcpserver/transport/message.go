// Package transport carries MCP messages between clients and the protocol library:
// Streamable HTTP and stdio, for both eras of the protocol. It adds what the
// library lacks: access control, limits of size, rate and time, and the order of
// messages: a call's notifications arrive before its answer, and only at its
// client.
package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// codeRefused is the JSON-RPC code of what is not served now.
// Source: JSON-RPC 2.0, section 5.1, the range for servers.
const codeRefused = -32000

// Error is a JSON-RPC error.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Refused is the error of a request that is not served now.
func Refused(message string, data any) *Error {
	return &Error{Code: codeRefused, Message: message, Data: data}
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

// Check decides on a tools/call before it runs: it returns the function that runs
// it, nil = the library, or the error to answer with.
type Check func(ctx context.Context, p Params) (run server.ToolHandlerFunc, refusal *Error)

// message is the part of a JSON-RPC message that decides what happens to it.
type message struct {
	version  json.RawMessage // of JSON-RPC
	id       json.RawMessage // nil for a notification and for a response
	method   string          // "" for a response
	params   Params
	response bool
	reply    clientReply // of a response
	text     []byte      // all of it
}

// Params are the parameters of a request, split once into the members that the
// transport uses. A missing member is nil.
type Params struct {
	Text                                          json.RawMessage // all of them
	Name, Arguments, Meta, State, Responses, Task json.RawMessage
	taken                                         json.RawMessage // the id of a request that is taken back
	clientInfo, capabilities                      json.RawMessage // of initialize

	meta *mcp.Meta // nil = none that can be read
}

// Readable reports whether Meta is empty or could be parsed.
func (p *Params) Readable() bool { return p.meta != nil || len(p.Meta) == 0 || p.Meta[0] == 'n' }

// Parsed returns Meta, nil where there is none that can be read.
func (p *Params) Parsed() *mcp.Meta { return p.meta }

// modern reports whether the message is of the stateless era, which its header
// or its body says.
func (m *message) modern(header string) bool {
	return mcp.IsModernProtocol(m.params.meta.ProtocolVersion()) || mcp.IsModernProtocol(header)
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
	if !json.Valid(text) {
		return message{}, &Error{Code: mcp.PARSE_ERROR, Message: "the message is not valid JSON"}
	}
	switch bytes.TrimLeft(text, " \t\r\n")[0] {
	case '{':
	case '[':
		return message{}, invalidRequest("batches are not supported: send each message by itself")
	default:
		return message{}, invalidRequest("the message is not a JSON object")
	}
	m := message{text: text}
	var method, result, failure json.RawMessage
	members(text, func(name, value []byte) {
		switch string(name) {
		case "jsonrpc":
			m.version = value
		case "id":
			m.id = value
		case "method":
			method = value
		case "params":
			m.params.Text = value
		case "result":
			result = value
		case "error":
			failure = value
		}
	})
	if method == nil {
		m.response = result != nil || failure != nil
		if !m.response {
			return message{}, invalidRequest("the message has neither a method nor a result")
		}
		m.reply = clientReply{m.id, result, failure}
		m.id = nil
		return m, nil
	}
	if !validID(m.id) {
		return message{}, invalidRequest("id must be a string or an integer between -2^53 and 2^53")
	}
	if m.method = Text(method); m.method == "" {
		return message{id: m.id}, invalidRequest("method is not a string")
	}
	m.params = ReadParams(m.params.Text)
	return m, nil
}

// ReadParams reads params, which are valid JSON or nothing.
func ReadParams(text json.RawMessage) Params {
	p := Params{Text: text}
	if len(text) == 0 || text[0] != '{' {
		return p
	}
	members(p.Text, func(name, value []byte) {
		switch string(name) {
		case "name":
			p.Name = value
		case "arguments":
			p.Arguments = value
		case "_meta":
			p.Meta = value
		case "requestState":
			p.State = value
		case "inputResponses":
			p.Responses = value
		case "task":
			p.Task = value
		case "requestId":
			p.taken = value
		case "clientInfo":
			p.clientInfo = value
		case "capabilities":
			p.capabilities = value
		}
	})
	if len(p.Meta) > 0 && p.Meta[0] == '{' {
		var meta mcp.Meta
		if json.Unmarshal(p.Meta, &meta) == nil {
			p.meta = &meta
		}
	}
	return p
}

func invalidRequest(text string) *Error { return &Error{Code: mcp.INVALID_REQUEST, Message: text} }

func validID(id json.RawMessage) bool {
	if id == nil || id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -maxInteger <= n && n <= maxInteger
}

// takesBack reports whether the message takes a request back.
func (m *message) takesBack() bool {
	return m.method == string(mcp.MethodNotificationCancelled) && m.id == nil
}
