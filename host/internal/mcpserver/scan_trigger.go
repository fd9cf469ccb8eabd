package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/scan_trigger.input.json
	scanTriggerInput string
	//go:embed schema/scan_trigger.output.json
	scanTriggerOutput string
)

type scanTriggerInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	Mode         string        `json:"mode"`
	Include      []string      `json:"include"`
	Exclude      []string      `json:"exclude"`
	Full         bool          `json:"full"`
	WaitSeconds  int           `json:"waitSeconds"`
}

func scanTrigger(c Config) tool.Definition[scanTriggerInputs, job.Status] {
	return tool.Definition[scanTriggerInputs, job.Status]{
		Name: "scan_trigger", Title: "Scan Trigger", Toolset: toolsetAdmin, Command: "loam scan",
		Description: "Read the structure of a warehouse again, in the background; scan_status says how far it is.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.No, OpenWorld: tool.Yes},
		Input:       scanTriggerInput, Output: scanTriggerOutput,
		Example:  `{"connectionId":"c"}`,
		Deadline: runTime,
		Handle: func(ctx context.Context, in scanTriggerInputs) (job.Status, error) {
			s, err := c.Jobs.TriggerScan(ctx, jobCaller(ctx, "scan_trigger"), job.ScanRequest{
				Connection: in.ConnectionID, Mode: in.Mode, Include: in.Include, Exclude: in.Exclude, Full: in.Full,
			})
			return c.awaited(ctx, s, in.WaitSeconds, err)
		},
	}
}
