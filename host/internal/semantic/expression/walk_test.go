package expression_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

func parsed(t testing.TB, text string) expression.Node {
	t.Helper()
	n, err := expression.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

func written(nodes []expression.Node) []string {
	var all []string
	for _, n := range nodes {
		all = append(all, expression.String(n))
	}
	return all
}

func TestNames(t *testing.T) {
	t.Parallel()
	n := parsed(t, `CASE WHEN a > b.c THEN sum(d) ELSE coalesce(a, "E"."f g", 1) END BETWEEN x AND y OR z IN (u, 'v')`)
	var got []string
	for _, name := range expression.Names(n) {
		got = append(got, name.String())
	}
	want := []string{"a", "b.c", "d", "a", `E."f g"`, "x", "y", "z", "u"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestClassOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]expression.Class{
		"1 + 2": expression.Constant, "a + 1": expression.Scalar, "sum(a)": expression.Aggregated, "count(*)": expression.Aggregated,
		"100 * sum(a) / count(*)": expression.Aggregated, "sum(a) / b": expression.Mixed, "CASE WHEN a THEN sum(b) END": expression.Mixed,
	} {
		if got := expression.ClassOf(parsed(t, text)); got != want {
			t.Errorf("%s is of class %d, want %d", text, got, want)
		}
	}
}

func TestConjuncts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a": {"a"},
		"a BETWEEN 1 AND 2 AND b AND CASE WHEN c AND d THEN e END": {"a BETWEEN 1 AND 2", "b", "CASE WHEN c AND d THEN e END"},
		"a AND (b OR c AND d) AND (e AND f)":                       {"a", "b OR c AND d", "e", "f"},
		"a OR b AND c":                                             {"a OR b AND c"},
		"NOT (a AND b)":                                            {"NOT (a AND b)"},
		"'x AND y' = a AND b":                                      {"'x AND y' = a", "b"},
	} {
		parts := expression.Conjuncts(parsed(t, text))
		if diff := cmp.Diff(want, written(parts)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if again := expression.Conjuncts(expression.Conjoin(parts...)); len(again) != len(parts) {
			t.Errorf("%s is joined to %s", text, written(again))
		}
	}
	if expression.Conjoin() != nil || expression.Disjoin() != nil {
		t.Error("nothing joined is something")
	}
	or := expression.Disjoin(parsed(t, "a OR b"), parsed(t, "c AND d"))
	if got := expression.String(expression.Conjoin(or, parsed(t, "e"))); got != "(a OR b OR c AND d) AND e" {
		t.Errorf("joined as %s", got)
	}
}

// A name stands for what it is replaced by, whatever surrounds it.
func TestSubstitute(t *testing.T) {
	t.Parallel()
	definitions := map[string]string{
		"sum": "a + b", "less": "a - b", "minus": "-a", "either": "a OR b", "both": "a AND b", "same": "a = b", "negated": "NOT a", "text": "a || b",
	}
	for text, want := range map[string]string{
		"100 * sum":             "100 * (a + b)",
		"x - less":              "x - (a - b)",
		"less - x":              "a - b - x",
		"-minus":                "-(-a)",
		"x - minus":             "x - -a",
		"either AND x":          "(a OR b) AND x",
		"both AND x":            "a AND b AND x",
		"NOT either":            "NOT (a OR b)",
		"same = x":              "(a = b) = x",
		"negated = x":           "(NOT a) = x",
		"same IS NULL":          "(a = b) IS NULL",
		"x BETWEEN sum AND sum": "x BETWEEN a + b AND a + b",
		"text LIKE 'x'":         "a || b LIKE 'x'",
		"sum || x":              "a + b || x",
		"sum::text":             "CAST(a + b AS text)",
		"x / less / sum":        "x / (a - b) / (a + b)",
		"kept":                  "kept",
	} {
		n, err := expression.Substitute(parsed(t, text), func(name *expression.Name) (expression.Node, error) {
			if d, ok := definitions[name.Parts[0]]; ok {
				return parsed(t, d), nil
			}
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := expression.String(n); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
		if again := expression.String(parsed(t, expression.String(n))); again != want {
			t.Errorf("%s is read back as %s", want, again)
		}
	}
	failed := fmt.Errorf("no such name")
	if _, err := expression.Substitute(parsed(t, "1 + a"), func(*expression.Name) (expression.Node, error) { return nil, failed }); err != failed {
		t.Errorf("the error is %v", err)
	}
}

// Transform shares what did not change and leaves its argument alone.
func TestTransformShares(t *testing.T) {
	t.Parallel()
	n := parsed(t, "a = 1 AND b = 2").(*expression.Logic)
	same, err := expression.Transform(n, func(n expression.Node) (expression.Node, error) { return n, nil })
	if err != nil || same != expression.Node(n) {
		t.Errorf("nothing changed, but it is %v, %v", same, err)
	}
	changed, err := expression.Substitute(n, func(name *expression.Name) (expression.Node, error) {
		if name.Parts[0] == "b" {
			return expression.Int(-3), nil
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if changed.(*expression.Logic).Terms[0] != n.Terms[0] || expression.String(n) != "a = 1 AND b = 2" || expression.String(changed) != "a = 1 AND -3 = 2" {
		t.Errorf("%s became %s", expression.String(n), expression.String(changed))
	}
}

func TestParseName(t *testing.T) {
	t.Parallel()
	n, err := expression.ParseName(`ship_region . regions."the name"`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ship_region", "regions", "the name"}, n.Parts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, text := range []string{"a + b", "1", "sum(a)", "a.", ""} {
		if _, err := expression.ParseName(text); err == nil {
			t.Errorf("%q is a name", text)
		}
	}
}
