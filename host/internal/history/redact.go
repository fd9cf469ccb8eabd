package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk/dialect"
)

// Arguments says how much of the arguments of a call is kept.
//
// What a trail is read for is which tables were asked, by whom, how and how
// often. That stands in the names and in the form of a statement. The literals
// in it are what somebody looked for: names of persons, addresses, numbers of
// accounts, which a warehouse guards with permissions of its own and a file
// beside the project does not. So Shape, the default, keeps names and forms and
// takes the values out; Full is for those who have to know exactly what was
// asked and may. Secrets that the host knows are taken out of both, and what is
// long is cut with a word that says so.
type Arguments string

const (
	// Shape keeps connections, tables, fields, limits and the like, and SQL with
	// a ? for each literal and without comments; of other text its length.
	Shape Arguments = "shape"
	// Full keeps the arguments as they were sent.
	Full Arguments = "full"
	// None keeps nothing but their size.
	None Arguments = "none"
)

// ingestTool is the tool whose text is kept by its length alone, also with Full: memory
// keeps the text itself, without the secrets in it.
const ingestTool = "memory_ingest"

// named are the members of arguments that hold names, and expressions of names;
// what others hold is somebody's text or a value. A member that is new and not
// in here is not kept: that way round nothing gets out by being forgotten.
var named = words(`connectionId connection_id connection connections kinds limit offset maxRows max_rows
	entities table tables catalog db schema columns column source sources name key keys
	measures dimensions segments order_by orderBy field fields granularity direction op include
	include_empty fill_gaps totals limit_per by n rest time_zone fanout date_ranges filters expr sql`)

// statements are the members that hold SQL, or an expression where a name may
// stand.
var statements = words(`sql expr filters measures dimensions order_by orderBy`)

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// maxName bounds what is taken for a name, in bytes.
const maxName = 200

// plain reports whether a text is a name or a path of names: nothing in it can
// be a literal.
func plain(s string) bool {
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || r == '_':
		case i > 0 && (unicode.IsNumber(r) || strings.ContainsRune(".$/-", r)):
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// mask writes arguments without their values.
type mask struct{ dialects []dialect.Dialect }

// value returns v, a member of what is called name, without values.
func (m *mask) value(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for member, inner := range v {
			if !plain(member) {
				member = "…"
			}
			out[member] = m.value(member, inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = m.value(name, v[i])
		}
		return out
	case string:
		return m.text(name, v)
	case json.Number:
		if named[name] {
			return v
		}
		return "…"
	default: // true, false, null
		return v
	}
}

func (m *mask) text(name, v string) string {
	switch {
	case named[name] && plain(v):
		return v
	case statements[name]:
		return m.statement(v)
	default:
		return hidden(v)
	}
}

func hidden(v string) string { return fmt.Sprintf("… (%d characters)", utf8.RuneCountInString(v)) }

// statement is SQL without literals and comments, in one line, read as the
// connection's engine reads it. What none can read is not kept: where a literal
// ends is then anybody's guess.
func (m *mask) statement(text string) string {
	for i := range m.dialects {
		d := &m.dialects[i]
		tokens, err := d.Tokens(text, nil)
		if err != nil {
			continue
		}
		return joined(d, text, tokens)
	}
	return hidden(text)
}

func joined(d *dialect.Dialect, text string, tokens []dialect.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t.Start > tokens[i-1].End {
			b.WriteByte(' ')
		}
		switch t.Kind {
		case dialect.TokenString, dialect.TokenNumber:
			b.WriteByte('?')
		case dialect.TokenQuoted:
			// Some engines take a quoted name that they do not know for a string.
			if plain(strings.ReplaceAll(d.Unquote(text, t), " ", "_")) {
				b.WriteString(t.Text(text))
			} else {
				b.WriteByte('?')
			}
		default:
			b.WriteString(t.Text(text))
		}
	}
	return b.String()
}

