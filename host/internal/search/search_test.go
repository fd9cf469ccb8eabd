package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/search/archive"
	"github.com/loam-data/loam/host/internal/search/value"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

var analyzer = text.New()

// index builds and opens an index of a segment for each fill.
func index(t testing.TB, fills ...func(*Builder) error) *Index {
	t.Helper()
	var segments []*Segment
	for _, fill := range fills {
		path := filepath.Join(t.TempDir(), "segment")
		write(t, path, "test", fill)
		segments = append(segments, open(t, path))
	}
	x := NewIndex(analyzer, segments...)
	t.Cleanup(func() {
		if err := errors.Join(x.Close(), x.Close()); err != nil {
			t.Error(err)
		}
	})
	return x
}

func write(t testing.TB, path, content string, fill func(*Builder) error) {
	t.Helper()
	b, err := NewBuilder(path, analyzer)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fill(b), b.Finish(content, nil), b.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string) *Segment {
	t.Helper()
	s, err := Open(path, analyzer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// table is "connection schema.name(column column) comment".
func table(b *Builder, line string) error {
	head, rest, _ := strings.Cut(line, "(")
	columns, comment, _ := strings.Cut(rest, ")")
	connection, id, _ := strings.Cut(head, " ")
	schema, name, _ := strings.Cut(id, ".")
	d := TableDocument{Connection: connection, ID: id, Schema: schema, Name: name, Comment: strings.TrimSpace(comment)}
	for c := range strings.FieldsSeq(columns) {
		d.Columns = append(d.Columns, ColumnDocument{Name: c})
	}
	return b.Table(d)
}

func tables(lines ...string) func(*Builder) error {
	return func(b *Builder) error {
		for _, line := range lines {
			if err := table(b, line); err != nil {
				return err
			}
		}
		return nil
	}
}

func ids(r Result) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.Kind.String()+" "+h.ID)
	}
	return out
}

var shop = tables(
	"crm crm.accounts(id name owner_id created_at) Companies we sell to",
	"crm crm.cust_addr(cust_id street zip_cd)",
	"shop public.customers(id name email segment)",
	"shop public.customers_bak(id name email segment)",
	"shop public.order_items(order_id product_id qty unit_price)",
	"shop public.orders(id customer_id status ordered_at)",
	"shop public.orders_archive(id customer_id status ordered_at)",
	"shop public.products(id sku title price) Was man kaufen kann: Artikel für Käufer",
	"shop public.vendors(id name country) Поставщики и партнёры",
	"shop public.warehouse_stock(product_id location quantity) 在庫の数量",
)

