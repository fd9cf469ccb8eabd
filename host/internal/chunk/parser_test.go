package chunk

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, text string
		want             []Piece
	}{
		{"nothing", "a.txt", "", nil},
		{"blank lines", "a.txt", "\n \n\t\n", nil},
		{"lines", "a.txt", "\none\ntwo\n\n", []Piece{{"", 2, 3, "one\ntwo"}}},
		{"headings", "a.md", "Intro\n# Terms #\ntext\n## ARR\nsum\n### Deep\nx\n## Churn\ny\n# Other\nz\n", []Piece{
			{"", 1, 1, "Intro"}, {"Terms", 2, 3, "# Terms #\ntext"}, {"Terms › ARR", 4, 5, "## ARR\nsum"}, {"Terms › ARR › Deep", 6, 7, "### Deep\nx"},
			{"Terms › Churn", 8, 9, "## Churn\ny"}, {"Other", 10, 11, "# Other\nz"},
		}},
		{"headings under lines", "a.md", "Terms\n=====\ntext\n\nARR\n---\nsum\n\n---\nrule\n- item\n---\n", []Piece{
			{"Terms", 1, 3, "Terms\n=====\ntext"}, {"Terms › ARR", 5, 12, "ARR\n---\nsum\n\n---\nrule\n- item\n---"},
		}},
		{"no heading in code and metadata", "a.md", "---\ntitle: x\n---\n# A\n```\n# no\n```\n~~~~\n~~~\n# no\n~~~~\n#no\n####### no\n    # no\n", []Piece{
			{"", 1, 3, "---\ntitle: x\n---"}, {"A", 4, 14, "# A\n```\n# no\n```\n~~~~\n~~~\n# no\n~~~~\n#no\n####### no\n    # no"},
		}},
		{"statements", "a.sql", "-- all; of it\nSELECT ';' FROM a; -- done\nSELECT 1;;\n\n/* a; b */\nCREATE FUNCTION f() AS $x$ a; b $x$;\nSELECT \"a;b\", $1;", []Piece{
			{"SELECT ';' FROM a; -- done", 1, 2, "-- all; of it\nSELECT ';' FROM a; -- done"}, {"SELECT 1;;", 3, 3, "SELECT 1;;"},
			{"CREATE FUNCTION f() AS $x$ a; b $x$;", 5, 6, "/* a; b */\nCREATE FUNCTION f() AS $x$ a; b $x$;"}, {`SELECT "a;b", $1;`, 7, 7, `SELECT "a;b", $1;`},
		}},
		{"a quote that is not closed", "a.sql", "SELECT 'a;\nSELECT 1;\n", []Piece{{"SELECT 'a;", 1, 2, "SELECT 'a;\nSELECT 1;"}}},
		{"a statement over lines", "a.sql", "SELECT a\nFROM b\n;\nSELECT 2\n", []Piece{{"SELECT a", 1, 3, "SELECT a\nFROM b\n;"}, {"SELECT 2", 4, 4, "SELECT 2"}}},
		{"functions", "a.go", "package a\n\nimport \"x\"\n\n// F is f.\nfunc F() {\n\tx\n\n\ty\n}\nfunc G() {\n}\n", []Piece{
			{"package a", 1, 1, "package a"}, {`import "x"`, 3, 3, `import "x"`}, {"func F() {", 5, 10, "// F is f.\nfunc F() {\n\tx\n\n\ty\n}"}, {"func G() {", 11, 12, "func G() {\n}"},
		}},
		{"indentation alone", "a.py", "import os\n@cached\ndef f():\n    return 1\ndef g():\n    pass\n", []Piece{
			{"import os", 1, 4, "import os\n@cached\ndef f():\n    return 1"}, {"def g():", 5, 6, "def g():\n    pass"},
		}},
		{"keys", "a.yaml", "name: a\nmeasures:\n  - b\nother:\n  c: d\n", []Piece{{"name: a", 1, 3, "name: a\nmeasures:\n  - b"}, {"other:", 4, 5, "other:\n  c: d"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ParserOf(tt.file).Split(tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestPiecesAreSmall(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("ü", 30) + "\n"
	text := "# Long\n" + strings.Repeat(line, 200) + strings.Repeat("é", maxPiece) + "\nend\n"
	pieces := ParserOf("a.md").Split(text)
	for i, p := range pieces {
		if len(p.Text) > maxPiece || !utf8.ValidString(p.Text) || p.Heading != "Long" {
			t.Errorf("piece %d of %q has %d bytes, valid: %v", i, p.Heading, len(p.Text), utf8.ValidString(p.Text))
		}
	}
	if last := pieces[len(pieces)-1]; last.First != 203 || last.Last != 203 || last.Text != "end" {
		t.Errorf("the last piece is %+v", last)
	}
}

func TestParserOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"README.MD": "markdown", "a/b.sql": "sql", "x.go": "code", "x.yml": "code", "x.json": "raw-text", "Makefile": "raw-text", "a.": "raw-text", "x.unknown": "raw-text",
	} {
		if got := ParserOf(name).ID; got != want {
			t.Errorf("%s is read as %s, not %s", name, got, want)
		}
	}
	_, err := ParserByID("pdf")
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindInvalid || !strings.Contains(e.Hint, "raw-text, markdown, sql, code") {
		t.Errorf("an unknown parser: %+v", e)
	}
}

// FuzzSplit checks of every parser that it loses nothing but white space, that its pieces are small and in
// order, and that their lines are those of the text.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "# A\nb\n=\n", "SELECT $a$;'\"`;\n;", "```\n---\n\t\n}\nend", "---\n---\n", strings.Repeat("x\n", 5000), strings.Repeat("\xff", 5000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		for _, p := range parsers {
			var all strings.Builder
			last := 0
			for _, piece := range p.Split(text) {
				all.WriteString(piece.Text)
				if len(piece.Text) > maxPiece || len(piece.Heading) > maxHeading || blank(piece.Text) {
					t.Fatalf("%s: a piece of %d bytes, with a heading of %d", p.ID, len(piece.Text), len(piece.Heading))
				}
				if piece.First < max(last, 1) || piece.Last < piece.First || piece.Last > len(lines) {
					t.Fatalf("%s: lines %d to %d after %d", p.ID, piece.First, piece.Last, last)
				}
				last = piece.Last
				if !strings.Contains(strings.Join(lines[piece.First-1:piece.Last], "\n"), piece.Text) {
					t.Fatalf("%s: lines %d to %d are not %q", p.ID, piece.First, piece.Last, piece.Text)
				}
			}
			if bare(all.String()) != bare(text) {
				t.Fatalf("%s: %q became %q", p.ID, text, all.String())
			}
		}
	})
}

func bare(s string) string { return strings.Join(strings.Fields(s), "") }

// TestCostIsLinear counts the pieces of texts of n and 10n lines: each block is seen once.
func TestCostIsLinear(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, line string }{{"a.md", "# a\ntext\n"}, {"a.sql", "select 'a';\n"}, {"a.go", "func f() {\n\tx\n}\n"}, {"a.txt", strings.Repeat("x", maxPiece-1) + "\n"}} {
		small, large := len(ParserOf(tt.file).Split(strings.Repeat(tt.line, 100))), len(ParserOf(tt.file).Split(strings.Repeat(tt.line, 1000)))
		if small != 100 || large != 1000 {
			t.Errorf("%s: %d and %d pieces", tt.file, small, large)
		}
	}
}
