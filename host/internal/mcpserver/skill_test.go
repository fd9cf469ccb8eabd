package mcpserver

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const skillURI = "skill://riding/SKILL.md"

// send sends one request of the era and returns what it was answered.
func send(t *testing.T, url, method, params string, modern bool) (status int, result, refusal string) {
	t.Helper()
	header := openSession(t, url)
	separator := ","
	if params == "{}" {
		separator = ""
	}
	if modern {
		params = `{"_meta":{` + modernMeta + `}` + separator + params[1:]
		header = []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	}
	resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":`+params+`}`, header...)
	body := readAll(t, resp, err)
	var answer struct {
		ID            int
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.ID != 7 {
		t.Fatalf("%v: %s", err, body)
	}
	return resp.StatusCode, string(answer.Result), string(answer.Error)
}

// The skill is a prompt, a resource and an entry of the extension, in both eras,
// and all three agree.
func TestSkill(t *testing.T) {
	t.Parallel()
	c := newWorld().config()
	url := startHTTP(t, c)
	entry := fmt.Sprintf(`{"uri":%q,"frontmatter":{"description":"How to ride.","name":"riding"},"resources":[{"uri":%q,"digest":"sha256:%x","size":%d}]}`,
		skillURI, skillURI, sha256.Sum256(c.Skill.File), len(c.Skill.File))
	common := `,"ttlMs":60000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"loam","version":"1.2.3","title":"Loam"}}}`
	tests := []struct{ name, method, params, want string }{
		{"list", "skills/list", `{}`, `{"resultType":"complete","skills":[` + entry + `]` + common},
		{"get", "skills/get", `{"uri":"` + skillURI + `"}`, `{"resultType":"complete","skill":` + entry + common},
	}
	for _, tt := range tests {
		for _, modern := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, modern %v", tt.name, modern), func(t *testing.T) {
				t.Parallel()
				status, result, refusal := send(t, url, tt.method, tt.params, modern)
				if diff := cmp.Diff(tt.want, result); diff != "" || status != http.StatusOK {
					t.Errorf("status %d, %s: result (-want +got):\n%s", status, refusal, diff)
				}
			})
		}
	}
	for _, tt := range []struct{ method, params, want string }{
		{"prompts/list", `{}`, `"name":"riding","description":"How to ride."`},
		{"prompts/get", `{"name":"riding"}`, `"text":"# Sit up\n"`},
		{"resources/list", `{}`, `"uri":"` + skillURI + `"`},
		{"resources/read", `{"uri":"` + skillURI + `"}`, `"mimeType":"text/markdown","text":"---\nname: riding\n---\n\n# Sit up\n"`},
	} {
		if _, result, refusal := send(t, url, tt.method, tt.params, false); !strings.Contains(result, tt.want) {
			t.Errorf("%s: %s%s", tt.method, result, refusal)
		}
	}
}

func TestSkillRefusals(t *testing.T) {
	t.Parallel()
	url := startHTTP(t, newWorld().config())
	tests := []struct{ name, method, params, want string }{
		{"another page", "skills/list", `{"cursor":"x"}`, `"code":-32602`},
		{"cursor of a wrong type", "skills/list", `{"cursor":1}`, `"code":-32602`},
		{"another skill", "skills/get", `{"uri":"skill://swimming/SKILL.md"}`, `"data":{"uri":"skill://swimming/SKILL.md"}`},
		{"no skill", "skills/get", `{}`, skillURI},
		{"skill of a wrong type", "skills/get", `{"uri":[]}`, `"code":-32602`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for modern, want := range map[bool]int{false: http.StatusOK, true: http.StatusBadRequest} {
				if status, result, refusal := send(t, url, tt.method, tt.params, modern); status != want || !strings.Contains(refusal, tt.want) || result != "" {
					t.Errorf("modern %v: status %d: %s%s", modern, status, result, refusal)
				}
			}
		})
	}
}

// A stateless request of the extension is checked as the library checks its own methods.
func TestSkillMethodsKeepTheProtocol(t *testing.T) {
	t.Parallel()
	url := startHTTP(t, newWorld().config())
	const version = "2026-07-28"
	tests := []struct {
		name, meta, version, method string
		code                        int
	}{
		{"no capabilities", `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, version, "skills/list", -32602},
		{"no version in the message", ``, version, "skills/list", -32602},
		{"no version in the header", modernMeta, "", "skills/list", -32020},
		{"versions that differ", modernMeta, "2025-11-25", "skills/list", -32020},
		{"a version nobody speaks", strings.ReplaceAll(modernMeta, version, "2999-01-01"), "2999-01-01", "skills/list", -32022},
		{"another method in the header", modernMeta, version, "tools/list", -32020},
		{"no method in the header", modernMeta, version, "", -32020},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var header []string
			if tt.version != "" {
				header = append(header, "MCP-Protocol-Version", tt.version)
			}
			if tt.method != "" {
				header = append(header, "Mcp-Method", tt.method)
			}
			for _, method := range []string{"skills/list", "tools/list"} { // and the library says the same
				own := header
				if method == "tools/list" && tt.method != "" {
					own = append(header[:len(header)-1:len(header)-1], map[string]string{"skills/list": "tools/list", "tools/list": "skills/list"}[tt.method])
				}
				resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"_meta":{`+tt.meta+`}}}`, own...)
				body := readAll(t, resp, err)
				var answer struct{ Error struct{ Code int } }
				if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Error.Code != tt.code || resp.StatusCode != http.StatusBadRequest {
					t.Errorf("%s: status %d: %s", method, resp.StatusCode, body)
				}
			}
		})
	}
}

func TestSkillOverStdio(t *testing.T) {
	t.Parallel()
	in, out := startStdio(t, newWorld().config())
	decoder := json.NewDecoder(out)
	for _, tt := range []struct{ params, want string }{
		{`{}`, skillURI},
		{`{"_meta":{` + modernMeta + `}}`, skillURI},
		{`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, `"code":-32602`},
		{`{"cursor":"x"}`, `"code":-32602`},
	} {
		if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":"a","method":"skills/list","params":`+tt.params+"}\n"); err != nil {
			t.Fatal(err)
		}
		var answer json.RawMessage
		if err := decoder.Decode(&answer); err != nil || !strings.Contains(string(answer), tt.want) || !strings.Contains(string(answer), `"id":"a"`) {
			t.Errorf("%v: %s", err, answer)
		}
	}
}
