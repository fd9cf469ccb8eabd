// Package collect stores the texts of folders, and of files that callers send, as chunks for search, and passes them to
// the memory to learn facts from them. It reads only below the folders and follows no link out of one. Secrets are removed before a text is stored.
package collect

import (
	"context"
	"log/slog"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Config has the dependencies of a Service. All fields are required.
type Config struct {
	// Dir is the project folder, Tenant its name. State is the folder in which the host writes, Own are the folders that
	// search indexes anyway. They are not collected.
	Dir, Tenant, State string
	Own                []string
	// Roots returns the folders below which agents may have folders indexed.
	Roots func(context.Context) ([]Root, error)
	// Connections returns the connections that the caller may use.
	Connections func(context.Context) (*connection.Registry, error)
	Chunks      *chunk.Engine
	Runs        runner
	// Refresh updates the index of the files.
	Refresh func(ctx context.Context, progress func(sdk.Progress)) error
	// Secrets registers the secrets of the project with Redact; notes name those that it cannot read.
	Secrets func(context.Context) (notes []string)
	// Redact returns a text without secrets, and their number.
	Redact func(text string) (clean string, count int, err error)
	// Learn proposes changes of the memory from a file; Forget withdraws pending ones of a file that is gone or changed.
	Learn  func(context.Context, chunk.Lesson) (chunk.Taught, error)
	Forget func(ctx context.Context, name string, by change.Actor) error
	// LearnFrom returns the repositories whose syncs always learn, even without Request.Learn.
	LearnFrom func(context.Context) ([]string, error)
	Now       func() time.Time
	Logger    *slog.Logger
}

// Service collects files.
// Concurrency: its methods may be called concurrently, also by several processes; one writes a repository at a time.
type Service struct {
	config Config
	// batch is the number of files per transaction.
	batch int
	// step is called between the steps of a sync; only tests set it.
	step func(name string)
}

// New returns a Service.
func New(c Config) *Service { return &Service{config: c, batch: batchFiles, step: func(string) {}} }

// Request asks to store the files of some folders as a repository.
type Request struct {
	Folders []string
	Repo    string
	// Connection that the files are about; "" = that of the last sync, if any.
	Connection string
	// Learn passes Markdown, SQL and YAML files to the memory. Repositories of Config.LearnFrom always learn.
	Learn bool
	// Prune deletes the stored files of the repository that are in none of the folders any more.
	Prune bool
	// DryRun counts and writes nothing.
	DryRun bool
	By     change.Actor

	// folder is the one that is indexed under the name Repo; "" = none.
	folder string
	// limit is the largest file, in bytes; 0 = maxFile.
	limit int
	// patterns choose the files.
	patterns patterns
	// head is the revision after a sync without faults; "" = it is computed.
	head string
	call call
	// planning bounds the time for what the memory learns; 0 = maxPlanning.
	planning time.Duration
	// cause and input describe the run.
	cause string
	input any
}

// Answer counts the files of a sync by what was done with them.
type Answer struct {
	Ingested  int `json:"ingested"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted"`
	// EmbeddingsGenerated is 0: search uses no vectors.
	EmbeddingsGenerated int     `json:"embeddingsGenerated"`
	Errors              []Fault `json:"errors"`
	// TenantID is the project, to which all repositories belong.
	TenantID   string `json:"tenantId"`
	DurationMs int64  `json:"durationMs"`
	// RunID identifies the run; nil for a dry run.
	RunID *string `json:"runId"`
	// Revision of the repository after the sync; nil = it has none yet.
	Revision *string `json:"revision"`
	// Skipped counts files that are not stored, by reason.
	Skipped map[string]int `json:"skipped,omitempty"`
	// Redacted counts the secrets that were removed from the ingested files.
	Redacted int      `json:"redacted,omitempty"`
	Learned  *Learned `json:"learned,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	// Repeated: the answer is that of an earlier call with the same clientId.
	Repeated bool `json:"repeated,omitempty"`
}

// Fault is the error of one file or item. It does not stop the sync of the others.
type Fault struct {
	Code    string  `json:"code"`
	Path    *string `json:"path"`
	Message string  `json:"message"`
}

// The codes of faults.
const (
	codeFile      = "KB_INGEST_FILES_INVALID"
	codeParse     = "KB_FILE_PARSE_FAILED"
	codeParser    = "KB_PARSER_NOT_REGISTERED"
	codeChunk     = "KB_PARSED_CHUNK_INVALID"
	codeEmbedding = "KB_PARSED_CHUNK_EMBEDDING_REJECTED"
	codeTombstone = "KB_TOMBSTONE_INVALID"
	codeManifest  = "KB_MANIFEST_INVALID"
	codeBoundary  = "KB_REVISION_BOUNDARY_INVALID"
)

// The reasons why a file is skipped.
const (
	tooLarge   = "too_large"   // over the limit of the request
	notText    = "not_text"    // not valid UTF-8, or with NUL
	notRegular = "not_regular" // a link, a pipe, a device
	badName    = "name"        // invalid UTF-8, control or format characters, or over 1 KiB
)

const (
	// maxFile is the largest file that is stored, in bytes, unless a request says otherwise.
	maxFile = 1 << 20
	// maxFiles bounds the files of one folder, maxDepth its levels, maxPath a path in bytes.
	maxFiles = 100_000
	maxDepth = 64
	maxPath  = 1024
	// batchFiles and batchBytes bound one transaction.
	batchFiles = 500
	batchBytes = 8 << 20
)

var slug = text.Pattern(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Sync stores the files of the folders. It writes new and changed files and counts unchanged ones, so that a second
// sync of the same files writes nothing. The next sync completes an interrupted one.
// Shape: a file that cannot be read is a Fault, and the sync continues; then the manifest and the revision of the
// repository stay unchanged. progress may be nil.
// Errors: KindInvalid (repository, folder), KindNotFound (folder, connection), KindConflict with Retry (another
// sync is running), KindLimit (too many files, disk full), KindDenied; those of ctx.
func (s *Service) Sync(ctx context.Context, r Request, progress func(sdk.Progress)) (*Answer, error) {
	r.cause = "loam ingest files"
	folders, err := s.open(ctx, &r)
	if err != nil {
		return nil, err
	}
	defer closeFolders(folders)
	return s.run(ctx, &r, progress, func(ctx context.Context, j *job) error { return j.collect(ctx, folders) })
}

// open checks a request, opens its folders, and notes them as the input of its run. The caller closes them.
func (s *Service) open(ctx context.Context, r *Request) ([]*folder, error) {
	if err := s.check(ctx, r); err != nil {
		return nil, err
	}
	folders, err := openFolders(r.Folders, append([]string{s.config.State}, s.config.Own...))
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, f := range folders {
		dirs = append(dirs, f.dir)
	}
	r.input = filesInput{dirs, r.Repo, r.Connection, r.Learn, r.Prune}
	return folders, nil
}

// filesInput is what the run of a Request was asked for.
type filesInput struct {
	Folders    []string `json:"folders"`
	Repo       string   `json:"repo"`
	Connection string   `json:"connection,omitempty"`
	Learn      bool     `json:"learn,omitempty"`
	Prune      bool     `json:"prune,omitempty"`
}

// check returns an error for a request without folders, with an invalid repository or an unknown connection.
func (s *Service) check(ctx context.Context, r *Request) error {
	switch {
	case len(r.Folders) == 0:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no folder is named").WithHint("loam ingest files DIR --repo NAME")
	case r.Connection == "":
		return checkRepo(r.Repo)
	}
	if err := checkRepo(r.Repo); err != nil {
		return err
	}
	all, err := s.config.Connections(ctx)
	if err != nil {
		return err
	}
	_, err = all.Get(connection.ID(r.Connection))
	return err
}

func checkRepo(name string) error {
	if slug().MatchString(name) {
		return nil
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no name of a repository", name).
		WithHint("use small letters, digits, dots, - and _, such as handbook; at most 64")
}
