package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/loam-data/loam/host/internal/text"
)

var corpusWords = strings.Fields(`customer cust cstmr order ord item invoice invoices amount amt date dt status code id name product price
	region store sale total kunde kunden trans transaction backup alpha beta gamma delta omega customre gammas 顧客 Käufer`)

// corpus is documents with many names, lengths and scores in common.
func corpus(r *rand.Rand) []func(*Builder) error {
	pick := func() string { return corpusWords[min(r.IntN(len(corpusWords)), r.IntN(len(corpusWords)))] }
	name := func() string {
		parts := []string{pick()}
		for r.IntN(2) == 0 {
			parts = append(parts, pick())
		}
		return strings.Join(parts, "_")
	}
	var all []func(*Builder) error
	for i := range 400 {
		d := TableDocument{Connection: fmt.Sprintf("c%d", i%3), Schema: pick(), Name: name()}
		d.ID = fmt.Sprintf("s%d.t%03d.%s", i%5, i/2, d.Name)
		if r.IntN(3) == 0 {
			d.Comment = name() + " " + name()
		}
		for j := range r.IntN(30) {
			c := ColumnDocument{Name: name() + fmt.Sprint(j)}
			if r.IntN(2) == 0 {
				c.Name = pick()
			}
			if r.IntN(4) == 0 {
				c.Comment = name()
			}
			d.Columns = append(d.Columns, c)
		}
		all = append(all, func(b *Builder) error { return b.Table(d) })
	}
	for i := range 20 {
		d := Document{Kind: Wiki, ID: fmt.Sprint("page", i), Name: pick(), Body: name() + " of " + name()}
		all = append(all, func(b *Builder) error { return b.Add(d) })
	}
	return all
}

func corpusQuery(r *rand.Rand) Query {
	q := Query{Limit: 1 + r.IntN(50)}
	var parts []string
	for range 1 + r.IntN(5) {
		word := corpusWords[r.IntN(len(corpusWords))]
		switch r.IntN(8) {
		case 0:
			word = word[:len(word)-1] // a beginning, or half a character
		case 1:
			word += "x"
		}
		parts = append(parts, word)
	}
	q.Text = strings.Join(parts, " ")
	switch r.IntN(6) {
	case 0:
		q.Kinds = []Kind{Table}
	case 1:
		q.Kinds = []Kind{Column, Wiki}
	case 2:
		q.Connections = []string{"c1"}
	case 3:
		q.Connections = []string{"c0", "c2"}
	}
	return q
}

// usedOf is the use of a third of the tables of an index.
func usedOf(r *rand.Rand, x *Index) *Use {
	shares := map[Used]float32{}
	for _, s := range x.segments {
		for document := range uint32(len(s.flags)) {
			if s.parent[document] == none && Kind(s.flags[document]&kindMask) == Table && r.IntN(3) == 0 {
				id, _, _ := s.id(document)
				shares[Used{Table, s.meta.Connections[s.connection[document]], id, id[strings.LastIndex(id, ".")+1:]}] = r.Float32()
			}
		}
	}
	return NewUse(shares)
}

// divided shares documents out among n segments, in any order within each.
func divided(t testing.TB, r *rand.Rand, all []func(*Builder) error, n int) *Index {
	t.Helper()
	shards := make([][]func(*Builder) error, n)
	for _, at := range r.Perm(len(all)) {
		shard := r.IntN(n)
		shards[shard] = append(shards[shard], all[at])
	}
	var fills []func(*Builder) error
	for _, documents := range shards {
		fills = append(fills, func(b *Builder) error {
			var err error
			for _, add := range documents {
				err = errors.Join(err, add(b))
			}
			return err
		})
	}
	return index(t, fills...)
}

// seeds is how many random corpora a test has: in its short form one of three.
func seeds(t *testing.T, all uint64) uint64 {
	if testing.Short() {
		t.Log("-short: three times as many random corpora")
		return (all + 2) / 3
	}
	return all
}

