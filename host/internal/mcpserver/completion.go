package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

// completion completes the arguments of resource templates and of prompts.
type completion struct {
	resources resources
	prompts   prompts
	skills    *projectSkills // nil = none
}

var _ server.ResourceCompletionProvider = completion{}

// CompleteResourceArgument lists the values of an argument of a template. A template or an argument that there
// is not has none.
func (c completion) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	if c.skills != nil && uri == skillTemplate {
		return c.skills.complete(ctx, a, given.Arguments)
	}
	for _, k := range c.resources {
		if k.template() != uri || !slices.ContainsFunc(k.arguments, func(name string) bool { return strings.TrimPrefix(name, "+") == a.Name }) {
			continue
		}
		names, err := k.complete(ctx, a.Name, a.Value, given.Arguments)
		if err != nil {
			return nil, tool.Fail(ctx, err)
		}
		return listed(names), nil
	}
	return listed(&discover.Names{}), nil
}

func listed(n *discover.Names) *mcp.Completion {
	return &mcp.Completion{Values: n.Names, Total: n.Total, HasMore: n.Total > len(n.Names)}
}
