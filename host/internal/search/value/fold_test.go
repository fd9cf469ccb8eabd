package value

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/search/archive"
)

type columnValues struct {
	Column
	values []string
}

func build(t testing.TB, all []columnValues) *Dictionary {
	t.Helper()
	b := NewBuilder()
	for _, c := range all {
		if err := b.Add(c.Column, c.values); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "values")
	w, err := archive.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.Write(w), w.Commit(), w.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(d.Close(), a.Close()); err != nil {
			t.Error(err)
		}
	})
	return d
}

// divided shares the columns out among n dictionaries, in any order.
func divided(t testing.TB, r *rand.Rand, all []columnValues, n int) (out Dictionaries) {
	t.Helper()
	shards := make([][]columnValues, n)
	for _, i := range r.Perm(len(all)) {
		shard := r.IntN(n)
		shards[shard] = append(shards[shard], all[i])
	}
	for _, columns := range shards {
		out = append(out, build(t, columns))
	}
	return out
}

func col(connection, source, name string, values ...string) columnValues {
	return columnValues{Column{connection, source, name, -1}, values}
}

func show(matches []Match) []string {
	var out []string
	for _, m := range matches {
		out = append(out, fmt.Sprintf("%s.%s.%s=%.40s", m.Connection, m.Source, m.Name, m.Value))
	}
	return out
}

