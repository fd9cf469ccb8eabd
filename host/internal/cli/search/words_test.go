package search

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/discover"
)

// printed is what a print function writes, to stdout and to stderr.
func printed(t *testing.T, f func(*commands) error) (string, string) {
	t.Helper()
	var out, err bytes.Buffer
	if e := f(&commands{term: &terminal.Terminal{Out: &out, Err: &err}}); e != nil {
		t.Fatal(e)
	}
	return out.String(), err.String()
}

func TestSearchForPeople(t *testing.T) {
	t.Parallel()
	stdout, stderr := printed(t, func(a *commands) error {
		return a.printRefs(&discover.SearchAnswer{
			Refs: []discover.Ref{
				{Kind: "wiki", ID: "revenue", Score: 1, Summary: new("What counts."), Snippet: new("Without cancelled\norders \x1b[2J"), MatchedOn: "body"},
				{Kind: "table", ID: "main.orders", Score: 0.5, Summary: new(strings.Repeat("long ", 100)), MatchedOn: "name", ConnectionID: "shop"},
				{Kind: "column", ID: "main.orders.id", Score: 0.4, MatchedOn: "name", ConnectionID: "shop"},
				{Kind: "sl_measure", ID: "orders.paid", Score: 0.3, Summary: new("What was paid"), Snippet: new("sum(amount)"), MatchedOn: "expr", ConnectionID: "shop", Source: "orders"},
				{Kind: "sl_dimension", ID: "orders.state", Score: 0.2, Snippet: new("paid, lost"), MatchedOn: "name", ConnectionID: "shop", Source: "orders"},
				{Kind: "table", ID: "main.baskets", Score: 0.1, MatchedOn: "name", ConnectionID: "shop", Partial: true},
			},
			Notes: []string{"Connection crm was never scanned."},
		})
	})
	want := `#  KIND          ID              CONNECTION  MATCHED ON     SCORE  ABOUT
1  wiki          revenue                     body           1.000  Without cancelled orders \x1b[2J
2  table         main.orders     shop        name           0.500  ` + strings.Repeat("long ", 19) + `long…
3  column        main.orders.id  shop        name           0.400
4  sl_measure    orders.paid     shop        expr           0.300  What was paid
5  sl_dimension  orders.state    shop        name           0.200  paid, lost
6  table         main.baskets    shop        name, in part  0.100
`
	if diff := cmp.Diff(want, stdout); diff != "" || stderr != "note: Connection crm was never scanned.\n" {
		t.Errorf("stderr %q; stdout (-want +got):\n%s", stderr, diff)
	}
	if stdout, stderr := printed(t, func(a *commands) error { return a.printRefs(&discover.SearchAnswer{Notes: []string{"Nothing."}}) }); stdout != "" || stderr != "note: Nothing.\n" {
		t.Errorf("nothing found prints %q, %q", stdout, stderr)
	}
}

func TestValuesForPeople(t *testing.T) {
	t.Parallel()
	stdout, stderr := printed(t, func(a *commands) error {
		return a.printValues(&discover.ValuesAnswer{
			Searched: []discover.Searched{
				{ConnectionID: "shop", Status: "ready", Coverage: discover.Coverage{
					SampledRows: new(int64(10_000)), ValuesPerColumn: new(1000), ProfiledColumns: 61, SyncID: new("s"), ProfiledAt: new("2025-06-01T00:00:00Z"),
				}},
				{ConnectionID: "crm", Status: "no_profile_artifact"},
			},
			Results: []discover.ValueResult{
				{Value: "zürich", Total: 3, Truncated: true, Matches: []discover.ValueMatch{
					{ConnectionID: "shop", SourceName: "main.regions", ColumnName: "name", MatchedValue: "Zürich", Cardinality: new(int64(12))},
				}, Misses: []discover.ValueMiss{{ConnectionID: "crm", Reason: "no_profile_artifact"}}},
				{Value: "x\x00", Misses: []discover.ValueMiss{{ConnectionID: "shop", Reason: "value_not_in_sample"}, {ConnectionID: "crm", Reason: "a_new_reason"}}},
				{Value: "ann@x.de", Misses: []discover.ValueMiss{{ConnectionID: "shop", Reason: "withheld", WithheldTotal: 8, Withheld: []discover.WithheldColumn{
					{SourceName: "main.users", ColumnName: "mail", Reason: "it is called like an e-mail address"},
				}}}},
			},
			Notes: []string{"A miss proves nothing."},
		})
	})
	want := `VALUE     CONNECTION  TABLE                                         COLUMN  HOLDS                                          DISTINCT VALUES
zürich    shop        main.regions                                  name    Zürich                                                      12
zürich                … 1 of 3
zürich    crm         its values were never sampled
x\x00     shop        not among the sampled values
x\x00     crm         a_new_reason
ann@x.de  shop        may be in columns whose values are not kept:
ann@x.de  shop        main.users                                    mail    withheld: it is called like an e-mail address                -
ann@x.de  shop        … and 7 more
`
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	said := "searched shop: 61 profiled columns, up to 10000 rows of a table, up to 1000 values of a column, as of 2025-06-01T00:00:00Z\nnote: A miss proves nothing.\n"
	if stderr != said {
		t.Errorf("stderr %q, want %q", stderr, said)
	}
}
