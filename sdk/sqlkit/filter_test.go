package sqlkit_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func ref(name string) sdk.TableRef {
	parts := strings.Split(name, ".")
	return sdk.TableRef{Catalog: parts[0], Schema: parts[1], Name: parts[2]}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		include, exclude []string
		levels           int
		yes, no          []string
	}{
		{"nothing said", nil, nil, 3, []string{"c.s.t"}, nil},
		{"one part is the table", []string{"orders"}, nil, 2, []string{"c.s.orders", "c.x.orders"}, []string{"c.orders.t", "c.s.orders2"}},
		{"two parts", []string{"sales.*"}, nil, 2, []string{"c.sales.a", "other.sales.b"}, []string{"c.sale.a", "c.sales2.a"}},
		{"three parts", []string{"c.*.t?"}, nil, 3, []string{"c.s.t1"}, []string{"c.s.t", "c.s.t12", "d.s.t1"}},
		{"exclude wins", []string{"sales.*"}, []string{"*_tmp"}, 2, []string{"c.sales.a"}, []string{"c.sales.a_tmp"}},
		{"exclude alone", nil, []string{"audit.*"}, 2, []string{"c.sales.a"}, []string{"c.audit.a"}},
		{"case", []string{"Sales.ORD*"}, nil, 2, []string{"c.SALES.orders"}, nil},
		{"a star stays in its part", []string{"*.t"}, nil, 3, []string{"c.s.t"}, []string{"c.s.x.t"}},
		{"going back", []string{"*ab*ab"}, nil, 1, []string{"c.s.abab", "c.s.xaabxabab"}, []string{"c.s.ab", "c.s.ababx"}},
		{"code points", []string{"?ber"}, nil, 1, []string{"c.s.über"}, []string{"c.s.xüber"}},
		{"empty name", []string{"*"}, nil, 1, []string{"c.s."}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := sqlkit.NewFilter(tt.include, tt.exclude, tt.levels)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range tt.yes {
				if !f.Match(ref(name)) {
					t.Errorf("%s is not selected", name)
				}
			}
			for _, name := range tt.no {
				r := ref(name)
				r.Name = name[len(r.Catalog)+len(r.Schema)+2:]
				if f.Match(r) {
					t.Errorf("%s is selected", name)
				}
			}
		})
	}
}

// A table's name may have dots: the last part of a glob keeps its own.
func TestFilterDotsInATable(t *testing.T) {
	t.Parallel()
	f, err := sqlkit.NewFilter([]string{"a.b"}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Match(sdk.TableRef{Name: "a.b"}) {
		t.Error("a.b is not selected")
	}
}

func TestFilterRefusesEmptyParts(t *testing.T) {
	t.Parallel()
	for _, glob := range []string{"", ".t", "s.", "c..t"} {
		_, err := sqlkit.NewFilter(nil, []string{glob}, 3)
		if sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%q: %v", glob, err)
		}
	}
}

// The worst case of a backtracking matcher must stay fast.
func BenchmarkFilterWorstCase(b *testing.B) {
	f, err := sqlkit.NewFilter([]string{strings.Repeat("*a", 40) + "b"}, nil, 1)
	if err != nil {
		b.Fatal(err)
	}
	table := sdk.TableRef{Name: strings.Repeat("a", 400)}
	for b.Loop() {
		if f.Match(table) {
			b.Fatal("selected")
		}
	}
}