// A measure and a synonym are found by their whole names before what only has
// the words; a column that is called so is one of too many.
func TestExactNamesOfMeasures(t *testing.T) {
	t.Parallel()
	x := index(t, shop, tables("shop public.revenue_daily(revenue day)"), func(b *Builder) error {
		return errors.Join(
			b.Add(Document{Kind: Source, ID: "bookings", Connection: "shop", Name: "bookings", Description: "Revenue, revenue, revenue", Synonyms: []string{"turnover"}}),
			b.AddChild(Document{Kind: Measure, Connection: "shop", Name: "revenue", Context: []string{"bookings"}, Synonyms: []string{"net sales", "income"}}),
			b.AddChild(Document{Kind: Measure, Connection: "shop", Name: "net_sales_growth", Context: []string{"bookings"}}),
			b.AddChild(Document{Kind: Dimension, Connection: "shop", Name: "status", Context: []string{"bookings"}}),
		)
	})
	for question, want := range map[string]string{
		"revenue":         "sl_measure bookings.revenue",
		"Net-Sales":       "sl_measure bookings.revenue",
		"income":          "sl_measure bookings.revenue",
		"turnover":        "sl_source bookings",
		"bookings.status": "sl_dimension bookings.status",
	} {
		r := x.Search(Query{Text: question})
		if got := ids(r); len(got) == 0 || got[0] != want {
			t.Errorf("%s: found %q, want %s first", question, got, want)
		}
	}
	if h := x.Search(Query{Text: "income"}).Hits[0]; h.MatchedOn != Display {
		t.Errorf("a synonym is matched on %s", h.MatchedOn)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	x := index(t, shop)
	tests := []struct {
		name  string
		query Query
		first string
		field Field
	}{
		{"exact name", Query{Text: "orders"}, "table public.orders", Name},
		{"exact name in another spelling", Query{Text: "OrderItems"}, "table public.order_items", Name},
		{"qualified name", Query{Text: "public.customers"}, "table public.customers", Name},
		{"column's name", Query{Text: "customer_id"}, "column public.orders.customer_id", Name},
		{"qualified column", Query{Text: "customers.email"}, "column public.customers.email", Name},
		{"abbreviation in the index", Query{Text: "customer address"}, "table crm.cust_addr", Name},
		{"abbreviation in the question", Query{Text: "prod qty", Kinds: []Kind{Column}}, "column public.order_items.qty", Name},
		{"plural", Query{Text: "vendor"}, "table public.vendors", Name},
		{"typo", Query{Text: "cusotmers"}, "table public.customers", Name},
		{"prefix", Query{Text: "warehou"}, "table public.warehouse_stock", Name},
		{"umlaut as two letters", Query{Text: "kaeufer"}, "table public.products", Comment},
		{"Russian case", Query{Text: "поставщик"}, "table public.vendors", Comment},
		{"Japanese", Query{Text: "在庫"}, "table public.warehouse_stock", Comment},
		{"backup comes after", Query{Text: "customer segment"}, "table public.customers", Name},
		{"comment", Query{Text: "companies"}, "table crm.accounts", Comment},
		{"only columns", Query{Text: "status", Kinds: []Kind{Column}}, "column public.orders.status", Name},
		{"one connection", Query{Text: "customer", Connections: []string{"crm"}}, "table crm.cust_addr", Name},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := x.Search(test.query)
			if len(r.Hits) == 0 {
				t.Fatalf("nothing found; unknown: %v", r.Unknown)
			}
			if got := ids(r); got[0] != test.first {
				t.Errorf("first is %s, want %s; all: %v", got[0], test.first, got)
			}
			if r.Hits[0].MatchedOn != test.field && r.Hits[0].MatchedOn != Context {
				t.Errorf("matched on %s, want %s", r.Hits[0].MatchedOn, test.field)
			}
			if r.Hits[0].Score != 1 {
				t.Errorf("the first score is %v", r.Hits[0].Score)
			}
		})
	}
}

func TestSearchFiltersInside(t *testing.T) {
	t.Parallel()
	x := index(t, shop)
	for _, h := range x.Search(Query{Text: "customer id name", Kinds: []Kind{Table}, Connections: []string{"crm"}, Limit: 50}).Hits {
		if h.Kind != Table || h.Connection != "crm" {
			t.Errorf("%s %s of %s passes the filter", h.Kind, h.ID, h.Connection)
		}
	}
	if r := x.Search(Query{Text: "orders", Connections: []string{"none"}}); len(r.Hits) != 0 {
		t.Errorf("a connection without documents has %v", ids(r))
	}
}

