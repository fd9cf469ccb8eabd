package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

var (
	//go:embed schema/change_approve.input.json
	changeApproveInput string
	//go:embed schema/change_approve.output.json
	changeApproveOutput string
	//go:embed schema/change_reject.input.json
	changeRejectInput string
	//go:embed schema/change_reject.output.json
	changeRejectOutput string
)

type changeDecideInputs struct {
	IDs      []string `json:"ids"`
	Versions []int64  `json:"versions"`
	Note     string   `json:"note"`
}

type changeDecideAnswer struct {
	Changes []memory.Decided `json:"changes"`
}

func changeApprove(c Config) tool.Definition[changeDecideInputs, changeDecideAnswer] {
	return tool.Definition[changeDecideInputs, changeDecideAnswer]{
		Name: "change_approve", Title: "Change Approve", Toolset: toolsetAdmin, Command: "loam review approve",
		Description: "Approve changes for the person who asked for exactly these: pending ones are written, drafts are marked reviewed. " +
			"Denied unless the project's file says memory.approve_over_mcp: true, and for what this client proposed itself.",
		Hints: decisionHints,
		Input: changeApproveInput, Output: changeApproveOutput,
		Example:  `{"ids":["3fa2c81b07"],"versions":[2],"note":"checked with finance"}`,
		Deadline: writeTime,
		Handle:   c.decide(changes.Approve),
	}
}

func changeReject(c Config) tool.Definition[changeDecideInputs, changeDecideAnswer] {
	return tool.Definition[changeDecideInputs, changeDecideAnswer]{
		Name: "change_reject", Title: "Change Reject", Toolset: toolsetAdmin, Command: "loam review reject",
		Description: "Reject changes for the person who asked for exactly these: they are not proposed again until their source changes; drafts are taken back. " +
			"Denied unless the project's file says memory.approve_over_mcp: true.",
		Hints: decisionHints,
		Input: changeRejectInput, Output: changeRejectOutput,
		Example:  `{"ids":["3fa2c81b07"],"versions":[2],"note":"finance uses net amounts"}`,
		Deadline: writeTime,
		Handle:   c.decide(changes.Reject),
	}
}

var decisionHints = tool.Hints{ReadOnly: tool.No, Destructive: tool.Yes, Idempotent: tool.No, OpenWorld: tool.No}

// decide returns the handler of a decision.
func (c Config) decide(how func(changes, context.Context, memory.Decision) ([]memory.Decided, error)) func(context.Context, changeDecideInputs) (changeDecideAnswer, error) {
	return func(ctx context.Context, in changeDecideInputs) (changeDecideAnswer, error) {
		if len(in.Versions) != len(in.IDs) {
			return changeDecideAnswer{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d versions are given for %d ids", len(in.Versions), len(in.IDs)).
				WithHint("give the version of each change, from change_get, in the order of ids")
		}
		done, err := how(c.Changes, ctx, memory.Decision{IDs: in.IDs, Versions: in.Versions, Note: in.Note, Actor: actorOf(ctx)})
		return changeDecideAnswer{done}, err
	}
}
