package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReachable asks for a member with every reference that Reachable gives: it
// leads over the same joins.
func TestReachable(t *testing.T) {
	t.Parallel()
	models := map[string]*Model{
		"tpch": load(t, "tpch"),
		"roles": modelOf(t, map[string][]string{
			"region": nil, "store": {"region on region_id=id"},
			"order": {"ship=region on ship_id=id", "bill=region on bill_id=id", "store on store_id=id"},
		}),
		"itself": modelOf(t, map[string][]string{"employee": {"manager=employee on manager_id=id"}, "office": {"employee on head_id=id"}}),
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			for s := range m.Sources() {
				all, whole := m.Reachable(s.ID, 1000)
				if !whole {
					t.Errorf("%s: not all", s.Name)
				}
				for _, r := range all {
					to := m.Source(r.Path.Source())
					ref := Ref{Source: to.ID, Field: Field{Dimension: to.Dimensions[0].ID}}
					if path, err := m.Path(s.ID, ref.Through(r.Via...)); err != nil || !slices.Equal(path.Steps, r.Path.Steps) {
						t.Errorf("%s from %s over %v leads over %v (%v)", to.Name, s.Name, r.Via, path, err)
					}
					if r.Reference == "" {
						continue
					}
					asked++
					parts := append(strings.Split(r.Reference, "."), to.Dimensions[0].Name)
					members, err := m.Lookup(s.ID, parts...)
					if err != nil {
						t.Errorf("%s from %s: %v", r.Reference, s.Name, err)
						continue
					}
					path, err := m.Path(s.ID, members[0].Ref)
					if err != nil || !slices.Equal(path.Steps, r.Path.Steps) {
						t.Errorf("%s from %s leads over %v (%v), want %v", r.Reference, s.Name, path, err, r.Via)
					}
				}
			}
			if asked == 0 {
				t.Error("nothing is reachable")
			}
		})
	}
}

func TestReachableIsBounded(t *testing.T) {
	t.Parallel()
	m := load(t, "tpch")
	from := source(t, m, "lineitem")
	all, _ := m.Reachable(from.ID, 1000)
	for most := range len(all) + 2 {
		some, whole := m.Reachable(from.ID, most)
		if len(some) != min(most, len(all)) || whole != (most >= len(all)) {
			t.Errorf("at most %d: %d, whole: %t, of %d", most, len(some), whole, len(all))
		}
	}
}

func TestIncoming(t *testing.T) {
	t.Parallel()
	files := func(texts ...string) *Model {
		var in Input
		for i, text := range texts {
			name, joins, _ := strings.Cut(text, ": ")
			yaml := "name: " + name + "\ntable: " + name + "\nprimary_key: [id]\ndimensions: [{name: id, type: number}, {name: other, type: number}]\n"
			if joins != "" {
				yaml += "joins: [" + joins + "]\n"
			}
			in.Files = append(in.Files, Parse(fmt.Sprintf("f%d.yaml", i), []byte(yaml)))
		}
		m := Build(in)
		for _, p := range m.Problems() {
			t.Fatal(p)
		}
		return m
	}
	const up = `{to: a, on: "b.other = a.id", relationship: many_to_one}`
	for _, tt := range []struct {
		name string
		m    *Model
		want map[string]string // by source: ↑ to one, ↓ to many
	}{
		{"declared on one side", files("a", "b: "+up), map[string]string{"a": "↓b", "b": ""}},
		{"declared on both sides", files(`a: {to: b, on: "b.other = a.id", relationship: one_to_many}`, "b: "+up), map[string]string{"a": "", "b": ""}},
		{"declared on the other side", files(`a: {to: b, on: "b.other = a.id", relationship: one_to_many}`, "b"), map[string]string{"a": "", "b": "↑a"}},
		{"one to one", files("a", `b: {to: a, on: "b.id = a.id", relationship: one_to_one}`), map[string]string{"a": "↑b", "b": ""}},
		{"two ways", files("a", "b: "+up+`, {role: second, to: a, on: "b.id = a.other", relationship: many_to_one}`), map[string]string{"a": "↓b ↓b", "b": ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			for s := range tt.m.Sources() {
				var words []string
				for _, step := range tt.m.Incoming(s.ID) {
					sign := "↑"
					if step.Down {
						sign = "↓"
					}
					words = append(words, sign+tt.m.Source(step.Source()).Name)
				}
				got[s.Name] = strings.Join(words, " ")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("incoming joins (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInferredEdges: a join is inferred until one side declares it.
func TestInferredEdges(t *testing.T) {
	t.Parallel()
	const declared = `{to: b, on: "b.other = a.id", relationship: one_to_many}`
	const inferred = `{to: a, on: "b.other = a.id", relationship: many_to_one, source: inferred}`
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"", inferred, true}, {declared, inferred, false}, {strings.Replace(declared, "one_to_many", "one_to_many, source: inferred", 1), inferred, true}} {
		var in Input
		for name, joins := range map[string]string{"a": tt.a, "b": tt.b} {
			in.Files = append(in.Files, Parse(name+".yaml", []byte("name: "+name+"\ntable: "+name+"\ndimensions: [{name: id, type: number}, {name: other, type: number}]\njoins: ["+joins+"]\n")))
		}
		m := Build(in)
		all, _ := m.Reachable(source(t, m, "b").ID, 10)
		if len(all) != 1 || all[0].Path.Steps[0].Inferred != tt.want {
			t.Errorf("a: %s, b: %s: %+v, want inferred: %t", tt.a, tt.b, all, tt.want)
		}
	}
}
