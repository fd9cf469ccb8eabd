package bigquery

import (
	"context"
	"strconv"

	bigquery "google.golang.org/api/bigquery/v2"

	"github.com/loam-data/loam/sdk"
)

// execute runs a statement that was checked and writes its result.
func (c *call) execute(ctx context.Context, st *statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
	budget := c.s.cfg.budget(req.Limits.MaxBytesScanned)
	if need := statistics(st.dry).TotalBytesProcessed; budget > 0 && need > budget {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the statement reads %d bytes, and may bill %d", need, budget).
			WithHint("name fewer columns, filter on the partitioning column, or raise max_gib_billed of the connection")
	}
	_, err := c.write(ctx, &query{sql: st.SQL, params: req.Params, tags: req.Tags, budget: budget, rows: req.Limits.MaxRows}, w)
	return err
}

// write runs a query and writes its result.
func (c *call) write(ctx context.Context, q *query, w *sdk.RowWriter) (*bigquery.JobStatistics, error) {
	q.started = w.Started
	var cells []cell
	told, err := c.run(ctx, q, func(res *bigquery.GetQueryResultsResponse) error {
		w.SetBytesScanned(res.TotalBytesProcessed)
		if cells == nil && res.Schema != nil {
			columns := make([]sdk.Column, len(res.Schema.Fields))
			cells = make([]cell, len(columns))
			for i, f := range res.Schema.Fields {
				columns[i], cells[i] = resultColumn(f), newCell(f)
				if f.TimestampPrecision != nil && *f.TimestampPrecision > 6 {
					w.Notice(sdk.Warning{Object: f.Name, Message: "digits of the time beyond microseconds are cut"})
				}
			}
			if err := w.Columns(columns...); err != nil {
				return err
			}
		}
		for _, row := range res.Rows {
			for i, f := range row.F {
				if err := cells[i].write(w, f.V); err != nil {
					return err
				}
			}
			if err := w.EndRow(); err != nil {
				return err
			}
		}
		return nil
	})
	if told != nil {
		w.SetBytesBilled(told.Query.TotalBytesBilled)
	}
	return told, err
}

// spelt are the names that the REST interface still has from legacy SQL.
var spelt = map[string]string{"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT", "DECIMAL": "NUMERIC", "BIGDECIMAL": "BIGNUMERIC"}

// native returns the name of a field's type in SQL.
func native(f *bigquery.TableFieldSchema) string {
	name := f.Type
	if known, ok := spelt[name]; ok {
		name = known
	}
	switch {
	case name == "STRUCT":
		name = "STRUCT<"
		for i, inner := range f.Fields {
			if i > 0 {
				name += ", "
			}
			name += inner.Name + " " + native(inner)
		}
		name += ">"
	case name == "RANGE" && f.RangeElementType != nil:
		name += "<" + f.RangeElementType.Type + ">"
	case f.MaxLength > 0:
		name += "(" + strconv.FormatInt(f.MaxLength, 10) + ")"
	case f.Scale > 0:
		name += "(" + strconv.FormatInt(f.Precision, 10) + ", " + strconv.FormatInt(f.Scale, 10) + ")"
	case f.Precision > 0:
		name += "(" + strconv.FormatInt(f.Precision, 10) + ")"
	}
	if f.Mode == "REPEATED" {
		name = "ARRAY<" + name + ">"
	}
	return name
}

// resultColumn describes a column of a result.
func resultColumn(f *bigquery.TableFieldSchema) sdk.Column {
	c := describe(f.Name, native(f))
	c.Nullable, c.Comment = c.Nullable && f.Mode != "REQUIRED", f.Description
	return c
}
