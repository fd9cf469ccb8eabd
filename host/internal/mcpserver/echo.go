package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/echo.input.json
	echoInput string
	//go:embed schema/echo.output.json
	echoOutput string
)

type echoInputs struct {
	Message string `json:"message"`
}

type echoAnswer struct {
	Message   string `json:"message"`
	Principal string `json:"principal"`
	Transport string `json:"transport"`
}

func echo(Config) tool.Definition[echoInputs, echoAnswer] {
	return tool.Definition[echoInputs, echoAnswer]{
		Name: "echo", Title: "Echo", Toolset: toolsetAdmin,
		Description: "Return a message with the principal and transport that the server sees: tests a token.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       echoInput, Output: echoOutput,
		Example:  `{"message":"hi"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in echoInputs) (echoAnswer, error) {
			who := tool.CallerOf(ctx)
			return echoAnswer{in.Message, who.Principal, who.Transport}, nil
		},
	}
}
