package assemble

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/sdk"
)

var vocabulary = strings.Fields(`customer order_item Kundennummer Rechnungsdatum prénom facturé niño dirección straße Überweisung vbak_vbeln
	kna1 mandt warehouse shipment_date is_active amount_cents tax_rate 顧客 注文 клиент заказ invoice ledger account balance currency campaign`)

// warehouseOf makes n tables of 12 columns with comments in several languages, and joins between them.
func warehouseOf(n int, seed uint64) (tables []*sdk.Table, profiles map[string]*catalog.Profile) {
	random := rand.New(rand.NewPCG(seed, 2))
	pick := func() string { return vocabulary[random.IntN(len(vocabulary))] }
	profiles = map[string]*catalog.Profile{}
	for i := range n {
		var columns, values []string
		for c := range 12 {
			column := fmt.Sprintf("%s_%d", pick(), c)
			columns = append(columns, fmt.Sprintf("%s numeric(%d,2): %s %s %s", column, random.IntN(38), pick(), pick(), pick()))
			values = append(values, fmt.Sprintf("%s=%s,%08x,%d", column, pick(), random.Uint32(), random.IntN(1e6)))
		}
		t := table(fmt.Sprintf("s%d.%s_%05d", i%7, pick(), i), int64(random.IntN(1e9)), pick()+" "+pick(), columns...)
		if i > 0 {
			foreign(t, t.Columns[1].Name, catalog.Display(tables[random.IntN(i)].TableRef))
		}
		tables, profiles[catalog.Display(t.TableRef)] = append(tables, t), profile(values...)
	}
	return tables, profiles
}

// follow returns the answers of a request, at most so many, and counts the tables that they list.
func (f *fixture) follow(t testing.TB, r ContextRequest, most int) (answers []*ContextAnswer, listed map[string]int) {
	t.Helper()
	listed = map[string]int{}
	for {
		a := f.context(t, r)
		answers = append(answers, a)
		for _, e := range a.Entities {
			listed[e.Table]++
		}
		for _, e := range a.Tables {
			listed[e.Table]++
		}
		for _, e := range a.Columns {
			listed[e.Table]++
		}
		if a.NextCursor == nil || len(answers) == most {
			return answers, listed
		}
		r.Cursor = *a.NextCursor
	}
}

func codecs(t testing.TB) (all []tokenizer.Codec) {
	t.Helper()
	for _, encoding := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		codec, err := tokenizer.Get(encoding)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, codec)
	}
	return all
}

func truly(t testing.TB, codec tokenizer.Codec, text string) int {
	t.Helper()
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// 5,000 tables: no answer has more tokens than its budget by two public tokenizers, each says how many tables are left,
// and together they list every table once.
func TestFiveThousandTables(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: 5,000 tables")
	}
	const n, budget = 5000, 8000
	f := newFixture(t)
	tables, profiles := warehouseOf(n, 1)
	f.scan(t, "shop", profiles, tables...)
	answers, listed := f.follow(t, ContextRequest{Depth: Columns, Budget: budget}, n)
	before := 0
	for i, a := range answers {
		if before += len(a.Columns); a.Omitted.Tables != n-before {
			t.Errorf("answer %d says that %d tables are left, not %d", i, a.Omitted.Tables, n-before)
		}
		if a.Tokens.Estimated > budget {
			t.Errorf("answer %d is estimated as %d tokens", i, a.Tokens.Estimated)
		}
		if i%10 > 0 { // tokenizers are slow
			continue
		}
		text := encode(a)
		for _, codec := range codecs(t) {
			if count := truly(t, codec, text); count > budget {
				t.Errorf("answer %d has %d tokens of %s", i, count, codec.GetName())
			}
		}
	}
	for _, table := range tables {
		if times := listed[catalog.Display(table.TableRef)]; times != 1 {
			t.Errorf("%s is listed %d times", catalog.Display(table.TableRef), times)
		}
	}
	t.Logf("%d answers, the first of %d tables and %d estimated tokens", len(answers), len(answers[0].Columns), answers[0].Tokens.Estimated)
	if full := float64(answers[0].Tokens.Estimated) / budget; full < .9 {
		t.Errorf("the first answer uses %.2f of its budget", full)
	}
}

