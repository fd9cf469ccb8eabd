package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Install gives the library the prompts and the resources.
func Install(library *server.MCPServer) {
	installPrompts(library)
	for _, r := range []struct{ uri, name string }{
		{"test://static-text", "Static text"}, {"test://watched-resource", "Watched resource"},
	} {
		library.AddResource(mcp.NewResource(r.uri, r.name, mcp.WithResourceDescription("A text."), mcp.WithMIMEType("text/plain")),
			contents(mcp.TextResourceContents{URI: r.uri, MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	}
	const image = "test://static-binary"
	library.AddResource(mcp.NewResource(image, "Static image", mcp.WithResourceDescription("An image."), mcp.WithMIMEType(png)),
		contents(mcp.BlobResourceContents{URI: image, MIMEType: png, Blob: pixel}))
	library.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "Data by id",
		mcp.WithTemplateDescription("What belongs to an id."), mcp.WithTemplateMIMEType("application/json")), templateData)
}

func contents(c mcp.ResourceContents) server.ResourceHandlerFunc {
	return func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{c}, nil
	}
}

func templateData(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	id := fmt.Sprint(r.Params.Arguments["id"])
	if ids, ok := r.Params.Arguments["id"].([]string); ok && len(ids) == 1 {
		id = ids[0]
	}
	data, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(data)}}, err
}

func installPrompts(library *server.MCPServer) {
	user := func(content mcp.Content) mcp.PromptMessage { return mcp.NewPromptMessage(mcp.RoleUser, content) }
	answers := func(p mcp.Prompt, messages func(arguments map[string]string) []mcp.PromptMessage) {
		library.AddPrompt(p, func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult(p.Description, messages(r.Params.Arguments)), nil
		})
	}
	argument := func(name string) mcp.PromptOption {
		return mcp.WithArgument(name, mcp.ArgumentDescription("An argument."), mcp.RequiredArgument())
	}
	answers(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("A text.")), func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{user(mcp.NewTextContent("This is a simple prompt for testing."))}
	})
	answers(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("A text with arguments."), argument("arg1"), argument("arg2")),
		func(a map[string]string) []mcp.PromptMessage {
			return []mcp.PromptMessage{user(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))}
		})
	answers(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("A resource."), argument("resourceUri")),
		func(a map[string]string) []mcp.PromptMessage {
			return []mcp.PromptMessage{
				user(embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing.")),
				user(mcp.NewTextContent("Please process the embedded resource above.")),
			}
		})
	answers(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("An image.")), func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{user(mcp.NewImageContent(pixel, png)), user(mcp.NewTextContent("Please analyze the image above."))}
	})
	library.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("A prompt that asks first.")), askingPrompt)
}

// askingPrompt asks the user before there is a prompt. A client that cannot answer
// gets one without the answer.
func askingPrompt(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	asked := "nothing"
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil && info.ClientCapabilities.Elicitation != nil {
		answer := server.ElicitationResponse(r.Params.InputResponses, "user_context")
		if answer == nil {
			return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?",
				`{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`)).PromptResult(), nil
		}
		asked = textOf(answer.Content)
	}
	return mcp.NewGetPromptResult("A prompt that asks first.", []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("The context is: "+asked)),
	}), nil
}
