package bigquery

import (
	"context"
	"errors"
	"time"

	bigquery "google.golang.org/api/bigquery/v2"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// errEnough ends a list of jobs.
var errEnough = errors.New("enough jobs")

// queryLog lists the queries of the project, of all users where the account may see
// them and else its own. The list is free, unlike INFORMATION_SCHEMA.JOBS.
func (c *call) queryLog(ctx context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	err := c.jobs(ctx, req, w, true)
	if sdk.KindOf(sqlkit.Failed(ctx, err, nativeError)) == sdk.KindDenied {
		err = c.jobs(ctx, req, w, false)
	}
	return err
}

func (c *call) jobs(ctx context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter, all bool) error {
	list := c.s.api.Jobs.List(c.s.cfg.Project).Projection("full").StateFilter("done").AllUsers(all).MaxResults(int64(min(req.MaxEntries, 1000)))
	if !req.Since.IsZero() {
		list = list.MinCreationTime(uint64(req.Since.UnixMilli()))
	}
	if !req.Until.IsZero() {
		list = list.MaxCreationTime(uint64(req.Until.UnixMilli()))
	}
	sent := 0
	err := list.Pages(ctx, func(page *bigquery.JobList) error {
		for _, job := range page.Jobs {
			if job.Configuration == nil || job.Configuration.Query == nil || job.Configuration.DryRun {
				continue
			}
			if err := w.Entry(entry(job)); err != nil {
				return err
			}
			if sent++; sent == req.MaxEntries {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// entry makes an entry of a job.
func entry(job *bigquery.JobListJobs) sdk.QueryLogEntry {
	told := statistics(&bigquery.Job{Statistics: job.Statistics})
	e := sdk.QueryLogEntry{
		SQL: job.Configuration.Query.Query, User: job.UserEmail, Rows: -1, Executions: 1, Failed: job.ErrorResult != nil,
		BytesRead: told.TotalBytesProcessed, BytesBilled: told.Query.TotalBytesBilled, Application: job.Configuration.Labels["loam_connection"],
	}
	if job.JobReference != nil {
		e.QueryID, e.Database = job.JobReference.JobId, job.JobReference.ProjectId
	}
	if d := job.Configuration.Query.DefaultDataset; d != nil {
		e.SearchPath = []string{d.DatasetId}
	}
	if told.StartTime > 0 {
		e.StartedAt = time.UnixMilli(told.StartTime).UTC()
		e.Elapsed = max(time.Duration(told.EndTime-told.StartTime)*time.Millisecond, 0)
	}
	return e
}
