//go:build cgo

package compare

import (
	"encoding/json"
	"errors"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

func init() { parsers["postgres"] = readPostgres }

// object is a node of PostgreSQL's tree in JSON.
type object = map[string]any

// readPostgres reads a statement with PostgreSQL's own parser.
func readPostgres(sql string) (*query, error) {
	text, err := pg.ParseToJSON(sql)
	if err != nil {
		return nil, err
	}
	var tree struct {
		Stmts []struct{ Stmt object }
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	if len(tree.Stmts) != 1 || tree.Stmts[0].Stmt["SelectStmt"] == nil {
		return nil, errors.New("it is no SELECT")
	}
	return pgQuery(tree.Stmts[0].Stmt["SelectStmt"].(object)), nil
}

func pgQuery(s object) *query {
	q := &query{}
	if with, ok := s["withClause"].(object); ok {
		q.recursive = with["recursive"] == true
		for _, c := range list(with["ctes"]) {
			cte := c["CommonTableExpr"].(object)
			l := local{name: strings.ToLower(text(cte["ctename"])), columns: names(cte["aliascolnames"]), query: &query{}}
			if inner, ok := cte["ctequery"].(object)["SelectStmt"].(object); ok {
				l.query = pgQuery(inner)
			}
			q.with = append(q.with, l)
		}
	}
	if s["op"] != nil && s["op"] != "SETOP_NONE" {
		q.nested = []*query{pgQuery(s["larg"].(object)), pgQuery(s["rarg"].(object))}
		return q
	}
	if s["valuesLists"] != nil {
		return q
	}
	b := &block{}
	for _, from := range list(s["fromClause"]) {
		pgFrom(b, from)
	}
	b.where = pgNode(s["whereClause"])
	for _, t := range list(s["targetList"]) {
		target := t["ResTarget"].(object)
		i := item{alias: strings.ToLower(text(target["name"])), value: pgNode(target["val"])}
		if val, ok := target["val"].(object)["ColumnRef"].(object); ok {
			fields := list(val["fields"])
			if _, star := fields[len(fields)-1]["A_Star"]; star {
				i.all, i.value = true, nil
				if len(fields) > 1 {
					i.star = names(val["fields"])[len(fields)-2]
				}
			}
		}
		b.items = append(b.items, i)
	}
	for _, key := range []string{"groupClause", "havingClause", "sortClause", "windowClause", "limitCount", "limitOffset", "distinctClause"} {
		b.rest = append(b.rest, pgNode(s[key]))
	}
	q.branches = []*block{b}
	return q
}

func pgFrom(b *block, from object) {
	for kind, value := range from {
		v := value.(object)
		r := &relation{}
		if alias, ok := v["alias"].(object); ok {
			r.alias, r.columns = strings.ToLower(text(alias["aliasname"])), names(alias["colnames"])
		}
		switch kind {
		case "RangeVar":
			for _, part := range []string{"catalogname", "schemaname", "relname"} {
				if t := text(v[part]); t != "" {
					r.path = append(r.path, strings.ToLower(t))
				}
			}
		case "RangeSubselect":
			r.query = pgQuery(v["subquery"].(object)["SelectStmt"].(object))
		case "JoinExpr":
			j := join{first: len(b.relations), natural: v["isNatural"] == true, using: names(v["usingClause"])}
			pgFrom(b, v["larg"].(object))
			j.begin = len(b.relations)
			pgFrom(b, v["rarg"].(object))
			j.end, j.on = len(b.relations), pgNode(v["quals"])
			b.joins = append(b.joins, j)
			continue
		case "RangeTableSample":
			pgFrom(b, v["relation"].(object))
			continue
		default:
			r.function, r.args = true, []*node{pgNode(value)}
			if r.alias == "" {
				r.alias = pgFunction(value)
			}
		}
		b.relations = append(b.relations, r)
	}
}

// pgFunction returns the name of the first function of a tree.
func pgFunction(v any) string {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if name := pgFunction(one); name != "" {
				return name
			}
		}
	case object:
		if path := names(v["funcname"]); len(path) > 0 {
			return path[len(path)-1]
		}
		for _, one := range v {
			if name := pgFunction(one); name != "" {
				return name
			}
		}
	}
	return ""
}

