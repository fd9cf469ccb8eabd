package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// MemoryChange is the row of a change: the fields of filters as columns, the rest as JSON. A zero time and a nil hash
// are NULL.
type MemoryChange struct {
	N                                             int64 // rising; 0 = not kept yet
	ID, Run                                       string
	Seq                                           int
	Kind, Connection, Target, Path, Source, Actor string
	Signature                                     []byte
	State                                         string
	Version                                       int64
	CreatedAt, AppliedAt                          time.Time
	Undoes, Problem                               string
	Before, After                                 []byte
	Proposal, ProposedBy, Decision, Writing       string // "" of Decision, Writing = none
}

// MemoryRevision is one content of a file in the course of time.
type MemoryRevision struct {
	Path   string
	Hash   []byte
	Bytes  int // of the content; 0 when the content is not kept
	At     time.Time
	Origin string
	Change string
}

// MemoryEvent is an entry of the memory's log.
type MemoryEvent struct {
	N                                int64
	At                               time.Time
	Actor, Verb, Change, Run, Detail string
}

// MemoryBatch is the content of one transaction on the memory.
type MemoryBatch struct {
	New []MemoryChange
	// Changed replaces changes that are still of their Version, which rises by one.
	Changed   []MemoryChange
	Blobs     []MemoryBlob
	Revisions []MemoryRevision
	Events    []MemoryEvent
	// Muted are actors whose waiting changes lists leave out from now on, Unmuted those that they show again.
	Muted   []MemoryMute
	Unmuted []string
}

// MemoryBlob is a content and its SHA-256.
type MemoryBlob struct{ Hash, Content []byte }

// PutMemory writes a batch, all or none of it.
// Errors: KindConflict when a change has another version; KindLimit (disk full), KindConflict with Retry.
func (s *Store) PutMemory(ctx context.Context, b *MemoryBatch) error {
	return s.transact(ctx, "keep what memory does", func(tx *sql.Tx) error {
		for _, blob := range b.Blobs {
			if err := insertBlob(ctx, tx, blob); err != nil {
				return err
			}
		}
		for i := range b.New {
			if err := insertChange(ctx, tx, &b.New[i]); err != nil {
				return err
			}
		}
		for i := range b.Changed {
			if err := updateChange(ctx, tx, &b.Changed[i]); err != nil {
				return err
			}
		}
		for _, r := range b.Revisions {
			if _, err := tx.ExecContext(ctx, `INSERT INTO memory_revision (path, hash, at, origin, change) VALUES (?, ?, ?, ?, ?)`,
				r.Path, r.Hash, r.At.UnixMilli(), r.Origin, r.Change); err != nil {
				return err
			}
		}
		for _, e := range b.Events {
			if _, err := tx.ExecContext(ctx, `INSERT INTO memory_event (at, actor, verb, change, run, detail) VALUES (?, ?, ?, ?, ?, ?)`,
				e.At.UnixMilli(), e.Actor, e.Verb, e.Change, e.Run, e.Detail); err != nil {
				return err
			}
		}
		return b.mute(ctx, tx)
	})
}

func insertChange(ctx context.Context, tx *sql.Tx, c *MemoryChange) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO memory_change (id, run, seq, kind, connection, target, path, source, actor, signature, state, version, created_at,
			applied_at, undoes, problem, before_hash, after_hash, proposal, proposed_by, decision, writing)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.Run, c.Seq, c.Kind, c.Connection, c.Target, c.Path, c.Source, c.Actor, c.Signature, c.State, c.Version, c.CreatedAt.UnixMilli(),
		millis(c.AppliedAt), c.Undoes, c.Problem, c.Before, c.After, c.Proposal, c.ProposedBy, orNull(c.Decision), orNull(c.Writing))
	return err
}

func updateChange(ctx context.Context, tx *sql.Tx, c *MemoryChange) error {
	done, err := tx.ExecContext(ctx, `
		UPDATE memory_change SET signature = ?, state = ?, version = version + 1, applied_at = ?, problem = ?, before_hash = ?, after_hash = ?,
			source = ?, proposal = ?, decision = ?, writing = ?
		WHERE id = ? AND version = ?`,
		c.Signature, c.State, millis(c.AppliedAt), c.Problem, c.Before, c.After, c.Source, c.Proposal, orNull(c.Decision), orNull(c.Writing),
		c.ID, c.Version)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s is not as it was in version %d", c.ID, c.Version).
		WithHint("look at it again: loam review show %s", c.ID)
}

func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// MemoryRevisions returns the revisions of a file, oldest first.
func (s *Store) MemoryRevisions(ctx context.Context, path string) (all []MemoryRevision, err error) {
	defer func() { err = explain("read the revisions of a file", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `
		SELECT r.path, r.hash, coalesce(b.bytes, 0), r.at, r.origin, r.change
		FROM memory_revision r LEFT JOIN memory_blob b ON b.hash = r.hash WHERE r.path = ? ORDER BY r.n`, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r MemoryRevision
		var at int64
		if err := rows.Scan(&r.Path, &r.Hash, &r.Bytes, &at, &r.Origin, &r.Change); err != nil {
			return nil, err
		}
		r.At = time.UnixMilli(at).UTC()
		all = append(all, r)
	}
	return all, rows.Err()
}

// LastMemoryRevision returns the last revision of a file with an origin and a hash; "" and nil match any. nil = there
// is none.
func (s *Store) LastMemoryRevision(ctx context.Context, path, origin string, hash []byte) (*MemoryRevision, error) {
	r := &MemoryRevision{Path: path}
	var at int64
	err := s.read.QueryRowContext(ctx, `
		SELECT hash, at, origin, change FROM memory_revision
		WHERE path = ?1 AND (?2 = '' OR origin = ?2) AND (?3 IS NULL OR hash = ?3) ORDER BY n DESC LIMIT 1`, path, origin, hash).
		Scan(&r.Hash, &at, &r.Origin, &r.Change)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	r.At = time.UnixMilli(at).UTC()
	return r, explain("read the revisions of a file", s.path, err)
}

// MemoryEvents returns the last events, the latest first; of one change unless it is "".
func (s *Store) MemoryEvents(ctx context.Context, limit int, change string) (all []MemoryEvent, err error) {
	defer func() { err = explain("read memory's log", s.path, err) }()
	query, args := `SELECT n, at, actor, verb, change, run, detail FROM memory_event ORDER BY n DESC LIMIT ?`, []any{limit}
	if change != "" {
		query, args = `SELECT n, at, actor, verb, change, run, detail FROM memory_event WHERE change = ? ORDER BY n DESC LIMIT ?`, []any{change, limit}
	}
	return s.events(ctx, query, args...)
}

// events reads the events of a statement.
func (s *Store) events(ctx context.Context, query string, args ...any) (all []MemoryEvent, err error) {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e MemoryEvent
		var at int64
		if err := rows.Scan(&e.N, &at, &e.Actor, &e.Verb, &e.Change, &e.Run, &e.Detail); err != nil {
			return nil, err
		}
		e.At = time.UnixMilli(at).UTC()
		all = append(all, e)
	}
	return all, rows.Err()
}
