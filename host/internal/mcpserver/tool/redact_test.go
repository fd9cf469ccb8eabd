package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

// A secret is taken out of strings only: what stays is JSON, whatever it is.
func TestRedactJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, secret, text, want string }{
		{"nothing to take out", "hunter2", `{"b":1, "a":"x"}`, `{"b":1, "a":"x"}`},
		{"in a string", "hunter2", `{"sql":"select 'hunter2' < 1"}`, `{"sql":"select '***' < 1"}`},
		{"in a name and in a list", "hunter2", `{"hunter2":["hunter2",null,true]}`, `{"***":["***",null,true]}`},
		{"escaped", "hunter2", `{"sql":"hunt\u0065r2"}`, `{"sql":"***"}`},
		{"like a number", "123456", `{"rows":123456,"sql":"id = 123456"}`, `{"rows":123456,"sql":"id = ***"}`},
		{"like syntax", `":`, `{"a":"b"}`, `{"a":"b"}`},
		{"large numbers", "hunter2", `{"n":9007199254740993,"s":"hunter2"}`, `{"n":9007199254740993,"s":"***"}`},
		{"no arguments", "hunter2", ``, ``},
		{"no JSON", "hunter2", `{"hunter2`, `"{\"***"`},
	} {
		s := New(Config{Redact: func(text string) string { return strings.ReplaceAll(text, c.secret, "***") }})
		if got := string(s.redactJSON(json.RawMessage(c.text))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What an agent sent comes back in the problems as well as in the message.
func TestRedactProblems(t *testing.T) {
	t.Parallel()
	r := newRig(t, greet(hello))
	result := r.call(t, t.Context(), `{"personName":"Ada","times":"hunter2"}`)
	text, err := json.Marshal(result)
	if err != nil || !result.IsError || strings.Contains(string(text), "hunter2") || !strings.Contains(string(result.RawStructuredContent), `"got":"the string \"***\""`) {
		t.Errorf("%s, %v", text, err)
	}
}
