//go:build cgo

package sqlserver

import (
	"context"
	"database/sql"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// expression is a parameter's value as DuckDB reads it.
type expression string

// declare reads @a type [= value], … into parameters.
func (s *session) declare(ctx context.Context, tokens []token, parameters map[string]any) error {
	t := &translator{session: s, parameters: parameters, tokens: tokens}
	for t.i < len(tokens) {
		one := t.at(t.i)
		if one.kind != variable {
			return syntaxError(one)
		}
		if t.i++; t.at(t.i).is("AS") {
			t.i++
		}
		typ, n, err := t.columnType(t.i, len(tokens))
		if err != nil {
			return err
		}
		t.i += n
		value := expression(converted("NULL", typ, false))
		if t.at(t.i).is("=") {
			t.i++
			end := t.i
			for depth := 0; end < len(tokens) && (depth > 0 || !t.at(end).is(",")); end++ {
				if t.at(end).is("(") {
					depth++
				} else if t.at(end).is(")") {
					depth--
				}
			}
			x, err := t.sequence(end, true)
			if err != nil {
				return err
			}
			var now sql.NullString
			if err := s.conn.QueryRowContext(ctx, "SELECT CAST("+converted(x, typ, false)+" AS VARCHAR)").Scan(&now); err != nil {
				return err
			}
			if now.Valid {
				value = expression(converted("CAST("+literal(now.String)+" AS "+stored(typ)+")", typ, false))
			}
		}
		parameters[one.raw[1:]] = value
		if t.i < len(tokens) && !t.at(t.i).is(",") {
			return syntaxError(t.at(t.i))
		}
		t.i++
	}
	return nil
}

// declared reads the declaration of parameters that stands beside a text.
func (s *session) declared(ctx context.Context, text string) (map[string]any, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	parameters := map[string]any{}
	return parameters, s.declare(ctx, tokens, parameters)
}

// planParameters takes the DECLARE statements from a batch: they have no plan.
func (s *session) planParameters(ctx context.Context, statements []statement) ([]statement, map[string]any, error) {
	parameters := map[string]any{}
	var rest []statement
	for _, st := range statements {
		if st.verb != "DECLARE" {
			rest = append(rest, st)
			continue
		}
		if err := s.declare(ctx, st.tokens[1:], parameters); err != nil {
			return nil, nil, err
		}
	}
	return rest, parameters, nil
}

// describeParameters answers sp_describe_undeclared_parameters with the types that
// DuckDB's binder finds.
// Errors: 11508, a parameter whose type does not follow from the text.
func (s *session) describeParameters(ctx context.Context, text string, a *tds.Answer) error {
	tokens, err := lex(text)
	if err != nil {
		return err
	}
	statements := split(tokens)
	if len(statements) != 1 {
		return missing(1, "parameters of several statements")
	}
	var names []string
	parameters := map[string]any{}
	for _, one := range tokens {
		if one.kind != variable || strings.HasPrefix(one.raw, "@@") {
			continue
		}
		name := one.raw[1:]
		if _, ok := parameters[name]; !ok {
			names = append(names, name)
			parameters[name] = expression("$" + name)
		}
	}
	types, err := s.bound(ctx, statements[0], parameters)
	if err != nil {
		return serverError(ctx, err, statements[0])
	}
	if a == nil {
		return nil
	}
	constant := func(name string) tds.Type {
		t, _ := tds.ParseType(name) // a constant
		return t
	}
	a.Columns(tds.Column{Name: "parameter_ordinal", Type: constant("int")}, tds.Column{Name: "name", Type: constant("nvarchar(128)")},
		tds.Column{Name: "suggested_system_type_id", Type: constant("int")}, tds.Column{Name: "suggested_system_type_name", Type: constant("nvarchar(128)")})
	for i, name := range names {
		typ, ok := types[strings.ToLower(name)]
		if !ok {
			return &tds.Error{Number: 11508, Class: 16, Message: "The undeclared parameter '@" + name + "' is used in a way that its type cannot be deduced."}
		}
		if err := a.Row(int64(i+1), "@"+name, int64(catalogTypeOf(typ).id), typ.String()); err != nil {
			return err
		}
	}
	return nil
}

// bound returns the types of the parameters of a statement, by name in lower case.
func (s *session) bound(ctx context.Context, st statement, parameters map[string]any) (map[string]tds.Type, error) {
	text, err := s.query(st, parameters)
	if err != nil {
		return nil, err
	}
	types := map[string]tds.Type{}
	err = s.conn.Raw(func(conn any) error {
		prepared, err := conn.(*duckdb.Conn).PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		defer func() { _ = prepared.Close() }()
		one := prepared.(*duckdb.Stmt)
		for n := 1; n <= one.NumInput(); n++ {
			name, err := one.ParamName(n)
			if err != nil {
				return err
			}
			duck, err := one.ParamType(n)
			if err != nil {
				return err
			}
			if typ, ok := suggested[duck]; ok {
				types[strings.ToLower(name)] = typ
			}
		}
		return nil
	})
	return types, err
}

// suggested are the types that parameters are given.
var suggested = map[duckdb.Type]tds.Type{
	duckdb.TYPE_BOOLEAN: {Name: "bit"}, duckdb.TYPE_UTINYINT: {Name: "tinyint"}, duckdb.TYPE_SMALLINT: {Name: "smallint"}, duckdb.TYPE_INTEGER: {Name: "int"},
	duckdb.TYPE_BIGINT: {Name: "bigint"}, duckdb.TYPE_DOUBLE: {Name: "float"}, duckdb.TYPE_FLOAT: {Name: "real"}, duckdb.TYPE_VARCHAR: {Name: "nvarchar", Length: 4000},
	duckdb.TYPE_DATE: {Name: "date"}, duckdb.TYPE_TIMESTAMP: {Name: "datetime2", Scale: 7}, duckdb.TYPE_TIMESTAMP_NS: {Name: "datetime2", Scale: 7},
	duckdb.TYPE_TIMESTAMP_TZ: {Name: "datetimeoffset", Scale: 7}, duckdb.TYPE_UUID: {Name: "uniqueidentifier"}, duckdb.TYPE_BLOB: {Name: "varbinary", Length: 8000},
	duckdb.TYPE_DECIMAL: {Name: "decimal", Precision: 38, Scale: 19},
}
