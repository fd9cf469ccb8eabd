package collect

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// job is the state of one sync.
type job struct {
	service  *Service
	request  *Request
	progress func(sdk.Progress)
	answer   *Answer

	repo       chunk.Repo // before the sync
	connection string
	kept       map[chunk.Key]chunk.Kept
	seen       map[chunk.Key]bool
	// unread are the paths of files and folders that could not be read: stored files there are not pruned.
	unread []string
	// whole: everything is one transaction.
	whole   bool
	batch   chunk.Batch
	bytes   int
	lessons []lesson
}

// run runs the steps of a sync.
func (j *job) run(ctx context.Context, add step) error {
	if err := j.begin(ctx); err != nil {
		return err
	}
	if err := add(ctx, j); err != nil {
		return err
	}
	if err := j.flush(ctx); err != nil {
		return err
	}
	j.learn(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return j.end(ctx)
}

// begin reads the state of the repository.
// Errors: KindDenied for a repository about a connection that the caller may not use.
func (j *job) begin(ctx context.Context) (err error) {
	r, s := j.request, j.service
	if r.folder != "" {
		name, err := s.nameOf(ctx, r.folder)
		if err == nil && name != r.Repo {
			err = moved(r.Repo)
		}
		if err != nil {
			return err
		}
	}
	if j.repo, j.kept, err = s.config.Chunks.Repo(ctx, r.Repo); err != nil {
		return err
	}
	if about := j.repo.Connection; about != "" && !caller.Of(ctx).AllowsConnection(about) {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the files of %s are about a connection that you may not use", r.Repo).
			WithHint("choose another name for the repository")
	}
	always, err := s.config.LearnFrom(ctx)
	if err != nil {
		return err
	}
	r.Learn = r.Learn || slices.Contains(always, r.Repo)
	j.connection = cmp.Or(r.Connection, j.repo.Connection)
	j.answer.Notes = append(j.answer.Notes, s.config.Secrets(ctx)...)
	return nil
}

// collect adds the files of folders, and prunes what is gone.
func (j *job) collect(ctx context.Context, folders []*folder) error {
	files, err := j.list(ctx, folders)
	if err != nil {
		return err
	}
	for i, f := range files {
		j.report("files", "files", i, len(files))
		if err := j.file(ctx, f); err != nil {
			return err
		}
	}
	if j.connection != j.repo.Connection && j.answer.Unchanged > 0 && j.answer.Ingested == 0 {
		if err := j.write(ctx); err != nil { // only the new connection
			return err
		}
	}
	if err := j.flush(ctx); err != nil {
		return err
	}
	return j.prune(ctx)
}

func (j *job) report(phase, unit string, done, total int) {
	const stride = 20
	if done%stride == 0 {
		j.progress(sdk.Progress{Phase: phase, Done: int64(done), Total: int64(total), Unit: unit})
	}
}

func (j *job) note(format string, args ...any) {
	j.answer.Notes = append(j.answer.Notes, fmt.Sprintf(format, args...))
}

func (j *job) fault(code, name string, err error) {
	j.answer.Errors = append(j.answer.Errors, newFault(code, name, err))
}

// newFault returns the fault of a path; "" = the item has none.
func newFault(code, path string, err error) Fault {
	e := sdk.AsError(err, sdk.SourceHost)
	f := Fault{Code: code, Message: e.Msg}
	if path != "" {
		f.Path = &path
	}
	if e.Hint != "" {
		f.Message += ": " + e.Hint
	}
	return f
}

// list returns the files of all folders.
func (j *job) list(ctx context.Context, folders []*folder) (all []found, err error) {
	for _, f := range folders {
		f.limit = cmp.Or(j.request.limit, maxFile)
		w := walk{folder: f, patterns: &j.request.patterns, skipped: func(reason string) { j.answer.Skipped[reason]++ }, fault: func(path string, err error) {
			j.unread = append(j.unread, path)
			j.fault(codeFile, path, err)
		}}
		if err := w.in(ctx, ".", f.levels, 0); err != nil {
			return nil, err
		}
		all = append(all, w.files...)
		if len(f.own) > 0 {
			j.note("folders of the project itself are left out of %s: search reads them already", path.Base(f.dir))
		}
	}
	return all, nil
}

// file reads one file and adds it.
func (j *job) file(ctx context.Context, f found) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.service.step("read")
	c, reason, err := j.read(f)
	switch {
	case err != nil:
		j.unread = append(j.unread, f.path)
		j.fault(codeFile, f.path, err)
		return nil
	case reason != "":
		j.answer.Skipped[reason]++
		return nil
	}
	parser, hash := chunk.ParserOf(f.path), chunk.Of(c.text)
	return j.add(ctx, &entry{
		key: chunk.Key{Path: f.path, Parser: parser.ID}, version: parser.Version, hash: hash, bytes: len(c.text), redacted: c.redacted,
		file: func() chunk.File { return c.split(f.path, parser) },
		text: func() (string, bool) {
			c, reason, err := j.read(f)
			return c.text, err == nil && reason == "" && chunk.Of(c.text) == hash
		},
	})
}

// entry is a file to store.
type entry struct {
	key             chunk.Key
	version         int // of the parser
	hash            chunk.Hash
	bytes, redacted int
	// file divides it into chunks.
	file func() chunk.File
	// text returns its text to learn from; ok is false when it is no longer the same.
	text func() (text string, ok bool)
}

