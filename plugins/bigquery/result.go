package bigquery

import (
	"context"
	"strconv"

	"cloud.google.com/go/bigquery"

	"github.com/loam-data/loam/sdk"
)

// execute runs a statement that was checked and writes its result.
func (c *call) execute(ctx context.Context, st *statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
	budget := c.s.cfg.budget(req.Limits.MaxBytesScanned)
	if need := st.plan.bytes; budget > 0 && need > budget {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the statement reads %d bytes, and may bill %d", need, budget).
			WithHint("name fewer columns, filter on the partitioning column, or raise max_gib_billed of the connection")
	}
	_, err := c.write(ctx, &query{sql: st.SQL, params: req.Params, tags: req.Tags, budget: budget, rows: req.Limits.MaxRows, caller: w})
	return err
}

// write runs a query and writes its result for the caller.
func (c *call) write(ctx context.Context, q *query) (billed int64, err error) {
	var fields bigquery.Schema
	var buf []byte
	return c.run(ctx, q, func(schema bigquery.Schema) error {
		fields = schema
		columns := make([]sdk.Column, len(fields))
		for i, f := range fields {
			columns[i] = resultColumn(f)
			if f.TimestampPrecision > 6 {
				q.caller.Notice(sdk.Warning{Object: f.Name, Message: "digits of the time beyond microseconds are cut"})
			}
		}
		return q.caller.Columns(columns...)
	}, func(values []bigquery.Value) (err error) {
		for i, v := range values {
			if buf, err = write(q.caller, buf, fields[i], v); err != nil {
				return err
			}
		}
		return q.caller.EndRow()
	})
}

// spelt are the names that the REST interface still has from legacy SQL.
var spelt = map[bigquery.FieldType]string{
	"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT", "DECIMAL": "NUMERIC", "BIGDECIMAL": "BIGNUMERIC",
}

// native returns the name of a field's type in SQL.
func native(f *bigquery.FieldSchema) string {
	if f.Repeated {
		return "ARRAY<" + element(f) + ">"
	}
	return element(f)
}

// element is native of one element of a repeated field.
func element(f *bigquery.FieldSchema) string {
	name, ok := spelt[f.Type]
	if !ok {
		name = string(f.Type)
	}
	switch {
	case name == "STRUCT":
		name = "STRUCT<"
		for i, inner := range f.Schema {
			if i > 0 {
				name += ", "
			}
			name += inner.Name + " " + native(inner)
		}
		name += ">"
	case name == "RANGE" && f.RangeElementType != nil:
		name += "<" + string(f.RangeElementType.Type) + ">"
	case f.MaxLength > 0:
		name += "(" + strconv.FormatInt(f.MaxLength, 10) + ")"
	case f.Scale > 0:
		name += "(" + strconv.FormatInt(f.Precision, 10) + ", " + strconv.FormatInt(f.Scale, 10) + ")"
	case f.Precision > 0:
		name += "(" + strconv.FormatInt(f.Precision, 10) + ")"
	}
	return name
}

// resultColumn describes a column of a result.
func resultColumn(f *bigquery.FieldSchema) sdk.Column {
	c := describe(f.Name, native(f))
	c.Nullable, c.Comment = c.Nullable && !f.Required, f.Description
	return c
}
