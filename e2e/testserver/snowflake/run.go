package snowflake

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// Types of statements, as answers number them.
const (
	typeSelect   int64 = 0x1000
	typeInsert   int64 = 0x3100
	typeUpdate   int64 = 0x3200
	typeDelete   int64 = 0x3300
	typeMerge    int64 = 0x3400
	typeAlter    int64 = 0x4100 // a session
	typeUse      int64 = 0x4300
	typeShow     int64 = 0x4400
	typeDescribe int64 = 0x4500
	typeDDL      int64 = 0x6000
	typeMulti    int64 = 0xA000
)

var statementTypes = map[duckdb.StmtType]int64{
	duckdb.STATEMENT_TYPE_SELECT: typeSelect, duckdb.STATEMENT_TYPE_INSERT: typeInsert, duckdb.STATEMENT_TYPE_UPDATE: typeUpdate,
	duckdb.STATEMENT_TYPE_DELETE: typeDelete,
	duckdb.STATEMENT_TYPE_CREATE: typeDDL, duckdb.STATEMENT_TYPE_DROP: typeDDL, duckdb.STATEMENT_TYPE_ALTER: typeDDL,
}

var (
	canceled = fail("000604", "57014", "SQL execution canceled")
	empty    = fail("000900", "42601", "SQL compilation error:\nEmpty SQL statement.")
)

// run runs a statement to its end.
func (s *Server) run(ctx context.Context, x *statement) error {
	if x.limit > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, x.limit, fail("000630", "57014",
			"Statement reached its statement or warehouse timeout of %d second(s) and was canceled.", x.limit/time.Second))
		defer cancel()
		ctx = limited
	}
	err := s.examined(ctx, x)
	if err != nil && ctx.Err() != nil {
		if cause, ok := errors.AsType[*failure](context.Cause(ctx)); ok {
			return cause
		}
		return canceled
	}
	return err
}

