package mcpserver

import (
	"context"
	_ "embed" // for the schemas
	"time"

	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

var (
	//go:embed schema/index_repository.input.json
	indexRepositoryInput string
	//go:embed schema/index_repository.output.json
	indexRepositoryOutput string
)

// waitTime bounds a call that waits up to 50 s for a run.
const waitTime = 60 * time.Second

type indexRepositoryInputs struct {
	Path        string   `json:"path"`
	Include     []string `json:"include"`
	Exclude     []string `json:"exclude"`
	MaxFileSize int      `json:"maxFileSize"`
	WaitSeconds int      `json:"waitSeconds"`
	ClientID    string   `json:"clientId"`
}

func indexRepository(c Config) tool.Definition[indexRepositoryInputs, *collect.Indexed] {
	return tool.Definition[indexRepositoryInputs, *collect.Indexed]{
		Name: "index_repository", Title: "Index Repository", Toolset: toolsetSources, Command: "loam index",
		Description: "Make the texts of a folder searchable as they are now: new files are added, gone ones removed. Git's ignore files count. " +
			"Answers at once with a run; find the texts with discover_data and kinds [\"file\"].",
		Hints: tool.Hints{ReadOnly: tool.No, Destructive: tool.Yes, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: indexRepositoryInput, Output: indexRepositoryOutput,
		Example:  `{"path":"/srv/handbook","include":["**/*.{md,sql}"],"waitSeconds":20}`,
		Deadline: waitTime,
		Handle: func(ctx context.Context, in indexRepositoryInputs) (*collect.Indexed, error) {
			report := tool.Progress(ctx)
			return c.Files.BeginIndex(ctx, collect.IndexRequest{
				Path: in.Path, Include: in.Include, Exclude: in.Exclude, MaxFileSize: in.MaxFileSize, ClientID: in.ClientID, By: actorOf(ctx),
			}, time.Duration(in.WaitSeconds)*time.Second, func(p sdk.Progress) {
				if report != nil && p.Total > 0 {
					report(float64(p.Done)/float64(p.Total), p.Phase)
				}
			})
		},
	}
}
