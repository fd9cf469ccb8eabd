package search

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// facts are n tables whose names differ in their digits, and a few others, in the order of their ids in each of some
// segments, as a warehouse is indexed. Every 50th has a comment, every 70th is small or old.
func facts(t testing.TB, n, segments int) *Index {
	t.Helper()
	all := []TableDocument{}
	for i := range n {
		d := TableDocument{Connection: "big", Schema: "main", Name: fmt.Sprintf("fact_%06d", i)}
		for _, column := range strings.Fields("id customer_id amount created_at") {
			d.Columns = append(d.Columns, ColumnDocument{Name: column})
		}
		switch {
		case i%50 == 7:
			d.Comment = "Amounts of a customer"
		case i%70 == 0:
			d.Size = Tiny
		case i%70 == 35:
			d.Name += "_backup"
		}
		all = append(all, d)
	}
	all = append(all,
		TableDocument{Connection: "big", Schema: "main", Name: "fact", Columns: []ColumnDocument{{Name: "amount"}}},
		TableDocument{Connection: "big", Schema: "main", Name: "customers", Comment: "A fact", Columns: []ColumnDocument{{Name: "fact"}, {Name: "fact_amount"}}},
	)
	for i := range all {
		all[i].ID = all[i].Schema + "." + all[i].Name
	}
	slices.SortFunc(all, func(a, b TableDocument) int { return cmp.Compare(a.ID, b.ID) })
	var fills []func(*Builder) error
	for segment := range segments {
		fills = append(fills, func(b *Builder) (err error) {
			for _, d := range all {
				h := fnv.New32a()
				_, _ = h.Write([]byte(d.ID)) // a hash takes everything
				if int(h.Sum32()%uint32(segments)) == segment {
					err = errors.Join(err, b.Table(d))
				}
			}
			return err
		})
	}
	return index(t, fills...)
}

var factQueries = []Query{
	{Text: "fact"}, {Text: "fact_000017"}, {Text: "fact", Kinds: []Kind{Table}, Limit: 80}, {Text: "amount", Kinds: []Kind{Column}}, {Text: "fact amount", Limit: 60},
	{Text: "fact customer nowhere", Connections: []string{"big"}}, {Text: "customers facts", Kinds: []Kind{Column}, Limit: 70}, {Text: "main.fact"}, {Text: "backup fact"},
	{Text: "facst amonut", Limit: 200}, {Text: "created at main fact", Limit: 500},
}

// The page is the same when the rest of many equal documents is skipped, also with tables that were used.
func TestSkippingEqualDocumentsIsExact(t *testing.T) {
	t.Parallel()
	for segments := 1; segments <= 5; segments += 4 {
		x := facts(t, 700, segments)
		use := usedOf(rand.New(rand.NewPCG(1, 2)), x)
		few := map[Used]float32{}
		for used, share := range use.All() {
			if len(few) < 9 {
				few[used] = share
			}
		}
		for _, q := range factQueries {
			for _, q.Use = range []*Use{nil, use, NewUse(few)} {
				exact(t, x, q)
			}
		}
	}
}

// exact compares the page of a query with that of scoring everything.
func exact(t *testing.T, x *Index, q Query) {
	t.Helper()
	type row struct {
		ID, Connection string
		Score          float64
	}
	rows := func(hits []Hit) (all []row) {
		for _, h := range hits {
			all = append(all, row{h.ID, h.Connection, h.Score})
		}
		return all
	}
	if diff := gocmp.Diff(rows(everything(x, q)), rows(x.Search(q).Hits)); diff != "" {
		t.Fatalf("%+v in %d segments: -want +got\n%s", q, len(x.segments), diff)
	}
}

