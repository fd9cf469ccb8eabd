package mcpserver

import (
	"context"
	_ "embed" // for the schemas
	"math"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

var (
	//go:embed schema/connection_test.input.json
	connectionTestInput string
	//go:embed schema/connection_test.output.json
	connectionTestOutput string
)

type connectionTestInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
}

func connectionTest(c Config) tool.Definition[connectionTestInputs, *health.Tested] {
	return tool.Definition[connectionTestInputs, *health.Tested]{
		Name: "connection_test", Title: "Connection Test", Toolset: toolsetAdmin, Command: "loam connection test",
		Description: "Test it, step by step.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       connectionTestInput, Output: connectionTestOutput,
		Example:  `{"connectionId":"shop"}`,
		Deadline: testTime,
		Handle: func(ctx context.Context, in connectionTestInputs) (*health.Tested, error) {
			progress, left := tool.Progress(ctx), 1.0
			return c.Admin.Health.TestConnection(ctx, in.ConnectionID, false, func(s sdk.TestStep) {
				if progress == nil {
					return
				}
				outcome := "ok"
				if s.Err != nil {
					outcome = "failed"
				}
				left *= 0.8 // a connector does not say how many steps there are
				progress(math.Round(1000*(1-left))/1000, s.Name+": "+outcome)
			})
		},
	}
}