// The estimate is what the answer says, no more than the budget, at least the true count of 99 of 100 answers, and at
// most 1.7 times the true count of half of them.
func TestEstimates(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: the estimates of 610 answers")
	}
	f := newFixture(t)
	tables, profiles := warehouseOf(400, 3)
	f.scan(t, "shop", profiles, tables...)
	for i := range 60 {
		f.write(t, fmt.Sprintf("wiki/global/p%d.md", i), fmt.Sprintf("---\ntitle: %s %d\nsummary: %s\n---\n", vocabulary[i%len(vocabulary)], i, strings.Join(vocabulary[:i%9+3], " ")))
	}
	var texts []string
	for _, depth := range depths {
		for budget := 300; budget <= 1200; budget += 100 {
			answers, _ := f.follow(t, ContextRequest{Depth: depth, Budget: budget}, 20)
			for _, a := range answers {
				text := encode(a)
				texts = append(texts, text)
				if a.Tokens.Estimated != tokens.Estimate(text) || a.Tokens.Estimated > budget || a.Tokens.Budget != budget {
					t.Fatalf("%s: %+v is said of %d tokens", depth, a.Tokens, tokens.Estimate(text))
				}
			}
		}
	}
	if len(texts) < 500 {
		t.Fatalf("%d answers", len(texts))
	}
	for _, codec := range codecs(t) {
		var ratios []float64
		for _, text := range texts {
			ratios = append(ratios, float64(tokens.Estimate(text))/float64(truly(t, codec, text)))
		}
		slices.Sort(ratios)
		low, median := ratios[len(ratios)/100], ratios[len(ratios)/2]
		t.Logf("%s: %d answers, the least ratio %.2f, the hundredth %.2f, the median %.2f", codec.GetName(), len(ratios), ratios[0], low, median)
		if low < 1 || median > 1.7 {
			t.Errorf("%s: the hundredth ratio is %.2f, the median %.2f", codec.GetName(), low, median)
		}
	}
}

// Whatever the names, texts and budgets are: no answer exceeds its budget, and every table is listed once; or the
// refusal names a budget that is enough.
func TestBudgetHoldsForAnyNames(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: 640 answers")
	}
	random := rand.New(rand.NewPCG(7, 7))
	alphabet := []rune(`abcXYZ0189_-. "\/%<>&'` + "\t" + `äß名客клÅ🙂` + "\u202e\u0301")
	word := func(most int) string {
		runes := make([]rune, 1+random.IntN(most))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(runes)
	}
	for round := range 4 {
		f := newFixture(t)
		var tables []*sdk.Table
		for i := range 40 {
			var columns []string
			for c := range 1 + random.IntN(60) {
				columns = append(columns, fmt.Sprintf("%s%d %s: %s", strings.NewReplacer(" ", "", ":", "").Replace(word(20)), c, word(9), word(1+random.IntN(400))))
			}
			one := table("x.y", int64(random.IntN(9)-1), word(300), columns...)
			one.TableRef = sdk.TableRef{Schema: word(10), Name: fmt.Sprint(word(30), i)}
			for j := range min(i, random.IntN(4)) {
				one.Keys = append(one.Keys, sdk.Key{Kind: sdk.KeyForeign, Columns: []string{one.Columns[0].Name}, Ref: tables[j].TableRef})
			}
			tables = append(tables, one)
			f.write(t, fmt.Sprintf("wiki/global/p%d.md", i), fmt.Sprintf("---\ntitle: %q\nsummary: %q\n---\n", word(30), word(300)))
		}
		f.scan(t, "shop", nil, tables...)
		for _, depth := range depths {
			for _, budget := range []int{200, 230, 300, 500 + random.IntN(5000)} {
				f.checkBudget(t, round, ContextRequest{Depth: depth, Budget: budget}, tables)
			}
		}
	}
}

func (f *fixture) checkBudget(t *testing.T, round int, r ContextRequest, tables []*sdk.Table) {
	t.Helper()
	first := r
	listed := map[string]int{}
	for {
		a, err := f.Context(context.Background(), r)
		if sdk.KindOf(err) == sdk.KindLimit {
			var enough int
			if _, scan := fmt.Sscanf(sdk.AsError(err, sdk.SourceHost).Hint, "ask with budgetTokens %d", &enough); scan != nil || enough <= r.Budget {
				t.Fatalf("round %d, %+v: %v", round, r, err)
			}
			first.Budget = enough
			f.checkBudget(t, round, first, tables)
			return
		}
		if err != nil {
			t.Fatalf("round %d, %+v: %v", round, r, err)
		}
		if a.Tokens.Estimated > r.Budget || a.Tokens.Estimated != tokens.Estimate(encode(a)) {
			t.Fatalf("round %d, %+v: %+v\n%s", round, r, a.Tokens, encode(a))
		}
		for _, e := range a.Entities {
			listed[e.Table]++
		}
		for _, e := range a.Tables {
			listed[e.Table]++
		}
		for _, e := range a.Columns {
			listed[e.Table]++
		}
		if a.NextCursor == nil {
			break
		}
		r.Cursor = *a.NextCursor
	}
	for _, table := range tables {
		if times := listed[catalog.Display(table.TableRef)]; r.Depth != Domain && times != 1 {
			t.Fatalf("round %d, %+v: %q is listed %d times", round, first, catalog.Display(table.TableRef), times)
		}
	}
}

