package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBroaden(t *testing.T) {
	t.Parallel()
	known := vocabulary{
		"rechnung": 3, "rechnungsposition": 2, "lieferschein": 4, "einkaufsbelegkopf": 1, "invoice": 9, "customer": 20, "顧客": 3,
		"note": 5, "redemption": 2, "recognition": 2, "recognized": 1, "stopped": 4, "clv": 2, "nps": 1, "der": 3, "value": 6, "kundenstamm": 1,
	}
	a := New()
	for _, test := range []struct {
		name, question string
		want           string // of what Broaden has and Expand has not
	}{
		{"another language, alone and in longer words", "bills", "rechnung rechnungsposition invoice"},
		{"from another language", "facture", "rechnung rechnungsposition invoice"},
		{"a name of two words", "delivery notes", "lieferschein"},
		{"a name that is not there whole", "delivery", ""},
		{"the beginning of a word", "purchase orders", "einkaufsbelegkopf"},
		{"Japanese", "顧客", "customer kundenstamm"},
		{"one meaning, many spellings", "Kunde", "customer 顧客"},
		{"an inflected word", "die Kunden", "customer 顧客"},
	} {
		narrow := alternatives(a.Expand(test.question, known))
		got := slices.DeleteFunc(alternatives(a.Broaden(test.question, known)), func(s string) bool { return slices.Contains(narrow, s) })
		want := strings.Fields(test.want)
		slices.Sort(want)
		if diff := cmp.Diff(want, got, cmp.Transformer("nil", func(all []string) string { return strings.Join(all, " ") })); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

// alternatives are all terms of a question that are not its own words.
func alternatives(q Query) (all []string) {
	for _, g := range q.Groups {
		for _, a := range g.Alternatives {
			if term := strings.Join(a.Terms, "+"); term != g.Word {
				all = append(all, term)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestInitialisms(t *testing.T) {
	t.Parallel()
	known := vocabulary{"clv": 2, "wip": 1, "der": 4, "not": 5, "value": 6, "cac": 1}
	a := New()
	for _, test := range []struct {
		question string
		want     []string
	}{
		{"customer lifetime value", []string{"clv"}},
		{"how much work in progress", []string{"wip"}}, // with the word between
		{"do employees report", nil},                   // the initials are a word
		{"number of tickets", nil},
		{"counts as active customer", nil}, // CAC is known for something else
		{"customer value", nil},            // too short
	} {
		if got := alternatives(a.Expand(test.question, known)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.question, got, test.want)
		}
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	for _, family := range []string{
		"redeem redeemed redemption redeeming", "recognise recognize recognised recognising recognition", "subscribe subscription subscriber",
		"cancel cancelled cancellation", "application applicant", "stoppage stopped", "decide decision", "produce production producer",
		"depreciate depreciation", "receive reception", "convert conversion", "resolve resolution",
	} {
		words := strings.Fields(family)
		for _, w := range words[1:] {
			if root(w) != root(words[0]) {
				t.Errorf("%s is %q, %s is %q", words[0], root(words[0]), w, root(w))
			}
		}
	}
	for _, pair := range []string{"price prior", "order organ", "status station", "person permission", "late later"} {
		one, other, _ := strings.Cut(pair, " ")
		if root(one) == root(other) && root(one) != "" {
			t.Errorf("%s and %s have one root", one, other)
		}
	}
}

// The list of terms has no meaning that is written twice on its line.
func TestTerms(t *testing.T) {
	t.Parallel()
	if n := len(thesaurus()); n < 900 {
		t.Errorf("%d words begin a name, want most of the list", n)
	}
	for first, namings := range thesaurus() {
		for _, n := range namings {
			if n.terms[0] != first || slices.Contains(n.terms, "") {
				t.Errorf("%q begins %q", first, n.terms)
			}
		}
	}
}
