package semanticquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Sink receives an answer: Columns once, then each row.
// Shape: columns are the engine's description of the columns of c.Query, in their order.
// cells has one JSON value per column, valid until Row returns.
// Errors: an error ends the statement, and Run returns it unchanged.
type Sink interface {
	Columns(c *Compiled, columns []sdk.Column) error
	Row(cells [][]byte) error
}

// Run compiles a request, runs the statement and writes its rows to sink. Where the
// dialect depends on the server, the statement is in that of the session.
// Shape: the summary has the notes about the rows, Compiled all others.
// Errors: those of Compile; those of leasing a session and of running the statement; the
// sink's own error unchanged. After an error the delivered rows are not an answer.
// Concurrency: a cancelled context ends the statement in the warehouse.
func (s *Service) Run(ctx context.Context, r Request, sink Sink) (*Compiled, query.Summary, error) {
	j, err := s.job(ctx, r)
	if err != nil {
		return nil, query.Summary{}, err
	}
	defer j.progress.Stop()
	limit := j.warehouse.Limits.OrDefault().Timeout + margin
	ctx, cancel := context.WithTimeoutCause(ctx, limit, overdue(limit))
	defer cancel()
	if err := j.settle(ctx); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, query.Summary{}, err
	}
	out, err := j.run(ctx, r.MaxBytes, sink)
	if now, ok := errors.AsType[*query.OtherDialect](err); ok { // of another server than was last known
		if err = j.compile(ctx, now.Is); err == nil {
			out, err = j.run(ctx, r.MaxBytes, sink)
		}
	}
	if err != nil {
		return nil, query.Summary{}, err
	}
	j.progress.Send(fractionDone, fmt.Sprintf("Fetched %d rows", out.RowCount))
	return j.out, out, nil
}

// margin is what a query may take beyond the timeout of its statement, so that the
// statement's own clock, which can say more, strikes first.
const margin = 5 * time.Second

func overdue(limit time.Duration) error {
	err := sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "the query took longer than %v", limit).
		WithHint("ask for less, or raise the connection's limits.timeout")
	err.Retry = true
	return err
}

// settle compiles in the dialect of the last known server, or else of the server that a
// session is connected to. A request is refused before a connector starts if the dialect
// is known; only a form that the last known dialect lacks is tried again in the session's.
func (j *job) settle(ctx context.Context) error {
	several := len(j.known.Description.Dialects) > 1
	var tried *dialect.Dialect
	var refused error
	if j.known.Certain() {
		tried = j.known.Dialect()
		refused = j.compile(ctx, tried)
		if e, ok := errors.AsType[*refusal.Error](refused); refused != nil && !(several && ok && e.Code == refusal.CodeUnsupported) {
			return refused
		}
	}
	if tried != nil && refused == nil {
		return nil
	}
	d, err := j.leased(ctx)
	if err != nil {
		return err
	}
	if d == tried {
		return refused
	}
	return j.compile(ctx, d)
}

// leased returns the dialect of the server that a session is connected to.
func (j *job) leased(ctx context.Context) (*dialect.Dialect, error) {
	limited, cancel := context.WithTimeout(ctx, j.warehouse.Limits.OrDefault().Timeout)
	defer cancel()
	session, release, err := j.warehouse.Lease(limited)
	if err != nil {
		return nil, err
	}
	defer release() // before the statement leases one itself: there may be only one
	return j.known.Of(session.Server()), nil
}

// run runs the statement that was compiled.
func (j *job) run(ctx context.Context, maxBytes int, sink Sink) (query.Summary, error) {
	j.progress.Send(fractionExecuting, "Executing")
	rows := &rows{job: j, sink: sink, most: j.request.Limit, asks: j.request.Limit}
	switch {
	case j.request.Summarised():
		rows.most, rows.asks = j.request.MostRows(), j.request.MostRows()
	case j.request.Limit == 0:
		rows.most, rows.asks = request.DefaultLimit, request.DefaultLimit+1
	}
	out, err := j.service.Query.Run(ctx, query.Request{
		Connection: j.warehouse.ID, SQL: j.out.Query.SQL, MaxRows: rows.asks, MaxBytes: maxBytes, Dialect: j.dialect,
		Progress: ofExecution(j.progress),
	}, rows)
	if err != nil {
		return query.Summary{}, j.misfit(err)
	}
	return rows.close(out), nil
}

// misfit adds a hint to the error of a statement whose names or types the warehouse does
// not know: the compiler wrote it, so the definitions or the snapshot are out of date.
func (j *job) misfit(err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != sdk.KindNotFound && e.Kind != sdk.KindSyntax {
		return err
	}
	more := *e
	more.Pos, more.Err = sdk.Position{}, err
	more.Hint = fmt.Sprintf("run loam scan %s if the warehouse changed, else loam sl validate -c %s --data to find the definition at fault", j.warehouse.ID, j.warehouse.ID)
	return &more
}

// rows forwards a result and drops the extra row that was fetched to detect truncation.
type rows struct {
	job  *job
	sink Sink
	// most is how many rows are forwarded, asks how many the statement asks for.
	most, asks int
	count      int
	more       bool
	// groups are the rows that are not over several groups.
	groups int
}

func (r *rows) Columns(columns []sdk.Column) error {
	want := r.job.out.Query.Columns
	same := len(columns) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = r.named(columns[i].Name, want[i].Name)
	}
	if !same {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Name
		}
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the statement gives columns %q where the query has %q", names, columnNames(want)).
			WithHint("report this request: it is a fault of Loam or of the connector")
	}
	return r.sink.Columns(r.job.out, columns)
}

// named reports whether a column has the name that it was given, as far as the
// engine keeps one.
func (r *rows) named(got, given string) bool {
	most := r.job.dialect.MaxIdentifierBytes
	return got == given || most > 0 && len(given) > most && got != "" && len(got) <= most && got == given[:min(len(got), len(given))]
}

func columnNames(columns []compile.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

func (r *rows) Row(cells [][]byte) error {
	if r.count == r.most {
		r.more = true
		return nil
	}
	r.count++
	if r.job.request.Totals && string(cells[len(r.job.out.Query.Columns)-1]) == "0" { // or _rest, which has no more
		r.groups++
	}
	return r.sink.Row(cells)
}

// close returns the summary with the number of forwarded rows and the notes on truncation.
func (r *rows) close(out query.Summary) query.Summary {
	out.RowCount = r.count
	notes := out.Notes
	out.Notes = nil
	switch {
	case r.more:
		out.Truncated, out.TruncatedBy = true, sdk.TruncatedByRows
		out.Notes = append(out.Notes, fmt.Sprintf("The result was cut at %d rows, which is the most without a limit. Filter, ask for fewer dimensions, or set limit (at most %d) and page with offset.", r.most, request.MaxLimit))
	case r.job.request.Summarised():
		if limit := cmp.Or(r.job.request.Limit, request.DefaultLimit); !r.job.request.Rest && r.groups >= limit {
			out.Notes = append(out.Notes, fmt.Sprintf("The limit of %d groups was reached: there may be more, and the total is over all of them. Raise limit.", limit))
		}
	case r.count == r.job.request.Limit && !out.Truncated && r.count > 0:
		out.Notes = append(out.Notes, fmt.Sprintf("The limit of %d rows was reached: there may be more. Raise limit, or go on with offset %d.", r.count, r.job.request.Offset+r.count))
	}
	for _, text := range notes {
		if !slices.Contains(r.job.out.Notes, text) && !slices.Contains(out.Notes, text) {
			out.Notes = append(out.Notes, text)
		}
	}
	return out
}
