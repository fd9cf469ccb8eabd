package saved

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// Tool is the name of a run in the history of calls. It is another one than that of agents, whose runs are counted as use
// of the query.
const Tool = "console saved query"

// Ran is the rows of a run.
type Ran struct {
	*result.Result
	Query approved.Identity `json:"query"`
	// Bound has the values that the statement used.
	Bound map[string]any `json:"bound"`
}

// leastBytes is the room of the rows, in bytes of HTML, below a query with long texts.
const leastBytes = 10_000

// maxValues bounds the shown values of a run, in characters.
const maxValues = 500

// Values are the values that the statement used, as JSON, cut for showing.
func (r *Ran) Values() string {
	if len(r.Bound) == 0 {
		return ""
	}
	raw, err := json.Marshal(r.Bound)
	if err != nil {
		return ""
	}
	return result.Short(string(raw), maxValues)
}

// run shows the form again with its values; the rows follow below it.
func (s *Services) run(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	view, q, err := s.asked(ctx, r)
	if err != nil || q.Notice != "" {
		return &page.Outcome{View: view}, err
	}
	view.Template, view.ThenTemplate = "saved.running", "saved.result"
	view.Then = func(ctx context.Context) (any, error) {
		table := result.NewTable(max(leastBytes, result.DefaultBytes-q.shown()))
		ran, err := s.execute(ctx, r, q, query.DefaultMaxBytes, table)
		if err != nil {
			return nil, err
		}
		return &Ran{Result: table.Result(ran.Summary), Query: ran.Query, Bound: ran.Bound}, nil
	}
	return &page.Outcome{View: view}, nil
}

// save sends the rows as CSV, as they arrive, without a bound on their size. The last line of a truncated result names the number of rows.
func (s *Services) save(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	view, q, err := s.asked(ctx, r)
	if err != nil || q.Notice != "" {
		return &page.Outcome{View: view}, err
	}
	return &page.Outcome{View: &page.View{File: &page.File{
		Name: string(q.ConnectionID) + "-" + q.Name + ".csv", Type: "text/csv; charset=utf-8",
		Write: func(ctx context.Context, w io.Writer) error {
			to := result.NewCSV(w)
			ran, err := s.execute(ctx, r, q, noLimit, to)
			if err == nil && ran.Truncated {
				err = to.Record(fmt.Sprintf("truncated: the statement has more than these %d rows", ran.RowCount))
			}
			return err
		},
	}}}, nil
}

// noLimit is the MaxBytes of a run whose rows are not kept.
const noLimit = -1

// asked returns the page with the values of the form. A query that was changed since the page was shown is not run: the
// page says so.
func (s *Services) asked(ctx context.Context, r *page.Request) (*page.View, *Query, error) {
	view, err := s.view(ctx, r, r.Form)
	if err != nil {
		return nil, nil, err
	}
	q, ok := view.Data.(*Query)
	if !ok {
		return nil, nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the page of a saved query has other data")
	}
	if seen := r.Field("version"); seen != q.Version {
		q.Notice = "The file of this query was changed since this page was shown. Nothing was run: read it again, then run it."
	}
	return view, q, nil
}

// execute runs the query with the values of a form, and records the run.
func (s *Services) execute(ctx context.Context, r *page.Request, q *Query, bytes int, sink query.Sink) (ran *approved.Result, err error) {
	ctx, call := telemetry.Begin(ctx, nil)
	started := time.Now()
	counted := &counter{Sink: sink}
	given := values(q.Parameters, r.Form)
	ran, err = s.Queries.Execute(ctx, approved.Run{
		Name: q.Name, Connection: q.ConnectionID, Parameters: given, MaxRows: rowsOf(r.Form), MaxBytes: bytes, Unreviewed: r.Role == page.Reviewer,
	}, counted)
	done := history.Call{
		Request: call.ID(), Started: started, Elapsed: time.Since(started), Tool: Tool, Connection: string(q.ConnectionID), Outcome: store.OutcomeOK,
		Rows: store.NoRows, Bytes: counted.bytes, Caller: callerOf(ctx, r),
	}
	if err != nil {
		done.Outcome = string(sdk.AsError(err, sdk.SourceHost).Kind)
	} else {
		done.Rows = ran.RowCount
	}
	// The history records the names of the parameters alone.
	done.Arguments, _ = json.Marshal(map[string]any{"name": q.Name, "parameters": given}) // texts and numbers: without an error
	s.Record(done)
	return ran, err
}

// callerOf describes a person at the console for the history.
func callerOf(ctx context.Context, r *page.Request) caller.Record {
	return caller.Record{Client: "Loam console", Transport: string(r.Actor.Channel), Principal: r.Actor.Name(), Session: caller.Of(ctx).Session()}
}

// counter counts the bytes of the rows.
type counter struct {
	query.Sink
	bytes int
}

func (c *counter) Row(cells [][]byte) error {
	for _, cell := range cells {
		c.bytes += len(cell)
	}
	return c.Sink.Row(cells)
}
