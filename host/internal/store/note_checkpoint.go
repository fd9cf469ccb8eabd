package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Checkpoint is a note about the state of a work.
type Checkpoint struct {
	Note
	Summary, Description      string
	TokensBefore, TokensAfter *int64 // nil = not known
	Tokens                    int
}

const checkpointColumns = noteColumns + ", summary, description, tokens_before, tokens_after, tokens"

func scanCheckpoint(rows *sql.Rows) (c Checkpoint, err error) {
	err = scanNote(rows, &c.Note, &c.Summary, &c.Description, &c.TokensBefore, &c.TokensAfter, &c.Tokens)
	return c, err
}

// PutCheckpoint keeps a checkpoint with the answer of its call, and deletes old ones, all or none of it. A call that
// its client repeats keeps nothing new: its checkpoint counts as saved now.
// Shape: before is the answer of the first call, "" = it was not made before.
// Errors: KindConflict for a client's id with other content; KindLimit (disk full), KindDenied.
func (s *Store) PutCheckpoint(ctx context.Context, c *Checkpoint, call NoteCall, answer string, prune NotePrune) (before string, err error) {
	err = s.transact(ctx, "keep a checkpoint", func(tx *sql.Tx) error {
		var id string
		var err error
		if before, id, err = noteBefore(ctx, tx, CheckpointNote, c.Principal, call); err != nil {
			return err
		}
		if before != "" {
			_, err := tx.ExecContext(ctx, `UPDATE note_checkpoint SET used_at = ? WHERE id = ?`, c.UsedAt.UnixMilli(), id)
			return err
		}
		args := append(c.values(), c.Summary, c.Description, c.TokensBefore, c.TokensAfter, c.Tokens)
		if _, err := tx.ExecContext(ctx, `INSERT INTO note_checkpoint (`+strings.TrimPrefix(checkpointColumns, "seq, ")+`) VALUES (`+marks(len(args))+`)`, args...); err != nil {
			return err
		}
		if _, _, err := pruneNotes(ctx, tx, prune); err != nil {
			return err
		}
		return recordNoteCall(ctx, tx, CheckpointNote, &c.Note, call, answer, c.UsedAt)
	})
	return before, err
}

// CheckpointList chooses a page of checkpoints, the newest first.
type CheckpointList struct {
	Viewer      string // who asks: sees what it owns and what nobody owns
	ProjectPath string // "" = any
	ByUse       bool   // in the order of UsedAt, else of CreatedAt
	Limit       int
	Offset      int
	// After is where the page begins: behind a note with this time and Seq; nil = at the beginning.
	After *NotePlace
}

// NotePlace is the place of a note in the order of time.
type NotePlace struct {
	At  time.Time
	Seq int64
}

// Checkpoints returns a page of checkpoints and the number of all that there are.
func (s *Store) Checkpoints(ctx context.Context, l CheckpointList) (all []Checkpoint, total int, err error) {
	at := "created_at"
	if l.ByUse {
		at = "used_at"
	}
	// One ordered part for each owner: the engine merges them by their index.
	var parts []string
	var args []any
	for _, owner := range owners(l.Viewer) {
		part := `SELECT seq, ` + at + ` AS at FROM note_checkpoint WHERE owner = ?`
		args = append(args, owner)
		if l.ProjectPath != "" {
			part, args = part+` AND project_path = ?`, append(args, l.ProjectPath)
		}
		if l.After != nil {
			part, args = part+` AND (`+at+`, seq) < (?, ?)`, append(args, l.After.At.UnixMilli(), l.After.Seq)
		}
		parts = append(parts, part)
	}
	page := strings.Join(parts, " UNION ALL ") + ` ORDER BY at DESC, seq DESC LIMIT ? OFFSET ?`
	err = s.noteRows(ctx, "list checkpoints",
		`SELECT `+checkpointColumns+` FROM note_checkpoint WHERE seq IN (SELECT seq FROM (`+page+`)) ORDER BY `+at+` DESC, seq DESC`,
		append(args, l.Limit, l.Offset), func(rows *sql.Rows) error {
			c, err := scanCheckpoint(rows)
			all = append(all, c)
			return err
		})
	if err != nil {
		return nil, 0, err
	}
	query, args := `SELECT coalesce(sum(n), 0) FROM note_count WHERE owner IN ('', ?)`, []any{l.Viewer}
	if l.ProjectPath != "" {
		query, args = query+` AND project_path = ?`, append(args, l.ProjectPath)
	}
	return all, total, explain("count checkpoints", s.path, s.read.QueryRowContext(ctx, query, args...).Scan(&total))
}

// owners are the values of owner whose notes a viewer sees.
func owners(viewer string) []string {
	if viewer == "" {
		return []string{""}
	}
	return []string{"", viewer}
}

// CheckpointsOf returns checkpoints by their ids, in no order.
func (s *Store) CheckpointsOf(ctx context.Context, ids []string) (all []Checkpoint, err error) {
	err = s.noteRows(ctx, "read checkpoints", `SELECT `+checkpointColumns+` FROM note_checkpoint WHERE id IN (`+marks(len(ids))+`)`, texts(ids), func(rows *sql.Rows) error {
		c, err := scanCheckpoint(rows)
		all = append(all, c)
		return err
	})
	return all, err
}

// CheckpointsBetween returns the checkpoints with a Seq from one number to another, in order.
func (s *Store) CheckpointsBetween(ctx context.Context, from, to int64) (all []Checkpoint, err error) {
	err = s.noteRows(ctx, "read checkpoints", `SELECT `+checkpointColumns+` FROM note_checkpoint WHERE seq BETWEEN ? AND ? ORDER BY seq`, []any{from, to}, func(rows *sql.Rows) error {
		c, err := scanCheckpoint(rows)
		all = append(all, c)
		return err
	})
	return all, err
}

// TokenReduction is the tokens before and after the checkpoints that reported both.
type TokenReduction struct {
	Checkpoints   int
	Before, After int64
}

// CheckpointTokens sums the tokens of the checkpoints that were saved from since to before until and reported both
// figures. owner chooses those that it may see; "" = all.
func (s *Store) CheckpointTokens(ctx context.Context, since, until time.Time, owner string) (r TokenReduction, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(tokens_before), 0), coalesce(sum(tokens_after), 0) FROM note_checkpoint
		WHERE tokens_before IS NOT NULL AND tokens_after IS NOT NULL AND created_at >= ? AND created_at < ? AND (?3 = '' OR owner IN ('', ?3))`,
		since.UnixMilli(), until.UnixMilli(), owner).Scan(&r.Checkpoints, &r.Before, &r.After)
	return r, explain("count the tokens of checkpoints", s.path, err)
}
