package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// declare makes a query of what follows it, or an error. INSENSITIVE rules out
// locking clauses. It is parsed, never executed.
const declare = "DECLARE loam INSENSITIVE NO SCROLL CURSOR FOR "

const (
	beginReadOnly = "BEGIN READ ONLY"
	// beginSnapshot is for several statements that must see one state.
	beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
)

// reading is a read-only transaction under way. Requests are queued, sent
// together by sync, and answered in their order.
// Concurrency: one goroutine.
type reading struct {
	s    *Session
	c    *conn
	p    *pgconn.Pipeline
	stop context.CancelFunc // ends what runs in the server
	over <-chan struct{}    // closed when the call is over
	// opening is how many answers to the opening of the transaction are due.
	opening  int
	answered bool
	// clean: the connection was reset together with the last statement.
	clean bool
	// anew: nothing that is known of the statement is to be believed.
	anew bool
	// looked: this transaction has asked what its statement reaches.
	looked bool
	// unnamed: the unnamed statement is the one that was prepared; the connector's own
	// questions take its place.
	unnamed bool
	// beside returns a reading for look-ups beside this one, nil where there is none.
	beside func() *reading
	// apart: this is such a reading, whose questions are prepared once.
	apart bool
	// patient: rows that the receiver has no more room for are few; they are
	// passed over, so that the transaction goes on.
	patient bool
}

// ask runs fn in a read-only transaction. It enforces the time limit also on a server
// that went silent.
func (s *Session) ask(ctx context.Context, timeout time.Duration, fn func(*reading) error) error {
	ctx, cancel := sqlkit.WithTimeout(ctx, timeout+sqlkit.SettleTime, 0)
	defer cancel()
	return s.read(ctx, beginReadOnly, timeout, fn)
}

// read runs fn in a read-only transaction on a connection of the pool, which is
// rolled back in any case; timeout is for each statement. A connection that
// turns out to be dead before it answered anything is replaced.
// Errors: what fn returns; those of the driver are mapped. KindTimeout and
// KindCanceled when ctx ended, after the statement has ended in the server. ErrLimit
// from fn ends the statement and is no error.
func (s *Session) read(ctx context.Context, begin string, timeout time.Duration, fn func(*reading) error) error {
	for {
		stale, err := s.attempt(ctx, begin, timeout, fn)
		if !stale {
			return err
		}
	}
}

// attempt is read on one connection; stale: it was dead.
func (s *Session) attempt(ctx context.Context, begin string, timeout time.Duration, fn func(*reading) error) (stale bool, _ error) {
	c, wasIdle, err := s.pool.AcquireWithin(ctx, timeout)
	if err != nil {
		return false, err
	}
	started := time.Now()
	work, stop := context.WithCancel(ctx)
	r := &reading{s: s, c: c, p: c.pg.StartPipeline(work), stop: stop, over: work.Done()}
	r.beside = func() *reading { return s.beside(work) }
	r.open(begin, timeout)
	err = fn(r)
	r.end()
	stale = err != nil && c.pg.IsClosed() && wasIdle && !r.answered && ctx.Err() == nil
	if c.pg.IsClosed() {
		s.pool.Drop(c)
	} else {
		s.release(c, r.clean)
	}
	if err == nil || errors.Is(err, sdk.ErrLimit) {
		return false, nil
	}
	return stale, readError(ctx, err, time.Since(started), timeout)
}

// open queues the opening of the transaction; its answers are read with those
// of the first request.
func (r *reading) open(begin string, timeout time.Duration) {
	r.p.SendQueryParams(begin, nil, nil, nil, nil)
	r.p.SendQueryParams("SET LOCAL statement_timeout = "+strconv.FormatInt(timeout.Milliseconds(), 10), nil, nil, nil, nil)
	r.p.SendQueryParams(systemFirst, nil, nil, nil, nil)
	r.opening = 3
}

// systemFirst puts the server's own names in front of whatever the role, the
// database or the connection has set for the path, and temporary ones behind it:
// nobody's function, operator, type or table stands in for the server's.
const systemFirst = `SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', 'pg_catalog',
  NULLIF(pg_catalog.current_setting('search_path'), ''), 'pg_temp'), true)`

// end leaves nothing under way on the connection. What still runs in the server
// was stopped by the one who had enough of it, or ends with the context.
func (r *reading) end() {
	// Nobody wants the answers that are left; a failure of the connection shows
	// in its state.
	_ = r.p.Close()
	r.stop()
}

// next returns the answer to the next request.
func (r *reading) next() (any, error) {
	for {
		answer, err := r.p.GetResults()
		if err != nil {
			r.answered = r.answered || isServerError(err) && !r.c.pg.IsClosed()
			return nil, err
		}
		r.answered = true
		if _, prepared := answer.(*pgconn.StatementDescription); prepared && r.apart {
			continue
		}
		if r.opening == 0 {
			return answer, nil
		}
		r.opening--
		opened, err := answerOf[*pgconn.ResultReader](answer)
		if err != nil {
			return nil, err
		}
		if _, err := opened.Close(); err != nil {
			return nil, err
		}
	}
}

// answerOf checks the kind of an answer; the driver gives them in the order of
// the requests.
func answerOf[T any](answer any) (T, error) {
	t, ok := answer.(T)
	if !ok {
		return t, fmt.Errorf("the driver answered with %T", answer)
	}
	return t, nil
}

// result returns the rows that answer the next request.
func (r *reading) result() (*pgconn.ResultReader, error) {
	answer, err := r.next()
	if err != nil {
		return nil, err
	}
	return answerOf[*pgconn.ResultReader](answer)
}

