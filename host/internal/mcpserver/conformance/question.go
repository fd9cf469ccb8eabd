package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

// askingTools ask the client one thing and tell what it said, in both eras.
func askingTools() []fixture {
	return []fixture{
		{
			name: "test_sampling", description: "Asks the client's model.", needs: []tool.Capability{tool.Sampling},
			input: `{"type":"object","properties":{"prompt":{"type":"string","description":"What to ask."}},"required":["prompt"],"additionalProperties":false}`,
			handle: func(_ context.Context, c *tool.Call) (*mcp.CallToolResult, error) {
				if answer := server.SamplingResponse(c.Params.InputResponses, "answer"); answer != nil {
					return text("LLM response: " + textOf(answer.Content)), nil
				}
				return c.Ask("").Sample("answer", sample(c.GetString("prompt", ""), 100)).ToolResult(), nil
			},
		},
		{
			name: "test_elicitation", description: "Asks the user who they are.", needs: []tool.Capability{tool.Elicitation},
			input: `{"type":"object","properties":{"message":{"type":"string","description":"What to show."}},"required":["message"],"additionalProperties":false}`,
			handle: func(_ context.Context, c *tool.Call) (*mcp.CallToolResult, error) {
				return elicit(c, "User response", c.GetString("message", ""), `{"type":"object","properties":{`+
					`"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},`+
					`"required":["username","email"]}`)
			},
		},
		elicits("test_elicitation_sep1034_defaults", "Asks with a default for each type.", `{"type":"object","properties":{`+
			`"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},`+
			`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`),
		elicits("test_elicitation_sep1330_enums", "Asks with each form of choices.", `{"type":"object","properties":{`+
			`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},`+
			`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},`+
			`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},`+
			`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},`+
			`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`),
		elicits("test_streaming_elicitation", "Asks in its answer, not beside it.", `{"type":"object","properties":{"ok":{"type":"boolean"}}}`),
		{
			name: "test_missing_capability", description: "Needs a client that answers sampling requests.", needs: []tool.Capability{tool.Sampling},
			handle: answers(mcp.NewTextContent("The client can answer.")),
		},
	}
}

func elicits(name, description, schema string) fixture {
	return fixture{
		name: name, description: description, needs: []tool.Capability{tool.Elicitation},
		handle: func(_ context.Context, c *tool.Call) (*mcp.CallToolResult, error) {
			return elicit(c, "Elicitation completed", "Please answer", schema)
		},
	}
}

// elicit asks a question, and tells the answer on the second call.
func elicit(c *tool.Call, heading, message, schema string) (*mcp.CallToolResult, error) {
	answer := server.ElicitationResponse(c.Params.InputResponses, "answer")
	if answer == nil {
		return c.Ask("").Elicit("answer", form(message, schema)).ToolResult(), nil
	}
	content, err := json.Marshal(answer.Content)
	if err != nil {
		return nil, err
	}
	return text(fmt.Sprintf("%s: action=%s, content=%s", heading, answer.Action, content)), nil
}

func form(message, schema string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

func sample(prompt string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}},
		MaxTokens: tokens,
	}
}

// textOf returns the text of what a model said, as JSON when it is something else.
func textOf(content any) string {
	raw, err := json.Marshal(content)
	var said struct{ Text string }
	if err == nil && json.Unmarshal(raw, &said) == nil && said.Text != "" {
		return said.Text
	}
	return string(raw)
}
