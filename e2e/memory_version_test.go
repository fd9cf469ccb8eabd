package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestVersionThatWasRead: the version that a page or a source is read with is the one that it is replaced from, and after
// an edit it is a conflict. The tools and the commands return the same one.
func TestVersionThatWasRead(t *testing.T) {
	t.Parallel()
	heavy(t, "replacing a version that was read")
	dir := demoProject(t)
	_, url := startHTTP(t, dir, "--toolsets", "research,admin")
	s := client(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}})
	call := func(tool string, args map[string]any) (answer struct{ Version, Status, Code, Message string }) {
		t.Helper()
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		unmarshal(t, text, &answer)
		return answer
	}
	writeFile(t, filepath.Join(dir, "wiki", "global", "parcel.md"), "# Parcel\n\nA box.\n")
	const sold = "name: sold\nsql: SELECT id, status FROM orders\nprimary_key: [id]\n"
	writeFile(t, filepath.Join(dir, "semantic-layer", "shop", "sold.yaml"), sold)
	for _, tt := range []struct {
		read, write   string
		named, edited map[string]any
		command       []string
		file          string
	}{
		{
			"wiki_read", "wiki_write", map[string]any{"key": "parcel"}, map[string]any{"key": "parcel", "content": "# Parcel\n\nA larger box.\n"},
			[]string{"wiki", "read", "parcel"}, "wiki/global/parcel.md",
		},
		{
			"sl_read_source", "sl_write_source", map[string]any{"connectionId": "shop", "source": "sold"},
			map[string]any{"connectionId": "shop", "name": "sold", "content": sold + "description: What was sold.\n"},
			[]string{"sl", "show", "-c", "shop", "sold"}, "semantic-layer/shop/sold.yaml",
		},
	} {
		t.Run(tt.write, func(t *testing.T) {
			version := call(tt.read, tt.named).Version
			var shown struct{ Version string }
			unmarshal(t, []byte(loam(t, dir, append(tt.command, "--json")...).stdout), &shown)
			if version == "" || shown.Version != version {
				t.Fatalf("%s answers the version %q, the command %q", tt.read, version, shown.Version)
			}
			path := filepath.Join(dir, filepath.FromSlash(tt.file))
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, string(before)+"\n")
			tt.edited["baseVersion"] = version
			if a := call(tt.write, tt.edited); a.Code != "conflict" || !strings.Contains(a.Message, version) {
				t.Errorf("with the version before the edit: %+v", a)
			}
			tt.edited["baseVersion"] = call(tt.read, tt.named).Version
			if a := call(tt.write, tt.edited); a.Status != "queued" { // a person wrote it
				t.Errorf("with the version of now: %+v", a)
			}
			tt.edited["baseVersion"] = version[:8]
			if a := call(tt.write, tt.edited); a.Code != "conflict" {
				t.Errorf("with a few digits of a version: %+v", a)
			}
		})
	}
}
