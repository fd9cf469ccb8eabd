package conformance

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

const (
	// pixel is a PNG of one red pixel, sound a WAV of no samples.
	pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
	png   = "image/png"
)

func embedded(uri, media, text string) mcp.EmbeddedResource {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: media, Text: text})
}

// contentTools answer with each kind of content.
func contentTools() []fixture {
	return []fixture{
		{name: "test_simple_text", description: "Answers with text.", handle: answers(mcp.NewTextContent("This is a simple text response for testing."))},
		{name: "test_image_content", description: "Answers with an image.", handle: answers(mcp.NewImageContent(pixel, png))},
		{name: "test_audio_content", description: "Answers with sound.", handle: answers(mcp.NewAudioContent(sound, "audio/wav"))},
		{
			name: "test_embedded_resource", description: "Answers with a resource.",
			handle: answers(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		},
		{
			name: "test_multiple_content_types", description: "Answers with text, an image and a resource.",
			handle: answers(mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(pixel, png),
				embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		},
		{
			name: "test_error_handling", description: "Answers with an error.",
			handle: func(context.Context, *tool.Call) (*mcp.CallToolResult, error) {
				return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "This tool intentionally returns an error for testing").
					WithHint("call another tool")
			},
		},
		{name: "json_schema_2020_12_tool", description: "Has a schema with the words of JSON Schema 2020-12.", input: wideSchema, handle: answers(mcp.NewTextContent("ok"))},
		{name: "test_header_argument", description: "Has an argument that is repeated in a header.", input: headerSchema, handle: answers(mcp.NewTextContent("ok"))},
	}
}

const (
	wideSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
		`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
		`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},` +
		`"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
		`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},` +
		`"additionalProperties":false}`
	headerSchema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"additionalProperties":false}`
)

// notifyingTools send messages before they answer.
func notifyingTools() []fixture {
	return []fixture{
		{name: "test_tool_with_logging", description: "Logs three times.", handle: logs("Tool execution started", "Tool processing data", "Tool execution completed")},
		{name: "test_logging_tool", description: "Logs once.", handle: logs("Tool execution started")},
		{
			name: "test_tool_with_progress", description: "Reports its progress.",
			handle: func(ctx context.Context, _ *tool.Call) (*mcp.CallToolResult, error) {
				for i, fraction := range []float64{0, 0.5, 1} {
					if err := pause(ctx, i); err != nil {
						return nil, err
					}
					if report := tool.Progress(ctx); report != nil {
						report(fraction, "")
					}
				}
				return text("Progress was reported."), nil
			},
		},
		{name: "test_trigger_tool_change", description: "Says that the list of tools has changed.", handle: announces(mcp.MethodNotificationToolsListChanged)},
		{name: "test_trigger_prompt_change", description: "Says that the list of prompts has changed.", handle: announces(mcp.MethodNotificationPromptsListChanged)},
	}
}

func logs(messages ...string) func(context.Context, *tool.Call) (*mcp.CallToolResult, error) {
	return func(ctx context.Context, _ *tool.Call) (*mcp.CallToolResult, error) {
		for i, m := range messages {
			if err := errors.Join(pause(ctx, i), log(ctx, mcp.LoggingLevelInfo, m)); err != nil {
				return nil, err
			}
		}
		return text("Messages were logged."), nil
	}
}

func announces(method string) func(context.Context, *tool.Call) (*mcp.CallToolResult, error) {
	return func(ctx context.Context, _ *tool.Call) (*mcp.CallToolResult, error) {
		server.ServerFromContext(ctx).SendNotificationToAllClients(method, nil)
		return text("Clients were told."), nil
	}
}
