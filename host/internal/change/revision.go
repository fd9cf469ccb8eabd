package change

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Own reports whether a file's content is the one that Loam wrote last.
func (e *Engine) Own(ctx context.Context, path string, content []byte) (bool, error) {
	if content == nil {
		return false, nil
	}
	s, err := e.Store.Get(ctx)
	if err != nil {
		return false, err
	}
	last, err := s.LastMemoryRevision(ctx, path, string(OfMachine), nil)
	return err == nil && last != nil && Hash(last.Hash) == Of(content), err
}

// RevisionOrigin says who wrote a revision.
type RevisionOrigin string

// The origins. A file of a person stays the person's when a change to it is approved.
const (
	OfMachine RevisionOrigin = "machine"
	OfPerson  RevisionOrigin = "person"
)

// originOf returns whose the file is when a change has been written: a file keeps its owner, a content that it
// had before its own, and a new file is its proposer's.
func (e *Engine) originOf(ctx context.Context, r *record, current []byte, own bool, after []byte) (RevisionOrigin, error) {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return "", err
	}
	h := hashOf(after)
	known, err := s.LastMemoryRevision(ctx, r.Path, "", h[:])
	switch {
	case err != nil:
		return "", err
	case known != nil && after != nil:
		return RevisionOrigin(known.Origin), nil
	case current != nil && !own, r.By.Person() && r.Undoes == "":
		return OfPerson, nil
	}
	return OfMachine, nil
}

// keep adds a file's content to a batch as a revision, unless it is the last one.
func (e *Engine) keep(ctx context.Context, batch *store.MemoryBatch, path string, content []byte, own bool) error {
	if content == nil {
		return nil
	}
	s, err := e.Store.Get(ctx)
	if err != nil {
		return err
	}
	last, err := s.LastMemoryRevision(ctx, path, "", nil)
	if err != nil || last != nil && Hash(last.Hash) == Of(content) {
		return err
	}
	origin := OfPerson
	if own {
		origin = OfMachine
	}
	batch.Blobs = append(batch.Blobs, blobOf(content))
	batch.Revisions = append(batch.Revisions, revisionOf(path, content, e.Now(), origin))
	return nil
}

// keepTheirs stores contents of a person as revisions, unless they are.
func (e *Engine) keepTheirs(ctx context.Context, path string, theirs ...[]byte) error {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return err
	}
	var batch store.MemoryBatch
	for _, content := range theirs {
		revision := revisionOf(path, content, e.Now(), OfPerson)
		known, err := s.LastMemoryRevision(ctx, path, "", revision.Hash)
		if err != nil {
			return err
		}
		if known == nil {
			batch.Blobs = append(batch.Blobs, blobOf(content))
			batch.Revisions = append(batch.Revisions, revision)
		}
	}
	if len(batch.Revisions) == 0 {
		return nil
	}
	return e.commit(ctx, "keep", &batch)
}

func blobOf(content []byte) store.MemoryBlob {
	h := Of(content)
	return store.MemoryBlob{Hash: h[:], Content: content}
}

func revisionOf(path string, content []byte, at time.Time, origin RevisionOrigin) store.MemoryRevision {
	h := Of(content)
	return store.MemoryRevision{Path: path, Hash: h[:], At: at, Origin: string(origin)}
}

// Revision is one content of a file in the course of time.
type Revision struct {
	Path   string
	Hash   Hash // zero = the file was gone
	Bytes  int
	At     time.Time
	Origin RevisionOrigin
	Change ID // that wrote the content, "" = none
	// Unstored: it is the present content, which somebody wrote since; At is when the file was changed.
	Unstored bool
}

// Keep stores the present content of a file as a revision if it is new.
func (e *Engine) Keep(ctx context.Context, path string) error {
	current, err := e.Read(path)
	if err != nil {
		return err
	}
	own, err := e.Own(ctx, path, current)
	if err != nil {
		return err
	}
	var batch store.MemoryBatch
	if err := e.keep(ctx, &batch, path, current, own); err != nil || len(batch.Revisions) == 0 {
		return err
	}
	return e.commit(ctx, "keep", &batch)
}

// Revisions returns the revisions of a file, the oldest first. The present content is the last one, whether it is stored or
// not. Nothing is written.
func (e *Engine) Revisions(ctx context.Context, path string) ([]Revision, error) {
	current, err := e.Read(path)
	if err != nil {
		return nil, err
	}
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.MemoryRevisions(ctx, path)
	all := make([]Revision, 0, len(rows))
	for _, r := range rows {
		all = append(all, Revision{r.Path, Hash(r.Hash), r.Bytes, r.At, RevisionOrigin(r.Origin), ID(r.Change), false})
	}
	if err != nil || current == nil || len(all) > 0 && all[len(all)-1].Hash == Of(current) {
		return all, err
	}
	return append(all, Revision{Path: path, Hash: Of(current), Bytes: len(current), At: e.changed(path), Origin: OfPerson, Unstored: true}), nil
}

// changed returns when a file was changed; now where that is not known.
func (e *Engine) changed(path string) time.Time {
	info, err := os.Stat(filepath.Join(e.Dir, filepath.FromSlash(path)))
	if err != nil {
		return e.Now()
	}
	return info.ModTime().UTC()
}

// ContentOf returns the content of a revision of a file; nil where the file was gone.
// Errors: KindNotFound; KindConflict for an unstored one whose file was changed since.
func (e *Engine) ContentOf(ctx context.Context, r *Revision) ([]byte, error) {
	if !r.Unstored {
		return e.Content(ctx, r.Hash)
	}
	content, err := e.Read(r.Path)
	if err == nil && (content == nil || Of(content) != r.Hash) {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s was changed in this moment", r.Path).WithHint("look at its revisions again")
	}
	return content, err
}

// Content returns the content of a revision; nil for the zero Hash. Errors: KindNotFound.
func (e *Engine) Content(ctx context.Context, h Hash) ([]byte, error) {
	if h == (Hash{}) {
		return nil, nil
	}
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	content, err := s.MemoryBlob(ctx, h[:])
	if err == nil && content == nil {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the revision %s is not kept any more", h)
	}
	return content, err
}

// Event is an entry of the log.
type Event struct {
	N      int64 // rising
	At     time.Time
	By     Actor
	Verb   string
	Change ID     // "" = none
	Run    string // "" = none
	Detail string
}

// Record appends events to the log with the present time, all or none.
func (e *Engine) Record(ctx context.Context, all ...Event) error {
	batch := &store.MemoryBatch{}
	for i := range all {
		ev := &all[i]
		batch.Events = append(batch.Events, store.MemoryEvent{At: e.Now(), Actor: encode(&ev.By), Verb: ev.Verb, Change: string(ev.Change), Run: ev.Run, Detail: ev.Detail})
	}
	return e.commit(ctx, "record", batch)
}

// Events returns the last events, the latest first; those of one change when of is set.
func (e *Engine) Events(ctx context.Context, limit int, of ID) ([]Event, error) {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.MemoryEvents(ctx, limit, string(of))
	all := make([]Event, 0, len(rows))
	for _, r := range rows {
		ev := Event{N: r.N, At: r.At, Verb: r.Verb, Change: ID(r.Change), Run: r.Run, Detail: r.Detail}
		if err := json.Unmarshal([]byte(r.Actor), &ev.By); err != nil {
			return nil, err
		}
		all = append(all, ev)
	}
	return all, err
}