func (s *Server) examined(ctx context.Context, x *statement) error {
	plant := s.planted(x.sql, x.describe)
	if plant != nil && plant.Until != nil {
		select {
		case <-plant.Until:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if plant != nil && plant.Code != "" {
		return fail(plant.Code, plant.State, "%s", plant.Message)
	}
	tokens, err := lex(x.sql)
	if err != nil {
		return err
	}
	parts := split(tokens)
	switch {
	case len(parts) == 0:
		return empty
	case x.multiple != 0 && len(parts) != x.multiple:
		return fail("000008", "0A000", "Actual statement count %d did not match the desired statement count %d.", len(parts), x.multiple)
	case len(parts) > 1:
		err = s.several(ctx, x, parts)
	default:
		err = s.one(ctx, x, parts[0])
	}
	if plant != nil && plant.TypeID != 0 {
		x.typeID = plant.TypeID
	}
	if plant != nil && plant.Cell != "" && err == nil {
		x.result.rows = [][]cell{{plant.Cell}}
	}
	return err
}

// several runs statements one after the other; each has a result of its own.
func (s *Server) several(ctx context.Context, x *statement, parts [][]token) error {
	x.typeID = typeMulti
	x.result = &result{columns: []column{{Name: "multiple statement execution", sqlType: sqlType{name: "text"}}}, plain: true}
	if x.describe {
		return nil
	}
	x.result.rows = [][]cell{{"Multiple statements executed successfully."}}
	for _, part := range parts {
		s.mu.Lock()
		c := *x
		c.id, c.requestID, c.done, c.result, c.typeID = fmt.Sprintf("%s%012x", x.id[:24], s.next()), "", make(chan struct{}), nil, 0
		s.statements[c.id] = &c
		s.order = append(s.order, &c)
		s.mu.Unlock()
		c.view = x.session.snapshot()
		err := s.one(ctx, &c, part)
		s.finish(&c, err)
		if err != nil {
			return err
		}
		x.result.children = append(x.result.children, &c)
	}
	return nil
}

// one runs one statement.
func (s *Server) one(ctx context.Context, x *statement, tokens []token) error {
	if tokens[0].kind != word && !tokens[0].is("(") {
		return syntaxError(x.sql, tokens[0].at, tokens[0].text)
	}
	switch {
	case tokens[0].is("SELECT", "WITH", "(", "VALUES"):
		return s.queryOrChange(ctx, x, tokens)
	case tokens[0].is("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE"):
		return s.queryOrChange(ctx, x, tokens)
	case tokens[0].is("CREATE", "DROP", "ALTER", "COMMENT") && !(len(tokens) > 1 && tokens[1].is("SESSION")):
		return s.queryOrChange(ctx, x, tokens)
	case tokens[0].is("SHOW"):
		return s.show(ctx, x, tokens)
	case tokens[0].is("DESC", "DESCRIBE"):
		return s.describeTable(ctx, x, tokens)
	case tokens[0].is("EXPLAIN"):
		return s.explain(ctx, x, tokens)
	case tokens[0].is("USE"):
		return s.use(x, tokens)
	case tokens[0].is("ALTER"):
		return s.alterSession(x, tokens)
	case tokens[0].is("BEGIN", "START", "COMMIT", "ROLLBACK", "SET", "UNSET", "CALL", "EXECUTE", "GRANT", "REVOKE", "COPY", "PUT", "GET", "LIST", "LS", "REMOVE", "RM", "UNDROP"):
		return refused("the statement %s", tokens[0].text)
	}
	return syntaxError(x.sql, tokens[0].at, tokens[0].text)
}

// queryOrChange runs what DuckDB has a counterpart of.
func (s *Server) queryOrChange(ctx context.Context, x *statement, tokens []token) error {
	r := &rewriter{source: x.sql, session: x.view, binds: x.binds, run: !x.describe}
	p, after, err := r.translate(tokens)
	if err != nil {
		return err
	}
	conn, err := s.connection(ctx, x.view)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if x.typeID, err = statementType(conn, p.sql); err != nil {
		return asFailure(err, p)
	}
	if x.typeID == typeSelect {
		err = s.selects(ctx, x, conn, p)
	} else {
		err = s.changes(ctx, x, conn, p, after)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return asFailure(err, p)
	}
	x.result.binds = r.params
	return nil
}

// connection returns a connection of the engine that looks for names where the session does.
func (s *Server) connection(ctx context.Context, view *session) (*sql.Conn, error) {
	conn, err := s.duck.Conn(ctx)
	if err != nil {
		return nil, err
	}
	zone := "; SET VARIABLE zone = " + literal(view.parameter("TIMEZONE"))
	_, err = conn.ExecContext(ctx, searchPath(view.database, view.schema)+zone)
	if err != nil && !s.exists(view.database, view.schema) {
		_, err = conn.ExecContext(ctx, searchPath("", "")+zone)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// statementType has the engine compile a statement.
func statementType(conn *sql.Conn, query string) (id int64, err error) {
	err = conn.Raw(func(c any) error {
		prepared, err := c.(driver.Conn).Prepare(query)
		if err != nil {
			return err
		}
		defer func() { _ = prepared.Close() }()
		kind, err := prepared.(*duckdb.Stmt).StatementType()
		if err != nil {
			return err
		}
		known, ok := statementTypes[kind]
		if !ok {
			return refused("the statement that the engine numbers %d", kind)
		}
		id = known
		return nil
	})
	return id, err
}

// selects describes a query and, unless that is all, runs it.
func (s *Server) selects(ctx context.Context, x *statement, conn *sql.Conn, p *printed) error {
	columns, err := describe(ctx, conn, p.sql)
	if err != nil {
		return err
	}
	x.result = &result{columns: columns}
	if x.describe {
		return nil
	}
	if err := s.warehouseFor(ctx, x, p); err != nil {
		return err
	}
	x.result.rows, err = fetch(ctx, conn, columns, p.sql)
	return err
}

// describe returns the columns of a query.
func describe(ctx context.Context, conn *sql.Conn, query string) ([]column, error) {
	rows, err := conn.QueryContext(ctx, "DESCRIBE "+query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []column
	for rows.Next() {
		var name, kind string
		var rest [4]any
		if err := rows.Scan(&name, &kind, &rest[0], &rest[1], &rest[2], &rest[3]); err != nil {
			return nil, err
		}
		c, err := columnOf(name, kind)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// fetch runs a query and reads every value exactly.
func fetch(ctx context.Context, conn *sql.Conn, columns []column, query string) ([][]cell, error) {
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf(`"%d"`, i)
		values[i] = strings.ReplaceAll(c.fetch, "%s", "q."+names[i])
	}
	rows, err := conn.QueryContext(ctx, "SELECT "+strings.Join(values, ", ")+" FROM ("+query+") AS q("+strings.Join(names, ", ")+")")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := [][]cell{}
	scanned, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range scanned {
		targets[i] = &scanned[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		row := make([]cell, len(columns))
		for i, v := range scanned {
			if v == nil {
				continue
			}
			if row[i], err = columns[i].read(v); err != nil {
				return nil, err
			}
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// changed are the columns of what a change of data returns.
var changed = map[int64][]string{
	typeInsert: {"number of rows inserted"}, typeUpdate: {"number of rows updated", "number of multi-joined rows updated"},
	typeDelete: {"number of rows deleted"}, typeMerge: {"number of rows inserted", "number of rows updated"},
}

// changes runs what changes data or objects.
func (s *Server) changes(ctx context.Context, x *statement, conn *sql.Conn, p *printed, after []string) error {
	if x.view.role != Admin {
		return fail("003001", "42501", "SQL access control error:\nInsufficient privileges to operate on %s", "the object of the statement")
	}
	x.result = &result{plain: true}
	names, data := changed[x.typeID]
	if !data {
		x.result.columns = []column{{Name: "status", sqlType: sqlType{name: "text"}}}
	}
	for _, name := range names {
		x.result.columns = append(x.result.columns, column{Name: name, sqlType: sqlType{name: "fixed", precision: 19}})
	}
	if x.describe {
		return nil
	}
	done, err := conn.ExecContext(ctx, p.sql)
	if err != nil {
		return err
	}
	for _, query := range after {
		if _, err := conn.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	row := make([]cell, len(x.result.columns))
	n, err := done.RowsAffected()
	row[0] = whole(n)
	if !data {
		row[0] = "Statement executed successfully."
	}
	for i := 1; i < len(row); i++ {
		row[i] = whole(0)
	}
	x.result.rows = [][]cell{row}
	return err
}
