package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// RunState is the state of a run.
type RunState string

// The states of a run.
const (
	RunQueued   RunState = "queued"
	RunRunning  RunState = "running"
	RunDone     RunState = "done"
	RunFailed   RunState = "error"
	RunCanceled RunState = "canceled"
)

// Ended reports whether the state is a last one.
func (s RunState) Ended() bool { return s != RunQueued && s != RunRunning }

// KindIngest is the kind of runs that ingest a text.
const KindIngest = "ingest"

// Run is a long-running job.
type Run struct {
	ID, Kind string
	State    RunState
	Stage    string
	Target   string // of a text: a connection, "" = none
	Actor    []byte // JSON
	// Principal is whose token caused the run, Cause why it began; "" = not known.
	Principal, Cause string
	Input            []byte // JSON, nil = none, or it is kept elsewhere
	Attempts         int
	// Done of Total units of the stage; Total is nil when unknown.
	Done     int64
	Total    *int64
	QueuedAt time.Time
	// StartedAt and FinishedAt are zero before. CancelAt is when somebody asked to cancel the run.
	StartedAt, FinishedAt, CancelAt time.Time
	Report                          []byte // JSON, nil = none yet
	Error                           string // "" = it did not fail
	ErrorKind                       string // "" = not known
}

// Ingest is the text of a run.
type Ingest struct {
	Run         string
	Connection  string // "" = none
	Source      string
	ContentHash []byte
	Content     []byte // compressed; nil after its retention time
	Bytes       int
	Report      []byte // JSON: the report before the work begins
}

// Accepted is the run of an accepted text.
type Accepted struct {
	Run string
	// Project is the version of the project when the reused run ended; "" unless Done.
	Project string
	// Known: there is a run of an equal text. Done: that run succeeded; the caller decides whether it
	// is still valid. Full: too many runs wait, and none was queued.
	Known, Done, Full bool
}

// Acceptance has the limits of AcceptIngest.
type Acceptance struct {
	// Since is the time from which on a run of an equal text is reused; zero = none is.
	Since time.Time
	// Most bounds the number of waiting runs.
	Most int
}

// knownRun finds the run of an equal text that is open, else the last one that was done since a moment.
const knownRun = `SELECT r.id, r.state = 'done', i.project FROM memory_input i JOIN run r ON r.id = i.run
	WHERE i.content_hash = ? AND i.connection = ? AND (i.open = 1 OR r.state = 'done' AND r.finished_at >= ?)
	ORDER BY i.open DESC, r.finished_at DESC LIMIT 1`

