package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// execute runs a statement and writes its result.
func (a *asking) execute(ctx context.Context, st *statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
	b, err := a.session.bind(st, req.Params)
	if err != nil {
		return err
	}
	r := &result{w: w, id: queryID(req.RequestID)}
	err = a.session.run(ctx, a.limit, req.Tags, &query{id: r.id, sql: b.sql, bound: b, caller: req.SQL, block: r.block, progress: r.progress})
	if err == nil && !r.started {
		err = a.session.run(ctx, a.limit, req.Tags, &query{sql: b.sql, bound: b, caller: req.SQL, header: true, block: r.block})
	}
	if errors.Is(err, sdk.ErrLimit) {
		return nil
	}
	return err
}

// result passes a result on.
type result struct {
	w       *sdk.RowWriter
	id      string
	started bool
	read    sdk.Progress
	bytes   int64
}

func (r *result) block(b *block) error {
	if !r.started {
		r.started = true
		columns, err := b.describe()
		if err != nil {
			return err
		}
		if err := r.start(columns); err != nil {
			return err
		}
	}
	return b.write(r.w)
}

// start tells the columns.
func (r *result) start(columns []sdk.Column) error {
	if err := r.w.Started(r.id); err != nil {
		return err
	}
	return r.w.Columns(columns...)
}

// progress adds up what the server's packets say.
func (r *result) progress(rows, bytes, total uint64) {
	r.read.Phase, r.read.Unit = "read", "rows"
	r.read.Done += int64(rows)
	r.read.Total += int64(total)
	r.bytes += int64(bytes)
	p := r.read
	if p.Total < p.Done {
		p.Total = 0 // an estimate that was too low says nothing
	}
	r.w.Progress(p)
	r.w.SetBytesScanned(r.bytes)
}

// statement is a statement of a caller.
type statement struct {
	*sqlkit.Statement
	// query: it is a query itself, and has a plan and columns.
	query bool
}

// parse is the connector's own look at a text, whatever the host's guard said:
// what the server would run under readonly = 1 although it reads nothing (KILL
// QUERY, USE, sleep), and what would come in another form than ours.
func (s *Session) parse(sql string) (*statement, error) {
	parsed, err := sqlkit.Parse(sql, s.Dialect)
	if err != nil {
		return nil, err
	}
	st := &statement{Statement: parsed}
	first := 0
	for first < len(st.Tokens)-1 && st.Is(first, "(") {
		first++
	}
	st.query = st.Is(first, "SELECT", "WITH", "FROM")
	if !st.query && !st.Is(first, "SHOW", "DESCRIBE", "DESC", "EXISTS", "EXPLAIN") {
		return nil, st.Refuse(first, "only statements that read are run: SELECT, WITH, SHOW, DESCRIBE, EXISTS, EXPLAIN").
			WithHint("send a query that only reads")
	}
	return st, st.clauses(s.Dialect)
}

// clauses refuses what the server lets through: SETTINGS in a sub-select, which
// goes before the request's readonly = 1 (26.7), credentials, and clauses that
// are for other clients.
func (st *statement) clauses(d *dialect.Dialect) error {
	for i, t := range st.Tokens {
		switch {
		case st.Is(i, "SETTINGS") && st.Is(i+2, "="):
			return st.Refuse(i, "a SETTINGS clause is refused because it changes settings, readonly among them").
				WithHint("leave the SETTINGS clause out")
		case st.Starts("SHOW") && st.Is(i, "USER") || relates(d, st.SQL, t):
			return st.Refuse(i, "this is refused because it shows credentials").WithHint("read something else")
		case st.Is(i, "INTO") && st.Is(i+1, "OUTFILE"):
			return st.Refuse(i, "INTO OUTFILE is refused because it writes a file").WithHint("leave INTO OUTFILE out")
		case st.Is(i, "FORMAT") && st.formats(i):
			e := errFormat()
			e.Pos = sdk.PositionAtByte(st.SQL, st.Start(i))
			return e
		}
	}
	return nil
}

