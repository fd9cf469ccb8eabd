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
func (a *asking) explain(ctx context.Context, st *statement, params []sdk.Value, e *sdk.Explanation) error {
	e.Format = "text"
	b, err := a.session.bind(st, params)
	if err != nil {
		return err
	}
	if !a.session.newer(explained) {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "ClickHouse %s has no EXPLAIN; version %s is the first with it", a.session.Info.Version, explained).
			WithHint("run the query with a small LIMIT, or validate it")
	}
	var lines []string
	err = a.session.about(ctx, a.limit, "EXPLAIN PLAN indexes = 1 ", st, b, "", func(r sqlkit.Row) error {
		lines = append(lines, r.Text(0))
		return nil
	})
	if err != nil {
		return err
	}
	parts, marks := int64(0), int64(0)
	err = a.session.about(ctx, a.limit, "EXPLAIN ESTIMATE ", st, b, "", func(r sqlkit.Row) error {
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

// about runs a statement around a caller's one, of which b is the text that is sent; places in errors are those in the
// caller's text.
func (s *Session) about(ctx context.Context, limit time.Duration, before string, st *statement, b *bound, after string, row func(sqlkit.Row) error) error {
	start, end := st.Start(0), len(b.sql)-(len(st.SQL)-int(st.Tokens[len(st.Tokens)-1].End))
	q := &query{
		sql: before + b.sql[start:end] + after, caller: st.SQL, offset: len(before) - start, bound: b,
		block: func(b *block) error { return b.each(row) },
	}
	return s.run(ctx, limit, nil, q)
}

// validate has the server analyse a statement and name the columns of its result; it
// runs nothing but scalar subqueries.
func (a *asking) validate(ctx context.Context, st *statement, v *sdk.Validation) error {
	if st.markers() > 0 {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "ClickHouse checks no statement whose parameters have no values").
			WithHint("write the values as literals to have it checked")
	}
	if err := a.check(ctx, st, nil); err != nil {
		return err
	}
	b := &bound{sql: st.SQL}
	if !st.query { // it only shows something, and is quick to run
		return a.session.about(ctx, a.limit, "", st, b, "", func(sqlkit.Row) error { return nil })
	}
	// The line break ends a comment at the end of the statement.
	return a.session.about(ctx, a.limit, "DESCRIBE TABLE (", st, b, "\n)", func(r sqlkit.Row) error {
		c, err := describe(r.Text(0), oneLine(r.Text(1)))
		v.Columns = append(v.Columns, c)
		return err
	})
}