// A document of several connections is found with each of them.
// A page with all the words of a question does not hide a column with one of
// them. A table with few of the words comes last, marked, and one with next to none stays away.
func TestProseHidesNoData(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		page := "what shipping does cost, who bears the cost of shipping, and why returned goods of holidays cost more"
		return errors.Join(
			b.Add(Document{Kind: Wiki, ID: "shipping", Name: "Prices", Body: page}),
			tables("shop s.orders(shipping_cents status)", "shop s.people(name city)", "shop s.goods(weight)")(b),
		)
	})
	for question, want := range map[string][]string{
		"shipping cost":                             {"wiki shipping", "table s.orders", "column s.orders.shipping_cents"},
		"who bears cost of goods":                   {"wiki shipping", "partial table s.goods"},
		"who bears cost of returned holidays goods": {"wiki shipping"},
	} {
		r := x.Search(Query{Text: question})
		got := ids(r)
		for i, h := range r.Hits {
			if h.Partial {
				got[i] = "partial " + got[i]
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

func TestSearchInSeveralConnections(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		return b.Add(Document{Kind: Wiki, ID: "orders", Name: "orders", Connection: strings.Join([]string{"crm", "shop"}, Several)})
	})
	for _, test := range []struct {
		connections []string
		want        int
	}{{nil, 1}, {[]string{"crm"}, 1}, {[]string{"none", "shop"}, 1}, {[]string{"none"}, 0}, {[]string{"shop" + Several + "crm"}, 0}} {
		if got := len(x.Search(Query{Text: "orders", Connections: test.connections}).Hits); got != test.want {
			t.Errorf("%q: %d hits, want %d", test.connections, got, test.want)
		}
	}
}

func TestSearchEdges(t *testing.T) {
	t.Parallel()
	x := index(t, shop)
	for _, question := range []string{"", "   ", "!?", "xyzzyx", "\xff\xfe", "\x00"} {
		if r := x.Search(Query{Text: question}); len(r.Hits) != 0 {
			t.Errorf("%q finds %v", question, ids(r))
		}
	}
	if r := x.Search(Query{Text: "xyzzyx orders"}); len(r.Hits) == 0 || !slices.Equal(r.Unknown, []string{"xyzzyx"}) {
		t.Errorf("unknown = %v with %d hits", r.Unknown, len(r.Hits))
	}
	if r := x.Search(Query{Text: "id", Limit: 1}); len(r.Hits) != 1 {
		t.Errorf("%d hits, want 1", len(r.Hits))
	}
	last := 1.0
	for _, h := range x.Search(Query{Text: "customer order id name", Limit: 50}).Hits {
		if h.Score > last || h.Score <= 0 {
			t.Errorf("score %v after %v", h.Score, last)
		}
		last = h.Score
	}
	empty := index(t, func(*Builder) error { return nil })
	if r := empty.Search(Query{Text: "orders"}); len(r.Hits) != 0 {
		t.Error("an empty segment finds something")
	}
	none := index(t)
	if r := none.Search(Query{Text: "orders"}); len(r.Hits) != 0 || !slices.Equal(r.Unknown, []string{"order"}) {
		t.Errorf("an index of no segments finds %v and does not know %v", r.Hits, r.Unknown)
	}
	if matches, total := none.Find("orders", nil, 10); len(matches)+total+none.Columns("shop") != 0 {
		t.Errorf("an index of no segments finds the values %v", matches)
	}
}

func TestEveryKindIsFound(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		return errors.Join(
			b.Add(Document{Kind: Wiki, ID: "revenue", Name: "revenue", Display: "Revenue", Body: "How we count revenue."}),
			b.Add(Document{Kind: Source, ID: "invoice", Connection: "w", Name: "invoice", Description: "Revenue by invoice"}),
			b.AddChild(Document{Kind: Measure, Connection: "w", Name: "net_revenue", Expr: "sum(amount)"}),
			b.AddChild(Document{Kind: Dimension, Connection: "w", Name: "revenue_type"}),
			table(b, "w fin.revenue_daily(day revenue_cents)"),
			b.Add(Document{Kind: File, ID: "handbook/terms.md#1", Name: "terms.md", Body: "Revenue is counted by month."}),
			b.Add(Document{Kind: Checkpoint, ID: "1", Name: "Revenue agrees"}),
			b.Add(Document{Kind: Remediation, ID: "2", Name: "42P01", Description: "no column revenue"}),
		)
	})
	found := map[Kind]bool{}
	for _, h := range x.Search(Query{Text: "revenue"}).Hits {
		found[h.Kind] = true
	}
	for _, k := range Kinds() {
		if !found[k] {
			t.Errorf("no %s is found", k)
		}
		if n := x.Count(k); n == 0 {
			t.Errorf("no %s is counted", k)
		}
	}
	if r := x.Search(Query{Text: "revenue", Connections: []string{"w"}, Kinds: []Kind{Wiki}}); len(r.Hits) != 1 {
		t.Error("a page that belongs to no connection is left out when one is asked about")
	}
	if r := x.Search(Query{Text: "sum amount"}); len(r.Hits) == 0 || r.Hits[0].MatchedOn != Expr || r.Hits[0].ID != "invoice.net_revenue" {
		t.Errorf("an expression finds %v", ids(r))
	}
}

