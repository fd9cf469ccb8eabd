package snowflake

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// form is what a statement is, by how it begins.
type form uint8

const (
	formQuery   form = iota // SELECT, WITH, VALUES
	formExplain             // EXPLAIN of a query
	formShow                // SHOW, DESCRIBE
)

// Types of statements, as the service numbers them. It runs a SELECT, and never
// more, for what it calls one.
// Source: the vendor's drivers.
const (
	typeSelect   = 0x1000
	typeShow     = 0x4400
	typeDescribe = 0x4500
)

// statement is a caller's SQL on its way to the service.
type statement struct {
	*sqlkit.Statement
	form  form
	text  string // what is sent: the statement alone
	query string // the part that the service examines
}

const accepted = "SELECT, WITH, VALUES, SHOW, DESCRIBE or EXPLAIN"

// parse looks at the text for what the service's own examination does not see, and
// for what the driver would do by itself: PUT and GET move files of this machine.
func (s *Session) parse(sql string) (*statement, error) {
	parsed, err := sqlkit.Parse(sql, s.Dialect)
	if err != nil {
		return nil, err
	}
	if err := s.effects(parsed); err != nil {
		return nil, err
	}
	last := parsed.Tokens[len(parsed.Tokens)-1]
	st := &statement{Statement: parsed, text: sql[parsed.Start(0):last.End]}
	st.query = st.text
	switch {
	case parsed.Starts("(", "SELECT", "WITH", "VALUES"):
	case parsed.Starts("SHOW", "DESC", "DESCRIBE"):
		st.form = formShow
	case parsed.Starts("EXPLAIN"):
		st.form = formExplain
		i := 1
		if len(parsed.Tokens) > 2 && parsed.Is(1, "USING") {
			i = 3
		}
		if !parsed.Is(i, "(", "SELECT", "WITH") {
			return nil, parsed.NotQuery(min(i, len(parsed.Tokens)-1), accepted)
		}
		st.query = sql[parsed.Start(i):last.End]
	default:
		return nil, parsed.NotQuery(0, accepted)
	}
	return st, nil
}

// effects refuses what a SELECT does beyond reading: the next value of a sequence, which
// has the form of a column, and calls of functions that run elsewhere.
func (s *Session) effects(st *sqlkit.Statement) error {
	for i, t := range st.Tokens {
		if t.Kind != dialect.TokenWord && t.Kind != dialect.TokenQuoted {
			continue
		}
		name := s.Dialect.Unquote(st.SQL, t)
		if i > 0 && st.Is(i-1, ".") && strings.EqualFold(name, "NEXTVAL") {
			return st.Refuse(i, "NEXTVAL is refused because it advances a sequence").WithHint("answer the question without the sequence")
		}
		if st.Is(i+1, "(") && s.external[strings.ToUpper(name)] {
			return st.Refuse(i, "the function %s is refused because it sends data to another service", name).WithHint("answer the question without this function")
		}
	}
	return nil
}

func notRead(v verdict) *sdk.Error {
	e := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceWarehouse, "the service says that this statement is of type %#x, which is no SELECT", v.StatementTypeID).
		WithHint("%s", sqlkit.ReadsOnly.Hint)
	return e
}

// check has the service accept a statement as a read, without running it.
// Errors: KindNotReadOnly, and what the service finds wrong with it.
func (r *reading) check(ctx context.Context, st *statement, params []sdk.Value) error {
	_, err := r.examine(ctx, st, params)
	return err
}

// examine is check; it returns the columns of the result.
func (r *reading) examine(ctx context.Context, st *statement, params []sdk.Value) ([]sdk.Column, error) {
	v, columns, err := r.describe(ctx, st.query, params)
	if err != nil {
		return nil, r.s.statementError(st, err)
	}
	switch {
	case st.form == formShow && (v.StatementTypeID == typeShow || v.StatementTypeID == typeDescribe):
	case st.form != formShow && v.StatementTypeID == typeSelect:
	default:
		return nil, notRead(v)
	}
	if v.NumberOfBinds != nil && len(params) > 0 {
		if err := sqlkit.CheckParameters(*v.NumberOfBinds, len(params)); err != nil {
			return nil, err
		}
	}
	r.examined = st.text
	return columns, nil
}

// execute runs a statement that was examined and writes its result.
func (r *reading) execute(ctx context.Context, st *statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
	o := &order{sql: r.examined}
	return r.s.statementError(st, r.write(ctx, o, st.text, req.Params, req.Tags, w))
}

// write runs a statement and writes its result.
func (r *reading) write(ctx context.Context, o *order, sql string, params []sdk.Value, tags map[string]string, w *sdk.RowWriter) error {
	ctx, ids := tagged(o.in(ctx), tags)
	o.started = func() {
		select {
		case id, open := <-ids:
			if open {
				_ = w.Started(id) // the writer keeps its error
			}
		default:
		}
	}
	if state := r.s.Info.State; state == sdk.StateSuspended || state == sdk.StateResuming {
		w.Progress(sdk.Progress{Phase: "warehouse", Message: fmt.Sprintf("the warehouse %s was %s: it resumes first", r.s.cfg.Warehouse, state)})
	}
	return r.Prepared(ctx, sql, params, func(result driver.Rows) error { return r.copy(ctx, result.(*rows), w) })
}

// copy writes a result.
func (r *reading) copy(ctx context.Context, from *rows, w *sdk.RowWriter) error {
	odd := make([]bool, len(from.columns))
	return sqlkit.Write(ctx, from, from.columns, w, func(i int, v driver.Value) error {
		c := &from.columns[i]
		if at, ok := v.(moment); ok {
			w.Moment(at.micros, at.nanos)
			return nil
		}
		if text, ok := v.(string); ok && isJSON(c.Type) && !json.Valid([]byte(text)) {
			if !odd[i] {
				odd[i] = true
				w.Notice(sdk.Warning{Object: c.Name, Message: fmt.Sprintf("column %q has values that JSON cannot hold, such as undefined or NaN: they are shown as text", c.Name)})
			}
			v = quoteJSON(text)
		}
		w.Value(v)
		return nil
	})
}

func isJSON(t sdk.Type) bool { return t == sdk.TypeJSON || t == sdk.TypeNestedJSON }

func quoteJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("snowflake: a text is no JSON: " + err.Error())
	}
	return string(quoted)
}
