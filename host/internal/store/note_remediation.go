package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Remediation is a note about an error and what mended it.
type Remediation struct {
	Note
	Connection, ErrorType, ErrorMessage, StackTrace, Frames, Solution string
	Severity, Category                                                string // "" = not known
	Pattern                                                           string
	PatternHash, Signature, SolutionHash                              []byte
	Confirmations, Worked, Failed                                     int
	Review                                                            string // "", Approved or Rejected
}

// The decisions about a remediation.
const (
	Approved = "approved"
	Rejected = "rejected"
)

const remediationColumns = noteColumns + `, connection, error_type, error_message, stack_trace, frames, solution, severity, category,
	pattern, pattern_hash, signature, solution_hash, confirmations, worked, failed, review`

func scanRemediation(rows *sql.Rows) (r Remediation, err error) {
	err = scanNote(rows, &r.Note, &r.Connection, &r.ErrorType, &r.ErrorMessage, &r.StackTrace, &r.Frames, &r.Solution, &r.Severity, &r.Category,
		&r.Pattern, &r.PatternHash, &r.Signature, &r.SolutionHash, &r.Confirmations, &r.Worked, &r.Failed, &r.Review)
	return r, err
}

func (s *Store) remediations(ctx context.Context, where string, args ...any) (all []Remediation, err error) {
	err = s.noteRows(ctx, "read remediations", `SELECT `+remediationColumns+` FROM note_remediation WHERE `+where, args, func(rows *sql.Rows) error {
		r, err := scanRemediation(rows)
		all = append(all, r)
		return err
	})
	return all, err
}

// PutRemediation keeps a remediation with the answer of its call, or confirms the one of the same owner with its
// signature and solution; and deletes old ones. It sets ID, Confirmations and CreatedAt of r to those that are kept.
// Shape: before as in PutCheckpoint.
// Errors: as PutCheckpoint.
func (s *Store) PutRemediation(ctx context.Context, r *Remediation, call NoteCall, answer func() string, prune NotePrune) (before string, err error) {
	err = s.transact(ctx, "keep a remediation", func(tx *sql.Tx) error {
		var err error
		if before, _, err = noteBefore(ctx, tx, RemediationNote, r.Principal, call); err != nil || before != "" {
			return err
		}
		now := r.UsedAt
		args := append(r.values(), r.Connection, r.ErrorType, r.ErrorMessage, r.StackTrace, r.Frames, r.Solution, r.Severity, r.Category,
			r.Pattern, r.PatternHash, r.Signature, r.SolutionHash, 1, 0, 0, "")
		var created int64
		if err := tx.QueryRowContext(ctx, `INSERT INTO note_remediation (`+strings.TrimPrefix(remediationColumns, "seq, ")+`) VALUES (`+marks(len(args))+`)
			ON CONFLICT (owner, signature, solution_hash) DO UPDATE SET confirmations = confirmations + 1, used_at = excluded.used_at
			RETURNING id, confirmations, created_at`, args...).Scan(&r.ID, &r.Confirmations, &created); err != nil {
			return err
		}
		r.CreatedAt = time.UnixMilli(created).UTC()
		if _, _, err := pruneNotes(ctx, tx, prune); err != nil {
			return err
		}
		return recordNoteCall(ctx, tx, RemediationNote, &r.Note, call, answer(), now)
	})
	return before, err
}

// CountRemediation counts an outcome of a remediation that a viewer may see.
// Shape: found is false when there is none.
func (s *Store) CountRemediation(ctx context.Context, viewer, id string, worked bool, at time.Time) (found bool, err error) {
	column := "failed"
	if worked {
		column = "worked"
	}
	done, err := s.write.ExecContext(ctx, `UPDATE note_remediation SET `+column+` = `+column+` + 1, used_at = ? WHERE id = ? AND owner IN ('', ?)`, at.UnixMilli(), id, viewer)
	if err != nil {
		return false, explain("count an outcome", s.path, err)
	}
	n, err := done.RowsAffected()
	return n > 0, explain("count an outcome", s.path, err)
}