func TestSamplesAndChildIDs(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		return errors.Join(
			b.Add(Document{Kind: Table, ID: "a.b", Name: "b"}),
			b.AddChild(Document{Kind: Column, Name: "c", Samples: []string{"Vinyl Record", "12345-678", strings.Repeat("long ", 40)}}),
			b.Values().Add(value.Column{Connection: "w", Source: "b", Name: "c", Cardinality: 2}, []string{"Vinyl Record"}),
		)
	})
	r := x.Search(Query{Text: "vinyl"})
	if len(r.Hits) != 1 || r.Hits[0].ID != "a.b.c" || r.Hits[0].Parent != "a.b" || r.Hits[0].Name != "c" || r.Hits[0].MatchedOn != Sample {
		t.Errorf("got %v", r.Hits)
	}
	if diff := gocmp.Diff([]string{"vinyl"}, r.Hits[0].Terms); diff != "" {
		t.Errorf("terms: -want +got\n%s", diff)
	}
	if h := x.Search(Query{Text: "a.b"}).Hits[0]; h.ID != "a.b" || h.Parent != "" || h.Name != "a.b" {
		t.Errorf("the table is %+v", h)
	}
	for _, question := range []string{"12345", "long"} {
		if r := x.Search(Query{Text: question}); len(r.Hits) > 0 {
			t.Errorf("%s was taken for words", question)
		}
	}
	if matches, total := x.Find("VINYL", nil, 10); total != 1 || matches[0].Value != "Vinyl Record" {
		t.Errorf("values: %v", matches)
	}
}

