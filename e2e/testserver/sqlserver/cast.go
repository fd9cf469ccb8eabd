//go:build cgo

package sqlserver

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// typed marks an expression with the type that SQL Server would tell of it.
func typed(x, name string) string { return "ms_typed(" + x + ", " + literal(name) + ")" }

var synonyms = map[string]string{"integer": "int", "dec": "decimal", "sysname": "nvarchar(128)", "rowversion": "binary(8)", "timestamp": "binary(8)", "character": "char"}

// columnType reads a type at tokens [begin, end), and returns how many tokens it has.
// Errors: 243, a type that SQL Server does not have; types that the fixture has not.
func (t *translator) columnType(begin, end int) (tds.Type, int, error) {
	one := t.at(begin)
	if !one.name() || begin >= end {
		return tds.Type{}, 0, syntaxError(one)
	}
	name, n := strings.ToLower(one.text), 1
	if same, ok := synonyms[name]; ok {
		name = same
	}
	if strings.EqualFold(one.text, "float") && t.at(begin+1).is("(") {
		if n = 4; len(t.at(begin+2).raw) == 1 || t.at(begin+2).raw < "25" {
			name = "real"
		}
	} else if t.at(begin+1).is("(") && begin+1 < end {
		close, err := t.closing(begin + 1)
		if err != nil {
			return tds.Type{}, 0, err
		}
		n = close - begin + 1
		for i := begin + 1; i <= close; i++ {
			name += t.at(i).raw
		}
	}
	switch strings.ToLower(one.text) {
	case "hierarchyid", "geography", "geometry", "sql_variant", "text", "ntext", "image", "json", "vector":
		return tds.Type{}, 0, missing(one.line, "type %s", one.text)
	}
	typ, err := tds.ParseType(name)
	if err != nil {
		return tds.Type{}, 0, &tds.Error{Number: 243, Class: 16, Line: uint32(one.line), Message: "Type " + one.raw + " is not a defined system type."}
	}
	return typ, n, nil
}

// stored is the type of DuckDB that keeps values of a type.
func stored(t tds.Type) string {
	switch t.Name {
	case "bit":
		return "BOOLEAN"
	case "tinyint":
		return "UTINYINT"
	case "smallint", "bigint", "date", "time":
		return strings.ToUpper(t.Name)
	case "int":
		return "INTEGER"
	case "real":
		return "FLOAT"
	case "float":
		return "DOUBLE"
	case "decimal":
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case "money":
		return "DECIMAL(19,4)"
	case "smallmoney":
		return "DECIMAL(10,4)"
	case "datetime2":
		if t.Scale == 7 {
			return "TIMESTAMP_NS"
		}
		return "TIMESTAMP"
	case "datetime", "smalldatetime":
		return "TIMESTAMP"
	case "datetimeoffset":
		return "TIMESTAMPTZ"
	case "binary", "varbinary":
		return "BLOB"
	case "uniqueidentifier":
		return "UUID"
	}
	return "VARCHAR"
}

// converted writes a conversion.
func converted(x string, t tds.Type, try bool) string {
	if x == "NULL" { // of no type, which no macro takes
		return typed("CAST(NULL AS "+stored(t)+")", t.String())
	}
	cast := "CAST("
	if try {
		cast = "TRY_CAST("
	}
	as := " AS " + stored(t) + ")"
	iso, bit, written := "ms_iso("+x+")", "ms_bit("+x+")", "ms_text("+x+")"
	if aggregated(x) {
		iso, bit, written = x, x, "ms_text_of_any("+x+")"
	}
	switch t.Name {
	case "bit":
		x = cast + bit + as
	case "tinyint", "smallint", "int", "bigint":
		x = cast + whole(x, try) + as
	case "date":
		x = cast + cast + iso + " AS TIMESTAMP) AS DATE)"
	case "datetime2", "datetime", "smalldatetime":
		x = cast + iso + as
		if units := map[int]string{0: "1000000", 1: "100000", 2: "10000", 3: "1000", 4: "100", 5: "10"}; t.Name == "datetime2" && units[t.Scale] != "" {
			x = "ms_round(" + x + ", " + units[t.Scale] + ")"
		}
	case "time", "datetimeoffset":
		x = cast + "ms_micros(" + iso + ")" + as
	case "binary", "varbinary":
		x = "ms_bytes(" + x + ")"
	case "char", "varchar", "nchar", "nvarchar":
		x = written
		if t.Length > 0 {
			x = fmt.Sprintf("left(%s, %d)", x, t.Length)
		}
		if strings.HasSuffix(t.Name, "char") && !strings.Contains(t.Name, "var") {
			x = fmt.Sprintf("rpad(%s, %d, ' ')", x, t.Length)
		}
	default:
		x = cast + x + as
	}
	return typed(x, t.String())
}

// whole cuts the digits behind the point, as a conversion to an integer does.
func whole(x string, try bool) string {
	switch {
	case aggregated(x):
		return "trunc(CAST(" + x + " AS DECIMAL(38,10)))"
	case try:
		return "ms_try_whole(" + x + ")"
	}
	return "ms_whole(" + x + ")"
}

// castTo translates CAST(x AS type).
func castTo(try bool) function {
	return func(c *call) (string, error) {
		if len(c.parts) != 1 {
			return "", syntaxError(c.t.at(c.t.i))
		}
		begin, end := c.parts[0][0], c.parts[0][1]
		as, depth := -1, 0
		for i := begin; i < end; i++ {
			switch one := c.t.at(i); {
			case one.is("("):
				depth++
			case one.is(")"):
				depth--
			case one.is("AS") && depth == 0:
				as = i
			}
		}
		if as < 0 {
			return "", syntaxError(c.t.at(end))
		}
		c.parts[0][1] = as
		x, err := c.arg(0)
		if err != nil {
			return "", err
		}
		return c.convert(x, as+1, end, try)
	}
}

// convert reads the type between begin and end, and writes the conversion.
func (c *call) convert(x string, begin, end int, try bool) (string, error) {
	typ, n, err := c.t.columnType(begin, end)
	if err != nil {
		return "", err
	}
	if begin+n != end {
		return "", syntaxError(c.t.at(begin + n))
	}
	if typ.Length == 1 && n == 1 { // without a length
		typ.Length = 30
	}
	return converted(x, typ, try), nil
}

// convertTo translates CONVERT(type, x[, style]) for the styles that name ISO 8601.
func convertTo(try bool) function {
	return func(c *call) (string, error) {
		if err := c.count(2, 3); err != nil {
			return "", err
		}
		x, err := c.arg(1)
		if err != nil {
			return "", err
		}
		begin, end := c.parts[0][0], c.parts[0][1]
		if len(c.parts) == 3 {
			style, ok := c.raw(2)
			format := map[string]string{"23": "%Y-%m-%d", "112": "%Y%m%d", "120": "%Y-%m-%d %H:%M:%S", "126": "%Y-%m-%dT%H:%M:%S", "121": "%Y-%m-%d %H:%M:%S.%g", "1": "0x"}[style.raw]
			to, _, err := c.t.columnType(begin, end)
			switch {
			case err != nil:
				return "", err
			case !ok || format == "":
				return "", missing(c.line, "CONVERT with such a style")
			case format == "0x":
				x = "ms_hex(" + x + ")"
			case strings.Contains(to.Name, "char"):
				x = "strftime(" + moment(x) + ", " + literal(format) + ")"
			}
		}
		return c.convert(x, begin, end, try)
	}
}
