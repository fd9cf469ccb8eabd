package dialect_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk/dialect"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	d := dialect.Dialect{Forms: map[dialect.Form]string{
		dialect.SafeDivide: "({a} / NULLIF({b}, 0))",
		dialect.Max:        "MAX({x}, {x})",
		dialect.Now:        "now()",
		dialect.Cast:       "{{x}} {x}}{{{type}",
		dialect.Min:        "MIN({x",
	}}
	for _, c := range []struct {
		name string
		form dialect.Form
		args map[string]string
		want string
		ok   bool
	}{
		{"two arguments", dialect.SafeDivide, map[string]string{"a": "{b}", "b": "y"}, "({b} / NULLIF(y, 0))", true},
		{"twice", dialect.Max, map[string]string{"x": "c"}, "MAX(c, c)", true},
		{"none", dialect.Now, nil, "now()", true},
		{"more than needed", dialect.Now, map[string]string{"x": "c"}, "now()", true},
		{"braces", dialect.Cast, map[string]string{"x": "c", "type": "text"}, "{x}} c}{text", true},
		{"missing form", dialect.Median, map[string]string{"x": "c"}, "", false},
		{"missing argument", dialect.SafeDivide, map[string]string{"a": "x"}, "", false},
		{"brace that is not closed", dialect.Min, map[string]string{"x": "c"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := d.Expand(c.form, c.args)
			if got != c.want || ok != c.ok {
				t.Errorf("Expand = %q, %v; want %q, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	d := dialect.Dialect{Functions: map[string]string{
		"round": "round({1})", "round/2": "round(CAST({1} AS numeric), {2})", "coalesce": "coalesce({args})", "left": "substr({1}, 1, {2})",
	}}
	for _, c := range []struct {
		function string
		args     []string
		want     string
		ok       bool
	}{
		{"round", []string{"x"}, "round(x)", true},
		{"round", []string{"x", "2"}, "round(CAST(x AS numeric), 2)", true},
		{"coalesce", []string{"a", "b", "c"}, "coalesce(a, b, c)", true},
		{"left", []string{"{1}", "2"}, "substr({1}, 1, 2)", true},
		{"left", []string{"x"}, "", false},
		{"split_part", []string{"x"}, "", false},
	} {
		if got, ok := d.Call(c.function, c.args...); got != c.want || ok != c.ok {
			t.Errorf("Call(%s, %q) = %q, %v; want %q, %v", c.function, c.args, got, ok, c.want, c.ok)
		}
	}
}

// A connector of a stranger has templates that repeat their argument: the text is bounded
// however deep an expression is.
func TestTemplatesThatGrowAreBounded(t *testing.T) {
	t.Parallel()
	d := &dialect.Dialect{Functions: map[string]string{"abs": strings.Repeat("{1}", 1000)}, Forms: map[dialect.Form]string{dialect.Nullable: strings.Repeat("{x}", 1000)}}
	for name, write := range map[string]func(string) (string, bool){
		"Call":   func(x string) (string, bool) { return d.Call("abs", x) },
		"Expand": func(x string) (string, bool) { return d.Expand(dialect.Nullable, map[string]string{"x": x}) },
	} {
		x, ok, depth := "x", true, 0
		for ; ok && depth < 10; depth++ {
			if len(x) > 16<<20 {
				t.Fatalf("%s: %d bytes", name, len(x))
			}
			x, ok = write(x)
		}
		if ok || depth != 3 { // 1,000,000 bytes still pass
			t.Errorf("%s ends after %d levels", name, depth)
		}
	}
}