// add counts a file, and adds it to the batch if it is new or changed.
func (j *job) add(ctx context.Context, e *entry) error {
	j.seen[e.key] = true
	before, known := j.kept[e.key]
	if j.request.Learn && teaches(e.key.Path) && before.Learned != e.hash {
		j.lessons = append(j.lessons, lesson{key: e.key, hash: e.hash, text: e.text})
	}
	if known && before.Hash == e.hash && before.Version == e.version {
		j.answer.Unchanged++
		return nil
	}
	if !j.request.Learn && before.Learned != (chunk.Hash{}) && before.Learned != e.hash {
		if err := j.forget(ctx, e.key); err != nil {
			return err
		}
	}
	j.answer.Ingested++
	j.answer.Redacted += e.redacted
	j.batch.Files = append(j.batch.Files, e.file())
	j.bytes += e.bytes
	if !j.whole && (len(j.batch.Files) >= j.service.batch || j.bytes >= batchBytes) {
		return j.flush(ctx)
	}
	return nil
}

// content is a file as it is stored.
type content struct {
	original string
	text     string // without secrets and invisible characters
	redacted int
}

// read reads a file as it is stored.
// Shape: reason says why it is skipped, without content; "" = it is not.
func (j *job) read(f found) (c content, reason string, err error) {
	raw, reason, err := f.folder.read(f.name)
	switch {
	case err != nil || reason != "":
		return c, reason, err
	case !utf8.Valid(raw) || strings.ContainsRune(string(raw), 0):
		return c, notText, nil
	}
	c, err = j.service.clean(string(raw))
	return c, "", err
}

// clean returns a text as it is stored.
func (s *Service) clean(original string) (c content, err error) {
	c.original = original
	visible, _ := assertion.Frame(original)
	c.text, c.redacted, err = s.config.Redact(visible)
	return c, err
}

// split divides the text into chunks, with the lines of the original.
func (c *content) split(path string, p chunk.Parser) chunk.File {
	f := chunk.NewFile(path, p, c.text)
	c.place(f.Pieces)
	return f
}

// place sets the lines of pieces to those in the original. Where lines were removed, only pieces before the first and
// after the last difference get lines; those between get 0.
func (c *content) place(pieces []chunk.Piece) {
	original, kept := strings.Split(c.original, "\n"), strings.Split(c.text, "\n")
	if len(original) == len(kept) {
		return
	}
	same := func(a, b string) bool { return strings.TrimSuffix(a, "\r") == b }
	first, last := 0, 0 // the number of equal lines at the beginning and at the end
	for first < min(len(original), len(kept)) && same(original[first], kept[first]) {
		first++
	}
	for last < min(len(original), len(kept))-first && same(original[len(original)-1-last], kept[len(kept)-1-last]) {
		last++
	}
	for i := range pieces {
		switch p := &pieces[i]; {
		case p.Last <= first:
		case p.First > len(kept)-last:
			p.First, p.Last = p.First+len(original)-len(kept), p.Last+len(original)-len(kept)
		default:
			p.First, p.Last = 0, 0
		}
	}
}

// flush writes the batch if it is not empty.
func (j *job) flush(ctx context.Context) error {
	if len(j.batch.Files)+len(j.batch.Deleted) == 0 {
		return nil
	}
	return j.write(ctx)
}

func (j *job) write(ctx context.Context) error {
	b := j.batch
	j.batch, j.bytes = chunk.Batch{}, 0
	if j.request.DryRun {
		return nil
	}
	b.Repo, b.Connection, b.Folder = j.request.Repo, j.connection, cmp.Or(j.request.folder, j.repo.Folder)
	j.service.step("write")
	defer j.service.step("written")
	return j.service.config.Chunks.Write(ctx, &b)
}

// prune deletes the files that are gone, or only counts them.
func (j *job) prune(ctx context.Context) error {
	var gone []chunk.Key
	for key := range j.kept {
		if !j.seen[key] && !j.unreadable(key.Path) {
			gone = append(gone, key)
		}
	}
	if j.request.Prune {
		return j.drop(ctx, gone)
	}
	if n := len(gone); n > 0 {
		j.note("%s of %s no longer in the folders; --prune deletes what is gone", text.Count(n, "kept file"), isAre(n, j.request.Repo))
	}
	return nil
}

func isAre(n int, repo string) string {
	if n == 1 {
		return repo + " is"
	}
	return repo + " are"
}

func (j *job) unreadable(path string) bool {
	for _, begin := range j.unread {
		if path == begin || begin == "" || strings.HasPrefix(path, strings.TrimSuffix(begin, "/")+"/") {
			return true
		}
	}
	return false
}

// end stores the manifest and the revision if there were no faults, and updates the index.
func (j *job) end(ctx context.Context) error {
	if j.repo.Revision != "" {
		j.answer.Revision = &j.repo.Revision
	}
	if j.request.DryRun {
		return nil
	}
	if len(j.answer.Errors) == 0 {
		j.service.step("end")
		revision, err := j.service.config.Chunks.End(ctx, &chunk.Repo{
			Name: j.request.Repo, Connection: j.connection, Revision: j.request.head, Folder: cmp.Or(j.request.folder, j.repo.Folder),
		})
		if err != nil {
			return err
		}
		j.answer.Revision = &revision
	}
	if j.answer.Ingested+j.answer.Deleted == 0 {
		return nil
	}
	j.service.step("indexing")
	if err := j.service.config.Refresh(ctx, j.progress); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e := sdk.AsError(err, sdk.SourceHost)
		j.note("the files cannot be found yet: %s; %s", e.Msg, cmp.Or(e.Hint, "run the command again"))
	}
	return nil
}
