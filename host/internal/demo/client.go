package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/client"
)

// setup shows what would be written for a client: the entry whole, of every other
// file how long it is.
func (t *Tour) setup(ctx context.Context, _ *client.Client) error {
	t.print("%s", t.Dim("$ loam agents setup --target claude-code --dry-run"))
	text, err := t.command(ctx, false, "agents", "setup", "--target", "claude-code", "--dry-run")
	if err != nil {
		return err
	}
	files := strings.Split("\n"+string(text), "\n--- ")[1:]
	if len(files) == 0 || !strings.Contains(files[0], `"--project-dir"`) {
		return wrong("loam agents setup would write %q", text)
	}
	for i, diff := range files {
		lines := strings.Split(strings.TrimSpace(diff), "\n")
		if i == 0 {
			for _, line := range lines[1:] {
				t.print("%s", line)
			}
			continue
		}
		t.print("%s", fmt.Sprintf("%s, %d lines", lines[1], len(lines)-len("-+@")))
	}
	return nil
}
