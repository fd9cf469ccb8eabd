package layer

import (
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// counted commits a snapshot of orders and customers, in whose rows the columns of
// customers have so many different values among 10.
func (f *fixture) counted(t *testing.T, enforced bool, distinct map[string]int64) {
	t.Helper()
	w, err := f.Catalogs.Of("wh").Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	customers := table("customers", "code", "shop")
	customers.Keys[0].Enforced = enforced
	for _, one := range []*sdk.Table{table("orders", "customer → customers", "code", "shop"), customers} {
		if err := w.Table(one); err != nil {
			t.Fatal(err)
		}
	}
	p := &catalog.Profile{At: time.Unix(1, 0)}
	for _, column := range []string{"id", "code", "shop"} {
		if n, ok := distinct[column]; ok {
			p.Stats = append(p.Stats, sdk.ColumnStats{Column: column, Rows: 12, Nulls: 2, Distinct: n})
		}
	}
	if err := w.Profile(customers.TableRef, p); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: time.Now().String()}); err != nil {
		t.Fatal(err)
	}
}

// leads reports whether the join of orders under a name leads to several rows.
func leads(t *testing.T, m *model.Model, name string) bool {
	t.Helper()
	orders, err := m.FindSource("orders")
	if err != nil {
		t.Fatal(err)
	}
	customers, err := m.FindSource("customers")
	if err != nil {
		t.Fatal(err)
	}
	path, err := m.Path(orders.ID, model.Ref{Source: customers.ID, Via: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	return path.Steps[0].Repeats
}

// What the last scan saw of a join's key is in the model: what repeats, and nothing of
// keys that the engine enforces, of several columns, of what nobody counted.
func TestRepeats(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "orders.yaml", `
name: orders
joins:
  - {role: by_code, to: customers, on: orders.code = by_code.code, relationship: many_to_one}
  - {role: by_shop, to: customers, on: orders.shop = by_shop.shop, relationship: many_to_one}
  - {role: by_both, to: customers, on: orders.shop = by_both.shop AND orders.code = by_both.code, relationship: many_to_one}
`)
	for _, step := range []struct {
		name     string
		enforced bool
		distinct map[string]int64
		want     map[string]bool
	}{
		{"nobody counted", false, nil, nil},
		{"a code repeats", false, map[string]int64{"id": 10, "code": 9, "shop": 10}, map[string]bool{"by_code": true}},
		{"another one does", false, map[string]int64{"id": 10, "code": 10, "shop": 3}, map[string]bool{"by_shop": true}},
		{"a key does, which nobody enforces", false, map[string]int64{"id": 9}, map[string]bool{"customers": true}},
		{"a key that the engine enforces", true, map[string]int64{"id": 9}, nil},
		{"none does", false, map[string]int64{"id": 10, "code": 10, "shop": 10}, nil},
	} {
		f.counted(t, step.enforced, step.distinct)
		s := f.current(t)
		for _, name := range []string{"customers", "by_code", "by_shop", "by_both"} {
			if name == "customers" && len(step.want) == 0 && step.distinct == nil {
				continue
			}
			if got := leads(t, s.Model, name); got != step.want[name] {
				t.Errorf("%s: %s leads to several rows: %v", step.name, name, got)
			}
		}
		if f.current(t) != s {
			t.Errorf("%s: another state though nothing changed", step.name)
		}
		before := s.Model.Hash()
		f.put(t, "more.yaml", whole("more", "m"))
		if got := f.current(t).Model; leads(t, got, "by_code") != step.want["by_code"] {
			t.Errorf("%s: an edit changed what repeats", step.name)
		}
		f.remove(t, "more.yaml")
		if got := f.current(t).Model.Hash(); got != before {
			t.Errorf("%s: another hash for the same", step.name)
		}
	}
}
