package collect

import (
	"context"
	"encoding/json"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/sdk"
)

// PushRequest asks to store files that the caller sends. Its items are the caller's JSON: a faulty one becomes a Fault,
// and the other ones are stored.
type PushRequest struct {
	Repo string
	// Tenant is the tenant that the caller claims to be; "" = its own.
	Tenant string
	// Files are texts, files with chunks, and parsed-chunk-v1 records; Deleted are the paths that are gone.
	Files, Deleted []json.RawMessage
	// Manifest lists all paths of the repository; nil = none.
	Manifest json.RawMessage
	// Base is the revision from which the caller starts, Head the one after the push; "" = none is named.
	Base, Head string
	// ClientID identifies the call: a repeated id is a repeated call. "" = none.
	ClientID string
	By       change.Actor
}

// Push stores files in one transaction. Stored files stay unless the push deletes them.
// Shape: a faulty item is a Fault, and the other ones are stored; the revision moves only without faults.
// Errors: *Refusal of KindLimit (too many chunks or bytes) and KindDenied (another tenant); KindInvalid (repository);
// KindConflict for a ClientID of another call, and with Retry while another sync is running; KindLimit (disk full),
// KindDenied; those of ctx.
func (s *Service) Push(ctx context.Context, r PushRequest) (*Answer, error) {
	if err := checkRepo(r.Repo); err != nil {
		return nil, err
	}
	received := s.config.Now()
	p := s.read(&r)
	if p.spoof != "" {
		return nil, spoofed(p.spoof)
	}
	if err := s.admit(ctx, p); err != nil {
		return nil, err
	}
	said := r
	said.By = change.Actor{} // the call is the same in another session
	named, err := nameCall("ingest_source_files", r.ClientID, r.By, &said)
	if err != nil {
		return nil, err
	}
	request := &Request{Repo: r.Repo, By: r.By, head: r.Head, call: named, cause: "ingest_source_files", planning: pushPlanning}
	return s.run(ctx, request, nil, func(ctx context.Context, j *job) error { return j.push(ctx, p, received) })
}

// push adds the files of a push and its deletions. received is when it arrived.
func (j *job) push(ctx context.Context, p *push, received time.Time) error {
	j.whole = true
	j.answer.Errors = append(j.answer.Errors, p.faults...)
	for _, f := range p.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := j.pushed(f)
		if err != nil {
			return err
		}
		if err := j.add(ctx, e); err != nil {
			return err
		}
	}
	if now := j.repo.Revision; p.base != "" && p.base != now && (j.request.head == "" || j.request.head != now) {
		j.answer.Errors = append(j.answer.Errors, newFault(codeBoundary, "", sdk.Errorf(sdk.KindConflict, sdk.SourceCaller,
			"the repository is at revision %q, not %q: the files are stored, and nothing is deleted", now, p.base).
			WithHint("push again from there, or with a manifest and without baseRevision")))
		return nil
	}
	return j.drop(ctx, j.gone(p, received))
}

// pushed returns the entry of a pushed file, without its secrets.
func (j *job) pushed(f *pushed) (*entry, error) {
	if f.version == "" {
		c, err := j.service.clean(f.text)
		return &entry{
			key: f.key, version: f.parser.Version, hash: chunk.Of(c.text), bytes: len(c.text), redacted: c.redacted,
			file: func() chunk.File { return c.split(f.key.Path, f.parser) },
			text: func() (string, bool) { return c.text, true },
		}, err
	}
	e, text := &entry{key: f.key}, ""
	for i := range f.pieces {
		p := &f.pieces[i]
		name, err := j.service.clean(p.Heading)
		if err != nil {
			return nil, err
		}
		content, err := j.service.clean(p.Text)
		if err != nil {
			return nil, err
		}
		p.Heading, p.Text = name.text, content.text
		e.redacted += name.redacted + content.redacted
		e.bytes += len(p.Text)
		text += p.Text + "\n\n"
	}
	parsed := chunk.NewParsed(f.key.Path, f.key.Parser, f.version, f.pieces)
	e.version, e.hash = parsed.Version, parsed.Hash
	e.file, e.text = func() chunk.File { return parsed }, func() (string, bool) { return text, true }
	return e, nil
}

// gone returns the stored files that a push deletes: those with a tombstone, and those that its manifest does not have.
// A manifest says nothing about rows that are newer than itself.
func (j *job) gone(p *push, received time.Time) (all []chunk.Key) {
	deleted := map[string]bool{}
	for _, path := range p.deleted {
		deleted[path] = true
	}
	for key, kept := range j.kept {
		lost := p.manifest != nil && !p.manifest[key.Path] && !p.named[key.Path] && !kept.WrittenAt.After(received)
		if deleted[key.Path] || lost {
			all = append(all, key)
		}
	}
	return all
}

// drop deletes stored files. It withdraws the pending changes of a file before it deletes the row, which is the only
// record that there are any.
func (j *job) drop(ctx context.Context, gone []chunk.Key) error {
	paths := map[string]bool{}
	for _, key := range gone {
		if j.kept[key].Learned != (chunk.Hash{}) {
			if err := j.forget(ctx, key); err != nil {
				return err
			}
		}
		paths[key.Path] = true
		if j.batch.Deleted = append(j.batch.Deleted, key); !j.whole && len(j.batch.Deleted) >= j.service.batch {
			if err := j.flush(ctx); err != nil {
				return err
			}
		}
	}
	j.answer.Deleted += len(paths)
	return j.flush(ctx)
}
