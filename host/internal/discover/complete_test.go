package discover

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

func TestTableNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	odd := table("main.odd", "", "id int")
	odd.Name = "a.b"
	f.scan(t, "shop", snapshot{id: "s1", tables: []*sdk.Table{
		table("main.Orders", "", "id int"), table("main.order_items", "", "id int"), table("staging.orders", "", "id int"), odd,
	}})
	f.scan(t, "crm", snapshot{id: "s1", tables: []*sdk.Table{table("people.people", "", "id int")}})
	for _, tt := range []struct {
		id     connection.ID
		prefix string
		want   []string
	}{
		{"shop", "ord", []string{"main.Orders", "main.order_items", "staging.orders"}},
		{"shop", "MAIN.ord", []string{"main.Orders", "main.order_items"}},
		{"shop", "main", []string{"main.Orders", `main."a.b"`, "main.order_items"}},
		{"shop", "main.", []string{"main.Orders", `main."a.b"`, "main.order_items"}},
		{"shop", `main."a`, []string{`main."a.b"`}},
		{"shop", "main.orders.", nil},
		{"shop", "rders", nil},
		{"crm", "", []string{"people.people"}},
		{"", "p", []string{"people.people"}},
	} {
		n, err := f.TableNames(t.Context(), tt.id, tt.prefix)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, n.Names); diff != "" || n.Total != len(tt.want) {
			t.Errorf("%s %q: %d names (-want +got):\n%s", tt.id, tt.prefix, n.Total, diff)
		}
	}
	if _, err := f.TableNames(t.Context(), "shopp", ""); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("an unknown connection: %v", err)
	}
	if n, err := newFixture(t).TableNames(t.Context(), "shop", ""); err != nil || n.Total != 0 {
		t.Errorf("never scanned: %v, %v", n, err)
	}
}

// A completion allocates only what it lists, however many tables there are.
func TestTableNamesCost(t *testing.T) {
	allocations := func(tables int) float64 {
		f := newFixture(t)
		s := snapshot{id: "s1"}
		for i := range tables {
			s.tables = append(s.tables, table(fmt.Sprintf("main.t%06d", i), "", "id int"))
		}
		f.scan(t, "shop", s)
		n, err := f.TableNames(t.Context(), "shop", "main.t0")
		if err != nil || n.Total != tables || len(n.Names) != MaxNames || n.Names[0] != "main.t000000" {
			t.Fatalf("%d of %d names: %v", len(n.Names), n.Total, err)
		}
		return testing.AllocsPerRun(5, func() { _, _ = f.TableNames(t.Context(), "shop", "main.t0") })
	}
	if few, many := allocations(1_000), allocations(10_000); many > few+20 {
		t.Errorf("%v allocations for 1,000 tables, %v for 10,000", few, many)
	}
}

func TestPageKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/churn.md", "# Churn\n")
	f.write(t, "wiki/global/sales/churn rate.md", "# Rate\n")
	f.write(t, "wiki/global/crm only.md", "---\nconnections: [crm]\n---\nSecret.\n")
	n, err := f.PageKeys(t.Context(), "C")
	if diff := cmp.Diff(&Names{Names: []string{"churn", "crm only"}, Total: 2}, n); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	shop := caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Connections: []string{"shop"}}})
	if n, err = f.PageKeys(shop, "c"); err != nil || len(n.Names) != 1 {
		t.Errorf("a caller of shop is listed %v, %v", n, err)
	}
	ids, err := f.ConnectionIDs(t.Context(), "s")
	if diff := cmp.Diff(&Names{Names: []string{"shop"}, Total: 1}, ids); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
