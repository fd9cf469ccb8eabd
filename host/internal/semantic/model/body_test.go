package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk/dialect"
)

// postgres is a real dialect, with another default schema.
func postgres(t *testing.T, schema string) *dialect.Dialect {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "sdk", "dialect", "testdata", "postgres.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	all[0].DefaultSchema = schema
	return &all[0]
}

// A source's query stands on its own: it cannot end the brackets that it is put
// in, nor bring a second statement or a write into the one that is made of it.
func TestQueryOfASource(t *testing.T) {
	t.Parallel()
	d := postgres(t, "public")
	for _, c := range []struct{ sql, want string }{
		{"SELECT id FROM orders", ""},
		{"WITH x AS (SELECT 1 AS id) SELECT id FROM x; ", ""},
		{"SELECT id FROM orders -- all of them", ""},
		{"SELECT id FROM orders; -- end", ""},
		{"SELECT id FROM orders; /* end */ ;", ""},
		{"; SELECT id FROM orders", "cannot start with ;"},
		{"-- first\n; SELECT id FROM orders", "cannot start with ;"},
		{"SELECT id FROM orders) AS x, (SELECT 1 AS id", "bracket"},
		{"SELECT id FROM orders; DELETE FROM orders", "statement"},
		{"DELETE FROM orders RETURNING id", "DELETE"},
		{"SELECT id FROM orders /* open", "comment"},
		{"SELECT 'open FROM orders", "string"},
	} {
		text, err := json.Marshal(c.sql)
		if err != nil {
			t.Fatal(err)
		}
		m := Build(Input{Dialect: d, Files: []*File{Parse("a.yaml", []byte("name: a\nsql: "+string(text)+"\nmeasures:\n  - {name: n, agg: count}\n"))}})
		_, err = m.FindSource("a")
		problems := m.Problems()
		if c.want == "" {
			if err != nil || len(problems) > 0 {
				t.Errorf("%s: %v, %v", c.sql, err, problems)
			}
			continue
		}
		if err == nil || len(problems) != 1 || !strings.Contains(problems[0].Msg, c.want) {
			t.Errorf("%s: error %v, problems %v, want %q", c.sql, err, problems, c.want)
			continue
		}
		got := []any{problems[0].Path, problems[0].Source, problems[0].Line}
		if diff := cmp.Diff([]any{"sql", "a", int32(2)}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.sql, diff)
		}
	}
}
