package query

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// bodyOf is the request that a command line makes.
func bodyOf(t *testing.T, stdin string, args ...string) (body json.RawMessage, err error) {
	t.Helper()
	a := &commands{term: &terminal.Terminal{In: strings.NewReader(stdin), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}}
	var f requestFlags
	cmd := &cobra.Command{Use: "query", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, args []string) error {
		body, err = f.body(a, cmd, args)
		return nil
	}}
	f.register(cmd)
	cmd.SetArgs(args)
	if failed := cmd.Execute(); failed != nil {
		t.Fatal(failed)
	}
	return body, err
}

// TestRequestFlags: every flag says what a file would, in its normal form.
func TestRequestFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"a measure", []string{"-m", "orders.revenue"}, `{"measures": ["orders.revenue"]}`},
		{"an aggregate", []string{"-m", "sum(orders.amount) as total"}, `{"measures": [{"expr": "sum(orders.amount)", "name": "total"}]}`},
		{"commas stay", []string{"-m", "percentile(orders.amount, 0.9)"}, `{"measures": [{"expr": "percentile(orders.amount, 0.9)"}]}`},
		{"dimensions", []string{"--by", "a.b", "-b", "orders.created_at.month"}, `{"measures": [], "dimensions": ["a.b", {"field": "orders.created_at", "granularity": "month"}]}`},
		{"an entity", []string{"-m", "a.n", "-b", `{"measure": "a.m", "per": ["a.id"]}`}, `{"measures": ["a.n"], "dimensions": [{"measure": "a.m", "per": ["a.id"]}]}`},
		{"conditions", []string{"-m", "a.n", "-w", "a.x = 'it''s'", "--where", `{"field": "a.y", "op": "in", "values": [1.10, "z"]}`}, `{"measures": ["a.n"], "filters": ["a.x = 'it''s'", {"field": "a.y", "op": "in", "values": [1.10, "z"]}]}`},
		{"segments", []string{"-m", "a.n", "--segment", "a.s", "--segment", "a.t"}, `{"measures": ["a.n"], "segments": ["a.s", "a.t"]}`},
		{"orders", []string{"-m", "a.n", "--order", "-n", "--order", "a.b desc nulls first"}, `{"measures": ["a.n"], "order_by": ["-n", "a.b desc nulls first"]}`},
		{"page", []string{"-m", "a.n", "--limit", "7", "--offset", "3"}, `{"measures": ["a.n"], "limit": 7, "offset": 3}`},
		{"switches", []string{"-m", "a.n", "--include-empty", "--fill-gaps"}, `{"measures": ["a.n"], "include_empty": true, "fill_gaps": true}`},
		{"switched off", []string{"-m", "a.n", "--include-empty=false"}, `{"measures": ["a.n"]}`},
		{"a zone", []string{"-m", "a.n", "--time-zone", "Europe/Berlin", "--fanout", "error"}, `{"measures": ["a.n"], "time_zone": "Europe/Berlin", "fanout": "error"}`},
		{"ranges", []string{"-m", "a.n", "--date-range", "last 3 months", "--date-range", "a.d=2025-01..2025-02"}, `{"measures": ["a.n"], "date_ranges": [{"relative": "last 3 months"}, {"field": "a.d", "from": "2025-01", "to": "2025-02"}]}`},
		{"open ranges", []string{"-m", "a.n", "--date-range", "2025..", "--date-range", "..2026", "--date-range", `"a=b".d=2025-Q1`}, `{"measures": ["a.n"], "date_ranges": [{"from": "2025"}, {"to": "2026"}, {"field": "\"a=b\".d", "relative": "2025-Q1"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := bodyOf(t, "", c.args...)
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := request.Normalise([]byte(c.want))
			if err != nil {
				t.Fatal(err)
			}
			request, notes, err := request.Normalise(got)
			if err != nil || len(notes) > 0 {
				t.Fatalf("%s: %v, notes %q", got, err, notes)
			}
			if diff := cmp.Diff(want, request); diff != "" {
				t.Errorf("%s (-want +got):\n%s", got, diff)
			}
		})
	}
}

// TestEveryKeyHasAFlag: what a request may say can be said in flags, but for what
// belongs to the call.
func TestEveryKeyHasAFlag(t *testing.T) {
	t.Parallel()
	flags := map[string]string{
		"measures": "measure", "dimensions": "by", "filters": "where", "segments": "segment", "date_ranges": "date-range", "order_by": "order",
		"connection_id": "connection", "include": "format",
	}
	var schema struct{ Properties map[string]any }
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "schemas", "semantic-query-v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	cmd := (&commands{}).semanticQueryCommand()
	for key := range schema.Properties {
		name, ok := flags[key]
		if !ok {
			name = strings.ReplaceAll(key, "_", "-")
		}
		if cmd.Flags().Lookup(name) == nil {
			t.Errorf("%s has no flag --%s", key, name)
		}
	}
	for _, name := range requestNames {
		if cmd.Flags().Lookup(name) == nil {
			t.Errorf("there is no flag --%s", name)
		}
	}
}

func TestRequestFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		says             string
	}{
		{name: "JSON as it stands", text: ` {"limit": 1e2, "x": 0.10}`, want: ` {"limit": 1e2, "x": 0.10}`},
		{name: "broken JSON is left to who reads it", text: `{"measures": [`, want: `{"measures": [`},
		{name: "YAML", text: "measures: [a.b]\nfilters:\n- \"a.x = 1\"\n- {field: a.d, op: gte, values: [2025-01-02]}\n", want: `{"measures":["a.b"],"filters":["a.x = 1",{"field":"a.d","op":"gte","values":["2025-01-02"]}]}`},
		{name: "numbers keep their digits", text: "v: [1.10, 12345678901234567890, -0.0, 1e400, true, null, ~]", want: `{"v":[1.10,12345678901234567890,-0.0,1e400,true,null,null]}`},
		{name: "words that only old readers take for flags", text: "v: [yes, on, no]", want: `{"v":["yes","on","no"]}`},
		{name: "a key twice is there twice", text: "limit: 1\nlimit: 2", want: `{"limit":1,"limit":2}`},
		{name: "a text of a number", text: `v: "010"`, want: `{"v":"010"}`},
		{name: "empty", text: "\n", says: "empty"},
		{name: "comments", text: "# nothing\n", says: "neither"},
		{name: "a list", text: "- a\n", says: "no object"},
		{name: "a text", text: "orders.revenue", says: "no object"},
		{name: "two documents", text: "a: 1\n---\nb: 2\n", says: "several documents"},
		{name: "broken", text: "a: [1\nb: }", says: "neither JSON nor YAML"},
		{name: "an octal", text: "limit: 010", says: "010"},
		{name: "hexadecimal", text: "limit: 0x1F", says: "0x1F"},
		{name: "infinity", text: "v: .inf", says: ".inf"},
		{name: "an alias", text: "a: &x [1]\nb: *x", says: "anchors"},
		{name: "a key of a list", text: "? [a]\n: 1", says: "a key is a word"},
		{name: "a tag", text: "a: !!binary aGk=", says: "aGk="},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := bodyOf(t, c.text, "-")
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || sdk.KindOf(err) != sdk.KindInvalid {
					t.Errorf("%s, %v; want %q", got, err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// endless is input that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, bytes.Repeat([]byte{' '}, len(p))), nil
}

func TestRequestIsBounded(t *testing.T) {
	t.Parallel()
	in := &endless{}
	text, err := (&commands{term: &terminal.Terminal{In: in}}).readRequest("-")
	if err != nil || len(text) != request.MaxRequestBytes+1 || in.read > 2*request.MaxRequestBytes {
		t.Errorf("%d bytes of %d, %v", len(text), in.read, err)
	}
}
