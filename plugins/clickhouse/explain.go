package clickhouse

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// explained is the first version with EXPLAIN.
const explained = "20.6"

// Explain implements sdk.Explainer: the plan as text and, for tables of the
// MergeTree family, how much of them would be read. The server estimates what is
// read, not what comes out.
func (s *Session) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	e := sdk.Explanation{Format: "text", EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}
	st, err := s.parse(req.SQL)
	if err != nil {
		return e, err
	}
	switch {
	case len(req.Params) > 0:
		return e, noParams()
	case !st.query:
		return e, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "this statement has no plan: it only shows something").
			WithHint("send the query itself, without EXPLAIN")
	case !s.newer(explained):
		return e, sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "ClickHouse %s has no EXPLAIN; version %s is the first with it", s.info.Version, explained).
			WithHint("run the query with a small LIMIT, or validate it")
	}
	limit := s.limit(req.Timeout)
	err = s.calls.Run(ctx, limit, s.timeout, func(ctx context.Context) error {
		if err := s.reaches(ctx, st.SQL, st.Tokens); err != nil {
			return err
		}
		var lines []string
		err := s.about(ctx, limit, "EXPLAIN PLAN indexes = 1 ", st, "", func(r sqlkit.Row) error {
			lines = append(lines, r.Text(0))
			return nil
		})
		if err != nil {
			return s.suggest(ctx, st, err)
		}
		parts, marks := int64(0), int64(0)
		err = s.about(ctx, limit, "EXPLAIN ESTIMATE ", st, "", func(r sqlkit.Row) error {
			parts, marks = parts+r.Int(2, 0), marks+r.Int(4, 0)
			e.EstimatedRows = max(e.EstimatedRows, 0) + r.Int(3, 0)
			return nil
		})
		if e.EstimatedRows >= 0 {
			lines = append(lines, "", "Reads about "+strconv.FormatInt(e.EstimatedRows, 10)+" rows of "+
				strconv.FormatInt(parts, 10)+" parts ("+strconv.FormatInt(marks, 10)+" marks).")
		}
		e.Text = strings.Join(lines, "\n")
		return err
	})
	return e, err
}

// about runs a statement around a caller's one; places in errors are those in
// the caller's text.
func (s *Session) about(ctx context.Context, limit time.Duration, before string, st *statement, after string, row func(sqlkit.Row) error) error {
	start, end := st.Start(0), int(st.Tokens[len(st.Tokens)-1].End)
	q := &query{
		sql: before + st.SQL[start:end] + after, caller: st.SQL, offset: len(before) - start,
		block: func(b *block) error { return b.each(row) },
	}
	return s.run(ctx, limit, nil, q)
}

// Validate implements sdk.Validator: the server analyses the statement and names
// the columns of its result, and runs nothing but scalar subqueries.
func (s *Session) Validate(ctx context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	var v sdk.Validation
	st, err := s.parse(req.SQL)
	if err != nil {
		return v, err
	}
	limit := s.limit(req.Timeout)
	err = s.calls.Run(ctx, limit, s.timeout, func(ctx context.Context) error {
		if err := s.reaches(ctx, st.SQL, st.Tokens); err != nil {
			return err
		}
		if !st.query {
			return s.validateOther(ctx, limit, st)
		}
		// The line break ends a comment at the end of the statement.
		err := s.about(ctx, limit, "DESCRIBE TABLE (", st, "\n)", func(r sqlkit.Row) error {
			c, err := describe(r.Text(0), oneLine(r.Text(1)))
			v.Columns = append(v.Columns, c)
			return err
		})
		return s.suggest(ctx, st, err)
	})
	return v, err
}

// validateOther checks a statement that shows something. It is quick to run.
func (s *Session) validateOther(ctx context.Context, limit time.Duration, st *statement) error {
	err := s.about(ctx, limit, "", st, "", func(sqlkit.Row) error { return nil })
	return s.suggest(ctx, st, err)
}
