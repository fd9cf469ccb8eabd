package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// load builds a model of the files of a folder below testdata.
func load(t testing.TB, folder string, tables ...*Table) *Model {
	t.Helper()
	root := filepath.Join("testdata", folder)
	var in Input
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		in.Files = append(in.Files, Parse(filepath.ToSlash(name), content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	in.Tables = tables
	return Build(in)
}

// clean fails for every problem of a model.
func clean(t testing.TB, m *Model) {
	t.Helper()
	for _, p := range m.Problems() {
		t.Errorf("problem: %s", p)
	}
}

// source returns a source by name.
func source(t testing.TB, m *Model, name string) *Source {
	t.Helper()
	s, err := m.FindSource(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// way returns the path from a home to a reference in words, or the error.
func way(t testing.TB, m *Model, home, ref string) string {
	t.Helper()
	from := source(t, m, home)
	members, err := m.Lookup(from.ID, strings.Split(ref, ".")...)
	if err != nil {
		return "lookup: " + err.Error()
	}
	p, err := m.Path(from.ID, members[0].Ref)
	if err != nil {
		return err.Error()
	}
	var words []string
	for _, s := range p.Steps {
		arrow := "→ "
		if s.Down {
			arrow = "⇒ "
		}
		words = append(words, arrow+m.stepName(s))
	}
	if p.Note != "" {
		words = append(words, "("+p.Note+")")
	}
	return strings.Join(words, " ")
}

func TestTPCH(t *testing.T) {
	t.Parallel()
	m := load(t, "tpch")
	clean(t, m)
	for _, tt := range []struct{ home, ref, want string }{
		{"lineitem", "lineitem.l_returnflag", ""},
		{"lineitem", "part.p_brand", "→ part"},
		{"lineitem", "supplier.s_name", "→ supplier"},
		{"lineitem", "supplier_nation.n_name", "→ supplier → supplier_nation"},
		{"lineitem", "customer_nation.n_name", "→ orders → customer → customer_nation"},
		{"lineitem", "supplier_nation.region.r_name", "→ supplier → supplier_nation → region"},
		{"lineitem", "customer.c_mktsegment", "→ orders → customer"},
		{"lineitem", "partsupp.ps_supplycost", "→ partsupp"},
		{"partsupp", "supplier_nation.n_name", "→ supplier → supplier_nation"},
		{"orders", "lineitem.l_quantity", "⇒ lineitem"},
		{"orders", "part.p_brand", "⇒ lineitem → part"},
		{"customer", "orders.o_comment", "⇒ orders"},
		{"lineitem", "nation.n_name", "lineitem leads to nation in several ways: over lineitem → supplier → supplier_nation; over lineitem → orders → customer → customer_nation (ambiguous_path)"},
		{"lineitem", "region.r_name", "lineitem leads to region in several ways: over lineitem → supplier → supplier_nation → region; over lineitem → orders → customer → customer_nation → region (ambiguous_path)"},
		{"partsupp", "orders.o_orderdate", "⇒ lineitem → orders"},
		{"customer", "part.p_name", "⇒ orders ⇒ lineitem → part"},
	} {
		if diff := cmp.Diff(tt.want, way(t, m, tt.home, tt.ref)); diff != "" {
			t.Errorf("%s from %s (-want +got):\n%s", tt.ref, tt.home, diff)
		}
	}
}
