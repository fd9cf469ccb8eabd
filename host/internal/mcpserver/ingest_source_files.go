package mcpserver

import (
	"context"
	_ "embed" // for the schemas
	"encoding/json"

	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/ingest_source_files.input.json
	ingestSourceFilesInput string
	//go:embed schema/ingest_source_files.output.json
	ingestSourceFilesOutput string
)

type ingestSourceFilesInputs struct {
	Repo             string            `json:"repo"`
	Files            []json.RawMessage `json:"files"`
	Deleted          []json.RawMessage `json:"deleted"`
	ManifestSnapshot json.RawMessage   `json:"manifestSnapshot"`
	BaseRevision     string            `json:"baseRevision"`
	HeadRevision     string            `json:"headRevision"`
	TenantID         string            `json:"tenantId"`
	ClientID         string            `json:"clientId"`
}

var _ tool.Detailed = (*collect.Refusal)(nil)

func ingestSourceFiles(c Config) tool.Definition[ingestSourceFilesInputs, *collect.Answer] {
	return tool.Definition[ingestSourceFilesInputs, *collect.Answer]{
		Name: "ingest_source_files", Title: "Ingest Source Files", Toolset: toolsetSources, Command: "loam ingest files",
		Description: "Push texts of files for search, up to 50 chunks and 1 MiB; a larger push is refused with the command line for it. " +
			"Other files stay. Faulty items are in errors; the rest is stored.",
		Hints: tool.Hints{ReadOnly: tool.No, Destructive: tool.Yes, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: ingestSourceFilesInput, Output: ingestSourceFilesOutput,
		Example:  `{"repo":"handbook","files":[{"path":"terms.md","content":"ARR is yearly revenue."}],"deleted":["old.md"]}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in ingestSourceFilesInputs) (*collect.Answer, error) {
			return c.Files.Push(ctx, collect.PushRequest{
				Repo: in.Repo, Files: in.Files, Deleted: in.Deleted, Manifest: in.ManifestSnapshot, Base: in.BaseRevision, Head: in.HeadRevision,
				Tenant: in.TenantID, ClientID: in.ClientID, By: actorOf(ctx),
			})
		},
	}
}