// ReviewRemediation records the decision about a remediation, whoever owns it, and returns the remediation; nil =
// there is none.
func (s *Store) ReviewRemediation(ctx context.Context, id, decision string) (*Remediation, error) {
	if _, err := s.write.ExecContext(ctx, `UPDATE note_remediation SET review = ? WHERE id = ?`, decision, id); err != nil {
		return nil, explain("review a remediation", s.path, err)
	}
	all, err := s.remediations(ctx, `id = ?`, id)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// UnreviewedRemediations returns remediations without a decision, whoever owns them, the newest first, and how many
// there are.
func (s *Store) UnreviewedRemediations(ctx context.Context, limit int) (all []Remediation, total int, err error) {
	if all, err = s.remediations(ctx, `review = '' ORDER BY created_at DESC, seq DESC LIMIT ?`, limit); err != nil {
		return nil, 0, err
	}
	err = s.read.QueryRowContext(ctx, `SELECT count(*) FROM note_remediation WHERE review = ''`).Scan(&total)
	return all, total, explain("count remediations", s.path, err)
}

// RemediationsOf returns remediations by their ids, in no order.
func (s *Store) RemediationsOf(ctx context.Context, ids []string) ([]Remediation, error) {
	return s.remediations(ctx, `id IN (`+marks(len(ids))+`)`, texts(ids)...)
}

// RemediationsBetween returns the remediations with a Seq from one number to another, in order.
func (s *Store) RemediationsBetween(ctx context.Context, from, to int64) ([]Remediation, error) {
	return s.remediations(ctx, `seq BETWEEN ? AND ? ORDER BY seq`, from, to)
}

// RemediationsLike returns what a viewer sees of the remediations whose normalised message has a hash, those that
// worked most often first.
func (s *Store) RemediationsLike(ctx context.Context, viewer string, patternHash []byte, limit int) ([]Remediation, error) {
	return s.remediations(ctx, `pattern_hash = ? AND owner IN ('', ?) ORDER BY worked - failed DESC, confirmations DESC, seq DESC LIMIT ?`, patternHash, viewer, limit)
}

// ApprovedRemediation returns the approved remediation with one of some signatures that a viewer sees and that worked
// more often than it failed; nil = there is none.
func (s *Store) ApprovedRemediation(ctx context.Context, viewer string, signatures [][]byte) (*Remediation, error) {
	args := make([]any, len(signatures), len(signatures)+1)
	for i, signature := range signatures {
		args[i] = signature
	}
	all, err := s.remediations(ctx, `signature IN (`+marks(len(signatures))+`) AND owner IN ('', ?) AND review = 'approved' AND worked > failed
		ORDER BY worked - failed DESC, seq DESC LIMIT 1`, append(args, viewer)...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// NotePattern is a signature with the number of its uses.
type NotePattern struct {
	Signature []byte
	Uses      int
}

// NotePatterns returns the signatures with a number of uses at least, of what a viewer sees, the most used first.
func (s *Store) NotePatterns(ctx context.Context, viewer string, least int) (all []NotePattern, err error) {
	// Of two owners at least one has half of the uses: the index finds these few.
	err = s.noteRows(ctx, "list patterns", `SELECT signature, sum(uses) AS n FROM note_pattern WHERE owner IN ('', ?1)
		AND signature IN (SELECT signature FROM note_pattern WHERE owner IN ('', ?1) AND uses >= (?2 + 1) / 2)
		GROUP BY signature HAVING n >= ?2 ORDER BY n DESC, signature`, []any{viewer, least}, func(rows *sql.Rows) error {
		var p NotePattern
		err := rows.Scan(&p.Signature, &p.Uses)
		all = append(all, p)
		return err
	})
	return all, err
}

// RemediationsWith returns what a viewer sees of the remediations with a signature and without those that were rejected.
func (s *Store) RemediationsWith(ctx context.Context, viewer string, signature []byte) ([]Remediation, error) {
	return s.remediations(ctx, `signature = ? AND owner IN ('', ?) AND review <> 'rejected' ORDER BY seq`, signature, viewer)
}
