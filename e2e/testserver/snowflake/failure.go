package snowflake

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// failure is an error as the service reports it.
type failure struct {
	code    string // six digits
	state   string // SQLSTATE
	message string
}

func (f *failure) Error() string { return f.code + " (" + f.state + "): " + f.message }

func fail(code, state, format string, args ...any) *failure {
	return &failure{code, state, fmt.Sprintf(format, args...)}
}

// refused is the fixture's own refusal: the service would know more.
func refused(format string, args ...any) *failure {
	return fail("000002", "0A000", "Unsupported feature: the fixture does not have "+format+".", args...)
}

func syntaxError(sql string, at int, near string) *failure {
	line, column := position(sql, at)
	return fail("001003", "42000", "SQL compilation error:\nsyntax error line %d at position %d unexpected '%s'.", line, column, near)
}

func unknownObject(kind, name string) *failure {
	return fail("002003", "42S02", "SQL compilation error:\n%s '%s' does not exist or not authorized.", kind, name)
}

// position returns the line, counted from 1, and the position in it, counted from 0.
func position(sql string, at int) (line, column int) {
	before := sql[:min(at, len(sql))]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n') - 1
}

// duckError is DuckDB's message, which its setting errors_as_json makes an object.
type duckError struct {
	Type     string `json:"exception_type"`
	Message  string `json:"exception_message"`
	Subtype  string `json:"error_subtype"`
	Kind     string `json:"type"`
	Name     string `json:"name"`
	Position string `json:"position"`
}

var nearText = regexp.MustCompile(`at or near "([^"]*)"`)

// asFailure reports an error of DuckDB as the service would.
func asFailure(err error, p *printed) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	message := err.Error()
	if native, ok := errors.AsType[*duckdb.Error](err); ok {
		message = native.Msg
	}
	start := strings.IndexByte(message, '{')
	var e duckError
	if start < 0 || json.Unmarshal([]byte(message[start:]), &e) != nil {
		return fail("000603", "XX000", "the fixture's engine: %s", message)
	}
	at, _ := strconv.Atoi(e.Position)
	source, line, column := p.origin(at)
	switch {
	case e.Type == "Parser":
		near := "<EOF>"
		if m := nearText.FindStringSubmatch(e.Message); m != nil {
			near = m[1]
		}
		return fail("001003", "42000", "SQL compilation error:\nsyntax error line %d at position %d unexpected '%s'.", line, column, near)
	case e.Subtype == "COLUMN_NOT_FOUND", e.Type == "Binder" && strings.Contains(e.Message, "does not have a column named"):
		return fail("000904", "42000", "SQL compilation error: error line %d at position %d\ninvalid identifier '%s'", line, column, source)
	case e.Type == "Binder" && strings.Contains(e.Message, "must appear in the GROUP BY"):
		return fail("000979", "42601", "SQL compilation error: error line %d at position %d\n[%s] is not a valid group by expression", line, column, source)
	case e.Type == "Catalog" && strings.Contains(e.Message, "Function with name"):
		return fail("002140", "42601", "SQL compilation error:\nUnknown function %s", strings.ToUpper(e.Name))
	case e.Type == "Catalog" && strings.Contains(e.Message, "already exists"):
		return fail("002002", "42710", "SQL compilation error:\nObject '%s' already exists.", source)
	case e.Type == "Catalog" && e.Kind != "Type":
		return unknownObject("Object", strings.ReplaceAll(source, `"`, ""))
	case e.Type == "Conversion":
		return fail("100038", "22018", "Numeric value is not recognized: %s", e.Message)
	case e.Type == "Out of Range":
		return fail("100046", "22003", "Number out of representable range: %s", e.Message)
	case strings.Contains(e.Message, "ivision by zero"):
		return fail("100051", "22012", "Division by zero")
	}
	return fail("002023", "42601", "SQL compilation error: error line %d at position %d\nthe fixture's engine: %s", line, column, e.Message)
}
