package snowflake

import (
	"slices"
	"strings"
)

// definition is a CREATE TABLE in DuckDB's SQL, and what DuckDB keeps elsewhere.
type definition struct {
	tokens  []token
	name    []string // of the table
	comment string
	columns []columnComment
	cluster string
	kind    string  // TRANSIENT; ""
	typed   []field // columns of structured types
}

type columnComment struct{ name, comment string }

// define rewrites the definition of a table; ok = false: the statement is another.
func (x *rewriter) define(in []token) (d definition, ok bool, err error) {
	i := 1
	out := []token{in[0]}
	for i < len(in) && in[i].is("OR", "REPLACE", "TRANSIENT", "TEMP", "TEMPORARY", "LOCAL", "GLOBAL", "VOLATILE") {
		if in[i].is("TRANSIENT") {
			d.kind = "TRANSIENT"
		}
		if in[i].is("OR", "REPLACE", "TEMP", "TEMPORARY") {
			out = append(out, in[i])
		}
		i++
	}
	if !in[0].is("CREATE") || i >= len(in) || !in[i].is("TABLE") {
		return d, false, nil
	}
	for ; i < len(in) && in[i].is("TABLE", "IF", "NOT", "EXISTS"); i++ {
		out = append(out, in[i])
	}
	for ; i < len(in) && (in[i].name() || in[i].is(".")) && !in[i].is("AS", "COMMENT", "CLUSTER"); i++ {
		if in[i].name() {
			d.name = append(d.name, in[i].text)
		}
		out = append(out, in[i])
	}
	if i < len(in) && in[i].is("(") {
		end := matching(in, i)
		if end < 0 {
			return d, true, syntaxError(x.source, in[i].at, "(")
		}
		columns, err := x.columnList(&d, in[i+1:end])
		if err != nil {
			return d, true, err
		}
		out = append(append(append(out, in[i]), columns...), in[end])
		i = end + 1
	}
	d.tokens, err = x.tableOptions(&d, in[i:], out)
	return d, true, err
}

// tableOptions reads what stands behind the columns.
func (x *rewriter) tableOptions(d *definition, in, out []token) ([]token, error) {
	for i := 0; i < len(in); {
		switch {
		case in[i].is("AS"):
			query, err := x.sequence(in[i:])
			return append(out, query...), err
		case in[i].is("COMMENT") && i+2 < len(in) && in[i+1].is("=") && in[i+2].kind == text:
			d.comment = in[i+2].text
			i += 3
		case in[i].is("DATA_RETENTION_TIME_IN_DAYS", "CHANGE_TRACKING") && i+2 < len(in):
			i += 3
		case in[i].is("CLUSTER") && i+2 < len(in) && in[i+1].is("BY") && matching(in, i+2) > 0:
			end := matching(in, i+2)
			d.cluster = "LINEAR" + strings.ReplaceAll(write(x.source, in[i+2:end+1]).sql, " ", "")
			i = end + 1
		default:
			return nil, refused("the option %s of CREATE TABLE", in[i].text)
		}
	}
	return out, nil
}

// columnList rewrites columns and constraints.
func (x *rewriter) columnList(d *definition, in []token) ([]token, error) {
	var all [][]token
	for _, part := range arguments(in) {
		if len(part) < 2 {
			return nil, syntaxError(x.source, in[0].at, in[0].text)
		}
		if part[0].is("CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE") {
			all = append(all, enforced(part))
			continue
		}
		of, n, err := x.typeAt(part[1:])
		if err != nil {
			return nil, err
		}
		duck, err := of.duck()
		if err != nil {
			return nil, err
		}
		if of.structured() {
			d.typed = append(d.typed, field{part[0].text, of})
		}
		rest := enforced(part[1+n:])
		if at := slices.IndexFunc(rest, func(t token) bool { return t.is("COMMENT") }); at >= 0 && at+1 < len(rest) {
			d.columns = append(d.columns, columnComment{part[0].text, rest[at+1].text})
			rest = slices.Delete(slices.Clone(rest), at, at+2)
		}
		if slices.ContainsFunc(rest, func(t token) bool { return t.is("AUTOINCREMENT", "IDENTITY") }) {
			return nil, refused("columns that count by themselves")
		}
		if rest, err = x.sequence(rest); err != nil {
			return nil, err
		}
		name := token{kind: quoted, text: part[0].text, at: part[0].at} // a word may be reserved in DuckDB
		all = append(all, append(append([]token{name}, raws(part[1].at, duck)...), rest...))
	}
	return join(all), nil
}

// enforced leaves out what the service says of keys and DuckDB does not know.
func enforced(in []token) []token {
	var out []token
	for i, t := range in {
		switch {
		case t.is("RELY", "NORELY", "ENFORCED"):
		case t.is("NOT") && i+1 < len(in) && in[i+1].is("ENFORCED"):
		default:
			out = append(out, t)
		}
	}
	return out
}

// after returns the statements of DuckDB that follow the definition.
func (d *definition) after(view *session) []string {
	names := make([]string, len(d.name))
	for i, n := range d.name {
		names[i] = identifier(n)
	}
	table := strings.Join(names, ".")
	var out []string
	if d.comment != "" {
		out = append(out, "COMMENT ON TABLE "+table+" IS "+literal(d.comment))
	}
	for _, c := range d.columns {
		out = append(out, "COMMENT ON COLUMN "+table+"."+identifier(c.name)+" IS "+literal(c.comment))
	}
	path := append([]string{view.database, view.schema}[:max(0, 3-len(d.name))], d.name...)
	if len(d.typed) > 0 {
		s := structures{table: literal(path[0]) + ", " + literal(path[1]) + ", " + literal(path[2])}
		for _, f := range d.typed {
			s.add(f.name, f.sqlType)
		}
		out = append(out, s.statements()...)
	}
	if d.cluster != "" || d.kind != "" {
		transient := "NULL"
		if d.kind != "" {
			transient = "'YES'"
		}
		cluster := "NULL"
		if d.cluster != "" {
			cluster = literal(d.cluster)
		}
		out = append(out, "INSERT OR REPLACE INTO memory.sf.facts VALUES ("+literal(path[0])+", "+literal(path[1])+", "+literal(path[2])+", "+cluster+", "+transient+")")
	}
	return out
}
