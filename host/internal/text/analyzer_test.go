package text

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// terms writes what a text is found under: joined terms as =term, second
// spellings as ~term, meanings of abbreviations as +term.
func terms(a *Analyzer, s string, mode Mode) string {
	var t Tokens
	a.Append(&t, s, mode)
	var out []string
	for i := range t.Len() {
		term, form := t.At(i)
		out = append(out, map[Form]string{Word: "", Joined: "=", Variant: "~", Expanded: "+"}[form]+string(term))
	}
	return strings.Join(out, " ")
}

func TestAppend(t *testing.T) {
	t.Parallel()
	a := New().With(map[string][]string{"gpv": {"gross policy volume"}})
	tests := []struct {
		name, in string
		mode     Mode
		want     string
	}{
		{"empty", "", Identifier, ""},
		{"only separators", " _-.,", Identifier, ""},
		{"snake", "order_items", Identifier, "order item =orderitem"},
		{"camel", "orderItems", Identifier, "order item =orderitem"},
		{"Pascal", "CustomerAddress", Identifier, "customer address =customeraddress"},
		{"acronym before a word", "HTTPServerLog", Identifier, "http server log =httpserverlog"},
		{"plural of an acronym", "customerIDs", Identifier, "customer id =customerid"},
		{"acronym and digits", "ISO3166Code", Identifier, "iso 3166 code =iso3166code"},
		{"upper snake", "CUST_ADDR", Identifier, "cust addr =custaddr +customer +address"},
		{"several meanings", "st", Identifier, "st +state +status +street"},
		{"a project's abbreviation is for questions", "gpv_total", Identifier, "gpv total =gpvtotal"},
		{"quoted and dotted", `"Order Details".Qty`, Identifier, "order detail qty =orderdetailsqty +quantity"},
		{"one word", "orders", Identifier, "order"},
		{"written as one", "orderitems", Identifier, "orderitem"},
		{"accents after splitting", "ÉtatCivil", Identifier, "etat civil =etatcivil"},
		{"umlaut", "Käufer", Identifier, "kaufer ~kaeufer"},
		{"umlaut taken apart", "Ka\u0308ufer", Identifier, "kaufer ~kaeufer"},
		{"sharp s", "Straße", Prose, "strasse"},
		{"Polish", "Łódź", Prose, "lodz"},
		{"Danish", "Ørsted", Prose, "orsted ~oersted"},
		{"Cyrillic cases", "Заказы клиентов", Prose, "заказ клиент"},
		{"short and not short i", "Трамвай ёлка", Prose, "трамва елк"},
		{"Japanese", "顧客マスタ", Prose, "顧客 マス スタ"},
		{"Japanese sentence", "受注の明細", Prose, "受注 の 明細"},
		{"Korean", "고객정보", Prose, "고객 객정 정보"},
		{"full width", "ＯＲＤＥＲ１", Prose, "order 1 =order1"},
		{"half width", "ｶﾞﾗｽ", Prose, "ガラ ラス"},
		{"prose", "The customer's order_id, e.g. 42.", Prose, "the customer s order id =orderid e g 42"},
		{"abbreviations stay in prose", "no longer", Prose, "no longer"},
		{"hyphen", "e-mail", Prose, "e mail =email"},
		{"invalid UTF-8", "a\xffb\xc3", Prose, "a b"},
		{"NUL", "a\x00b", Identifier, "a b =ab"},
		{"emoji", "sales📈2024", Identifier, "sale 2024 =sales2024"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, terms(a, test.in, test.mode)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSingular(t *testing.T) {
	t.Parallel()
	for plural, want := range map[string]string{
		"orders": "order", "companies": "company", "movies": "movie", "series": "series", "status": "status",
		"statuses": "status", "addresses": "address", "address": "address", "sales": "sale", "purchases": "purchase",
		"boxes": "box", "branches": "branch", "people": "person", "analyses": "analysis", "analysis": "analysis",
		"businesses": "business", "invoices": "invoice", "bus": "bus", "gas": "gas", "ids": "id", "skus": "sku",
		"sizes": "size", "cases": "case", "taxes": "tax", "indices": "index", "children": "child", "data": "data",
		"is": "is", "s": "s", "countries": "country", "potatoes": "potato", "previous": "previous", "days": "day",
		"заказов": "заказ", "заказы": "заказ", "клиенту": "клиент", "счёта": "счет", "дом": "дом",
	} {
		if got := foldWord(plural); got != want {
			t.Errorf("singular of %s = %s, want %s", plural, got, want)
		}
	}
}

func TestKeyMakesSpellingsEqual(t *testing.T) {
	t.Parallel()
	for _, spelling := range []string{"order_items", "OrderItem", "ORDER ITEMS", "orderitems", "Order-Items", "[Order Items]"} {
		if got := Key(spelling); got != "orderitem" {
			t.Errorf("Key(%q) = %q", spelling, got)
		}
	}
	if got := Key("--"); got != "" {
		t.Errorf("Key of no letters = %q", got)
	}
	if long := strings.Repeat("x", 300); Key(long+"a") == "" {
		t.Error("a long name has no key")
	}
}

type vocabulary map[string]int

func (v vocabulary) Count(t string) int { return v[t] }

func (v vocabulary) Prefix(p string) iter.Seq2[string, int] {
	return v.where(func(t string) bool { return strings.HasPrefix(t, p) })
}

func (v vocabulary) Suffix(p string) iter.Seq2[string, int] {
	return v.where(func(t string) bool { return strings.HasSuffix(t, p) })
}

func (v vocabulary) Words(p string) iter.Seq2[string, int] {
	return v.where(func(t string) bool { return strings.HasPrefix(t, p) && ascii(t) })
}

func (v vocabulary) Skeletons(first rune) iter.Seq2[string, int] {
	return v.where(func(t string) bool { return Skeleton(t) && rune(t[0]) == first })
}

func (v vocabulary) where(wanted func(string) bool) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, t := range slices.Sorted(maps.Keys(v)) {
			if wanted(t) && !yield(t, v[t]) {
				return
			}
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	known := vocabulary{
		"customer": 50, "cust": 3, "cstmr": 1, "order": 40, "item": 20, "orderitem": 5, "address": 9, "amount": 7,
		"birth": 2, "list": 3, "listprice": 2, "date": 60, "dateofbirth": 1, "id": 90, "kaeufer": 1, "kaufer": 2, "kunden": 4, "transaction": 8, "trans": 2,
		"subscription": 6, "b2b": 2, "b": 1, "顧客": 3, "注文": 2, "заказ": 4, "lieferadresse": 2, "the": 9, "contact": 30, "contract": 30,
	}
	a := New()
	tests := []struct {
		name, question, want string
	}{
		{"nothing", "", ""},
		{"only stop words are kept", "the", "the(the)"},
		{"stop words go", "which customers are there", "customer(customer cust:0.5 cstmr:0.6)"},
		{"a command goes", "list orders", "order(order)"},
		{"a command that is part of a name stays", "list price", "list(list listprice) price(listprice)"},
		{"abbreviation", "cust", "cust(cust customer:0.85)"},
		{"abbreviation without a literal", "amt", "amt(amount:0.85)"},
		{"two words as one name", "order items", "order(order orderitem) item(item orderitem)"},
		{"camel", "orderItem", "order(order orderitem) item(item orderitem)"},
		{"written as one", "orderitems", "orderitem(orderitem order:0.5)"},
		{"meaning of several words", "dob", "dob(date+birth:0.85)"},
		{"prefix", "subscr", "subscr(subscription:0.85)"},
		{"completion", "subscript", "subscript(subscription:0.75)"},
		{"a letter wrong", "costomer", "costomer(customer:0.6 cstmr:0.6)"},
		{"a letter missing", "custmer", "custmer(customer:0.6 cstmr:0.6 cust:0.5)"},
		{"a letter too many", "cusstomer", "cusstomer(customer:0.6 cstmr:0.6)"},
		{"swap", "cusotmer", "cusotmer(customer:0.6 cstmr:0.6)"},
		{"swap in the middle", "custmoer", "custmoer(customer:0.6 cstmr:0.6 cust:0.5)"},
		{"the first letter wrong", "vustomer", "vustomer(customer:0.6)"},
		{"a frequent word is no typo", "contact", "contact(contact)"},
		{"umlaut", "Käufer", "kaufer(kaufer kaeufer:0.95)"},
		{"inflection", "Kunde", "kunde(kunden:0.8)"},
		{"compound", "adresse", "adresse(lieferadresse:0.5)"},
		{"short form", "transactions", "transaction(transaction trans:0.5)"},
		{"single letters give way to the name", "b2b", "b2b(b2b)"},
		{"Japanese", "顧客の注文", "顧客(顧客) 注文(注文)"},
		{"Russian", "заказов", "заказ(заказ)"},
		{"unknown", "xylophone customer", "customer(customer cust:0.5 cstmr:0.6) ?xylophone"},
		{"once", "customer customers", "customer(customer cust:0.5 cstmr:0.6)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(sorted(test.want), sorted(render(a.Expand(test.question, known)))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// sorted makes the order within a group of no account; weights say it.
func sorted(s string) []string {
	var out []string
	for group := range strings.SplitSeq(s, ") ") {
		name, rest, _ := strings.Cut(strings.TrimSuffix(group, ")"), "(")
		alternatives := strings.Fields(rest)
		slices.Sort(alternatives)
		out = append(out, name+" "+strings.Join(alternatives, " "))
	}
	return out
}

func render(q Query) string {
	var out []string
	for _, g := range q.Groups {
		var ways []string
		for _, alternative := range g.Alternatives {
			way := strings.Join(alternative.Terms, "+")
			if alternative.Weight != 1 {
				way += fmt.Sprintf(":%v", alternative.Weight)
			}
			ways = append(ways, way)
		}
		out = append(out, g.Word+"("+strings.Join(ways, " ")+")")
	}
	for _, u := range q.Unknown {
		out = append(out, "?"+u)
	}
	return strings.Join(out, " ")
}

func TestOneTypoAgreesWithTheDistance(t *testing.T) {
	t.Parallel()
	all := []string{""}
	for _, s := range all {
		for range 4 {
			all = append(all, s)
		}
	}
	var wordsOfABC []string
	for n := range 4 {
		wordsOfABC = append(wordsOfABC, combinations(n+1)...)
	}
	for _, a := range wordsOfABC {
		for _, b := range wordsOfABC {
			if got, want := oneTypo([]rune(a), b), distance(a, b) == 1; got != want {
				t.Fatalf("oneTypo(%s, %s) = %t", a, b, got)
			}
		}
	}
}

func combinations(n int) []string {
	if n == 0 {
		return []string{""}
	}
	var out []string
	for _, s := range combinations(n - 1) {
		for _, c := range "abя" {
			out = append(out, s+string(c))
		}
	}
	return out
}

// distance is the optimal string alignment distance, the plain way.
func distance(x, y string) int {
	a, b := []rune(x), []rune(y)
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				change := 1
				if a[i-1] == b[j-1] {
					change = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}

// A project's abbreviations act on questions, both ways, and on no text.
func TestWith(t *testing.T) {
	t.Parallel()
	base := New()
	a := base.With(map[string][]string{
		"GPV": {"gross policy volume", "gross product value"}, "splr": {"supplier"}, "q1": {"first quarter"}, "lp": {"list price"},
		"dpo": {"data protection officer"}, "cust": {"custodian"}, "": {"empty"}, "none": {"", " ", "the"}, "same": {"Same"},
	})
	known := vocabulary{
		"gpv": 3, "gross": 4, "policy": 5, "volume": 6, "price": 7, "lp": 2, "dpo": 1, "officer": 2, "protection": 2, "splr": 2,
		"q": 1, "q1": 2, "custodian": 2, "customer": 9, "same": 1, "list": 3,
	}
	tests := []struct{ name, question, want string }{
		{"short for its meaning", "GPV", "gpv(gpv gross+policy+volume:0.85)"},
		{"meaning for its short form", "gross policy volume", "gross(gross gpv:0.85) policy(policy gpv:0.85) volume(volume gpv:0.85)"},
		{"in any order, among others", "volume by policy, gross price", "volume(volume gpv:0.85) policy(policy gpv:0.85) gross(gross gpv:0.85) price(price)"},
		{"as one name", "grossPolicyVolume", "gross(gross gpv:0.85) policy(policy gpv:0.85) volume(volume gpv:0.85)"},
		{"not a part of the meaning", "policy volume", "policy(policy) volume(volume)"},
		{"a word that is nowhere but as its short form", "suppliers", "supplier(splr:0.85)"},
		{"with a digit", "first quarter", "first(q1:0.85) quarter(q1:0.85)"},
		{"a command word in it", "find the data protection officer", "protection(protection dpo:0.85) officer(officer dpo:0.85)"},
		{"a command word alone is not it", "price", "price(price)"},
		{"beside the built-in meaning", "cust", "cust(custodian:0.85 customer:0.85)"},
		{"itself", "same", "same(same)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(sorted(test.want), sorted(render(a.Expand(test.question, known)))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if got := render(base.Expand("gpv", known)); got != "gpv(gpv)" {
		t.Errorf("the analyzer that was added to says %s", got)
	}
	if a.Version() != base.Version() {
		t.Error("a project's abbreviations change the version, and so every index")
	}
	if got := render(a.With(map[string][]string{"new": {"news"}}).Expand("gpv", known)); got != "gpv(gpv)" {
		t.Errorf("what was there before With stays: %s", got)
	}
}

// The rules have a number that must rise when they change: this test notices
// most changes.
func TestRulesAreNumbered(t *testing.T) {
	t.Parallel()
	digest := sha256.New()
	known := abbreviations()
	for _, short := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintln(digest, short, known[short])
	}
	fmt.Fprintln(digest, irregular, letters, digraphs, cyrillicEndings, stopWords, commandWords, maxTerm, maxWords)
	a := New()
	for _, s := range []string{"HTTPServer2Log", "Käufer_Straße", "Заказы клиентов", "顧客マスタID", "sales & addresses; e-mail", "ids"} {
		fmt.Fprintln(digest, terms(a, s, Identifier), terms(a, s, Prose), Key(s))
	}
	const want = "3 a4865e75557c"
	if got := fmt.Sprintf("%d %x", rules, digest.Sum(nil)[:6]); got != want {
		t.Errorf("the rules changed: raise their number and write %q here", got)
	}
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	a := New()
	var list Tokens
	a.Append(&list, strings.Repeat("x", 1<<20), Prose)
	a.Append(&list, strings.Repeat("word ", 1<<18), Prose)
	a.Append(&list, strings.Repeat("顧", 1<<18), Identifier)
	if got, most := list.Len(), 1+maxWords+maxWords; got > most {
		t.Errorf("%d terms, want at most %d", got, most)
	}
	for i := range list.Len() {
		if term, _ := list.At(i); len(term) > 2*maxTerm {
			t.Fatalf("a term of %d bytes", len(term))
		}
	}
	if q := a.Expand(strings.Repeat("word ", 1<<18), vocabulary{"word": 1}); len(q.Groups) != 1 {
		t.Errorf("%d groups of one word", len(q.Groups))
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	a := New()
	var list Tokens
	inputs := []string{"CUST_ADDR_LINE2", "orderItems", "The customers who ordered between two dates.", "Käufer-Straße", "заказы клиентов", "顧客マスタ"}
	run := func() {
		list.Reset()
		for _, s := range inputs {
			a.Append(&list, s, Identifier)
			a.Append(&list, s, Prose)
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{"order_items", "HTTPServer", "Käufer", "顧客マスタ", "a\xffb", "ies", "IDs", "заказов", "ﬀ½Ǆ", "\u0308", "１２"} {
		f.Add(s)
	}
	a := New()
	f.Fuzz(func(t *testing.T, s string) {
		for _, mode := range []Mode{Identifier, Prose} {
			var list Tokens
			a.Append(&list, s, mode)
			for i := range list.Len() {
				term, _ := list.At(i)
				if len(term) == 0 || !utf8.Valid(term) {
					t.Fatalf("term %q of %q", term, s)
				}
			}
			if again := terms(a, s, mode); again != terms(a, s, mode) {
				t.Fatalf("two readings of %q", s)
			}
		}
		if key := Key(s); Key(strings.ToUpper(key)) != Key(key) && strings.ToLower(strings.ToUpper(key)) == key {
			t.Fatalf("case changes the key of %q", s)
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"customer orders", "custmer", "b2b", "the", "顧客の注文", "a\xff", "date of birth"} {
		f.Add(s)
	}
	a := New()
	known := vocabulary{"customer": 3, "order": 5, "date": 2, "birth": 1, "顧客": 1, "b2b": 1, "the": 1}
	f.Fuzz(func(t *testing.T, s string) {
		q := a.Expand(s, known)
		if len(q.Groups) > maxGroups {
			t.Fatalf("%d groups", len(q.Groups))
		}
		for _, g := range q.Groups {
			if len(g.Alternatives) == 0 || len(g.Alternatives) > maxAlternatives {
				t.Fatalf("%d alternatives of %q", len(g.Alternatives), g.Word)
			}
			for _, alternative := range g.Alternatives {
				if alternative.Weight <= 0 || alternative.Weight > 1 {
					t.Fatalf("weight %v", alternative.Weight)
				}
				for _, term := range alternative.Terms {
					if known.Count(term) == 0 {
						t.Fatalf("%q is not in the vocabulary", term)
					}
				}
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	a := New()
	var list Tokens
	b.ReportAllocs()
	for b.Loop() {
		list.Reset()
		a.Append(&list, "CUST_SHIPPING_ADDR_LINE2", Identifier)
		a.Append(&list, "Date on which the customer confirmed the order", Prose)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*list.Len()), "ns/term")
}
