package bigquery

import (
	"context"
	"encoding/json"
	"errors"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/iterator"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// queryLog lists the queries of the project, of all users where the account may see
// them and else its own. The list is free, unlike INFORMATION_SCHEMA.JOBS.
func (c *call) queryLog(ctx context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	err := c.jobs(ctx, req, w, true)
	if sdk.KindOf(sqlkit.Failed(ctx, err, nativeError)) == sdk.KindDenied {
		err = c.jobs(ctx, req, w, false)
	}
	return err
}

// listed is what a list has of a job's query. The client's own type has it, too, but
// cannot make it of every parameter.
type listed struct {
	JobReference  struct{ JobID string }
	Configuration struct {
		DryRun bool
		Labels map[string]string
		Query  *struct {
			Query          string
			DefaultDataset *struct{ DatasetID string }
		}
	}
}

func (c *call) jobs(ctx context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter, all bool) error {
	known := map[string]listed{} // those of the last page
	list := c.s.client.Jobs(heard(ctx, func(body []byte) error {
		var page struct{ Jobs []listed }
		clear(known)
		err := json.Unmarshal(body, &page)
		for _, job := range page.Jobs {
			known[job.JobReference.JobID] = job
		}
		return err
	}))
	list.State, list.AllUsers, list.MinCreationTime, list.MaxCreationTime = bigquery.Done, all, req.Since, req.Until
	list.PageInfo().MaxSize = min(req.MaxEntries, 1000)
	for sent := 0; sent < req.MaxEntries; {
		job, err := list.Next()
		if errors.Is(err, iterator.Done) {
			return nil
		} else if err != nil {
			return err
		}
		of := known[job.ID()].Configuration
		if of.Query == nil || of.DryRun {
			continue
		}
		told, query := statistics(job)
		e := sdk.QueryLogEntry{
			QueryID: job.ID(), Database: job.ProjectID(), SQL: of.Query.Query, User: job.Email(), Rows: -1, Executions: 1,
			Failed: statusOf(job).Err() != nil, BytesRead: told.TotalBytesProcessed, BytesBilled: query.TotalBytesBilled,
			Application: of.Labels["loam_connection"],
		}
		if of.Query.DefaultDataset != nil {
			e.SearchPath = []string{of.Query.DefaultDataset.DatasetID}
		}
		if !told.StartTime.IsZero() {
			e.StartedAt, e.Elapsed = told.StartTime.UTC(), max(told.EndTime.Sub(told.StartTime), 0)
		}
		if err := w.Entry(e); err != nil {
			return err
		}
		sent++
	}
	return nil
}
