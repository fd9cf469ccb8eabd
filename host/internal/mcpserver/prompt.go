package mcpserver

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

// guide writes prompts from what people wrote and reviewed.
type guide interface {
	guideNames
	Subject(ctx context.Context, name string) (string, error)
	Term(ctx context.Context, term string) (string, error)
	Number(ctx context.Context, name string) (string, error)
}

// guideNames completes the arguments of prompts.
type guideNames interface {
	Subjects(ctx context.Context, prefix string) ([]string, error)
	Terms(ctx context.Context, prefix string) ([]string, error)
	Numbers(ctx context.Context, prefix string) ([]string, error)
}

// prompt is one with an argument.
type prompt struct {
	name, title, description string
	argument, about          string
	write                    func(ctx context.Context, value string) (string, error)
	complete                 func(ctx context.Context, prefix string) ([]string, error)
}

// prompts are those of a server beside the skill.
type prompts []prompt

func (c Config) prompts() prompts {
	if c.Guide == nil {
		return nil
	}
	return prompts{
		{
			name: "analyze", title: "Analyze", description: "What people wrote about a source, a measure or an area, with requests that run.",
			argument: "subject", about: "A source, a measure, or a schema.", write: c.Guide.Subject, complete: c.Guide.Subjects,
		},
		{
			name: "define", title: "Define", description: "What people wrote about a term, and where it is disputed.",
			argument: "term", about: "A word, an abbreviation, or the title of a page.", write: c.Guide.Term, complete: c.Guide.Terms,
		},
		{
			name: "check_number", title: "Check a number", description: "How a measure or an approved query is defined and was tested, and which measures are near.",
			argument: "number", about: "A measure, or the name of an approved query.", write: c.Guide.Number, complete: c.Guide.Numbers,
		},
	}
}

func (p prompts) install(library *server.MCPServer) {
	for _, one := range p {
		library.AddPrompt(mcp.NewPrompt(one.name, mcp.WithPromptTitle(one.title), mcp.WithPromptDescription(one.description),
			mcp.WithArgument(one.argument, mcp.ArgumentDescription(one.about), mcp.RequiredArgument())),
			func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text, err := one.write(ctx, r.Params.Arguments[one.argument])
				if err != nil {
					return nil, tool.Fail(ctx, err)
				}
				return mcp.NewGetPromptResult(one.description, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
			})
	}
}

var _ server.PromptCompletionProvider = completion{}

// CompletePromptArgument lists the values of an argument of a prompt. A prompt or an argument that there is not has
// none.
func (c completion) CompletePromptArgument(ctx context.Context, name string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	at := slices.IndexFunc(c.prompts, func(p prompt) bool { return p.name == name && p.argument == a.Name })
	if at < 0 {
		return listed(&discover.Names{}), nil
	}
	names, err := c.prompts[at].complete(ctx, a.Value)
	if err != nil {
		return nil, tool.Fail(ctx, err)
	}
	return listed(&discover.Names{Names: names[:min(len(names), discover.MaxNames)], Total: len(names)}), nil
}
