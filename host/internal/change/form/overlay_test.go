package form

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

const layered = `# what agents said
name: subscription   # the source
synonyms: [abo]

measures:
  # by finance
  - name: mrr
    expr: sum(amount)   # in cents
    learned: {change: "0123456789", reviewed: true}
column_overrides:
- name: plan
  values: [a, b]
segments:
`

const arr = "name: arr\nexpr: sum(amount_cents) / 100\nfilter: status = 'active'\nlearned: {change: 3fa2c81b07, by: claude-code, at: 2026-11-20T10:00:00Z, source: finance, reviewed: false}\nverified:\n  level: runs\n  at: 2026-11-20T10:00:00Z\n"

func TestOverlayApply(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		blocks   []change.Block
		old, new string
	}{
		"a new file": {blocks: []change.Block{add("name", "subscription"), add(Member("measures", "arr"), arr), add(Member("synonyms", "Abo"), "Abo"), add(Member("columns", "plan", "unit"), "EUR"), add(Member("columns", "plan", "synonyms", "tariff"), "tariff")}, new: `name: subscription
measures:
  - name: arr
    expr: sum(amount_cents) / 100
    filter: status = 'active'
    learned: {change: 3fa2c81b07, by: claude-code, at: '2026-11-20T10:00:00Z', source: finance, reviewed: false}
    verified: {level: runs, at: '2026-11-20T10:00:00Z'}
synonyms:
  - Abo
column_overrides:
  - name: plan
    unit: EUR
    synonyms:
      - tariff
`},
		"a measure behind another": {blocks: []change.Block{add("measures/net", "expr: sum(net)")}, old: "reviewed: true}\n", new: "reviewed: true}\n  - name: net\n    expr: sum(net)\n"},
		"a key without entries":    {blocks: []change.Block{add("segments/paid", "expr: paid")}, old: "segments:\n", new: "segments:\n- name: paid\n  expr: paid\n"},
		"a key of a column":        {blocks: []change.Block{add("columns/plan/unit", "EUR")}, old: "[a, b]\n", new: "[a, b]\n  unit: EUR\n"},
		"another column":           {blocks: []change.Block{add("columns/amount/unit", "EUR")}, old: "[a, b]\n", new: "[a, b]\n- name: amount\n  unit: EUR\n"},
		"a synonym in brackets":    {blocks: []change.Block{add("synonyms/Tarif", "Tarif")}, old: "[abo]", new: "[abo, Tarif]"},
		"a join":                   {blocks: []change.Block{add("joins/customer", "to: customer\non: customer_id = customer.id\nrelationship: many_to_one")}, old: "segments:\n", new: "segments:\njoins:\n  - to: customer\n    on: customer_id = customer.id\n    relationship: many_to_one\n"},
		"a review":                 {blocks: []change.Block{{Place: "measures/mrr", Before: "expr: sum(amount)\nlearned: {change: \"0123456789\", reviewed: true}", After: "expr: sum(amount)\nlearned: {change: \"0123456789\", reviewed: false}"}}, old: "reviewed: true", new: "reviewed: false"},
		"a key within a measure":   {blocks: []change.Block{{Place: "measures/mrr", Before: "expr: sum(amount)", After: "expr: sum(amount)\nfilter: paid\nlearned: {change: \"0123456789\", reviewed: true}"}}, old: "cents\n", new: "cents\n    filter: paid\n"},
		"a description":            {blocks: []change.Block{add("description", `"A contract.\nOf one customer."`)}, old: "segments:\n", new: "segments:\ndescription: |-\n  A contract.\n  Of one customer.\n"},
		"what is there":            {blocks: []change.Block{add("name", "subscription"), add("synonyms/abo", "abo"), add("measures/mrr", "expr: sum(amount)")}},
		"a formula like a comment": {blocks: []change.Block{add("measures/x", "expr: 'sum(a) # b: c'")}, old: "reviewed: true}\n", new: "reviewed: true}\n  - name: x\n    expr: 'sum(a) # b: c'\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var current []byte
			want := tc.new
			if name != "a new file" {
				current, want = []byte(layered), strings.Replace(layered, tc.old, tc.new, 1)
			}
			if name == "a key within a measure" {
				// What was there before a change is more than its Before says.
				tc.blocks[0].Before += "\nlearned: {change: \"0123456789\", reviewed: true}"
			}
			roundTrip(t, Overlay{}, current, tc.blocks, want)
			after, err := Overlay{}.Apply(current, tc.blocks)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range model.Parse("_memory/subscription.yaml", after).Problems {
				if !strings.Contains(p.Msg, "unknown key") && !strings.Contains(p.Msg, "has no meaning") {
					t.Errorf("the model has a problem with it: %s", p.Msg)
				}
			}
		})
	}
}

func TestOverlayRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		current string
		block   change.Block
		kind    sdk.Kind
	}{
		"an alias bomb":    {"", add("measures/x", "expr: [&a [x, x], *a, *a]"), sdk.KindInvalid},
		"a merge key":      {"", add("measures/x", "<<: {expr: x}"), sdk.KindInvalid},
		"a tag":            {"", add("measures/x", "expr: !!binary x"), sdk.KindInvalid},
		"depth":            {"", add("measures/x", "expr: "+strings.Repeat("[", 30)+strings.Repeat("]", 30)), sdk.KindInvalid},
		"two documents":    {"", add("measures/x", "expr: x\n---\nexpr: y"), sdk.KindInvalid},
		"another name":     {"", add("measures/x", "name: y\nexpr: y"), sdk.KindInvalid},
		"another place":    {"", add("sql", "select 1"), sdk.KindInvalid},
		"a broken file":    {"a: [", add("measures/x", "expr: x"), sdk.KindInvalid},
		"another measure":  {layered, add("measures/mrr", "expr: sum(x)"), sdk.KindConflict},
		"another source":   {layered, add("name", "orders"), sdk.KindConflict},
		"a text as a list": {"synonyms: abo\n", add("synonyms/x", "x"), sdk.KindInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Overlay{}.Apply([]byte(tc.current), []change.Block{tc.block})
			if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != tc.kind {
				t.Errorf("got %v, want the kind %s", err, tc.kind)
			}
		})
	}
}

func TestOverlayRevert(t *testing.T) {
	t.Parallel()
	blocks := []change.Block{add("name", "subscription"), add("measures/arr", arr), add("measures/net", "expr: sum(net)"), add("description", "A contract.")}
	after, err := Overlay{}.Apply(nil, blocks)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer("reviewed: false", "reviewed: true", "level: runs", "level: equal", "sum(net)", "sum(net) / 2", "description: A contract.\n", "").Replace(string(after))
	got, kept, err := Overlay{}.Revert([]byte(edited), blocks)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("name: subscription\nmeasures:\n  - name: net\n    expr: sum(net) / 2\n", string(got)); diff != "" {
		t.Errorf("reverted (-want +got):\n%s", diff)
	}
	want := blocks[2]
	want.Line = 3
	if diff := cmp.Diff([]change.Block{want}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}
