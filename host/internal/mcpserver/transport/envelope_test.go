package transport

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"first", `{"id":7,"method":"m","params":{}}`, "7"},
		{"last", `{"method":"m","params":{"id":1,"a":[{"id":2}]},"id":"x"}`, `"x"`},
		{"spaces", " { \"id\" :\t-3 , \"method\" : \"m\" }", "-3"},
		{"in a text", `{"id":7,"method":"m","x":"\",\"id\":9,\"y\":\""}`, "7"},
		{"written twice", `{"id":7,"id":8,"method":"m"}`, "8"},
		{"escapes", `{"id":"a\"b\\","method":"m"}`, `"a\"b\\"`},
		{"null", `{"id":null,"method":"m"}`, ""},
		{"an object", `{"id":{"id":4},"method":"m"}`, ""},
		{"too large a number", `{"id":9007199254740993,"method":"m"}`, ""},
		{"too long a text", `{"id":"` + strings.Repeat("x", maxEnvelopeText) + `","method":"m"}`, ""},
		{"notification", `{"method":"m","params":{"id":1}}`, ""},
		{"response", `{"id":7,"result":{"method":"m"}}`, ""},
		{"batch", `[{"id":7,"method":"m"}]`, ""},
		{"two messages", `{"id":7,"method":"m"},{"id":8,"method":"m"}`, ""},
		{"closed too often", `}]{"id":7,"method":"m"}`, ""},
		{"no JSON", `"id":7,"method":"m"`, ""},
		{"invalid UTF-8", "{\"id\":\"\xff\",\"method\":\"m\"}", ""},
		{"an escape that is none", `{"id":"\x","method":"m"}`, ""},
		{"nothing", ``, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 7, len(tt.text) + 1} {
				var e envelope
				for part := tt.text; part != ""; part = part[min(size, len(part)):] {
					e.feed([]byte(part[:min(size, len(part))]))
				}
				if got := string(e.request()); got != tt.want {
					t.Errorf("in parts of %d: %q, want %q", size, got, tt.want)
				}
			}
		})
	}
}

// Whatever a message holds, its id is found, and however it is cut into parts, the
// same is.
func FuzzEnvelope(f *testing.F) {
	f.Add(`{"id":1,"method":"x"}`, int64(7))
	f.Add(`"],}\"`, int64(-1))
	f.Fuzz(func(t *testing.T, inside string, id int64) {
		id %= maxInteger
		quoted, err := json.Marshal(inside)
		if err != nil {
			t.Fatal(err)
		}
		values := []string{string(quoted)}
		if json.Valid([]byte(inside)) {
			values = append(values, inside)
		}
		for _, value := range values {
			var e envelope
			e.feed(fmt.Appendf(nil, `{"method":"m","params":%s,%s:0,"id":%d,"x":[%s]}`, value, quoted, id, value))
			if got := string(e.request()); got != fmt.Sprint(id) && inside != "id" && inside != "method" {
				t.Errorf("id %q, want %d", got, id)
			}
		}
		var whole, parts envelope
		whole.feed([]byte(inside))
		for i := range len(inside) {
			parts.feed([]byte{inside[i]})
		}
		if string(whole.request()) != string(parts.request()) || len(whole.text) > maxEnvelopeText {
			t.Errorf("%q in one part, %q in many; %d bytes kept", whole.request(), parts.request(), len(whole.text))
		}
	})
}

// A message that is too large is answered with its id, or its client would wait
// for ever; what follows is served.
func TestStdioAnswersATooLargeMessage(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{})
	padding := `"` + strings.Repeat("x", 5<<20) + `"`
	tests := []struct{ name, line, id, text string }{
		{"id first", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":` + padding + `}}`, "7", "larger than 4194304 bytes"},
		{"id last", `{"jsonrpc":"2.0","method":"tools/call","params":{"id":9,"x":` + padding + `},"id":"seven"}`, "seven", "larger than 4194304 bytes"},
		{"response", `{"jsonrpc":"2.0","id":7,"result":` + padding + `}`, "<nil>", "no id of a request"},
		{"batch", `[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + padding + `}]`, "<nil>", "no id of a request"},
		{"no JSON", padding, "<nil>", "no id of a request"},
	}
	for _, tt := range tests {
		p.send(t, tt.line)
		m := p.next(t)
		e, _ := m["error"].(map[string]any)
		if text := fmt.Sprint(e["message"]); fmt.Sprint(m["id"]) != tt.id || !strings.Contains(text, tt.text) || e["code"] != float64(mcp.INVALID_REQUEST) {
			t.Errorf("%s: %v", tt.name, m)
		}
	}
	if _, err := io.WriteString(p.in, call(8, "echo", "", "")+"\n"); err != nil {
		t.Fatal(err)
	}
	if m := p.next(t); m["id"] != 8.0 {
		t.Errorf("after all of that: %v", m)
	}
}
