package discover

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/sdk"
)

// twins is a fixture with two tables that are as good, one of them with a semantic layer.
func twins(t *testing.T) *fixture {
	t.Helper()
	h := newFixture(t)
	h.scan(t, "shop", snapshot{id: "s1", tables: []*sdk.Table{
		table("public.orders", "", "id bigint"), table("staging.orders", "", "id bigint"), table("public.customers", "", "id bigint"),
	}})
	h.write(t, "semantic-layer/shop/orders.yaml", "name: orders\ntable: public.orders\nmeasures: [{name: turnover, agg: sum, expr: id}, {name: paid, agg: sum, expr: id}]\n")
	return h
}

// using sets what calls have used, and a clock that starts at noon.
func (h *fixture) using(uses ...history.Use) (now *time.Time, read *int) {
	noon, times := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 0
	h.Now = func() time.Time { return noon }
	h.Uses = func(context.Context) ([]history.Use, error) { times++; return uses, nil }
	return &noon, &times
}

func (h *fixture) found(t *testing.T, query string, kinds ...string) (ids []string) {
	t.Helper()
	a, err := h.Search(t.Context(), SearchRequest{Query: query, Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.Refs {
		ids = append(ids, r.ID)
	}
	return ids
}

// What answered calls comes before what is as good, and before nothing that is better.
func TestUsedFirst(t *testing.T) {
	t.Parallel()
	h := twins(t)
	plain := h.found(t, "orders", "table")
	if len(plain) < 2 || plain[0] != "public.orders" || plain[1] != "staging.orders" {
		t.Fatalf("without a history: %v", plain)
	}
	for _, tt := range []struct {
		name, first string
		use         history.Use
	}{
		{"a statement", "staging.orders", history.Use{Connection: "shop", SQL: `select * from staging."orders" o join customers on ? = o.id`}},
		{"a request", "staging.orders", history.Use{Connection: "shop", Members: []string{"staging.orders.count"}}},
		{"an ambiguous name", "public.orders", history.Use{Connection: "shop", SQL: "select * from orders"}},
		{"another table", "public.orders", history.Use{Connection: "shop", SQL: "select * from public.customers"}},
		{"another connection", "public.orders", history.Use{Connection: "crm", SQL: "select * from staging.orders"}},
		{"one that is gone", "public.orders", history.Use{Connection: "gone", SQL: "select * from staging.orders"}},
		{"no statement", "public.orders", history.Use{Connection: "shop", SQL: "select '"}},
	} {
		h := &fixture{Service: New(h.Config)}
		h.using(tt.use)
		if got := h.found(t, "orders", "table"); got[0] != tt.first {
			t.Errorf("%s: %v, want %s first", tt.name, got, tt.first)
		}
	}
}

// A request uses the table that the file of its source is about.
func TestUseOfSources(t *testing.T) {
	t.Parallel()
	h := twins(t)
	staging := history.Use{Connection: "shop", SQL: "select * from staging.orders", Day: 9}
	h.using(staging)
	if got := h.found(t, "orders", "table"); got[0] != "staging.orders" {
		t.Errorf("%v", got)
	}
	h = &fixture{Service: New(h.Config)}
	h.using(staging, history.Use{Connection: "shop", Members: []string{"orders.turnover"}, Day: 9}, history.Use{Connection: "shop", Members: []string{"orders.paid"}, Day: 8})
	if got := h.found(t, "orders", "table"); got[0] != "public.orders" {
		t.Errorf("%v", got)
	}
}

// What was used is read once a minute, and a history that cannot be read changes nothing.
func TestUseIsReadSeldom(t *testing.T) {
	t.Parallel()
	h := twins(t)
	now, read := h.using(history.Use{Connection: "shop", SQL: "select * from staging.orders"})
	want := h.found(t, "orders")
	for range 3 {
		*now = now.Add(19 * time.Second)
		if got := h.found(t, "orders"); !slices.Equal(got, want) || *read != 1 {
			t.Errorf("%v, want %v, read %d times", got, want, *read)
		}
	}
	*now = now.Add(time.Minute)
	h.Uses = func(context.Context) ([]history.Use, error) { return nil, errors.New("the disk is gone") }
	if got := h.found(t, "orders", "table"); got[0] != "public.orders" {
		t.Errorf("without a history: %v", got)
	}
}

// Days count back from the latest use: what was used lately counts more, a thousand calls of
// a day as one, and the time of the search not at all.
func TestUseDecays(t *testing.T) {
	t.Parallel()
	h := twins(t)
	old := []history.Use{
		{Connection: "shop", SQL: "select * from public.orders", Day: 100},
		{Connection: "shop", SQL: "select id from public.orders", Day: 100},
		{Connection: "shop", SQL: "select 1 from public.orders", Day: 100},
		{Connection: "shop", SQL: "select * from staging.orders", Day: 110},
	}
	for _, uses := range [][]history.Use{old, {old[3], old[2], old[1], old[0]}} {
		now, _ := h.using(uses...)
		for range 2 {
			if got := h.found(t, "orders", "table"); got[0] != "staging.orders" {
				t.Errorf("%v", got)
			}
			*now = now.Add(1000 * time.Hour)
		}
		h = &fixture{Service: New(h.Config)}
	}
	h.using(append(old, history.Use{Connection: "shop", SQL: "select * from public.orders", Day: 109})...)
	if got := h.found(t, "orders", "table"); got[0] != "public.orders" {
		t.Errorf("used on two days: %v", got)
	}
}

// Whoever searches first, what was used is the same for all; a caller finds nothing of
// connections that are not open.
func TestUseIsOfAllCallers(t *testing.T) {
	t.Parallel()
	h := twins(t)
	h.scan(t, "crm", snapshot{id: "s2", tables: []*sdk.Table{table("public.orders", "", "id bigint")}})
	h.using(history.Use{Connection: "shop", SQL: "select * from staging.orders"}, history.Use{Connection: "crm", SQL: "select * from staging.orders"})
	narrow := caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Connections: []string{"crm"}}})
	a, err := h.Search(narrow, SearchRequest{Query: "orders", Kinds: []string{search.Table.String()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.Refs {
		if r.ConnectionID != "crm" {
			t.Errorf("found %s of %s", r.ID, r.ConnectionID)
		}
	}
	if got := h.found(t, "orders", "table"); got[0] != "staging.orders" {
		t.Errorf("%v", got)
	}
}
