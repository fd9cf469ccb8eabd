package bigquery

import (
	"context"
	"encoding/json"

	bigquery "google.golang.org/api/bigquery/v2"

	"github.com/loam-data/loam/sdk"
)

// explain tells what the dry run of a checked statement said: the service has no plan
// before it runs one.
func (c *call) explain(_ context.Context, st *statement, _ []sdk.Value, e *sdk.Explanation) error {
	told := statistics(st.dry)
	text, err := json.MarshalIndent(map[string]any{
		"statementType":               told.Query.StatementType,
		"totalBytesProcessed":         told.TotalBytesProcessed,
		"totalBytesProcessedAccuracy": told.Query.TotalBytesProcessedAccuracy,
		"referencedTables":            told.Query.ReferencedTables,
		"referencedRoutines":          told.Query.ReferencedRoutines,
	}, "", "  ")
	e.Format, e.Text, e.EstimatedBytes = "json", string(text), told.TotalBytesProcessed
	return err
}

// estimates are the service's words for how far its figure may be off.
var estimates = map[string]sdk.Estimate{"PRECISE": sdk.EstimateExact, "UPPER_BOUND": sdk.EstimateUpper}

// validate has the service plan a statement. Parameters have no values here.
func (c *call) validate(ctx context.Context, st *statement, v *sdk.Validation) error {
	job, err := c.examined(ctx, st.SQL, nil)
	if err != nil {
		return err
	}
	told := statistics(job)
	v.StatementType, v.EstimatedBytes = told.Query.StatementType, told.TotalBytesProcessed
	if v.Estimate = estimates[told.Query.TotalBytesProcessedAccuracy]; v.Estimate == "" {
		v.Estimate = sdk.EstimateGuess
	}
	for _, t := range told.Query.ReferencedTables {
		v.Tables = append(v.Tables, sdk.TableRef{Catalog: t.ProjectId, Schema: t.DatasetId, Name: t.TableId})
	}
	if told.Query.Schema != nil {
		for _, f := range told.Query.Schema.Fields {
			v.Columns = append(v.Columns, resultColumn(f))
		}
	}
	if status := job.Status; status != nil {
		for _, e := range status.Errors {
			v.Warnings = append(v.Warnings, warning(e))
		}
	}
	return nil
}

func warning(e *bigquery.ErrorProto) sdk.Warning {
	return sdk.Warning{Object: e.Location, Code: e.Reason, Message: e.Message}
}
