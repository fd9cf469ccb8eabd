package mysql

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

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

// execute runs a statement that was checked and writes its result.
func (r *reading) execute(_ context.Context, st *statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
	r.comment = comment(req.Tags)
	if err := r.write(r.s.spelt(st), req.Params, w); err != nil {
		return r.s.statementError(st, err)
	}
	return r.warnings(func(warning sdk.Warning) { w.Notice(warning) })
}

// write runs a statement that was checked, or the connector's own, and writes
// its result.
func (r *reading) write(sql string, params []sdk.Value, w *sdk.RowWriter) error {
	if err := w.Started("connection " + r.Conn.id); err != nil {
		return err
	}
	rows := func(rows driver.Rows) error { return r.copy(sql, rows, w) }
	err := r.prepared(r.comment+sql, params, rows)
	if !said(err, errNotPreparable) {
		return err
	}
	// Some SHOW of MySQL are only possible in the text protocol.
	return r.Direct(context.Background(), r.comment+sql, rows)
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

// warnings passes on the server's warnings about the last statement: a value
// that was cut, a text that was no number.
func (r *reading) warnings(each func(sdk.Warning)) error {
	return r.query("SHOW WARNINGS", func(row sqlkit.Row) error {
		if row.Text(0) != "Note" {
			each(sdk.Warning{Code: row.Text(1), Message: row.Text(2)})
		}
		return nil
	})
}
