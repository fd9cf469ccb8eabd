package bigquery

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	bigquery "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/googleapi"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// pollTime is how long the service holds a request for a result that is not there.
	pollTime = 10 * time.Second
	// settleTime is how long a cancel order may take: the session promises 3 s.
	settleTime = 2500 * time.Millisecond
	// lagTime is how long a job may take to be accepted whose caller has gone: what
	// is on its way cannot be cancelled yet.
	lagTime = 500 * time.Millisecond
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
	// started learns the job's id before it is sent. Optional.
	started func(string) error
}

// configuration describes a job of the query.
func (c *call) configuration(q *query) *bigquery.JobConfiguration {
	legacy, labels := false, map[string]string{"loam_connection": label(c.s.id)}
	for name, value := range q.tags {
		labels[label(name)] = label(value)
	}
	of := &bigquery.JobConfigurationQuery{
		Query: q.sql, UseLegacySql: &legacy, MaximumBytesBilled: q.budget,
		ParameterMode: "NAMED", QueryParameters: parameters(q.params),
	}
	if c.s.cfg.Dataset != "" {
		of.DefaultDataset = &bigquery.DatasetReference{ProjectId: c.s.cfg.Project, DatasetId: c.s.cfg.Dataset}
	}
	return &bigquery.JobConfiguration{Labels: labels, Query: of}
}

// dryRun has the service plan a statement. It executes nothing and bills nothing.
func (c *call) dryRun(ctx context.Context, sql string, params []sdk.Value) (*bigquery.Job, error) {
	ctx, stop := sqlkit.WithTimeout(ctx, c.limit, 0)
	defer stop()
	job := &bigquery.Job{Configuration: c.configuration(&query{sql: sql, params: params})}
	job.Configuration.DryRun = true
	job.JobReference = &bigquery.JobReference{ProjectId: c.s.cfg.Project, Location: c.s.location}
	done, err := c.s.api.Jobs.Insert(c.s.cfg.Project, job).Context(ctx).Do()
	if err == nil && done.Status != nil {
		err = jobError(done.Status.ErrorResult)
	}
	return done, sqlkit.Failed(ctx, err, nativeError)
}

// run runs a query as a job and hands over the pages of its result. A job that runs
// when ctx ends, or when page fails, is cancelled before run returns.
// Shape: the statistics of the job that is done.
func (c *call) run(ctx context.Context, q *query, page func(*bigquery.GetQueryResultsResponse) error) (*bigquery.JobStatistics, error) {
	ctx, stop := sqlkit.WithTimeout(ctx, c.limit, 0)
	defer stop()
	job := &bigquery.Job{Configuration: c.configuration(q), JobReference: &bigquery.JobReference{
		ProjectId: c.s.cfg.Project, Location: c.s.location, JobId: "loam_" + strings.ToLower(rand.Text()),
	}}
	job.Configuration.JobTimeoutMs = max(c.limit.Milliseconds(), 1)
	if q.started != nil {
		if err := q.started(job.JobReference.JobId); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, sqlkit.ContextError(ctx)
	}
	size := int64(pageRows)
	if q.rows > 0 {
		size = min(size, q.rows+1) // one more tells that there are more
	}
	done, err := c.pages(ctx, job, size, page)
	if err != nil && !done {
		c.s.stop(ctx, job.JobReference.JobId)
	}
	if err != nil && !errors.Is(err, sdk.ErrLimit) { // with which a writer has enough
		return nil, sqlkit.Failed(ctx, err, nativeError)
	}
	told, err := c.s.api.Jobs.Get(c.s.cfg.Project, job.JobReference.JobId).Location(c.s.location).Context(ctx).Do()
	if err != nil {
		return nil, sqlkit.Failed(ctx, err, nativeError)
	}
	return statistics(told), nil
}

// pages sends a job and reads its result; done reports that the job has ended.
func (c *call) pages(ctx context.Context, job *bigquery.Job, size int64, page func(*bigquery.GetQueryResultsResponse) error) (done bool, err error) {
	late, stop := lagging(ctx)
	_, err = c.s.api.Jobs.Insert(c.s.cfg.Project, job).Context(late).Do()
	stop()
	if refused, ok := errors.AsType[*googleapi.Error](err); ok && refused.Code == http.StatusConflict {
		err = nil // the request was repeated, and the job is there: nobody else has its id
	}
	for token := ""; err == nil; {
		var res *bigquery.GetQueryResultsResponse
		ask := c.s.api.Jobs.GetQueryResults(c.s.cfg.Project, job.JobReference.JobId).Location(c.s.location).PageToken(token)
		res, err = ask.FormatOptionsUseInt64Timestamp(true).TimeoutMs(pollTime.Milliseconds()).MaxResults(size).Context(ctx).Do()
		if err != nil || !res.JobComplete {
			continue
		}
		done = true
		if err = page(res); err == nil && res.PageToken == "" {
			return true, nil
		}
		token = res.PageToken
	}
	return done, err
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
		running, err = s.cancel(ctx, id)
		return err
	})
	return running, err
}

// cancel ends a job and waits until the service says that it is done.
func (s *Session) cancel(ctx context.Context, id string) (running bool, err error) {
	job, err := s.api.Jobs.Get(s.cfg.Project, id).Location(s.location).Context(ctx).Do()
	for ; err == nil && (job.Status == nil || job.Status.State != "DONE"); running = true {
		if !running {
			_, err = s.api.Jobs.Cancel(s.cfg.Project, id).Location(s.location).Context(ctx).Do()
		}
		if err == nil { // an answer, also one that the job failed, comes when it is done
			wait := s.api.Jobs.GetQueryResults(s.cfg.Project, id).Location(s.location).MaxResults(0).TimeoutMs(settleTime.Milliseconds())
			_, _ = wait.Context(ctx).Do()
			job, err = s.api.Jobs.Get(s.cfg.Project, id).Location(s.location).Context(ctx).Do()
		}
	}
	if err = sqlkit.Failed(ctx, err, nativeError); sdk.KindOf(err) == sdk.KindNotFound {
		err = nil
	}
	return running, err
}

// statistics of a job, never nil.
func statistics(job *bigquery.Job) *bigquery.JobStatistics {
	told := job.Statistics
	if told == nil {
		told = &bigquery.JobStatistics{}
	}
	if told.Query == nil {
		told.Query = &bigquery.JobStatistics2{}
	}
	return told
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
func parameters(values []sdk.Value) []*bigquery.QueryParameter {
	var params []*bigquery.QueryParameter
	for i, v := range values {
		p := &bigquery.QueryParameter{Name: "p" + strconv.Itoa(i+1), ParameterType: &bigquery.QueryParameterType{Type: "STRING"}}
		p.ParameterValue = &bigquery.QueryParameterValue{ForceSendFields: []string{"Value"}}
		switch v := v.(type) {
		case nil:
			p.ParameterValue = &bigquery.QueryParameterValue{NullFields: []string{"Value"}}
		case []byte:
			p.ParameterType.Type, p.ParameterValue.Value = "BYTES", base64.StdEncoding.EncodeToString(v)
		case bool:
			p.ParameterType.Type, p.ParameterValue.Value = "BOOL", strconv.FormatBool(v)
		case int64:
			p.ParameterType.Type, p.ParameterValue.Value = "INT64", strconv.FormatInt(v, 10)
		case float64:
			p.ParameterType.Type, p.ParameterValue.Value = "FLOAT64", strconv.FormatFloat(v, 'g', -1, 64)
		default:
			p.ParameterValue.Value = fmt.Sprint(v)
		}
		params = append(params, p)
	}
	return params
}
