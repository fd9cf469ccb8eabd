package collect

import (
	"context"
	"encoding/json"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// storedInput is the input of a run as its row has it: an indexInput or a filesInput.
type storedInput struct {
	indexInput
	filesInput
}

// Replay begins the work of an ended run again, in a new run, from the stored input. The folders are read as they are
// now, and cause is what asked for it.
// Errors: KindConflict for an input that is not stored, as that of a push is not; those of BeginIndex and Sync before
// the work begins; KindDenied for an agent that asks for folders of a person.
func (s *Service) Replay(ctx context.Context, input json.RawMessage, by change.Actor, cause string) (run.Run, error) {
	var in storedInput
	if len(input) > 0 {
		if err := json.Unmarshal(input, &in); err != nil {
			return run.Run{}, err
		}
	}
	switch {
	case in.Path != "":
		i, err := s.prepare(ctx, &IndexRequest{Path: in.Path, Include: in.Include, Exclude: in.Exclude, MaxFileSize: in.MaxFileSize, By: by}, cause)
		if err != nil {
			return run.Run{}, err
		}
		return i.start(ctx)
	case len(in.Folders) == 0:
		return run.Run{}, sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the files of a push are not kept, only their chunks").
			WithHint("push them again with ingest_source_files, or from their folder: loam ingest files DIR --repo NAME")
	case by.Channel == change.MCP:
		return run.Run{}, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "a person chose the folders of this run").WithHint("ask a person to run it again, or call index_repository")
	}
	return s.beginSync(ctx, &Request{Folders: in.Folders, Repo: in.Repo, Connection: in.Connection, Learn: in.Learn, Prune: in.Prune, By: by, cause: cause})
}

// start begins the run, which closes the folder.
func (i *indexing) start(ctx context.Context) (run.Run, error) {
	return i.service.start(ctx, &i.request, []*folder{i.folder}, i.run)
}

// beginSync begins a Sync in the background.
func (s *Service) beginSync(ctx context.Context, r *Request) (run.Run, error) {
	folders, err := s.open(ctx, r)
	if err != nil {
		return run.Run{}, err
	}
	return s.start(ctx, r, folders, func(ctx context.Context, report func(sdk.Progress)) (any, error) {
		a, err := s.sync(ctx, r, report, func(ctx context.Context, j *job) error { return j.collect(ctx, folders) })
		return reportOf(a), err
	})
}

// start begins the run of a request in the background. The folders are closed at its end.
func (s *Service) start(ctx context.Context, r *Request, folders []*folder, work do) (run.Run, error) {
	begun, err := s.config.Runs.Begin(ctx, r.work(), func(ctx context.Context, report func(sdk.Progress)) (any, error) {
		defer closeFolders(folders)
		return work(ctx, report)
	})
	if err != nil {
		closeFolders(folders)
	}
	return begun, err
}
