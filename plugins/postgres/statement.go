package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// statement is SQL on its way to the server.
type statement struct {
	sql    string
	parsed *sqlkit.Statement // nil for the connector's own
	first  int               // where its first word is
	// query is where in sql the query starts that the server must accept as the
	// query of a cursor: first, behind EXPLAIN and its options, or -1 for SHOW.
	query   int
	params  [][]byte
	formats []int16
	// types are the OIDs of the parameters' types; 0 = the server infers it.
	types []uint32
}

// The types of parameters that are not inferred. Source: pg_type.dat.
const (
	oidBool = 16
	oidInt8 = 20
	oidInt4 = 23
)

// key identifies a statement with the types of its parameters, on which those of its result depend.
func (st *statement) key() string {
	if !slices.ContainsFunc(st.types, func(oid uint32) bool { return oid != 0 }) {
		return st.sql
	}
	return st.sql + "\x00" + fmt.Sprint(st.types)
}

// parse looks at a caller's text for what the server's own check does not see.
// Errors: those of sqlkit.Parse.
func (s *Session) parse(sql string) (*statement, error) {
	parsed, err := sqlkit.Parse(sql, s.Dialect)
	if err != nil {
		return nil, err
	}
	st := &statement{sql: sql, parsed: parsed, first: parsed.Start(0), query: parsed.Start(0)}
	switch {
	case parsed.Starts("SHOW"):
		st.query = -1
	case parsed.Starts("EXPLAIN"):
		st.query = parsed.Start(explained(parsed))
	}
	return st, nil
}

// explained returns the token at which the statement starts that EXPLAIN explains.
func explained(st *sqlkit.Statement) int {
	i := 1
	if len(st.Tokens) > 2 && st.Is(1, "(") && st.Tokens[2].Kind == dialect.TokenWord && !st.Is(2, "SELECT", "WITH", "VALUES", "TABLE") {
		for i < len(st.Tokens) && !st.Is(i, ")") {
			i++
		}
		return i + 1
	}
	for _, option := range []string{"ANALYZE", "ANALYSE", "VERBOSE"} {
		if st.Is(i, option) {
			i++
		}
	}
	return i
}

// literal reports whether the statement has a string that calls functions while the
// server parses it: it is read as a value of its type then, with the checks of an array's
// or row's domains and the functions of a range. Such a value has a bracket, which an
// escape may hide. any: every string counts, for a type of its own reads it.
func (st *statement) literal(any bool) bool {
	return slices.ContainsFunc(st.parsed.Tokens, func(t dialect.Token) bool {
		return t.Kind == dialect.TokenString && (any || strings.ContainsAny(t.Text(st.sql), "{[(\\") || t.Text(st.sql)[0]|0x20 == 'u')
	})
}

// bind encodes the parameters. Numbers without a fraction and booleans have the type that a literal would have: among
// parameters alone the server would infer text, and compare 9 and 10 as texts. It infers the type of the others; text is
// its universal form, and only bytes are binary.
func (st *statement) bind(values []sdk.Value) {
	st.params, st.formats, st.types = nil, nil, nil
	for _, v := range values {
		var raw []byte
		var oid uint32
		format := int16(textFormat)
		switch v := v.(type) {
		case bool:
			raw, oid = strconv.AppendBool(nil, v), oidBool
		case int64:
			raw, oid = strconv.AppendInt(nil, v, 10), oidInt8
			if int64(int32(v)) == v {
				oid = oidInt4
			}
		case float64:
			raw = strconv.AppendFloat(nil, v, 'g', -1, 64)
		case string:
			raw = append([]byte{}, v...)
		case []byte:
			raw, format = append([]byte{}, v...), binaryFormat
		}
		st.params, st.formats, st.types = append(st.params, raw), append(st.formats, format), append(st.types, oid)
	}
}
