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

// explain adds the plan as text and, for tables of the MergeTree family, how much of
// them would be read. The server estimates what is read, not what comes out.
func (a *asking) explain(ctx context.Context, st *statement, _ []sdk.Value, e *sdk.Explanation) error {
	e.Format = "text"
	if !a.session.newer(explained) {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "ClickHouse %s has no EXPLAIN; version %s is the first with it", a.session.Info.Version, explained).
			WithHint("run the query with a small LIMIT, or validate it")
	}
	var lines []string
	err := a.session.about(ctx, a.limit, "EXPLAIN PLAN indexes = 1 ", st, "", func(r sqlkit.Row) error {
		lines = append(lines, r.Text(0))
		return nil
	})
	if err != nil {
		return err
	}
	parts, marks := int64(0), int64(0)
	err = a.session.about(ctx, a.limit, "EXPLAIN ESTIMATE ", st, "", func(r sqlkit.Row) error {
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

// validate has the server analyse a statement and name the columns of its result; it
// runs nothing but scalar subqueries.
func (a *asking) validate(ctx context.Context, st *statement, v *sdk.Validation) error {
	if err := a.check(ctx, st, nil); err != nil {
		return err
	}
	if !st.query { // it only shows something, and is quick to run
		return a.session.about(ctx, a.limit, "", st, "", func(sqlkit.Row) error { return nil })
	}
	// The line break ends a comment at the end of the statement.
	return a.session.about(ctx, a.limit, "DESCRIBE TABLE (", st, "\n)", func(r sqlkit.Row) error {
		c, err := describe(r.Text(0), oneLine(r.Text(1)))
		v.Columns = append(v.Columns, c)
		return err
	})
}
