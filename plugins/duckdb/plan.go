//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
)

// Explain implements sdk.Explainer with EXPLAIN: the physical plan as text, and
// the rows that the engine expects.
func (s *session) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	plan := sdk.Explanation{Format: "text", EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}
	err := s.read(ctx, req.Timeout, req.SQL, func(_ context.Context, c *conn, text *statement) error {
		stmt, err := prepare(c, text)
		if err != nil {
			return err
		}
		stmt.Close()
		if text.Starts("EXPLAIN") {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the statement is an EXPLAIN itself").WithHint("send the query itself, without EXPLAIN")
		}
		if plan.Text, err = planText(c, text, "EXPLAIN ", req.Params); err != nil {
			return err
		}
		tree, err := planText(c, text, "EXPLAIN (FORMAT json) ", req.Params)
		if err != nil {
			return err
		}
		plan.EstimatedRows = estimate(tree)
		return nil
	})
	return plan, err
}

// planText returns the last column of the last row of an EXPLAIN.
func planText(c *conn, text *statement, head string, params []sdk.Value) (string, error) {
	text.shift = len(head)
	stmt, err := c.Prepare(head + text.SQL)
	if err != nil {
		return "", err
	}
	defer stmt.Close()
	if err := bind(stmt, params); err != nil {
		return "", err
	}
	if _, err := stmt.Run(); err != nil {
		return "", err
	}
	var plan string
	for {
		chunk, err := stmt.Next()
		if chunk == nil || err != nil {
			return plan, err
		}
		plan = string(chunk.Column(1).Bytes(chunk.Rows - 1))
	}
}

// estimate reads the rows that the outermost step gives, or -1 where it has no
// estimate. A projection and a sort give as many as the step below.
func estimate(tree string) int64 {
	type step struct {
		Name  string `json:"name"`
		Extra struct {
			Rows string `json:"Estimated Cardinality"`
		} `json:"extra_info"`
		Children []json.RawMessage `json:"children"`
	}
	var steps []json.RawMessage
	if json.Unmarshal([]byte(tree), &steps) != nil {
		return -1
	}
	for len(steps) == 1 {
		var s step
		if json.Unmarshal(steps[0], &s) != nil {
			return -1
		}
		if n, err := strconv.ParseInt(s.Extra.Rows, 10, 64); err == nil {
			return n
		}
		if s.Name != "PROJECTION" && s.Name != "ORDER_BY" {
			return -1
		}
		steps = s.Children
	}
	return -1
}

// Validate implements sdk.Validator: it prepares the statement and no more.
func (s *session) Validate(ctx context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	var v sdk.Validation
	err := s.read(ctx, req.Timeout, req.SQL, func(_ context.Context, c *conn, text *statement) error {
		v.Columns = nil
		stmt, err := prepare(c, text)
		if err != nil {
			return err
		}
		defer stmt.Close()
		if stmt.Kind() == engine.KindExplain {
			return nil
		}
		for _, p := range stmt.Planned() {
			v.Columns = append(v.Columns, column(p))
		}
		return nil
	})
	return v, err
}
