package bigquery

import (
	"context"
	"fmt"
	"strconv"

	"cloud.google.com/go/bigquery"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// passes is how often a profile reads what it chose, at most: the values and the
// sample once, and whole tables of up to ten times the rows for the sketches of keys.
const passes = 12

// profile says how a table is profiled. Its metadata is free; the statements share the
// budget of the request.
func (c *call) profile(ctx context.Context, req *sdk.ProfileRequest, _ sdk.ProfileWriter) (sqlkit.Profiling, error) {
	ref := req.Table.Within(sdk.TableRef{Catalog: c.s.cfg.Project, Schema: c.s.cfg.Dataset})
	if ref.Schema == "" || ref.Name == "" {
		return sqlkit.Profiling{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the table %q has no dataset or no name", req.Table).WithHint("name a table, with its dataset")
	}
	t, err := c.s.client.DatasetInProject(ref.Catalog, ref.Schema).Table(ref.Name).Metadata(ctx)
	if err != nil {
		return sqlkit.Profiling{}, err
	}
	p := &profiled{c: c, table: t, budget: c.s.cfg.budget(req.MaxBytesScanned)}
	p.quoted = quote(ref.Catalog) + "." + quote(ref.Schema) + "." + quote(ref.Name)
	if p.stored() {
		return p.profiling(), nil
	}
	// A view, or a table outside: looked at as a caller's statement is.
	_, err = c.examined(ctx, "SELECT * FROM "+p.quoted, nil)
	return p.profiling(), err
}

// profiled is a table on its way to a profile.
type profiled struct {
	c      *call
	table  *bigquery.TableMetadata
	quoted string
	budget int64 // bytes left, 0 = none was given
	billed int64
}

// stored reports whether rows and bytes of the table are known, and blocks of it can
// be sampled.
func (p *profiled) stored() bool {
	return p.table.Type == "TABLE" || p.table.Type == "SNAPSHOT" || p.table.Type == "CLONE"
}

func (p *profiled) profiling() sqlkit.Profiling {
	of := sqlkit.Profiling{
		Table: p.quoted, Rows: sqlkit.RowsWithin(p.budget, int64(p.table.NumRows), p.table.NumBytes, passes), Random: "RAND()", Run: p.run,
		Choice: func(total, rows int64) string {
			share := float64(rows) / float64(total)
			if !p.stored() {
				return fmt.Sprintf("(SELECT * FROM %s WHERE RAND() < %s) AS x", p.quoted, strconv.FormatFloat(share, 'f', -1, 64))
			}
			// Whole blocks are read and billed; what is chosen is chosen anew by each statement.
			return fmt.Sprintf("%s TABLESAMPLE SYSTEM (%s PERCENT)", p.quoted, strconv.FormatFloat(min(100*share, 100), 'f', -1, 64))
		},
	}
	if p.stored() && p.table.StreamingBuffer == nil {
		of.Known = int64(p.table.NumRows)
	}
	for _, f := range p.table.Schema {
		of.Columns = append(of.Columns, profiledColumn(f))
	}
	return of
}

// profiledColumn says how values are grouped: what cannot be is grouped as text.
func profiledColumn(f *bigquery.FieldSchema) sqlkit.ProfiledColumn {
	c := sqlkit.ProfiledColumn{Name: f.Name, Quoted: quote(f.Name), Type: typeOf(native(f))}
	switch c.Type {
	case sdk.TypeText:
		c.Size = "CHAR_LENGTH(v)"
	case sdk.TypeBytes:
		c.Size = "BYTE_LENGTH(v)"
	case sdk.TypeJSON, sdk.TypeNestedJSON:
		c.Value, c.Size = "TO_JSON_STRING("+c.Quoted+")", "CHAR_LENGTH(v)"
	case sdk.TypeGeoWKT:
		c.Value, c.Size = "ST_ASTEXT("+c.Quoted+")", "CHAR_LENGTH(v)"
	case sdk.TypeInterval:
		c.Value = "CAST(" + c.Quoted + " AS STRING)"
	}
	return c
}

func (p *profiled) run(ctx context.Context, sql string, w *sdk.RowWriter) error {
	q := &query{sql: sql, caller: w}
	return p.spend(q, func() (int64, error) { return p.c.write(ctx, q) })
}

// spend runs a query within what is left of the budget.
func (p *profiled) spend(q *query, run func() (int64, error)) error {
	if p.budget > 0 {
		if q.budget = p.budget - p.billed; q.budget <= 0 {
			return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the profile billed %d bytes, which is all it may", p.billed).
				WithHint("profile fewer columns, or raise max_gib_billed of the connection")
		}
	}
	billed, err := run()
	p.billed += billed
	return err
}
