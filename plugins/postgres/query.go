package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxNotices bounds what a function that talks a lot can add to a result.
const maxNotices = 100

// executeRequest runs a caller's statement and writes its result.
func (r *reading) executeRequest(_ context.Context, st *statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
	st.bind(req.Params)
	r.c.notice = notices(w)
	r.tag(req.Tags)
	return r.execute(st, w, !r.anew)
}

// tag queues, behind the opening, the name under which the activity and the logs of
// the server show the transaction: the connection's with the tags behind it, or the
// tags alone where both are more than the server keeps.
func (r *reading) tag(tags map[string]string) {
	if len(tags) == 0 {
		return
	}
	const longest = 63 // bytes, NAMEDATALEN-1
	list := sqlkit.Tags(tags, "%s=%s", " ")
	name := r.s.cfg.ApplicationName + " " + list
	if len(name) > longest {
		name = list
	}
	r.p.SendQueryParams("SELECT pg_catalog.set_config('application_name', $1, true)", [][]byte{[]byte(name)}, nil, nil, nil)
	r.opening++
}

// execute runs a statement and writes its result, as the last of the
// transaction. If the statement was run before, and known says that this may be
// used, everything goes in one round trip.
func (r *reading) execute(st *statement, w *sdk.RowWriter, known bool) error {
	if fields, ok := r.s.known.Get(st.key()); ok && known {
		columns, missing := r.s.types.columns(fields, time.Now())
		if now := r.s.reacher.repeatable(); now != nil && len(missing) == 0 && now.find(st, r.s.Dialect) == nil {
			return r.repeat(st, w, fields, columns, now)
		}
	}
	description, columns, err := r.describe(st)
	if err != nil {
		return err
	}
	r.s.known.Put(st.key(), slices.Clone(description.Fields))
	return r.stream(st, w, description, columns, r.sendLast, r.last)
}

// errOutdated says that a statement was not the one it was before.
var errOutdated = errShape()

// repeat is execute for a statement whose fields are known, and that reaches
// nothing that leaves the transaction as long as nothing has changed since now.
// The server checks both before it comes to the statement: a request that fails
// ends those that were sent with it.
// Errors: errOutdated before anything was written, when the database has changed,
// the server refuses the statement now or describes other fields.
func (r *reading) repeat(st *statement, w *sdk.RowWriter, fields []pgconn.FieldDescription, columns []column, now *reachable) error {
	r.p.SendQueryParams(sameSQL, [][]byte{[]byte(now.snapshot)}, nil, nil, nil)
	if st.query >= 0 {
		r.p.SendPrepare("", declare+st.sql[st.query:], st.types)
	}
	r.p.SendQueryParams(st.sql, st.params, st.types, st.formats, formats(columns))
	if err := r.sendLast(); err != nil {
		return err
	}
	if _, err := r.text(); err != nil {
		if said, ok := asServerError(err); ok && said.Code == stateDivisionByZero {
			r.s.reacher.fellBehind(true)
			_ = r.last() // the reset was sent with it; if it fails, another one follows
			return errOutdated
		}
		return err
	}
	if st.query >= 0 {
		if _, err := r.described(); err != nil {
			return r.outdated(st, err)
		}
	}
	rows, err := r.result()
	if err != nil {
		return r.outdated(st, err)
	}
	if !sameFields(rows.FieldDescriptions(), fields) {
		r.stop()
		return r.outdated(st, errOutdated)
	}
	return r.write(st, w, rows, columns, r.last)
}

func (r *reading) outdated(st *statement, err error) error {
	r.s.known.Forget(st.key())
	if said, ok := asServerError(err); ok && !r.c.pg.IsClosed() && said.Code != stateQueryCanceled {
		return errOutdated
	}
	return err
}

func sameFields(now, before []pgconn.FieldDescription) bool {
	return slices.EqualFunc(now, before, func(a, b pgconn.FieldDescription) bool {
		return a.Name == b.Name && a.DataTypeOID == b.DataTypeOID && a.TypeModifier == b.TypeModifier
	})
}

func formats(columns []column) []int16 {
	list := make([]int16, len(columns))
	for i := range columns {
		list[i] = columns[i].format
	}
	return list
}

// stream runs a prepared statement and writes its result; send sends what is
// queued, and done reads what follows the rows. A statement whose place the
// connector's own questions took is prepared once more, with the same request.
// Errors: errOutdated before anything was written, when it has other fields now.
func (r *reading) stream(st *statement, w *sdk.RowWriter, description *pgconn.StatementDescription, columns []column, send, done func() error) error {
	if len(description.ParamOIDs) != len(st.params) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the statement has %d parameters, %d values were given", len(description.ParamOIDs), len(st.params)).
			WithHint("give one value for each of $1, $2, …")
	}
	if err := r.running(); err != nil {
		return err
	}
	again := !r.unnamed
	if again {
		r.p.SendPrepare("", st.sql, st.types)
	}
	r.p.SendQueryStatement(description, st.params, st.formats, formats(columns))
	if err := send(); err != nil {
		return err
	}
	if again {
		now, err := r.described()
		if err != nil {
			return serverError(err, st.sql)
		}
		if !sameFields(now.Fields, description.Fields) {
			r.stop()
			return errOutdated
		}
	}
	rows, err := r.result()
	if err != nil {
		return serverError(err, st.sql)
	}
	return r.write(st, w, rows, columns, done)
}

// write passes on a result to its end, or ends the statement in the server when
// the receiver has enough.
func (r *reading) write(st *statement, w *sdk.RowWriter, rows *pgconn.ResultReader, columns []column, done func() error) error {
	public := make([]sdk.Column, len(columns))
	for i := range columns {
		public[i] = columns[i].Column
	}
	err := w.Started("pid " + strconv.FormatUint(uint64(r.c.pg.PID()), 10))
	if err == nil {
		err = w.Columns(public...)
	}
	if err == nil {
		err = copyRows(rows, columns, w)
	}
	if err != nil && !(r.patient && errors.Is(err, sdk.ErrLimit)) {
		r.stop()
		return r.changed(err)
	}
	if _, err := rows.Close(); err != nil {
		return serverError(err, st.sql)
	}
	// The order to cancel may come too late for the server; the caller is gone nevertheless.
	if err := r.running(); err != nil {
		return err
	}
	return done()
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
	now := time.Now() // once: what was looked up of other types may not grow old on the way
	var columns []column
	err = settle(func() (missing []typeName) {
		columns, missing = r.s.types.columns(description.Fields, now)
		return missing
	}, func(missing []typeName) error { return r.lookup(missing, now) })
	return description, columns, err
}

// lookup asks the server about types.
func (r *reading) lookup(missing []typeName, now time.Time) error {
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
	r.s.types.learn(rows, names, now)
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