// described returns the description that answers the next request.
func (r *reading) described() (*pgconn.StatementDescription, error) {
	answer, err := r.next()
	if err != nil {
		return nil, err
	}
	return answerOf[*pgconn.StatementDescription](answer)
}

// synced reads the end of what was sent together.
func (r *reading) synced() error {
	answer, err := r.next()
	if err != nil {
		return err
	}
	_, err = answerOf[*pgconn.PipelineSync](answer)
	return err
}

// sendLast sends what is queued as the last of the transaction, with the reset
// of the connection behind it: that saves a round trip.
func (r *reading) sendLast() error {
	r.p.SendPipelineSync()
	queueReset(r.p)
	return r.p.Flush()
}

// last reads the rest of what sendLast sent.
func (r *reading) last() error {
	if err := r.synced(); err != nil {
		return err
	}
	for range 2 {
		if _, err := r.result(); err != nil {
			return err
		}
		if err := r.synced(); err != nil {
			return err
		}
	}
	r.clean = r.c.pg.TxStatus() == 'I'
	return nil
}

// errOver ends a transaction whose call is over; readError says why it is.
var errOver = errors.New("the call is over")

// running reports with errOver that the call is over. A cancel request that was
// sent meanwhile found nothing to cancel: nothing more may be sent.
func (r *reading) running() error {
	select {
	case <-r.over:
		return errOver
	default:
		return nil
	}
}

// command sends one statement without a result of interest and waits for it.
func (r *reading) command(sql string) error {
	return r.query(sql, nil, func([][]byte) error { return nil })
}

// query runs one statement of the connector's own. Rows are text, a NULL is nil,
// and valid until each returns.
func (r *reading) query(sql string, params [][]byte, each func(row [][]byte) error) error {
	return r.bound(sql, &statement{params: params}, each)
}

// bound is query with the parameters of a caller's statement.
func (r *reading) bound(sql string, st *statement, each func(row [][]byte) error) error {
	r.unnamed = false
	r.p.SendQueryParams(sql, st.params, st.types, st.formats, nil)
	if err := r.p.Sync(); err != nil {
		return err
	}
	if err := r.answer(each); err != nil {
		return err
	}
	return r.synced()
}

// prepare has the server accept a statement as a read and parse it. It refuses a statement
// that reaches what can leave the transaction before the server plans it, and before the
// server parses it, for one more round trip, where a literal may run something while it is
// parsed. The statement is then the unnamed one of the connection, unless a look-up has
// taken its place.
func (r *reading) prepare(st *statement) (*pgconn.StatementDescription, error) {
	if st.parsed != nil && st.query >= 0 && !r.looked && st.literal(r.s.reacher.typed()) {
		r.looked = true
		reached, err := r.reachableNow()
		if err == nil {
			err = reached.find(st, r.s.Dialect)
		}
		if err != nil {
			return nil, err
		}
	}
	var now state
	var questions []question
	if st.parsed != nil && st.query >= 0 && !r.looked {
		questions = r.questions(&now)
		defer func() { now.look.leave() }()
	}
	r.queue(questions)
	if st.query >= 0 {
		r.p.SendPrepare("", declare+st.sql[st.query:], st.types)
	}
	r.p.SendPrepare("", st.sql, st.types)
	if err := r.p.Sync(); err != nil {
		return nil, err
	}
	if err := r.answers(questions); err != nil {
		return nil, r.unresolved(err)
	}
	if st.query >= 0 {
		if _, err := r.described(); err != nil {
			return nil, r.verdict(st, err)
		}
	}
	description, err := r.described()
	if err != nil {
		return nil, serverError(err, st.sql)
	}
	r.unnamed = true
	if err := r.synced(); err != nil || questions == nil {
		return description, err
	}
	r.looked = true
	reached, err := r.reachable(&now)
	if err != nil {
		return nil, err
	}
	return description, reached.find(st, r.s.Dialect)
}

// text returns the only value of the answer to the next request.
func (r *reading) text() (string, error) {
	rows, err := r.result()
	if err != nil {
		return "", err
	}
	var value string
	for rows.NextRow() {
		value = string(rows.Values()[0])
	}
	_, err = rows.Close()
	return value, err
}

// verdict tells a statement that is no read from one that is no SQL, after the
// server refused to declare it. What the server says to the statement alone is
// its own fault if it says the same; else it is fine as it is, and no query. What
// may pass, such as a cancel, says nothing about it.
func (r *reading) verdict(st *statement, declared error) error {
	refused, ok := asServerError(declared)
	if !ok || r.c.pg.IsClosed() || r.opening > 0 || fromServer(refused).Retry {
		return declared
	}
	if err := r.synced(); err != nil {
		return err
	}
	r.p.SendQueryParams("ROLLBACK", nil, nil, nil, nil)
	r.p.SendQueryParams(beginReadOnly, nil, nil, nil, nil)
	r.p.SendPrepare("", st.sql, st.types)
	if err := r.p.Sync(); err != nil {
		return err
	}
	for range 2 {
		if _, err := r.result(); err != nil {
			return err
		}
	}
	_, err := r.described()
	if plain, ok := asServerError(err); ok && (plain.Code == refused.Code || fromServer(plain).Retry) {
		return serverError(err, st.sql)
	}
	if err != nil && !isServerError(err) {
		return err
	}
	return st.parsed.Refuse(0, "only a query is accepted, and this statement is none: it may change data or settings").
		WithHint("send one SELECT, WITH, VALUES, TABLE, SHOW or EXPLAIN statement that only reads")
}

// asServerError returns what the server said, as opposed to what went wrong on
// the way to it.
func asServerError(err error) (*pgconn.PgError, bool) { return errors.AsType[*pgconn.PgError](err) }

func isServerError(err error) bool {
	_, ok := asServerError(err)
	return ok
}
