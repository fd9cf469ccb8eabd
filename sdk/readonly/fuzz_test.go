package readonly_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func allDialects() []dialect.Dialect {
	var all []dialect.Dialect
	for _, list := range engines() {
		all = append(all, list...)
	}
	return all
}

// FuzzCheck: no text panics; a refusal is complete; an accepted text holds one
// statement and stays accepted when comments are put between its tokens.
func FuzzCheck(f *testing.F) {
	all := allDialects()
	for _, seed := range []string{
		"SELECT 1", "WITH a (b) AS NOT MATERIALIZED (SELECT 1) SELECT b FROM a;", "EXPLAIN (FORMAT JSON) SELECT 1 -- x\n;",
		"WITH 1 AS x SELECT x", "SELECT 1; DELETE FROM t", "SELECT E'\\''; DELETE FROM t --'", "(((SELECT 1)) UNION (VALUES (1)))",
		"WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY x SET y CYCLE x SET z TO 1 DEFAULT 0 USING p SELECT 1",
		"SELECT * INTO t FROM u", "SELECT a.into, 1 AS into FROM t FOR UPDATE", "SHOW TABLES", "DESC ANALYZE t", "SELECT 1 SELECT 2",
		"SELECT 'a'\n'b', $$ ; $$, [a], `b`, r'''c''', x[1:2], {'a': 1} // c\n# d\n/*! e */", "SELECT read_csv('x'), `\\x66ile`('y')",
	} {
		for i := range all {
			f.Add(uint8(i), seed)
		}
	}
	for i := range all {
		for _, c := range corpus.For(&all[i]) {
			f.Add(uint8(i), c.SQL)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, sql string) {
		d := &all[int(which)%len(all)]
		if err := readonly.Check(sql, d); err != nil {
			checkRefusal(t, sql, err)
			return
		}
		tokens, err := d.Tokens(sql, nil)
		if err != nil {
			t.Fatalf("%s: %q is accepted and has no tokens: %v", d.Name, sql, err)
		}
		if two(sql, tokens) {
			t.Fatalf("%s: %q has two statements and is accepted", d.Name, sql)
		}
		if slices.ContainsFunc(tokens, func(token dialect.Token) bool { return token.Is(sql, "#") }) {
			return // a space behind it would make it a comment in some dialects
		}
		var b strings.Builder
		end := int32(0)
		for _, token := range tokens {
			b.WriteString(sql[end:token.Start] + " /* it's ; */ " + token.Text(sql))
			end = token.End
		}
		b.WriteString("\n-- done; \n")
		if err := readonly.Check(b.String(), d); err != nil && sdk.KindOf(err) != sdk.KindLimit {
			t.Fatalf("%s: %q is accepted, with comments %q it is not: %v", d.Name, sql, b.String(), err)
		}
	})
}

func checkRefusal(t *testing.T, sql string, err error) {
	t.Helper()
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Msg == "" || e.Hint == "" || e.Source != sdk.SourceCaller {
		t.Fatalf("%q: incomplete refusal %#v", sql, err)
	}
	switch e.Kind {
	case sdk.KindNotReadOnly, sdk.KindSyntax:
		if e.Pos.IsZero() {
			t.Fatalf("%q: no position in %v", sql, e)
		}
	case sdk.KindInvalid, sdk.KindLimit:
	default:
		t.Fatalf("%q: kind %s", sql, e.Kind)
	}
}

// two reports whether tokens follow a semicolon that follows tokens.
func two(sql string, tokens []dialect.Token) bool {
	isEnd := func(token dialect.Token) bool { return token.Is(sql, ";") }
	first := slices.IndexFunc(tokens, func(token dialect.Token) bool { return !isEnd(token) })
	if first < 0 {
		return false
	}
	rest := tokens[first:]
	end := slices.IndexFunc(rest, isEnd)
	return end >= 0 && slices.ContainsFunc(rest[end:], func(token dialect.Token) bool { return !isEnd(token) })
}

// Text that may surround a write without turning it into a string, a comment or
// a column, and the writes.
var (
	noise = []string{
		" ", "\t", "\r\n", "\v", "\f", "/* ' */", "/**/", "-- \"\n", "(", "((", ";", "SELECT 1;", "SELECT '1';", "VALUES (1);",
		"EXPLAIN ", "explain ", "EXPLAIN (", "WITH x AS (", "WITH x (a, b) AS MATERIALIZED (",
		"WITH x AS (SELECT 1) ", "WITH RECURSIVE x AS (SELECT 1), y AS NOT MATERIALIZED (", "SELECT * FROM (", "SELECT (",
		"SELECT 1 WHERE EXISTS (", "SELECT 1 UNION ALL (", "SELECT ARRAY(", "(WITH x AS (SELECT 1)", "\uFEFF", "\u00A0", "\u3000",
	}
	tails = []string{
		"", " ", ";", ")", "))", ") SELECT 1", ") SELECT * FROM x", ") AS y", "; SELECT 1", "-- '\n", "/* */", " RETURNING *) SELECT * FROM x",
		") TABLE x;", ") = 1", "\x00", ";;",
	}
	writes = []string{
		"INSERT INTO t VALUES (1)", "insert into t select 1", "UPDATE t SET a = 1", "update s.t as x set a = 1", "DELETE FROM t",
		"dElEtE/**/fRoM t WHERE 1 = 1", "MERGE INTO t USING u ON 1 = 1 WHEN MATCHED THEN DELETE", "CREATE TABLE t (a INT)",
		"CREATE OR REPLACE VIEW v AS SELECT 1", "DROP TABLE t", "ALTER TABLE t ADD COLUMN b INT", "TRUNCATE TABLE t",
	}
)

// FuzzWriteIsRefused: a write with anything around it is never accepted.
func FuzzWriteIsRefused(f *testing.F) {
	all := allDialects()
	for i := range writes {
		f.Add(uint8(i), uint8(i), []byte{}, uint8(0))
		f.Add(uint8(i), uint8(i), []byte{18, 5}, uint8(6))
		f.Add(uint8(i), uint8(i), []byte{14, 22}, uint8(7))
	}
	f.Fuzz(func(t *testing.T, which, write uint8, before []byte, after uint8) {
		d := &all[int(which)%len(all)]
		explains := slices.ContainsFunc(d.Guard.Statements, func(s dialect.Statement) bool { return s.Kind == dialect.StatementExplain })
		var b strings.Builder
		for _, n := range before[:min(len(before), 30)] {
			text := noise[int(n)%len(noise)]
			if explains || !strings.HasPrefix(strings.ToUpper(text), "EXPLAIN") { // elsewhere just a word
				b.WriteString(text)
			}
		}
		b.WriteString(writes[int(write)%len(writes)])
		b.WriteString(tails[int(after)%len(tails)])
		if err := readonly.Check(b.String(), d); err == nil {
			t.Fatalf("%s accepts %q", d.Name, b.String())
		}
	})
}
