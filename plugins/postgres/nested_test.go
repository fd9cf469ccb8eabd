package postgres

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

func arrayOf(elem *shape) *shape { return &shape{kind: shapeArray, elem: elem, delim: ','} }

func leaf(kind shapeKind) *shape { return &shape{kind: kind} }

// deep is a shape with one of each kind.
func deep() *shape {
	record := &shape{kind: shapeRecord, fields: []shapeField{
		{"id", leaf(shapeInt)},
		{`a "name"`, leaf(shapeText)},
		{"list", arrayOf(leaf(shapeInt))},
		{"at", leaf(shapeTime)},
		{"during", &shape{kind: shapeRange, elem: leaf(shapeTime)}},
		{"parts", &shape{kind: shapeMultirange, elem: &shape{kind: shapeRange, elem: leaf(shapeInt)}}},
		{"doc", leaf(shapeJSON)},
		{"raw", leaf(shapeBytes)},
		{"x", leaf(shapeFloat)},
		{"yes", leaf(shapeBool)},
	}}
	return arrayOf(record)
}

func TestNestedJSON(t *testing.T) {
	t.Parallel()
	pair := &shape{kind: shapeRecord, fields: []shapeField{{"a", leaf(shapeInt)}, {"b", leaf(shapeText)}}}
	for _, c := range []struct {
		name  string
		shape *shape
		text  string
		want  string // "" = refused
	}{
		{"array", arrayOf(leaf(shapeInt)), "{1,2,NULL}", "[1,2,null]"},
		{"quoted NULL is text", arrayOf(leaf(shapeText)), `{"NULL",null}`, `["NULL","null"]`},
		{"bounds", arrayOf(leaf(shapeInt)), "[0:1][5:6]={{1,2},{3,4}}", "[[1,2],[3,4]]"},
		{"empty", arrayOf(leaf(shapeInt)), "{}", "[]"},
		{"other delimiter", &shape{kind: shapeArray, elem: leaf(shapeText), delim: ';'}, "{(1,2);(3,4)}", `["(1,2)","(3,4)"]`},
		{"escapes", arrayOf(leaf(shapeText)), `{"a\"b\\c","{","}",","}`, `["a\"b\\c","{","}",","]`},
		{"control characters", arrayOf(leaf(shapeText)), "{\"\x01\t\"}", `["\u0001\u0009"]`},
		{"not UTF-8", arrayOf(leaf(shapeText)), "{\xff}", `["�"]`},
		{
			"exact integers", arrayOf(leaf(shapeInt)), "{9007199254740992,-9007199254740992,9007199254740993,-9223372036854775808}",
			`[9007199254740992,-9007199254740992,"9007199254740993","-9223372036854775808"]`,
		},
		{"floats", arrayOf(leaf(shapeFloat)), "{0.1,1e+20,-0,NaN,Infinity,-Infinity}", `[0.1,1e+20,-0,"NaN","Infinity","-Infinity"]`},
		{"record", pair, `(1,"x ""y"" \\")`, `{"a":1,"b":"x \"y\" \\"}`},
		{"record of NULL", pair, "(,)", `{"a":null,"b":null}`},
		{"record with empty text", pair, `(,"")`, `{"a":null,"b":""}`},
		{"range", &shape{kind: shapeRange, elem: leaf(shapeInt)}, "[1,5)", `{"lower":1,"upper":5,"bounds":"[)"}`},
		{"open range", &shape{kind: shapeRange, elem: leaf(shapeInt)}, "(,)", `{"lower":null,"upper":null,"bounds":"()"}`},
		{"empty range", &shape{kind: shapeRange, elem: leaf(shapeInt)}, "empty", `{"empty":true}`},
		{
			"times", arrayOf(leaf(shapeTime)), `{"2024-02-29 12:30:00.5+00","2024-02-29 12:30:00",2024-02-29,infinity,-infinity,"0044-03-15 BC","0001-01-01 00:00:00+00 BC",12024-01-01}`,
			`["2024-02-29T12:30:00.5Z","2024-02-29T12:30:00","2024-02-29","infinity","-infinity","-0043-03-15","0000-01-01T00:00:00Z","+12024-01-01"]`,
		},
		{"bytes", arrayOf(leaf(shapeBytes)), `{"\\x00ff"}`, `["AP8="]`},
		{"document", arrayOf(leaf(shapeJSON)), `{"{\"a\": [1, null]}"}`, `[{"a":[1,null]}]`},

		{"array without end", arrayOf(leaf(shapeInt)), "{1,2", ""},
		{"array with text behind", arrayOf(leaf(shapeInt)), "{1}2", ""},
		{"no array", arrayOf(leaf(shapeInt)), "1", ""},
		{"bounds alone", arrayOf(leaf(shapeInt)), "[1:2]", ""},
		{"too few fields", pair, "(1)", ""},
		{"too many fields", pair, "(1,x,y)", ""},
		{"quote without end", pair, `(1,"x)`, ""},
		{"range of three", &shape{kind: shapeRange, elem: leaf(shapeInt)}, "[1,2,3]", ""},
		{"no document", arrayOf(leaf(shapeJSON)), "{x}", ""},
		{"no bytes", arrayOf(leaf(shapeBytes)), `{xyz}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.shape.json(nil, []byte(c.text))
			if c.want == "" {
				if sdk.KindOf(err) != sdk.KindConflict {
					t.Fatalf("got %q, %v; want a refusal", got, err)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

// Whatever the server sends, the output is JSON or a refusal.
func FuzzNestedJSON(f *testing.F) {
	for _, text := range []string{
		`{}`, `{NULL}`, `{"(1,\"x\",\"{1,2}\",\"2024-01-01 00:00:00+00\",\"[2024-01-01,)\",\"{[1,3),[5,9]}\",\"{\"\"a\"\": 1}\",\"\\\\x00ff\",0.5,t)"}`,
		`[2:2]={"(,,,,,,,,,)"}`, `{{"(1,,,,empty,{},null,,NaN,f)"}}`, `{"`, `{\`, `(`,
	} {
		f.Add(text)
	}
	shape := deep()
	f.Fuzz(func(t *testing.T, text string) {
		out, err := shape.json([]byte("kept:"), []byte(text))
		if err != nil {
			return
		}
		rest, ok := strings.CutPrefix(string(out), "kept:")
		if !ok {
			t.Fatalf("%q lost what was there before", out)
		}
		if !utf8.ValidString(rest) {
			t.Fatalf("%q is not UTF-8", rest)
		}
		if !json.Valid([]byte(rest)) {
			t.Fatalf("%q becomes %s, which is no JSON", text, rest)
		}
	})
}
