package bigquery

import (
	"fmt"
	"strconv"
	"strings"

	bq "google.golang.org/api/bigquery/v2"
)

// geography is how DuckDB holds a GEOGRAPHY: a record of its text, which is nothing else's.
const geography = "__geography"

// scalar types by the name of the API: GoogleSQL's name, DuckDB's, and the bytes that a
// value takes (0 = by its length).
var scalars = map[string]struct {
	sql, duck string
	bytes     int
}{
	"INTEGER": {"INT64", "BIGINT", 8}, "FLOAT": {"FLOAT64", "DOUBLE", 8}, "BOOLEAN": {"BOOL", "BOOLEAN", 1},
	"NUMERIC": {"NUMERIC", "DECIMAL(38,9)", 16},
	// BigQuery's has 76 digits; a value that does not fit is refused.
	"BIGNUMERIC": {"BIGNUMERIC", "DECIMAL(38,19)", 32},
	"STRING":     {"STRING", "VARCHAR", 0}, "BYTES": {"BYTES", "BLOB", 0}, "JSON": {"JSON", "JSON", 0},
	"DATE": {"DATE", "DATE", 8}, "TIME": {"TIME", "TIME", 8}, "DATETIME": {"DATETIME", "TIMESTAMP", 8},
	"TIMESTAMP": {"TIMESTAMP", "TIMESTAMP WITH TIME ZONE", 8}, "INTERVAL": {"INTERVAL", "INTERVAL", 16},
	"GEOGRAPHY": {"GEOGRAPHY", "STRUCT(" + geography + " VARCHAR)", 0},
}

// typeNames are the names that GoogleSQL has for the API's.
var typeNames = map[string]string{
	"INT64": "INTEGER", "INT": "INTEGER", "SMALLINT": "INTEGER", "INTEGER": "INTEGER", "BIGINT": "INTEGER", "TINYINT": "INTEGER", "BYTEINT": "INTEGER",
	"FLOAT64": "FLOAT", "BOOL": "BOOLEAN", "BOOLEAN": "BOOLEAN", "STRING": "STRING", "BYTES": "BYTES", "JSON": "JSON",
	"NUMERIC": "NUMERIC", "DECIMAL": "NUMERIC", "BIGNUMERIC": "BIGNUMERIC", "BIGDECIMAL": "BIGNUMERIC",
	"DATE": "DATE", "TIME": "TIME", "DATETIME": "DATETIME", "TIMESTAMP": "TIMESTAMP", "INTERVAL": "INTERVAL", "GEOGRAPHY": "GEOGRAPHY",
}

// typed reads a type: INT64, NUMERIC(10, 2), ARRAY<STRUCT<a INT64 NOT NULL OPTIONS (…)>>.
func (t *translation) typed(c *cursor) *bq.TableFieldSchema {
	n := c.peek(0)
	f := &bq.TableFieldSchema{Mode: "NULLABLE"}
	c.i++
	switch api := typeNames[strings.ToUpper(n.text)]; {
	case n.group || n.kind != word:
		t.unexpected(n)
	case n.is("ARRAY"):
		if !t.expect(c, "<") {
			return f
		}
		f = t.typed(c)
		if f.Mode == "REPEATED" {
			t.fail(invalid("Cannot construct array with element type ARRAY because nested arrays are not supported at %s", position(t.source, n.at)))
		}
		f.Mode = "REPEATED"
		t.closeType(c)
	case n.is("STRUCT"):
		f.Type = "RECORD"
		if !t.expect(c, "<") {
			return f
		}
		for t.failed == nil && !c.peek(0).is(">", ">>") {
			f.Fields = append(f.Fields, t.fieldOf(c, len(f.Fields)))
			if c.peek(0).is(",") {
				c.i++
			} else if !c.peek(0).is(">", ">>") {
				t.unexpected(c.peek(0))
			}
		}
		t.closeType(c)
	case api == "":
		t.fail(syntaxError(t.source, n.at, "Type not found: "+n.text))
	default:
		f.Type = api
		if g := c.peek(0); g.open("(") {
			c.i++
			t.typeParameters(f, g)
		}
	}
	return f
}

func (t *translation) typeParameters(f *bq.TableFieldSchema, g node) {
	var numbers []int64
	for _, p := range commas(g.kids) {
		v, err := strconv.ParseInt(p[0].text, 10, 64)
		if err != nil || len(p) != 1 {
			t.unexpected(p[0])
			return
		}
		numbers = append(numbers, v)
	}
	switch {
	case len(numbers) == 1 && (f.Type == "STRING" || f.Type == "BYTES"):
		f.MaxLength = numbers[0]
	case len(numbers) > 0 && len(numbers) < 3 && (f.Type == "NUMERIC" || f.Type == "BIGNUMERIC"):
		f.Precision = numbers[0]
		if len(numbers) == 2 {
			f.Scale = numbers[1]
		}
	default:
		t.unexpected(g)
	}
}

// fieldOf reads a field of a STRUCT: its name may be missing.
func (t *translation) fieldOf(c *cursor, number int) *bq.TableFieldSchema {
	label := fmt.Sprintf("_field_%d", number+1)
	if next := c.peek(1); !next.group && (next.kind == word && !next.is("NOT", "OPTIONS") || next.is("ARRAY", "STRUCT")) {
		label = c.peek(0).text
		c.i++
	}
	f := t.typed(c)
	f.Name = label
	t.fieldAttributes(c, f)
	return f
}

func (t *translation) expect(c *cursor, sign string) bool {
	if !c.peek(0).is(sign) {
		t.unexpected(c.peek(0))
		return false
	}
	c.i++
	return true
}