func TestBuilderRefuses(t *testing.T) {
	t.Parallel()
	b, err := NewBuilder(filepath.Join(t.TempDir(), "s"), analyzer)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.AddChild(Document{Kind: Column, Name: "x"}); err == nil {
		t.Error("a child without a parent is taken")
	}
	if err := table(b, "w s.t(a b)"); err != nil {
		t.Fatal(err)
	}
	err = b.Finish("x", map[Kind]int{Table: 1, Column: 3})
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindInternal {
		t.Errorf("a missing column is %v", err)
	}
	if _, err := os.Stat(b.path); err == nil {
		t.Error("a segment that lacks a document was put in place")
	}
	if _, err := NewBuilder(filepath.Join(t.TempDir(), "none", "s"), analyzer); err == nil {
		t.Error("a builder in no folder")
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	write(t, path, "one", shop)
	_, err := Open(filepath.Join(dir, "none"), analyzer)
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindNotFound {
		t.Errorf("no file: %v", err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole[len(whole)/2] ^= 1
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, analyzer)
	if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != sdk.KindUnavailable || !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("an altered file: %v", err)
	}
	forged := func(rules string) error {
		w, err := archive.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		meta := fmt.Sprintf(`{"identity":{"rules":%q,"ranking":%d},"counts":[0,0,0,0,1,0]}`, rules, ranking)
		if err := errors.Join(w.Put("meta", []byte(meta)), w.Commit(), w.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = Open(path, analyzer)
		return err
	}
	if err := forged(analyzer.Version()); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("an archive without an index: %v", err)
	}
	if e, ok := errors.AsType[*sdk.Error](forged("0")); !ok || e.Kind != sdk.KindConflict || e.Hint == "" {
		t.Errorf("other rules: %v", e)
	}
}

// everything is Search by scoring every document, for comparison.
func everything(x *Index, q Query) []Hit {
	pass := func(r *run) {
		own, child, named, full := r.scoreAll()
		for d, score := range own {
			if r.part.connections != nil && !r.part.connections[r.part.s.connection[d]] || score == 0 || r.all && !full[d] {
				continue
			}
			r.keep(uint32(d), withChild(score, child[d]), named[d] && (r.leaves || r.part.s.parent[d] == none))
		}
	}
	return x.Question(q.Text).search(q, func(r *run) { r.all = true; pass(r) }, func(r *run) { r.all = false; pass(r) }).Hits
}

// scoreAll scores every document of the segment at hand.
func (r *run) scoreAll() (own, child []float32, named, full []bool) {
	n := len(r.part.s.flags)
	own, child, named, full = make([]float32, n), make([]float32, n), make([]bool, n), make([]bool, n)
	for d := range uint32(n) {
		sum, matched := float32(0), float32(0)
		for i := range r.part.groups {
			v, is := r.part.groups[i].lookBack(d)
			if v > 0 {
				sum += v
				matched++
			}
			named[d] = named[d] || is
		}
		own[d], full[d] = r.weigh(d, sum, matched), matched == float32(r.words)
		if p := r.part.s.parent[d]; p != none {
			child[p] = max(child[p], own[d])
		}
	}
	return own, child, named, full
}

// A segment of several runs is the one of a single run.
func TestRunsMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := func(name string, flushEach bool) []byte {
		b, err := NewBuilder(filepath.Join(dir, name), analyzer)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			if err := table(b, fmt.Sprintf("w s.table_%d(id name_%d order_date) comment %d", i, i%7, i)); err != nil {
				t.Fatal(err)
			}
			if flushEach {
				if err := b.spill.flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(b.Finish("x", map[Kind]int{Table: 50, Column: 150}), b.Close()); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	if one, many := build("one", false), build("many", true); !slices.Equal(one, many) {
		t.Error("the file depends on how the postings were written out")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 {
		t.Errorf("%d files are left, want the two segments", len(entries))
	}
}

func FuzzSearch(f *testing.F) {
	for _, q := range []string{"orders", "customer_id", "a b c d e", "顧客", "\xff", "date of birth", "cusotmers", "..", "list price"} {
		f.Add(q, uint8(3))
	}
	x := index(f, shop)
	f.Fuzz(func(t *testing.T, question string, limit uint8) {
		q := Query{Text: question, Limit: int(limit%50) + 1}
		r := x.Search(q)
		if len(r.Hits) > q.Limit {
			t.Fatalf("%d hits for a limit of %d", len(r.Hits), q.Limit)
		}
		want := everything(x, q)
		for i, h := range r.Hits {
			if h.Score <= 0 || h.Score > 1 || h.ID != want[i].ID || len(h.Terms) == 0 {
				t.Fatalf("%q: hit %d is %+v, want %+v", question, i, h, want[i])
			}
		}
	})
}

func TestSeek(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	var documents []uint32
	for range 300 {
		documents = append(documents, r.Uint32N(2000))
	}
	slices.Sort(documents)
	documents = slices.Compact(documents)
	var small []uint16
	for _, d := range documents {
		small = append(small, uint16(d))
	}
	for from := range documents {
		for document := range uint32(2001) {
			c := cursor{documents: numbers{large: documents}, at: from}
			c.seek(document)
			two := cursor{documents: numbers{small: small}, at: from}
			if two.seek(document); two.at != c.at {
				t.Fatalf("seek from %d to %d ends at %d of two bytes, at %d of four", from, document, two.at, c.at)
			}
			want := from + slices.IndexFunc(documents[from:], func(d uint32) bool { return d >= document })
			if want < from {
				want = len(documents)
			}
			if c.at != want {
				t.Fatalf("seek from %d to %d ends at %d, want %d", from, document, c.at, want)
			}
		}
	}
}

func TestTopKeepsTheBest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	one := &part{s: &Segment{parent: make([]uint32, 60)}} // a family
	for range 200 {
		var all []candidate
		kept := top{limit: 1 + r.IntN(20)}
		for i := range r.IntN(60) {
			c := candidate{part: one, document: uint32(i), score: float32(r.IntN(5)), level: int8(r.IntN(2))}
			all = append(all, c)
			kept.offer(c)
		}
		order := func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.score, a.score), cmp.Compare(a.document, b.document))
		}
		slices.SortFunc(all, order)
		got := kept.best()
		slices.SortFunc(got, order)
		if want := all[:min(len(all), kept.limit)]; !slices.Equal(want, got) {
			t.Fatalf("kept %v, want %v", got, want)
		}
	}
}

