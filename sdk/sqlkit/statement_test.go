package sqlkit_test

import (
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

var parseDialect = &dialect.Dialect{
	Name: "toy", String: dialect.Quote{Open: "'", Close: "'", Doubled: true}, Identifier: dialect.Quote{Open: `"`, Close: `"`, Doubled: true},
	Lexis: dialect.Lexis{
		Strings:            []dialect.Quote{{Open: "'", Close: "'", Doubled: true}},
		Identifiers:        []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}, {Open: "`", Close: "`", Backslash: true}, {Prefix: "U&", Open: `"`, Close: `"`, Doubled: true}},
		LineComments:       []dialect.LineComment{{Open: "--"}},
		BlockComments:      []dialect.BlockComment{{Open: "/*", Close: "*/"}},
		ExecutableComments: []string{"/*!"},
	},
	Guard: dialect.Guard{
		Functions: dialect.Rules("takes a lock", "get_lock", "pg_*"),
		Phrases: []dialect.Phrase{
			{Words: []string{"INTO"}, Reason: "writes"}, {Words: []string{"FOR", "UPDATE"}, Reason: "locks"}, {Words: []string{":="}, Reason: "assigns"},
		},
	},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, sql string
		want      sdk.Kind
		column    int // of the error
	}{
		{"one", "SELECT 1", "", 0},
		{"semicolons around it", " ; SELECT 1 ;; ", "", 0},
		{"a semicolon in a string", "SELECT ';'", "", 0},
		{"nothing", " -- x", sdk.KindInvalid, 0},
		{"only semicolons", ";;", sdk.KindInvalid, 0},
		{"two", "SELECT 1; DROP TABLE t", sdk.KindNotReadOnly, 11},
		{"a listed function", "SELECT get_lock('a')", sdk.KindNotReadOnly, 8},
		{"in other case, quoted, with space", `SELECT "PG_x" (1)`, sdk.KindNotReadOnly, 8},
		{"a column of that name", "SELECT get_lock FROM t", "", 0},
		{"a comment that runs", "SELECT 1 /*! INTO x */", sdk.KindNotReadOnly, 10},
		{"a name in escapes", "SELECT * FROM `\\x70g_x`", sdk.KindNotReadOnly, 15},
		{"an alias in escapes", "SELECT 1 AS `a \\` b`", "", 0},
		{"a name with a prefix behind AS", `SELECT CAST(x AS U&"d\0031")`, sdk.KindNotReadOnly, 18},
		{"a phrase", "SELECT 1 into x", sdk.KindNotReadOnly, 10},
		{"a phrase of two words", "SELECT 1 FROM t FOR /* */ UPDATE", sdk.KindNotReadOnly, 17},
		{"an operator", "SELECT @a := 1", sdk.KindNotReadOnly, 11},
		{"the start of a phrase", "SELECT 1 FROM t FOR", "", 0},
		{"a quoted name, a member and a label", `SELECT "into", x.into AS into, 'into'`, "", 0},
		{"a phrase in brackets", "SELECT (SELECT 1 INTO x)", sdk.KindNotReadOnly, 18},
		{"an open string", "SELECT 'x", sdk.KindSyntax, 8},
		{"no text", "SELECT \x00", sdk.KindSyntax, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := sqlkit.Parse(tt.sql, parseDialect)
			if sdk.KindOf(err) != tt.want {
				t.Fatalf("got %v", err)
			}
			if err == nil {
				if !s.Starts("VALUES", "SELECT") || s.Starts("SEL") || s.Start(0) != int(s.Tokens[0].Start) || s.Start(99) != len(tt.sql) {
					t.Errorf("statement %+v", s)
				}
				return
			}
			if e := sdk.AsError(err, ""); e.Pos.Column != tt.column || e.Hint == "" || e.Source != sdk.SourceCaller {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestCheckParameters(t *testing.T) {
	t.Parallel()
	if err := sqlkit.CheckParameters(2, 2); err != nil {
		t.Error(err)
	}
	if err := sqlkit.CheckParameters(2, 1); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("got %v", err)
	}
}

func TestStatementTokens(t *testing.T) {
	t.Parallel()
	d := *parseDialect
	d.Lexis.Parameters = []string{"?"}
	st, err := sqlkit.Parse(`select "FROM", ? from (t)`, &d)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		i     int
		words []string
		want  bool
	}{
		{0, []string{"WITH", "SELECT"}, true},
		{1, []string{"FROM", `"FROM"`}, false}, // a name
		{5, []string{"SELECT", "("}, true},
		{5, nil, false},
		{99, []string{"SELECT"}, false},
	} {
		if got := st.Is(tt.i, tt.words...); got != tt.want {
			t.Errorf("token %d is one of %v: %v", tt.i, tt.words, got)
		}
	}
	if got := st.Parameters(); len(got) != 1 || got[0] != "?" {
		t.Errorf("parameters: %q", got)
	}
	if e := st.NotQuery(1, "SELECT"); e.Kind != sdk.KindNotReadOnly || e.Pos.Column != 8 || e.Hint != "send one SELECT statement that only reads" {
		t.Errorf("%+v", e)
	}
}
