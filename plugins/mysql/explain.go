package mysql

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"math"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Explain implements sdk.Explainer: the plan as JSON, the estimates from its
// rows.
func (s *Session) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	explanation := sdk.Explanation{Format: "json", EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}
	st, err := s.parse(req.SQL)
	if err != nil {
		return explanation, err
	}
	if st.form == formExplain || st.form == formDescribe {
		return explanation, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "this statement has no plan: it only shows something").
			WithHint("send the query itself, without EXPLAIN")
	}
	params, err := bind(req.Params)
	if err != nil {
		return explanation, err
	}
	limit := s.limit(req.Timeout)
	err = s.calls.Run(ctx, 0, 0, func(ctx context.Context) error {
		err := s.read(ctx, limit, func(r *reading) error {
			if err := r.check(st, params); err != nil {
				return err
			}
			return r.plan(st, params, &explanation)
		})
		return s.suggest(ctx, st, err)
	})
	return explanation, err
}

// plan explains a statement that was checked.
func (r *reading) plan(st *statement, params []driver.NamedValue, e *sdk.Explanation) error {
	rows, last := int64(-1), ""
	err := r.prepared("EXPLAIN FORMAT=TRADITIONAL "+st.text(0), params, func(result driver.Rows) error {
		return each(result, func(at map[string]driver.Value) error {
			// The tables of one SELECT are joined: each has its rows for every row of
			// those before it. Only the first SELECT makes the rows of the result.
			id := text(at["id"])
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
			e.Text = text(at["EXPLAIN"])
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

// each hands over the rows of a result by the names of its columns.
func each(rows driver.Rows, row func(map[string]driver.Value) error) error {
	names := rows.Columns()
	values := make([]driver.Value, len(names))
	for {
		if err := rows.Next(values); err != nil {
			return end(err)
		}
		at := make(map[string]driver.Value, len(names))
		for i, name := range names {
			at[name] = values[i]
		}
		if err := row(at); err != nil {
			return err
		}
	}
}

// Validate implements sdk.Validator: the server plans the statement and does not
// run it. It names no columns before it runs one.
func (s *Session) Validate(ctx context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	var validation sdk.Validation
	st, err := s.parse(req.SQL)
	if err != nil {
		return validation, err
	}
	limit := s.limit(req.Timeout)
	err = s.calls.Run(ctx, 0, 0, func(ctx context.Context) error {
		err := s.read(ctx, limit, func(r *reading) error { return r.validate(st, &validation) })
		return s.suggest(ctx, st, err)
	})
	return validation, err
}

func (r *reading) validate(st *statement, v *sdk.Validation) error {
	if st.form == formOther || !st.marked() {
		if err := r.check(st, nil); err != nil {
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
	prepared, err := r.c.driver.(driver.ConnPrepareContext).PrepareContext(context.Background(), "EXPLAIN "+st.text(st.query))
	if r.heard(err) != nil {
		return r.s.statementError(st, err)
	}
	return prepared.Close()
}
