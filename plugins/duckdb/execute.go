//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// progressEvery is how often a running statement is asked how far it is.
const progressEvery = 200 * time.Millisecond

// Execute implements sdk.Session.
func (s *session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	return s.read(ctx, req.Limits.Timeout, req.SQL, func(ctx context.Context, c *conn, text *statement) error {
		defer watchProgress(ctx, c, w)()
		return run(c, text, req.Params, w)
	})
}

// read is call for a caller's statement. Where files came, went or changed since
// the folders were read, a statement that failed is tried once more.
func (s *session) read(ctx context.Context, limit time.Duration, sql string, f func(context.Context, *conn, *statement) error) error {
	again := false
	attempt := func(ctx context.Context, c *conn) error {
		text, err := parse(sql, c.instance.hidden)
		if err != nil {
			return err
		}
		err = f(ctx, c, text)
		if _, ok := errors.AsType[*engine.Error](err); !ok || text.started || again {
			return statementFailed(ctx, text, err)
		}
		changed, refreshErr := s.source.refresh(ctx, c.instance)
		again = changed
		return errors.Join(statementFailed(ctx, text, err), refreshErr)
	}
	err := s.call(ctx, limit, attempt)
	if again && err != nil {
		err = s.call(ctx, limit, attempt)
	}
	return err
}

// run runs the caller's statement and writes its result.
func run(c *conn, text *statement, params []sdk.Value, w *sdk.RowWriter) error {
	stmt, columns, err := readable(c, text)
	if err != nil {
		return err
	}
	defer stmt.Close()
	if err := bind(stmt, params); err != nil {
		return err
	}
	found, err := stmt.Run()
	if err != nil {
		return err
	}
	if columns == nil {
		columns = make([]sdk.Column, len(found))
		for i := range found {
			columns[i] = column(found[i])
		}
	}
	cells := make([]cell, len(found))
	for i, c := range found {
		if !reads(c.Type) {
			return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "column %q has the type %s, which cannot be shown", c.Name, c.Type).
				WithHint("convert it with CAST(… AS VARCHAR)")
		}
		cells[i] = cellOf(c.Type)
	}
	text.started = true
	if err := w.Columns(columns...); err != nil {
		return err
	}
	notices(columns, w)
	return copyRows(stmt, cells, w)
}

// copyRows writes rows until there are no more, or the writer has enough.
func copyRows(stmt *engine.Stmt, cells []cell, w *sdk.RowWriter) error {
	for {
		chunk, err := stmt.Next()
		if chunk == nil || err != nil {
			return err
		}
		for row := range chunk.Rows {
			for i, read := range cells {
				if v := chunk.Column(i); v.Null(row) {
					w.Null()
				} else {
					read(w, v, row)
				}
			}
			if err := w.EndRow(); errors.Is(err, sdk.ErrLimit) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

func bind(stmt *engine.Stmt, params []sdk.Value) error {
	if err := sqlkit.CheckParameters(stmt.Parameters(), len(params)); err != nil {
		return err
	}
	for i, p := range params {
		if err := stmt.Bind(i+1, p); err != nil {
			return err
		}
	}
	return nil
}

// reads reports whether values of a type can be read from the engine's memory.
func reads(t *engine.Type) bool {
	switch t.ID {
	case duck.TypeVariant, duck.TypeGeometry:
		return false
	}
	for _, child := range t.Children {
		if !reads(child) {
			return false
		}
	}
	_, scalar := scalarTypes[t.ID]
	return scalar || len(t.Children) > 0
}

// readable prepares the caller's statement. Where a column has no form that can
// be read, the engine is asked for its text instead, and the columns are those
// of the statement itself; otherwise they are nil: Run knows them best.
func readable(c *conn, text *statement) (*engine.Stmt, []sdk.Column, error) {
	stmt, err := prepare(c, text)
	if errors.Is(err, engine.ErrSeveral) && text.pivots() {
		stmt, err = preparePivot(c, text)
		return stmt, nil, err
	}
	if err != nil {
		return nil, nil, err
	}
	planned := stmt.Planned()
	odd := false
	for _, p := range planned {
		odd = odd || p.Type.ID != duck.TypeInvalid && p.Type.ID != duck.TypeAny && !reads(p.Type)
	}
	if !odd || stmt.Kind() != engine.KindSelect {
		return stmt, nil, nil
	}
	stmt.Close()
	columns := make([]sdk.Column, len(planned))
	exprs, names := make([]string, len(planned)), make([]string, len(planned))
	for i, p := range planned {
		columns[i] = column(p)
		names[i] = fmt.Sprintf("c%d", i)
		exprs[i] = names[i]
		switch {
		case reads(p.Type):
		case p.Type.ID == duck.TypeVariant:
			exprs[i] = fmt.Sprintf("CASE WHEN %[1]s IS NOT NULL THEN CAST(%[1]s AS JSON) END", names[i]) // a NULL would be JSON's

		default:
			exprs[i] = "CAST(" + names[i] + " AS VARCHAR)"
		}
	}
	head := "SELECT " + strings.Join(exprs, ", ") + " FROM ("
	text.shift = len(head) - text.Start(0)
	end := int(text.Tokens[len(text.Tokens)-1].End)
	stmt, err = c.Prepare(head + text.SQL[text.Start(0):end] + "\n) AS t (" + strings.Join(names, ", ") + ")")
	return stmt, columns, err
}

// notices adds notes on the columns whose values are not what their types promise
// elsewhere.
func notices(columns []sdk.Column, w *sdk.RowWriter) {
	for _, c := range columns {
		var message string
		switch {
		case c.Type == sdk.TypeText && (strings.Contains(c.NativeType, "VARIANT") || strings.Contains(c.NativeType, "GEOMETRY")):
			message = "the values come as DuckDB's own text"
		default:
			continue
		}
		w.Notice(sdk.Warning{Object: c.Name, Code: "text", Message: message})
	}
}

// watchProgress reports how far the statement of a connection is, until stop is
// called; stop waits for the last report.
func watchProgress(ctx context.Context, c *conn, w *sdk.RowWriter) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		var last int64
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			percent, _, total := c.Progress()
			if n := int64(percent * float64(total) / 100); total > 0 && n > last {
				last = n
				w.Progress(sdk.Progress{Phase: "query", Done: n, Total: int64(total), Unit: "rows"})
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
