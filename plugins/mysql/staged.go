package mysql

import (
	"context"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const readableSQL = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (%s)"

func (r *reading) testRead(_ context.Context, step *sdk.TestStep) error {
	found := sqlkit.Readable{Where: strings.Join(r.s.cfg.schemas(), ", "), Grant: r.s.grantStatements(accountName(r.s.Info.CurrentUser))}
	err := r.queryf(readableSQL, []any{literals(r.s.cfg.schemas())}, func(row sqlkit.Row) error {
		schema, table := row.Text(0), row.Text(1)
		if !r.s.grants.reads(schema, table) {
			return nil
		}
		found.Tables++
		if row.Text(2) == "BASE TABLE" { // no view, which may fail or take long of its own
			found.Sample = quote(schema) + "." + quote(table)
		}
		return nil
	})
	if err != nil || !found.Report(step) {
		return err
	}
	return r.query("SELECT 1 FROM "+found.Sample+" LIMIT 1", func(sqlkit.Row) error { return nil })
}
