package tool

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// FuzzCheck: what Check lets pass, the library can read, although Check does not
// always have it tried.
func FuzzCheck(f *testing.F) {
	for _, rest := range []string{
		`{"times":1e400}`, `{"times":-1E+400}`, `{"times":1.5e3}`, `{"text":"1e400 \" 1e400"}`,
		`{"times":` + strings.Repeat("9", 400) + `}`, `{"a":[true,false,null,{"e":0}]}`,
	} {
		f.Add([]byte(`{"name":"greet","arguments":` + rest + `}`))
		f.Add([]byte(`{"name":"greet","_meta":` + rest + `}`))
	}
	f.Add([]byte(`{"name":"greet","task":{"ttl":1e2}}`))
	f.Add([]byte(`{"name":"greet","inputResponses":[1],"REQUESTSTATE":7}`))
	f.Add([]byte(`{"name":"greet","inputResponses":[1],"requestState":[1]}`))
	f.Add([]byte(`{"name":"greet","inputResponses":[1],"task":[1]}`))
	s := New(Config{Logger: slog.New(slog.DiscardHandler)})
	if err := Register(s, greet(hello)); err != nil {
		f.Fatal(err)
	}
	if err := s.Select(Selection{Tools: []string{"greet"}}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		if !json.Valid(params) || s.Check(t.Context(), params) != nil {
			return
		}
		if err := json.Unmarshal(params, new(mcp.CallToolParams)); err != nil {
			t.Errorf("%s passes, and the library cannot read it: %v", params, err)
		}
	})
}

func TestNumbersThatFit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a":1,"b":[2.25,-3],"c":"1e9 \" 1e9","d":true,"e":null}`: true,
		`1e9`: false, `[1E9]`: false, `{"a":1.5e-3}`: false,
		strings.Repeat("1", maxDigits):                                   true,
		strings.Repeat("1", maxDigits+1):                                 false,
		strings.Repeat("09", maxDigits/2+1):                              false,
		`"` + strings.Repeat("1", maxDigits+1) + `"`:                     true,
		`{"e1e":"\\","x":2e2}`:                                           false,
		`"` + strings.Repeat("1", 200) + `",` + strings.Repeat("1", 200): true,
	} {
		if small([]byte(text)) != want {
			t.Errorf("%.60s: want %v", text, want)
		}
	}
}
