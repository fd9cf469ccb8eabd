package query

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// answer is the part of the page that follows when the statement has ended.
type answer struct {
	Form   Form           `json:"form"`
	Result *result.Result `json:"result,omitempty"`
	Chart  *shown.Chart   `json:"chart,omitempty"`
	Notes  []string       `json:"notes,omitempty"`
	Fault  *shown.Fault   `json:"fault,omitempty"`
	// Cancelled: a person ended the statement.
	Cancelled bool   `json:"cancelled,omitempty"`
	Took      string `json:"took,omitempty"`
}

// run sends the page with a form to cancel, runs the statement and sends its rows.
func (s *service) run(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	f := read(r.Form)
	if err := f.check(); err != nil {
		return s.faulty(ctx, r, f, err)
	}
	s.recent.add(r.Session, f)
	v, d, err := s.view(ctx, r, f)
	if err != nil {
		return nil, err
	}
	if f.Tab == tabMeasures {
		if err := s.explain(ctx, d); err != nil {
			return nil, err
		}
	}
	if d.Fault != nil {
		v.Status = http.StatusUnprocessableEntity
		s.record(ctx, r, f, s.Now(), string(d.Fault.Kind), store.NoRows, 0)
		return &page.Outcome{View: v}, nil
	}
	one, err := s.running.add(r.Session, f, r.Now)
	if err != nil {
		return s.faulty(ctx, r, f, err)
	}
	d.Run, d.Measures, d.Dimensions = one.id, nil, nil // the page has its room for the answer
	v.ThenTemplate = "query.answer"
	v.Then = func(ctx context.Context) (any, error) {
		ctx, end := s.running.begin(ctx, one)
		defer end()
		return s.answer(ctx, r, one)
	}
	return &page.Outcome{View: v}, nil
}

// answer runs the statement.
// Errors: internal ones; others are in the answer.
func (s *service) answer(ctx context.Context, r *page.Request, one *run) (*answer, error) {
	f := one.form
	c := shown.NewRows(f.Chart)
	out := &answer{Form: f}
	summary, err := s.execute(ctx, r, f, c, s.AnswerSize)
	if err != nil {
		switch {
		case s.running.wasStopped(one) && sdk.KindOf(err) == sdk.KindCanceled:
			out.Cancelled = true
			return out, nil
		case sdk.KindOf(err) == sdk.KindInternal:
			return nil, err
		}
		out.Fault = shown.FaultOf(err, f.SQL, s.Redact)
		return out, nil
	}
	out.Notes, summary.Notes = summary.Notes, nil
	out.Result = c.Table.Result(summary)
	out.Took = summary.Elapsed.Round(time.Millisecond).String()
	out.Chart = c.Chart()
	return out, nil
}

// rowSink receives the rows of statements and of measures.
type rowSink interface {
	query.Sink
	Measured(c *semanticquery.Compiled, columns []sdk.Column) error
}

// measures passes the rows of measures on.
type measures struct{ rowSink }

func (m measures) Columns(c *semanticquery.Compiled, columns []sdk.Column) error {
	return m.Measured(c, columns)
}

// execute runs what a form asks for, within the limits of a tool, and records the call.
// Shape: the notes of the summary include those on the request and, of a statement without rows, its findings.
func (s *service) execute(ctx context.Context, r *page.Request, f Form, sink rowSink, maxBytes int) (summary query.Summary, err error) {
	started := s.Now()
	counted := &counter{rowSink: sink}
	defer func() {
		outcome, rows := store.OutcomeOK, counted.rows
		if err != nil {
			outcome, rows = string(sdk.KindOf(err)), store.NoRows
		}
		s.record(ctx, r, f, started, outcome, rows, counted.bytes)
	}()
	id := connection.ID(f.Connection)
	if f.Tab == tabMeasures {
		body, err := f.body()
		if err != nil {
			return query.Summary{}, err
		}
		compiled, summary, err := s.Semantic.Run(ctx, semanticquery.Request{Connection: id, Body: body, MaxBytes: maxBytes}, measures{counted})
		if err == nil {
			summary.Notes = append(append([]string{}, compiled.Notes...), summary.Notes...)
		}
		return summary, err
	}
	limit, err := f.rows()
	if err != nil {
		return query.Summary{}, err
	}
	summary, err = s.Run(ctx, query.Request{Connection: id, SQL: f.SQL, MaxRows: limit, MaxBytes: maxBytes}, counted)
	switch {
	case err != nil:
		err = s.Offer(ctx, id, f.SQL, err)
	case summary.Nothing:
		summary.Notes = append(summary.Notes, finding.Notes(s.Findings(ctx, id, f.SQL))...)
	}
	return summary, err
}

// record puts a run into the history of calls: its text, and nothing of its rows.
func (s *service) record(ctx context.Context, r *page.Request, f Form, started time.Time, outcome string, rows, bytes int) {
	c := shown.Call{
		Tool: shown.ToolSQL, Connection: f.Connection, Started: started, Elapsed: s.Now().Sub(started), Outcome: outcome, Rows: rows, Bytes: bytes, Actor: r.Actor,
	}
	if f.Tab == tabMeasures {
		c.Tool = shown.ToolMeasures
		c.Arguments, _ = f.body()
	} else {
		c.Arguments, _ = json.Marshal(map[string]string{"sql": s.Redact(f.SQL)})
	}
	s.Record(ctx, c)
}

// counter counts what is delivered.
type counter struct {
	rowSink
	rows, bytes int
}

func (c *counter) Row(cells [][]byte) error {
	c.rows++
	for _, cell := range cells {
		c.bytes += len(cell)
	}
	return c.rowSink.Row(cells)
}

// cancel ends a statement in the warehouse and shows its text again.
func (s *service) cancel(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	one, err := s.running.cancel(r.Session, r.Field("run"))
	if err != nil {
		return nil, err
	}
	v, d, err := s.view(ctx, r, one.form)
	if err != nil {
		return nil, err
	}
	d.Said = "The statement was cancelled."
	return &page.Outcome{View: v}, nil
}
