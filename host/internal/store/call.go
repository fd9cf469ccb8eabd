package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Call is a finished tool call.
type Call struct {
	ID             int64 // rising; 0 = not kept yet
	Request        string
	Started        time.Time
	Duration       time.Duration
	Tool           string
	Connection     string // "" = none
	Outcome        string // OutcomeOK or an error's code
	Incident       string // "" = none
	Rows           int    // NoRows = no statement ran to its end
	Bytes          int
	Client         string
	ClientVersion  string
	Transport      string
	Principal      string
	Session        string
	Arguments      string // "" = not kept
	ArgumentsBytes int    // as they were sent
}

// OutcomeOK is the outcome of a call that did not fail.
const OutcomeOK = "ok"

// NoRows is the Rows of a call that ran no statement to its end.
const NoRows = -1

// CallGap is a period with calls that were not recorded.
type CallGap struct {
	From, Until time.Time
	Calls       int
	Reason      string
}

// Retention says which calls are kept.
type Retention struct {
	Since time.Time // calls that began earlier are deleted
	Rows  int       // the most calls that are kept
}

// PutCalls records calls and gaps, all or none of them.
// Errors: KindLimit (disk full), KindConflict with Retry, those of Open.
func (s *Store) PutCalls(ctx context.Context, calls []Call, gaps []CallGap) error {
	return s.transact(ctx, "keep the history of calls", func(tx *sql.Tx) error {
		return errors.Join(insertCalls(ctx, tx, calls), insertGaps(ctx, tx, gaps))
	})
}

// insertCalls keeps all calls with one statement, which reads them from one JSON text:
// the driver takes memory for every single value that it binds.
func insertCalls(ctx context.Context, tx *sql.Tx, calls []Call) error {
	if len(calls) == 0 {
		return nil
	}
	text := append(make([]byte, 0, 512*len(calls)), '[')
	for i := range calls {
		if i > 0 {
			text = append(text, ',')
		}
		text = calls[i].appendRow(text)
	}
	text = append(text, ']')
	_, err := tx.ExecContext(ctx, `
		INSERT INTO tool_call (request, started_at, duration, tool, connection, outcome, incident, rows, bytes,
			client, client_version, transport, principal, session, arguments, arguments_bytes)
		SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8,
			value->>9, value->>10, value->>11, value->>12, value->>13, value->>14, value->>15 FROM json_each(?)`, string(text))
	return err
}

// appendRow writes the columns of a call as a JSON array.
func (c *Call) appendRow(b []byte) []byte {
	text := func(s string) { b, _ = sdk.AppendJSONText(append(b, ','), []byte(s)) }
	number := func(n int64) { b = strconv.AppendInt(append(b, ','), n, 10) }
	b, _ = sdk.AppendJSONText(append(b, '['), []byte(c.Request))
	number(c.Started.UnixMilli())
	number(c.Duration.Microseconds())
	text(c.Tool)
	text(c.Connection)
	text(c.Outcome)
	text(c.Incident)
	if c.Rows == NoRows {
		b = append(b, ",null"...)
	} else {
		number(int64(c.Rows))
	}
	number(int64(c.Bytes))
	for _, s := range []string{c.Client, c.ClientVersion, c.Transport, c.Principal, c.Session, c.Arguments} {
		text(s)
	}
	number(int64(c.ArgumentsBytes))
	return append(b, ']')
}

func insertGaps(ctx context.Context, tx *sql.Tx, gaps []CallGap) error {
	for _, g := range gaps {
		if _, err := tx.ExecContext(ctx, `INSERT INTO tool_call_gap (from_at, until_at, calls, reason) VALUES (?, ?, ?, ?)`,
			g.From.UnixMilli(), g.Until.UnixMilli(), g.Calls, g.Reason); err != nil {
			return err
		}
	}
	return nil
}

// PruneCalls deletes the calls and gaps that need not be kept.
func (s *Store) PruneCalls(ctx context.Context, r Retention) error {
	return s.transact(ctx, "shorten the history of calls", func(tx *sql.Tx) error {
		since := r.Since.UnixMilli()
		_, byAge := tx.ExecContext(ctx, `DELETE FROM tool_call WHERE started_at < ?`, since)
		_, byRows := tx.ExecContext(ctx, `DELETE FROM tool_call WHERE id <= (SELECT id FROM tool_call ORDER BY id DESC LIMIT 1 OFFSET ?)`, r.Rows)
		_, gaps := tx.ExecContext(ctx, `DELETE FROM tool_call_gap WHERE until_at < ?
			OR id <= (SELECT id FROM tool_call_gap ORDER BY id DESC LIMIT 1 OFFSET ?)`, since, r.Rows)
		return errors.Join(byAge, byRows, gaps)
	})
}

func (s *Store) transact(ctx context.Context, op string, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return explain(op, s.path, err)
	}
	if err := f(tx); err != nil {
		return explain(op, s.path, errors.Join(err, tx.Rollback()))
	}
	return explain(op, s.path, tx.Commit())
}

// CallFilter chooses calls; a zero field chooses all.
type CallFilter struct {
	Tool, Connection, Principal string
	Client                      string
	Outcome                     string // a code, OutcomeOK, or AnyFailure
	Since                       time.Time
	After                       int64    // only with a larger ID
	Tools                       []string // any of these
	By                          *CallBy  // nil = by anybody
	// Key is the request or the incident of one call.
	Key string
	// Limit bounds the result to the latest calls; 0 = all.
	Limit int
}

// CallBy is who made a call.
type CallBy struct {
	Principal string
	// Client and Transport count only with AnyClient false.
	Client, Transport string
	AnyClient         bool
}

// AnyFailure chooses every outcome that is not OutcomeOK.
const AnyFailure = "error"

