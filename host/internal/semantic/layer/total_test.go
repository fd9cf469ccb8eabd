package layer

import (
	"testing"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// A join is total by what the scan found: a foreign key that the engine enforces, over a column
// that is never NULL. That a key was inferred or decided on does not make it so.
func TestTotal(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	accepted := relationship.Relationship{Link: link("orders", "shop_id", "shops"), Origin: relationship.Inferred, Status: relationship.Accepted, Score: 1}
	for _, step := range []struct {
		name              string
		nullable, enforce bool
		want              bool
	}{
		{"enforced", false, true, true},
		{"NULL is possible", true, true, false},
		{"not enforced", false, false, false},
		{"enforced again", false, true, true},
	} {
		orders := table("orders", "customer_id → customers", "shop_id")
		orders.Columns[1].Nullable, orders.Keys[1].Enforced = step.nullable, step.enforce
		f.scan(t, []relationship.Relationship{accepted}, orders, table("customers"), table("shops"))
		m := f.current(t).Model
		for to, want := range map[string]bool{"customers": step.want, "shops": false} {
			if got := leadsAlways(t, m, "orders", to); got != want {
				t.Errorf("%s: the join to %s is total: %t", step.name, to, got)
			}
		}
	}
	if err := relationship.PutDecisions(f.Keys.File("wh"), []relationship.Decision{
		{Link: link("orders", "customer_id", "customers"), Status: relationship.Accepted}, {Link: link("orders", "shop_id", "shops"), Status: relationship.Accepted},
	}); err != nil {
		t.Fatal(err)
	}
	m := f.current(t).Model
	if !leadsAlways(t, m, "orders", "customers") || leadsAlways(t, m, "orders", "shops") {
		t.Error("a decision changed what the engine enforces")
	}
}

// A key that is enforced to one table says nothing of the same columns to another.
func TestTotalByTarget(t *testing.T) {
	t.Parallel()
	s := &scanned{table: &model.Table{}, declared: []sdk.Key{
		{Columns: []string{"a"}, Ref: sdk.TableRef{Name: "x"}, RefColumns: []string{"id"}, Enforced: true},
		{Columns: []string{"a"}, Ref: sdk.TableRef{Name: "y"}, RefColumns: []string{"id"}},
		{Columns: []string{"b"}, Ref: sdk.TableRef{Schema: "s", Name: "x"}, RefColumns: []string{"id"}, Enforced: true},
	}}
	for to, want := range map[sdk.TableRef]bool{{Schema: "main", Name: "x"}: true, {Schema: "main", Name: "y"}: false, {Schema: "s", Name: "x"}: false} {
		l := relationship.Link{From: sdk.TableRef{Schema: "main", Name: "t"}, Columns: []string{"a"}, To: to, ToColumns: []string{"id"}}
		if got := s.enforces(l); got != want {
			t.Errorf("%s: %t", l, got)
		}
	}
}

func leadsAlways(t *testing.T, m *model.Model, from, to string) bool {
	t.Helper()
	home, err := m.FindSource(from)
	if err != nil {
		t.Fatal(err)
	}
	target, err := m.FindSource(to)
	if err != nil {
		t.Fatal(err)
	}
	path, err := m.Path(home.ID, model.Ref{Source: target.ID})
	if err != nil {
		t.Fatal(err)
	}
	return path.Steps[0].Total
}
