package mysql

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// bodyStatements are the statements that may stand in the body of a routine and
// leave nothing outside the read-only transaction and the session: they compute,
// they write what the transaction refuses, or the server refuses them in whatever
// a function runs (error 1422: a commit, said or implied; 1336: dynamic SQL,
// FLUSH and RESET; 1415: a result set).
//
// Every other one has an effect of its own, as the definer of the function, and
// no transaction stops it: SHUTDOWN, KILL, CHANGE MASTER, START SLAVE, PURGE,
// BINLOG run from a plain SELECT of a view.
// Source: MariaDB 10.11, each tried; MySQL's manual, "Restrictions on Stored
// Programs".
var bodyStatements = strings.Fields(`SELECT WITH VALUES TABLE INSERT UPDATE DELETE REPLACE RETURN SET DO CALL
	DECLARE OPEN FETCH CLOSE LEAVE ITERATE SIGNAL RESIGNAL GET SHOW EXPLAIN DESCRIBE DESC ANALYZE
	COMMIT ROLLBACK SAVEPOINT RELEASE PREPARE EXECUTE DEALLOCATE FLUSH RESET
	CREATE ALTER DROP RENAME TRUNCATE GRANT REVOKE CHECK CHECKSUM OPTIMIZE REPAIR LOCK UNLOCK`)

// leak is why the body of a routine can leave the read-only transaction by
// itself, or "". What it names is another question.
func leak(d *dialect.Dialect, body, sqlMode string) string {
	for _, mode := range strings.Split(sqlMode, ",") {
		if mode == "ANSI_QUOTES" || mode == "ORACLE" || mode == "NO_BACKSLASH_ESCAPES" && strings.Contains(body, `\`) {
			return "is written for sql_mode " + mode + ", which is not read"
		}
	}
	tokens, err := d.Tokens(body, nil)
	if err != nil {
		return "has a body that cannot be read (" + err.Error() + ")"
	}
	b := &routine{text: body, tokens: tokens}
	for b.at < len(tokens) {
		if reason := b.statement(); reason != "" {
			return reason
		}
	}
	return ""
}

// routine is a body on its way to be read. It is read statement by statement:
// blocks are opened and left as their words come, so that nothing nests.
type routine struct {
	text   string
	tokens []dialect.Token
	at     int
}

func (b *routine) is(i int, words ...string) bool {
	return i < len(b.tokens) && slices.ContainsFunc(words, func(word string) bool {
		return b.tokens[i].IsWord(b.text, word) || b.tokens[i].Is(b.text, word)
	})
}

// statement reads what begins here: a word of a block, or a whole statement.
func (b *routine) statement() string {
	switch {
	case b.is(b.at, ";", "LOOP", "REPEAT", "ELSE"):
		b.at++
	case b.is(b.at+1, ":"): // a label
		b.at += 2
	case b.is(b.at, "BEGIN"):
		b.at++
		if b.is(b.at, "NOT") { // NOT ATOMIC
			b.at += 2
		}
	case b.is(b.at, "IF", "ELSEIF", "WHEN", "CASE"):
		b.until("THEN")
	case b.is(b.at, "WHILE"):
		b.until("DO")
	case b.is(b.at, "FOR"):
		b.until("DO", "LOOP")
	case b.is(b.at, "UNTIL"):
		b.until("END")
		b.until(";")
	case b.is(b.at, "END"):
		b.until(";")
	case b.is(b.at, "DECLARE") && b.is(b.at+2, "HANDLER"):
		b.handler()
	case b.is(b.at, "SET") && b.is(b.at+1, "STATEMENT"): // SET STATEMENT x = 1 FOR SELECT …
		b.until("FOR")
	default:
		return b.leaf()
	}
	return ""
}

// until moves behind one of the words, past the CASE … END of expressions. A
// semicolon ends it, too.
func (b *routine) until(words ...string) {
	depth := 0
	for b.at++; b.at < len(b.tokens); b.at++ {
		switch {
		case b.is(b.at, ";"), depth == 0 && b.is(b.at, words...):
			b.at++
			return
		case b.is(b.at, "CASE"):
			depth++
		case b.is(b.at, "END") && depth > 0:
			depth--
		}
	}
}

// handler moves behind the conditions of DECLARE … HANDLER FOR, to its statement.
func (b *routine) handler() {
	b.at += 4 // DECLARE CONTINUE HANDLER FOR
	for b.at < len(b.tokens) {
		switch {
		case b.is(b.at, "NOT"): // FOUND
			b.at += 2
		case b.is(b.at, "SQLSTATE"):
			b.at++
			if b.is(b.at, "VALUE") {
				b.at++
			}
			b.at++
		default:
			b.at++
		}
		if !b.is(b.at, ",") {
			return
		}
		b.at++
	}
}

// leaf reads a statement up to its semicolon.
func (b *routine) leaf() string {
	first := b.at
	if !b.is(first, "(") && !slices.ContainsFunc(bodyStatements, func(word string) bool { return b.is(first, word) }) &&
		!(b.is(first, "START") && b.is(first+1, "TRANSACTION")) || b.is(first, "ALTER") && b.is(first+1, "INSTANCE") {
		return "runs " + b.words(first)
	}
	reason := ""
	for ; b.at < len(b.tokens) && !b.is(b.at, ";"); b.at++ {
		switch i := b.at; {
		case b.is(i, "INTO") && b.is(i+1, "OUTFILE", "DUMPFILE"):
			reason = "writes a file of the server (" + b.words(i) + ")"
		case b.is(first, "SET") && b.global(i):
			reason = "changes a setting of the server (SET GLOBAL)"
		}
	}
	b.at++
	return reason
}

// global reports whether token i makes a SET one of the whole server.
func (b *routine) global(i int) bool {
	if b.is(i, "GLOBAL", "PERSIST", "PERSIST_ONLY", "PASSWORD") {
		return !b.is(i-1, ".", "=")
	}
	text := strings.ToUpper(b.tokens[i].Text(b.text))
	return strings.HasPrefix(text, "@@GLOBAL") || strings.HasPrefix(text, "@@PERSIST")
}

// words are the first ones of a statement, for a message.
func (b *routine) words(i int) string {
	var words []string
	for ; i < len(b.tokens) && len(words) < 2 && b.tokens[i].Kind == dialect.TokenWord; i++ {
		words = append(words, strings.ToUpper(b.tokens[i].Text(b.text)))
	}
	if len(words) == 0 {
		return "a statement that is not known"
	}
	return strings.Join(words, " ")
}
