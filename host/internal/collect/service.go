// Package collect stores the texts of folders as chunks for search, and passes them to the memory to learn facts from
// them. It reads only below the folders and follows no link out of one. Secrets are removed before a text is stored.
package collect

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Config is what a Service is made of. All fields are required.
type Config struct {
	// State is the folder where the host writes, and Own are the folders that search reads already: none of
	// them is collected.
	State string
	Own   []string
	// Connections returns the configured connections that are open to the caller.
	Connections func(context.Context) (*connection.Registry, error)
	Chunks      *chunk.Engine
	// Refresh brings the index of the files up to date.
	Refresh func(ctx context.Context, progress func(sdk.Progress)) error
	// Secrets makes the secrets of the project known to Redact; notes say which ones it could not read.
	Secrets func(context.Context) (notes []string)
	// Redact returns a text without secrets, and how many it had.
	Redact func(text string) (clean string, count int, err error)
	// Learn reads a file for what it teaches; Forget closes what waits from one that is gone.
	Learn  func(context.Context, chunk.Lesson) (chunk.Taught, error)
	Forget func(ctx context.Context, name string, by change.Actor) error
	// LearnFrom names the repositories that are learned from without being asked to.
	LearnFrom func(context.Context) ([]string, error)
	Now       func() time.Time
	Logger    *slog.Logger
}

// Service collects. Concurrency: any number of goroutines and processes; one sync at a time.
type Service struct {
	config Config
	// batch is how many files one transaction has.
	batch int
	// step is called between the steps of a sync, by tests.
	step func(name string)
}

// New makes a Service.
func New(c Config) *Service { return &Service{config: c, batch: batchFiles, step: func(string) {}} }

// Request asks for the files of some folders to be kept as those of a repository.
type Request struct {
	Folders []string
	Repo    string
	// Connection that the files are about; "" = the one that the repository has, if any.
	Connection string
	// Learn reads the Markdown, SQL and YAML files for what they teach; so it is with the repositories of Config.LearnFrom.
	Learn bool
	// Prune forgets the files of the repository that are in none of the folders.
	Prune  bool
	DryRun bool
	By     change.Actor
}

// Answer says what became of the files.
type Answer struct {
	Ingested  int     `json:"ingested"`
	Unchanged int     `json:"unchanged"`
	Deleted   int     `json:"deleted"`
	Errors    []Fault `json:"errors"`
	// Skipped counts what is no text to be kept, by reason.
	Skipped map[string]int `json:"skipped,omitempty"`
	// Redacted counts the secrets that were taken out of the ingested files.
	Redacted int      `json:"redacted,omitempty"`
	Learned  *Learned `json:"learned,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// Fault is what is wrong with one file; the others are kept.
type Fault struct {
	Code    string  `json:"code"`
	Path    *string `json:"path"`
	Message string  `json:"message"`
}

// The codes of faults.
const (
	codeFile  = "KB_INGEST_FILES_INVALID"
	codeParse = "KB_FILE_PARSE_FAILED"
)

// The reasons for which a file is skipped.
const (
	tooLarge   = "too_large"   // over 1 MiB
	notText    = "not_text"    // no UTF-8, or with NUL
	notRegular = "not_regular" // a link, a pipe, a device
	badName    = "name"        // control or direction characters, or too long
)

const (
	// maxFile is the largest file that is kept.
	maxFile = 1 << 20
	// maxFiles and maxDepth bound the folders.
	maxFiles = 100_000
	maxDepth = 64
	maxPath  = 1024
	// batchFiles and batchBytes bound one transaction.
	batchFiles = 500
	batchBytes = 8 << 20
)

// patience is how long a sync waits for another one.
const patience = 2 * time.Second

var slug = text.Pattern(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Sync keeps the files of the folders: new and changed ones are written, unchanged ones counted. A second sync of
// the same files writes nothing. A sync that was interrupted is mended by the next one.
// Shape: a file that cannot be read is a Fault, and the others go on; then the manifest and the revision of
// the repository stay as they were. progress may be nil.
// Errors: KindInvalid (repository, folder), KindNotFound (folder, connection), KindConflict with Retry
// (another sync is under way), KindLimit (too many files, disk full), KindDenied; those of ctx.
func (s *Service) Sync(ctx context.Context, r Request, progress func(sdk.Progress)) (*Answer, error) {
	if progress == nil {
		progress = func(sdk.Progress) {}
	}
	if err := s.check(ctx, &r); err != nil {
		return nil, err
	}
	always, err := s.config.LearnFrom(ctx)
	if err != nil {
		return nil, err
	}
	r.Learn = r.Learn || slices.Contains(always, r.Repo)
	folders, err := openFolders(r.Folders, append([]string{s.config.State}, s.config.Own...))
	if err != nil {
		return nil, err
	}
	defer closeFolders(folders)
	if !r.DryRun {
		unlock, err := s.lock(ctx)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	j := &job{service: s, request: r, folders: folders, progress: progress, answer: &Answer{Errors: []Fault{}, Skipped: map[string]int{}}, seen: map[chunk.Key]bool{}}
	if err := j.run(ctx); err != nil {
		return nil, err
	}
	return j.answer, nil
}

// check refuses a request that names what there is not.
func (s *Service) check(ctx context.Context, r *Request) error {
	switch {
	case len(r.Folders) == 0:
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no folder is named").WithHint("loam ingest files DIR --repo NAME")
	case !slug().MatchString(r.Repo):
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no name of a repository", r.Repo).
			WithHint("use small letters, digits, dots, - and _, such as handbook; at most 64")
	case r.Connection == "":
		return nil
	}
	all, err := s.config.Connections(ctx)
	if err != nil {
		return err
	}
	_, err = all.Get(connection.ID(r.Connection))
	return err
}

// lock has this process alone write chunks.
func (s *Service) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.config.State, 0o700); err != nil {
		return nil, unwritable(s.config.State, err)
	}
	path := filepath.Join(s.config.State, "files.lock")
	free, err := file.Wait(ctx, path, patience)
	switch {
	case err != nil:
		return nil, cmp.Or(ctx.Err(), unwritable(path, err))
	case free == nil:
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another process collects files of this project").WithHint("run the command again when it has ended")
		e.Retry = true
		return nil, e
	}
	return func() {
		if err := free(); err != nil {
			s.config.Logger.Warn("the lock of collected files was not given back", "error", err)
		}
	}, nil
}

func unwritable(path string, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be written: %w", path, err).WithHint("make it writable for this user")
}