// AcceptIngest queues a run with its text, unless a run of an equal text for the same connection is
// queued, running, or done since limits.Since.
func (s *Store) AcceptIngest(ctx context.Context, r Run, in Ingest, limits Acceptance) (out Accepted, err error) {
	err = s.transact(ctx, "queue a text", func(tx *sql.Tx) error {
		since := int64(1) << 62
		if !limits.Since.IsZero() {
			since = limits.Since.UnixMilli()
		}
		err := tx.QueryRowContext(ctx, knownRun, in.ContentHash, in.Connection, since).Scan(&out.Run, &out.Done, &out.Project)
		if err == nil {
			out.Known = true
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var waiting int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM run WHERE kind = ? AND state = ? LIMIT ?)`,
			KindIngest, RunQueued, limits.Most).Scan(&waiting); err != nil {
			return err
		}
		if waiting >= limits.Most {
			out.Full = true
			return nil
		}
		out.Run = r.ID
		if _, err := tx.ExecContext(ctx, `INSERT INTO run (id, kind, state, stage, target, actor, principal, attempts, queued_at, report) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
			r.ID, KindIngest, RunQueued, string(RunQueued), in.Connection, string(r.Actor), r.Principal, r.QueuedAt.UnixMilli(), nullText(in.Report)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO memory_input (run, connection, source, content_hash, content, bytes, open, project) VALUES (?, ?, ?, ?, ?, ?, 1, '')`,
			r.ID, in.Connection, in.Source, in.ContentHash, in.Content, in.Bytes)
		return err
	})
	return out, err
}

const runColumns = `id, kind, state, stage, target, actor, principal, cause, input, attempts, done, total, queued_at, started_at, finished_at, cancel_at, report, error, error_kind`

// Run returns a run of any kind. Errors: KindNotFound.
func (s *Store) Run(ctx context.Context, id string) (Run, error) {
	all, err := s.runs(ctx, `SELECT `+runColumns+` FROM run WHERE id = ?`, id)
	if err == nil && len(all) == 0 {
		return Run{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no run %q", id).WithHint("list them: loam runs list")
	}
	if err != nil {
		return Run{}, err
	}
	return all[0], nil
}

// QueuedRuns lists waiting runs in the order of the queue.
func (s *Store) QueuedRuns(ctx context.Context, limit int) ([]Run, error) {
	return s.runs(ctx, `SELECT `+runColumns+` FROM run WHERE kind = ? AND state = ? ORDER BY queued_at, id LIMIT ?`, KindIngest, RunQueued, limit)
}

func (s *Store) runs(ctx context.Context, text string, args ...any) (all []Run, err error) {
	defer func() { err = explain("read runs", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r Run
		var queued int64
		var total, started, finished, canceled sql.NullInt64
		var input, report, failure sql.NullString
		var actor string
		if err := rows.Scan(&r.ID, &r.Kind, &r.State, &r.Stage, &r.Target, &actor, &r.Principal, &r.Cause, &input, &r.Attempts, &r.Done, &total,
			&queued, &started, &finished, &canceled, &report, &failure, &r.ErrorKind); err != nil {
			return nil, err
		}
		r.QueuedAt, r.StartedAt, r.FinishedAt, r.CancelAt = time.UnixMilli(queued).UTC(), moment(started), moment(finished), moment(canceled)
		r.Actor, r.Error = []byte(actor), failure.String
		r.Input, r.Report = textOf(input), textOf(report)
		if total.Valid {
			r.Total = &total.Int64
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// RunCounts counts the waiting and failed runs of kind ingest. First is when the first waiting one was
// queued.
type RunCounts struct {
	Queued, Failed int
	First          time.Time // zero = none waits
}

// CountRuns counts runs of kind ingest that wait, run or failed.
func (s *Store) CountRuns(ctx context.Context) (c RunCounts, err error) {
	var first sql.NullInt64
	err = s.read.QueryRowContext(ctx, `SELECT coalesce(sum(state <> ?), 0), coalesce(sum(state = ?), 0), min(CASE WHEN state <> ? THEN queued_at END)
		FROM run WHERE kind = ? AND state IN (?, ?, ?)`, RunFailed, RunFailed, RunFailed, KindIngest, RunQueued, RunRunning, RunFailed).
		Scan(&c.Queued, &c.Failed, &first)
	c.First = moment(first)
	return c, explain("count runs", s.path, err)
}

// StartRun counts an attempt of a run and returns its text.
// Shape: started is false when the run does not wait.
func (s *Store) StartRun(ctx context.Context, id, stage string, at time.Time) (in Ingest, started bool, err error) {
	err = s.transact(ctx, "begin a run", func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE run SET state = ?, stage = ?, attempts = attempts + 1, started_at = ? WHERE id = ? AND state = ?`,
			RunRunning, stage, at.UnixMilli(), id, RunQueued)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		started = true
		return tx.QueryRowContext(ctx, `SELECT run, connection, source, content_hash, content, bytes FROM memory_input WHERE run = ?`, id).
			Scan(&in.Run, &in.Connection, &in.Source, &in.ContentHash, &in.Content, &in.Bytes)
	})
	return in, started, err
}

