package discover

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// What is said of a statement is certain, or nothing is said.
func TestStatement(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := shop(t)
	s.profiles["raw.unrelated"] = []sdk.ColumnStats{labelled("x", "a", 1, "b", 2)}
	f.scan(t, "shop", s)
	const note = "As of the last scan shop.orders.status has no value PAID; it has, among others: paid."
	for sql, want := range map[string]Statement{
		"SELECT count(*) FROM orders WHERE status = 'PAID'":                 {Values: []string{note}},
		"SELECT 1 FROM shop.orders o WHERE o.status = 'PAID' AND id = 1":    {Values: []string{note}},
		"SELECT 1 FROM orders WHERE status = 'paid'":                        {},
		"SELECT 1 FROM orders WHERE status <> 'PAID'":                       {},
		"SELECT 1 FROM orders WHERE status = 'refunded'":                    {Values: []string{"As of the last scan shop.orders.status has no value refunded; it has, among others: paid, open."}},
		"SELECT 1 FROM orders WHERE mail = 'a@x.de'":                        {}, // withheld
		"SELECT 1 FROM orders WHERE day = '2030-01-01'":                     {}, // not all values were counted
		"SELECT 1 FROM customers WHERE name = 'Ann'":                        {}, // no profile
		"SELECT 1 FROM unrelated WHERE x = 'c'":                             {Values: []string{"As of the last scan raw.unrelated.x has no value c; it has, among others: a, b."}},
		"SELECT 1 FROM unrelated u, other o WHERE o.x = 'c'":                {},
		"SELECT 1 FROM unrelated JOIN (SELECT 'c' AS x) o WHERE o.x = 'c'":  {},
		"SELECT upper(status) AS status FROM orders HAVING status = 'PAID'": {},
		"WITH o AS (SELECT * FROM orders) SELECT 1 FROM o WHERE x = 'c'":    {},
		"select * from order":                                               {Tables: []string{"shop.orders"}},
		`select * from "refund" r join regins on 1 = 1`:                     {Tables: []string{"shop.refunds", "shop.regions"}},
		"select * from zzzzzzz where status = 'PAID'":                       {},
		"select * from generate_series(1, 2)":                               {},
		"select 'unclosed":                                                  {},
		"":                                                                  {},
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
		"SELECT 1 FROM orders o JOIN shop.customers c ON 1 = 1 JOIN orders p ON 1 = 1": {"shop.customers", "shop.orders"},
		"SELECT 1 FROM nowhere, (SELECT 1 FROM orders) o":                              {"shop.orders", "nowhere"},
		"WITH o AS (SELECT 1 FROM customers) SELECT 1 FROM o":                          {"shop.customers"},
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
