package bigquery

import (
	"context"
	"encoding/json"

	"github.com/loam-data/loam/sdk"
)

// explain tells what the dry run of a checked statement said: the service has no plan
// before it runs one.
func (c *call) explain(_ context.Context, st *statement, _ []sdk.Value, e *sdk.Explanation) error {
	tables, routines := []string{}, []string{}
	for _, t := range st.plan.query.ReferencedTables {
		tables = append(tables, t.ProjectID+"."+t.DatasetID+"."+t.TableID)
	}
	for _, r := range st.plan.routines {
		routines = append(routines, r.ProjectID+"."+r.DatasetID+"."+r.RoutineID)
	}
	text, err := json.MarshalIndent(map[string]any{
		"statementType":               st.plan.query.StatementType,
		"totalBytesProcessed":         st.plan.bytes,
		"totalBytesProcessedAccuracy": st.plan.query.TotalBytesProcessedAccuracy,
		"referencedTables":            tables,
		"referencedRoutines":          routines,
	}, "", "  ")
	e.Format, e.Text, e.EstimatedBytes = "json", string(text), st.plan.bytes
	return err
}

// estimates are the service's words for how far its figure may be off.
var estimates = map[string]sdk.Estimate{"PRECISE": sdk.EstimateExact, "UPPER_BOUND": sdk.EstimateUpper}

// validate has the service plan a statement. Parameters have no values here.
func (c *call) validate(ctx context.Context, st *statement, v *sdk.Validation) error {
	found, err := c.examined(ctx, st.SQL, nil)
	if err != nil {
		return err
	}
	v.StatementType, v.EstimatedBytes = found.query.StatementType, found.bytes
	if v.Estimate = estimates[found.query.TotalBytesProcessedAccuracy]; v.Estimate == "" {
		v.Estimate = sdk.EstimateGuess
	}
	for _, t := range found.query.ReferencedTables {
		v.Tables = append(v.Tables, sdk.TableRef{Catalog: t.ProjectID, Schema: t.DatasetID, Name: t.TableID})
	}
	for _, f := range found.query.Schema {
		v.Columns = append(v.Columns, resultColumn(f))
	}
	for _, e := range statusOf(found.job).Errors {
		v.Warnings = append(v.Warnings, sdk.Warning{Object: e.Location, Code: e.Reason, Message: e.Message})
	}
	return nil
}
