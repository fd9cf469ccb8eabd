package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/sdk"
)

const longComment = "One row per order. Amounts are gross of VAT and in cents of the currency of the row, which is the one that the customer chose when the basket was opened, " +
	"and never changes afterwards. Test orders of our own people are in here as well, and have a flag. Revenue is booked when the parcel leaves the warehouse."

// store is a warehouse with comments, profiles and a table in two schemas.
func store() snapshot {
	return snapshot{
		id: "s1",
		tables: []*sdk.Table{
			table("public.customers", "Who buys from us.", "id bigint", "full_name text", "segment text: how they are grouped for campaigns", "region_code text", "vat_no text", "since date"),
			table("public.orders", longComment, "id bigint", "customer_id bigint", "state text", "unitPrice numeric"),
			table("staging.orders", "", "id bigint"),
			table("public.empty", ""),
			table("public.a.b", "", "c.d text: a dotted zebra"),
		},
		profiles: map[string][]sdk.ColumnStats{
			"public.orders":    {values("state", "waiting", "paid in full", "returned to sender", "refunded partially", "lost", "stolen", "paid by voucher")},
			"public.customers": {values("segment", "hobbyists"), values("region_code")},
		},
	}
}

const (
	churnPage = "---\nsummary: When a customer counts as lost.\ntags: [metric]\nconnections: [crm]\nupdated: 2026-01-02\n---\n# Churn\n\nA customer who did not order for a year. See [[revenue]].\n"
	revenue   = "---\nsummary: What we earn.\n---\n# Revenue\n\n" // and a body
)

// stocked is a fixture with the store scanned and two pages written.
func stocked(t testing.TB) *fixture {
	t.Helper()
	f := newFixture(t)
	f.scan(t, "shop", store())
	f.write(t, "wiki/global/churn.md", churnPage)
	f.write(t, "wiki/global/finance/revenue.md", revenue+strings.Repeat("It is gross of returns, and net of VAT. ", 30)+"Freight charges are left out of it.\n")
	return f
}