func TestFind(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("y", 1<<20) + "needle" + strings.Repeat("z", 1<<20)
	d := build(t, []columnValues{
		col("crm", "account", "name", "Acme Corp", "ACME CORP", "Acme Corporation", "The Acme", "Pharmacme", "", "São Paulo", "Straße"),
		col("shop", "customers", "company", "acme corp", "Beta\x00Gamma", "Müller", "MÜLLER", "Acme Corp"),
		col("shop", "notes", "body", huge, "\x00", "broken\xffbytes", "x'; DROP TABLE t; --", "Ωmega", "ſafe", "\u212Aelvin"),
		col("empty", "nothing", "at_all"),
	})
	all := Dictionaries{d}
	tests := []struct {
		name, asked string
		connections []string
		limit       int
		want        []string
		total       int
	}{
		{"equal, prefix, word, inside", "acme", nil, 10, []string{
			"crm.account.name=ACME CORP", "crm.account.name=Acme Corp", "shop.customers.company=acme corp", "shop.customers.company=Acme Corp",
			"crm.account.name=Acme Corporation", "crm.account.name=The Acme", "crm.account.name=Pharmacme",
		}, 7},
		{"equal first", "Acme Corp", nil, 2, []string{"crm.account.name=ACME CORP", "crm.account.name=Acme Corp"}, 5},
		{"one connection", "ACME", []string{"shop"}, 10, []string{"shop.customers.company=acme corp", "shop.customers.company=Acme Corp"}, 2},
		{"unknown connection", "acme", []string{"none"}, 10, nil, 0},
		{"nothing is kept but counted", "acme", nil, 0, nil, 7},
		{"accents count", "são", nil, 10, []string{"crm.account.name=São Paulo"}, 1},
		{"without its accent", "sao", nil, 10, nil, 0},
		{"umlauts fold", "müLLER", nil, 10, []string{"shop.customers.company=MÜLLER", "shop.customers.company=Müller"}, 2},
		{"simple folding only", "strasse", nil, 10, nil, 0},
		{"long s", "SAFE", nil, 10, []string{"shop.notes.body=ſafe"}, 1},
		{"kelvin sign", "kelvin", nil, 10, []string{"shop.notes.body=\u212Aelvin"}, 1},
		{"omega", "ωMEGA", nil, 10, []string{"shop.notes.body=Ωmega"}, 1},
		{"NUL", "\x00", nil, 10, []string{"shop.notes.body=\x00", "shop.customers.company=Beta\x00Gamma"}, 2},
		{"over a NUL", "beta\x00g", nil, 10, []string{"shop.customers.company=Beta\x00Gamma"}, 1},
		{"not UTF-8", "broken\ufffdbytes", nil, 10, []string{"shop.notes.body=broken\ufffdbytes"}, 1},
		{"asked with bytes that are not UTF-8", "\xff", nil, 10, []string{"shop.notes.body=broken\ufffdbytes"}, 1},
		{"inside a mebibyte", "needle", nil, 10, []string{"shop.notes.body=" + huge[:40]}, 1},
		{"a mebibyte asked", huge, nil, 10, []string{"shop.notes.body=" + huge[:40]}, 1},
		{"quotes", "'; drop", nil, 10, []string{"shop.notes.body=x'; DROP TABLE t; --"}, 1},
		{"nothing asked", "", nil, 10, nil, 0},
		{"two letters begin a value or a word", "co", nil, 10, []string{
			"crm.account.name=ACME CORP", "crm.account.name=Acme Corp", "shop.customers.company=acme corp", "shop.customers.company=Acme Corp",
			"crm.account.name=Acme Corporation",
		}, 5},
		{"two letters inside", "cm", nil, 10, nil, 0},
		{"two letters of another script inside", "\u00e3o", nil, 10, []string{"crm.account.name=São Paulo"}, 1},
		{"across values", "corpacme", nil, 10, nil, 0},
	}
	for round := range 3 { // the second round starts the suffix array, the third has it
		for _, test := range tests {
			matches, total := all.Find(test.asked, test.connections, test.limit)
			got := show(matches)
			if diff := gocmp.Diff(test.want, got); diff != "" || total != test.total {
				t.Errorf("round %d, %s: total %d, want %d; -want +got\n%s", round, test.name, total, test.total, diff)
			}
		}
		d.building.Wait()
	}
	if d.suffixes.Load() == nil {
		t.Error("the suffix array was not built")
	}
	if n := all.Columns("shop"); n != 2 {
		t.Errorf("shop has %d columns, want 2", n)
	}
	if n := all.Columns("none"); n != 0 {
		t.Errorf("an unknown connection has %d columns", n)
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	d := build(t, nil)
	for _, all := range []Dictionaries{nil, {d}, {d, d}} {
		if matches, total := all.Find("x", nil, 10); matches != nil || total != 0 || d.Len() != 0 {
			t.Errorf("empty dictionaries find %v", matches)
		}
	}
}

// spelled is a value of a column, once per spelling.
type spelled struct {
	column int
	folded string
}

func spellings(all []columnValues) (out []spelled) {
	seen := map[string]bool{}
	for number, c := range all {
		for _, v := range c.values {
			if id := fmt.Sprintf("%d:%s", number, v); !seen[id] {
				seen[id] = true
				out = append(out, spelled{number, Fold(v)})
			}
		}
	}
	return out
}

// short is what is not looked for inside of words.
var short = regexp.MustCompile(`^[a-z0-9]{1,2}$`)

// plain is Find by its words: look at every value.
func plain(all []columnValues, values []spelled, asked string, connections []string, limit int) ([]string, int) {
	type hit struct {
		class, length int
		spelled
	}
	var hits []hit
	q := Fold(asked)
	for _, v := range values {
		at := strings.Index(v.folded, q)
		if at < 0 || len(connections) > 0 && !slices.Contains(connections, all[v.column].Connection) {
			continue
		}
		rank := 3
		switch {
		case v.folded == q:
			rank = 0
		case at == 0:
			rank = 1
		default:
			for i := range v.folded {
				before, _ := utf8.DecodeLastRuneInString(v.folded[:i])
				if i > 0 && strings.HasPrefix(v.folded[i:], q) && !unicode.IsLetter(before) && !unicode.IsDigit(before) {
					rank = 2
				}
			}
		}
		if rank == 3 && short.MatchString(q) {
			continue
		}
		hits = append(hits, hit{rank, len(v.folded), v})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.length, b.length), cmp.Compare(a.folded, b.folded),
			cmp.Compare(all[a.column].Connection, all[b.column].Connection), cmp.Compare(all[a.column].Source, all[b.column].Source), cmp.Compare(all[a.column].Name, all[b.column].Name))
	})
	var out []string
	for _, h := range hits[:min(limit, len(hits))] {
		c := all[h.column]
		out = append(out, c.Connection+"."+c.Source+"."+c.Name+"="+h.folded)
	}
	return out, len(hits)
}

