package discover

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// Tables are offered for names that are not known, and for no others.
func TestStatement(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", shop(t))
	for sql, want := range map[string]Statement{
		"SELECT 1 FROM orders WHERE status = 'paid'":                     {},
		"WITH o AS (SELECT * FROM orders) SELECT 1 FROM o WHERE x = 'c'": {},
		"select * from order":                           {Tables: []string{"shop.orders"}},
		`select * from "refund" r join regins on 1 = 1`: {Tables: []string{"shop.refunds", "shop.regions"}},
		"select * from zzzzzzz where status = 'PAID'":   {},
		"select * from generate_series(1, 2)":           {},
		"select 'unclosed":                              {},
		"":                                              {},
	} {
		if diff := cmp.Diff(want, f.Statement(t.Context(), "shop", sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
	if got := f.Statement(t.Context(), "crm", "select * from order"); got.Tables != nil {
		t.Errorf("never scanned: %+v", got)
	}
}

// Names of tables that the snapshot has are written out, others stay as they are, and what introduces a name is none.
func TestTablesOfStatements(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.scan(t, "shop", snapshot{id: "s1", tables: []*sdk.Table{table("shop.orders", "", "id bigint"), table("shop.customers", "", "id bigint")}})
	for sql, want := range map[string][]string{
		"SELECT 1 FROM orders o JOIN shop.customers c ON 1 = 1 JOIN orders p ON 1 = 1":                                        {"shop.customers", "shop.orders"},
		"SELECT 1 FROM nowhere, (SELECT 1 FROM orders) o":                                                                     {"shop.orders", "nowhere"},
		"WITH o AS (SELECT 1 FROM customers) SELECT 1 FROM o":                                                                 {"shop.customers"},
		"SELECT created FROM orders o, customers":                                                                             {"shop.customers", "shop.orders"},
		"SELECT extract(year FROM id) FROM orders WHERE id IS DISTINCT FROM total":                                            {"shop.orders"},
		"SELECT (SELECT max(id) FROM customers) FROM nowhere":                                                                 {"shop.customers", "nowhere"},
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 FROM n, orders":                             {"shop.orders"},
		"WITH n(i) AS MATERIALIZED (SELECT 1) SELECT extract(year FROM a), b IS DISTINCT FROM c FROM n, orders QUALIFY 1 = 1": {"shop.orders"},
		"SELECT 1":           nil,
		"SELECT 'unclosed":   nil,
		"SELECT 1 FROM f(1)": nil,
	} {
		if diff := cmp.Diff(want, f.Tables(t.Context(), "shop", sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
	if diff := cmp.Diff([]string{"orders"}, f.Tables(t.Context(), "crm", "SELECT 1 FROM orders")); diff != "" {
		t.Errorf("never scanned (-want +got):\n%s", diff)
	}
	if got := f.Tables(t.Context(), "nowhere", "SELECT 1 FROM orders"); got != nil {
		t.Errorf("no connection: %v", got)
	}
}
