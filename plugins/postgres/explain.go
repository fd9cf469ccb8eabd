package postgres

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Explain implements sdk.Explainer: the plan as text, the estimates of the whole
// statement from its JSON form.
func (s *Session) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	st, err := s.parseQuery(req.SQL)
	if err != nil {
		return sdk.Explanation{}, err
	}
	if err := st.bind(req.Params); err != nil {
		return sdk.Explanation{}, err
	}
	explanation := sdk.Explanation{Format: "text", EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}
	err = s.ask(ctx, s.limit(req.Timeout), func(r *reading) error {
		if _, err := r.prepare(st); err != nil {
			return err
		}
		text, err := r.plan("EXPLAIN ", st)
		if err != nil {
			return err
		}
		explanation.Text = text
		plan, err := r.plan("EXPLAIN (FORMAT JSON) ", st)
		if err != nil {
			return err
		}
		return estimate(plan, &explanation)
	})
	return explanation, s.suggest(ctx, st, err)
}

// parseQuery is parse for a statement that must be a query itself.
func (s *Session) parseQuery(sql string) (*statement, error) {
	st, err := s.parse(sql)
	if err == nil && st.query != st.first {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "this statement has no plan: it only shows something").
			WithHint("send the query itself, without EXPLAIN")
	}
	return st, err
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

// Validate implements sdk.Validator: the server parses and analyses the
// statement and plans nothing.
func (s *Session) Validate(ctx context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	st, err := s.parse(req.SQL)
	if err != nil {
		return sdk.Validation{}, err
	}
	var validation sdk.Validation
	err = s.ask(ctx, s.limit(req.Timeout), func(r *reading) error {
		r.c.notice = func(n *notice) { validation.Warnings = append(validation.Warnings, warning(n)) }
		_, columns, err := r.describe(st)
		for i := range columns {
			validation.Columns = append(validation.Columns, columns[i].Column)
		}
		return err
	})
	return validation, s.suggest(ctx, st, err)
}
