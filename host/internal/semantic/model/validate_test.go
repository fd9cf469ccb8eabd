package model

import (
	"bytes"
	"encoding/gob"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"example", "tpch", "ktx"} {
		if all := load(t, folder).Validate(); len(all) > 0 {
			t.Errorf("%s: %v", folder, all)
		}
	}
	m := load(t, "tpch")
	m = m.With(Parse("extra.yaml", []byte(`name: extra
table: extra
dimensions: [{name: orderkey}, {name: nation, expr: nation.n_name}]
measures:
  - {name: french, agg: count, filter: "nation.n_name = 'FRANCE'"}
  - {name: lines, agg: sum, expr: orderkey, filter: "part.p_size > 1"}
segments: [{name: asian, expr: "lineitem.l_quantity > 1"}]
joins:
  - {to: orders, on: extra.orderkey = orders.o_orderkey, relationship: many_to_one}
  - {to: supplier, on: extra.suppkey = supplier.s_suppkey, relationship: many_to_one}
`)))
	clean(t, m)
	var got []string
	for _, p := range m.Validate() {
		got = append(got, p.String())
	}
	want := []string{
		"extra.yaml:3:53: dimensions.nation.expr: extra leads to nation in several ways: over extra → supplier → supplier_nation; over extra → orders → customer → customer_nation; use one of supplier_nation.n_name, customer_nation.n_name",
		"extra.yaml:5:41: measures.french.filter: extra leads to nation in several ways: over extra → supplier → supplier_nation; over extra → orders → customer → customer_nation; use one of supplier_nation.n_name, customer_nation.n_name",
		"extra.yaml:6:54: measures.lines.filter: extra reaches part only through orders (many_to_one), then lineitem (one_to_many), then part (many_to_one); ask for the measures of extra and of part separately",
		"extra.yaml:7:33: segments.asian.expr: extra reaches lineitem only through orders (many_to_one), then lineitem (one_to_many); ask for the measures of extra and of lineitem separately",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFilesCanBeKept takes files through the encoding of a cache.
func TestFilesCanBeKept(t *testing.T) {
	t.Parallel()
	files := parseExamples(t)
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(files); err != nil {
		t.Fatal(err)
	}
	var back []*File
	if err := gob.NewDecoder(&b).Decode(&back); err != nil {
		t.Fatal(err)
	}
	one, other := Build(Input{Files: files}), Build(Input{Files: back})
	if diff := cmp.Diff(dump(one), dump(other)); diff != "" || one.Hash() != other.Hash() {
		t.Errorf("-as read +as kept:\n%s", diff)
	}
}

func BenchmarkCached(b *testing.B) {
	names, contents := folder(10_000)
	var kept bytes.Buffer
	if err := gob.NewEncoder(&kept).Encode(parseAll(names, contents)); err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	cpu(b)
	for b.Loop() {
		var files []*File
		if err := gob.NewDecoder(bytes.NewReader(kept.Bytes())).Decode(&files); err != nil {
			b.Fatal(err)
		}
		Build(Input{Files: files})
	}
}

// TestProblemsAreListedOnce compares the lists of two calls: a model makes one list, because to
// describe a source asks for the problems of all.
func TestProblemsAreListedOnce(t *testing.T) {
	t.Parallel()
	first := Build(Input{Files: []*File{Parse("a.yaml", []byte("name: a\ntable: t\nmeasures: 3\n"))}})
	for name, m := range map[string]*Model{
		"built":        first,
		"with repeats": first.WithRepeats(Repeats{{Name: "t"}: {"id"}}),
		"with a file":  first.With(Parse("b.yaml", []byte("name: b\ntable: u\n"))),
	} {
		one, other := m.Problems(), m.Problems()
		if len(one) != 1 || &one[0] != &other[0] {
			t.Errorf("%s: %d problems, want the same one of both calls", name, len(one))
		}
	}
}