func (f *fixture) find(t testing.TB, r SearchRequest) *SearchAnswer {
	t.Helper()
	a, err := f.Search(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestRefs(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	tests := []struct {
		name string
		r    SearchRequest
		want string // the first reference
	}{
		{
			"a table by its name",
			SearchRequest{Query: "Customer", Kinds: []string{"table"}},
			`{"kind":"table","id":"public.customers","score":1,"summary":"Who buys from us.","snippet":"id, full_name, segment, region_code, vat_no","matchedOn":"name",` +
				`"connectionId":"shop","tableRef":{"db":"public","name":"customers"},"uri":"loam://table/shop/public.customers"}`,
		},
		{
			"a table by its comment, far into it",
			SearchRequest{Query: "parcel warehouse", Kinds: []string{"table"}},
			`{"kind":"table","id":"public.orders","score":1,"summary":` + compact(t, cut(longComment, 200)) + `,"snippet":` + compact(t, longComment[strings.Index(longComment, "customer chose"):]) +
				`,"matchedOn":"comment","connectionId":"shop","tableRef":{"db":"public","name":"orders"},"uri":"loam://table/shop/public.orders"}`,
		},
		{
			"a table by its columns",
			SearchRequest{Query: "vat", Kinds: []string{"table"}, Connection: "shop"},
			`{"kind":"table","id":"public.customers","score":1,"summary":"Who buys from us.","snippet":"vat_no, id, full_name, segment, region_code","matchedOn":"display",` +
				`"connectionId":"shop","tableRef":{"db":"public","name":"customers"},"uri":"loam://table/shop/public.customers"}`,
		},
		{
			"a table without anything",
			SearchRequest{Query: "empty", Kinds: []string{"table"}},
			`{"kind":"table","id":"public.empty","score":1,"matchedOn":"name","connectionId":"shop","tableRef":{"db":"public","name":"empty"},"uri":"loam://table/shop/public.empty"}`,
		},
		{
			"a column by its name",
			SearchRequest{Query: "unit price", Kinds: []string{"column"}},
			`{"kind":"column","id":"public.orders.unitPrice","score":1,"snippet":"numeric","matchedOn":"name",` +
				`"connectionId":"shop","tableRef":{"db":"public","name":"orders"},"columnName":"unitPrice"}`,
		},
		{
			"a column by its comment",
			SearchRequest{Query: "campaign"},
			`{"kind":"column","id":"public.customers.segment","score":1,"summary":"how they are grouped for campaigns","snippet":"how they are grouped for campaigns","matchedOn":"comment",` +
				`"connectionId":"shop","tableRef":{"db":"public","name":"customers"},"columnName":"segment"}`,
		},
		{
			"a column by its values",
			SearchRequest{Query: "voucher"},
			`{"kind":"column","id":"public.orders.state","score":1,"snippet":"text · samples: paid by voucher, waiting, paid in full, returned to sender, refunded partially","matchedOn":"sample_value",` +
				`"connectionId":"shop","tableRef":{"db":"public","name":"orders"},"columnName":"state"}`,
		},
		{
			"names with dots",
			SearchRequest{Query: "zebra", Kinds: []string{"column"}},
			`{"kind":"column","id":"public.\"a.b\".c.d","score":1,"summary":"a dotted zebra","snippet":"a dotted zebra","matchedOn":"comment",` +
				`"connectionId":"shop","tableRef":{"db":"public","name":"a.b"},"columnName":"c.d"}`,
		},
		{
			"a page by its name",
			SearchRequest{Query: "revenue"},
			`{"kind":"wiki","id":"finance/revenue","score":1,"summary":"What we earn.","snippet":` +
				compact(t, cut("# Revenue\n\n"+strings.Repeat("It is gross of returns, and net of VAT. ", 30), 200)) + `,"matchedOn":"name","uri":"loam://page/finance/revenue"}`,
		},
		{
			"a page by its text",
			SearchRequest{Query: "freight charge"},
			`{"kind":"wiki","id":"finance/revenue","score":1,"summary":"What we earn.","snippet":"It is gross of returns, and net of VAT. It is gross of returns, and net of VAT. ` +
				`It is gross of returns, and net of VAT. It is gross of returns, and net of VAT. Freight charges are left out of it.","matchedOn":"body","uri":"loam://page/finance/revenue"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := f.find(t, tt.r)
			if len(a.Refs) == 0 {
				t.Fatalf("nothing was found: %+v", a)
			}
			if diff := cmp.Diff(tt.want, strings.NewReplacer(`\u003c`, "<").Replace(compact(t, a.Refs[0]))); diff != "" {
				t.Errorf("reference (-want +got):\n%s", diff)
			}
		})
	}
}

// What there is to say of a reference is short, and one stored text each.
func TestRefsAreShort(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	flood := strings.Repeat("überflutung 🇩🇪 ", 200)
	f.scan(t, "shop", snapshot{
		id: "s1", tables: []*sdk.Table{table("s.überflutung", flood, "überflutung "+strings.Repeat("x", 300)+": "+flood, "pegel text")},
		profiles: map[string][]sdk.ColumnStats{"s.überflutung": {values("pegel", strings.TrimSpace(strings.Repeat("hochwasser ", 5)), "hochwasser "+strings.Repeat("é", 150))}},
	})
	f.write(t, "wiki/global/flut.md", "---\nsummary: "+flood+"\n---\n"+flood)
	seen := map[string]bool{}
	for _, query := range []string{"überflutung", "hochwasser", "ueberflutung"} {
		for _, r := range f.find(t, SearchRequest{Query: query, Limit: 50}).Refs {
			seen[r.Kind] = true
			for _, s := range []*string{r.Summary, r.Snippet} {
				if s != nil && (utf8.RuneCountInString(*s) > maxText || *s == "" || strings.HasSuffix(*s, "…") || !utf8.ValidString(*s)) {
					t.Errorf("%s %s: %q", r.Kind, r.ID, *s)
				}
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("only %v were found", seen)
	}
}

func ids(a *SearchAnswer) (all []string) {
	for _, r := range a.Refs {
		all = append(all, r.ID)
	}
	return all
}

func TestSearchOfOneConnection(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	f.scan(t, "crm", snapshot{id: "c1", tables: []*sdk.Table{table("main.customers", "", "id bigint")}})
	for i := range 60 {
		f.write(t, fmt.Sprintf("wiki/global/crm%02d.md", i), "---\nconnections: [crm, other]\n---\n# Sabotage\nSabotage, sabotage.")
	}
	for i := range 4 {
		f.write(t, fmt.Sprintf("wiki/global/all%d.md", i), "# Other\nIt also is sabotage in a way.")
	}
	tests := []struct {
		name string
		r    SearchRequest
		want []string
	}{
		{"all", SearchRequest{Query: "customers", Kinds: []string{"table"}}, []string{"main.customers", "public.customers", "public.orders"}},
		{"one", SearchRequest{Query: "customers", Kinds: []string{"table"}, Connection: "crm"}, []string{"main.customers"}},
		{"pages of another", SearchRequest{Query: "churn", Connection: "shop"}, nil},
		{"pages of it", SearchRequest{Query: "churn", Connection: "crm"}, []string{"churn"}},
		{"pages of none, behind those of another", SearchRequest{Query: "sabotage", Connection: "shop", Limit: 3}, []string{"all0", "all1", "all2"}},
		{"pages of several", SearchRequest{Query: "sabotage", Connection: "crm", Limit: 2}, []string{"crm00", "crm01"}},
		{"pages of none", SearchRequest{Query: "freight", Connection: "shop"}, []string{"finance/revenue"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := f.find(t, tt.r)
			got := ids(a)
			if tt.r.Connection == "" {
				slices.Sort(got)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
			if len(a.Refs) > 0 && a.Refs[0].Score != 1 {
				t.Errorf("the best score is %v", a.Refs[0].Score)
			}
		})
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	var all []string
	for _, k := range search.Kinds() {
		all = append(all, k.String())
	}
	tests := []struct {
		name       string
		r          SearchRequest
		kind       sdk.Kind
		text       string
		candidates []string
	}{
		{"an unknown kind", SearchRequest{Query: "x", Kinds: []string{"table", "tables"}}, sdk.KindInvalid, `"tables"`, all},
		{"an unknown connection", SearchRequest{Query: "x", Connection: "shpo"}, sdk.KindNotFound, `"shpo"`, []string{"shop"}},
		{"a megabyte", SearchRequest{Query: strings.Repeat("x", 1<<20)}, sdk.KindInvalid, "1048576 bytes; the limit is 1024", nil},
	}
	for _, tt := range tests {
		_, err := f.Search(t.Context(), tt.r)
		e := sdk.AsError(err, "")
		if e == nil || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.text) || e.Hint == "" {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.candidates, e.Candidates); diff != "" {
			t.Errorf("%s: candidates (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestSearchSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	const scan = "Connection crm was never scanned, so none of its tables can be found: run loam scan crm."
	tests := []struct {
		name  string
		r     SearchRequest
		refs  int
		notes []string // each begins with it
	}{
		{"a connection", SearchRequest{Query: "voucher"}, 1, []string{scan}},
		{"not where it does not matter", SearchRequest{Query: "freight", Kinds: []string{"wiki"}}, 1, nil},
		{"nor of another", SearchRequest{Query: "voucher", Connection: "shop"}, 1, nil},
		{"words", SearchRequest{Query: "voucher xqzzy", Connection: "shop"}, 1, []string{`No name or text has "xqzzy".`}},
		{"everything", SearchRequest{Query: "xqzzy", Connection: "shop"}, 0, []string{`No name or text has "xqzzy".`, "Nothing was found"}},
		{"of a kind that there is none of", SearchRequest{Query: "voucher", Kinds: []string{"sl_measure"}, Connection: "shop"}, 0, []string{"Nothing was found"}},
		{"a question", SearchRequest{Query: " \t", Connection: "shop"}, 0, []string{"The query has no words"}},
		{"a question of NULs", SearchRequest{Query: "\x00\x00", Connection: "shop"}, 0, []string{"Nothing was found"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := f.find(t, tt.r)
			fits := slices.EqualFunc(a.Notes, tt.notes, strings.HasPrefix)
			if !fits || len(a.Refs) != tt.refs || a.Refs == nil {
				t.Errorf("%d references, notes %q; want %d, %q", len(a.Refs), a.Notes, tt.refs, tt.notes)
			}
		})
	}
}

func TestSearchOfANewProject(t *testing.T) {
	t.Parallel()
	a := newFixture(t).find(t, SearchRequest{Query: "customers"})
	if len(a.Refs) != 0 || len(a.Notes) != 4 || !strings.Contains(a.Notes[0], "run loam scan shop") {
		t.Errorf("answer: %+v", a)
	}
}

// A table that the catalog cannot give any more is found by its name, and said
// to be broken.
func TestSearchWithADamagedTable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", snapshot{id: "s1", tables: []*sdk.Table{table("s.first", "zebras", "id bigint"), table("s.second", "zebras", "id bigint")}})
	if got := f.find(t, SearchRequest{Query: "zebra", Connection: "shop"}); len(got.Refs) != 2 || got.Notes != nil {
		t.Fatalf("before: %+v", got)
	}
	if err := f.index.Close(); err != nil {
		t.Fatal(err)
	}
	packs, err := filepath.Glob(filepath.Join(f.dir, "catalog", "shop", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	content, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd} // of a block
	at := bytes.Index(content, magic)
	if at < 0 {
		t.Fatal("no block was found to damage")
	}
	content[at+len(magic)+2] ^= 0xff
	if err := os.WriteFile(packs[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	got := open(t, f.dir).find(t, SearchRequest{Query: "zebra", Connection: "shop"})
	if diff := cmp.Diff([]string{"s.first", "s.second"}, ids(got)); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if got.Refs[0].Summary != nil || *got.Refs[1].Summary != "zebras" {
		t.Errorf("references: %s", compact(t, got.Refs))
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "s.first cannot be read: run loam scan --full shop") {
		t.Errorf("notes: %q", got.Notes)
	}
}

// A connection that is asked for by name is refused when its catalog is damaged;
// without its name the others answer, and a note says what is missing.
func TestSearchWithADamagedCatalog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, id := range []string{"shop", "crm"} {
		f.scan(t, id, snapshot{id: "s1", tables: []*sdk.Table{table("s.zebra", "", "id bigint")}})
	}
	if err := os.WriteFile(filepath.Join(f.dir, "catalog", "shop", "head.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f = open(t, f.dir)
	if got := f.find(t, SearchRequest{Query: "s.zebra"}); len(got.Refs) == 0 || got.Refs[0].ConnectionID != "crm" || len(got.Notes) != 1 {
		t.Errorf("both: %s", compact(t, got))
	}
	_, searching := f.Search(t.Context(), SearchRequest{Query: "zebra", Connection: "shop"})
	_, looking := f.Values(t.Context(), ValuesRequest{Values: []string{"x"}, Connection: "shop"})
	for _, err := range []error{searching, looking} {
		if e := sdk.AsError(err, ""); e == nil || e.Kind != sdk.KindUnavailable || !strings.Contains(e.Hint, "loam scan --full") {
			t.Errorf("shop: %v", err)
		}
	}
}

// A rescan and an edited page are there on the next call, in every host.
func TestSearchIsFresh(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	other := open(t, f.dir)
	both := func(query string, want ...string) {
		t.Helper()
		for i, one := range []*fixture{f, other} {
			if diff := cmp.Diff(want, ids(one.find(t, SearchRequest{Query: query}))); diff != "" {
				t.Errorf("host %d, %s (-want +got):\n%s", i, query, diff)
			}
		}
	}
	both("voucher", "public.orders.state")
	both("freight", "finance/revenue")
	both("dirigible")
	s := store()
	s.id, s.tables = "s2", append(s.tables, table("public.dirigibles", "", "id bigint"))
	delete(s.profiles, "public.orders")
	f.scan(t, "shop", s)
	f.write(t, "wiki/global/finance/revenue.md", revenue+"Submarines are left out of it.")
	both("voucher")
	both("dirigible", "public.dirigibles", "public.dirigibles.id")
	both("freight")
	both("submarine", "finance/revenue")
	if err := os.Remove(filepath.Join(f.dir, "wiki/global/finance/revenue.md")); err != nil {
		t.Fatal(err)
	}
	both("submarine")
}

// Nothing that calls share is changed by them, while scans and edits go on.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			var err error
			switch ctx := t.Context(); i % 5 {
			case 0:
				_, err = f.Search(ctx, SearchRequest{Query: "customer voucher churn", Connection: connection.ID([]string{"", "shop"}[i%2])})
			case 1:
				_, err = f.Entities(ctx, EntitiesRequest{Connection: "shop", Entities: []EntityQuery{{Display: "public.orders"}, {Display: "ordrs"}}})
			case 2:
				_, err = f.Values(ctx, ValuesRequest{Values: []string{"paid", "nothing"}})
			case 3:
				_, err = f.SearchWiki(ctx, "churn", 0)
			case 4:
				_, err = f.ReadWiki(ctx, "churn")
			}
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	for i := range 3 {
		s := store()
		s.id = fmt.Sprint("again", i)
		s.tables = append(s.tables, table(fmt.Sprint("public.extra", i), "", "id bigint"))
		f.scan(t, "shop", s)
		f.write(t, "wiki/global/churn.md", churnPage+strings.Repeat("More. ", i))
	}
	wg.Wait()
}

// Copies of a table are one reference, and so are their columns: the newest stands for all.
func TestSearchFoldsCopies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", shop(t))
	for query, want := range map[string][]string{
		"events kind": {"table raw.events_202404 3", "column raw.events_202404.kind 3"},
		"unrelated":   {"table raw.unrelated 0"},
		"orders":      {"table shop.orders 0"},
	} {
		var got []string
		for _, r := range f.find(t, SearchRequest{Query: query, Kinds: []string{"table", "column"}, Limit: 50}).Refs {
			if strings.Contains(r.ID, "events_20") || !strings.HasPrefix(query, "events") && r.Kind == "table" && strings.HasSuffix(r.ID, query) {
				got = append(got, fmt.Sprintf("%s %s %d", r.Kind, r.ID, r.Copies))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// Copies that are folded leave room on the page for what else there is, however many they are.
func TestFoldedCopiesLeaveRoom(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := snapshot{id: "s1"}
	for i := range 300 {
		s.tables = append(s.tables, table(fmt.Sprintf("raw.orders_%03d", i), "Orders of a day.", "id bigint", "order_day date"))
	}
	for i := range 12 {
		s.tables = append(s.tables, table(fmt.Sprintf("shop.%c_list", 'a'+i), "Orders, and a day for each.", "order_no bigint"))
	}
	f.scan(t, "shop", s)
	refs := f.find(t, SearchRequest{Query: "orders day", Kinds: []string{"table"}, Limit: 8}).Refs
	if len(refs) != 8 || refs[0].ID != "raw.orders_299" || refs[0].Copies != 299 {
		t.Errorf("%d references, the first %+v", len(refs), refs[0])
	}
}

// A search that copies make repeat waits for its turn until its context ends; one that they do not waits for nothing.
func TestRepeatedSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := snapshot{id: "s1"}
	for i := range 30 {
		s.tables = append(s.tables, table(fmt.Sprintf("raw.orders_%03d", i), "", "id bigint"))
	}
	f.scan(t, "shop", s)
	for range cap(f.repeats) {
		f.repeats <- struct{}{}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	request := SearchRequest{Query: "orders", Kinds: []string{"table"}, Limit: 8}
	if _, err := f.Search(ended, request); !errors.Is(err, context.Canceled) {
		t.Errorf("without a turn: %v", err)
	}
	if a, err := f.Search(t.Context(), SearchRequest{Query: "orders", Kinds: []string{"table"}, Limit: 1}); err != nil || len(a.Refs) != 1 {
		t.Errorf("a search that is not repeated: %+v, %v", a, err)
	}
	<-f.repeats
	for range 2 { // the first one gives its turn back
		if a, err := f.Search(t.Context(), request); err != nil || len(a.Refs) == 0 {
			t.Errorf("with a turn: %+v, %v", a, err)
		}
	}
}

// TestFamiliesAreReadOnce counts the allocations of a search's look at copies: all tables of a
// family are read for the first search of a snapshot, and none for the next one.
func TestFamiliesAreReadOnce(t *testing.T) {
	for _, n := range []int{30, 300} {
		f := newFixture(t)
		s := snapshot{id: "s1"}
		for i := range n {
			s.tables = append(s.tables, table(fmt.Sprintf("raw.orders_%03d", i), "", "id bigint", "day date"))
		}
		f.scan(t, "shop", s)
		state, err := f.index.Current(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer state.Release()
		hit := search.Ranked{Kind: search.Table, Root: "raw.orders_007", Name: "raw.orders_007", Connection: "shop"}
		want := fmt.Sprintf("raw.orders_%03d", n-1)
		allocations := testing.AllocsPerRun(10, func() {
			b := refBuilder{service: f.Service, state: state}
			if got, err := b.newest(hit); err != nil || got != (family{want, n - 1}) {
				t.Fatalf("%+v (%v), want %q of %d", got, err, want, n-1)
			}
		})
		if allocations > 5 {
			t.Errorf("%d copies: %.0f allocations of a second look, want at most 5", n, allocations)
		}
	}
}

// A name that is short for one family of copies is answered with the newest of them, and
// with how many are like it; of two families, or where a table has the name, it is not.
func TestShortNameOfAFamily(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := shop(t)
	s.tables = append(s.tables, table("raw.visits_1", "", "a bigint"), table("raw.visits_2", "", "b bigint"), table("raw.visits_3", "", "c bigint"))
	for i := range 3 {
		s.tables = append(s.tables, table(fmt.Sprint("shop.orders_2024_", i), "", "id bigint"),
			table(fmt.Sprint("raw.calls_", i), "", "id bigint"), table(fmt.Sprint("shop.calls_", i), "", "id bigint"))
	}
	f.scan(t, "shop", s)
	const family = `note: "%s" is short for 4 tables of the same columns: raw.events_202404 is the newest.`
	for asked, want := range map[string]string{
		"events":        fmt.Sprintf(family, "events"),
		"raw.EVENTS":    fmt.Sprintf(family, "raw.EVENTS"),
		"events_2024":   fmt.Sprintf(family, "events_2024"),
		"shop.calls":    `note: "shop.calls" is short for 3 tables of the same columns: shop.calls_2 is the newest.`,
		"calls":         "did you mean: raw.calls_2, shop.calls_2",
		"orders":        "",
		"shop.events":   "did you mean: raw.events_202404",
		"visits":        "did you mean: raw.visits_3",
		"events_202403": "",
	} {
		got := f.ask(t, EntitiesRequest{Entities: []EntityQuery{{Display: asked, Columns: []string{"id"}}}})
		lines := strings.Split(got, "\n")
		last := lines[len(lines)-1]
		if !strings.HasPrefix(last, "note: ") && !strings.HasPrefix(last, "did you mean: ") {
			last = ""
		}
		if want != last {
			t.Errorf("%s: %s\nwant the last line %q", asked, got, want)
		}
	}
}