func TestRarity(t *testing.T) {
	t.Parallel()
	x := index(t, shop)
	v := vocabulary(x.segments)
	if rare, common := v.rarity("vendor"), v.rarity("id"); rare <= common || math.IsNaN(common) || common <= 0 {
		t.Errorf("rarity of 1 is %v, of 40 %v", rare, common)
	}
}

// A page names other tables before the third column of one, and before another copy of
// one; what has the whole name stays first.
func TestPageIsSpread(t *testing.T) {
	t.Parallel()
	x := index(t, tables("w s.visits(visit_id visit_day visit_hour visit_source)", "w s.shops(visit_count)",
		"w s.log_2024_01(visit day)", "w s.log_2024_02(visit day)", "w s.log_2024_03(visit day)", "w s.log_9(visit day other)"))
	var got []string
	for _, h := range x.Search(Query{Text: "visit", Limit: 30}).Hits {
		got = append(got, h.ID)
	}
	place := func(id string) int { return slices.Index(got, id) }
	for _, order := range [][2]string{
		{"s.shops.visit_count", "s.visits.visit_source"}, {"s.log_2024_01", "s.log_2024_02"}, {"s.log_9", "s.log_2024_03"}, {"s.shops", "s.log_2024_02.visit"},
	} {
		if a, b := place(order[0]), place(order[1]); a < 0 || b < 0 || a > b {
			t.Errorf("%s is at %d, %s at %d of %v", order[0], a, order[1], b, got)
		}
	}
	if hits := x.Search(Query{Text: "s.log_2024_02"}).Hits; hits[0].ID != "s.log_2024_02" {
		t.Errorf("the name of a copy finds %s", hits[0].ID)
	}
}

// A table has the words of its columns, values and comments together.
func TestTableHasWhatItHolds(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		for _, d := range []TableDocument{
			{ID: "s.orders", Name: "orders", Columns: []ColumnDocument{{Name: "status", Samples: []string{"paid"}}}},
			{ID: "s.money", Name: "money", Columns: []ColumnDocument{{Name: "order_id"}, {Name: "method", Samples: []string{"klarna"}}, {Name: "paid_at"}}},
		} {
			if err := b.Table(d); err != nil {
				return err
			}
		}
		return nil
	})
	if r := x.Search(Query{Text: "orders paid with klarna", Kinds: []Kind{Table}}); r.Hits[0].ID != "s.money" {
		t.Errorf("first is %s", r.Hits[0].ID)
	}
}

// Of two tables that are alike the one with more rows comes first, and a value is found
// whole with its punctuation where all values of its column are known.
func TestSizesAndCodes(t *testing.T) {
	t.Parallel()
	x := index(t, func(b *Builder) error {
		columns := []ColumnDocument{{Name: "rating", Samples: []string{"NC-17", "R", "PG-13"}, Listed: true}, {Name: "no", Samples: []string{"AB-99"}}}
		for _, d := range []TableDocument{
			{ID: "a.films", Name: "films", Size: SizeOf(9)},
			{ID: "b.films", Name: "films", Size: SizeOf(50_000), Columns: columns},
			{ID: "c.films", Name: "films", Size: SizeOf(0)},
		} {
			if err := b.Table(d); err != nil {
				return err
			}
		}
		return nil
	})
	if diff := gocmp.Diff([]string{"table b.films", "table a.films", "table c.films"}, ids(x.Search(Query{Text: "films", Kinds: []Kind{Table}}))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for question, want := range map[string]string{"NC-17": "b.films.rating", "nc17": "b.films.rating", "AB-99": ""} {
		got := ""
		if hits := x.Search(Query{Text: question, Kinds: []Kind{Column}}).Hits; len(hits) > 0 {
			got = hits[0].ID
		}
		if got != want {
			t.Errorf("%s finds %q, want %q", question, got, want)
		}
	}
}