// closeType passes over a >, which the lexer may have joined with the next.
func (t *translation) closeType(c *cursor) {
	if n := c.peek(0); n.is(">>") {
		rest := append([]node(nil), c.nodes...)
		rest[c.i].text = ">"
		c.nodes = rest
		return
	}
	t.expect(c, ">")
}

// duckType writes a type for DuckDB; opaque = as it leaves DuckDB, where a JSON is its text.
func duckType(f *bq.TableFieldSchema, opaque bool) string {
	var base string
	switch s := scalars[f.Type]; {
	case f.Type == "RECORD":
		var fields []string
		for _, k := range f.Fields {
			fields = append(fields, identifier(k.Name)+" "+duckType(k, opaque))
		}
		base = "STRUCT(" + strings.Join(fields, ", ") + ")"
	case f.Type == "JSON" && opaque:
		base = "VARCHAR"
	case f.Type == "NUMERIC" && f.Precision > 0:
		base = fmt.Sprintf("DECIMAL(%d,%d)", f.Precision, f.Scale)
	default:
		base = s.duck
	}
	if f.Mode == "REPEATED" {
		base += "[]"
	}
	return base
}

// sqlType writes a type as INFORMATION_SCHEMA has it.
func sqlType(f *bq.TableFieldSchema) string {
	base := scalars[f.Type].sql
	switch {
	case f.Type == "RECORD":
		var fields []string
		for _, k := range f.Fields {
			fields = append(fields, k.Name+" "+sqlType(k))
		}
		base = "STRUCT<" + strings.Join(fields, ", ") + ">"
	case f.MaxLength > 0:
		base += fmt.Sprintf("(%d)", f.MaxLength)
	case f.Precision > 0 && f.Scale > 0:
		base += fmt.Sprintf("(%d, %d)", f.Precision, f.Scale)
	case f.Precision > 0:
		base += fmt.Sprintf("(%d)", f.Precision)
	}
	if f.Mode == "REPEATED" {
		return "ARRAY<" + base + ">"
	}
	return base
}

// duckNames are DuckDB's types that a result may have, by name.
var duckNames = map[string]string{
	"TINYINT": "INTEGER", "SMALLINT": "INTEGER", "INTEGER": "INTEGER", "BIGINT": "INTEGER", "HUGEINT": "INTEGER", "UTINYINT": "INTEGER",
	"USMALLINT": "INTEGER", "UINTEGER": "INTEGER", "UBIGINT": "INTEGER", "UHUGEINT": "INTEGER", `"NULL"`: "INTEGER", "NULL": "INTEGER",
	"FLOAT": "FLOAT", "DOUBLE": "FLOAT", "BOOLEAN": "BOOLEAN", "VARCHAR": "STRING", "UUID": "STRING", "BLOB": "BYTES", "JSON": "JSON",
	"DATE": "DATE", "TIME": "TIME", "TIMESTAMP": "DATETIME", "TIMESTAMP WITH TIME ZONE": "TIMESTAMP", "INTERVAL": "INTERVAL",
}

// fromDuckType reads a type of DuckDB's, as DESCRIBE writes it.
// Errors: *Error, for a type that BigQuery does not have.
func fromDuckType(column, s string) (*bq.TableFieldSchema, error) {
	f := &bq.TableFieldSchema{Name: column, Mode: "NULLABLE"}
	if inner, ok := strings.CutSuffix(s, "[]"); ok {
		e, err := fromDuckType(column, inner)
		if err == nil && e.Mode == "REPEATED" {
			err = invalid("Cannot construct array with element type ARRAY because nested arrays are not supported")
		}
		if err != nil {
			return nil, err
		}
		e.Mode = "REPEATED"
		return e, nil
	}
	if inner, ok := strings.CutPrefix(s, "STRUCT("); ok {
		f.Type = "RECORD"
		for i, field := range cutFields(strings.TrimSuffix(inner, ")")) {
			label, typ := cutName(field)
			if label == "" {
				label = fmt.Sprintf("_field_%d", i+1)
			}
			k, err := fromDuckType(label, typ)
			if err != nil {
				return nil, err
			}
			f.Fields = append(f.Fields, k)
		}
		if len(f.Fields) == 1 && f.Fields[0].Name == geography {
			f.Type, f.Fields = "GEOGRAPHY", nil
		}
		return f, nil
	}
	if inner, ok := strings.CutPrefix(s, "DECIMAL("); ok {
		var p, scale int
		if _, err := fmt.Sscanf(inner, "%d,%d)", &p, &scale); err != nil {
			return nil, lacking("a result of type %s", s)
		}
		if f.Type = "NUMERIC"; scale > 9 {
			f.Type = "BIGNUMERIC"
		}
		return f, nil
	}
	if f.Type = duckNames[s]; f.Type == "" {
		return nil, lacking("a result of type %s", s)
	}
	return f, nil
}

// cutFields cuts at the commas outside of parentheses and quotes.
func cutFields(s string) []string {
	var parts []string
	depth, quote, from := 0, false, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quote = !quote
		case quote:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

// cutName parts a field's name from its type.
func cutName(s string) (label, typ string) {
	if !strings.HasPrefix(s, `"`) {
		label, typ, _ = strings.Cut(s, " ")
		return label, typ
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '"' && i+1 < len(s) && s[i+1] == '"' {
			i++
		} else if s[i] == '"' {
			return strings.ReplaceAll(s[1:i], `""`, `"`), strings.TrimSpace(s[i+1:])
		}
	}
	return "", s
}
