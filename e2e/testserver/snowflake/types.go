package snowflake

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sqlType is a type of Snowflake, by the name that results have for it.
type sqlType struct {
	name             string // fixed, real, text, binary, boolean, date, time, timestamp_ntz, …
	precision, scale int
	length           int // of a text; 0 = any
	parts            []field
}

// semi reports whether values are semi-structured.
func (t sqlType) semi() bool {
	return !t.structured() && slices.Contains([]string{"variant", "object", "array"}, t.name)
}

const maxText = 16777216

// typeNames are the types by the names that SQL has for them.
var typeNames = map[string]sqlType{
	"NUMBER": {name: "fixed", precision: 38}, "DECIMAL": {name: "fixed", precision: 38}, "NUMERIC": {name: "fixed", precision: 38},
	"INT": {name: "fixed", precision: 38}, "INTEGER": {name: "fixed", precision: 38}, "BIGINT": {name: "fixed", precision: 38},
	"SMALLINT": {name: "fixed", precision: 38}, "TINYINT": {name: "fixed", precision: 38}, "BYTEINT": {name: "fixed", precision: 38},
	"FLOAT": {name: "real"}, "FLOAT4": {name: "real"}, "FLOAT8": {name: "real"}, "DOUBLE": {name: "real"}, "REAL": {name: "real"},
	"VARCHAR": {name: "text"}, "STRING": {name: "text"}, "TEXT": {name: "text"}, "CHAR": {name: "text", length: 1}, "CHARACTER": {name: "text", length: 1},
	"BINARY": {name: "binary"}, "VARBINARY": {name: "binary"}, "BOOLEAN": {name: "boolean"}, "DATE": {name: "date"},
	"TIME": {name: "time", scale: 9}, "DATETIME": {name: "timestamp_ntz", scale: 9}, "TIMESTAMP": {name: "timestamp_ntz", scale: 9},
	"TIMESTAMP_NTZ": {name: "timestamp_ntz", scale: 9}, "TIMESTAMP_LTZ": {name: "timestamp_ltz", scale: 9}, "TIMESTAMP_TZ": {name: "timestamp_tz", scale: 9},
	"VARIANT": {name: "variant"}, "OBJECT": {name: "object"}, "ARRAY": {name: "array"}, "MAP": {name: "map"}, "GEOGRAPHY": {name: "geography"},
}

// typeAt reads a type at the beginning of tokens; n is how many it has.
func (x *rewriter) typeAt(in []token) (t sqlType, n int, err error) {
	if len(in) == 0 || in[0].kind != word {
		return t, 0, fail("001003", "42000", "SQL compilation error:\nsyntax error: a type is missing")
	}
	t, ok := typeNames[in[0].text]
	if !ok {
		line, column := position(x.source, in[0].at)
		return t, 0, fail("002040", "42601", "SQL compilation error: error line %d at position %d\nUnsupported data type '%s'.", line, column, in[0].text)
	}
	n = 1
	if n < len(in) && in[0].is("DOUBLE") && in[n].is("PRECISION") {
		n++
	}
	if n < len(in) && in[n].is("(") && slices.Contains([]string{"object", "array", "map"}, t.name) && matching(in, n) > n {
		end := matching(in, n)
		if err := x.partsOf(&t, in[n+1:end]); err != nil {
			return t, 0, err
		}
		n = end + 1
	} else if n < len(in) && in[n].is("(") {
		end := matching(in, n)
		args := arguments(in[n+1 : max(end, n+1)])
		for i, a := range args {
			if len(a) != 1 || a[0].kind != number {
				return t, 0, syntaxError(x.source, in[n].at, "(")
			}
			switch v := atoi(a[0].text); {
			case t.name == "fixed" && i == 0:
				t.precision = v
			case t.name == "fixed":
				t.scale = v
			case t.name == "text" || t.name == "binary":
				t.length = v
			default:
				t.scale = v
			}
		}
		n = end + 1
	}
	if _, err := t.duck(); err != nil {
		return t, 0, err
	}
	return t, n, nil
}

