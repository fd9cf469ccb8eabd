package mysql

import (
	"context"
	"database/sql/driver"
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// form is what a statement is, by how it begins.
type form uint8

const (
	formOther    form = iota // what the server must name: a syntax error, or no read
	formQuery                // SELECT, WITH, VALUES, TABLE
	formExplain              // EXPLAIN and the like of a query
	formDescribe             // DESCRIBE of a table, SHOW
)

// statement is a caller's SQL on its way to the server.
type statement struct {
	*sqlkit.Statement
	form form
	end  int // of what is sent: behind a comment, before a semicolon
	// query is the token at which the query starts that the server must accept
	// behind EXPLAIN.
	query int
}

// parse looks at the text for what the server's own check does not see.
// Errors: those of sqlkit.Parse, and KindNotReadOnly.
func (s *Session) parse(sql string) (*statement, error) {
	parsed, err := sqlkit.Parse(sql, s.Dialect)
	if err != nil {
		return nil, err
	}
	st := &statement{Statement: parsed, end: len(sql)}
	last := int(parsed.Tokens[len(parsed.Tokens)-1].End)
	if rest, err := s.Dialect.Tokens(sql[last:], nil); err == nil && len(rest) > 0 {
		st.end = last + int(rest[0].Start)
	}
	switch {
	case st.begins(0):
		st.form = formQuery
	case st.Starts("SHOW"):
		st.form = formDescribe
	case st.Starts("EXPLAIN", "DESCRIBE", "DESC"):
		if err := st.explain(); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// begins reports whether a query begins at token i.
func (st *statement) begins(i int) bool { return st.Is(i, "(", "SELECT", "WITH", "VALUES", "TABLE") }

// explain tells EXPLAIN of a query from DESCRIBE of a table, and refuses all
// else: EXPLAIN ANALYZE runs what it explains.
func (st *statement) explain() error {
	i := 1
	for !st.begins(i) && st.Is(i, "ANALYZE", "EXTENDED", "PARTITIONS", "FORMAT", "TRADITIONAL", "JSON", "TREE", "=") {
		i++
	}
	if st.begins(i) {
		st.form, st.query = formExplain, i
		return nil
	}
	if i > 1 || len(st.Tokens) == 1 {
		return st.notQuery(min(i, len(st.Tokens)-1))
	}
	for ; i < len(st.Tokens); i++ { // a table, and a column or a pattern of such
		t := st.Tokens[i]
		name := t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted || t.Kind == dialect.TokenString || t.Is(st.SQL, ".")
		if !name || i > maxDescribed {
			return st.notQuery(1)
		}
	}
	st.form = formDescribe
	return nil
}

// spelt returns the statement as the server writes it: MariaDB's EXPLAIN ANALYZE
// is ANALYZE, of a query that was checked.
func (s *Session) spelt(st *statement) string {
	if s.Info.Product == productMariaDB && st.form == formExplain && st.Starts("EXPLAIN") && st.Is(1, "ANALYZE") {
		return st.text(1)
	}
	return st.text(0)
}

// maxDescribed is the last token of: DESCRIBE schema.table column.
const maxDescribed = 4

func (st *statement) notQuery(i int) *sdk.Error {
	return st.NotQuery(i, "SELECT, WITH, VALUES, SHOW, DESCRIBE or EXPLAIN")
}

// text returns the statement without semicolons around it, from token i on.
func (st *statement) text(i int) string {
	return st.SQL[st.Start(i):st.end]
}

// check has the server accept a statement as a read, without running it.
// Errors: KindNotReadOnly, and what the server finds wrong with it.
func (r *reading) check(_ context.Context, st *statement, params []sdk.Value) error {
	if st.form == formOther {
		return r.unknown(st)
	}
	// EXPLAIN runs functions, too: those of constants, and those that make a table.
	if err := r.leaves(st.SQL, st.Tokens); err != nil {
		return err
	}
	if st.form == formDescribe {
		return nil
	}
	explain := "EXPLAIN " + st.text(st.query)
	var err error
	if len(params) > 0 || st.marked() {
		err = r.prepared(explain, params, skip)
	} else {
		err = r.query(explain, func(sqlkit.Row) error { return nil })
	}
	return r.s.statementError(st, err)
}

// marked reports whether a statement has parameter markers.
func (st *statement) marked() bool { return slices.Contains(st.Parameters(), "?") }

// skip reads a result to its end.
func skip(rows driver.Rows) error {
	return sqlkit.EachRow(context.Background(), rows, func(sqlkit.Row) error { return nil })
}

// unknown says what a statement is that begins like no query: the server parses
// it and runs nothing.
func (r *reading) unknown(st *statement) error {
	switch err := r.prepare(st.text(0)); {
	case said(err, errSyntax):
		return r.s.statementError(st, err)
	case err != nil && !isServerError(err):
		return err
	default:
		return st.notQuery(0)
	}
}
