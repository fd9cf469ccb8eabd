package bigquery

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// settleTime is how long a cancel order may take: the session promises 3 s.
	settleTime = 2500 * time.Millisecond
	// lagTime is how long a job may take to be accepted whose caller has gone: what
	// is on its way cannot be cancelled yet.
	lagTime = 500 * time.Millisecond
	// progressTime is how often a caller learns how far its statement is.
	progressTime = 2 * time.Second
	// pageRows bounds a page; the service ends one at 10 MB or before.
	pageRows = 20_000
)

// query is a statement to send.
type query struct {
	sql    string
	params []sdk.Value
	tags   map[string]string
	budget int64 // bytes that it may bill, 0 = no limit
	rows   int64 // that are wanted, 0 = all
	// caller learns the job's id before it is sent, its progress and its bytes. Optional.
	caller *sdk.RowWriter
}

// job returns the query for the client to send.
func (c *call) job(q *query) *bigquery.Query {
	of := c.s.client.Query(q.sql)
	of.MaxBytesBilled, of.Parameters = q.budget, parameters(q.params)
	of.Labels = map[string]string{"loam_connection": label(c.s.id)}
	for name, value := range q.tags {
		of.Labels[label(name)] = label(value)
	}
	if c.s.cfg.Dataset != "" {
		of.DefaultProjectID, of.DefaultDatasetID = c.s.cfg.Project, c.s.cfg.Dataset
	}
	return of
}

// plan is what a dry run says of a statement.
type plan struct {
	job      *bigquery.Job
	bytes    int64 // that the statement reads
	query    *bigquery.QueryStatistics
	routines []*bigquery.Routine
}

// dryRun has the service plan a statement. It executes nothing and bills nothing.
func (c *call) dryRun(ctx context.Context, sql string, params []sdk.Value) (*plan, error) {
	ctx, stop := sqlkit.WithTimeout(ctx, c.limit, 0)
	defer stop()
	dry := c.job(&query{sql: sql, params: params})
	dry.DryRun = true
	var unsaid struct { // the client's statistics have no routines
		Statistics struct {
			Query struct {
				ReferencedRoutines []struct{ ProjectID, DatasetID, RoutineID string }
			}
		}
	}
	job, err := dry.Run(heard(ctx, func(body []byte) error { return json.Unmarshal(body, &unsaid) }))
	if err == nil {
		err = statusOf(job).Err()
	}
	if err != nil {
		return nil, sqlkit.Failed(ctx, err, nativeError)
	}
	told, query := statistics(job)
	p := &plan{job: job, bytes: told.TotalBytesProcessed, query: query}
	for _, r := range unsaid.Statistics.Query.ReferencedRoutines {
		p.routines = append(p.routines, c.s.client.DatasetInProject(r.ProjectID, r.DatasetID).Routine(r.RoutineID))
	}
	return p, nil
}

// statusOf is the last known status of a job, never nil.
func statusOf(job *bigquery.Job) *bigquery.JobStatus {
	if known := job.LastStatus(); known != nil {
		return known
	}
	return &bigquery.JobStatus{}
}

// statistics are the last known ones of a job, never nil.
func statistics(job *bigquery.Job) (*bigquery.JobStatistics, *bigquery.QueryStatistics) {
	told := statusOf(job).Statistics
	if told == nil {
		told = &bigquery.JobStatistics{}
	}
	if query, ok := told.Details.(*bigquery.QueryStatistics); ok {
		return told, query
	}
	return told, &bigquery.QueryStatistics{}
}

// run runs a query as a job and hands over its result: the schema, then rows with
// values as exact says. A job that runs when ctx ends, or when head or row fails, is
// cancelled before run returns.
func (c *call) run(ctx context.Context, q *query, head func(bigquery.Schema) error, row func([]bigquery.Value) error) (billed int64, err error) {
	ctx, stop := sqlkit.WithTimeout(ctx, c.limit, 0)
	defer stop()
	send := c.job(q)
	send.JobID, send.JobTimeout = "loam_"+strings.ToLower(rand.Text()), max(c.limit, time.Millisecond)
	if q.caller != nil {
		if err := q.caller.Started(send.JobID); err != nil {
			return 0, err
		}
	}
	if ctx.Err() != nil {
		return 0, sqlkit.ContextError(ctx)
	}
	job, err := c.read(ctx, q, send, head, row)
	if err != nil && !errors.Is(err, sdk.ErrLimit) { // with which a writer has enough
		return 0, sqlkit.Failed(ctx, err, nativeError)
	}
	if _, err = job.Status(ctx); err != nil {
		return 0, sqlkit.Failed(ctx, err, nativeError)
	}
	told, query := statistics(job)
	if q.caller != nil {
		q.caller.SetBytesScanned(told.TotalBytesProcessed)
		q.caller.SetBytesBilled(query.TotalBytesBilled)
	}
	return query.TotalBytesBilled, nil
}

