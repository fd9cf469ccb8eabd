package form

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/sdk"
)

const person = `---
title: 'Money'   # as finance says it
tags: [finance, "eur"]
sl_refs:
  - orders.revenue   # gross
---

All amounts are gross.

## Rules

- no refunds

## Empty

## Setext
text

Last
====
The end.`

func add(place, text string) change.Block { return change.Block{Place: place, After: text} }

func TestPageApply(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		current string
		blocks  []change.Block
		old     string // of person
		new     string
	}{
		"a new page": {
			blocks: []change.Block{
				add(Front("title"), `"ARR"`), add(Front("summary"), `"ARR means: recurring revenue."`), add(FrontEntry("aliases", "Annual recurring"), `"Annual recurring"`),
				add(FrontEntry("sl_refs", "orders.arr"), `"orders.arr"`), add(Front("origin"), `"agent"`), add(Front("reviewed"), "false"), add(Front("created"), `"2026-11-20T10:00:00Z"`),
				add(Below(), "ARR means: recurring revenue."), add(Below("Formula"), "- sum"), add(Below("Formula"), "- by month"), add(Below("Formula", "SQL"), "```sql\nselect 1\n```"),
			},
			new: `---
title: ARR
summary: 'ARR means: recurring revenue.'
aliases:
  - Annual recurring
sl_refs:
  - orders.arr
origin: agent
reviewed: false
created: 2026-11-20T10:00:00Z
---

ARR means: recurring revenue.

## Formula

- sum
- by month

### SQL

` + "```sql\nselect 1\n```\n",
		},
		"an entry of a list":                {blocks: []change.Block{add(FrontEntry("sl_refs", "orders.arr"), `"orders.arr"`)}, old: "# gross\n", new: "# gross\n  - orders.arr\n"},
		"an entry of a list in brackets":    {blocks: []change.Block{add(FrontEntry("tags", "a, b"), `"a, b"`)}, old: `"eur"]`, new: `"eur", 'a, b']`},
		"a value in quotes, its comment":    {blocks: []change.Block{{Place: Front("title"), Before: `"Money"`, After: `"Cash"`}}, old: `'Money'   #`, new: `'Cash'   #`},
		"a key":                             {blocks: []change.Block{add(Front("summary"), `"Gross."`)}, old: "gross\n---", new: "gross\nsummary: Gross.\n---"},
		"before the first heading":          {blocks: []change.Block{add(Below(), "In EUR.")}, old: "gross.\n", new: "gross.\n\nIn EUR.\n"},
		"a list entry below a heading":      {blocks: []change.Block{add(Below("rules"), "- no tax")}, old: "- no refunds", new: "- no refunds\n- no tax"},
		"below a heading without a text":    {blocks: []change.Block{add(Below("Empty"), "Not now.")}, old: "## Empty", new: "## Empty\nNot now."},
		"below an underlined heading":       {blocks: []change.Block{add(Below("Last"), "More.")}, old: "The end.", new: "The end.\n\nMore."},
		"below a heading that is not there": {blocks: []change.Block{add(Below("Rules", "Taxes"), "None.")}, old: "- no refunds", new: "- no refunds\n\n### Taxes\n\nNone."},
		"another text":                      {blocks: []change.Block{{Place: Below("Setext"), Before: "text", After: "words"}}, old: "\ntext", new: "\nwords"},
		"what is there":                     {blocks: []change.Block{add(Below("Rules"), "- no refunds"), add(FrontEntry("tags", "eur"), `"eur"`)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var current []byte
			want := tc.new
			if name != "a new page" {
				current, want = []byte(person), strings.Replace(person, tc.old, tc.new, 1)
			}
			roundTrip(t, Page{}, current, tc.blocks, want)
		})
	}
}

// roundTrip applies blocks twice and takes them back.
func roundTrip(t *testing.T, f Form, current []byte, blocks []change.Block, want string) {
	t.Helper()
	own, err := Effective(f, current, blocks)
	if err != nil {
		t.Fatal(err)
	}
	after, err := f.Apply(current, blocks)
	if err != nil {
		t.Fatal(err)
	}
	if want != "" {
		if diff := cmp.Diff(want, string(after)); diff != "" {
			t.Fatalf("applied (-want +got):\n%s", diff)
		}
	}
	if twice, err := f.Apply(after, blocks); err != nil || string(twice) != string(after) {
		t.Errorf("applied twice: %v (-once +twice):\n%s", err, cmp.Diff(string(after), string(twice)))
	}
	back, kept, err := f.Revert(after, own)
	if err != nil || kept != nil {
		t.Fatalf("reverted: %v, kept %v", err, kept)
	}
	if diff := cmp.Diff(string(current), string(back)); diff != "" {
		t.Errorf("reverted (-want +got):\n%s", diff)
	}
}

func TestPageRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		current string
		block   change.Block
		kind    sdk.Kind
	}{
		"a heading in a block":       {"", add(Below(), "text\n\n# Rules"), sdk.KindInvalid},
		"an underlined heading":      {"", add(Below(), "text\n---"), sdk.KindInvalid},
		"a fence without an end":     {"", add(Below(), "```\ntext"), sdk.KindInvalid},
		"no text":                    {"", add(Below(), " \n"), sdk.KindInvalid},
		"frontmatter":                {"", add(Below(), "---\n\na: b\n\n---"), sdk.KindInvalid},
		"frontmatter without end":    {"---\na: b\n", add(Below(), "x"), sdk.KindInvalid},
		"an alias":                   {"---\na: &a b\nc: *a\n---\n", add(Front("title"), `"x"`), sdk.KindInvalid},
		"a merge key":                {"---\n<<: {a: b}\n---\n", add(Front("title"), `"x"`), sdk.KindInvalid},
		"a tag":                      {"---\na: !!str b\n---\n", add(Front("title"), `"x"`), sdk.KindInvalid},
		"a deep value":               {"", add(Front("title"), strings.Repeat("[", 30)+strings.Repeat("]", 30)), sdk.KindInvalid},
		"a list that is none":        {"---\naliases: ARR\n---\n", add(FrontEntry("aliases", "x"), `"x"`), sdk.KindInvalid},
		"frontmatter in brackets":    {"---\n{a: b}\n---\n", add(Front("title"), `"x"`), sdk.KindInvalid},
		"another place":              {"", add("measures/arr", "expr: x"), sdk.KindInvalid},
		"another title":              {person, add(Front("title"), `"x"`), sdk.KindConflict},
		"another text than before":   {person, change.Block{Place: Below("Rules"), Before: "- x", After: "- y"}, sdk.KindConflict},
		"another file":               {person, change.Block{Place: WholeFile, Before: "x", After: "y"}, sdk.KindConflict},
		"a block that is no JSON":    {"", add(Front("title"), `ARR`), sdk.KindInvalid},
		"an entry with another text": {"", add(FrontEntry("tags", "a"), `"b"`), sdk.KindInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Page{}.Apply([]byte(tc.current), []change.Block{tc.block})
			if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != tc.kind {
				t.Errorf("got %v, want the kind %s", err, tc.kind)
			}
		})
	}
}

func TestPageRevertKeepsWhatWasEdited(t *testing.T) {
	t.Parallel()
	blocks := []change.Block{
		add(Front("title"), `"ARR"`), add(FrontEntry("aliases", "recurring"), `"recurring"`), add(Front("origin"), `"agent"`), add(Front("updated"), `"2026-11-20T10:00:00Z"`),
		add(Below(), "ARR means annual recurring revenue."), add(Below("Rules"), "Trials do not count."), add(Below("Rules"), "Refunds do not count."),
	}
	after, err := Page{}.Apply(nil, blocks)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer("annual recurring revenue.", "annual recurring revenue, gross.", "title: ARR", "title: A.R.R.", "Refunds do not count.", "", "10:00:00Z", "11:00:00Z").Replace(string(after))
	got, kept, err := Page{}.Revert([]byte(edited), blocks)
	if err != nil {
		t.Fatal(err)
	}
	want := "---\ntitle: A.R.R.\norigin: agent\nupdated: 2026-11-20T11:00:00Z\n---\n\nARR means annual recurring revenue, gross.\n"
	if diff := cmp.Diff(want, strings.TrimRight(string(got), "\n")+"\n"); diff != "" {
		t.Errorf("reverted (-want +got):\n%s", diff)
	}
	wantKept := []change.Block{blocks[0], blocks[4]}
	wantKept[0].Line, wantKept[1].Line = 2, 7
	if diff := cmp.Diff(wantKept, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestPageOfAnAgentStaysOneUntilNothingIsLeft(t *testing.T) {
	t.Parallel()
	first := []change.Block{add(Front("title"), `"ARR"`), add(Front("origin"), `"agent"`), add(Front("reviewed"), "false"), add(Below(), "One.")}
	second := []change.Block{add(Below(), "Two.")}
	review := []change.Block{{Place: Front("reviewed"), Before: "false", After: "true"}}
	var content []byte
	for _, blocks := range [][]change.Block{first, second, review} {
		var err error
		if content, err = (Page{}).Apply(content, blocks); err != nil {
			t.Fatal(err)
		}
	}
	for i, blocks := range [][]change.Block{first, second} {
		next, kept, err := Page{}.Revert(content, blocks)
		if err != nil || kept != nil {
			t.Fatalf("%v, kept %v", err, kept)
		}
		if i == 0 && !strings.Contains(string(next), "origin: agent") {
			t.Errorf("the page is not an agent's any more:\n%s", next)
		}
		content = next
	}
	if content != nil {
		t.Errorf("left:\n%s", content)
	}
}
