package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func (f *fixture) pages(t testing.TB, query string, limit int) *WikiAnswer {
	t.Helper()
	a, err := f.SearchWiki(t.Context(), query, limit)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestSearchWiki(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	got := compact(t, f.pages(t, "lost customers", 0))
	want := `{"results":[{"key":"churn","title":"Churn","summary":"When a customer counts as lost.",` +
		`"snippet":"# Churn\n\nA customer who did not order for a year. See [[revenue]].","score":1,"matchedOn":"description","tags":["metric"],"connectionIds":["crm"],"updatedAt":"2026-01-02T00:00:00Z"}],"total":1}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if got := compact(t, f.pages(t, "xqzzy", 0)); !strings.HasPrefix(got, `{"results":[],"total":0,"notes":["No name or text has \"xqzzy\".","Nothing was found`) {
		t.Errorf("nothing found: %s", got)
	}
	for i := range 30 {
		f.write(t, fmt.Sprintf("wiki/global/p%02d.md", i), "# Page\nThe same everywhere.")
	}
	f.write(t, "wiki/global/broken.md", "---\ntags: {\n---\n")
	for limit, want := range map[int]int{0: 10, 1: 1, 50: 30} {
		a := f.pages(t, "same", limit)
		if len(a.Results) != want || a.Total != 30 || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "loam doctor") {
			t.Errorf("limit %d: %d of %d, notes %q", limit, len(a.Results), a.Total, a.Notes)
		}
	}
	for kind, said := range map[string]bool{"wiki": true, "table": false} {
		a := f.find(t, SearchRequest{Query: "same", Kinds: []string{kind}, Connection: "shop"})
		if slices.Contains(a.Notes, "The wiki's global/broken.md cannot be read as a page: run loam doctor.") != said {
			t.Errorf("search of kind %s: notes %q", kind, a.Notes)
		}
	}
	if _, err := f.SearchWiki(t.Context(), strings.Repeat("x", 1<<20), 0); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a megabyte: %v", err)
	}
}

func TestReadWiki(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/churn.md", churnPage)
	read := func(key string) string {
		t.Helper()
		p, err := f.ReadWiki(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return compact(t, p)
	}
	want := `{"key":"churn","title":"Churn","summary":"When a customer counts as lost.","tags":["metric"],` +
		`"body":"# Churn\n\nA customer who did not order for a year. See [[revenue]].\n","scope":"global",` +
		`"provenance":{"origin":"unknown","updatedAt":"2026-01-02T00:00:00Z","reviewed":false},"version":"1b9cc143df1eb04791678bf8b574e0e3dde342506fbdd2183867e6b8bc90fda7","links":["revenue"],"trust":"person"}`
	if diff := cmp.Diff(want, read("churn")); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	f.write(t, "wiki/user/ada/churn.md", "---\norigin: ada\nsource: a meeting\nreviewed: true\nupdated: 2026-02-03\nrefs: [public.orders]\nsl_refs: [orders.count]\n---\nMine.\n")
	want = `{"key":"churn","title":"churn","refs":["public.orders"],"slRefs":["orders.count"],"body":"Mine.\n","scope":"user",` +
		`"provenance":{"origin":"ada","source":"a meeting","updatedAt":"2026-02-03T00:00:00Z","reviewed":true},"version":"eddd12bf08ed777342b36bfbcbd152d5f92450c3038dbefe57021f1c696f8757","trust":"reviewed"}`
	if diff := cmp.Diff(want, read("churn")); diff != "" {
		t.Errorf("the user's own page (-want +got):\n%s", diff)
	}
	_, err := f.ReadWiki(t.Context(), "chrun")
	e := sdk.AsError(err, "")
	if e == nil || e.Kind != sdk.KindNotFound || e.Hint == "" {
		t.Fatalf("err = %v", err)
	}
	if diff := cmp.Diff([]string{"churn"}, e.Candidates); diff != "" {
		t.Errorf("nearest keys (-want +got):\n%s", diff)
	}
	f.write(t, "wiki/global/broken.md", "---\ntags: {\n---\n")
	for _, key := range []string{"broken", "../../secret", "a\x00b", strings.Repeat("x", 1<<20)} {
		_, err := f.ReadWiki(t.Context(), key)
		if e := sdk.AsError(err, ""); e == nil || e.Hint == "" || len(e.Msg) > 1000 {
			t.Errorf("%.20q: %v", key, err)
		}
	}
}