// read sends a job and reads its result.
func (c *call) read(ctx context.Context, q *query, send *bigquery.Query, head func(bigquery.Schema) error, row func([]bigquery.Value) error) (*bigquery.Job, error) {
	late, stop := lagging(ctx)
	job, err := send.Run(late)
	stop()
	if refused, ok := errors.AsType[*googleapi.Error](err); ok && refused.Code == http.StatusConflict {
		// The request was repeated, and the job is there: nobody else has its id.
		job, err = c.s.client.JobFromID(ctx, send.JobID)
	}
	var rows *bigquery.RowIterator
	if err == nil {
		rows, err = c.wait(ctx, job, q.caller)
	}
	if err != nil {
		c.s.stop(ctx, send.JobID)
		return nil, err
	}
	rows.PageInfo().MaxSize = pageRows
	if q.rows > 0 && q.rows < pageRows {
		rows.PageInfo().MaxSize = int(q.rows) + 1 // one more tells that there are more
	}
	if err := head(rows.Schema); err != nil {
		return job, err
	}
	rows.Schema = exact(rows.Schema, false) // by which the client reads values
	for {
		var values []bigquery.Value
		if err := rows.Next(&values); errors.Is(err, iterator.Done) {
			return job, nil
		} else if err != nil {
			return job, err
		}
		if err := row(values); err != nil {
			return job, err
		}
	}
}

// wait returns the rows of a job when it is done, and until then tells its caller how
// far it is.
func (c *call) wait(ctx context.Context, job *bigquery.Job, caller *sdk.RowWriter) (*bigquery.RowIterator, error) {
	waiting, done := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer done()
	if seen := *job; caller != nil {
		watch.Go(func() {
			_ = guarded(func() error { return c.watch(waiting, &seen, caller) }) // the result tells what is wrong
		})
	}
	return job.Read(ctx)
}

// watch tells the progress of a job until ctx ends.
func (c *call) watch(ctx context.Context, job *bigquery.Job, caller *sdk.RowWriter) error {
	tick := time.NewTicker(c.s.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if _, err := job.Status(ctx); err != nil {
			return err
		}
		if _, query := statistics(job); len(query.Timeline) > 0 {
			now := query.Timeline[len(query.Timeline)-1]
			caller.Progress(sdk.Progress{Phase: "query", Done: now.CompletedUnits, Total: now.CompletedUnits + now.ActiveUnits + now.PendingUnits, Unit: "units of work"})
		}
	}
}

// lagging returns a context that ends a little after ctx.
func lagging(ctx context.Context) (context.Context, func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { time.AfterFunc(lagTime, cancel) })
	return late, func() { unhook(); cancel() }
}

// stop cancels a job whose caller has gone, and waits until the service says that it
// is done, though no longer than the session promises.
func (s *Session) stop(ctx context.Context, id string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer stop()
	_, _ = s.cancel(ctx, id) // the caller learns why its call ended
}

// CancelQuery implements sdk.QueryCanceler. A job that has ended, or that never came
// to be, is no error.
func (s *Session) CancelQuery(ctx context.Context, id string) (running bool, err error) {
	err = s.Calls.Run(ctx, s.Timeout, 0, func(ctx context.Context) error {
		return guarded(func() error {
			running, err = s.cancel(ctx, id)
			return err
		})
	})
	return running, err
}

// cancel ends a job and waits until the service says that it is done.
func (s *Session) cancel(ctx context.Context, id string) (running bool, err error) {
	job, err := s.client.JobFromID(ctx, id)
	for ; err == nil && !statusOf(job).Done(); running = true {
		if !running {
			err = job.Cancel(ctx)
		}
		if err == nil { // an answer, also one that the job failed, comes when it is done
			_, _ = job.Wait(ctx)
			_, err = job.Status(ctx)
		}
	}
	if err = sqlkit.Failed(ctx, err, nativeError); sdk.KindOf(err) == sdk.KindNotFound {
		err = nil
	}
	return running, err
}

// label makes text the name or the value of a label: lower-case letters, digits, _
// and -, 63 of them at most, and a letter first.
func label(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, strings.ToLower(text))
	if text == "" || text[0] < 'a' {
		text = "x" + text
	}
	return text[:min(len(text), 63)]
}

// parameters are named p1, p2, … as the dialect writes them.
func parameters(values []sdk.Value) (params []bigquery.QueryParameter) {
	for i, v := range values {
		switch bytes := v.(type) {
		case nil:
			v = bigquery.NullString{}
		case []byte: // of which the client leaves none out
			v = &bigquery.QueryParameterValue{Type: bigquery.StandardSQLDataType{TypeKind: "BYTES"}, Value: base64.StdEncoding.EncodeToString(bytes)}
		}
		params = append(params, bigquery.QueryParameter{Name: "p" + strconv.Itoa(i+1), Value: v})
	}
	return params
}
