package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, table string
		columns     []string
	}{
		{"orders(id)", "orders", []string{"id"}},
		{" a.b.c( x , y )", "a.b.c", []string{"x", "y"}},
		{`"a(b".c("x,""(y)", z)`, `"a(b".c`, []string{`x,"(y)`, "z"}},
		{"f(x)(y)", "f(x)", []string{"y"}},
		{"orders", "", nil},
		{"orders()", "", nil},
		{"orders(a,)", "", nil},
		{"(id)", "", nil},
		{`orders("a)`, "", nil},
		{"orders(id) x", "", nil},
	} {
		table, columns, ok := parseEnd(c.text)
		if table != c.table || ok != (c.columns != nil) {
			t.Errorf("%q is %q, %q, %t", c.text, table, columns, ok)
		}
		if diff := cmp.Diff(c.columns, columns); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestSplitEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want []string }{
		{[]string{"a(x)", "b(y)"}, []string{"a(x)", "b(y)"}},
		{[]string{"a(x) → b(y)"}, []string{"a(x)", "b(y)"}},
		{[]string{"a(x)->b(y)"}, []string{"a(x)", "b(y)"}},
		{[]string{"a(x)", "->", "b(y)"}, []string{"a(x)", "b(y)"}},
		{[]string{"a→b(x -> y) → c(z)"}, []string{"a→b(x -> y)", "c(z)"}},
		{[]string{"a→b(x)", "c->d(z)"}, []string{"a→b(x)", "c->d(z)"}},
		{[]string{"a(x)"}, []string{"a(x)"}},
	} {
		if diff := cmp.Diff(c.want, splitEnds(c.args)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.args, diff)
		}
	}
}

func FuzzEnd(f *testing.F) {
	f.Add("orders", "id", "other")
	f.Add("a.b", `x"`, "y,z")
	f.Add("", "(", ")")
	f.Fuzz(func(t *testing.T, name, a, b string) {
		table, columns, ok := parseEnd(EndText(sdk.TableRef{Name: name}, []string{a, b}))
		if !ok || table != catalog.Display(sdk.TableRef{Name: name}) || columns[0] != a || columns[1] != b {
			t.Errorf("%q(%q, %q) is read back as %q, %q, %t", name, a, b, table, columns, ok)
		}
	})
}
