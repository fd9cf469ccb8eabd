package conformance

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

const (
	nameSchema  = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	okSchema    = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
	colorSchema = `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`
)

// roundTripTools ask in their answer, and are called again with what was said.
func roundTripTools() []fixture {
	asks := func(name, description string, handle func(*tool.Call) (*mcp.CallToolResult, error), needs ...tool.Capability) fixture {
		return fixture{
			name: "test_input_required_result_" + name, description: description, needs: needs,
			handle: func(_ context.Context, c *tool.Call) (*mcp.CallToolResult, error) { return handle(c) },
		}
	}
	return []fixture{
		asks("elicitation", "Asks for a name.", askName, tool.Elicitation),
		asks("sampling", "Asks the client's model.", askModel, tool.Sampling),
		asks("list_roots", "Asks for the client's roots.", askRoots, tool.Roots),
		asks("request_state", "Has a state that the client keeps.", confirm, tool.Elicitation),
		asks("tampered_state", "Has a state that the client must not change.", confirm, tool.Elicitation),
		asks("multiple_inputs", "Asks three things at once.", askAll, tool.Elicitation, tool.Sampling, tool.Roots),
		asks("multi_round", "Asks twice.", askTwice, tool.Elicitation),
		{
			name: "test_input_required_result_capabilities", description: "Asks what the client can answer.", handle: askWhatIsDeclared,
		},
	}
}

// said returns a member of what the user filled in under id, "" when there is none.
func said(c *tool.Call, id, member string) string {
	answer := server.ElicitationResponse(c.Params.InputResponses, id)
	if answer == nil {
		return ""
	}
	content, _ := answer.Content.(map[string]any)
	value, ok := content[member]
	if !ok {
		return ""
	}
	return fmt.Sprint(value)
}

func askName(c *tool.Call) (*mcp.CallToolResult, error) {
	if name := said(c, "user_name", "name"); name != "" {
		return text("Hello, " + name + "!"), nil
	}
	return c.Ask("").Elicit("user_name", form("What is your name?", nameSchema)).ToolResult(), nil
}

func askModel(c *tool.Call) (*mcp.CallToolResult, error) {
	if answer := server.SamplingResponse(c.Params.InputResponses, "capital_question"); answer != nil {
		return text(textOf(answer.Content)), nil
	}
	return c.Ask("").Sample("capital_question", sample("What is the capital of France?", 100)).ToolResult(), nil
}

func askRoots(c *tool.Call) (*mcp.CallToolResult, error) {
	if answer := server.RootsResponse(c.Params.InputResponses, "client_roots"); answer != nil {
		return text(fmt.Sprintf("The client has %d roots: %v", len(answer.Roots), answer.Roots)), nil
	}
	return c.Ask("").Roots("client_roots").ToolResult(), nil
}

const confirming = "waits for ok"

func confirm(c *tool.Call) (*mcp.CallToolResult, error) {
	if c.State() == confirming && said(c, "confirm", "ok") != "" {
		return text("state-ok"), nil
	}
	return c.Ask(confirming).Elicit("confirm", form("Please confirm", okSchema)).ToolResult(), nil
}

func askAll(c *tool.Call) (*mcp.CallToolResult, error) {
	name := said(c, "user_name", "name")
	greeting := server.SamplingResponse(c.Params.InputResponses, "greeting")
	roots := server.RootsResponse(c.Params.InputResponses, "client_roots")
	if c.State() != "" && name != "" && greeting != nil && roots != nil {
		return text(fmt.Sprintf("%s %s has %d roots.", textOf(greeting.Content), name, len(roots.Roots))), nil
	}
	return c.Ask("waits for all").
		Elicit("user_name", form("What is your name?", nameSchema)).
		Sample("greeting", sample("Generate a greeting", 50)).
		Roots("client_roots").ToolResult(), nil
}

func askTwice(c *tool.Call) (*mcp.CallToolResult, error) {
	switch state := c.State(); {
	case state == "" || (state == "step 1" && said(c, "step1", "name") == ""):
		return c.Ask("step 1").Elicit("step1", form("Step 1: What is your name?", nameSchema)).ToolResult(), nil
	case state == "step 1":
		return c.Ask(said(c, "step1", "name")).Elicit("step2", form("Step 2: What is your favorite color?", colorSchema)).ToolResult(), nil
	case said(c, "step2", "color") == "":
		return c.Ask(state).Elicit("step2", form("Step 2: What is your favorite color?", colorSchema)).ToolResult(), nil
	default:
		return text(state + " likes " + said(c, "step2", "color") + "."), nil
	}
}

func askWhatIsDeclared(ctx context.Context, c *tool.Call) (*mcp.CallToolResult, error) {
	if len(c.Params.InputResponses) > 0 {
		return text(fmt.Sprintf("The client answered %d questions.", len(c.Params.InputResponses))), nil
	}
	questions, asked := c.Ask(""), false
	if c.Declared(ctx, tool.Elicitation) {
		questions, asked = questions.Elicit("confirm", form("Please confirm", okSchema)), true
	}
	if c.Declared(ctx, tool.Sampling) {
		questions, asked = questions.Sample("answer", sample("What is the capital of France?", 100)), true
	}
	if !asked {
		return text("The client answers nothing."), nil
	}
	return questions.ToolResult(), nil
}