const callColumns = `id, request, started_at, duration, tool, connection, outcome, incident, rows, bytes,
	client, client_version, transport, principal, session, arguments, arguments_bytes`

// Calls returns the chosen calls, oldest first.
func (s *Store) Calls(ctx context.Context, f CallFilter) (calls []Call, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	where, args := f.where()
	limit := -1 // none
	if f.Limit > 0 {
		limit = f.Limit
	}
	return s.calls(ctx, `SELECT `+callColumns+` FROM
		(SELECT * FROM tool_call WHERE `+where+` ORDER BY id DESC LIMIT ?) ORDER BY id`, append(args, limit)...)
}

func scanCall(rows *sql.Rows) (Call, error) {
	var c Call
	var started, micros int64
	var delivered sql.NullInt64
	err := rows.Scan(&c.ID, &c.Request, &started, &micros, &c.Tool, &c.Connection, &c.Outcome, &c.Incident, &delivered, &c.Bytes,
		&c.Client, &c.ClientVersion, &c.Transport, &c.Principal, &c.Session, &c.Arguments, &c.ArgumentsBytes)
	c.Started, c.Duration = time.UnixMilli(started).UTC(), time.Duration(micros)*time.Microsecond
	c.Rows = NoRows
	if delivered.Valid {
		c.Rows = int(delivered.Int64)
	}
	return c, err
}

// where is the filter as SQL, which holds nothing but constants.
func (f CallFilter) where() (text string, args []any) {
	conditions := []string{"1"}
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	if f.Tool != "" {
		add("tool = ?", f.Tool)
	}
	if f.Connection != "" {
		add("connection = ?", f.Connection)
	}
	if f.Principal != "" {
		add("principal = ?", f.Principal)
	}
	if f.Client != "" {
		add("client = ?", f.Client)
	}
	if len(f.Tools) > 0 {
		var tools []any
		for _, t := range f.Tools {
			tools = append(tools, t)
		}
		add("tool IN (?"+strings.Repeat(", ?", len(tools)-1)+")", tools...)
	}
	if by := f.By; by != nil {
		add("principal = ?", by.Principal)
		if !by.AnyClient {
			add("client = ? AND transport = ?", by.Client, by.Transport)
		}
	}
	switch f.Outcome {
	case "":
	case AnyFailure:
		add("outcome <> ?", OutcomeOK)
	default:
		add("outcome = ?", f.Outcome)
	}
	if !f.Since.IsZero() {
		add("started_at >= ?", f.Since.UnixMilli())
	}
	if f.After > 0 {
		add("id > ?", f.After)
	}
	if f.Key != "" {
		add("(request = ? OR incident = ?)", f.Key, f.Key)
	}
	return strings.Join(conditions, " AND "), args
}

// Answered is a call of a tool that returned rows on a day.
type Answered struct {
	Tool, Connection, Arguments string
	Day                         int64 // since 1970, UTC
}

// Answered returns the recorded calls of some tools, each once for a day, among the latest
// calls of all tools.
func (s *Store) Answered(ctx context.Context, tools []string, latest int) (all []Answered, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	args := []any{latest, OutcomeOK}
	for _, t := range tools {
		args = append(args, t)
	}
	rows, err := s.read.QueryContext(ctx, `SELECT DISTINCT tool, connection, arguments, started_at / 86400000 FROM
		(SELECT * FROM tool_call ORDER BY id DESC LIMIT ?)
		WHERE outcome = ? AND rows > 0 AND arguments <> '' AND tool IN (?`+strings.Repeat(", ?", len(tools)-1)+`)`, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var a Answered
		if err := rows.Scan(&a.Tool, &a.Connection, &a.Arguments, &a.Day); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, rows.Err()
}

// CallGaps returns the gaps that ended since a moment, oldest first.
func (s *Store) CallGaps(ctx context.Context, since time.Time) (gaps []CallGap, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT from_at, until_at, calls, reason FROM tool_call_gap WHERE until_at >= ? ORDER BY id`, since.UnixMilli())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var g CallGap
		var from, until int64
		if err := rows.Scan(&from, &until, &g.Calls, &g.Reason); err != nil {
			return nil, err
		}
		g.From, g.Until = time.UnixMilli(from).UTC(), time.UnixMilli(until).UTC()
		gaps = append(gaps, g)
	}
	return gaps, rows.Err()
}

// CallCount counts the recorded calls and the failed ones. First is the start of the first
// call, zero without calls.
type CallCount struct {
	Calls, Failed int
	First         time.Time
}

// CountCalls counts the calls that began since a moment.
func (s *Store) CountCalls(ctx context.Context, since time.Time) (CallCount, error) {
	var c CallCount
	var first sql.NullInt64
	err := s.read.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(outcome <> ?), 0), min(started_at) FROM tool_call WHERE started_at >= ?`,
		OutcomeOK, since.UnixMilli()).Scan(&c.Calls, &c.Failed, &first)
	c.First = moment(first)
	return c, explain("read the history of calls", s.path, err)
}

// CallNames returns the distinct tools and connections of the recorded calls.
func (s *Store) CallNames(ctx context.Context) (tools, connections []string, err error) {
	defer func() { err = explain("read the history of calls", s.path, err) }()
	rows, err := s.read.QueryContext(ctx, `SELECT DISTINCT 0, tool FROM tool_call UNION SELECT DISTINCT 1, connection FROM tool_call ORDER BY 1, 2`)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var isConnection bool
		var name string
		if err := rows.Scan(&isConnection, &name); err != nil {
			return nil, nil, err
		}
		if isConnection {
			connections = append(connections, name)
		} else {
			tools = append(tools, name)
		}
	}
	return tools, connections, rows.Err()
}
