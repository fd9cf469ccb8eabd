package mysql

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// nearBytes is about how much of the rest of a statement a syntax error quotes.
// Source: ER_PARSE_ERROR, "near '%-.80s' at line %d", in both products'
// message files.
const nearBytes = 80

// The parts of messages in en_US, which the session asks for. They hold names,
// not meanings: what an error is comes from its number.
var (
	nearAt = regexp.MustCompile(`(?s)near '(.*)' at line (\d+)$`)

	firstQuoted = regexp.MustCompile("^[^'`]*'(.*?)'")
	lastQuoted  = regexp.MustCompile("[.'`]([^.'`]+)['`](?: doesn't exist)?$")
	named       = map[uint16]*regexp.Regexp{
		errNoColumn: firstQuoted, errUnknownTable: firstQuoted, errAmbiguous: firstQuoted, errNoDatabase: firstQuoted,
		errNoTable: lastQuoted, errTableDenied: lastQuoted, errRoutineDenied: lastQuoted,
		errColumnDenied: regexp.MustCompile("for column '(.*?)'"),
		errNoFunction:   regexp.MustCompile(`^\w+ (?:.*\.)?(.*) does not exist`),
	}
)

// statementError maps what the server says to a statement, with the place in the
// text where that can be told; nil, and another error, stay as they are.
func (s *Session) statementError(st *statement, err error) error {
	native, ok := asServerError(err)
	if !ok {
		return err
	}
	e := fromServer(native)
	switch {
	case native.Number == errSyntax:
		e.Pos = st.near(native.Message)
	default:
		if name := missingName(native.Number, native.Message); name != "" {
			e.Pos = st.Find(s.Dialect, name)
		}
	}
	return e
}

// missingName returns the name that an error is about, or "".
func missingName(number uint16, message string) string {
	pattern := named[number]
	if pattern == nil {
		return ""
	}
	if found := pattern.FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return ""
}

// near finds the place that a syntax error quotes: the rest of the statement from
// there on, cut after about 80 bytes. The end of the statement is quoted as
// nothing.
func (st *statement) near(message string) sdk.Position {
	found := nearAt.FindStringSubmatch(message)
	if found == nil {
		return sdk.Position{}
	}
	quoted := found[1]
	sent := st.SQL[:st.end]
	if quoted == "" {
		return sdk.PositionAtByte(st.SQL, int(st.Tokens[len(st.Tokens)-1].End))
	}
	if len(quoted) < nearBytes-utf8.UTFMax && strings.HasSuffix(sent, quoted) {
		return sdk.PositionAtByte(st.SQL, len(sent)-len(quoted))
	}
	if len(quoted) >= nearBytes-utf8.UTFMax {
		quoted = strings.TrimSuffix(quoted, "...") // MariaDB's mark of a cut
	}
	line, err := strconv.Atoi(found[2])
	if err != nil {
		return sdk.Position{}
	}
	// Lines count from the start of what was sent, which may be behind EXPLAIN.
	line += strings.Count(st.SQL[:st.Start(st.query)], "\n")
	var at []int
	for _, t := range st.Tokens {
		if strings.HasPrefix(sent[t.Start:], quoted) {
			at = append(at, int(t.Start))
		}
	}
	for _, offset := range at {
		if pos := sdk.PositionAtByte(st.SQL, offset); len(at) == 1 || pos.Line == line {
			return pos
		}
	}
	return sdk.Position{}
}

// Tables and views by their name, and with their database where that is not the
// connection's own; and the columns of the tables that a statement may name.
const (
	tableNamesSQL = `SELECT IF(TABLE_SCHEMA = DATABASE(), TABLE_NAME, CONCAT(TABLE_SCHEMA, '.', TABLE_NAME))
FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (%s) ORDER BY TABLE_SCHEMA = DATABASE() DESC, TABLE_NAME LIMIT 20000`
	columnNamesSQL = `SELECT DISTINCT COLUMN_NAME
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA IN (%s) AND TABLE_NAME IN (%s) ORDER BY COLUMN_NAME LIMIT 20000`
)

// suggest adds to the error about a name that does not exist the names that may
// have been meant.
func (s *Session) suggest(ctx context.Context, st *statement, e *sdk.Error) {
	names := s.tables()
	if said(e, errNoColumn) {
		names = s.names(columnNamesSQL, literals(s.cfg.schemas()), literals(st.Names(s.Dialect)))
	}
	if native, ok := asServerError(e); ok && said(e, errNoTable, errNoColumn) {
		_ = sqlkit.Suggest(ctx, e, missingName(native.Number, native.Message), names)
	}
}

// tables returns a function that lists the tables of the schemas.
func (s *Session) tables() func(context.Context) ([]string, error) {
	return s.names(tableNamesSQL, literals(s.cfg.schemas()))
}

// names returns a function that lists names by a query.
func (s *Session) names(format string, args ...any) func(context.Context) ([]string, error) {
	return s.Names(func(r *reading, _ context.Context, row func(sqlkit.Row) error) error {
		return r.queryf(format, args, row)
	})
}

// literals writes a list of strings for IN.
func literals(list []string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = literal(text)
	}
	return strings.Join(quoted, ", ")
}

var written = &dialect.Dialect{
	Identifier: dialect.Quote{Open: "`", Close: "`", Doubled: true},
	String:     dialect.Quote{Open: "'", Close: "'", Doubled: true, Backslash: true},
}

// literal and quote write a string and an identifier.
func literal(s string) string { return written.QuoteString(s) }

func quote(name string) string { return written.QuoteIdentifier(name) }
