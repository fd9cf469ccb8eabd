package result

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// A spreadsheet computes nothing that a warehouse or an agent wrote, and numbers stay numbers.
func TestCSVIsHarmless(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, cell, want string }{
		{"formula", `"=1+1"`, `'=1+1`}, {"link", `"=HYPERLINK(\"http://x\",\"y\")"`, `"'=HYPERLINK(""http://x"",""y"")"`},
		{"plus", `"+cmd|x"`, `'+cmd|x`}, {"minus", `"-2+3"`, `'-2+3`}, {"at", `"@SUM(A1)"`, `'@SUM(A1)`},
		{"behind blanks", `"  =1"`, `'  =1`}, {"wide", `"＝1"`, `'＝1`}, {"tab", `"\t=1"`, "\"'\t=1\""}, {"carriage return", `"\r=1"`, "\"'\r=1\""}, {"delete", "\"\x7f=1\"", "'\x7f=1"},
		{"number", `-5`, `-5`}, {"decimal", `"-12.50"`, `-12.50`}, {"exponent", `"+1.5e-7"`, `+1.5e-7`}, {"not quite", `"-1-1"`, `'-1-1`},
		{"null", `null`, ``}, {"empty", `""`, `""`}, {"text", `"a=b"`, `a=b`}, {"comma", `"a,b"`, `"a,b"`},
		{"other separator", `"a;=1"`, `"a;=1"`}, {"document", `{"a":1}`, `"{""a"":1}"`}, {"truth", `true`, `true`}, {"lines", `"a\nb"`, "\"a\nb\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := NewCSV(&out).Row([][]byte{[]byte("1"), []byte(tt.cell)}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("1,"+tt.want+"\r\n", out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Another reader of CSV gets the texts back.
func TestCSVCanBeRead(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := NewCSV(&out)
	if err := c.Columns([]sdk.Column{{Name: "a"}, {Name: "=b"}}); err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]string{{`x "y"`, "l\nm"}, {"", ";"}} {
		if err := c.Record(row...); err != nil {
			t.Fatal(err)
		}
	}
	got, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"a", "'=b"}, {`x "y"`, "l\nm"}, {"", ";"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