func list(v any) (all []object) {
	items, _ := v.([]any)
	for _, i := range items {
		if o, ok := i.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func names(v any) (all []string) {
	for _, o := range list(v) {
		if s, ok := o["String"].(object); ok {
			all = append(all, strings.ToLower(text(s["sval"])))
		} else {
			all = append(all, "*")
		}
	}
	return all
}

func pgNode(v any) *node {
	switch v := v.(type) {
	case []any:
		n := &node{}
		for _, i := range v {
			if a := pgNode(i); a != nil {
				n.args = append(n.args, a)
			}
		}
		return n
	case object:
		if len(v) == 1 {
			for kind, inner := range v {
				if o, ok := inner.(object); ok {
					return pgKind(kind, o)
				}
			}
		}
		n := &node{}
		for _, inner := range v {
			if a := pgNode(inner); a != nil {
				n.args = append(n.args, a)
			}
		}
		return n
	}
	return nil
}

func pgKind(kind string, o object) *node {
	switch kind {
	case "ColumnRef":
		if path := names(o["fields"]); path[len(path)-1] != "*" {
			return &node{kind: column, name: path}
		}
		return &node{kind: literal}
	case "A_Const":
		return pgConst(o)
	case "SelectStmt":
		return &node{kind: subquery, query: pgQuery(o)}
	case "FuncCall":
		n := &node{kind: call, name: names(o["funcname"]), distinct: o["agg_distinct"] == true, window: o["over"] != nil}
		for _, a := range list(o["args"]) {
			n.args = append(n.args, pgNode(a))
		}
		return &node{args: []*node{n, pgNode(o["agg_filter"]), pgNode(o["agg_order"]), pgNode(o["over"])}}
	case "BoolExpr":
		n := &node{}
		if o["boolop"] == "AND_EXPR" {
			n.kind = and
		}
		for _, a := range list(o["args"]) {
			n.args = append(n.args, pgNode(a))
		}
		return n
	case "NullTest":
		return &node{kind: comparison, operator: "IS NULL", negated: o["nulltesttype"] == "IS_NOT_NULL", args: []*node{pgNode(o["arg"])}}
	case "A_Expr":
		return pgOperation(o)
	}
	n := &node{}
	for _, inner := range o {
		if a := pgNode(inner); a != nil {
			n.args = append(n.args, a)
		}
	}
	return n
}

// pgItems returns the elements of a list.
func pgItems(v any) (all []*node) {
	wrapped, _ := v.(object)
	inner, _ := wrapped["List"].(object)
	for _, i := range list(inner["items"]) {
		all = append(all, pgNode(i))
	}
	return all
}

func pgConst(o object) *node {
	for kind, value := range o {
		v, _ := value.(object)
		switch kind {
		case "ival":
			n, _ := v["ival"].(json.Number)
			if n == "" {
				n = "0"
			}
			return &node{kind: literal, text: number(n.String())}
		case "fval":
			return &node{kind: literal, text: number(text(v["fval"]))}
		case "sval":
			return &node{kind: literal, text: textOf(text(v["sval"]))}
		}
	}
	return &node{kind: literal} // a truth value or NULL
}

func pgOperation(o object) *node {
	operator := names(o["name"])[0]
	left, right := pgNode(o["lexpr"]), pgNode(o["rexpr"])
	n := &node{}
	for _, a := range []*node{left, right} {
		if a != nil {
			n.args = append(n.args, a)
		}
	}
	if left == nil {
		if right != nil && right.kind == literal && operator == "+" {
			return right
		}
		return n
	}
	switch o["kind"] {
	case "AEXPR_OP":
		if mirrored[operator] != "" {
			n.kind, n.operator = comparison, operator
		}
	case "AEXPR_IN":
		n.kind, n.operator, n.negated = comparison, "IN", operator == "<>"
		n.args = append([]*node{left}, pgItems(o["rexpr"])...)
	case "AEXPR_LIKE", "AEXPR_ILIKE":
		n.kind, n.operator, n.negated = comparison, "LIKE", strings.HasPrefix(operator, "!")
		if o["kind"] == "AEXPR_ILIKE" {
			n.operator = "ILIKE"
		}
	case "AEXPR_BETWEEN", "AEXPR_NOT_BETWEEN", "AEXPR_BETWEEN_SYM", "AEXPR_NOT_BETWEEN_SYM":
		n.kind, n.operator, n.negated = comparison, "BETWEEN", strings.Contains(o["kind"].(string), "NOT")
		n.args = append([]*node{left}, pgItems(o["rexpr"])...)
	}
	return n
}
