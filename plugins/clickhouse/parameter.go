package clickhouse

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// ownParameter begins the names of the parameters that stand for @p1, @p2, … in what is sent.
	ownParameter = "_loam_"
	// booleans is the first version with the type Bool.
	booleans = "21.12"
	// maxParameterBytes bounds the values of a statement, which are sent in the address of a request. Source: the server's
	// http_max_uri_size is 1 MiB, and a byte becomes three there.
	maxParameterBytes = 256 << 10
)

// parameter is a value for {name:Type} in a statement, in the server's form Escaped.
type parameter struct{ name, value string }

// bound is a statement in which each @pN is {_loam_N:Type}, a parameter of the server itself.
type bound struct {
	sql    string
	params []parameter
	// shifts say where sql is longer than the caller's text, in order.
	shifts []shift
}

// shift says that sql is by bytes longer than the caller's text from the offset at of sql on.
type shift struct{ at, by int }

// source returns the offset in the caller's text of one in sql.
func (b *bound) source(at int) int {
	by := 0
	for _, s := range b.shifts {
		if s.at <= at {
			by = s.by
		}
	}
	return at - by
}

// bind writes a statement with the server's own parameters.
// Errors: KindInvalid for another number of values, and for {name:Type} beside them; KindUnsupported for old servers;
// KindLimit.
func (s *Session) bind(st *statement, values []sdk.Value) (*bound, error) {
	if err := sqlkit.CheckParameters(st.markers(), len(values)); err != nil || len(values) == 0 {
		return &bound{sql: st.SQL}, err
	}
	if s.Dialect.Parameter == dialect.ParameterNone {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "parameters are bound from version %s on; this server is %s", modern, s.Info.Version).
			WithHint("write the values into the statement as literals")
	}
	if at := st.ownParameters(); at >= 0 {
		return nil, st.Refuse(at, "{name:Type} beside bound parameters is refused").WithHint("write @p1, @p2, … for all values")
	}
	b := &bound{}
	types, bytes := make([]string, len(values)), 0
	for i, v := range values {
		kind, text := s.escaped(v)
		types[i], bytes = kind, bytes+len(text)
		b.params = append(b.params, parameter{ownParameter + strconv.Itoa(i+1), text})
	}
	if bytes > maxParameterBytes {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the values have %d bytes; the limit is %d", bytes, maxParameterBytes).WithHint("bind fewer or shorter values")
	}
	var sql strings.Builder
	from, by := 0, 0
	for _, t := range st.Tokens {
		n := st.marker(t)
		if n == 0 {
			continue
		}
		written := "{" + b.params[n-1].name + ":" + types[n-1] + "}"
		sql.WriteString(st.SQL[from:t.Start] + written)
		from, by = int(t.End), by+len(written)-int(t.End-t.Start)
		b.shifts = append(b.shifts, shift{sql.Len(), by})
	}
	b.sql = sql.String() + st.SQL[from:]
	return b, nil
}

// errUnbound refuses parameters where the native protocol of the server has none.
func errUnbound(server uint64) error {
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "the native protocol of this server (revision %d) has no parameters: they came with revision %d", server, bindingRevision).
		WithHint("have the connection use protocol: http, or write the values into the statement as literals")
}

// marker returns the number of a placeholder @pN; 0 = the token is none.
func (st *statement) marker(t dialect.Token) int {
	digits, ok := strings.CutPrefix(t.Text(st.SQL), "@p")
	if !ok || t.Kind != dialect.TokenParameter {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// markers is the highest number of a placeholder.
func (st *statement) markers() (most int) {
	for _, t := range st.Tokens {
		most = max(most, st.marker(t))
	}
	return most
}

// ownParameters returns the token with which a {name:Type} begins; -1 = there is none. With the type Identifier it would
// name a table that nobody has looked at.
func (st *statement) ownParameters() int {
	for i := range st.Tokens {
		if i+2 >= len(st.Tokens) || !st.Tokens[i].Is(st.SQL, "{") {
			continue
		}
		if kind := st.Tokens[i+1].Kind; kind == dialect.TokenWord || kind == dialect.TokenQuoted {
			return i
		}
	}
	return -1
}

// escape writes a text in the form Escaped. Source: the server's writeAnyEscapedString.
var escape = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\b", `\b`, "\f", `\f`)

// escaped returns the type of a value and its text.
func (s *Session) escaped(v sdk.Value) (kind, text string) {
	switch v := v.(type) {
	case nil:
		return "Nullable(String)", `\N`
	case bool:
		if s.newer(booleans) {
			return "Bool", strconv.FormatBool(v)
		}
		return "UInt8", map[bool]string{true: "1", false: "0"}[v]
	case int64:
		return "Int64", strconv.FormatInt(v, 10)
	case float64:
		return "Float64", strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		return "String", escape.Replace(string(v))
	}
	return "String", escape.Replace(fmt.Sprint(v))
}
