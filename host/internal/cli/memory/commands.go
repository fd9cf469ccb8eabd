// Package memory has the commands that ingest texts, review the changes that result from
// them, and write pages of the wiki.
package memory

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/collect"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

// Services are what the commands need of a project.
type Services struct {
	Texts   texts
	Records records
	Changes changes
	Mutes   mutes
	Drafts  drafts
	Pages   pages
	Files   files
	Jobs    jobs
}

// NewServices returns the services of one memory, of the collection of files, and of long work.
func NewServices(m *memory.Service, c *collect.Service, j *job.Service) Services {
	return Services{Texts: m, Records: m, Changes: m, Mutes: m, Drafts: m, Pages: m, Files: c, Jobs: j}
}

type texts interface {
	Accept(context.Context, memory.Input) (memory.Accepted, error)
	Preview(context.Context, memory.Input) (*memory.Run, error)
	Wait(ctx context.Context, id memory.RunID, progress func(stage string)) (*memory.Run, error)
	Status(context.Context, memory.RunID) (*memory.Run, error)
	Retry(ctx context.Context, id memory.RunID, by change.Actor) (memory.Accepted, error)
}

type records interface {
	Log(ctx context.Context, limit int) ([]memory.Event, error)
	Facts(context.Context, memory.FactsRequest) ([]memory.Fact, error)
}

type changes interface {
	Changes(context.Context, memory.ChangesRequest) (*memory.ChangesAnswer, error)
	Change(ctx context.Context, id string) (*memory.Detail, error)
	Approve(context.Context, memory.Decision) ([]memory.Decided, error)
	Reject(context.Context, memory.Decision) ([]memory.Decided, error)
	Revert(context.Context, memory.RevertRequest) (*memory.Reverted, error)
}

type drafts interface {
	Pending(ctx context.Context, id string) (text string, version int64, err error)
	EditPending(ctx context.Context, id, text string, version int64, by change.Actor) (*memory.Detail, error)
}

type pages interface {
	WritePage(context.Context, memory.PageWrite) (*memory.Decided, error)
	PageFile(ctx context.Context, key string) (content, hash string, err error)
	PageHistory(ctx context.Context, key string) ([]memory.PageVersion, error)
	PageVersionText(ctx context.Context, key string, n int) (string, error)
	RevertPage(ctx context.Context, key string, n int, by change.Actor, dryRun bool) (*memory.Decided, error)
}

type jobs interface {
	List(context.Context, job.ListRequest) (*job.List, error)
	Report(context.Context, job.Follow) (job.Status, error)
	Cancel(ctx context.Context, id string) (job.Status, error)
	Replay(ctx context.Context, by job.Caller, id string) (job.Status, error)
	ListArtifacts(context.Context, job.ArtifactsRequest) (*job.Artifacts, error)
	ReadArtifact(ctx context.Context, r job.ArtifactsRequest, name string, offset int64) (*job.Part, error)
}

type files interface {
	Sync(context.Context, collect.Request, func(sdk.Progress)) (*collect.Answer, error)
	Index(context.Context, collect.IndexRequest, func(sdk.Progress)) (*collect.Indexed, error)
}

// commands are those of this package on one command line.
type commands struct {
	invocation *command.Invocation
	term       *terminal.Terminal
	open       command.Open[Services]
}

// Commands returns the commands of this package, but for those below wiki.
func Commands(i *command.Invocation, open command.Open[Services]) []*cobra.Command {
	a := &commands{i, i.Terminal, open}
	return []*cobra.Command{a.ingestCommand(), a.indexCommand(), a.runsCommand(), a.reviewCommand(), a.factsCommand()}
}

// WikiCommands returns the commands that write pages, which belong below wiki.
func WikiCommands(i *command.Invocation, open command.Open[Services]) []*cobra.Command {
	a := &commands{i, i.Terminal, open}
	return []*cobra.Command{a.pageWriteCommand(), a.pageEditCommand(), a.pageHistoryCommand(), a.pageRevertCommand()}
}

// dryRunFlag adds --dry-run to a command that writes.
func dryRunFlag(cmd *cobra.Command, dryRun *bool) *cobra.Command {
	cmd.Flags().BoolVar(dryRun, "dry-run", false, "show what would be done, and write nothing")
	return cmd
}
