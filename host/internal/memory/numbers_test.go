package memory

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/sdk"
)

// The numbers of a measure are compared over the same month, and nothing is written by it.
func TestNumbers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, measure, nil)
	remember(t, s, "paid = {agg: sum, expr: amount, filter: \"status = 'paid'\"}", script)
	overlay := f.read(t, "semantic-layer/shop/_memory/orders.yaml")
	waiting := func(text string) string {
		t.Helper()
		run := remember(t, s, text, codex)
		if len(run.Captured.Pending) != 1 {
			t.Fatalf("%s: %+v", text, run.Captured)
		}
		return string(run.Captured.Pending[0].ID)
	}
	other := waiting("paid = {agg: max, expr: amount, filter: \"status = 'paid'\"}")
	f.settings.Review = "strict"
	fresh := waiting("late = {agg: count, expr: id, filter: \"status = 'pending'\"}")
	old := waiting("first = {agg: sum, expr: amount, filter: \"day < '2026-01-31'\"}")
	secret := waiting("mails = {agg: max, expr: email}")
	wrong := waiting("odd = {agg: sum, expr: nothing_like_it}")
	for _, tt := range []struct{ id, period, now, then string }{
		{other, "2026-02", "70", "50"}, {fresh, "2026-02", "there is no orders.late", "1"}, {old, "", "there is no orders.first", "10"},
		{secret, "", "there is no orders.mails", "withheld"}, {wrong, "", "there is no orders.odd", "nothing_like_it"},
	} {
		n, err := s.Numbers(t.Context(), tt.id)
		if err != nil {
			t.Fatal(err)
		}
		show := func(n Number) string { return string(n.Value) + n.Reason }
		if n.Period != tt.period || !strings.Contains(show(n.Now), tt.now) || !strings.Contains(show(n.Then), tt.then) {
			t.Errorf("%+v: %q, %q, %q", tt, n.Period, show(n.Now), show(n.Then))
		}
	}
	if now := f.read(t, "semantic-layer/shop/_memory/orders.yaml"); now != overlay {
		t.Errorf("the file is %q", now)
	}
	f.away = sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "connection refused")
	if n, err := s.Numbers(t.Context(), other); err != nil || !strings.Contains(n.Now.Reason, "connection refused") {
		t.Errorf("%+v, %v", n, err)
	}
	f.away = nil
	if _, err := s.Reject(t.Context(), Decision{IDs: []string{other}, Actor: person}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Numbers(t.Context(), other); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("it does not wait: %v", err)
	}
	list, err := s.Changes(t.Context(), ChangesRequest{State: "draft"})
	if err != nil || len(list.Changes) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := s.Numbers(t.Context(), string(list.Changes[0].ID)); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("%v", err)
	}
	page, err := s.Engine.Propose(t.Context(), change.Origin{By: codex}, []change.Proposal{{Kind: change.Page, Target: "a", Path: "wiki/global/a.md", Says: "x", Value: "x", Blocks: []change.Block{{Place: "body:", After: "x"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Numbers(t.Context(), string(page[0].Change.ID)); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("of a page: %v", err)
	}
}
