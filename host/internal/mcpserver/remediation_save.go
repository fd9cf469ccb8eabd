package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/workspace"
)

var (
	//go:embed schema/remediation_save.input.json
	remediationSaveInput string
	//go:embed schema/remediation_save.output.json
	remediationSaveOutput string
)

type remediationSaveInputs struct {
	ErrorMessage string            `json:"errorMessage"`
	ErrorType    string            `json:"errorType"`
	Solution     string            `json:"solution"`
	StackTrace   string            `json:"stackTrace"`
	ConnectionID string            `json:"connectionId"`
	ProjectPath  string            `json:"projectPath"`
	Context      map[string]string `json:"context"`
	Tags         []string          `json:"tags"`
	Severity     string            `json:"severity"`
	Shared       bool              `json:"shared"`
	ClientID     string            `json:"clientId"`
}

func remediationSave(c Config) tool.Definition[remediationSaveInputs, *workspace.RemediationSaved] {
	return tool.Definition[remediationSaveInputs, *workspace.RemediationSaved]{
		Name: "remediation_save", Title: "Remediation Save", Toolset: toolsetWorkspace, Command: "loam workspace remediation save",
		Description: "Save an error and what mended it; the same again confirms it. Without secrets.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       remediationSaveInput, Output: remediationSaveOutput,
		Example:  `{"errorMessage":"no such table: ordrs","errorType":"1","solution":"The table is orders."}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in remediationSaveInputs) (*workspace.RemediationSaved, error) {
			return c.Workspace.SaveRemediation(ctx, workspace.RemediationSave{
				Save:         workspace.Save{Context: in.Context, Tags: in.Tags, ProjectPath: in.ProjectPath, Shared: in.Shared, ClientID: in.ClientID, Actor: actorOf(ctx)},
				ErrorMessage: in.ErrorMessage, ErrorType: in.ErrorType, Solution: in.Solution, StackTrace: in.StackTrace,
				Connection: in.ConnectionID, Severity: in.Severity,
			})
		},
	}
}
