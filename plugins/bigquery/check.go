package bigquery

import (
	"context"
	"errors"
	"sync"

	bigquery "google.golang.org/api/bigquery/v2"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// selects is the kind of the only statements that run.
const selects = "SELECT"

// check has the service accept a statement as a read.
func (c *call) check(ctx context.Context, st *statement, params []sdk.Value) error {
	job, err := c.examined(ctx, st.SQL, params)
	if err != nil {
		return err
	}
	if missing := len(statistics(job).Query.UndeclaredQueryParameters); missing > 0 {
		return sqlkit.CheckParameters(len(params)+missing, len(params))
	}
	st.dry = job
	return nil
}

// examined returns what a dry run said of a statement that only reads, and reads
// from nowhere else.
// Errors: KindNotReadOnly.
func (c *call) examined(ctx context.Context, sql string, params []sdk.Value) (*bigquery.Job, error) {
	job, err := c.dryRun(ctx, sql, params)
	if err != nil {
		return nil, err
	}
	found := statistics(job).Query
	if found.StatementType != selects {
		e := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "BigQuery takes the statement for %q, and only a SELECT runs", found.StatementType)
		return nil, e.WithHint("%s", sqlkit.ReadsOnly.Hint)
	}
	return job, c.reach(ctx, found)
}

// reach refuses what a SELECT would have another system do: through a function, or
// inside a view.
func (c *call) reach(ctx context.Context, found *bigquery.JobStatistics2) error {
	errs := make([]error, len(found.ReferencedRoutines)+len(found.ReferencedTables))
	var looks sync.WaitGroup
	for i, r := range found.ReferencedRoutines {
		looks.Go(func() { errs[i] = c.routine(ctx, r) })
	}
	for i, t := range found.ReferencedTables {
		looks.Go(func() { errs[len(found.ReferencedRoutines)+i] = c.view(ctx, t) })
	}
	looks.Wait()
	return errors.Join(errs...)
}

// routine refuses a function that does not run inside BigQuery.
func (c *call) routine(ctx context.Context, r *bigquery.RoutineReference) error {
	found, err := c.s.api.Routines.Get(r.ProjectId, r.DatasetId, r.RoutineId).Context(ctx).Do()
	if err != nil {
		return sqlkit.Failed(ctx, err, nativeError) // an unknown function is not let through
	}
	name := r.DatasetId + "." + r.RoutineId
	if found.RemoteFunctionOptions != nil || found.PythonOptions != nil || found.SparkOptions != nil {
		return leaves("the function " + name + " hands its arguments to another system")
	}
	if found.Language != "SQL" && found.Language != "" {
		return nil // JavaScript, which reaches nothing
	}
	return c.s.leaving("the function "+name, found.DefinitionBody)
}

// view refuses a view that asks another database. The metadata of a table behind an
// authorized view is not the account's to see: its owner has decided.
func (c *call) view(ctx context.Context, t *bigquery.TableReference) error {
	found, err := c.s.api.Tables.Get(t.ProjectId, t.DatasetId, t.TableId).Context(ctx).Do()
	if err != nil {
		switch err = sqlkit.Failed(ctx, err, nativeError); sdk.KindOf(err) {
		case sdk.KindDenied, sdk.KindNotFound, sdk.KindInvalid: // INFORMATION_SCHEMA has no metadata
			return nil
		}
		return err
	}
	if found.View == nil || found.View.UseLegacySql {
		return nil
	}
	return c.s.leaving("the view "+t.DatasetId+"."+t.TableId, found.View.Query)
}

// leaving refuses SQL that calls what the guard lists. What is not of the dialect's
// lexis the service would not run either.
func (s *Session) leaving(what, body string) error {
	if _, err := sqlkit.Parse("SELECT "+body, s.Dialect); sdk.KindOf(err) == sdk.KindNotReadOnly {
		return leaves(what + " reaches another system: " + sdk.AsError(err, sdk.SourceCaller).Msg)
	}
	return nil
}

func leaves(why string) *sdk.Error {
	return sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "%s", why).WithHint("answer the question without it")
}
