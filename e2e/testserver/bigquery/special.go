package bigquery

import (
	"strconv"
	"strings"

	bq "google.golang.org/api/bigquery/v2"
)

// special translates the operands that are no path and no plain call; false for the rest.
func (t *translation) special(c *cursor, s *scope, n node) bool {
	next := c.peek(1)
	switch keyword := strings.ToUpper(n.text); {
	case keyword == "CASE":
		t.cases(c, s, n)
	case keyword == "EXTRACT" && next.open("("):
		c.i += 2
		t.extract(next, n)
	case (keyword == "CAST" || keyword == "SAFE_CAST") && next.open("("):
		c.i += 2
		t.cast(map[string]string{"CAST": "CAST", "SAFE_CAST": "TRY_CAST"}[keyword], next, n)
	case keyword == "INTERVAL" && !next.is("."):
		t.span(c, s, n)
	case keyword == "ARRAY" || keyword == "STRUCT":
		t.construct(c, n)
	case keyword == "UNNEST":
		t.unexpected(n)
		c.i++
	case currents[keyword] != "" && next.open("(") && len(next.kids) == 0:
		t.put(currents[keyword], n.at)
		c.i += 2
	case currents[keyword] != "" && !next.open("(") && !next.is("."):
		t.put(currents[keyword], n.at)
		c.i++
	case next.kind == text && !next.group:
		return t.literal(c, n, next)
	default:
		return false
	}
	return true
}

// literal translates DATE '…' and its like.
func (t *translation) literal(c *cursor, n, value node) bool {
	api := typeNames[strings.ToUpper(n.text)]
	switch api {
	case "DATE", "TIME", "DATETIME", "TIMESTAMP", "NUMERIC", "JSON":
		c.i += 2
		t.put("CAST("+quoted(value.text)+" AS "+scalars[api].duck+")", n.at)
		return true
	case "BIGNUMERIC":
		c.i += 2
		t.put("CAST("+quoted(value.text)+" AS "+wide(value.text)+")", n.at)
		return true
	}
	return false
}

// wide returns the type of a BIGNUMERIC literal: DuckDB has 38 digits, of which as many
// follow the point as the literal has, ten at least.
func wide(literal string) string {
	_, fraction, _ := strings.Cut(literal, ".")
	if !strings.ContainsAny(literal, "eE") && len(fraction) <= 38 {
		return "DECIMAL(38," + strconv.Itoa(max(len(fraction), 10)) + ")"
	}
	return scalars["BIGNUMERIC"].duck
}

func (t *translation) cases(c *cursor, s *scope, n node) {
	t.put("CASE", n.at)
	inner := &scope{tables: s.tables}
	for c.i++; c.more() && !c.peek(0).is("END"); {
		t.step(c, inner)
	}
	if !c.more() {
		t.unexpected(c.peek(0))
		return
	}
	t.put("END", c.peek(0).at)
	c.i++
}

// cast translates CAST(x AS type).
func (t *translation) cast(function string, g, n node) {
	for i := len(g.kids) - 1; i > 0; i-- {
		if !g.kids[i].is("AS") {
			continue
		}
		k := &cursor{nodes: g.kids[i+1:]}
		typ := t.typed(k)
		if k.peek(0).is("FORMAT") {
			t.fail(lacking("CAST with FORMAT"))
		} else if k.more() {
			t.unexpected(k.peek(0))
		}
		t.put(function+"(", n.at)
		if typ.Mode != "REPEATED" && (typ.Type == "NUMERIC" || typ.Type == "BIGNUMERIC") { // DuckDB makes a decimal of a float inexactly
			t.put("CAST(", n.at)
			t.level(g.kids[:i])
			t.put("AS VARCHAR)", n.at)
		} else {
			t.level(g.kids[:i])
		}
		t.put("AS "+duckType(typ, false)+")", n.at)
		return
	}
	t.unexpected(g)
}

// span translates INTERVAL n unit.
func (t *translation) span(c *cursor, s *scope, n node) {
	c.i++
	from := c.i
	for c.more() && units[strings.ToUpper(c.peek(0).text)] == "" {
		c.i++
	}
	unit, value := c.peek(0), c.nodes[from:c.i]
	if !c.more() || len(value) == 0 || unit.is("ISOWEEK", "ISOYEAR") {
		t.unexpected(unit)
		return
	}
	if c.i++; c.peek(0).is("TO") || value[0].kind == text {
		t.fail(lacking("an interval of several parts"))
		return
	}
	t.put("INTERVAL (", n.at)
	t.level(value)
	t.put(") "+strings.ToUpper(unit.text), n.at)
}

