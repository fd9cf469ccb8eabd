package model

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sources that refer to each other are made by many goroutines and by two models that
// share them; each gets what a model gets that is asked by one.
func TestMembersAreMadeWhenAsked(t *testing.T) {
	t.Parallel()
	names, contents := folder(30)
	contents[3] = append(contents[3], "  - {role: gone, to: nowhere, on: source_3.id = gone.id, relationship: many_to_one}\n"...)
	names = append(names, "bad.yaml")
	contents = append(contents, []byte("name: bad\ntable: generated.bad\nmeasures:\n  - {name: a, expr: sum(nothing.x)}\n  - {name: b, type: derived, expr: a + 1}\n  - {name: c, type: derived, expr: source_3.revenue + source_9.revenue}\n"))
	want := dump(Build(Input{Files: parseAll(names, contents)}))

	m := Build(Input{Files: parseAll(names, contents)})
	for s := range m.Outlines() {
		if s.Dimensions != nil || s.Measures != nil || s.Segments != nil || s.draft.memberDrafts != nil || s.made.Load() != nil {
			t.Fatalf("%s has members that nobody asked for", s.Name)
		}
		calls := 0
		for range s.Called() {
			calls++
		}
		if calls == 0 || s.made.Load() != nil {
			t.Fatalf("%s is called in %d ways, or made its members to tell", s.Name, calls)
		}
	}
	next := m.With(Parse(names[29], contents[29]))
	var got [8]string
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			if i%2 == 0 {
				got[i] = dump(m)
			} else {
				got[i] = dump(next)
			}
		})
	}
	all.Wait()
	for i := range got {
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Fatalf("(-one after the other +at once):\n%s", diff)
		}
	}
}
