package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// BeginRun inserts a running run. The caller has the lock of its kind and target, so that other open
// runs of both belong to dead processes: they end with the error died.
func (s *Store) BeginRun(ctx context.Context, r Run, died string, forget time.Time) error {
	return s.transact(ctx, "begin a run", func(tx *sql.Tx) error {
		at := r.StartedAt.UnixMilli()
		_, ended := tx.ExecContext(ctx, `UPDATE run SET state = ?, error = ?, finished_at = ? WHERE kind = ? AND target = ? AND state IN (?, ?)`,
			RunFailed, died, at, r.Kind, r.Target, RunQueued, RunRunning)
		_, forgotten := tx.ExecContext(ctx, `DELETE FROM run WHERE kind = ? AND queued_at < ? AND state NOT IN (?, ?)`,
			r.Kind, forget.UnixMilli(), RunQueued, RunRunning)
		_, begun := tx.ExecContext(ctx, `INSERT INTO run (id, kind, state, stage, target, actor, principal, cause, input, attempts, queued_at, started_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
			r.ID, r.Kind, RunRunning, r.Stage, r.Target, string(r.Actor), r.Principal, r.Cause, nullText(r.Input), r.QueuedAt.UnixMilli(), at)
		return errors.Join(ended, forgotten, begun)
	})
}

// PutProgress stores how far a running run is.
func (s *Store) PutProgress(ctx context.Context, id, stage string, done int64, total *int64) error {
	_, err := s.write.ExecContext(ctx, `UPDATE run SET stage = ?, done = ?, total = ? WHERE id = ? AND state = ?`, stage, done, total, id, RunRunning)
	return explain("keep the progress of a run", s.path, err)
}

// Canceling reports whether somebody asked to cancel an open run.
func (s *Store) Canceling(ctx context.Context, id string) (asked bool, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM run WHERE id = ? AND cancel_at IS NOT NULL)`, id).Scan(&asked)
	return asked, explain("read a run", s.path, err)
}

// AskCancel asks the process of an open run to end it.
// Shape: asked is false when the run had ended.
func (s *Store) AskCancel(ctx context.Context, id string, at time.Time) (asked bool, err error) {
	result, err := s.write.ExecContext(ctx, `UPDATE run SET cancel_at = coalesce(cancel_at, ?) WHERE id = ? AND state IN (?, ?)`, at.UnixMilli(), id, RunQueued, RunRunning)
	if err != nil {
		return false, explain("cancel a run", s.path, err)
	}
	n, err := result.RowsAffected()
	return n > 0, explain("cancel a run", s.path, err)
}

// EndRun stores the end of an open run: its state, stage, progress, report and error.
// Shape: ended is false when it had ended before.
func (s *Store) EndRun(ctx context.Context, r Run) (ended bool, err error) {
	result, err := s.write.ExecContext(ctx, `UPDATE run SET state = ?, stage = ?, done = ?, total = ?, finished_at = ?, report = coalesce(?, report), error = ?, error_kind = ?
		WHERE id = ? AND state IN (?, ?)`,
		r.State, r.Stage, r.Done, r.Total, r.FinishedAt.UnixMilli(), nullText(r.Report), sql.NullString{String: r.Error, Valid: r.Error != ""}, r.ErrorKind, r.ID, RunQueued, RunRunning)
	if err != nil {
		return false, explain("end a run", s.path, err)
	}
	n, err := result.RowsAffected()
	return n > 0, explain("end a run", s.path, err)
}

// RunFilter chooses runs; a zero field chooses all.
type RunFilter struct {
	ID            string
	Kinds, States []string
	Target        string
	// Open are the connections of a caller who may use no others: only runs of a kind in OnConnections with
	// one of them as the target, and those of authors without any other connection.
	Open          []string
	OnConnections []string
	// Before chooses older runs than the one of BeforeID, queued at Before.
	Before   time.Time
	BeforeID string
	Limit    int // 0 = all
}

// where returns the condition of a filter.
func (f *RunFilter) where() (text string, args []any) {
	text = " WHERE 1"
	if f.ID != "" {
		text, args = text+" AND id = ?", append(args, f.ID)
	}
	for _, in := range []struct {
		column string
		values []string
	}{{"kind", f.Kinds}, {"state", f.States}} {
		if len(in.values) > 0 {
			list, values := listOf(in.values)
			text, args = text+" AND "+in.column+" IN "+list, append(args, values...)
		}
	}
	if f.Target != "" {
		text, args = text+" AND target = ?", append(args, f.Target)
	}
	if len(f.Open) > 0 {
		open, connections := listOf(f.Open)
		kinds, names := listOf(f.OnConnections)
		text += " AND (kind IN " + kinds + " AND target IN " + open +
			" OR json_array_length(actor, '$.connections') > 0 AND NOT EXISTS (SELECT 1 FROM json_each(actor, '$.connections') WHERE value NOT IN " + open + "))"
		args = append(append(append(args, names...), connections...), connections...)
	}
	return text, args
}

// listOf returns a list of parameters for IN, and their values.
func listOf(values []string) (text string, args []any) {
	for _, v := range values {
		args = append(args, v)
	}
	return "(" + strings.TrimPrefix(strings.Repeat(", ?", len(values)), ", ") + ")", args
}

// ListRuns lists the chosen runs, the latest first. total counts them without Before and Limit.
func (s *Store) ListRuns(ctx context.Context, f RunFilter) (page []Run, total int, err error) {
	where, args := f.where()
	if err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM run`+where, args...).Scan(&total); err != nil {
		return nil, 0, explain("count runs", s.path, err)
	}
	if f.BeforeID != "" {
		at := f.Before.UnixMilli()
		where, args = where+" AND (queued_at, id) < (?, ?)", append(args, at, f.BeforeID)
	}
	where += " ORDER BY queued_at DESC, id DESC"
	if f.Limit > 0 {
		where, args = where+" LIMIT ?", append(args, f.Limit)
	}
	page, err = s.runs(ctx, `SELECT `+runColumns+` FROM run`+where, args...)
	return page, total, err
}

// CancelIngest ends a waiting text without remembering it.
// Shape: canceled is false when it does not wait.
func (s *Store) CancelIngest(ctx context.Context, id string, at time.Time) (canceled bool, err error) {
	err = s.transact(ctx, "cancel a run", func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE run SET state = ?, stage = ?, finished_at = ?, cancel_at = ? WHERE kind = ? AND id = ? AND state = ?`,
			RunCanceled, string(RunCanceled), at.UnixMilli(), at.UnixMilli(), KindIngest, id, RunQueued)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil || n == 0 {
			return err
		}
		canceled = true
		_, err = tx.ExecContext(ctx, `UPDATE memory_input SET open = 0 WHERE run = ?`, id)
		return err
	})
	return canceled, err
}
