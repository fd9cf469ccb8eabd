//go:build cgo

package sqlserver

import (
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// DuckDB keeps no more of a type than it needs: of nvarchar(50) that it is a text.
// inference finds the type that T-SQL declared, where a column of a result is a
// column of a table, a conversion, or a choice among such. It reads the tree that
// DuckDB's parser makes of a query.
type inference struct {
	s   *session
	ctx context.Context
	err error
}

// output is a column of a query: its name, "" where it has none, and its type, nil
// where nothing is known.
type output struct {
	name string
	typ  *tds.Type
	star map[string]*tds.Type // set for *: what the columns that it stands for are
}

// source is what a query reads from: types by name in lower case.
type source struct {
	alias string
	types map[string]*tds.Type
}

// tree is a node of DuckDB's tree as JSON.
type tree map[string]any

func (t tree) node(key string) tree   { v, _ := t[key].(map[string]any); return v }
func (t tree) text(key string) string { v, _ := t[key].(string); return v }
func (t tree) nodes(key string) []tree {
	list, _ := t[key].([]any)
	var all []tree
	for _, one := range list {
		if n, ok := one.(map[string]any); ok {
			all = append(all, n)
		}
	}
	return all
}

func (t tree) texts(key string) []string {
	list, _ := t[key].([]any)
	var all []string
	for _, one := range list {
		if s, ok := one.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// parse returns the tree of a query; nil when DuckDB's parser refuses it.
func (s *session) parse(ctx context.Context, text string) (tree, error) {
	var parsed any
	if err := s.conn.QueryRowContext(ctx, "SELECT json_serialize_sql("+literal(text)+")").Scan(&parsed); err != nil {
		return nil, err
	}
	root, _ := parsed.(map[string]any)
	statements := tree(root).nodes("statements")
	if len(statements) != 1 {
		return nil, nil
	}
	return statements[0].node("node"), nil
}

// outputs returns the columns of a query.
func (s *session) outputs(ctx context.Context, query tree) ([]output, error) {
	if query == nil {
		return nil, nil
	}
	in := &inference{s: s, ctx: ctx}
	columns := in.query(query, nil)
	return columns, in.err
}

// tables are the tables and views that a query names, each as catalog, schema and name.
func (t tree) tables() [][3]string {
	var all [][3]string
	local := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			one := tree(v)
			if one.text("type") == "BASE_TABLE" {
				all = append(all, [3]string{one.text("catalog_name"), one.text("schema_name"), one.text("table_name")})
			}
			for _, cte := range one.node("cte_map").nodes("map") {
				local[strings.ToLower(cte.text("key"))] = true
			}
			for _, child := range v {
				walk(child)
			}
		}
	}
	walk(map[string]any(t))
	return slices.DeleteFunc(all, func(n [3]string) bool { return n[1] == "" && local[strings.ToLower(n[2])] })
}

// query returns the columns of a query; known are the common table expressions around it.
func (in *inference) query(node tree, known map[string]map[string]*tds.Type) []output {
	scope := map[string]map[string]*tds.Type{}
	for name, types := range known {
		scope[name] = types
	}
	for _, one := range node.node("cte_map").nodes("map") {
		value := one.node("value")
		scope[strings.ToLower(one.text("key"))] = named(in.query(value.node("query").node("node"), scope), value.texts("aliases"))
	}
	if left := node.node("left"); left != nil && node.text("type") == "SET_OPERATION_NODE" {
		return in.union(in.query(left, scope), in.query(node.node("right"), scope))
	}
	if node.text("type") == "SET_OPERATION_NODE" { // of several
		children := node.nodes("children")
		if len(children) == 0 {
			return nil
		}
		columns := in.query(children[0], scope)
		for _, c := range children[1:] {
			columns = in.union(columns, in.query(c, scope))
		}
		return columns
	}
	sources := in.sources(node.node("from_table"), scope)
	var columns []output
	for _, one := range node.nodes("select_list") {
		columns = append(columns, in.column(one, sources))
	}
	return columns
}

// union keeps the types that both sides share, and the names of the first.
func (in *inference) union(a, b []output) []output {
	if len(a) != len(b) {
		return nil
	}
	all := append([]output(nil), a...)
	for i := range all {
		all[i].typ = same(a[i].typ, b[i].typ)
		if all[i].star != nil || b[i].star != nil {
			return nil
		}
	}
	return all
}

func same(a, b *tds.Type) *tds.Type {
	if a == nil || b == nil || *a != *b {
		return nil
	}
	return a
}

// named returns types by name; others are the names that a list of columns gives.
func named(columns []output, others []string) map[string]*tds.Type {
	types := map[string]*tds.Type{}
	for i, c := range columns {
		for name, t := range c.star {
			types[name] = t
		}
		if i < len(others) {
			c.name = others[i]
		}
		types[strings.ToLower(c.name)] = c.typ
	}
	return types
}

// sources lists what FROM reads.
func (in *inference) sources(from tree, scope map[string]map[string]*tds.Type) []source {
	alias := strings.ToLower(from.text("alias"))
	switch from.text("type") {
	case "JOIN":
		return append(in.sources(from.node("left"), scope), in.sources(from.node("right"), scope)...)
	case "SUBQUERY":
		return []source{{alias, named(in.query(from.node("subquery").node("node"), scope), from.texts("column_name_alias"))}}
	case "BASE_TABLE":
		name := strings.ToLower(from.text("table_name"))
		if alias == "" {
			alias = name
		}
		if types, ok := scope[name]; ok && from.text("schema_name") == "" {
			return []source{{alias, types}}
		}
		return []source{{alias, in.table(from.text("catalog_name"), from.text("schema_name"), from.text("table_name"))}}
	}
	return nil
}

// table returns the declared types of a table.
func (in *inference) table(database, schema, name string) map[string]*tds.Type {
	types := map[string]*tds.Type{}
	if schema == "" {
		schema = "dbo"
	}
	if database == "" {
		database = in.s.database
	}
	rows, err := in.s.server.db.QueryContext(in.ctx, "SELECT lower(col), type FROM fixture.internal.columns WHERE db = ? AND sch = ? AND tab = ? AND type IS NOT NULL", database, schema, name)
	if err != nil {
		in.err = err
		return types
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var column, text string
		if in.err = rows.Scan(&column, &text); in.err != nil {
			return types
		}
		if t, err := tds.ParseType(text); err == nil {
			types[column] = &t
		}
	}
	in.err = rows.Err()
	return types
}

func (in *inference) column(node tree, sources []source) output {
	c := output{name: node.text("alias"), typ: in.typeOf(node, sources)}
	switch names := node.texts("column_names"); {
	case node.text("class") == "STAR":
		c.star = map[string]*tds.Type{}
		of := strings.ToLower(node.text("relation_name"))
		for _, s := range sources {
			for name, t := range s.types {
				if other, twice := c.star[name]; twice {
					t = same(t, other)
				}
				if of == "" || of == s.alias {
					c.star[name] = t
				}
			}
		}
	case c.name == "" && len(names) > 0:
		c.name = names[len(names)-1]
	}
	return c
}

// passing functions have the type of their first argument.
var passing = set("min max first_value last_value lag lead ms_nonzero")

func (in *inference) typeOf(node tree, sources []source) *tds.Type {
	children := node.nodes("children")
	switch class := node.text("class"); {
	case class == "COLUMN_REF":
		names := node.texts("column_names")
		return lookUp(names, sources)
	case class == "CASE":
		var found *tds.Type
		for i, check := range node.nodes("case_checks") {
			if t := in.typeOf(check.node("then_expr"), sources); i == 0 {
				found = t
			} else {
				found = same(found, t)
			}
		}
		if other := node.node("else_expr"); !isNull(other) {
			found = same(found, in.typeOf(other, sources))
		}
		return found
	case node.text("function_name") == "ms_typed" && len(children) == 2:
		name := children[1].node("value").text("value")
		if t, err := tds.ParseType(name); err == nil {
			return &t
		}
	case passing[strings.ToLower(node.text("function_name"))] && len(children) > 0:
		return in.typeOf(children[0], sources)
	case node.text("type") == "OPERATOR_COALESCE" && len(children) > 0:
		found := in.typeOf(children[0], sources)
		for _, c := range children[1:] {
			if !isNull(c) {
				found = same(found, in.typeOf(c, sources))
			}
		}
		return found
	}
	return nil
}

// isNull tells a missing node or the literal NULL.
func isNull(node tree) bool {
	if node == nil {
		return true
	}
	null, _ := node.node("value")["is_null"].(bool)
	return node.text("class") == "CONSTANT" && null
}

func lookUp(names []string, sources []source) *tds.Type {
	if len(names) == 0 {
		return nil
	}
	column := strings.ToLower(names[len(names)-1])
	var found *tds.Type
	for _, s := range sources {
		if len(names) > 1 && s.alias != strings.ToLower(names[len(names)-2]) {
			continue
		}
		if t, ok := s.types[column]; ok && found == nil {
			found = t
		}
	}
	return found
}
