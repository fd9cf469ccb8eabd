package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAPersonSettlesARefusal: over both transports and in both eras, a client of another library puts the refusal to
// its user, the request goes on with the answer, and the history has what was asked.
func TestAPersonSettlesARefusal(t *testing.T) {
	t.Parallel()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "loam.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, "\nproject: {fiscal_year_start: 2}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "semantic-layer", "shop", "fiscal.yaml")); err != nil { // its calendar knows the fiscal year itself
		t.Fatal(err)
	}
	// In the two other ranges everything is said.
	for _, phrase := range []string{"last calendar year", "last fiscal year"} {
		if r := loam(t, dir, "sl", "query", "-c", "shop", "-m", "orders.order_count", "--date-range", phrase); r.code != 0 {
			t.Errorf("%s: %s", phrase, r.stderr)
		}
	}
	_, url := startHTTP(t, dir)
	args := map[string]any{"connection_id": "shop", "measures": []string{"order_items.revenue"}, "date_ranges": []any{map[string]any{"field": "orders.ordered_at", "relative": "last year"}}}
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		stdio := exec.Command(filepath.Join(bin, "loam"), "mcp", "stdio", "--project-dir", dir)
		stdio.Stderr = os.Stderr
		for name, line := range map[string]mcp.Transport{
			"stdio": &mcp.CommandTransport{Command: stdio},
			"http":  &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}},
		} {
			t.Run(name+" "+era, func(t *testing.T) {
				var chosen string
				client := mcp.NewClient(&mcp.Implementation{Name: "asked " + name + " " + era, Version: "1"}, &mcp.ClientOptions{
					ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						form, err := json.Marshal(r.Params.RequestedSchema)
						var read struct {
							Properties struct{ Choice struct{ Enum []string } }
						}
						if err != nil || json.Unmarshal(form, &read) != nil || len(read.Properties.Choice.Enum) != 2 {
							t.Errorf("%v: %s", err, form)
							return &mcp.ElicitResult{Action: "cancel"}, nil
						}
						chosen = read.Properties.Choice.Enum[1]
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"choice": chosen}}, nil
					},
				})
				session, err := client.Connect(t.Context(), line, &mcp.ClientSessionOptions{ProtocolVersion: era})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = session.Close() }()
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "sl_query", Arguments: args})
				if err != nil {
					t.Fatal(err)
				}
				content, _ := result.StructuredContent.(map[string]any)
				notes, _ := content["notes"].([]any)
				if result.IsError || !strings.Contains(chosen, "-02-01 to ") || !slices.Contains(notes, any("The person chose "+chosen+" for last year.")) {
					t.Errorf("chose %q: %+v", chosen, content)
				}
			})
		}
	}
	// The history is written behind the calls.
	eventually(t, time.Minute, "the questions are in the history", func() bool {
		var history struct {
			Calls []struct{ Tool, Outcome, Client string }
		}
		unmarshal(t, []byte(loam(t, dir, "history", "--json", "--tool", "elicitation/create").stdout), &history)
		return len(history.Calls) == 6 && !slices.ContainsFunc(history.Calls, func(c struct{ Tool, Outcome, Client string }) bool { return c.Outcome != "ok" })
	})
}
