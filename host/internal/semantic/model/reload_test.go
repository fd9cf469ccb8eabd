package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// dump writes a model with names for ids, so that two that mean the same are
// equal.
func dump(m *Model) string {
	var b strings.Builder
	field := func(s SourceID, f Field) string {
		if f.Dimension == 0 {
			return m.sources[s].Identity + ".(" + f.Column + ")"
		}
		return m.sources[f.Dimension.Source()].Identity + "." + m.Dimension(f.Dimension).Name
	}
	ref := func(r Ref) string {
		if r.Measure != 0 {
			return fmt.Sprintf("%v>%s!%s", r.Via, m.sources[r.Measure.Source()].Identity, m.Measure(r.Measure).Name)
		}
		return fmt.Sprintf("%v>%s", r.Via, field(r.Source, r.Field))
	}
	expr := func(e *Expr) string {
		if e == nil {
			return "-"
		}
		out := expression.String(e.Tree)
		for _, r := range e.Refs {
			out += " " + ref(r.Ref)
		}
		return out
	}
	write := func(s *Source) {
		fmt.Fprintf(&b, "source %s (%s) %q %s %v %d %q\n", s.Name, s.Identity, s.Table, s.File, s.Visibility, len(s.Grain), s.Broken)
		for _, d := range s.Dimensions {
			fmt.Fprintf(&b, "  dimension %s %s %s %s %v %q %s\n", d.Name, d.Type, d.Column, expr(d.Expr), d.Visibility, d.Broken, d.Unit)
		}
		for _, x := range s.Measures {
			fmt.Fprintf(&b, "  measure %s %s %s home %s %s %q %s\n", x.Name, x.Kind, x.Agg, m.sources[x.Home].Identity, expr(x.Expr), x.Broken, x.Unit)
			for _, id := range x.Uses {
				fmt.Fprintf(&b, "    uses %s\n", ref(Ref{Measure: id}))
			}
			for _, f := range x.Filter {
				fmt.Fprintf(&b, "    where %s\n", expr(f))
			}
		}
		for _, j := range s.Joins {
			to := ""
			if j.To != 0 {
				to = m.sources[j.To].Identity
			}
			fmt.Fprintf(&b, "  join %s %s %s %s %q", j.Role, to, j.Relationship, expr(j.On), j.Broken)
			for _, p := range j.Equal {
				fmt.Fprintf(&b, " %s=%s", field(s.ID, p.From), field(j.To, p.To))
			}
			b.WriteByte('\n')
		}
		if s.ID == Metrics {
			return
		}
		for i, e := range m.graph.up[s.ID] {
			fmt.Fprintf(&b, "  up %d %s to %s\n", i, e.Name, m.sources[e.To].Identity)
		}
	}
	write(m.Source(Metrics))
	for s := range m.Sources() {
		write(s)
	}
	for _, p := range m.Problems() {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// randomFile makes a small source that refers to others by names that may or may
// not be there, and is broken now and then.
func randomFile(r *rand.Rand, name string) string {
	any := func(all ...string) string { return all[r.IntN(len(all))] }
	other := func() string { return any("s0", "s1", "s2", "s3", "s4", "s5") }
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n%s\n", name, any("table: "+name, "table: "+name, "table: "+name, "table: x."+name, "sql: SELECT 1", "tabel: t", ""))
	fmt.Fprintf(&b, "dimensions:\n  - {name: id}\n  - {name: %s}\n  - {name: d, expr: %s}\n", any("name", "title"), any("id + 1", "name", other()+".d", other()+".id", "role1.id", "d2", other()+"."))
	fmt.Fprintf(&b, "measures:\n  - {name: m, expr: %s}\n  - {name: n, expr: %s, unit: U%d}\n  - {name: p, type: ratio, numerator: %s, denominator: %s}\n",
		any("sum(id)", "sum("+other()+".id)", "m2 + 1"), any("m * 2", other()+".m + 1", other()+".n - m", "p"), r.IntN(100), any("m", other()+".m", "rate"), any("n", other()+".n"))
	b.WriteString("joins:\n")
	for range r.IntN(3) {
		to := other()
		if role := any("", "", "role1", "role2"); role != "" {
			fmt.Fprintf(&b, "  - {to: %s, role: %s, on: %s.k = %s.%s, relationship: %s}\n", to, role, name, role, any("id", "name"), any("many_to_one", "one_to_one", "one_to_many"))
		} else {
			fmt.Fprintf(&b, "  - {to: %s, on: %s.k = %s.id, relationship: %s}\n", to, name, to, any("many_to_one", "many_to_one", "one_to_one"))
		}
	}
	if r.IntN(10) == 0 {
		b.WriteString("oops: [\n")
	}
	return b.String()
}

// TestReloadsAddUp changes files at random and compares the model with one
// that is built from scratch.
func TestReloadsAddUp(t *testing.T) {
	t.Parallel()
	seeds := uint64(20)
	if testing.Short() {
		seeds = 3
		t.Log("-short: 17 more histories of edits")
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			files := map[string]*File{}
			var tables []*Table
			if seed%2 == 1 {
				tables = []*Table{
					table("x.s0", "id", "id int64", "name text", "k int64").refer("k", "x.s1", "id"),
					table("x.s1", "id", "id int64", "name text"), table("y.s1", "id", "id int64"),
					table("x.s2", "", "id int64", "title text"),
				}
			}
			m := Build(Input{Tables: tables})
			for step := range 60 {
				before, old := dump(m), m
				name := fmt.Sprintf("s%d", r.IntN(6))
				path := name + ".yaml"
				var f *File
				switch r.IntN(9) {
				case 0:
					f = &File{Path: path}
					delete(files, path)
				case 1:
					path = "metrics.yaml"
					f = Parse(path, fmt.Appendf(nil, "metrics:\n  - {name: rate, type: derived, expr: s%d.m / s%d.n}\n  - {name: twice, type: derived, expr: rate * %d}\n", r.IntN(6), r.IntN(6), r.IntN(9)))
					files[path] = f
				case 2:
					path = "_memory/" + path
					if name = []string{"", "x.", "y."}[r.IntN(3)] + name; r.IntN(5) == 0 {
						path = "_memory/metrics.yaml"
					}
					f = Parse(path, fmt.Appendf(nil, "name: %s\nmeasures:\n  - {name: learned, expr: sum(id) * %d}\n", name, r.IntN(9)))
					files[path] = f
				default:
					f = Parse(path, []byte(randomFile(r, name)))
					files[path] = f
				}
				m = m.With(f)
				in := Input{Tables: tables}
				for _, f := range files {
					in.Files = append(in.Files, f)
				}
				fresh := Build(in)
				if diff := cmp.Diff(dump(fresh), dump(m)); diff != "" {
					t.Fatalf("step %d, %s (-from scratch +reloaded):\n%s", step, path, diff)
				}
				if fresh.Hash() != m.Hash() {
					t.Fatalf("step %d: the hash differs from that of a model from scratch", step)
				}
				if dump(old) != before {
					t.Fatalf("step %d changed the model before it", step)
				}
			}
		})
	}
}