func TestFindAgreesWithThePlainWay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	alphabet := []rune("aAbB 1-éÉ\x00ſ顧я")
	word := func(most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteRune(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	var all []columnValues
	for i := range 40 {
		c := col(fmt.Sprintf("c%d", i%3), fmt.Sprintf("t%d", i/4), fmt.Sprintf("f%d", i))
		for range 600 {
			c.values = append(c.values, word(9))
		}
		all = append(all, c)
	}
	values := spellings(all)
	divisions := []Dictionaries{divided(t, r, all, 1), divided(t, r, all, 2), divided(t, r, all, 7)}
	for i := range 120 {
		if i == 60 {
			d := divisions[0][0]
			d.building.Wait()
			if d.suffixes.Load() == nil {
				t.Fatal("no suffix array: the values are too few for this test")
			}
		}
		asked, limit := word(4), r.IntN(60)
		var connections []string
		if r.IntN(3) == 0 {
			connections = []string{"c1", "c2"}
		}
		want, wantTotal := plain(all, values, asked, connections, limit)
		for _, dictionaries := range divisions {
			matches, total := dictionaries.Find(asked, connections, limit)
			var got []string
			for _, m := range matches {
				got = append(got, m.Connection+"."+m.Source+"."+m.Name+"="+Fold(m.Value))
			}
			if diff := gocmp.Diff(want, got); diff != "" || total != wantTotal {
				t.Fatalf("%q in %v of %d dictionaries: total %d, want %d; -want +got\n%s", asked, connections, len(dictionaries), total, wantTotal, diff)
			}
		}
	}
	for _, dictionaries := range divisions {
		if n := dictionaries.Columns("c1"); n != 13 {
			t.Errorf("%d columns of c1 in %d dictionaries, want 13", n, len(dictionaries))
		}
	}
}

// What a question allocates depends on its page, not on how many values there are.
func TestAllocationsDoNotGrow(t *testing.T) {
	allocations := func(n int) float64 {
		c := col("w", "t", "c")
		for i := range n {
			c.values = append(c.values, fmt.Sprintf("Value %d", i))
		}
		all := Dictionaries{build(t, []columnValues{c})}
		for range 2 { // from here on with the suffix array, if there is one
			all.Find("value", nil, 20)
		}
		all[0].building.Wait()
		return testing.AllocsPerRun(5, func() {
			for _, asked := range []string{"value", "e 1", "value 7", "nothing"} {
				if _, total := all.Find(asked, nil, 20); total == 0 && asked != "nothing" {
					t.Errorf("%q is not found", asked)
				}
			}
		})
	}
	if few, many := allocations(2000), allocations(20_000); many > 1.2*few {
		t.Errorf("%v allocations among 2,000 values, %v among 20,000", few, many)
	}
}

func TestOpenRefusesWhatIsNotWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "values")
	w, err := archive.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Put("value.text", []byte("x\xff")), w.Commit()); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := Open(a); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("got %v, want damaged", err)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"ABC", "ſ", "\u212A", "Σςσ", "\xff", "İı", "Ǆǅǆ", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if !utf8.ValidString(folded) || Fold(folded) != folded {
			t.Fatalf("folded %q is %q", s, folded)
		}
		if utf8.ValidString(s) && !strings.EqualFold(s, folded) {
			t.Fatalf("%q and %q differ by more than case", s, folded)
		}
	})
}

// BenchmarkFind asks a million values in 13 dictionaries as agents do, most for
// whole words, some for a letter or two.
func BenchmarkFind(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ka lo mi ren tor ba sol den vi mar han gu pe ri sto wen dal ko zu lin")
	word := func() string {
		var s string
		for range 2 + r.IntN(3) {
			s += syllables[r.IntN(len(syllables))]
		}
		return strings.ToUpper(s[:1]) + s[1:]
	}
	var all []columnValues
	var sample []string
	for i := range 1000 {
		c := col("w", fmt.Sprintf("t%d", i/20), fmt.Sprintf("f%d", i))
		for range 1000 {
			v := word() + " " + word()
			if r.IntN(3000) == 0 {
				sample = append(sample, v)
			}
			c.values = append(c.values, v)
		}
		all = append(all, c)
	}
	dictionaries := divided(b, r, all, 13)
	for range 2 {
		dictionaries.Find("x", nil, 1)
	}
	distinct := 0
	for _, d := range dictionaries {
		d.building.Wait()
		distinct += d.Len()
	}
	var took []time.Duration
	ask := func(i int) {
		v := sample[i%len(sample)]
		switch i % 8 {
		case 0:
			v = v[:1]
		case 1:
			v = v[:2]
		case 2, 3:
			v = v[:4]
		case 4:
			v = v[2:7]
		}
		if matches, total := dictionaries.Find(v, nil, 100); len(matches) == 0 || total < len(matches) {
			b.Fatalf("%q: %d of %d", v, len(matches), total)
		}
	}
	for _, values := range []int{1, 20} {
		b.Run(fmt.Sprintf("values=%d", values), func(b *testing.B) {
			took = took[:0]
			i := 0
			for b.Loop() {
				before := b.Elapsed()
				for range values {
					ask(i)
					i++
				}
				took = append(took, b.Elapsed()-before)
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
			b.ReportMetric(float64(distinct), "values")
		})
	}
}
