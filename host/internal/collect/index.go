package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// MaxFileSize is the largest file that an IndexRequest may ask for, in bytes.
const MaxFileSize = 10 << 20

// IndexRequest asks to index a folder: the files that it has now, and no others. The folder has a repository of its
// own, which is named after it.
type IndexRequest struct {
	// Path is the folder. That of an agent is absolute and below one of Config.Roots.
	Path string
	// Include and Exclude are patterns of paths below the folder; see ignore.Glob. No Include = all files.
	Include, Exclude []string
	// MaxFileSize is the largest file, in bytes; 0 = 1 MiB.
	MaxFileSize int
	// ClientID identifies the call of BeginIndex: a repeated id is a repeated call. "" = none.
	ClientID string
	By       change.Actor
}

// Patterns are those of an IndexRequest.
type Patterns struct {
	Include []string `json:"include"`
	Exclude []string `json:"exclude"`
}

// Indexed is the answer to an IndexRequest.
type Indexed struct {
	// RunID identifies the run, and Status is its state.
	RunID  string    `json:"runId"`
	Status run.State `json:"status"`
	Path   string    `json:"path"`
	// Repo is the name under which the files are found.
	Repo           string         `json:"repo"`
	FilesIndexed   int            `json:"filesIndexed"` // new and changed ones
	FilesUnchanged int            `json:"filesUnchanged"`
	FilesDeleted   int            `json:"filesDeleted"`
	Skipped        map[string]int `json:"skipped"`
	Patterns       Patterns       `json:"patterns"`
	MaxFileSize    int            `json:"maxFileSize"`
	// IndexedAt is when the index was complete; nil = it is not, because of Errors.
	IndexedAt *time.Time `json:"indexedAt"`
	Errors    []Fault    `json:"errors"`
	Redacted  int        `json:"redacted,omitempty"`
	Learned   *Learned   `json:"learned,omitempty"`
	Notes     []string   `json:"notes,omitempty"`
	Error     string     `json:"error,omitempty"` // of the run; "" = none
	// Repeated: the run is that of an earlier call with the same clientId.
	Repeated bool `json:"repeated,omitempty"`
}

// indexing is an IndexRequest that was checked, with its folder opened.
type indexing struct {
	service *Service
	request Request
	answer  Indexed
	folder  *folder
}

// Index indexes a folder. The same folder again writes only what changed, and deletes what is gone.
// Shape: as for Sync. progress may be nil.
// Errors: KindDenied for a folder that the caller may not have indexed; KindInvalid (pattern, size, path); those of Sync.
func (s *Service) Index(ctx context.Context, r IndexRequest, progress func(sdk.Progress)) (*Indexed, error) {
	i, err := s.prepare(ctx, &r, "loam index")
	if err != nil {
		return nil, err
	}
	done, err := s.alone(ctx, &i.request, func(ctx context.Context, report func(sdk.Progress)) (any, error) {
		return i.run(ctx, both(report, progress))
	})
	closeFolders([]*folder{i.folder})
	if err != nil {
		return nil, err
	}
	return i.answered(&done)
}

// BeginIndex indexes a folder in the background, and waits a while for the end.
// Shape: the answer is of the moment when wait is over; Status says whether the run has ended. progress may be nil.
// Errors: those of Index before the work begins; KindConflict for a ClientID of another call; those of ctx. An error of
// the work is in the answer.
func (s *Service) BeginIndex(ctx context.Context, r IndexRequest, wait time.Duration, progress func(sdk.Progress)) (*Indexed, error) {
	i, err := s.prepare(ctx, &r, "index_repository")
	if err != nil {
		return nil, err
	}
	begun, repeated, err := i.begin(ctx, &r)
	if err != nil {
		return nil, err
	}
	if wait > 0 || repeated {
		if begun, err = s.config.Runs.Wait(ctx, begun.ID, wait, progress); err != nil {
			return nil, err
		}
	}
	out, err := i.answered(&begun)
	if err == nil {
		out.Repeated = repeated
	}
	return out, err
}

// begin begins the run, or returns that of the earlier call with the same name. It closes the folder, now or at the end
// of the run.
func (i *indexing) begin(ctx context.Context, r *IndexRequest) (begun run.Run, repeated bool, err error) {
	s := i.service
	named, err := nameCall("index_repository", r.ClientID, r.By, i.request.input)
	var before *Answer
	if err == nil {
		before, err = s.before(ctx, &named)
	}
	if err != nil || before != nil {
		closeFolders([]*folder{i.folder})
		if before != nil {
			begun.ID = *before.RunID
		}
		return begun, before != nil, err
	}
	if begun, err = i.start(ctx); err != nil {
		return begun, false, err
	}
	if err := s.answered(ctx, &named, &Answer{RunID: &begun.ID}); err != nil { // a repeated call indexes again, which changes nothing
		s.config.Logger.WarnContext(ctx, "the name of a call was not stored", "run", begun.ID, "error", err)
	}
	return begun, false, nil
}

// prepare checks a request and opens its folder. The caller closes it.
func (s *Service) prepare(ctx context.Context, r *IndexRequest, cause string) (*indexing, error) {
	if r.MaxFileSize < 0 || r.MaxFileSize > MaxFileSize {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "maxFileSize is %d bytes", r.MaxFileSize).WithHint("choose up to %d, or 0 for %d", MaxFileSize, maxFile)
	}
	chosen, err := newPatterns(r.Include, r.Exclude)
	if err != nil {
		return nil, err
	}
	f, err := s.openIndexed(ctx, r)
	if err != nil {
		return nil, err
	}
	name, err := s.nameOf(ctx, f.dir)
	if err != nil {
		closeFolders([]*folder{f})
		return nil, err
	}
	limit := cmp.Or(r.MaxFileSize, maxFile)
	asked := Patterns{append([]string{}, r.Include...), append([]string{}, r.Exclude...)}
	return &indexing{
		service: s, folder: f,
		request: Request{Repo: name, Prune: true, By: r.By, folder: f.dir, limit: limit, patterns: chosen, cause: cause, input: indexInput{f.dir, asked, limit}},
		answer:  Indexed{Path: f.dir, Repo: name, Skipped: map[string]int{}, Patterns: asked, MaxFileSize: limit, Errors: []Fault{}},
	}, nil
}

// indexInput is what the run of an IndexRequest was asked for.
type indexInput struct {
	Path string `json:"path"`
	Patterns
	MaxFileSize int `json:"maxFileSize"`
}

// run does the work. Its report is an Indexed without the state of the run.
func (i *indexing) run(ctx context.Context, progress func(sdk.Progress)) (any, error) {
	a, err := i.service.sync(ctx, &i.request, progress, func(ctx context.Context, j *job) error { return j.collect(ctx, []*folder{i.folder}) })
	if err != nil {
		return nil, err
	}
	out := i.answer
	out.FilesIndexed, out.FilesUnchanged, out.FilesDeleted = a.Ingested, a.Unchanged, a.Deleted
	out.Skipped, out.Errors, out.Redacted, out.Learned, out.Notes = a.Skipped, a.Errors, a.Redacted, a.Learned, a.Notes
	if len(a.Errors) == 0 {
		at := i.service.config.Now().UTC().Truncate(time.Second)
		out.IndexedAt = &at
	}
	return &out, nil
}

// answered returns the answer of a run as its row has it.
func (i *indexing) answered(r *run.Run) (*Indexed, error) {
	out := i.answer
	if r.Report != nil {
		if err := json.Unmarshal(r.Report, &out); err != nil {
			return nil, err
		}
	}
	out.RunID, out.Status, out.Error = r.ID, r.State, r.Error
	return &out, nil
}
