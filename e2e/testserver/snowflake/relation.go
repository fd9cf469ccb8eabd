package snowflake

import (
	"fmt"
	"strings"
)

// ownViews are the views of INFORMATION_SCHEMA, by the functions that they are.
var ownViews = map[string]string{
	"TABLES": "tables", "COLUMNS": "columns", "VIEWS": "views", "SCHEMATA": "schemata", "DATABASES": "information_databases",
	"TABLE_CONSTRAINTS": "table_constraints", "FIELDS": "fields", "ELEMENT_TYPES": "element_types",
}

// relation rewrites the name of a relation of the service's own; n = 0: it is none.
func (x *rewriter) relation(in []token, i int, out []token) (n int, next []token, err error) {
	if !in[i].name() || i > 0 && in[i-1].is(".") {
		return 0, nil, nil
	}
	parts := []string{in[i].text}
	n = 1
	for i+n+1 < len(in) && in[i+n].is(".") && in[i+n+1].name() && len(parts) < 3 {
		parts = append(parts, in[i+n+1].text)
		n += 2
	}
	database, schema, name := x.session.database, "", ""
	switch len(parts) {
	case 2:
		schema, name = parts[0], parts[1]
	case 3:
		database, schema, name = parts[0], parts[1], parts[2]
	}
	switch {
	case schema == "INFORMATION_SCHEMA" && (len(parts) == 3 || i > 0 && in[i-1].is("FROM", "JOIN", ",")):
		if !x.session.server.exists(database, "") {
			return 0, nil, unknownObject("Database", database)
		}
		view, ok := ownViews[name]
		if !ok {
			return 0, nil, refused("the view INFORMATION_SCHEMA.%s", name)
		}
		return n, append(out, raws(in[i].at, fmt.Sprintf("memory.sf.%s(%s, %s)", view, literal(database), literal(x.session.role)))...), nil
	case database == "SNOWFLAKE" && schema == "ACCOUNT_USAGE":
		if name != "QUERY_HISTORY" {
			return 0, nil, refused("the view ACCOUNT_USAGE.%s", name)
		}
		x.session.server.recall()
		return n, append(out, raws(in[i].at, "memory.sf.account_history()")...), nil
	case schema != "" && !x.session.sees(database, schema) && x.session.server.exists(database, schema):
		return 0, nil, unknownObject("Schema", database+"."+schema)
	}
	return 0, nil, nil
}

// tableFunction rewrites [database.]INFORMATION_SCHEMA.QUERY_HISTORY(name => value, …).
func (x *rewriter) tableFunction(in []token) (string, bool, error) {
	open := 0
	for open < len(in) && !in[open].is("(") {
		open++
	}
	if open == len(in) || open < 3 || !in[open-3].is("INFORMATION_SCHEMA") || !in[open-1].is("QUERY_HISTORY") {
		return "", false, nil
	}
	args, err := x.sequence(in[open+1 : len(in)-1])
	if err != nil {
		return "", false, err
	}
	x.session.server.recall()
	return "memory.sf.query_history(" + strings.ReplaceAll(write(x.source, args).sql, "=>", ":=") + ")", true, nil
}

// recall writes the statements that have ended to the table of the query history.
func (s *Server) recall() {
	s.mu.Lock()
	var rows []string
	for ; s.recalled < len(s.order); s.recalled++ {
		x := s.order[s.recalled]
		if x.ended.IsZero() {
			break
		}
		if !x.describe {
			rows = append(rows, x.history())
		}
	}
	s.mu.Unlock()
	if len(rows) > 0 {
		_, _ = s.duck.ExecContext(s.ending, "INSERT INTO memory.sf.history VALUES "+strings.Join(rows, ", ")) // the look that follows shows what is missing
	}
}

// queryTypes are what the history calls statements.
var queryTypes = map[int64]string{typeSelect: "SELECT", typeInsert: "INSERT", typeUpdate: "UPDATE", typeDelete: "DELETE", typeShow: "SHOW",
	typeDescribe: "DESCRIBE", typeAlter: "ALTER_SESSION", typeDDL: "CREATE", typeMulti: "MULTI_STATEMENT"}

// history writes a statement's row of the history. The lock is held.
func (x *statement) history() string {
	kind := queryTypes[x.typeID]
	if kind == "" {
		kind = "UNKNOWN"
		if x.typeID&^0xff == typeUse {
			kind = "USE"
		}
	}
	code, message, status, rows, bytes := "NULL", "NULL", "SUCCESS", 0, int64(0)
	if x.failed != nil {
		status, code, message = "FAILED_WITH_ERROR", literal(x.failed.code), literal(x.failed.message)
	} else if x.result != nil {
		rows, bytes = len(x.result.rows), x.result.bytes
	}
	null := func(s string) string {
		if s == "" {
			return "NULL"
		}
		return literal(s)
	}
	stamp := func(nanos int64) string { return fmt.Sprintf("struct_pack(ltz := make_timestamp_ns(%d))", nanos) }
	return "(" + strings.Join([]string{
		literal(x.id), literal(x.sql), null(x.view.database), null(x.view.schema), literal(kind), x.view.number(), literal(x.view.user.Name),
		literal(x.view.role), null(x.view.warehouse), literal(x.tag), literal(status), code, message, stamp(x.started.UnixNano()), stamp(x.ended.UnixNano()),
		fmt.Sprint(x.ended.Sub(x.started).Milliseconds()), fmt.Sprint(bytes), fmt.Sprint(rows), "md5(" + literal(x.sql) + ")", "md5(" + literal(x.sql) + ")",
	}, ", ") + ")"
}
