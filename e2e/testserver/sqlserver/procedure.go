//go:build cgo

package sqlserver

import (
	"context"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// procedureCall is a call of a stored procedure.
type procedureCall struct {
	name      string
	line      int
	named     map[string]any
	arguments []any
}

// argument returns an argument by name or by place.
func (c procedureCall) argument(name string, place int) any {
	for n, v := range c.named {
		if strings.EqualFold(n, name) {
			return v
		}
	}
	if place < len(c.arguments) {
		return c.arguments[place]
	}
	return nil
}

// readCall reads EXEC name @a = 1, 'b'.
func (s *session) readCall(st statement, parameters map[string]any) (procedureCall, error) {
	t := &translator{session: s, parameters: parameters, tokens: st.tokens}
	if t.at(0).is("EXEC", "EXECUTE") {
		t.i = 1
	}
	call := procedureCall{line: st.line(), named: map[string]any{}}
	if t.at(t.i).is("(") {
		return call, missing(st.line(), "EXEC of a text")
	}
	o, err := t.object()
	if err != nil {
		return call, err
	}
	call.name = o.name
	for t.i < len(t.tokens) {
		name := ""
		if t.at(t.i).kind == variable && t.at(t.i+1).is("=") {
			name = t.at(t.i).raw[1:]
			t.i += 2
		}
		value, err := t.constant()
		if err != nil {
			return call, err
		}
		if name != "" {
			call.named[name] = value
		} else {
			call.arguments = append(call.arguments, value)
		}
		if t.i < len(t.tokens) && !t.at(t.i).is(",") {
			return call, syntaxError(t.at(t.i))
		}
		t.i++
	}
	return call, nil
}

// constant reads an argument of EXEC: a literal, a parameter or a word.
func (t *translator) constant() (any, error) {
	one := t.at(t.i)
	t.i++
	switch one.kind {
	case text, quoted:
		return one.text, nil
	case number:
		return one.raw, nil
	case variable:
		v, ok := t.parameters[one.raw[1:]]
		if !ok {
			return nil, &tds.Error{Number: 137, Class: 15, Line: uint32(one.line), Message: `Must declare the scalar variable "` + one.raw + `".`}
		}
		return v, nil
	case word:
		if one.is("NULL") {
			return nil, nil
		}
		return one.raw, nil
	}
	return nil, syntaxError(one)
}

// procedure runs a stored procedure of the system.
// Errors: 2812, a procedure that the fixture does not have.
func (s *session) procedure(ctx context.Context, c procedureCall, a *tds.Answer) error {
	name := strings.ToLower(c.name)
	if i := strings.LastIndex(name, "."); i >= 0 {
		name = name[i+1:]
	}
	switch strings.Trim(name, "[]") {
	case "sp_executesql":
		text, _ := c.argument("stmt", 0).(string)
		if len(c.arguments) > 2 {
			return missing(c.line, "parameters of sp_executesql by place")
		}
		return s.batch(ctx, text, c.named, a)
	case "sp_describe_first_result_set":
		text, _ := c.argument("tsql", 0).(string)
		if a == nil {
			return nil
		}
		declaration, _ := c.argument("params", 1).(string)
		parameters, err := s.declared(ctx, declaration)
		if err != nil {
			return err
		}
		return s.describe(ctx, text, parameters, a)
	case "sp_describe_undeclared_parameters":
		text, _ := c.argument("tsql", 0).(string)
		return s.describeParameters(ctx, text, a)
	case "sp_addextendedproperty", "sp_updateextendedproperty":
		return s.extendedProperty(ctx, c)
	case "sp_set_session_context":
		return nil
	}
	return &tds.Error{Number: 2812, Class: 16, State: 62, Line: uint32(c.line), Message: "Could not find stored procedure '" + c.name + "'."}
}

// extendedProperty keeps MS_Description as DuckDB's comment.
func (s *session) extendedProperty(ctx context.Context, c procedureCall) error {
	at := func(name string, place int) string {
		v, _ := c.argument(name, place).(string)
		return v
	}
	if !s.account.may("ALTER") {
		return &tds.Error{Number: 15247, Class: 16, Line: uint32(c.line), Message: "User does not have permission to perform this action."}
	}
	if at("name", 0) != "MS_Description" || !strings.EqualFold(at("level0type", 2), "SCHEMA") {
		return missing(c.line, "such an extended property")
	}
	o := object{s.database, at("level0name", 3), at("level1name", 5)}
	kind := strings.ToUpper(at("level1type", 4))
	target := kind + " " + o.String()
	switch column := at("level2name", 7); {
	case kind != "TABLE" && kind != "VIEW":
		return missing(c.line, "extended property of a %s", kind)
	case column != "":
		target = "COLUMN " + o.String() + "." + quote(column)
	}
	return s.exec(ctx, "COMMENT ON "+target+" IS "+literal(at("value", 1)))
}

// describe answers sp_describe_first_result_set.
func (s *session) describe(ctx context.Context, text string, parameters map[string]any, a *tds.Answer) error {
	tokens, err := lex(text)
	if err != nil {
		return err
	}
	typ := func(name string) tds.Type {
		t, _ := tds.ParseType(name) // a constant
		return t
	}
	head := []tds.Column{
		{Name: "is_hidden", Type: typ("bit")}, {Name: "column_ordinal", Type: typ("int")}, {Name: "name", Type: typ("nvarchar(128)"), Nullable: true},
		{Name: "is_nullable", Type: typ("bit")}, {Name: "system_type_id", Type: typ("int")}, {Name: "system_type_name", Type: typ("nvarchar(256)"), Nullable: true},
		{Name: "max_length", Type: typ("smallint")}, {Name: "precision", Type: typ("tinyint")}, {Name: "scale", Type: typ("tinyint")},
		{Name: "collation_name", Type: typ("nvarchar(128)"), Nullable: true}, {Name: "user_type_id", Type: typ("int"), Nullable: true},
	}
	a.Columns(head...)
	for _, st := range split(tokens) {
		if st.verb != "SELECT" {
			continue // the first statement that has rows
		}
		columns, err := s.shape(ctx, st, parameters)
		if err != nil {
			return serverError(ctx, err, st)
		}
		for i, c := range columns {
			k := catalogTypeOf(c.Type)
			var name, collation any
			if c.Name != "" {
				name = c.Name
			}
			if strings.Contains(c.Type.Name, "char") {
				collation = "SQL_Latin1_General_CP1_CI_AS"
			}
			if err := a.Row(false, int64(i+1), name, c.Nullable, int64(k.id), c.Type.String(), int64(k.length), int64(k.digits), int64(k.scale), collation, nil); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// shape returns a query's columns without running it.
func (s *session) shape(ctx context.Context, st statement, parameters map[string]any) ([]tds.Column, error) {
	text, err := s.query(st, parameters)
	if err != nil {
		return nil, err
	}
	query, err := s.parse(ctx, text)
	if err != nil {
		return nil, err
	}
	if err := s.permitted(query.tables(), st.line()); err != nil {
		return nil, err
	}
	rows, err := s.conn.QueryContext(ctx, "DESCRIBE "+text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var names, types []string
	for rows.Next() {
		var name, duck string
		var rest [4]any
		if err := rows.Scan(&name, &duck, &rest[0], &rest[1], &rest[2], &rest[3]); err != nil {
			return nil, err
		}
		names, types = append(names, name), append(types, duck)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return s.told(ctx, query, names, types)
}
