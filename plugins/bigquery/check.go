package bigquery

import (
	"context"
	"errors"
	"sync"

	"cloud.google.com/go/bigquery"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// selects is the kind of the only statements that run.
const selects = "SELECT"

// check has the service accept a statement as a read.
func (c *call) check(ctx context.Context, st *statement, params []sdk.Value) error {
	found, err := c.examined(ctx, st.SQL, params)
	if err != nil {
		return err
	}
	if missing := len(found.query.UndeclaredQueryParameterNames); missing > 0 {
		return sqlkit.CheckParameters(len(params)+missing, len(params))
	}
	st.plan = found
	return nil
}

// examined returns what a dry run said of a statement that only reads, and reads
// from nowhere else.
// Errors: KindNotReadOnly.
func (c *call) examined(ctx context.Context, sql string, params []sdk.Value) (*plan, error) {
	found, err := c.dryRun(ctx, sql, params)
	if err != nil {
		return nil, err
	}
	if kind := found.query.StatementType; kind != selects {
		e := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "BigQuery takes the statement for %q, and only a SELECT runs", kind)
		return nil, e.WithHint("%s", sqlkit.ReadsOnly.Hint)
	}
	return found, c.reach(ctx, found)
}

// reach refuses what a SELECT would have another system do: through a function, or
// inside a view.
func (c *call) reach(ctx context.Context, found *plan) error {
	errs := make([]error, len(found.routines)+len(found.query.ReferencedTables))
	var looks sync.WaitGroup
	look := func(i int, f func() error) { looks.Go(func() { errs[i] = guarded(f) }) }
	for i, r := range found.routines {
		look(i, func() error { return c.routine(ctx, r) })
	}
	for i, t := range found.query.ReferencedTables {
		look(len(found.routines)+i, func() error { return c.view(ctx, t) })
	}
	looks.Wait()
	return errors.Join(errs...)
}

// routine refuses a function that does not run inside BigQuery.
func (c *call) routine(ctx context.Context, r *bigquery.Routine) error {
	found, err := r.Metadata(ctx)
	if err != nil {
		return sqlkit.Failed(ctx, err, nativeError) // an unknown function is not let through
	}
	name := "the function " + r.DatasetID + "." + r.RoutineID
	switch {
	case found.RemoteFunctionOptions == nil && found.Language == "JAVASCRIPT":
		return nil // which reaches nothing
	case found.RemoteFunctionOptions == nil && (found.Language == "SQL" || found.Language == ""):
		return c.s.leaving(name, found.Body)
	}
	return leaves(name + " hands its arguments to another system")
}

// view refuses a view that asks another database. The metadata of a table behind an
// authorized view is not the account's to see: its owner has decided.
func (c *call) view(ctx context.Context, t *bigquery.Table) error {
	found, err := t.Metadata(ctx)
	if err != nil {
		switch err = sqlkit.Failed(ctx, err, nativeError); sdk.KindOf(err) {
		case sdk.KindDenied, sdk.KindNotFound, sdk.KindInvalid: // INFORMATION_SCHEMA has no metadata
			return nil
		}
		return err
	}
	if found.ViewQuery == "" || found.UseLegacySQL {
		return nil
	}
	return c.s.leaving("the view "+t.DatasetID+"."+t.TableID, found.ViewQuery)
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