// How documents are shared out among segments, and in which order, changes nothing.
func TestSegmentsAreSearchedAsOne(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t, 4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			all := corpus(r)
			one := index(t, func(b *Builder) error {
				var err error
				for _, add := range all {
					err = errors.Join(err, add(b))
				}
				return err
			})
			others := []*Index{divided(t, r, all, 1), divided(t, r, all, 2), divided(t, r, all, 7), divided(t, r, all, 20)}
			found, use := 0, usedOf(r, one)
			for i := range 100 {
				q := corpusQuery(r)
				if i%2 == 0 {
					q.Use = use
				}
				want := one.Search(q)
				found += len(want.Hits)
				for _, x := range others {
					if diff := gocmp.Diff(want, x.Search(q), cmpopts.IgnoreUnexported(Hit{})); diff != "" {
						t.Fatalf("%+v in %d segments: -want +got\n%s", q, len(x.segments), diff)
					}
				}
			}
			if found < 500 {
				t.Errorf("only %d hits were compared", found)
			}
			for _, x := range others {
				for _, k := range Kinds() {
					if x.Count(k) != one.Count(k) {
						t.Errorf("%d segments have %d of kind %s, want %d", len(x.segments), x.Count(k), k, one.Count(k))
					}
				}
			}
		})
	}
}

// Leaving out what cannot be on the page must not change the page.
func TestPruningIsExact(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t, 4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 3))
			x := divided(t, r, corpus(r), 1+int(seed))
			use := usedOf(r, x)
			for i := range 80 {
				q := corpusQuery(r)
				if i%2 == 0 {
					q.Use = use
				}
				type row struct {
					ID    string
					Score float64
				}
				var got, want []row
				for _, h := range x.Search(q).Hits {
					got = append(got, row{h.ID, h.Score})
				}
				for _, h := range everything(x, q) {
					want = append(want, row{h.ID, h.Score})
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Fatalf("%+v: -want +got\n%s", q, diff)
				}
			}
		})
	}
}

