package discover

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

const (
	ordersLayer = `name: orders
table: public.orders
description: One row per customer order.
synonyms: [sales]
ai_context:
  instructions: Leave trial accounts out when somebody asks for growth.
dimensions:
  - {name: id, type: number}
  - {name: state, type: string, description: Where the order stands., values: [waiting, paid in full, returned to sender]}
  - {name: placed_at, type: time, expr: "date(created)"}
  - {name: secret_margin, type: number, visibility: hidden}
  - {name: plumbing, type: number, visibility: internal}
measures:
  - {name: turnover, agg: sum, expr: amount, filter: "state != 'lost'", label: Net takings, description: "What customers paid, without VAT.", synonyms: [income]}
  - {name: paid_share, type: ratio, numerator: paid, denominator: turnover}
  - {name: broken_one, agg: nonsense}
  - {name: Old Count, agg: count}
segments:
  - {name: completed, expr: "state = 'paid'", description: Orders that nobody can cancel any more.}
`
	metricsLayer = "metrics:\n  - {name: income_per_visit, type: derived, expr: orders.turnover / visits.sessions, description: What a visit brings.}\n"
)

// layered is a stocked fixture with a semantic layer over the shop. There are orders
// in two schemas of it.
func layered(t testing.TB) *fixture {
	t.Helper()
	f := stocked(t)
	f.write(t, "semantic-layer/shop/orders.yaml", ordersLayer)
	f.write(t, "semantic-layer/shop/metrics.yaml", metricsLayer)
	f.write(t, "semantic-layer/shop/customers.yaml", "name: customers\ntable: public.customers\nsynonyms: [clientele]\ndimensions: [{name: vip, type: boolean, expr: since < 2000}]\n")
	return f
}

