package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client of another library gets the skill as a prompt and as a resource, over
// both transports, and the file is the one that is installed in clients.
func TestSkillIsServedAsInstalled(t *testing.T) {
	t.Parallel()
	const name, uri = "loam-analytics", "skill://loam-analytics/SKILL.md"
	dir := project(t, "version: 1\nconnections: {}\n")
	if r := loam(t, dir, "agents", "setup", "--target", "universal", "--scope", "project"); r.code != 0 {
		t.Fatalf("agents setup: %+v", r)
	}
	var installed string
	err := filepath.WalkDir(filepath.Join(dir, ".agents"), func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Base(path) == "SKILL.md" {
			text, err := os.ReadFile(path)
			installed = string(text)
			return err
		}
		return err
	})
	if err != nil || !strings.HasPrefix(installed, "---\nname: "+name+"\n") {
		t.Fatalf("%v: installed is %q", err, installed)
	}
	for transport, s := range map[string]*server{"stdio": stdioServer(t, dir), "http": httpServer(t, dir)} {
		prompts, err := s.ListPrompts(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", transport, err)
		}
		if !slices.ContainsFunc(prompts.Prompts, func(p *mcp.Prompt) bool { return p.Name == name && p.Description != "" }) {
			t.Errorf("%s: the skill is not among the prompts", transport)
		}
		prompt, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name})
		if err != nil || len(prompt.Messages) != 1 {
			t.Fatalf("%s: prompt %+v, %v", transport, prompt, err)
		}
		text, ok := prompt.Messages[0].Content.(*mcp.TextContent)
		if !ok || !strings.HasSuffix(installed, text.Text) || !strings.Contains(text.Text, "connection_list") {
			t.Errorf("%s: the prompt is not what is installed", transport)
		}
		resource, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(resource.Contents) != 1 || resource.Contents[0].Text != installed {
			t.Errorf("%s: resource %+v, %v", transport, resource, err)
		}
	}
}