// duck returns the type of DuckDB that keeps the values of a column exactly.
func (t sqlType) duck() (string, error) {
	if t.structured() {
		return t.duckStructured()
	}
	switch t.name {
	case "map":
		return "", refused("a MAP without types")
	case "fixed":
		if t.precision > 38 || t.scale > t.precision {
			return "", fail("002040", "42601", "SQL compilation error:\ninvalid precision or scale of NUMBER(%d,%d)", t.precision, t.scale)
		}
		return fmt.Sprintf("DECIMAL(%d,%d)", t.precision, t.scale), nil
	case "time":
		if name := map[int]string{6: "TIME", 9: "TIME_NS"}[t.scale]; name != "" {
			return name, nil
		}
		return "", refused("TIME(%d), only (6) and (9)", t.scale)
	case "timestamp_ntz":
		if name := map[int]string{0: "TIMESTAMP_S", 3: "TIMESTAMP_MS", 6: "TIMESTAMP", 9: "TIMESTAMP_NS"}[t.scale]; name != "" {
			return name, nil
		}
		return "", refused("TIMESTAMP_NTZ(%d), only (0), (3), (6) and (9)", t.scale)
	case "timestamp_ltz", "timestamp_tz":
		if t.scale != 9 {
			return "", refused("%s(%d), only (9)", strings.ToUpper(t.name), t.scale)
		}
	}
	return map[string]string{
		"real": "DOUBLE", "text": "VARCHAR", "binary": "BLOB", "boolean": "BOOLEAN", "date": "DATE",
		"timestamp_ltz": "STRUCT(ltz TIMESTAMP_NS)", "timestamp_tz": "STRUCT(tz TIMESTAMP_NS, off SMALLINT)",
		"variant": "JSON", "object": `STRUCT("object" JSON)`, "array": `STRUCT("array" JSON)`, "geography": "STRUCT(geography VARCHAR)",
	}[t.name], nil
}