// families are the tables of random families of copies in the order of their ids; some differ from their family.
func families(r *rand.Rand) (all []TableDocument) {
	words := strings.Fields("fact order customer amount id created status region")
	some := func(n int) (out []string) {
		for range n {
			out = append(out, words[r.IntN(len(words))])
		}
		return out
	}
	for range 1 + r.IntN(4) {
		name, columns := strings.Join(some(1+r.IntN(2)), "_"), some(1+r.IntN(4))
		connection, odd := fmt.Sprint("w", r.IntN(2)), r.IntN(40)
		for i := range 40 + r.IntN(200) {
			d := TableDocument{Connection: connection, Schema: "main", Name: fmt.Sprintf("%s_%04d", name, i), Size: Size(r.IntN(60) / 58)}
			own := columns
			if odd > 0 && r.IntN(odd) == 0 {
				d.Comment, own = strings.Join(some(1+r.IntN(3)), " "), some(1+r.IntN(3))
			}
			for at, column := range own {
				d.Columns = append(d.Columns, ColumnDocument{Name: fmt.Sprintf("%s_%c", column, 'a'+at)})
			}
			d.ID = d.Schema + "." + d.Name
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b TableDocument) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(all, func(a, b TableDocument) bool { return a.ID == b.ID })
}

// The page is exact over random corpora of families of copies, questions, filters, limits and numbers of segments.
func TestSkippingIsExactOverRandomCorpora(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t, 6) {
		r := rand.New(rand.NewPCG(seed, 7))
		all := families(r)
		fills := make([]func(*Builder) error, 1+r.IntN(4))
		at := make([]int, len(all))
		for i := range at {
			at[i] = r.IntN(len(fills))
		}
		for segment := range fills {
			fills[segment] = func(b *Builder) (err error) {
				for i, d := range all {
					if at[i] == segment {
						err = errors.Join(err, b.Table(d))
					}
				}
				return err
			}
		}
		x := index(t, fills...)
		for range 25 {
			q := Query{Text: strings.Join(strings.Fields("fact order customer amount status main fact_0011 orders nowhere")[r.IntN(6):][:1+r.IntN(3)], " "), Limit: []int{0, 3, 60, 300}[r.IntN(4)]}
			if r.IntN(2) == 0 {
				q.Kinds = [][]Kind{{Table}, {Column}, {Table, Column}}[r.IntN(3)]
			}
			if r.IntN(3) == 0 {
				q.Connections = []string{"w1"}
			}
			if r.IntN(3) == 0 {
				q.Use = usedOf(r, x)
			}
			exact(t, x, q)
		}
	}
}

// A search of near-equal names looks at the documents of the page, not at all of them.
func TestEqualDocumentsAreSkipped(t *testing.T) {
	t.Parallel()
	considered := func(x *Index, q Query) (n int) {
		counted := func(pass func(*run)) func(*run) {
			return func(r *run) {
				before := r.considered
				pass(r)
				n += r.considered - before
			}
		}
		x.Question(q.Text).search(q, counted((*run).allWords), counted((*run).fewerWords))
		return n
	}
	x := facts(t, 4000, 2)
	all := len(x.segments[0].flags) + len(x.segments[1].flags)
	for _, q := range []Query{
		{Text: "fact"}, {Text: "fact_000017"}, {Text: "amount", Kinds: []Kind{Column}}, {Text: "fact amount"}, {Text: "created fact", Kinds: []Kind{Table}},
	} {
		if n := considered(x, q); n == 0 || n > all/20 {
			t.Errorf("%+v: %d of %d documents", q, n, all)
		}
	}
}

// Numbered names between two words cost a search for the words one step each, however many they are.
func TestWordsSkipNumberedNames(t *testing.T) {
	t.Parallel()
	x := index(t, tables("w s.fact(id)", "w s.factory(id)"), func(b *Builder) error {
		var err error
		for i := range 500 {
			err = errors.Join(err, table(b, fmt.Sprintf("w s.fact_%03d(id)", i)))
		}
		return err
	})
	var got []string
	for term := range vocabulary(x.segments).Words("fact") {
		got = append(got, strings.Clone(term))
	}
	if diff := gocmp.Diff([]string{"fact", "factory"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	l := list{s: x.segments[1], left: len(x.segments[1].count), words: true}
	steps := 0
	for l.load(); l.left > 0; l.next() {
		steps++
	}
	if steps > 20 {
		t.Errorf("%d words among 500 numbered names", steps)
	}
}
