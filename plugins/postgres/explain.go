package postgres

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// explain adds the plan as text, and the estimates of the whole statement from its
// JSON form.
func (r *reading) explain(_ context.Context, st *statement, params []sdk.Value, e *sdk.Explanation) error {
	st.bind(params)
	if _, err := r.prepare(st); err != nil {
		return err
	}
	var err error
	if e.Text, err = r.plan("EXPLAIN ", st); err != nil {
		return err
	}
	e.Format = "text"
	plan, err := r.plan("EXPLAIN (FORMAT JSON) ", st)
	if err != nil {
		return err
	}
	return estimate(plan, e)
}

// plan returns the lines of a plan.
func (r *reading) plan(explain string, st *statement) (string, error) {
	var text strings.Builder
	err := r.bound(explain+st.sql[st.first:], st, func(row [][]byte) error {
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.Write(row[0])
		return nil
	})
	return text.String(), serverError(err, "")
}

// estimate reads the top node of a plan.
func estimate(plan string, e *sdk.Explanation) error {
	var plans []struct {
		Plan struct {
			Rows  float64 `json:"Plan Rows"`
			Width float64 `json:"Plan Width"`
		}
	}
	if err := json.Unmarshal([]byte(plan), &plans); err != nil || len(plans) != 1 {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the server's plan is not of a known form: %w", err)
	}
	rows := min(plans[0].Plan.Rows, math.MaxInt64/2)
	e.EstimatedRows = int64(rows)
	e.EstimatedBytes = int64(min(rows*plans[0].Plan.Width, math.MaxInt64/2))
	return nil
}

// validate has the server parse and analyse a statement; it plans nothing.
func (r *reading) validate(_ context.Context, st *statement, v *sdk.Validation) error {
	r.c.notice = func(n *notice) { v.Warnings = append(v.Warnings, warning(n)) }
	_, columns, err := r.describe(st)
	for i := range columns {
		v.Columns = append(v.Columns, columns[i].Column)
	}
	return err
}
