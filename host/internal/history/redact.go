package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk/dialect"
)

// Arguments says how much of a call's arguments is recorded.
//
// An audit trail is read to learn which tables were queried, by whom, how and how often. Names
// and the form of a statement answer that. Its literals are what somebody searched for: names
// of persons, addresses, account numbers. A warehouse protects them by permissions; a file
// beside the project does not. So Shape, the default, records names and forms without values.
// Full is for those who must know exactly what was asked, and may. Secrets that the host knows
// are removed in both. Arguments longer than 4 KiB are cut and end with "…"; of those sent
// with more than 64 KiB only the size is recorded.
type Arguments string

const (
	// Shape records connections, tables, fields, limits and the like, SQL with ? for each
	// literal and without comments, and the length of other text.
	Shape Arguments = "shape"
	// Full records the arguments as they were sent; those of textTools as Shape does.
	Full Arguments = "full"
	// None records only their size.
	None Arguments = "none"
)

// textTools are the tools of whose texts only the length is recorded, also with Full: the texts themselves
// are stored without their secrets.
var textTools = words(`memory_ingest ingest_source_files`)

// named are the members of arguments whose values are names, or expressions of names; those of
// all others are texts or values. It is an allow list: a new member is masked until it is
// added here.
var named = words(`connectionId connection_id connection connections kinds limit offset maxRows max_rows
	entities table tables catalog db schema columns column source sources name key keys
	measures dimensions segments order_by orderBy field fields granularity direction op include
	include_empty fill_gaps totals limit_per by n rest time_zone fanout date_ranges filters expr sql repo`)

// askTool is the tool of a question that was put to a person. Its own members are made by the host, of names and days;
// values that were offered are in members of another name.
const askTool = "elicitation/create"

var asked = words(`tool code choices choice`)

// statements are the members whose values are SQL, or an expression instead of a name.
var statements = words(`sql expr filters measures dimensions order_by orderBy`)

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// maxName is the longest text that counts as a name, in bytes.
const maxName = 200

// plain reports whether a text is a name or a path of names, and so contains no literal.
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

// valuesOnly are the members whose members are named by the caller, or are texts: all their values are masked.
var valuesOnly = words(`parameters exampleUsage example_usage files`)

// mask removes the values from arguments.
type mask struct {
	dialects []dialect.Dialect
	asked    bool // they are those of a question
}

// value returns v, the value of the member name, without values.
func (m *mask) value(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for member, inner := range v {
			if !plain(member) {
				member = "…"
			}
			within := member
			if valuesOnly[name] {
				within = name
			}
			out[member] = m.value(within, inner)
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
	case m.asked && asked[name] && !slices.ContainsFunc(strings.Fields(v), func(word string) bool { return !plain(word) && !isDay(word) }):
		return v
	case named[name] && plain(v), name == "uri" && plain(strings.Replace(v, "://", "/", 1)):
		return v
	case statements[name]:
		return m.statement(v)
	default:
		return hidden(v)
	}
}

func isDay(word string) bool {
	_, err := time.Parse(time.DateOnly, word)
	return err == nil
}

// hiddenPrefix begins what stands for a text of which only the length is recorded.
const hiddenPrefix = "… ("

func hidden(v string) string {
	return fmt.Sprintf(hiddenPrefix+"%d characters)", utf8.RuneCountInString(v))
}

// statement returns SQL without literals and comments, on one line, tokenized with the
// connection's dialects. If none can tokenize it, only its length remains: the ends of its
// literals are not known.
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
			// Some engines treat an unknown quoted name as a string.
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

// row returns the row of a call.
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
		if arguments = string(c.Arguments); textTools[c.Tool] {
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

// shapes caches the masked arguments of recent calls. The zero value is ready.
// Units: at most maxShapes of at most maxKept bytes each, as sent.
type shapes struct{ known map[shapeKey]shape }

// maxShapes bounds the entries of shapes; then it is cleared.
const maxShapes = 256

type shapeKey struct{ connection, arguments string } // as the call has them

// shape is masked arguments, and the connection and dialects that they were read with.
type shape struct {
	text       string
	connection string // of the call, else the one that the arguments name
	dialects   []dialect.Dialect
}

// of returns the cached shape of a call's arguments; ok is false when there is none, or the
// connection's dialects have changed.
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

// members parses arguments; nil = they are not a JSON object.
func members(arguments json.RawMessage) (sent map[string]any) {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	if d.Decode(&sent) != nil {
		return nil
	}
	return sent
}

// shape returns the arguments without values. If it panics, the call is recorded without
// arguments.
func (w *writer) shape(c *Call) (is shape) {
	defer func() {
		if p := recover(); p != nil {
			w.recorder.config.Logger.LogAttrs(w.recorder.writing, slog.LevelError, "the arguments of a call could not be kept", slog.Any("panic", p))
			is = shape{connection: is.connection}
		}
	}()
	is.connection = c.Connection
	if c.own {
		is.text = string(c.Arguments)
		return is
	}
	question := c.Tool == askTool
	if known, ok := w.shapes.of(c, w.dialectsOf); ok && !question {
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
	if err := enc.Encode((&mask{dialects: is.dialects, asked: question}).value("", sent)); err != nil {
		return shape{connection: is.connection}
	}
	is.text = cut(strings.TrimSuffix(b.String(), "\n"), maxKept)
	if !question {
		w.shapes.keep(c.Connection, c.Arguments, is)
	}
	return is
}

// connectionIn returns the connection that arguments name; "" = none, or not a valid id.
func connectionIn(sent map[string]any) string {
	for _, name := range []string{"connectionId", "connection_id", "connection"} {
		if id, ok := sent[name].(string); ok && plain(id) {
			return id
		}
	}
	return ""
}

// word returns a text of a client on one line, cut to maxWord.
func word(s string) string {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if strings.ContainsFunc(s, control) {
		s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "�"), control), " ")
	}
	return cut(s, maxWord)
}

// cut shortens a text to most bytes, at the end of a character and with "…".
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