func TestReloadsShareWhatStays(t *testing.T) {
	t.Parallel()
	names, contents := folder(50)
	m := Build(Input{Files: parseAll(names, contents)})
	changed := strings.Replace(string(contents[7]), "unit: EUR", "unit: USD", 1)
	next := m.With(Parse(names[7], []byte(changed)))
	if m.Hash() == next.Hash() {
		t.Error("the hash stays although a file changed")
	}
	var others int
	for s := range next.Sources() {
		was := m.Source(s.ID)
		if was == nil || was.Identity != s.Identity {
			t.Errorf("%s has another id", s.Identity)
		}
		if was != s {
			others++
		}
	}
	// The file's source and the six below it, which name it.
	if others > 20 {
		t.Errorf("%d of 50 sources were made anew", others)
	}
	if got := measureOf(t, next, "source_7", "revenue").Unit; got != "USD" {
		t.Errorf("the unit is %s", got)
	}
	if back := next.With(Parse(names[7], contents[7])); back.Hash() != m.Hash() {
		t.Error("the hash differs although everything is as it was")
	}
	tables := shop()
	scanned := Build(Input{Tables: tables})
	tables[3] = table("shop.items", "order_id", "order_id int64")
	if again := scanned.WithColumns(tables, nil); again.Hash() == scanned.Hash() || len(source(t, again, "items").Dimensions) != 1 {
		t.Error("a table that changed is as before")
	}
}

// TestCostsAreLinear counts allocations, so nothing may run beside it.
func TestCostsAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the cost of 2,000 sources beside that of 200")
	}
	names, contents := folder(2_000)
	load := func(n int) func() {
		return func() {
			m := Build(Input{Files: parseAll(names[:n], contents[:n])})
			if len(m.order) != n {
				t.Fatalf("%d sources", len(m.order))
			}
		}
	}
	one, ten := testing.AllocsPerRun(1, load(200)), testing.AllocsPerRun(1, load(2_000))
	if ten > 11*one {
		t.Errorf("%.0f allocations for 200 sources, %.0f for 2000", one, ten)
	}
	small := Build(Input{Files: parseAll(names[:200], contents[:200])})
	large := Build(Input{Files: parseAll(names, contents)})
	ask := func(m *Model) float64 {
		from := source(t, m, "source_150").ID
		once := func() {
			members, err := m.Lookup(from, "parent_0_of_150", "status")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Path(from, members[0].Ref); err != nil {
				t.Fatal(err)
			}
		}
		return testing.AllocsPerRun(20, once)
	}
	if a, b := ask(small), ask(large); b > a+1 {
		t.Errorf("a lookup makes %.0f allocations among 200 sources, %.0f among 2000", a, b)
	}
	reload := func(m *Model) float64 {
		f := Parse(names[20], []byte(strings.Replace(string(contents[20]), "unit: EUR", "unit: USD", 1)))
		return testing.AllocsPerRun(3, func() { m.With(f) })
	}
	// The sources below it are among the first 200.
	if a, b := reload(small), reload(large); b > 1.2*a {
		t.Errorf("a reload makes %.0f allocations among 200 sources, %.0f among 2000", a, b)
	}
}

// Sources are linked by several goroutines; what comes of it is always the same,
// what is offered for names that are wrong too.
func TestBuildIsDeterministic(t *testing.T) {
	t.Parallel()
	names, contents := folder(300)
	for i := range contents {
		if i%3 == 1 {
			contents[i] = bytes.ReplaceAll(contents[i], []byte("{name: buyers, expr: count(distinct customer_id)}"),
				fmt.Appendf(nil, "{name: buyers, expr: sum(sorce_%d.amount)}", i-1))
		}
	}
	files := parseAll(names, contents)
	want := Build(Input{Files: files})
	if n := len(want.Problems()); n < 100 {
		t.Fatalf("%d problems", n)
	}
	for range 3 {
		if diff := cmp.Diff(dump(want), dump(Build(Input{Files: files}))); diff != "" {
			t.Fatalf("two models of the same (-first +another):\n%s", diff)
		}
	}
}
