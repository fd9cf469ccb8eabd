package value

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		{"equal first", "Acme Corp", nil, 2, []string{"crm.account.name=Acme Corp", "crm.account.name=ACME CORP"}, 5},
		{"one connection", "ACME", []string{"shop"}, 10, []string{"shop.customers.company=acme corp", "shop.customers.company=Acme Corp"}, 2},
		{"unknown connection", "acme", []string{"none"}, 10, nil, 0},
		{"nothing is kept but counted", "acme", nil, 0, nil, 7},
		{"accents count", "são", nil, 10, []string{"crm.account.name=São Paulo"}, 1},
		{"without its accent", "sao", nil, 10, nil, 0},
		{"umlauts fold", "müLLER", nil, 10, []string{"shop.customers.company=Müller", "shop.customers.company=MÜLLER"}, 2},
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
		{"across values", "corpacme", nil, 10, nil, 0},
	}
	for round := range 3 { // the second round starts the suffix array, the third has it
		for _, test := range tests {
			matches, total := d.Find(test.asked, test.connections, test.limit)
			got := show(matches)
			if test.name == "equal first" {
				slices.SortStableFunc(got, func(a, b string) int { return -strings.Compare(a, b) })
			}
			if test.name == "equal, prefix, word, inside" && len(got) > 1 {
				slices.Sort(got[:2])
			}
			if diff := gocmp.Diff(test.want, got); diff != "" || total != test.total {
				t.Errorf("round %d, %s: total %d, want %d; -want +got\n%s", round, test.name, total, test.total, diff)
			}
		}
		d.building.Wait()
	}
	if d.suffixes.Load() == nil {
		t.Error("the suffix array was not built")
	}
	if n := d.Columns("shop"); n != 2 {
		t.Errorf("shop has %d columns, want 2", n)
	}
	if n := d.Columns("none"); n != 0 {
		t.Errorf("an unknown connection has %d columns", n)
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	d := build(t, nil)
	if matches, total := d.Find("x", nil, 10); matches != nil || total != 0 || d.Len() != 0 {
		t.Errorf("an empty dictionary finds %v", matches)
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
		hits = append(hits, hit{rank, len(v.folded), v})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.length, b.length), cmp.Compare(a.folded, b.folded), cmp.Compare(a.column, b.column))
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
	d, values := build(t, all), spellings(all)
	for i := range 120 {
		if i == 60 {
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
		matches, total := d.Find(asked, connections, limit)
		var got []string
		for _, m := range matches {
			got = append(got, m.Connection+"."+m.Source+"."+m.Name+"="+Fold(m.Value))
		}
		if diff := gocmp.Diff(want, got); diff != "" || total != wantTotal {
			t.Fatalf("%q in %v: total %d, want %d; -want +got\n%s", asked, connections, total, wantTotal, diff)
		}
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

// BenchmarkFind asks a million values as agents do, most for whole words, some
// for a letter or two.
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
	d := build(b, all)
	d.Find("x", nil, 1)
	d.Find("x", nil, 1)
	d.building.Wait()
	var took []float64
	i := 0
	for b.Loop() {
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
		before := b.Elapsed()
		matches, total := d.Find(v, nil, 100)
		took = append(took, float64((b.Elapsed()-before).Microseconds())/1000)
		if len(matches) == 0 || total < len(matches) {
			b.Fatalf("%q: %d of %d", v, len(matches), total)
		}
		i++
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*99/100], "p99-ms")
	b.ReportMetric(float64(d.Len()), "values")
}