// The vocabulary of several segments has each term once, with all its documents.
func TestVocabularyIsMerged(t *testing.T) {
	t.Parallel()
	x := index(t,
		tables("a s.custom_orders(cstmr id)", "a s.orders(cstmr total)"),
		tables("b s.borders(custody)"),
		func(*Builder) error { return nil },
		tables("c s.orders(cust, crtn)"),
	)
	v := vocabulary(x.segments)
	type counted struct {
		Term  string
		Count int
	}
	collect := func(seq func(func(string, int) bool)) (out []counted) {
		for term, n := range seq {
			out = append(out, counted{strings.Clone(term), n})
		}
		return out
	}
	tests := []struct {
		name string
		got  []counted
		want []counted
	}{
		{"prefix", collect(v.Prefix("cust")), []counted{{"cust", 2}, {"custody", 2}, {"custom", 3}, {"customer", 2}, {"customorder", 3}}},
		{"suffix", collect(v.Suffix("order")), []counted{{"order", 9}, {"border", 2}, {"customorder", 3}}},
		{"words", collect(v.Words("cust")), []counted{{"cust", 2}, {"custody", 2}, {"custom", 3}, {"customer", 2}, {"customorder", 3}}},
		{"words of no beginning", collect(v.Words("ord")), []counted{{"order", 9}}},
		{"skeletons", collect(v.Skeletons('c')), []counted{{"crtn", 2}, {"cstmr", 4}}},
		{"no such prefix", collect(v.Prefix("zzz")), nil},
	}
	for _, test := range tests {
		for _, c := range test.got {
			if n := v.Count(c.Term); n != c.Count {
				t.Errorf("%s: %s is counted %d times, and %d by itself", test.name, c.Term, c.Count, n)
			}
		}
		if diff := gocmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
	for range v.Prefix("") {
		break // may be left early
	}
}

// What a project abbreviates works in an index that was built before, both ways.
func TestAbbreviationsComeLater(t *testing.T) {
	t.Parallel()
	x := index(t, tables("w fin.gxv_daily(day gxv)", "w fin.fees(day fee)"), tables("w ops.payment_volume(gross_volume)"))
	later := NewIndex(analyzer.With(map[string][]string{"GXV": {"gross payment volume"}}), x.segments...)
	defer later.Close()
	tests := []struct {
		name, question string
		before, after  []string
	}{
		{
			"short for its meaning", "gxv",
			[]string{"fin.gxv_daily", "fin.gxv_daily.gxv", "fin.gxv_daily.day"},
			[]string{"fin.gxv_daily", "fin.gxv_daily.gxv", "fin.gxv_daily.day", "ops.payment_volume", "ops.payment_volume.gross_volume"},
		},
		{
			"meaning for its short form", "gross payment volume",
			[]string{"ops.payment_volume", "ops.payment_volume.gross_volume"},
			[]string{"fin.gxv_daily", "fin.gxv_daily.day", "fin.gxv_daily.gxv", "ops.payment_volume", "ops.payment_volume.gross_volume"},
		},
	}
	found := func(x *Index, question string) (out []string) {
		for _, h := range x.Search(Query{Text: question}).Hits {
			out = append(out, h.ID)
		}
		slices.Sort(out)
		return out
	}
	for _, test := range tests {
		for when, want := range map[*Index][]string{x: test.before, later: test.after} {
			slices.Sort(want)
			if diff := gocmp.Diff(want, found(when, test.question)); diff != "" {
				t.Errorf("%s, later %t: -want +got\n%s", test.name, when == later, diff)
			}
		}
	}
}

// A segment that has nothing of what is asked about is passed over.
func TestSegmentsArePassedOver(t *testing.T) {
	t.Parallel()
	x := index(t, tables("a s.orders(id)"), tables("b s.orders(id)"), func(b *Builder) error {
		return b.Add(Document{Kind: Wiki, ID: "orders", Name: "orders"})
	}, func(*Builder) error { return nil })
	tests := []struct {
		name  string
		query Query
		want  []bool
	}{
		{"everything", Query{}, []bool{true, true, true, false}},
		{"a connection, and what belongs to none", Query{Connections: []string{"b"}}, []bool{false, true, true, false}},
		{"a kind", Query{Kinds: []Kind{Wiki}}, []bool{false, false, true, false}},
		{"both", Query{Connections: []string{"a"}, Kinds: []Kind{Column}}, []bool{true, false, false, false}},
		{"an unknown connection", Query{Connections: []string{"none"}}, []bool{false, false, true, false}},
	}
	for _, test := range tests {
		test.query.Text = "orders"
		test.query.Depth = 10
		r := x.plan(x.analyzer.Expand(test.query.Text, vocabulary(x.segments)), test.query)
		var got []bool
		for i := range r.parts {
			r.part = &r.parts[i]
			got = append(got, r.returnsAny())
		}
		if diff := gocmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

// What a search allocates depends on the question, not on how much there is.
func TestAllocationsDoNotGrow(t *testing.T) {
	allocations := func(n int) float64 {
		x := index(t, func(b *Builder) error {
			var err error
			for i := range n {
				err = errors.Join(err, table(b, fmt.Sprintf("w s.orders_%d(id customer_id status note_%d)", i, i%7)))
			}
			return err
		})
		return testing.AllocsPerRun(5, func() {
			for _, question := range []string{"orders", "customer status", "note 3 of order", "custoner id", "stat"} {
				x.Search(Query{Text: question})
			}
		})
	}
	if few, many := allocations(300), allocations(3000); many > 1.1*few {
		t.Errorf("%v allocations in 300 tables, %v in 3,000", few, many)
	}
}

// A segment that is made with the scratch of one before allocates no memory for its
// postings: an index of many segments leaves little behind.
func TestScratchIsUsedAgain(t *testing.T) {
	dir := t.TempDir()
	build := func(scratch *Scratch) (bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b, err := scratch.NewBuilder(filepath.Join(dir, "segment"), text.New())
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3000 {
			if err := b.Add(Document{Kind: Source, ID: "s", Name: "orders", Body: "what is paid and sent to customers who ask for it", Context: []string{strconv.Itoa(i)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(b.Finish("c", nil), b.Close()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	var scratch Scratch
	first, second := build(&scratch), build(&scratch)
	if saved := int64(first) - int64(second); saved < 3000*11*12 {
		t.Errorf("the first segment takes %d bytes and the second %d, want the postings' less", first, second)
	}
}
