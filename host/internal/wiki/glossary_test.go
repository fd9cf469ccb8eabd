package wiki

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGlossary(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, body string
		want       map[string][]string
	}{
		{"a list", "# Words\n\n- ARR: annual recurring revenue\n* GMV - gross merchandise value\n+ `sku` = stock keeping unit\n", map[string][]string{
			"ARR": {"annual recurring revenue"}, "GMV": {"gross merchandise value"}, "sku": {"stock keeping unit"},
		}},
		{"in bold", "**ARR**: annual recurring revenue\n**GMV:** gross merchandise value\n\n- **SKU** – stock keeping unit\n__AOV__ — average order value", map[string][]string{
			"ARR": {"annual recurring revenue"}, "GMV": {"gross merchandise value"}, "SKU": {"stock keeping unit"}, "AOV": {"average order value"},
		}},
		{"a table", "| Short | Meaning | Owner |\n|---|:--|---|\n| ARR | annual recurring revenue | Ann |\n| | nothing | |\n| **GMV** | gross merchandise value |\nend", map[string][]string{
			"ARR": {"annual recurring revenue"}, "GMV": {"gross merchandise value"},
		}},
		{"a table at the end", "| ARR | annual recurring revenue |", map[string][]string{"ARR": {"annual recurring revenue"}}},
		{"several meanings", "- PO: purchase order; post office\n- PO: product owner\n", map[string][]string{"PO": {"purchase order", "post office", "product owner"}}},
		{"remarks and sentences", "- ARR: annual recurring revenue (since 2020). Not MRR. See [[mrr]].\n- KdNr: [Kundennummer](kunde.md)", map[string][]string{
			"ARR": {"annual recurring revenue"}, "KdNr": {"[Kundennummer]"},
		}},
		{"several words", "- net rev: net revenue", map[string][]string{"net rev": {"net revenue"}}},
		{"nothing", "Note: this is prose.\n**Important** things\n- an entry\n- a sentence that is far too long: text\n- : none\n- none:\n```\n- ARR: code\n```\n|x|\n", map[string][]string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, glossary(tc.body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A view has the abbreviations of everybody and of its user, also after an edit.
func TestGlossaryOfView(t *testing.T) {
	t.Parallel()
	dir := made(t, map[string]string{
		"global/glossary.md": "---\ntitle: Words\n---\n- ARR: annual recurring revenue\n", "global/sales/glossary.md": "- X: no glossary",
		"user/ann/glossary.md": "- ARR: average rate\n- PB: pain au beurre\n", "user/bob/glossary.md": "- BB: of Bob",
	})
	w := wiki(t, dir, "ann")
	want := map[string][]string{"ARR": {"annual recurring revenue", "average rate"}, "PB": {"pain au beurre"}}
	if diff := cmp.Diff(want, view(t, w).Glossary()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	put(t, dir, "user/ann/glossary.md", "")
	if diff := cmp.Diff(map[string][]string{"ARR": {"annual recurring revenue"}}, view(t, w).Glossary()); diff != "" {
		t.Errorf("after an edit (-want +got):\n%s", diff)
	}
	if got := view(t, wiki(t, t.TempDir(), "")).Glossary(); len(got) != 0 {
		t.Errorf("an empty wiki has %v", got)
	}
}

func FuzzGlossary(f *testing.F) {
	f.Add("- a: b\n**c**: d\n|e|f|\n|-|-|\n")
	f.Fuzz(func(t *testing.T, body string) {
		for short, meanings := range glossary(body) {
			if short == "" || len(meanings) == 0 {
				t.Errorf("%q means %q", short, meanings)
			}
		}
	})
}