// IngestOf returns the text of a run.
func (s *Store) IngestOf(ctx context.Context, id string) (in Ingest, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT run, connection, source, content_hash, content, bytes FROM memory_input WHERE run = ?`, id).
		Scan(&in.Run, &in.Connection, &in.Source, &in.ContentHash, &in.Content, &in.Bytes)
	if errors.Is(err, sql.ErrNoRows) {
		err = sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no text of run %q", id)
	}
	return in, explain("read the text of a run", s.path, err)
}

// PutRun stores the stage of a running run, and its report unless that is nil.
func (s *Store) PutRun(ctx context.Context, id, stage string, report []byte) error {
	_, err := s.write.ExecContext(ctx, `UPDATE run SET stage = ?, report = coalesce(?, report) WHERE id = ? AND state = ?`,
		stage, nullText(report), id, RunRunning)
	return explain("keep the stage of a run", s.path, err)
}

// RunEnd is the outcome of a run.
type RunEnd struct {
	ID       string
	Report   []byte // JSON; nil = as it is
	Error    string // "" = done
	Canceled bool   // rather than failed
	// Project is the version of the project at the end.
	Project string
}

// EndRuns ends runs, all or none of them.
func (s *Store) EndRuns(ctx context.Context, ends []RunEnd, at time.Time) error {
	return s.transact(ctx, "end runs", func(tx *sql.Tx) error {
		for _, e := range ends {
			state, stage, failure := RunDone, string(RunDone), sql.NullString{}
			if e.Error != "" {
				state, stage, failure = RunFailed, string(RunFailed), sql.NullString{String: e.Error, Valid: true}
			}
			if e.Canceled {
				state = RunCanceled
			}
			if _, err := tx.ExecContext(ctx, `UPDATE run SET state = ?, stage = CASE WHEN ? = 'done' THEN 'done' ELSE stage END, finished_at = ?, report = coalesce(?, report), error = ? WHERE id = ?`,
				state, stage, at.UnixMilli(), nullText(e.Report), failure, e.ID); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE memory_input SET open = 0, project = ? WHERE run = ?`, e.Project, e.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func textOf(text sql.NullString) []byte {
	if !text.Valid {
		return nil
	}
	return []byte(text.String)
}

func nullText(text []byte) any {
	if text == nil {
		return nil
	}
	return string(text)
}

// Poisoned is the error of a run that ended the process too often.
const Poisoned = "poisoned: the process ended three times while it ran; loam ingest retry runs it again"

// RecoverRuns queues runs again that a dead process left running; those with most attempts fail, and canceled ones
// end. The caller has the memory lock.
func (s *Store) RecoverRuns(ctx context.Context, most int, at time.Time) error {
	return s.transact(ctx, "recover runs", func(tx *sql.Tx) error {
		_, failed := tx.ExecContext(ctx, `UPDATE memory_input SET open = 0 WHERE run IN (SELECT id FROM run WHERE kind = ? AND state = ? AND (attempts >= ? OR cancel_at IS NOT NULL))`,
			KindIngest, RunRunning, most)
		_, canceled := tx.ExecContext(ctx, `UPDATE run SET state = ?, finished_at = ? WHERE kind = ? AND state = ? AND cancel_at IS NOT NULL`,
			RunCanceled, at.UnixMilli(), KindIngest, RunRunning)
		_, ended := tx.ExecContext(ctx, `UPDATE run SET state = ?, error = ?, finished_at = ? WHERE kind = ? AND state = ? AND attempts >= ?`,
			RunFailed, Poisoned, at.UnixMilli(), KindIngest, RunRunning, most)
		_, queued := tx.ExecContext(ctx, `UPDATE run SET state = ?, stage = ?, started_at = NULL WHERE kind = ? AND state = ?`,
			RunQueued, string(RunQueued), KindIngest, RunRunning)
		return errors.Join(failed, canceled, ended, queued)
	})
}

// RequeueRun queues a run again: an interrupted one (the attempt does not count), or an ended one.
// queued is false when it is neither, or when an equal text waits already.
func (s *Store) RequeueRun(ctx context.Context, id string, from RunState, at time.Time) (queued bool, err error) {
	err = s.transact(ctx, "queue a run again", func(tx *sql.Tx) error {
		var other bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM memory_input i JOIN memory_input o
			ON o.content_hash = i.content_hash AND o.connection = i.connection AND o.open = 1 AND o.run <> i.run WHERE i.run = ?)`, id).Scan(&other); err != nil || other {
			return err
		}
		attempts := `attempts - 1`
		if from.Ended() {
			attempts = `0`
		}
		result, err := tx.ExecContext(ctx, `UPDATE run SET state = ?, stage = ?, started_at = NULL, finished_at = NULL, cancel_at = NULL, error = NULL, error_kind = '', attempts = `+attempts+`
			WHERE kind = ? AND id = ? AND state = ?`, RunQueued, string(RunQueued), KindIngest, id, from)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil || n == 0 {
			return err
		}
		queued = true
		_, err = tx.ExecContext(ctx, `UPDATE memory_input SET open = 1 WHERE run = ?`, id)
		return err
	})
	return queued, err
}

// ForgetInputs deletes the texts of runs that ended before a moment.
func (s *Store) ForgetInputs(ctx context.Context, before time.Time) error {
	_, err := s.write.ExecContext(ctx, `UPDATE memory_input SET content = NULL WHERE content IS NOT NULL AND open = 0
		AND run IN (SELECT id FROM run WHERE kind = ? AND queued_at < ?)`, KindIngest, before.UnixMilli())
	return explain("forget old texts", s.path, err)
}