// A table that alone exceeds the budget loses values, then descriptions, then columns that are part of no key.
func TestShrink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	columns := []string{"id bigint"}
	values := []string{"id=1"}
	for i := range 40 {
		columns = append(columns, fmt.Sprintf("column_%d text: an explanation of column %d", i, i))
		values = append(values, fmt.Sprintf("column_%d=first,second,third", i))
	}
	wide := foreign(table("main.wide", 5, "", columns...), "column_39", "main.small")
	f.scan(t, "shop", map[string]*catalog.Profile{"main.wide": profile(values...)}, wide, table("main.small", 1, "", "id bigint"))
	for _, tt := range []struct {
		budget                       int
		values, descriptions, shrunk bool
		left                         bool
	}{
		{2500, true, true, false, false}, {1000, false, true, true, false}, {650, false, false, true, false}, {300, false, false, true, true},
	} {
		a := f.context(t, ContextRequest{Depth: Columns, Tables: []string{"wide"}, Budget: tt.budget})
		one := a.Columns[0]
		text := strings.Join(one.Columns, "\n")
		shrunk := slices.Contains(a.Notes, shrunkNote)
		if strings.Contains(text, "one of") != tt.values || strings.Contains(text, " -- ") != tt.descriptions || shrunk != tt.shrunk || (one.Left > 0) != tt.left {
			t.Errorf("budget %d: %s", tt.budget, encode(a))
		}
		if one.Left+len(one.Columns) != 41 || a.Omitted.Columns != one.Left || one.Columns[0] != "id bigint; key" || one.Columns[len(one.Columns)-1][:13] != "column_39 tex" {
			t.Errorf("budget %d: keys stay, and what is left is counted: %s", tt.budget, encode(a))
		}
	}
}

// The same state gives the same bytes, in another process too.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	f := shop(t)
	tables, profiles := warehouseOf(60, 4)
	f.scan(t, "shop", profiles, tables...)
	again := New(f.Config)
	for _, r := range []ContextRequest{{Depth: Domain}, {}, {Depth: Tables, Query: "customer invoice"}, {Depth: Columns}} {
		a := f.context(t, r)
		b, err := again.Context(t.Context(), r)
		if err != nil || encode(a) != encode(b) {
			t.Errorf("%+v: %v\n%s\n%s", r, err, encode(a), encode(b))
		}
	}
}

// The cost of an answer depends on its budget and not on the number of tables.
func TestCostOfManyTables(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the cost of 3,000 tables beside that of 300")
	}
	allocations := func(n int) float64 {
		f := newFixture(t)
		tables, profiles := warehouseOf(n, 5)
		f.scan(t, "shop", profiles, tables...)
		r := ContextRequest{Depth: Columns, Query: "customer invoice"}
		f.context(t, r)
		return testing.AllocsPerRun(3, func() { f.context(t, r) })
	}
	few, many := allocations(300), allocations(3000)
	t.Logf("%.0f allocations with 300 tables, %.0f with 3,000", few, many)
	if many > 1.5*few {
		t.Errorf("%.0f allocations with 300 tables, %.0f with 3,000", few, many)
	}
}

// BenchmarkFirstContext measures the first answer of a process: it reads the foreign keys of all tables.
func BenchmarkFirstContext(b *testing.B) {
	f := newFixture(b)
	tables, profiles := warehouseOf(5000, 6)
	f.scan(b, "shop", profiles, tables...)
	b.ReportAllocs()
	for b.Loop() {
		c := f.Config
		c.Keys = foreignkey.NewSet(func(connection.ID) string { return filepath.Join(f.dir, "none.json") })
		if _, err := New(c).Context(b.Context(), ContextRequest{Depth: Columns}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContext(b *testing.B) {
	for _, n := range []int{500, 5000} {
		f := newFixture(b)
		tables, profiles := warehouseOf(n, 6)
		f.scan(b, "shop", profiles, tables...)
		for _, r := range []ContextRequest{{Depth: Columns}, {Depth: Columns, Query: "customer invoice"}, {Depth: Entities}} {
			f.context(b, r)
			b.Run(fmt.Sprintf("%d tables, %s, %q", n, r.Depth, r.Query), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f.context(b, r)
				}
			})
		}
	}
}