func TestSemanticRefs(t *testing.T) {
	t.Parallel()
	f := layered(t)
	for _, tt := range []struct {
		name string
		r    SearchRequest
		want string // the first reference
	}{
		{
			"a source by its synonym",
			SearchRequest{Query: "sales", Connection: "shop"},
			`{"kind":"sl_source","id":"public.orders","score":1,"summary":"One row per customer order.","snippet":"turnover, paid_share, \"Old Count\", id, state",` +
				`"matchedOn":"display","connectionId":"shop","uri":"loam://source/shop/public.orders"}`,
		},
		{
			"a source whose name no other table has",
			SearchRequest{Query: "clientele"},
			`{"kind":"sl_source","id":"customers","score":1,"snippet":"vip","matchedOn":"display","connectionId":"shop","uri":"loam://source/shop/customers"}`,
		},
		{
			"a dimension of it",
			SearchRequest{Query: "vip", Kinds: []string{"sl_dimension"}},
			`{"kind":"sl_dimension","id":"customers.vip","score":1,"snippet":"since \u003c 2000","matchedOn":"name","connectionId":"shop","source":"customers"}`,
		},
		{
			"a source by what an agent should know",
			SearchRequest{Query: "growth trial accounts"},
			`{"kind":"sl_source","id":"public.orders","score":1,"summary":"One row per customer order.",` +
				`"snippet":"Leave trial accounts out when somebody asks for growth.\nOrders that nobody can cancel any more.","matchedOn":"body","connectionId":"shop","uri":"loam://source/shop/public.orders"}`,
		},
		{
			"a measure by its name",
			SearchRequest{Query: "turnover"},
			`{"kind":"sl_measure","id":"orders.turnover","score":1,"summary":"What customers paid, without VAT.","snippet":"sum(amount) where state != 'lost'",` +
				`"matchedOn":"name","connectionId":"shop","source":"public.orders"}`,
		},
		{
			"a measure by its label",
			SearchRequest{Query: "net takings"},
			`{"kind":"sl_measure","id":"orders.turnover","score":1,"summary":"What customers paid, without VAT.","snippet":"sum(amount) where state != 'lost'",` +
				`"matchedOn":"display","connectionId":"shop","source":"public.orders"}`,
		},
		{
			"a measure whose name needs quotes",
			SearchRequest{Query: "old count"},
			`{"kind":"sl_measure","id":"orders.\"Old Count\"","score":1,"snippet":"count(*)","matchedOn":"name","connectionId":"shop","source":"public.orders"}`,
		},
		{
			"a metric",
			SearchRequest{Query: "income per visit"},
			`{"kind":"sl_measure","id":"income_per_visit","score":1,"summary":"What a visit brings.","snippet":"orders.turnover / visits.sessions","matchedOn":"name","connectionId":"shop"}`,
		},
		{
			"a dimension by its values",
			SearchRequest{Query: "sender returned", Kinds: []string{"sl_dimension"}},
			`{"kind":"sl_dimension","id":"public.orders.state","score":1,"summary":"Where the order stands.","snippet":"returned to sender, waiting, paid in full",` +
				`"matchedOn":"sample_value","connectionId":"shop","source":"public.orders"}`,
		},
		{
			"a computed dimension",
			SearchRequest{Query: "placed at", Kinds: []string{"sl_dimension"}},
			`{"kind":"sl_dimension","id":"public.orders.placed_at","score":1,"snippet":"date(created)","matchedOn":"name","connectionId":"shop","source":"public.orders"}`,
		},
		{
			"an internal one",
			SearchRequest{Query: "plumbing"},
			`{"kind":"sl_dimension","id":"public.orders.plumbing","score":1,"snippet":"number","matchedOn":"name","connectionId":"shop","source":"public.orders"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := f.find(t, tt.r)
			if len(a.Refs) == 0 {
				t.Fatalf("nothing was found: %+v", a)
			}
			if diff := cmp.Diff(tt.want, compact(t, a.Refs[0])); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, question := range []string{"secret margin", "broken one", "nonsense"} {
		for _, r := range f.find(t, SearchRequest{Query: question, Kinds: []string{"sl_source", "sl_measure", "sl_dimension"}}).Refs {
			if strings.Contains(r.ID, "secret") || strings.Contains(r.ID, "broken") {
				t.Errorf("%s is found", r.ID)
			}
		}
	}
}

// Files that cannot be used are said to be there where sources are asked for.
func TestSearchSaysWhichLayersAreBroken(t *testing.T) {
	t.Parallel()
	f := layered(t)
	notes := func(r SearchRequest) (all []string) {
		for _, n := range f.find(t, r).Notes {
			if strings.Contains(n, "semantic layer") {
				all = append(all, n)
			}
		}
		return all
	}
	ask := SearchRequest{Query: "turnover"}
	one := []string{"A file of the semantic layer of connection shop is broken, at least in part: run loam sl validate -c shop."}
	if diff := cmp.Diff(one, notes(ask)); diff != "" {
		t.Errorf("a broken measure (-want +got):\n%s", diff)
	}
	f.write(t, "semantic-layer/shop/visits.yaml", "name: [")
	two := []string{"2 files of the semantic layer of connection shop are broken, at least in part: run loam sl validate -c shop."}
	if diff := cmp.Diff(two, notes(ask)); diff != "" {
		t.Errorf("and a broken file (-want +got):\n%s", diff)
	}
	if got := notes(SearchRequest{Query: "turnover", Kinds: []string{"table", "wiki"}}); got != nil {
		t.Errorf("who asks for tables is told %q", got)
	}
	if got := notes(SearchRequest{Query: "turnover", Connection: "crm"}); got != nil {
		t.Errorf("who asks for another connection is told %q", got)
	}
	if err := os.RemoveAll(filepath.Join(f.dir, "semantic-layer")); err != nil {
		t.Fatal(err)
	}
	if a := f.find(t, SearchRequest{Query: "turnover", Connection: "shop", Kinds: []string{"sl_source", "sl_measure"}}); len(a.Refs) != 0 {
		t.Errorf("without files there is %+v", a.Refs)
	}
}

func TestDeadSLRefs(t *testing.T) {
	t.Parallel()
	f := layered(t)
	f.scan(t, "crm", snapshot{id: "c1"})
	f.write(t, "wiki/global/refs.md", "---\nsl_refs: [orders.turnover, orders, orders.completed, income_per_visit, orders.unitPrice, customers.row_count, customers,\n"+
		"  orders.turnovr, nothing, customers.nothing, orders.broken_one, \"\"]\n---\n# Refs\n")
	f.write(t, "wiki/global/crm.md", "---\nconnections: [crm]\nsl_refs: [orders.turnover]\n---\n# Of another\n")
	dead, err := f.DeadSLRefs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range dead {
		if e.Kind != sdk.KindNotFound || e.Hint == "" {
			t.Errorf("%+v", e)
		}
		got = append(got, e.Msg)
	}
	var want []string
	for _, ref := range []string{"crm.md orders.turnover", "refs.md orders.turnovr", "refs.md nothing", "refs.md customers.nothing", "refs.md orders.broken_one"} {
		page, name, _ := strings.Cut(ref, " ")
		want = append(want, fmt.Sprintf("global/%s has %q in its sl_refs, which no semantic layer offers", page, name))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !slices.Contains(dead[1].Candidates, "orders.turnover") {
		t.Errorf("for %s there are the candidates %q", dead[1].Msg, dead[1].Candidates)
	}
	if err := os.RemoveAll(filepath.Join(f.dir, "catalog", "crm")); err != nil {
		t.Fatal(err)
	}
	f.write(t, "wiki/global/refs.md", "# Without\n")
	if dead, err := open(t, f.dir).DeadSLRefs(t.Context()); err != nil || dead != nil {
		t.Errorf("of a connection that was never scanned: %v, %v", dead, err)
	}
}
