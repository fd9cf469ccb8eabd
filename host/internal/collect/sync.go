package collect

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// job is the state of one sync.
type job struct {
	service  *Service
	request  Request
	folders  []*folder
	progress func(sdk.Progress)
	answer   *Answer

	connection string
	kept       map[chunk.Key]chunk.Kept
	seen       map[chunk.Key]bool
	// unread are the paths of files and folders that could not be read: stored files there are not pruned.
	unread  []string
	batch   chunk.Batch
	bytes   int
	lessons []lesson
}

func (j *job) run(ctx context.Context) error {
	repo, kept, err := j.service.config.Chunks.Repo(ctx, j.request.Repo)
	if err != nil {
		return err
	}
	j.kept, j.connection = kept, j.request.Connection
	if j.connection == "" {
		j.connection = repo.Connection
	}
	j.answer.Notes = append(j.answer.Notes, j.service.config.Secrets(ctx)...)
	files, err := j.list(ctx)
	if err != nil {
		return err
	}
	for i, f := range files {
		j.report("files", "files", i, len(files))
		if err := j.file(ctx, f); err != nil {
			return err
		}
	}
	if j.connection != repo.Connection && j.answer.Unchanged > 0 && j.answer.Ingested == 0 {
		if err := j.write(ctx); err != nil { // only the new connection
			return err
		}
	}
	if err := j.flush(ctx); err != nil {
		return err
	}
	if err := j.prune(ctx); err != nil {
		return err
	}
	j.learn(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return j.end(ctx)
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
	e := sdk.AsError(err, sdk.SourceHost)
	message := e.Msg
	if e.Hint != "" {
		message += ": " + e.Hint
	}
	j.answer.Errors = append(j.answer.Errors, Fault{Code: code, Path: &name, Message: message})
}

// list returns the files of all folders.
func (j *job) list(ctx context.Context) (all []found, err error) {
	for _, f := range j.folders {
		w := walk{folder: f, skipped: func(reason string) { j.answer.Skipped[reason]++ }, fault: func(path string, err error) {
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

// file reads one file, and adds it to the batch if it is new or changed.
func (j *job) file(ctx context.Context, f found) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	parser := chunk.ParserOf(f.path)
	key := chunk.Key{Path: f.path, Parser: parser.ID}
	r, reason, err := j.read(f)
	switch {
	case err != nil:
		j.unread = append(j.unread, f.path)
		j.fault(codeFile, f.path, err)
		return nil
	case reason != "":
		j.answer.Skipped[reason]++
		return nil
	}
	j.seen[key] = true
	before, known := j.kept[key]
	hash := chunk.Of(r.text)
	if j.request.Learn && teaches(f.path) && before.Learned != hash {
		j.lessons = append(j.lessons, lesson{found: f, key: key, hash: hash})
	}
	if known && before.Hash == hash && before.Version == parser.Version {
		j.answer.Unchanged++
		return nil
	}
	if !j.request.Learn && before.Learned != (chunk.Hash{}) && before.Learned != hash {
		if err := j.forget(ctx, key); err != nil {
			return err
		}
	}
	j.answer.Ingested++
	j.answer.Redacted += r.redacted
	kept := chunk.NewFile(f.path, parser, r.text)
	r.place(kept.Pieces)
	j.batch.Files = append(j.batch.Files, kept)
	j.bytes += len(r.text)
	if len(j.batch.Files) >= j.service.batch || j.bytes >= batchBytes {
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
	c.original = string(raw)
	visible, _ := assertion.Frame(c.original)
	c.text, c.redacted, err = j.service.config.Redact(visible)
	return c, "", err
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
	b.Repo, b.Connection = j.request.Repo, j.connection
	j.service.step("write")
	defer j.service.step("written")
	return j.service.config.Chunks.Write(ctx, &b)
}

// prune deletes the files that are gone, or only counts them. It withdraws the pending changes of a file before it
// deletes the row, which is the only record that there are any.
func (j *job) prune(ctx context.Context) error {
	gone := 0
	for key, kept := range j.kept {
		if j.seen[key] || j.unreadable(key.Path) {
			continue
		}
		if gone++; !j.request.Prune {
			continue
		}
		if kept.Learned != (chunk.Hash{}) {
			if err := j.forget(ctx, key); err != nil {
				return err
			}
		}
		j.answer.Deleted++
		if j.batch.Deleted = append(j.batch.Deleted, key); len(j.batch.Deleted) >= j.service.batch {
			if err := j.flush(ctx); err != nil {
				return err
			}
		}
	}
	if gone > 0 && !j.request.Prune {
		j.note("%s of %s no longer in the folders; --prune deletes what is gone", text.Count(gone, "kept file"), isAre(gone, j.request.Repo))
	}
	return j.flush(ctx)
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
	if j.request.DryRun {
		return nil
	}
	if len(j.answer.Errors) == 0 {
		if _, err := j.service.config.Chunks.End(ctx, j.request.Repo); err != nil {
			return err
		}
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