// cast writes a cast of an expression to the type.
func (t sqlType) cast(value []token) []token {
	at := 0
	if len(value) > 0 {
		at = value[0].at
	}
	if duck, err := t.duck(); t.structured() && err == nil {
		return wrap(at, "CAST(sf_json(", value, ") AS "+duck+")")
	}
	switch t.name {
	case "text":
		if t.length > 0 {
			return wrap(at, "left(sf_text(", value, "), "+strconv.Itoa(t.length)+")")
		}
		return wrap(at, "sf_text(", value, ")")
	case "timestamp_ntz":
		if t.scale == 9 {
			return wrap(at, "sf_ntz(", value, ")")
		}
		duck, _ := t.duck() // read already
		return wrap(at, "CAST(CAST(sf_ntz(", value, ") AS TIMESTAMP) AS "+duck+")")
	case "timestamp_ltz", "timestamp_tz":
		return wrap(at, "sf_"+strings.TrimPrefix(t.name, "timestamp_")+"(", value, ")")
	case "variant", "object", "array", "geography", "date", "binary":
		return wrap(at, "sf_"+t.name+"(", value, ")")
	case "time":
		if t.scale == 6 {
			return wrap(at, "CAST(sf_time(", value, ") AS TIME)")
		}
		return wrap(at, "sf_time(", value, ")")
	}
	duck, _ := t.duck()
	return wrap(at, "CAST(", value, " AS "+duck+")")
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

var decimalType = regexp.MustCompile(`^DECIMAL\((\d+),(\d+)\)$`)

// column is a column of a result.
type column struct {
	Name string
	sqlType
	fetch string                  // SQL of a value, of the column that %s names
	read  func(any) (cell, error) // of a value that is not NULL
}

// columnOf describes a column of DuckDB's type.
// Errors: *failure for a type that has no counterpart.
func columnOf(name, duck string) (column, error) {
	c := column{Name: name, fetch: "%s", read: readText}
	if m := decimalType.FindStringSubmatch(duck); m != nil {
		c.sqlType, c.fetch, c.read = sqlType{name: "fixed", precision: atoi(m[1]), scale: atoi(m[2])}, "CAST(%s AS VARCHAR)", readFixed(atoi(m[2]))
		return c, nil
	}
	if known, ok := duckTypes[strings.ReplaceAll(duck, `"`, "")]; ok {
		known.Name = name
		return known, nil
	}
	switch {
	case strings.HasPrefix(duck, "ENUM("):
		c.sqlType = sqlType{name: "text"}
		c.fetch = "CAST(%s AS VARCHAR)"
	case strings.HasPrefix(duck, "STRUCT("), strings.HasPrefix(duck, "MAP("):
		c.sqlType = sqlType{name: "object"}
		c.fetch = "CAST(to_json(%s) AS VARCHAR)"
	case strings.HasSuffix(duck, "]"):
		c.sqlType = sqlType{name: "array"}
		c.fetch = "CAST(to_json(%s) AS VARCHAR)"
	default:
		return c, refused("a counterpart of the type %s", duck)
	}
	return c, nil
}

// duckTypes are the columns of the types that have no parameters.
var duckTypes = func() map[string]column {
	whole := column{sqlType: sqlType{name: "fixed", precision: 38}, fetch: "CAST(%s AS VARCHAR)", read: readFixed(0)}
	str := column{sqlType: sqlType{name: "text"}, fetch: "CAST(%s AS VARCHAR)", read: readText}
	stamp := func(name string, scale int, fetch string) column {
		return column{sqlType: sqlType{name: name, scale: scale}, fetch: fetch, read: readStamp}
	}
	out := map[string]column{
		"FLOAT":   {sqlType: sqlType{name: "real"}, fetch: "CAST(%s AS DOUBLE)", read: readReal},
		"DOUBLE":  {sqlType: sqlType{name: "real"}, fetch: "%s", read: readReal},
		"VARCHAR": str, "UUID": str,
		"BOOLEAN":      {sqlType: sqlType{name: "boolean"}, fetch: "%s", read: readBool},
		"DATE":         {sqlType: sqlType{name: "date"}, fetch: "date_diff('day', DATE '1970-01-01', %s)", read: readDays},
		"BLOB":         {sqlType: sqlType{name: "binary"}, fetch: "%s", read: readBytes},
		"TIME":         {sqlType: sqlType{name: "time", scale: 6}, fetch: "CAST(%s AS VARCHAR)", read: readTime},
		"TIME_NS":      {sqlType: sqlType{name: "time", scale: 9}, fetch: "CAST(%s AS VARCHAR)", read: readTime},
		"TIMESTAMP_S":  stamp("timestamp_ntz", 0, microText("CAST(%s AS TIMESTAMP)")),
		"TIMESTAMP_MS": stamp("timestamp_ntz", 3, microText("CAST(%s AS TIMESTAMP)")),
		"TIMESTAMP":    stamp("timestamp_ntz", 6, microText("%s")),
		"TIMESTAMP_NS": stamp("timestamp_ntz", 9, nanoText("%s")),

		"TIMESTAMP WITH TIME ZONE":              stamp("timestamp_ltz", 6, microText("%s")),
		"STRUCT(ltz TIMESTAMP_NS)":              stamp("timestamp_ltz", 9, nanoText("%s.ltz")),
		"STRUCT(tz TIMESTAMP_NS, off SMALLINT)": stamp("timestamp_tz", 9, nanoText("%s.tz")+" || ' ' || %s.off"),

		"JSON":                      {sqlType: sqlType{name: "variant"}, fetch: "CAST(%s AS VARCHAR)", read: readText},
		"STRUCT(object JSON)":       {sqlType: sqlType{name: "object"}, fetch: `CAST(%s."object" AS VARCHAR)`, read: readText},
		"STRUCT(array JSON)":        {sqlType: sqlType{name: "array"}, fetch: `CAST(%s."array" AS VARCHAR)`, read: readText},
		"STRUCT(geography VARCHAR)": {sqlType: sqlType{name: "object"}, fetch: "%s.geography", read: readText},
	}
	for _, name := range []string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"} {
		out[name] = whole
	}
	return out
}()

// microText and nanoText write an instant as microseconds and nanoseconds since 1970.
func microText(x string) string { return "epoch_us(" + x + ") || ' us'" }

func nanoText(x string) string { return "epoch_ns(" + x + ") || ' ns'" }
