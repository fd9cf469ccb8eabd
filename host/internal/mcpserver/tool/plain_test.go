package tool

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const plainSchema = `{"type":"object","additionalProperties":false,"required":["id"],"properties":{
	"id":{"type":"string","minLength":1,"maxLength":3,"description":"d"},
	"kind":{"type":"string","enum":["a","b"],"description":"d"},
	"n":{"type":"integer","minimum":-2,"maximum":10,"default":1,"description":"d"},
	"all":{"type":"boolean","description":"d"},
	"list":{"type":"array","items":{"type":"string"},"description":"d"},
	"pattern":{"type":"string","pattern":"^x","description":"d"}}}`

// What the plain check accepts, the schema accepts as it is.
func TestPlainAcceptsWhatTheSchemaDoes(t *testing.T) {
	t.Parallel()
	s, err := newInput(plainSchema)
	if err != nil {
		t.Fatal(err)
	}
	values := []any{"", "a", "äöü", "four", json.Number("1"), json.Number("-3"), json.Number("10"), json.Number("11"), json.Number("1.0"), json.Number("1e3"),
		json.Number("99999999999999999999"), true, nil, []any{"a"}, map[string]any{}, "x"}
	names := []string{"id", "kind", "n", "all", "list", "pattern", "other"}
	random, accepted := rand.New(rand.NewPCG(1, 2)), 0
	for range 20_000 {
		given := map[string]any{"id": values[random.IntN(len(values))]}
		for range random.IntN(3) {
			given[names[random.IntN(len(names))]] = values[random.IntN(len(values))]
		}
		if !s.plain.accepts(given) {
			continue
		}
		accepted++
		n := &normaliser{}
		if n.numbers(given); n.changed || len(n.problems) > 0 {
			t.Fatalf("accepted with a number that is changed: %v", given)
		}
		if err := s.validate(given); err != nil {
			t.Fatalf("accepted and not valid: %v: %v", given, err)
		}
	}
	if accepted < 500 {
		t.Errorf("%d of 20,000 were accepted: the test says little", accepted)
	}
}

// Arguments of plain properties are checked without the schema library; others, and those that are no object, with it.
func TestPlainNeedsNoLibrary(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		arguments        string
		library, invalid bool
	}{
		{`{"id":"a"}`, false, false},
		{`{"id":"abc","kind":"b","n":10,"all":false}`, false, false},
		{`{"id":"a","n":null}`, false, false},
		{`{"id":"a","n":-2}`, false, false},
		{`{"id":"a","n":1.0}`, true, false},
		{`{"id":"a","list":["x"]}`, true, false},
		{`{"id":"a","pattern":"xy"}`, true, false},
		{`{"id":"a","pattern":"y"}`, true, true},
		{`{"id":"abcd"}`, true, true},
		{`{"id":"a","kind":"c"}`, true, true},
		{`{"id":"a","n":11}`, true, true},
		{`{"n":1}`, true, true},
		{`{"id":"a","other":1}`, true, true},
		{`[]`, true, true},
	} {
		s, err := newInput(plainSchema)
		if err != nil {
			t.Fatal(err)
		}
		library, compile := false, s.compiled
		s.compiled = func() (*jsonschema.Schema, error) { library = true; return compile() }
		_, problems, err := s.arguments([]byte(tc.arguments))
		if err != nil || library != tc.library || (len(problems) > 0) != tc.invalid {
			t.Errorf("%s: the library was asked: %t, problems %v, %v", tc.arguments, library, problems, err)
		}
	}
	if s, err := newInput(`{"type":"object","additionalProperties":false,"properties":{},"minProperties":1}`); err != nil || s.plain != nil {
		t.Errorf("a schema with a keyword of its own at the root: %v, %v", s.plain, err)
	}
}

// A bound that a number of JSON does not tell exactly is left to the library.
func TestPlainBoundsAreExact(t *testing.T) {
	t.Parallel()
	for bound, plain := range map[float64]bool{1<<53 - 1: true, 1 << 53: false, -(1 << 53): false, 0.5: false} {
		if _, ok := newProperty(map[string]any{"type": "integer", "maximum": bound}); ok != plain {
			t.Errorf("maximum %.1f: plain is %t", bound, ok)
		}
	}
}
