//go:build cgo

package duckdb

import (
	"errors"
	"strings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// statement is a caller's text that is about to run.
type statement struct {
	*sqlkit.Statement
	// shift is where the text starts in what the engine was given, in bytes.
	shift int
	// started: a result is being written, so that it cannot begin anew.
	started bool
}

// harmlessPragmas are those that only tell, and that the engine turns into a
// SELECT. Any other one may act while the text is still being parsed.
var harmlessPragmas = []string{
	"TABLE_INFO", "SHOW", "SHOW_TABLES", "SHOW_TABLES_EXPANDED", "SHOW_DATABASES", "DATABASE_LIST", "DATABASE_SIZE", "STORAGE_INFO",
	"VERSION", "PLATFORM", "COLLATIONS", "FUNCTIONS",
}

// parse looks at a caller's text before the engine does: at what would act
// while it is parsed, and at calls that the engine would not refuse.
func parse(sql string, hidden map[string]bool) (*statement, error) {
	if at := strings.IndexByte(sql, 0); at >= 0 {
		e := sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "the text has a NUL character").WithHint("write it as chr(0), or give it as a parameter")
		e.Pos = sdk.PositionAtByte(sql, at)
		return nil, e
	}
	parsed, err := sqlkit.Parse(sql, quoting)
	if err != nil {
		return nil, err
	}
	s := &statement{Statement: parsed}
	if s.Starts("IMPORT") {
		return nil, s.Refuse(0, "IMPORT DATABASE is refused because it runs a file's statements").WithHint("only statements that read can run")
	}
	if s.Starts("PRAGMA") && !s.Is(1, harmlessPragmas...) {
		return nil, s.Refuse(0, "this PRAGMA is refused because it may change a setting").
			WithHint("read duckdb_settings() or the table functions pragma_table_info('t') and the like")
	}
	if i := s.mentions(hidden); i >= 0 {
		return nil, s.Refuse(i, "%s calls a function that is refused", quoting.Unquote(sql, s.Tokens[i])).
			WithHint("read the tables behind this view or macro")
	}
	return s, nil
}

// mentions returns the first token that names one of the hidden ones, also in a
// string, or -1.
func (s *statement) mentions(hidden map[string]bool) int {
	if len(hidden) == 0 {
		return -1
	}
	for i, t := range s.Tokens {
		switch t.Kind {
		case dialect.TokenWord, dialect.TokenQuoted:
			if hidden[strings.ToLower(quoting.Unquote(s.SQL, t))] {
				return i
			}
		case dialect.TokenString:
			if s.table(i) && hidden[strings.ToLower(strings.Trim(s.SQL[t.Start:t.End], "'"))] {
				return i
			}
		}
	}
	return -1
}

// table reports whether a string at token i may stand for a table.
func (s *statement) table(i int) bool {
	return i > 0 && s.Is(i-1, "FROM", "JOIN", "TABLE", "DESCRIBE", "DESC", "SUMMARIZE", "SHOW", "PIVOT", "UNPIVOT", ",", "(", ".")
}

// hiddenCalls returns the views and macros of the database, in lower case, that
// lead to a call that is refused. The database is not changed while it is open.
func hiddenCalls(c *engine.Conn) (map[string]bool, error) {
	strict := *quoting
	strict.Guard.Functions = effects()
	definitions := map[string]string{}
	err := each(c, `SELECT view_name, sql FROM duckdb_views() WHERE NOT internal AND database_name <> 'files'
		UNION ALL SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal AND macro_definition IS NOT NULL`,
		func(r sqlkit.Row) error {
			name := strings.ToLower(r.Text(0))
			definitions[name] += " " + strings.TrimRight(r.Text(1), "; \n")
			return nil
		})
	hidden := map[string]bool{}
	for found := true; found; {
		found = false
		for name, definition := range definitions {
			if hidden[name] {
				continue
			}
			parsed, err := sqlkit.Parse(definition, &strict)
			if err != nil || (&statement{Statement: parsed}).mentions(hidden) >= 0 {
				hidden[name], found = true, true
			}
		}
	}
	return hidden, err
}

// prepare compiles the caller's statement and takes the engine's word for what
// it is. Nothing has run when it returns.
func prepare(c *conn, s *statement) (*engine.Stmt, error) {
	stmt, err := c.Prepare(s.SQL)
	if errors.Is(err, engine.ErrSeveral) {
		return nil, errors.Join(s.several(), err)
	}
	if err != nil {
		return nil, err
	}
	switch stmt.Kind() {
	case engine.KindSelect:
		return stmt, nil
	case engine.KindExplain:
		err = explained(c, s)
	default:
		err = s.Refuse(0, "the statement is not one that only reads").WithHint("only SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, SHOW and EXPLAIN can run")
	}
	if err != nil {
		stmt.Close()
		return nil, err
	}
	return stmt, nil
}

// several is about a text of one statement that the engine makes several of: a
// PIVOT without IN creates a type for the values that it finds.
func (s *statement) several() error {
	if !s.pivots() && !(s.Starts("EXPLAIN") && s.names("PIVOT", "PIVOT_WIDER")) {
		return s.Refuse(0, "DuckDB runs this statement as several, which need not read alone").WithHint("send one query")
	}
	e := s.Refuse(0, "DuckDB runs this statement as several, so that it has no plan before it runs")
	e.Kind = sdk.KindUnsupported
	return e.WithHint("list the values of the PIVOT: PIVOT t ON c IN ('a', 'b') USING …")
}

// pivots reports whether a statement, of which the engine makes several, is a
// query with a PIVOT. The parser knows two other texts that are several: PRAGMA
// and IMPORT DATABASE.
func (s *statement) pivots() bool {
	return s.query(0) && s.names("PIVOT", "PIVOT_WIDER")
}

// names reports whether one of the words stands in a statement.
func (s *statement) names(words ...string) bool {
	for i := range s.Tokens {
		if s.Is(i, words...) {
			return true
		}
	}
	return false
}

// preparePivot compiles a PIVOT without IN: the engine reads the values of the
// column into a temporary type, which ends with the connection of this call, and
// the rest is a SELECT.
func preparePivot(c *conn, s *statement) (*engine.Stmt, error) {
	stmt, err := c.PreparePivot(s.SQL)
	if err != nil {
		return nil, err
	}
	if stmt.Kind() != engine.KindSelect {
		stmt.Close()
		return nil, s.Refuse(0, "the statement is not one that only reads").WithHint("send a query")
	}
	return stmt, nil
}

// explained checks what an EXPLAIN is about: a SELECT, which ANALYZE runs.
func explained(c *conn, s *statement) error {
	i := 1
	if analyze(s, i) {
		i++
	}
	if s.Is(i, "(") && !s.query(i+1) {
		for i < len(s.Tokens) && !s.Is(i, ")") {
			i++
		}
		i++
	}
	inner, err := c.Prepare(s.SQL[s.Start(i):])
	if err != nil {
		return s.Refuse(i, "what EXPLAIN is about cannot be checked").WithHint("explain one SELECT statement")
	}
	defer inner.Close()
	if inner.Kind() != engine.KindSelect {
		return s.Refuse(i, "EXPLAIN of a statement that writes is refused").WithHint("explain a SELECT statement")
	}
	return nil
}

func analyze(s *statement, i int) bool { return s.Is(i, "ANALYZE", "ANALYSE") }

// query reports whether a query starts at token i.
func (s *statement) query(i int) bool {
	return s.Is(i, "SELECT", "FROM", "WITH", "VALUES", "TABLE", "PIVOT", "UNPIVOT", "DESCRIBE", "DESC", "SUMMARIZE", "SHOW", "(")
}
