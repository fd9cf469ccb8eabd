package snowflake

import (
	"fmt"
	"strconv"
	"strings"
)

// field is a part of a structured type: a field of an OBJECT, KEY or VALUE of a MAP, or the
// element of an ARRAY, which has no name.
type field struct {
	name string
	sqlType
}

// structured reports whether the parts of a type are declared.
func (t sqlType) structured() bool { return len(t.parts) > 0 }

// plainInside are the types that a structured type may have parts of here: DuckDB writes
// their values in JSON as the service does.
var plainInside = map[string]bool{"fixed": true, "real": true, "text": true, "boolean": true, "date": true, "timestamp_ntz": true, "variant": true}

// partsOf reads what stands in the parentheses of a structured type.
func (x *rewriter) partsOf(t *sqlType, in []token) error {
	for _, part := range arguments(in) {
		var f field
		if t.name == "object" && len(part) > 1 {
			if f.name = part[0].text; part[0].kind == word {
				f.name = x.source[part[0].at : part[0].at+len(part[0].text)] // keys keep their case
			}
			part = part[1:]
		}
		var n int
		var err error
		if f.sqlType, n, err = x.typeAt(part); err != nil {
			return err
		}
		if rest := part[n:]; len(rest) > 0 && (len(rest) != 2 || !rest[0].is("NOT") || !rest[1].is("NULL")) {
			return syntaxError(x.source, rest[0].at, rest[0].text)
		}
		if !plainInside[f.sqlType.name] && !f.structured() {
			return refused("%s inside a structured type", strings.ToUpper(f.sqlType.name))
		}
		t.parts = append(t.parts, f)
	}
	if t.name == "map" && len(t.parts) == 2 {
		t.parts[0].name, t.parts[1].name = "KEY", "VALUE"
	}
	if wanted := map[string]int{"array": 1, "map": 2, "object": len(t.parts)}[t.name]; len(t.parts) != wanted || wanted == 0 {
		return refused("%s with %d parts", strings.ToUpper(t.name), len(t.parts))
	}
	return nil
}

// duckStructured is duck for a structured type.
func (t sqlType) duckStructured() (string, error) {
	parts := make([]string, len(t.parts))
	for i, f := range t.parts {
		duck, err := f.duck()
		if err != nil {
			return "", err
		}
		if parts[i] = duck; t.name == "object" {
			parts[i] = identifier(f.name) + " " + duck
		}
	}
	list := strings.Join(parts, ", ")
	switch t.name {
	case "array":
		return list + "[]", nil
	case "map":
		return "MAP(" + list + ")", nil
	}
	return "STRUCT(" + list + ")", nil
}

// structures are the rows of memory.sf.structured and memory.sf.parts about a definition.
type structures struct {
	table         string // its name as values of rows
	columns, rows []string
}

// add notes the type of a column.
func (s *structures) add(column string, t sqlType) {
	duck, _ := t.duck() // read already
	s.columns = append(s.columns, "("+s.table+", "+literal(column)+", "+literal(strings.ReplaceAll(duck, `"`, ""))+", "+literal(column)+")")
	s.parts(column, t)
}

// parts notes the parts of a type with an identifier.
func (s *structures) parts(id string, t sqlType) {
	kind := "field"
	if t.name == "array" {
		kind = "element"
	}
	for i, f := range t.parts {
		below := "NULL"
		if f.structured() {
			name := id + "." + strconv.Itoa(i+1)
			below = literal(name)
			s.parts(name, f.sqlType)
		}
		known := map[string]string{"fixed": "NUMBER", "real": "FLOAT"}[f.sqlType.name]
		if known == "" {
			known = strings.ToUpper(f.sqlType.name)
		}
		precision, scale := "NULL", "NULL"
		if f.sqlType.name == "fixed" {
			precision, scale = strconv.Itoa(f.precision), strconv.Itoa(f.scale)
		}
		s.rows = append(s.rows, fmt.Sprintf("(%s, %s, %s, %s, %d, %s, %s, %s, %s)",
			s.table, literal(kind), literal(id), literal(f.name), i+1, literal(known), precision, scale, below))
	}
}

// statements replaces what is known about the table.
func (s *structures) statements() []string {
	var out []string
	for name, rows := range map[string][]string{"structured": s.columns, "parts": s.rows} {
		out = append(out, "DELETE FROM memory.sf."+name+" WHERE (database_name, schema_name, table_name) = ("+s.table+")")
		if len(rows) > 0 {
			out = append(out, "INSERT INTO memory.sf."+name+" VALUES "+strings.Join(rows, ", "))
		}
	}
	return out
}

// structuredColumn reports whether an operand is a column of a structured type, by its
// name: columns of this name in the session's database are all structured, or none is.
func (x *rewriter) structuredColumn(operand []token) (bool, error) {
	if len(operand) == 0 || !operand[len(operand)-1].name() {
		return false, nil
	}
	name := operand[len(operand)-1].text
	var structured, others int
	err := x.session.server.duck.QueryRowContext(x.session.server.ending, `SELECT count(s.id), count(*) - count(s.id)
		FROM duckdb_columns() c LEFT JOIN memory.sf.structured s ON s.database_name = c.database_name AND s.schema_name = c.schema_name
		AND s.table_name = c.table_name AND s.column_name = c.column_name WHERE c.database_name = ? AND c.column_name = ?
		AND EXISTS (SELECT 1 FROM memory.sf.structured n WHERE n.column_name = c.column_name)`, x.session.database, name).Scan(&structured, &others)
	if err == nil && structured > 0 && others > 0 {
		err = refused("a path in %s, which is structured in one table and not in another", name)
	}
	return structured > 0, err
}
