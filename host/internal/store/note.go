package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// NoteKind is a kind of notes: the end of the name of its table.
type NoteKind string

const (
	CheckpointNote  NoteKind = "checkpoint"
	RemediationNote NoteKind = "remediation"
)

func (k NoteKind) table() string { return "note_" + string(k) }

// Note is what checkpoints and remediations have in common.
type Note struct {
	Seq int64 // rises with every row
	ID  string
	// Owner is the principal that alone may see the note, "" = everybody may.
	Owner     string
	Principal string // "" = none
	Author    string
	// ProjectPath is a folder, "" = none. Context is a JSON object, Tags a JSON list.
	ProjectPath, Context, Tags string
	CreatedAt, UsedAt          time.Time
}

const noteColumns = "seq, id, owner, principal, author, project_path, context, tags, created_at, used_at"

// scanNote reads the columns of noteColumns, and then those of rest.
func scanNote(rows *sql.Rows, n *Note, rest ...any) error {
	var created, used int64
	err := rows.Scan(append([]any{&n.Seq, &n.ID, &n.Owner, &n.Principal, &n.Author, &n.ProjectPath, &n.Context, &n.Tags, &created, &used}, rest...)...)
	n.CreatedAt, n.UsedAt = time.UnixMilli(created).UTC(), time.UnixMilli(used).UTC()
	return err
}

// values are those of noteColumns without seq.
func (n *Note) values() []any {
	return []any{n.ID, n.Owner, n.Principal, n.Author, n.ProjectPath, n.Context, n.Tags, n.CreatedAt.UnixMilli(), n.UsedAt.UnixMilli()}
}

// NoteCall names a save by its client.
type NoteCall struct {
	ClientID string // "" = the client did not name it
	Hash     []byte // of the content
}

// callAge is how long the id of a call is known.
const callAge = 90 * 24 * time.Hour

// noteBefore returns the answer of an earlier call with the same id and content, and the note that it saved.
// Errors: KindConflict when the content differs.
func noteBefore(ctx context.Context, tx *sql.Tx, k NoteKind, principal string, c NoteCall) (answer, id string, err error) {
	if c.ClientID == "" {
		return "", "", nil
	}
	var hash []byte
	err = tx.QueryRowContext(ctx, `SELECT hash, answer, id FROM note_call WHERE principal = ? AND kind = ? AND client_id = ?`,
		principal, string(k), c.ClientID).Scan(&hash, &answer, &id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", "", nil
	case err != nil:
		return "", "", err
	case !bytes.Equal(hash, c.Hash):
		return "", "", sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the clientId was used for another %s", k).
			WithHint("give each call a clientId of its own; the same one only when you repeat a call")
	}
	return answer, id, nil
}

// recordNoteCall keeps the answer of a call that its client named, and forgets old ones.
func recordNoteCall(ctx context.Context, tx *sql.Tx, k NoteKind, n *Note, c NoteCall, answer string, now time.Time) error {
	if c.ClientID == "" {
		return nil
	}
	_, old := tx.ExecContext(ctx, `DELETE FROM note_call WHERE principal = ? AND at < ?`, n.Principal, now.Add(-callAge).UnixMilli())
	_, err := tx.ExecContext(ctx, `INSERT INTO note_call (principal, kind, client_id, hash, answer, id, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		n.Principal, string(k), c.ClientID, c.Hash, answer, n.ID, now.UnixMilli())
	return errors.Join(old, err)
}

// NoteBlock counts the notes of a block: those whose Seq has the same upper bits.
type NoteBlock struct {
	Block, Live int64
	Last        string // id of the note that was inserted last
}

// NoteBlockBits is the number of lower bits of a Seq that tell the notes of a block apart. Source: the triggers of
// migration 8.
const NoteBlockBits = 12

// NoteBlocks returns the blocks of a kind, in order.
func (s *Store) NoteBlocks(ctx context.Context, k NoteKind) (all []NoteBlock, err error) {
	err = s.noteRows(ctx, "list the blocks of notes", `SELECT block, live, last FROM note_block WHERE kind = ? ORDER BY block`, []any{string(k)}, func(rows *sql.Rows) error {
		var b NoteBlock
		err := rows.Scan(&b.Block, &b.Live, &b.Last)
		all = append(all, b)
		return err
	})
	return all, err
}

// NoteBelow returns the last note of a kind below a Seq; 0 and "" = there is none.
func (s *Store) NoteBelow(ctx context.Context, k NoteKind, below int64) (seq int64, id string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT seq, id FROM `+k.table()+` WHERE seq < ? ORDER BY seq DESC LIMIT 1`, below).Scan(&seq, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", nil
	}
	return seq, id, explain("list the blocks of notes", s.path, err)
}

// noteRows calls a function with each row of a query.
func (s *Store) noteRows(ctx context.Context, op, query string, args []any, each func(*sql.Rows) error) (err error) {
	defer func() { err = explain(op, s.path, err) }()
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// marks returns n placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// texts are values for placeholders.
func texts(all []string) []any {
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}

// NotePrune says which notes are deleted; a zero field deletes none.
type NotePrune struct {
	CheckpointsBefore  time.Time // that were made before
	RemediationsBefore time.Time // that were used last before
	// MostCheckpoints of each principal are left, the newest.
	MostCheckpoints int
	// Principal whose checkpoints are counted; nil = each.
	Principal *string
}

// PruneNotes deletes notes, in one transaction.
func (s *Store) PruneNotes(ctx context.Context, p NotePrune) (checkpoints, remediations int, err error) {
	err = s.transact(ctx, "delete old notes", func(tx *sql.Tx) (err error) {
		checkpoints, remediations, err = pruneNotes(ctx, tx, p)
		return err
	})
	return checkpoints, remediations, err
}

func pruneNotes(ctx context.Context, tx *sql.Tx, p NotePrune) (checkpoints, remediations int, err error) {
	principals, err := countedPrincipals(ctx, tx, p)
	if err != nil {
		return 0, 0, err
	}
	remove := func(into *int, query string, args ...any) {
		if err != nil {
			return
		}
		var done sql.Result
		if done, err = tx.ExecContext(ctx, query, args...); err == nil {
			n, _ := done.RowsAffected() // the driver always knows
			*into += int(n)
		}
	}
	for _, principal := range principals {
		if !p.CheckpointsBefore.IsZero() {
			remove(&checkpoints, `DELETE FROM note_checkpoint WHERE principal = ? AND created_at < ?`, principal, p.CheckpointsBefore.UnixMilli())
		}
		if p.MostCheckpoints > 0 {
			remove(&checkpoints, `DELETE FROM note_checkpoint WHERE principal = ?1 AND (created_at, seq) <=
				(SELECT created_at, seq FROM note_checkpoint WHERE principal = ?1 ORDER BY created_at DESC, seq DESC LIMIT 1 OFFSET ?2)`, principal, p.MostCheckpoints)
		}
	}
	if !p.RemediationsBefore.IsZero() {
		remove(&remediations, `DELETE FROM note_remediation WHERE used_at < ?`, p.RemediationsBefore.UnixMilli())
	}
	return checkpoints, remediations, err
}

// countedPrincipals returns the principals whose checkpoints are counted.
func countedPrincipals(ctx context.Context, tx *sql.Tx, p NotePrune) (all []string, err error) {
	if p.Principal != nil {
		return []string{*p.Principal}, nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT principal FROM note_checkpoint`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var principal string
		if err := rows.Scan(&principal); err != nil {
			return nil, err
		}
		all = append(all, principal)
	}
	return all, rows.Err()
}
