package transport

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		method     string
		code       int // of the refusal; 0 = none
		response   bool
	}{
		{"request", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, "tools/list", 0, false},
		{"text id", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, "ping", 0, false},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notifications/initialized", 0, false},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, "", 0, true},
		{"null response", `{"jsonrpc":"2.0","id":1,"result":null}`, "", 0, true},
		{"largest id", `{"id":9007199254740992,"method":"ping"}`, "ping", 0, false},
		{"too large an id", `{"id":9007199254740993,"method":"ping"}`, "", mcp.INVALID_REQUEST, false},
		{"null id", `{"id":null,"method":"ping"}`, "", mcp.INVALID_REQUEST, false},
		{"fractional id", `{"id":1.5,"method":"ping"}`, "", mcp.INVALID_REQUEST, false},
		{"exponent id", `{"id":1e3,"method":"ping"}`, "", mcp.INVALID_REQUEST, false},
		{"object id", `{"id":{},"method":"ping"}`, "", mcp.INVALID_REQUEST, false},
		{"boolean id", `{"id":true,"method":"ping"}`, "", mcp.INVALID_REQUEST, false},
		{"method of a wrong type", `{"id":1,"method":3}`, "", mcp.INVALID_REQUEST, false},
		{"empty method", `{"id":1,"method":""}`, "", mcp.INVALID_REQUEST, false},
		{"neither method nor result", `{"id":1}`, "", mcp.INVALID_REQUEST, false},
		{"batch", `[{"id":1,"method":"ping"}]`, "", mcp.INVALID_REQUEST, false},
		{"text", `"hello"`, "", mcp.INVALID_REQUEST, false},
		{"null", `null`, "", mcp.INVALID_REQUEST, false},
		{"nothing", ``, "", mcp.PARSE_ERROR, false},
		{"cut off", `{"id":1`, "", mcp.PARSE_ERROR, false},
		{"two messages", `{"id":1,"method":"ping"} {}`, "", mcp.PARSE_ERROR, false},
		{"invalid UTF-8", "{\"id\":1,\"method\":\"ping\xff\"}", "", mcp.PARSE_ERROR, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, refusal := parse([]byte(tt.text))
			code := 0
			if refusal != nil {
				code = refusal.Code
			}
			if m.method != tt.method || code != tt.code || m.response != tt.response {
				t.Errorf("parse: method %q, code %d, response %v; want %q, %d, %v", m.method, code, m.response, tt.method, tt.code, tt.response)
			}
		})
	}
}

func TestParseEra(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, header string
		modern             bool
	}{
		{"neither", `{"id":1,"method":"ping"}`, "", false},
		{"legacy header", `{"id":1,"method":"ping"}`, "2025-11-25", false},
		{"modern header", `{"id":1,"method":"ping"}`, "2026-07-28", true},
		{"modern body", `{"id":1,"method":"ping","params":{"_meta":{` + modernMeta + `}}}`, "", true},
		{"meta of a wrong type", `{"id":1,"method":"ping","params":{"_meta":[]}}`, "", false},
		{"version of a wrong type", `{"id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":3}}}`, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, refusal := parse([]byte(tt.text))
			if refusal != nil {
				t.Fatal(refusal.Message)
			}
			if got := m.modern(tt.header); got != tt.modern {
				t.Errorf("modern = %v, want %v", got, tt.modern)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(` {"id":"x","method":"y","params":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, refusal := parse(text)
		if refusal == nil && m.method == "" && !m.response {
			t.Errorf("accepted a message that is neither request, notification nor response: %q", text)
		}
		if refusal != nil && len(refusal.respond(m.id)) == 0 {
			t.Error("a refusal without a text")
		}
	})
}
