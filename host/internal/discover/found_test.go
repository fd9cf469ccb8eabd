package discover

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

// An agent sees copies once, and each reason for misses once.
func TestFoundValues(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := snapshot{
		id: "s1", tables: []*sdk.Table{table("s.orders", "", "status text")},
		profiles: map[string][]sdk.ColumnStats{"s.orders": {values("status", "paid", "open")}}, withheld: map[string][]catalog.Withheld{},
	}
	for i := range 4 {
		name := fmt.Sprintf("s.events_%02d", i)
		s.tables = append(s.tables, table(name, "", "kind text", "mail text"))
		s.profiles[name] = []sdk.ColumnStats{values("kind", "paid"), values("mail")}
		s.withheld[name] = []catalog.Withheld{{Column: "mail", Reason: "it is called like an e-mail address"}}
	}
	f.scan(t, "shop", s)
	got := f.values(t, "", "paid", "nobody", "none").Found()
	want := `paid
  shop: s.events_03.kind = paid; 1 distinct; and 3 tables like it
  shop: s.orders.status = paid; 2 distinct
nobody
  no match
none
  no match
misses
  crm: paid, nobody, none: no_profile_artifact
  shop: nobody, none: withheld: s.events_00.mail and 3 tables like it: it is called like an e-mail address
searched
  shop: 9 columns as of 2026-01-02T03:04:05Z
  crm: no_profile_artifact
note: Connection crm was never scanned, so none of its tables can be found: run loam scan crm.
note: Withheld columns may hold a value that was not found: their values are not kept, unless scan.keep_values names them.
note: A miss proves nothing: only sampled values are searched. Ask the warehouse with SQL.`
	if diff := cmp.Diff(want, got.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	structured := `{"results":[{"value":"paid","matches":["shop: s.events_03.kind = paid; 1 distinct; and 3 tables like it","shop: s.orders.status = paid; 2 distinct"]},{"value":"nobody"},{"value":"none"}],` +
		`"misses":[{"connectionId":"crm","values":["paid","nobody","none"],"reason":"no_profile_artifact"},` +
		`{"connectionId":"shop","values":["nobody","none"],"reason":"withheld","withheld":["s.events_00.mail and 3 tables like it: it is called like an e-mail address"]}],` +
		`"searched":["shop: 9 columns as of 2026-01-02T03:04:05Z","crm: no_profile_artifact"],"notes":[`
	if text := compact(t, got); len(text) < len(structured) || text[:len(structured)] != structured {
		t.Errorf("structured: %s", cmp.Diff(structured, text))
	}
}
