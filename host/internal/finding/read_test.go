package finding_test

import (
	"fmt"
	"testing"
)

// A statement reads the tables of its queries, also through WITH; what is not understood may read every column.
func TestReads(t *testing.T) {
	p := open(t)
	statements := []string{
		"SELECT o.status, count(*) FROM orders o GROUP BY o.status",
		"WITH paid AS (SELECT id, customer_id FROM orders WHERE status = 'paid') SELECT c.segment, count(*) FROM paid JOIN customers c ON c.id = paid.customer_id GROUP BY 1",
		"SELECT * FROM orders",
		"SELECT count(*) FROM nowhere",
		"no statement",
	}
	want := []string{
		"[main.orders [status] false]",
		"[main.orders [id customer_id status] false] [main.customers [segment id] false]",
		"[main.orders [] true]", "", "",
	}
	for i, reads := range p.Reads(t.Context(), "shop", statements) {
		got := ""
		for _, r := range reads {
			got += fmt.Sprintf(" [%s.%s %v %v]", r.Table.Schema, r.Table.Name, r.Columns, r.Any)
		}
		if got != "" {
			got = got[1:]
		}
		if got != want[i] {
			t.Errorf("%s reads %s, want %s", statements[i], got, want[i])
		}
	}
	if got := p.Reads(t.Context(), "none", statements[:1]); len(got) != 1 || got[0] != nil {
		t.Errorf("an unknown connection: %v", got)
	}
}
