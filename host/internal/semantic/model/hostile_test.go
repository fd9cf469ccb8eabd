package model

import (
	"fmt"
	"strings"
	"testing"
)

// hostile are files that no person writes.
func hostile() map[string]string {
	bomb := "name: bomb\ntable: t\na0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	doubling := func(section, first, each string) string {
		text := "name: bomb\ntable: t\n" + section + ":\n  - {name: m0, " + first + "}\n"
		for i := range 60 {
			text += fmt.Sprintf("  - {name: m%d, %s, expr: m%d + m%d}\n", i+1, each, i, i)
		}
		return text
	}
	return map[string]string{
		"measures that double":             doubling("measures", "expr: sum(x)", "type: derived"),
		"dimensions that double":           doubling("dimensions", "type: number, expr: x + 1", "type: number"),
		"a bomb of aliases":                bomb,
		"a bomb below a known key":         strings.Replace(bomb, "a0:", "meta:", 1) + "description: *a12\n",
		"a bomb of members":                "name: bomb\ntable: t\nmeta: {a: &a {x: 1}}\nmeasures: &m [*a]\nsegments: *m\njoins: *m\ndimensions: *m\n",
		"an alias of itself":               "name: loop\ntable: t\ndimensions: &d [*d]\n",
		"an unknown alias":                 "name: x\ntable: *nothing\n",
		"a megabyte of description":        "name: big\ntable: t\ndescription: " + strings.Repeat("x", 1<<20) + "\n",
		"a megabyte of expression":         "name: big\ntable: t\nmeasures: [{name: a, expr: \"sum(" + strings.Repeat("x+", 1<<19) + "x)\"}]\n",
		"a megabyte of name":               "name: " + strings.Repeat("x", 1<<20) + "\ntable: t\n",
		"a megabyte of key":                "name: a\n? " + strings.Repeat("x", 1<<20) + "\n: 1\n",
		"a key twice":                      "name: a\nname: b\ntable: t\n",
		"tabs":                             "name: a\nmeasures:\n\t- {name: b}\n",
		"a NUL":                            "name: a\x00\ntable: t\n",
		"bytes that are no UTF-8":          "name: a\ntable: \xff\xfe\n",
		"UTF-16":                           "\xff\xfen\x00a\x00m\x00e\x00:\x00 \x00a\x00",
		"deep lists":                       "name: a\nmeta: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "\n",
		"deep mappings":                    "name: a\nmeta: " + strings.Repeat("{a: ", 20_000) + strings.Repeat("}", 20_000) + "\n",
		"deep members":                     "name: a\ntable: t\nmeasures: " + strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000) + "\n",
		"a deep expression":                "name: a\ntable: t\nmeasures: [{name: m, expr: \"sum(" + strings.Repeat("(", 30_000) + "1" + strings.Repeat(")", 30_000) + ")\"}]\n",
		"a tag":                            "name: !!binary aGk=\ntable: !custom t\n",
		"a merge":                          "name: a\n<<: {table: t}\n",
		"a number as key":                  "name: a\ntable: t\n1: 2\n",
		"a list as key":                    "name: a\ntable: t\n? [a, b]\n: c\n",
		"null":                             "null\n",
		"only a comment":                   "# nothing\n",
		"a scalar":                         "name\n",
		"infinity":                         "name: a\ntable: t\nmeasures: [{name: m, agg: count, default: .inf}]\n",
		"a control character":              "name: \"a\\u0001b\"\ntable: t\n",
		"more problems than anybody reads": "name: a\ntable: t\nmeasures:\n" + strings.Repeat("  - {nam: x}\n", 5_000),
		"a directive":                      "%YAML 9.9\n---\nname: a\n",
	}
}

// TestHostileFiles reads each beside a good file, which must stay as it is.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	good := Parse("good.yaml", []byte("name: good\ntable: good\nmeasures: [{name: total, agg: count}]\n"))
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := Parse("bad.yaml", []byte(text))
			m := Build(Input{Files: []*File{good, f}})
			problems := m.Problems()
			if len(problems) == 0 {
				t.Fatal("nothing is wrong with it")
			}
			for _, p := range problems {
				if p.File != "bad.yaml" || len(p.String()) > 1000 {
					t.Errorf("problem of %d bytes: %.1000s", len(p.String()), p)
				}
			}
			if len(problems) > maxProblems+10 {
				t.Errorf("%d problems", len(problems))
			}
			if found, err := m.Lookup(Metrics, "good", "total"); err != nil || len(found) != 1 {
				t.Errorf("good.total: %v, %v", found, err)
			}
		})
	}
}

