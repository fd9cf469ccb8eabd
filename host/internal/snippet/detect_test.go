package snippet

import "testing"

func TestDetect(t *testing.T) {
	t.Parallel()
	const (
		script    = "cube(`orders`, {\n  sql_table: `sales.orders`,\n});\n"
		semantic  = "name: shop\ntables:\n  - name: orders\n    base_table: {schema: sales, table: orders}\n"
		metric    = "version: 1.1\nsource: sales.orders\nmeasures:\n  - name: n\n    expr: COUNT(*)\n"
		looksLike = "source: sales.orders\nmeasures:\n  - {name: n, agg: count, expr: a}\n"
	)
	for _, c := range []struct {
		name, info, text string
		want             Format
	}{
		{"script", "", script, Cube},
		{"script in its fence", "js", script, Cube},
		{"script below a comment", "javascript", "// orders\n" + script, Cube},
		{"script of another kind", "python", script, ""},
		{"script elsewhere", "js", "const cube = (a) => a;\ncube(1, 2)\n", ""},
		{"semantic view", "", semantic, SemanticView},
		{"semantic view in its fence", "yaml", semantic, SemanticView},
		{"semantic view, indented", "", "  tables:\n    - name: orders\n      base_table:\n        table: orders\n", SemanticView},
		{"tables of dbt", "yaml", "sources:\n  - name: sales\n    tables:\n      - name: orders\n", DBT},
		{"tables of something else", "yaml", "name: shop\ntables:\n  - name: orders\n", ""},
		{"metric view", "", metric, MetricView},
		{"metric view in its fence", "yml", metric, MetricView},
		{"metric view without its version", "", "source: sales.orders\nmeasures:\n  - {name: n, expr: COUNT(*)}\n", MetricView},
		{"source of a pipeline", "yaml", "version: 2\nsource: sales.orders\nsteps:\n  - expr: a\n", ""},
		{"measures of another layer", "yaml", looksLike, ""},
		{"own source", "yaml", "name: orders\nsource: inferred\nmeasures:\n  - {name: n, expr: count(*)}\n", Own},
		{"prose", "", "The source: what we measure.\nmeasures: none\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Detect(c.info, c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestTextFilter: _ is any one character to Looker, and ^_ is the character.
func TestTextFilter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"hot":               "state = 'hot'",
		"hot^_hold":         "state = 'hot_hold'",
		"hot^_hold,-a^_b":   "",
		"hot^_hold, cold^_": "state IN ('hot_hold', 'cold_')",
		"-hot^_hold":        "state IS DISTINCT FROM 'hot_hold'",
		"hot_hold":          "state LIKE 'hot_hold'",
		"-hot_hold":         "",
		"hot_hold,cold":     "",
		"hot^_hold_":        "",
		"hot^hold":          "",
		"hot%":              "",
		"hot\x00hold":       "",
	} {
		view := "view: v {\n dimension: state {}\n measure: m { type: count filters: [state: \"" + value + "\"] }\n}"
		items := Read(LookML, view).Items
		got := ""
		for _, k := range items[len(items)-1].Definition {
			if k.Name == "filter" {
				got = k.Value
			}
		}
		if got != want || (want == "") != (items[len(items)-1].LeftOut != "") {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}
