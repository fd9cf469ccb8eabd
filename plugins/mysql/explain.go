package mysql

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"math"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// plan explains a statement that was checked: the plan as JSON, the estimates from
// its rows.
func (r *reading) plan(_ context.Context, st *statement, params []sdk.Value, e *sdk.Explanation) error {
	e.Format = "json"
	rows, last := int64(-1), ""
	err := r.prepared("EXPLAIN FORMAT=TRADITIONAL "+st.text(0), params, func(result driver.Rows) error {
		return each(result, func(at map[string]driver.Value) error {
			// The tables of one SELECT are joined: each has its rows for every row of
			// those before it. Only the first SELECT makes the rows of the result.
			id := sqlkit.Row{at["id"]}.Text(0)
			n := sqlkit.Row{at["rows"]}.Int(0, -1)
			switch {
			case n < 0: // a step without a table
			case last == "":
				rows, last = n, id
			case id == last:
				rows = multiply(rows, n)
			}
			return nil
		})
	})
	if err != nil {
		return r.s.statementError(st, err)
	}
	e.EstimatedRows = rows
	err = r.prepared("EXPLAIN FORMAT=JSON "+st.text(0), params, func(rows driver.Rows) error {
		return each(rows, func(at map[string]driver.Value) error {
			e.Text = sqlkit.Row{at["EXPLAIN"]}.Text(0)
			return nil
		})
	})
	if err != nil {
		return err
	}
	if !json.Valid([]byte(e.Text)) { // of a MariaDB with a name of odd characters
		e.Format = "text"
	}
	return nil
}

func multiply(a, b int64) int64 {
	if product := float64(a) * float64(b); product < math.MaxInt64/2 {
		return int64(product)
	}
	return math.MaxInt64 / 2
}

// each yields the rows of a result by the names of its columns.
func each(rows driver.Rows, row func(map[string]driver.Value) error) error {
	names := rows.Columns()
	return sqlkit.EachRow(context.Background(), rows, func(values sqlkit.Row) error {
		at := make(map[string]driver.Value, len(names))
		for i, name := range names {
			at[name] = values[i]
		}
		return row(at)
	})
}

// validate has the server plan a statement. It names no columns before it runs
// one.
func (r *reading) validate(ctx context.Context, st *statement, v *sdk.Validation) error {
	if st.form == formOther || !st.marked() {
		if err := r.check(ctx, st, nil); err != nil {
			return err
		}
		if st.form == formDescribe {
			return nil
		}
		return r.warnings(func(w sdk.Warning) { v.Warnings = append(v.Warnings, w) })
	}
	if err := r.leaves(st.SQL, st.Tokens); err != nil {
		return err
	}
	// Parameters have no values here: the server parses and resolves the names.
	return r.s.statementError(st, r.prepare("EXPLAIN "+st.text(st.query)))
}
