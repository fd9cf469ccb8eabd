package snowflake

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// plan is what EXPLAIN USING JSON says.
type plan struct {
	GlobalStats struct {
		PartitionsTotal    int64  `json:"partitionsTotal"`
		PartitionsAssigned int64  `json:"partitionsAssigned"`
		BytesAssigned      *int64 `json:"bytesAssigned"`
	} `json:"GlobalStats"`
	Operations [][]struct {
		Operation string   `json:"operation"`
		Objects   []string `json:"objects"`
	} `json:"Operations"`
}

// plan has the service plan a statement that was examined; nothing runs.
func (r *reading) plan(ctx context.Context, st *statement, params []sdk.Value) (text string, p plan, err error) {
	err = r.Prepared(own(ctx), "EXPLAIN USING JSON "+st.query, params, func(rows driver.Rows) error {
		return sqlkit.EachRow(ctx, rows, func(row sqlkit.Row) error {
			text += row.Text(0)
			return nil
		})
	})
	if err == nil {
		err = json.Unmarshal([]byte(text), &p)
	}
	return text, p, err
}

// explain explains a statement that was examined. The bytes are those of the
// micro-partitions that are left after pruning: it reads no more.
func (r *reading) explain(ctx context.Context, st *statement, params []sdk.Value, e *sdk.Explanation) error {
	text, p, err := r.plan(ctx, st, params)
	if err != nil {
		return r.s.statementError(st, err)
	}
	e.Format, e.Text = "json", text
	if p.GlobalStats.BytesAssigned != nil {
		e.EstimatedBytes = *p.GlobalStats.BytesAssigned
	}
	return nil
}

// validate has the service compile a statement. Its tables and bytes come from the
// plan, which a statement with parameters has none of.
func (r *reading) validate(ctx context.Context, st *statement, v *sdk.Validation) error {
	columns, err := r.examine(ctx, st, nil)
	if err != nil {
		return err
	}
	v.Columns = columns
	if st.form == formShow {
		return nil
	}
	v.StatementType = "SELECT"
	if slices.ContainsFunc(st.Parameters(), isMarker) {
		return nil
	}
	_, p, err := r.plan(ctx, st, nil)
	if err != nil {
		return r.s.statementError(st, err)
	}
	for _, operations := range p.Operations {
		for _, operation := range operations {
			if strings.HasSuffix(operation.Operation, "TableScan") {
				for _, object := range operation.Objects {
					v.Tables = append(v.Tables, tableOf(object))
				}
			}
		}
	}
	if p.GlobalStats.BytesAssigned != nil {
		v.EstimatedBytes, v.Estimate = *p.GlobalStats.BytesAssigned, sdk.EstimateUpper
	}
	return nil
}

// isMarker tells ? and :1 from the path of a VARIANT, v:a.
func isMarker(text string) bool {
	return text == "?" || len(text) > 1 && text[0] == ':' && text[1] >= '0' && text[1] <= '9'
}

// tableOf reads the name of a table as a plan has it: DB.SCHEMA.NAME, quoted where it
// must be.
func tableOf(name string) sdk.TableRef {
	tokens, err := dialects[0].Tokens(name, nil)
	if err != nil {
		return sdk.TableRef{Name: name}
	}
	var parts []string
	for _, t := range tokens {
		switch t.Kind {
		case dialect.TokenWord:
			parts = append(parts, t.Text(name))
		case dialect.TokenQuoted:
			parts = append(parts, dialects[0].Unquote(name, t))
		}
	}
	if len(parts) != 3 {
		return sdk.TableRef{Name: name}
	}
	return sdk.TableRef{Catalog: parts[0], Schema: parts[1], Name: parts[2]}
}
