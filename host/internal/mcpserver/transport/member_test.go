package transport

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What members finds in an object is what encoding/json does.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a" : {"b":[1,{"c":"}"}]} , "d":null,"d":true}`, `{"a\u0062":"\\\"","":-1.5e3}`,
		"{\n\t\"a\":[],\r\"b\":{} }", `{"a":"ü","\ud83d\ude00":0}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil || want == nil {
			return
		}
		got := map[string]json.RawMessage{}
		members(text, func(name, value []byte) {
			var read string // encoding/json replaces what is no UTF-8, which parse refuses
			if quoted, err := json.Marshal(string(name)); err == nil && json.Unmarshal(quoted, &read) == nil {
				got[read] = value
			}
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, slices.Sorted(maps.Keys(got)), diff)
		}
	})
}
