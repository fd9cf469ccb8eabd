package form

import (
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/sdk"
)

// What a change writes into an overlay goes again to the last byte.
func FuzzOverlay(f *testing.F) {
	for _, current := range []string{"", layered, "name: a\n", "name: a\nsynonyms: []\n", "column_overrides:\n- name: plan\n", "description: x", "measures:\n- name: m\n  expr: x\n\n# end\n"} {
		for _, text := range []string{"tariff", "Größe: \"a\"", "a\nb\n", "- x # y", "null", "~"} {
			f.Add(current, text, "plan")
		}
	}
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, current, text, name string) {
		value := strconv.Quote(text)
		if !utf8.ValidString(current + text + name) {
			return // no such text gets into a block
		}
		var before []byte
		if current != "" {
			before = []byte(current)
		}
		for _, blocks := range [][]change.Block{
			{add(Member("synonyms", text), value)},
			{add("description", value)},
			{add(Member("columns", name, "description"), value), add(Member("columns", name, "synonyms", text), value)},
			{add(Member("measures", name), "expr: sum(a)\ndescription: "+value), add(Member("measures", name, "synonyms", text), value)},
		} {
			blocks = Stamp(blocks, Learned{By: text, At: at, Source: name})
			blocks, err := Effective(Overlay{}, before, blocks)
			if err != nil {
				continue // refused, as below
			}
			after, err := Overlay{}.Apply(before, blocks)
			if err != nil {
				continue
			}
			back, kept, err := Overlay{}.Revert(after, blocks)
			if sdk.KindOf(err) == sdk.KindInvalid {
				continue // refused: the file stays as it is
			}
			if err != nil || len(kept) > 0 {
				t.Fatalf("revert: kept %v, %v, of\n%s", kept, err, after)
			}
			if back == nil {
				continue // a file with nothing but its name goes
			}
			if diff := cmp.Diff(before, back); diff != "" {
				t.Fatalf("reverted (-want +got):\n%s\nof\n%s", diff, after)
			}
		}
	})
}
