package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
)

// maxNotices bounds what a function that talks a lot can add to a result.
const maxNotices = 100

// Execute implements sdk.Session.
func (s *Session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	ctx, leave, err := s.calls.Begin(ctx)
	if err != nil {
		return err
	}
	defer leave()
	st, err := s.parse(req.SQL)
	if err != nil {
		return err
	}
	if err := st.bind(req.Params); err != nil {
		return err
	}
	err = s.ask(ctx, s.limit(req.Limits.Timeout), func(r *reading) error {
		r.c.notice = notices(w)
		return r.execute(st, w)
	})
	return s.suggest(ctx, st, err)
}

// execute runs a statement and writes its result.
func (r *reading) execute(st *statement, w *sdk.RowWriter) error {
	description, columns, err := r.describe(st)
	if err != nil {
		return err
	}
	if len(description.ParamOIDs) != len(st.params) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the statement has %d parameters, %d values were given", len(description.ParamOIDs), len(st.params)).
			WithHint("give one value for each of $1, $2, …")
	}
	public, formats := make([]sdk.Column, len(columns)), make([]int16, len(columns))
	for i := range columns {
		public[i], formats[i] = columns[i].Column, columns[i].format
	}
	if err := w.Started("pid " + strconv.FormatUint(uint64(r.c.pg.PID()), 10)); err != nil {
		return err
	}
	if err := w.Columns(public...); err != nil {
		return err
	}
	r.p.SendQueryStatement(description, st.params, st.formats, formats)
	if err := r.p.Sync(); err != nil {
		return err
	}
	rows, err := r.result()
	if err != nil {
		return serverError(err, st.sql)
	}
	if err := copyRows(rows, columns, w); err != nil {
		return r.changed(err)
	}
	if _, err := rows.Close(); err != nil {
		return serverError(err, st.sql)
	}
	return r.synced()
}

// copyRows writes the rows without a copy of their own.
func copyRows(rows *pgconn.ResultReader, columns []column, w *sdk.RowWriter) error {
	for rows.NextRow() {
		values := rows.Values()
		if len(values) != len(columns) {
			return errShape()
		}
		for i, raw := range values {
			if raw == nil {
				w.Null()
			} else if err := columns[i].decode(w, raw); err != nil {
				return err
			}
		}
		if err := w.EndRow(); err != nil {
			return err
		}
	}
	return nil
}

// changed forgets the looked-up types when one of them did not fit its values.
func (r *reading) changed(err error) error {
	if sdk.KindOf(err) == sdk.KindConflict {
		r.s.types.drop()
	}
	return err
}

// describe prepares a statement and finds out how to read its columns.
func (r *reading) describe(st *statement) (*pgconn.StatementDescription, []column, error) {
	description, err := r.prepare(st)
	if err != nil {
		return nil, nil, err
	}
	columns, missing := r.s.types.columns(description.Fields, time.Now())
	if len(missing) == 0 {
		return description, columns, nil
	}
	if err := r.lookup(missing); err != nil {
		return nil, nil, err
	}
	// The look-up took the place of the unnamed statement.
	if description, err = r.prepare(st); err != nil {
		return nil, nil, err
	}
	if columns, missing = r.s.types.columns(description.Fields, time.Now()); len(missing) > 0 {
		return nil, nil, errShape()
	}
	return description, columns, nil
}

// lookup asks the server about types.
func (r *reading) lookup(missing []typeName) error {
	oids, mods := make([]string, len(missing)), make([]string, len(missing))
	for i, t := range missing {
		oids[i], mods[i] = strconv.FormatUint(uint64(t.oid), 10), strconv.Itoa(int(t.mod))
	}
	oidList, modList := list(oids), list(mods)
	var rows []typeRow
	err := r.query(lookupFor(r.s.version), [][]byte{oidList}, func(v [][]byte) error {
		rows = append(rows, typeRow{
			oid: parseOID(v[0]), kind: v[1][0], part: parseOID(v[2]), delim: v[3][0],
			field: string(v[4]), fieldType: parseOID(v[5]),
		})
		return nil
	})
	if err != nil {
		return err
	}
	names := map[typeName]string{}
	err = r.query(formatTypesSQL, [][]byte{oidList, modList}, func(v [][]byte) error {
		mod, err := strconv.ParseInt(string(v[1]), 10, 32)
		names[typeName{parseOID(v[0]), int32(mod)}] = string(v[2])
		return err
	})
	if err != nil {
		return err
	}
	r.s.types.learn(rows, names, time.Now())
	return nil
}

// list writes an array literal of elements that need no quotes.
func list(elements []string) []byte { return []byte("{" + strings.Join(elements, ",") + "}") }

type notice = pgconn.Notice

// notices passes on what the server remarks, up to a bound.
func notices(w *sdk.RowWriter) func(*notice) {
	seen := 0
	return func(n *notice) {
		seen++
		switch {
		case seen <= maxNotices:
			w.Notice(warning(n))
		case seen == maxNotices+1:
			w.Notice(sdk.Warning{Message: fmt.Sprintf("more than %d remarks of the server; the others are left out", maxNotices)})
		}
	}
}

func warning(n *notice) sdk.Warning {
	return sdk.Warning{Object: n.TableName, Code: n.Code, Message: n.SeverityUnlocalized + ": " + n.Message}
}