// row is a call as it is kept.
func (w *writer) row(c *Call) store.Call {
	arguments := ""
	switch {
	case w.settings.Arguments == Shape:
		s := w.shape(c)
		arguments, c.Connection = s.text, s.connection
	case c.Connection == "":
		c.Connection = connectionIn(members(c.Arguments))
	}
	if w.settings.Arguments == Full {
		if arguments = string(c.Arguments); c.Tool == ingestTool {
			arguments = w.shape(c).text
		}
	}
	return store.Call{
		Request: c.Request, Started: c.Started, Duration: c.Elapsed, Tool: c.Tool, Connection: word(c.Connection),
		Outcome: c.Outcome, Incident: c.Incident, Rows: c.Rows, Bytes: c.Bytes,
		Client: word(c.Caller.Client), ClientVersion: word(c.Caller.Version), Transport: c.Caller.Transport,
		Principal: c.Caller.Principal, Session: c.Caller.Session,
		Arguments: cut(arguments, maxKept), ArgumentsBytes: c.size,
	}
}

// shapes are arguments without values, of those that came last: who asks the same
// again is not read again. The zero value is ready.
// Units: at most maxShapes of at most maxKept bytes each, as sent.
type shapes struct{ known map[shapeKey]shape }

// maxShapes is how many are kept.
const maxShapes = 256

type shapeKey struct{ connection, arguments string } // as the call has them

// shape is what arguments become, read with the dialects of a connection.
type shape struct {
	text       string
	connection string // that was worked on, else the one that is named
	dialects   []dialect.Dialect
}

// of returns what is known of a call's arguments; ok is false when nothing is, or it
// was read with other dialects than those of now.
func (s *shapes) of(c *Call, now func(connection string) []dialect.Dialect) (_ shape, ok bool) {
	known, ok := s.known[shapeKey{c.Connection, string(c.Arguments)}]
	if !ok {
		return shape{}, false
	}
	dialects := now(known.connection)
	return known, len(dialects) == len(known.dialects) && (len(dialects) == 0 || &dialects[0] == &known.dialects[0])
}

func (s *shapes) keep(connection string, arguments []byte, is shape) {
	if len(arguments) > maxKept {
		return
	}
	if len(s.known) >= maxShapes || s.known == nil {
		s.known = map[shapeKey]shape{}
	}
	s.known[shapeKey{connection, string(arguments)}] = is
}

// members reads arguments; what is no object names no connection and has no
// shape.
func members(arguments json.RawMessage) (sent map[string]any) {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	if d.Decode(&sent) != nil {
		return nil
	}
	return sent
}

// shape returns the arguments without values. A fault in that costs the arguments of
// one call.
func (w *writer) shape(c *Call) (is shape) {
	defer func() {
		if p := recover(); p != nil {
			w.recorder.config.Logger.LogAttrs(w.recorder.writing, slog.LevelError, "the arguments of a call could not be kept", slog.Any("panic", p))
			is = shape{connection: is.connection}
		}
	}()
	is.connection = c.Connection
	if known, ok := w.shapes.of(c, w.dialectsOf); ok {
		return known
	}
	sent := members(c.Arguments)
	if is.connection == "" {
		is.connection = connectionIn(sent)
	}
	if sent == nil {
		return is
	}
	is.dialects = w.dialectsOf(is.connection)
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode((&mask{dialects: is.dialects}).value("", sent)); err != nil {
		return shape{connection: is.connection}
	}
	is.text = cut(strings.TrimSuffix(b.String(), "\n"), maxKept)
	w.shapes.keep(c.Connection, c.Arguments, is)
	return is
}

// connectionIn is the connection that arguments name; only what can be the name
// of one.
func connectionIn(sent map[string]any) string {
	for _, name := range []string{"connectionId", "connection_id", "connection"} {
		if id, ok := sent[name].(string); ok && plain(id) {
			return id
		}
	}
	return ""
}

// word is what a client says of itself, on one line and short.
func word(s string) string {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if strings.ContainsFunc(s, control) {
		s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "�"), control), " ")
	}
	return cut(s, maxWord)
}

// cut shortens a text at a character's end, and says so.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
