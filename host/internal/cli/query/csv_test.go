package query

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

// TestCSVQuotesWhereTheFormatNeedsIt: RFC 4180 asks for quotes around separators,
// quotes and line breaks; decimals, dates and plain words are bare.
func TestCSVQuotesWhereTheFormatNeedsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cell, want string }{
		{`null`, ``},
		{`""`, `""`},
		{`7`, `7`},
		{`true`, `true`},
		{`"12.50"`, `12.50`},
		{`"9007199254740993"`, `9007199254740993`},
		{`"2024-02-29"`, `2024-02-29`},
		{`"2026-03-01T12:30:05.1Z"`, `2026-03-01T12:30:05.1Z`},
		{`"two words"`, `two words`},
		{`"Zürich 日本"`, `Zürich 日本`},
		{`"null"`, `null`},
		{`"a,b"`, `"a,b"`},
		{`"a \"b\""`, `"a ""b"""`},
		{`"\""`, `""""`},
		{`"a\nb"`, "\"a\nb\""},
		{`"a\r\nb"`, "\"a\r\nb\""},
		{`"a\tb\\c\/d"`, "a\tb\\c/d"},
		{`"\u0001"`, "\x01"},
		{`"a\n\ud83d\ude42\\"`, "\"a\n🙂\\\""},
		{`{"a":[1,"x"]}`, `"{""a"":[1,""x""]}"`},
		{`[1]`, `[1]`},
	} {
		var out bytes.Buffer
		w := &csvResult{w: &out}
		if err := w.Row(cells(c.cell, "1")); err != nil {
			t.Fatal(err)
		}
		if err := w.finish(query.Summary{}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != c.want+",1\r\n" {
			t.Errorf("%s is %q, want %q", c.cell, got, c.want+",1\r\n")
		}
	}
}

// FuzzCSV: another reader of CSV finds the texts that went in.
func FuzzCSV(f *testing.F) {
	f.Add("plain", "a,\"b\"\r\n\\u0041")
	f.Add("", "\x00🙂")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?")
		first, _ := sdk.AppendJSONText(nil, []byte(a))
		second, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := &csvResult{w: &out}
		for _, err := range []error{w.Columns([]sdk.Column{{Name: a}, {Name: b}}), w.Row([][]byte{first, second}), w.finish(query.Summary{})} {
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", out.String(), err)
		}
		row := []string{strings.ReplaceAll(a, "\r\n", "\n"), strings.ReplaceAll(b, "\r\n", "\n")} // as that reader does
		if diff := cmp.Diff([][]string{row, row}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestCSVRowsNeedNoMemory counts what a row of ordinary cells allocates.
func TestCSVRowsNeedNoMemory(t *testing.T) {
	w := &csvResult{w: io.Discard}
	row := cells("1", `"12.50"`, `"2024-02-29"`, `"a, \"quoted\" text\n"`, "null", "1.5", `"plain words"`, `{"a":1}`)
	for range 2 * csvFlush / 64 { // until the buffers have their size
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(1000, func() {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a row, want none", n)
	}
}
