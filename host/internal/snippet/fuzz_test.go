package snippet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fuzz reads any text as a format. Each item is either defined or described or left out
// with a reason, and stands in a line of the text.
func fuzz(f *testing.F, format Format) {
	for _, file := range inputs(f) {
		if filepath.Base(filepath.Dir(file)) != string(format) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		Detect("", text)
		lines := strings.Count(text, "\n") + 1
		for _, i := range Read(format, text).Items {
			switch {
			case i.LeftOut != "" && (i.Message == "" || i.Definition != nil):
				t.Errorf("%+v is left out without a reason, or not", i)
			case i.LeftOut == "" && i.Definition == nil && i.Kind != Table && i.Kind != Column:
				t.Errorf("%+v defines nothing and is not left out", i)
			case i.Line < 0 || i.Line > lines+1:
				t.Errorf("%+v is in no line of %d", i, lines)
			}
		}
	})
}

func FuzzLookML(f *testing.F)       { fuzz(f, LookML) }
func FuzzMetricFlow(f *testing.F)   { fuzz(f, MetricFlow) }
func FuzzDBT(f *testing.F)          { fuzz(f, DBT) }
func FuzzCube(f *testing.F)         { fuzz(f, Cube) }
func FuzzOssie(f *testing.F)        { fuzz(f, Ossie) }
func FuzzSemanticView(f *testing.F) { fuzz(f, SemanticView) }
func FuzzMetricView(f *testing.F)   { fuzz(f, MetricView) }
func FuzzOwn(f *testing.F)          { fuzz(f, Own) }
func FuzzSQL(f *testing.F)          { fuzz(f, SQL) }

// allocated counts the allocations of reading a text.
func allocated(format Format, text string) float64 {
	return testing.AllocsPerRun(1, func() { Read(format, text) })
}

func TestCostIsLinear(t *testing.T) { //nolint:paralleltest // allocations are counted
	for _, c := range []struct {
		format Format
		head   string
		line   string
	}{
		{LookML, "view: t {\n dimension: d { sql: ${TABLE}.x ;; }\n", " measure: m%d { type: sum sql: ${d} * ${TABLE}.y ;; filters: [d: \"a,b\"] }\n"},
		{SQL, "SELECT a", ", sum(b%d) AS s\n"},
		{Cube, "cubes:\n- name: t\n  measures:\n", "  - {name: m%d, sql: \"{CUBE}.x\", type: sum}\n"},
		{Cube, "", "cube(`t%d`, { sql_table: `t`, measures: { m: { sql: `${CUBE}.x`, type: `sum`, filters: [{ sql: `${CUBE}.y = 'a'` }] } } });\n"},
		{SemanticView, "tables:\n- name: t\n  base_table: {table: t}\n  facts: [{name: x, expr: a + b}]\n  metrics:\n", "  - {name: m%d, expr: SUM(x)}\n"},
		{MetricView, "source: t\nfilter: a = 1\ndimensions: [{name: d, expr: b}]\nmeasures:\n", "- {name: m%d, expr: SUM(x) FILTER (WHERE d = 1)}\n"},
		{MetricFlow, "semantic_models:\n- name: t\n  model: ref('t')\n  measures:\n", "  - {name: m%d, agg: sum}\n"},
		{Ossie, "semantic_model:\n- name: s\n  datasets: [{name: t}]\n  metrics:\n", "  - {name: m%d, expression: sum(t.x)}\n"},
		{Own, "name: t\nmeasures:\n", "  - {name: m%d, agg: sum, expr: x}\n"},
	} {
		text := func(n int) string {
			var b strings.Builder
			b.WriteString(c.head)
			for i := range n {
				fmt.Fprintf(&b, c.line, i)
			}
			return b.String()
		}
		few, many := allocated(c.format, text(60)), allocated(c.format, text(600))
		if items := len(Read(c.format, text(600)).Items); items < 600 {
			t.Errorf("%s: %d items", c.format, items)
		}
		if many > 13*few {
			t.Errorf("%s: ten times as much text allocates %.1f times as often", c.format, many/few)
		}
	}
}

// TestBombs: texts that unfold without end are refused or cut off.
func TestBombs(t *testing.T) {
	t.Parallel()
	var look strings.Builder
	look.WriteString("view: t {\n dimension: d0 { sql: ${TABLE}.x ;; }\n")
	for i := range 20 {
		fmt.Fprintf(&look, " dimension: d%d { sql: ${d%d} + ${d%d} + ${d%d} ;; }\n", i+1, i, i, i)
	}
	look.WriteString(" measure: m { type: sum sql: ${d20} ;; }\n}\n")
	var semantic strings.Builder
	semantic.WriteString("tables:\n- name: t\n  base_table: {table: t}\n  facts:\n  - {name: d0, expr: x + 1}\n")
	for i := range 20 {
		fmt.Fprintf(&semantic, "  - {name: d%d, expr: d%d * d%d * d%d}\n", i+1, i, i, i)
	}
	semantic.WriteString("  metrics: [{name: m, expr: SUM(d20)}]\n")
	for _, text := range []struct {
		format Format
		text   string
	}{
		{LookML, look.String()},
		{LookML, strings.Repeat("view: a { ", 10_000)},
		{Own, "name: x\n" + strings.Repeat("[", 10_000)},
		{Own, strings.Repeat("---\nname: x\n", 1000)},
		{SQL, "SELECT " + strings.Repeat("(", 30_000)},
		{SQL, "SELECT " + strings.Repeat("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY ", 5000)},
		{Cube, "cube(`a`, " + strings.Repeat("{ a: ", 10_000)},
		{Cube, "cube(`a`, " + strings.Repeat("[", 10_000)},
		{Cube, "cube(`a`, { a: " + strings.Repeat("`${", 10_000)},
		{Cube, "cube(`a`, { a: " + strings.Repeat("f(", 10_000)},
		{Cube, "cube(`a`, {})\n" + strings.Repeat("a/**/", 100_000)},
		{Cube, "cube(`a`, { a: `" + strings.Repeat("${b", 100_000)},
		{SemanticView, semantic.String()},
	} {
		items := Read(text.format, text.text).Items
		if len(items) == 0 || items[len(items)-1].LeftOut == "" {
			t.Errorf("%s: the last of %d items is taken", text.format, len(items))
		}
	}
}
