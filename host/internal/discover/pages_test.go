package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/sdk"
)

func (f *fixture) list(t testing.TB, r PagesRequest) *PagesAnswer {
	t.Helper()
	a, err := f.Pages(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func keys(a *PagesAnswer) (all []string) {
	for _, p := range a.Pages {
		all = append(all, strings.Join(append([]string{p.Key, p.Trust}, p.Flags...), " "))
	}
	return all
}

func TestListPages(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	f.write(t, "wiki/global/gone.md", toldPage+"refs: [public.orders.nothing]\nconnections: [shop]\nupdated: 2026-05-01\n---\nOld.\n")
	f.write(t, "wiki/global/old.md", "---\nreviewed: true\nupdated: 2020-01-01\ntags: [Metric]\n---\n# Old\n")
	f.write(t, "wiki/global/broken.md", "---\ntags: {\n---\n")
	f.Disputes = func(context.Context) (*change.Disputes, error) {
		return change.DisputesOf([]change.Change{{ID: "ab12", Proposal: change.Proposal{Kind: change.Page, Conflicts: []change.Conflict{{Says: "x", Path: "wiki/global/churn.md"}}}}}), nil
	}
	for name, tt := range map[string]struct {
		r    PagesRequest
		want []string
	}{
		"all":       {PagesRequest{}, []string{"churn person conflict", "finance/revenue person", "gone agent stale", "old reviewed"}},
		"trust":     {PagesRequest{Trust: "agent"}, []string{"gone agent stale"}},
		"conflicts": {PagesRequest{Flag: "conflict"}, []string{"churn person conflict"}},
		"stale":     {PagesRequest{Flag: "stale"}, []string{"gone agent stale"}},
		"text":      {PagesRequest{Text: " METRIC "}, []string{"churn person conflict", "old reviewed"}},
		"none":      {PagesRequest{Text: "xqzzy"}, nil},
	} {
		a := f.list(t, tt.r)
		if diff := cmp.Diff(tt.want, keys(a)); diff != "" || a.Total != len(tt.want) || a.NextCursor != "" {
			t.Errorf("%s: %d, cursor %q (-want +got):\n%s", name, a.Total, a.NextCursor, diff)
		}
	}
	a := f.list(t, PagesRequest{})
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "global/broken.md") || a.Conflicts != 1 || a.Trusts["person"] != 2 {
		t.Errorf("notes %q, %d conflicts, trusts %v", a.Notes, a.Conflicts, a.Trusts)
	}
	for _, r := range []PagesRequest{{Trust: "x"}, {Flag: "x"}, {Latest: true, Cursor: "x"}} {
		if _, err := f.Pages(t.Context(), r); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%+v: %v", r, err)
		}
	}
	narrow := caller.With(t.Context(), &caller.Caller{Principal: "ada", Named: true, Grant: caller.Grant{Connections: []string{"shop"}}})
	open, err := f.Pages(narrow, PagesRequest{})
	if err != nil || open.Total != 3 || slices.ContainsFunc(open.Pages, func(p PageLine) bool { return p.Key == "churn" }) || open.Notes != nil {
		t.Errorf("of a caller of shop: %+v, %v", open, err)
	}
}

// Paging lists each page once, in either order, also when pages come meanwhile.
func TestListPagesByCursor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 25 {
		f.write(t, fmt.Sprintf("wiki/global/p%02d.md", i), fmt.Sprintf("---\nupdated: 2026-01-%02d\n---\n# Page\n", 1+i/3))
	}
	for _, latest := range []bool{false, true} {
		var got []string
		r := PagesRequest{Latest: latest, Limit: 10}
		for range 4 {
			a := f.list(t, r)
			for _, p := range a.Pages {
				got = append(got, p.Key)
			}
			f.write(t, "wiki/global/a"+fmt.Sprint(len(got), latest)+".md", "---\nupdated: 2026-12-01\n---\n")
			if r.Cursor = a.NextCursor; r.Cursor == "" {
				break
			}
		}
		got = slices.DeleteFunc(got, func(key string) bool { return strings.HasPrefix(key, "a") })
		if slices.Sort(got); len(got) != 25 || len(slices.Compact(got)) != 25 {
			t.Errorf("latest first %t: %q", latest, got)
		}
	}
}

func TestPageRefs(t *testing.T) {
	t.Parallel()
	f := layered(t)
	f.write(t, "wiki/global/crm.md", "---\nconnections: [crm]\n---\n")
	view, got, err := f.PageRefs(t.Context(), "none", []string{"orders", "orders.turnover", "public.orders", "public.orders.id", "nothing.at.all", ""})
	if err != nil {
		t.Fatal(err)
	}
	want := []PageRef{
		{Ref: "orders", Kind: "sl_source", ConnectionID: "shop", ID: "orders"},
		{Ref: "orders.turnover", Kind: "sl_measure", ConnectionID: "shop", ID: "orders.turnover", Source: "orders"},
		{Ref: "public.orders", Kind: "table", ConnectionID: "shop", ID: "public.orders"},
		{Ref: "public.orders.id", Kind: "column", ConnectionID: "shop", ID: "public.orders.id", Table: "public.orders"},
		{Ref: "nothing.at.all"}, {},
	}
	if diff := cmp.Diff(want, got); diff != "" || view.Len() != 3 {
		t.Errorf("%d pages (-want +got):\n%s", view.Len(), diff)
	}
	if _, got, err := f.PageRefs(t.Context(), "crm", []string{"public.orders"}); err != nil || got[0].Kind != "" {
		t.Errorf("of another connection: %+v, %v", got, err)
	}
}

// A list of pages copies the pages that it shows, not all of the wiki.
func TestListingCopiesFewPages(t *testing.T) {
	f := newFixture(t)
	allocated := func(pages int) float64 {
		for i := range pages {
			f.write(t, fmt.Sprintf("wiki/global/p%04d.md", i), "# Page\n\nA text.\n")
		}
		view, err := f.Wiki.View(t.Context())
		if err != nil || view.Len() != pages {
			t.Fatalf("%d pages, %v", view.Len(), err)
		}
		return testing.AllocsPerRun(3, func() {
			a := &PagesAnswer{Trusts: map[string]int{}}
			if found := a.choose(view, &trust{}, PagesRequest{}); len(found) != pages {
				t.Errorf("%d of %d pages", len(found), pages)
			}
		})
	}
	if few, many := allocated(50), allocated(500); many > few+20 {
		t.Errorf("%v allocations for 50 pages, %v for 500", few, many)
	}
}
