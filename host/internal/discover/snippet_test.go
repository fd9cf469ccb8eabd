package discover

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

func TestCut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in   string
		characters int
		want       string
	}{
		{"nothing", "", 3, ""},
		{"shorter", "ab", 3, "ab"},
		{"as long", "abc", 3, "abc"},
		{"longer", "abcd", 3, "abc"},
		{"of several bytes", "äöüß", 3, "äöü"},
		{"not through an accent", "abe\u0301d", 3, "ab"},
		{"behind an accent", "abe\u0301d", 4, "abe\u0301"},
		{"not through a family", "a👩\u200d👩\u200d👧b", 3, "a"},
		{"not through a skin tone", "ab👍🏽c", 3, "ab"},
		{"not through a flag", "a🇩🇪🇫🇷b", 4, "a🇩🇪"},
		{"between flags", "a🇩🇪🇫🇷b", 3, "a🇩🇪"},
		{"not through a line's end", "ab\r\nc", 3, "ab"},
		{"marks alone", strings.Repeat("\u0301", 9), 3, strings.Repeat("\u0301", 3)},
		{"no UTF-8", "ab\xff\xfed", 3, "ab\xff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cut(tt.in, tt.characters); got != tt.want {
				t.Errorf("cut(%q, %d) = %q, want %q", tt.in, tt.characters, got, tt.want)
			}
		})
	}
}

func TestAround(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	filler := strings.Repeat("lorem ipsum dolor sit amet ", 20)
	cjk := strings.Repeat("注文は毎日届きます", 60)
	tests := []struct {
		name, body string
		terms      []string
		want       string // the snippet contains it; "" = none
		whole      bool
	}{
		{"a short text", "  What a customer is.\n", []string{"customer"}, "What a customer is.", true},
		{"not there", filler, []string{"customer"}, "", false},
		{"empty", "", []string{"customer"}, "", false},
		{"in the middle", filler + "Churned customers left. " + filler, []string{"customer"}, "Churned customers left.", false},
		{"at the end", filler + "the Customer", []string{"customer"}, "the Customer", false},
		{"other spellings", filler + "see CUST_IDs and Käufer " + filler, []string{"kaeufer"}, "CUST_IDs and Käufer", false},
		{"where most words are", "A customer. " + filler + "A lost customer churns. " + filler, []string{"customer", "churn", "lost"}, "A lost customer churns.", false},
		{"where they are closest", "Customers and others are lost. " + filler + "Lost customers. " + filler, []string{"customer", "lost"}, "Lost customers.", false},
		{"from the line's beginning", filler + "\n- Customers: " + filler, []string{"customer"}, "- Customers: lorem", false},
		{"the first of equal places", "A customer one. " + filler + "A customer two.", []string{"customer"}, "A customer one.", false},
		{"without spaces", cjk + "顧客マスタ" + cjk, []string{"顧客"}, "顧客マスタ", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := s.around(tt.body, tt.terms)
			if strings.HasPrefix(tt.want, "-") && !strings.HasPrefix(got, tt.want) {
				t.Errorf("around = %q", got)
			}
			if ok != (tt.want != "") || !strings.Contains(got, tt.want) || tt.whole && got != tt.want {
				t.Errorf("around = %q, %t; want %q", got, ok, tt.want)
			}
			if n := utf8.RuneCountInString(got); n > maxText || !strings.Contains(tt.body, got) || got != strings.TrimSpace(got) {
				t.Errorf("%d characters, not as they stand there: %q", n, got)
			}
		})
	}
}

func FuzzAround(f *testing.F) {
	f.Add("What a customer is, and e\u0301.", "customer")
	f.Add("注文は毎日届きます"+strings.Repeat("🇩🇪", 200), "毎日")
	f.Add(strings.Repeat("\u0301a", 300), "a")
	f.Add("a\xff\x00 b_c-d", "bcd")
	s := New(Config{})
	f.Fuzz(func(t *testing.T, body, question string) {
		var terms []string
		var tokens text.Tokens
		s.analyzer.Append(&tokens, question, text.Prose)
		for i := range tokens.Len() {
			term, _ := tokens.At(i)
			terms = append(terms, string(term))
		}
		got, ok := s.around(body, terms)
		if !ok && got != "" || !strings.Contains(body, got) || utf8.RuneCountInString(got) > maxText {
			t.Errorf("around(%q, %q) = %q, %t", body, terms, got, ok)
		}
	})
}