func errFormat() *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a FORMAT clause is refused: results come in the form of this contract").
		WithHint("leave the FORMAT clause out")
}

// relates reports whether a token names a relation that the guard refuses.
func relates(d *dialect.Dialect, sql string, t dialect.Token) bool {
	return (t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted) &&
		slices.ContainsFunc(d.Guard.Relations, func(r dialect.FunctionRule) bool { return strings.EqualFold(d.Unquote(sql, t), r.Pattern) })
}

// formats reports whether FORMAT at token i is a clause: with the name of a
// format as the last word, or the last before SETTINGS and INTO, behind
// something that an alias could not follow.
func (st *statement) formats(i int) bool {
	if i == 0 || i+1 >= len(st.Tokens) {
		return false
	}
	if kind := st.Tokens[i+1].Kind; kind != dialect.TokenWord && kind != dialect.TokenQuoted {
		return false
	}
	if i+2 < len(st.Tokens) && !st.Is(i+2, "SETTINGS", "INTO") {
		return false
	}
	switch st.Tokens[i-1].Kind {
	case dialect.TokenOperator:
		return st.Is(i-1, ")", "]", "*")
	case dialect.TokenWord:
		return !st.Is(i-1, "SELECT", "DISTINCT", "BY", "WHERE", "AND", "OR", "NOT", "AS", "FROM", "JOIN")
	default:
		return true
	}
}

// what the server names in an error about something that does not exist.
func missing(msg string) string {
	for _, quotes := range []string{"`", "'"} {
		if _, rest, ok := strings.Cut(msg, quotes); ok {
			if name, _, ok := strings.Cut(rest, quotes); ok && name != "" {
				return name
			}
		}
	}
	for _, lead := range []string{"Unknown identifier: ", "Table ", "Database ", "Unknown function ", "Column ", " function "} {
		if _, rest, ok := strings.Cut(msg, lead); ok {
			name, _, _ := strings.Cut(rest, " ")
			return strings.TrimRight(name, ".,;:")
		}
	}
	return ""
}

// maxSuggested bounds the names that are looked at.
const maxSuggested = 20_000

// suggest adds to an error about a name that does not exist the place of the
// name and what may have been meant.
func (s *Session) suggest(ctx context.Context, st *statement, e *sdk.Error) {
	var sql string
	name := missing(e.Msg)
	if e.Kind == sdk.KindSyntax && e.Pos.IsZero() {
		if e.Pos = st.Find(s.Dialect, name); e.Pos.IsZero() {
			e.Kind = sdk.KindInvalid // without a place it is no help to call it that
		}
	}
	switch e.Code {
	case fmt.Sprint(codeUnknownTable):
		sql = "SELECT if(database = currentDatabase(), name, concat(database, '.', name)) FROM system.tables WHERE database != 'system' ORDER BY database != currentDatabase(), database, name LIMIT " + fmt.Sprint(maxSuggested)
	case fmt.Sprint(codeUnknownDatabase):
		sql = "SELECT name FROM system.databases ORDER BY name"
	case fmt.Sprint(codeUnknownIdentifier), "10", "16":
		var tables []string
		for _, n := range st.Names(s.Dialect) {
			tables = append(tables, s.Dialect.QuoteString(n))
		}
		sql = "SELECT DISTINCT name FROM system.columns WHERE table IN (" + strings.Join(tables, ", ") + ") ORDER BY name LIMIT " + fmt.Sprint(maxSuggested)
	case fmt.Sprint(codeUnknownFunction):
		sql = "SELECT name FROM system.functions ORDER BY name"
	default:
		return
	}
	if e.Pos.IsZero() {
		e.Pos = st.Find(s.Dialect, name)
	}
	_ = sqlkit.Suggest(ctx, e, name, s.names(sql))
}

// names returns a function that lists names by a query.
func (s *Session) names(sql string) func(context.Context) ([]string, error) {
	return s.Names(func(a *asking, ctx context.Context, row func(sqlkit.Row) error) error {
		return s.ask(ctx, a.limit, sql, row)
	})
}
