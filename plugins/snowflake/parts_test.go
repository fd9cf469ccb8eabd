package snowflake

import (
	"fmt"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// A column gets as many parts as the service allows, and none of a type with more; identifiers that form a cycle end.
func TestPartsOfATypeAreBounded(t *testing.T) {
	t.Parallel()
	of := structure{"S", "T", "1"}
	for _, n := range []int{1, maxParts, maxParts + 1} {
		s := &scan{parts: map[structure][]part{}, left: maxParts}
		for i := range n {
			s.parts[of] = append(s.parts[of], part{name: fmt.Sprint("F", i), native: "BOOLEAN"})
		}
		c := sdk.Column{Name: "C", NativeType: "OBJECT"}
		s.complete(&c, of)
		want := n
		if n > maxParts {
			want = 0
		}
		if len(c.Fields) != want {
			t.Errorf("%d parts: %d fields", n, len(c.Fields))
		}
	}
	s := &scan{parts: map[structure][]part{of: {{name: "INNER", native: "OBJECT", id: "1"}}}, left: maxParts}
	c := sdk.Column{Name: "C", NativeType: "OBJECT"}
	s.complete(&c, of)
	depth := 0
	for at := &c; len(at.Fields) == 1; at = &at.Fields[0] {
		depth++
	}
	if depth != maxParts {
		t.Errorf("a type that is a part of itself has %d levels", depth)
	}
}