// construct translates ARRAY[…], ARRAY<t>[…], ARRAY(query), STRUCT(…) and STRUCT<…>(…).
func (t *translation) construct(c *cursor, n node) {
	var typ *bq.TableFieldSchema
	if c.peek(1).is("<") {
		typ = t.typed(c)
	} else {
		c.i++
	}
	g := c.peek(0)
	c.i++
	if typ != nil {
		t.put("CAST(", n.at)
	}
	switch {
	case n.is("ARRAY") && g.open("["):
		t.group("[", g, "]")
	case n.is("ARRAY") && g.open("(") && typ == nil: // no rows make an empty array
		t.put("coalesce(ARRAY", n.at)
		t.group("(", g, ")")
		t.put(", [])", n.at)
	case n.is("STRUCT") && g.open("("):
		t.record(commas(g.kids), typ, n)
	default:
		t.unexpected(g)
	}
	if typ != nil {
		t.put("AS "+duckType(typ, false)+")", n.at)
	}
}

// record writes a STRUCT: a field's name is its alias, the last part of a path, or that
// of the type.
func (t *translation) record(fields [][]node, typ *bq.TableFieldSchema, n node) {
	if len(fields) == 0 {
		t.fail(lacking("an empty STRUCT"))
		return
	}
	if typ != nil && len(typ.Fields) != len(fields) {
		t.fail(syntaxError(t.source, n.at, "STRUCT type has a different number of fields"))
		return
	}
	t.put("struct_pack(", n.at)
	for i, f := range fields {
		label := "_field_" + strconv.Itoa(i+1)
		if k := len(f) - 1; k > 0 && f[k-1].is("AS") && !f[k].group {
			label, f = f[k].text, f[:k-1]
		} else if len(f) > 0 && !f[k].group && (f[k].kind == name || f[k].kind == word && !reserved[strings.ToUpper(f[k].text)]) && (k == 0 || f[k-1].is(".")) {
			label = f[k].text
		}
		if typ != nil {
			label = typ.Fields[i].Name
		}
		if i > 0 {
			t.put(",", n.at)
		}
		t.put(identifier(label)+" :=", n.at)
		t.level(f)
	}
	t.put(")", n.at)
}

// parameter writes the value of a parameter.
func (t *translation) parameter(p *bq.QueryParameter, n node) {
	f := parameterType(p.ParameterType)
	t.put(t.value(f, p.ParameterValue, n), n.at)
}

func parameterType(p *bq.QueryParameterType) *bq.TableFieldSchema {
	f := &bq.TableFieldSchema{Mode: "NULLABLE"}
	switch {
	case p == nil:
		f.Type = "STRING"
	case p.Type == "ARRAY":
		f = parameterType(p.ArrayType)
		f.Mode = "REPEATED"
	case p.Type == "STRUCT":
		f.Type = "RECORD"
		for _, s := range p.StructTypes {
			k := parameterType(s.Type)
			k.Name = s.Name
			f.Fields = append(f.Fields, k)
		}
	default:
		f.Type = typeNames[p.Type]
	}
	return f
}

func (t *translation) value(f *bq.TableFieldSchema, v *bq.QueryParameterValue, n node) string {
	if f.Mode == "REPEATED" {
		element := *f
		element.Mode = "NULLABLE"
		var parts []string
		if v != nil {
			for _, e := range v.ArrayValues {
				parts = append(parts, t.value(&element, e, n))
			}
		}
		return "CAST([" + strings.Join(parts, ", ") + "] AS " + duckType(f, false) + ")"
	}
	if f.Type == "RECORD" && v != nil {
		var parts []string
		for _, k := range f.Fields {
			x := v.StructValues[k.Name]
			parts = append(parts, identifier(k.Name)+" := "+t.value(k, &x, n))
		}
		return "struct_pack(" + strings.Join(parts, ", ") + ")"
	}
	if f.Type == "" {
		t.fail(invalid("Invalid type of a query parameter"))
		return "NULL"
	}
	if v == nil || isNull(v) {
		return "CAST(NULL AS " + duckType(f, false) + ")"
	}
	if f.Type == "BYTES" {
		return "from_base64(" + quoted(v.Value) + ")"
	}
	return "CAST(" + quoted(v.Value) + " AS " + duckType(f, false) + ")"
}

// isNull tells a NULL from an empty text, which the API's type does not unless forced.
func isNull(v *bq.QueryParameterValue) bool {
	for _, f := range v.NullFields {
		if f == "Value" {
			return true
		}
	}
	return false
}
