package mysql

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const readableSQL = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (%s)"

func (r *reading) testRead(step *sdk.TestStep) error {
	count, sample := 0, ""
	err := r.queryf(readableSQL, []any{literals(r.s.cfg.schemas())}, func(row sqlkit.Row) error {
		schema, table := row.Text(0), row.Text(1)
		if !r.s.grants.reads(schema, table) {
			return nil
		}
		count++
		if row.Text(2) == "BASE TABLE" { // no view, which may fail or take long of its own
			sample = quote(schema) + "." + quote(table)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count == 0 {
		step.Warning, step.Detail = true, "the account can read no table or view of "+strings.Join(r.s.cfg.schemas(), ", ")
		step.Statements = r.s.grantStatements(accountName(r.s.Info.CurrentUser))
		return nil
	}
	step.Detail = fmt.Sprintf("%d tables and views can be read", count)
	if sample == "" {
		return nil
	}
	step.Detail += ", such as " + sample
	return r.query("SELECT 1 FROM "+sample+" LIMIT 1", func(sqlkit.Row) error { return nil })
}
