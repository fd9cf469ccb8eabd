package sqlite

import (
	"context"
	"strings"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
)

// Explain implements sdk.Explainer with EXPLAIN QUERY PLAN.
func (s *session) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	plan := sdk.Explanation{Format: "text", EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}
	err := s.call(ctx, req.Timeout, req.SQL, func(ctx context.Context, c *engine.Conn) error {
		stmt, err := prepare(ctx, c, req.SQL)
		if err != nil {
			return err
		}
		defer stmt.Finalize()
		if err := stmt.ShowPlan(); err != nil {
			return err
		}
		plan.Text, err = planText(stmt)
		return err
	})
	return plan, err
}

// planText draws the plan's tree as the sqlite3 program does.
func planText(stmt *engine.Stmt) (string, error) {
	type node struct {
		id     int64
		detail string
	}
	children := map[int64][]node{}
	for {
		found, err := stmt.Step()
		if err != nil {
			return "", err
		}
		if !found {
			break
		}
		detail, err := stmt.Bytes(3, engine.Text)
		if err != nil {
			return "", err
		}
		parent := stmt.Int64(1)
		children[parent] = append(children[parent], node{stmt.Int64(0), string(detail)})
	}
	var text strings.Builder
	text.WriteString("QUERY PLAN\n")
	var draw func(parent int64, indent string)
	draw = func(parent int64, indent string) {
		for i, n := range children[parent] {
			mark, below := "|--", "|  "
			if i == len(children[parent])-1 {
				mark, below = "`--", "   "
			}
			text.WriteString(indent + mark + n.detail + "\n")
			draw(n.id, indent+below)
		}
	}
	draw(0, "")
	return text.String(), nil
}

// Validate implements sdk.Validator: it compiles the statement and no more. A column
// of a table has the type that its declaration means, as in a scan, though values may
// be of others; that of an expression is left open.
func (s *session) Validate(ctx context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	var v sdk.Validation
	err := s.call(ctx, req.Timeout, req.SQL, func(ctx context.Context, c *engine.Conn) error {
		stmt, err := prepare(ctx, c, req.SQL)
		if err != nil {
			return err
		}
		defer stmt.Finalize()
		for i := range stmt.Columns() {
			c := sdk.Column{Name: stmt.Name(i), NativeType: stmt.DeclaredType(i), Nullable: true}
			if c.NativeType != "" {
				c.Type = declared(c.NativeType)
			}
			v.Columns = append(v.Columns, c)
		}
		return nil
	})
	return v, err
}