// TestLongestDefinition: a member is usable up to maxDefinition bytes with all names written out, and what is made of a
// longer one is broken with it.
func TestLongestDefinition(t *testing.T) {
	t.Parallel()
	text, written := "name: bomb\ntable: t\nmeasures:\n  - {name: m0, expr: sum(x)}\n", []int{len("sum(x)")}
	for i := range 20 {
		expr := fmt.Sprintf("m%d + m%d", i, i)
		text += fmt.Sprintf("  - {name: m%d, type: derived, expr: %s}\n", i+1, expr)
		written = append(written, len(expr)+2*written[i])
	}
	m := Build(Input{Files: []*File{Parse("bomb.yaml", []byte(text))}})
	for i, n := range written {
		if _, err := m.Lookup(Metrics, "bomb", fmt.Sprintf("m%d", i)); (err == nil) != (n <= maxDefinition) {
			t.Errorf("m%d of %d bytes: %v", i, n, err)
		}
	}
	if problems := m.Problems(); len(problems) == 0 || !strings.HasPrefix(problems[0].Msg, growsBeyond) {
		t.Errorf("%v", problems)
	}
}

// TestManyWrongNames costs about twice as much for twice as many wrong names. It
// counts allocations, so nothing may run beside it.
func TestManyWrongNames(t *testing.T) {
	build := func(n int) func() {
		var b strings.Builder
		b.WriteString("name: wide\ndimensions:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - {name: computed_%d, expr: colunm_%d + 1}\n", i, i)
		}
		wide := table("wide", "")
		for i := range n {
			wide.Columns = append(wide.Columns, Column{Name: fmt.Sprintf("column_%d", i)})
		}
		f := Parse("wide.yaml", []byte(b.String()))
		return func() { Build(Input{Tables: []*Table{wide}, Files: []*File{f}}) }
	}
	one := testing.AllocsPerRun(1, build(500))
	two := testing.AllocsPerRun(1, build(1000))
	if two > 3*one {
		t.Errorf("%.0f allocations for 500 wrong names, %.0f for 1000", one, two)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range hostile() {
		if len(text) < 10_000 {
			f.Add(text)
		}
	}
	for _, text := range []string{
		"name: a\ntable: t\nmeasures: [{name: m, expr: sum(x)}]\njoins: [{to: b, on: a.x = b.y, relationship: many_to_one}]\n",
		"name: a\nsql: SELECT 1;\ndimensions: [{name: d, expr: \"x || 'é'\"}]\nsegments: [{name: s, expr: d = 'ö'}]\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.yaml", "metrics.yaml", "_schema/a.yaml"} {
			m := Build(Input{Files: []*File{Parse(name, []byte(text))}})
			for _, p := range m.Problems() {
				if p.Msg == "" || p.File != name {
					t.Errorf("problem %+v", p)
				}
			}
			for s := range m.Sources() {
				for i := range s.Measures {
					if x := &s.Measures[i]; x.Broken == "" && x.Expr != nil && x.Expr.Tree == nil {
						t.Errorf("measure %s has no tree", x.Name)
					}
				}
			}
		}
	})
}

// TestNameOfABrokenFile: what a file that is no YAML was about is told by its line
// of the name where that is one, else by the file's name.
func TestNameOfABrokenFile(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"name: sales":             "sales",
		`name: "sales" # a text`:  "sales",
		"name: 'main.sales'":      "main.sales",
		"name:\tsales of a day\r": "sales of a day",
		"name: [":                 "orders",
		"name: [sales":            "orders",
		"name: {":                 "orders",
		"name: &x sales":          "orders",
		"name: |":                 "orders",
		"name: >-":                "orders",
		"name: \"":                "orders",
		"name:":                   "orders",
	} {
		f := Parse("orders.yaml", []byte(line+"\ntable: [\n"))
		if len(f.Sources) != 1 || f.Sources[0].Name.Value != want || f.Sources[0].Broken == "" {
			t.Errorf("%q: %+v, want a broken source %s", line, f.Sources, want)
		}
	}
}
