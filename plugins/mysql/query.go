package mysql

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Execute implements sdk.Session.
func (s *Session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	st, err := s.parse(req.SQL)
	if err != nil {
		return err
	}
	params, err := bind(req.Params)
	if err != nil {
		return err
	}
	limit := s.limit(req.Limits.Timeout)
	return s.calls.Run(ctx, 0, 0, func(ctx context.Context) error {
		err := s.read(ctx, limit, func(r *reading) error {
			r.comment = comment(req.Tags)
			return r.execute(st, params, w)
		})
		return s.suggest(ctx, st, err)
	})
}

// comment is what goes in front of a statement, so that the process list and the
// logs of the server say who asked: a connection is made before that is known, so
// its attributes cannot. In front, because the server quotes the rest of a
// statement in a syntax error, and its lists cut a long one at the end.
// Source: the sqlcommenter specification, for the form of the pairs.
func comment(tags map[string]string) string {
	if len(tags) == 0 {
		return ""
	}
	return "/*" + sqlkit.Tags(tags, "%s='%s'", ",") + "*/ "
}

// execute runs a statement and writes its result.
func (r *reading) execute(st *statement, params []driver.NamedValue, w *sdk.RowWriter) error {
	if err := r.check(st, params); err != nil {
		return err
	}
	if err := r.write(r.s.spelt(st), params, w); err != nil {
		return r.s.statementError(st, err)
	}
	return r.warnings(func(warning sdk.Warning) { w.Notice(warning) })
}

// write runs a statement that was checked, or the connector's own, and writes
// its result.
func (r *reading) write(sql string, params []driver.NamedValue, w *sdk.RowWriter) error {
	if err := w.Started("connection " + r.c.id); err != nil {
		return err
	}
	rows := func(rows driver.Rows) error { return r.copy(sql, rows, w) }
	err := r.prepared(r.comment+sql, params, rows)
	if !said(err, errNotPreparable) {
		return err
	}
	// Some SHOW of MySQL are only possible in the text protocol.
	result, err := r.c.driver.(driver.QueryerContext).QueryContext(context.Background(), r.comment+sql, nil)
	if err != nil {
		return err
	}
	return r.drain(result, rows)
}

// copy writes a result.
func (r *reading) copy(sql string, rows driver.Rows, w *sdk.RowWriter) error {
	texts, _ := r.s.odd.Get(sql)
	result := newResult(rows, texts)
	if err := result.begin(w); err != nil {
		return err
	}
	err := result.rest(w)
	if odd, ok := errors.AsType[*oddValue](err); ok {
		result.texts.add(odd.column)
		r.s.odd.Put(sql, result.texts)
		return odd.conflict(result.columns[odd.column].Name)
	}
	return err
}

// warnings hands over what the server remarked about the last statement: a value
// that was cut, a text that was no number.
func (r *reading) warnings(each func(sdk.Warning)) error {
	return r.query("SHOW WARNINGS", func(row []driver.Value) error {
		if text(row[0]) != "Note" {
			each(sdk.Warning{Code: text(row[1]), Message: text(row[2])})
		}
		return nil
	})
}
