package compile_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// exact are the rows of the decisions that the numbers follow.
var exact = []struct{ name, request, want string }{
	{"every aggregate without dimensions", `{"measures": ["orders.order_count", "orders.revenue", "orders.average", "orders.least", "orders.most", "orders.buyers"]}`, `
order_count revenue average least most buyers
6 210 35 3 100 4`},
	{"orphans and missing parents are the group NULL", `{"measures": ["orders.revenue", "orders.order_count"], "dimensions": ["customers.segment"]}`, `
segment revenue order_count
retail 170 3
- 40 3`},
	{"NULL groups of several homes are one", `{"measures": ["orders.revenue", "tickets.hours", "tickets.ticket_count"], "dimensions": ["customers.segment"]}`, `
segment revenue hours ticket_count
retail 170 4 2
trade - 4 1
- 40 8 1`},
	{"several homes without dimensions", `{"measures": ["orders.revenue", "tickets.hours", "items.units"]}`, `
revenue hours units
210 16 23`},
	{"counts of missing branches are 0", `{"measures": ["orders.order_count", "tickets.ticket_count"], "dimensions": ["customers.name"]}`, `
name order_count ticket_count
ann 2 2
bob 1 1
cem 0 1
dee 1 0
- 2 0`},
	{"nothing left is one row without dimensions", `{"measures": ["orders.order_count", "orders.revenue", "orders.paid_revenue"], "filters": ["orders.id < 0"]}`, `
order_count revenue paid_revenue
0 - 0`},
	{"nothing left is no row with dimensions", `{"measures": ["orders.order_count"], "dimensions": ["orders.status"], "filters": ["orders.id < 0"]}`, `
status order_count`},
	{"a filter on a parent, SQL keeps three values", `{"measures": ["orders.revenue"], "filters": ["customers.segment <> 'trade'"]}`, `
revenue
170`},
	{"a structured filter includes NULL", `{"measures": ["orders.revenue"], "filters": [{"field": "customers.segment", "op": "not_equals", "values": ["trade"]}]}`, `
revenue
210`},
	{"OR is one condition beside others", `{"measures": ["orders.revenue"], "filters": ["orders.id = 1 OR orders.id = 2", "orders.status = 'open'"]}`, `
revenue
50`},
	{"AND in one filter is several filters", `{"measures": ["orders.revenue"], "filters": ["orders.id BETWEEN 1 AND 3 AND orders.status = 'paid'"]}`, `
revenue
130`},
	{"a filter over a step down means some row", `{"measures": ["orders.revenue", "orders.order_count"], "filters": ["items.qty > 1"]}`, `
revenue order_count
130 2`},
	{"filters over one step down are of one row", `{"measures": ["orders.revenue"], "filters": ["items.qty = 1", "items.category = 'food'"]}`, `
revenue
50`},
	{"a dimension and a filter over one step down are of one row", `{"measures": ["orders.revenue"], "dimensions": ["items.category"], "filters": ["items.qty < 3"]}`, `
category revenue
food 150
toys 100`},
	{"a filter for NULL needs a related row", `{"measures": ["orders.order_count"], "filters": ["items.category IS NULL"]}`, `
order_count
1`},
	{"and so beside a dimension", `{"measures": ["orders.order_count"], "dimensions": ["items.category"], "filters": ["items.category IS NULL"]}`, `
category order_count
- 1`},
	{"a finer dimension counts a row once per group", `{"measures": ["orders.revenue", "orders.order_count", "orders.average"], "dimensions": ["items.category"]}`, `
category revenue order_count average
food 150 2 75
toys 100 1 100
- 60 4 15`},
	{"beside the finer measure", `{"measures": ["orders.revenue", "items.units"], "dimensions": ["items.category"], "filters": ["orders.status = 'paid'"]}`, `
category revenue units
food 100 7
toys 100 1
- 37 4`},
	{"two steps down", `{"measures": ["customers.customer_count"], "dimensions": ["items.category"]}`, `
category customer_count
food 1
toys 1
- 3`},
	{"a filtered measure keeps its groups", `{"measures": ["orders.paid_revenue"], "dimensions": ["orders.status"]}`, `
status paid_revenue
open 0
paid 137
- 0`},
	{"a measure filtered over a step down", `{"measures": ["orders.with_items", "orders.order_count"]}`, `
with_items order_count
2 6`},
	{"ratio and derived", `{"measures": ["orders.paid_rate", "orders.doubled"], "dimensions": ["customers.segment"]}`, `
segment paid_rate doubled
retail 0.58823529 240
- 0.925 43`},
	{"a ratio of two homes", `{"measures": ["hours_per_order"], "dimensions": ["customers.name"]}`, `
name hours_per_order
ann 2
bob 8
cem -
dee -
- -`},
	{"an ad-hoc measure", `{"measures": [{"expr": "sum(items.qty) / count(items.id) + 1", "name": "each"}], "dimensions": ["items.category"]}`, `
category each
food 3.6666667
toys 6.5
- 5`},
	{"a measure with filters of its own", `{"measures": ["orders.order_count", {"measure": "orders.revenue", "filters": ["orders.status = 'open'"], "name": "open_revenue"}]}`, `
order_count open_revenue
6 53`},
	{"a condition on groups", `{"measures": ["orders.revenue"], "dimensions": ["customers.name"], "filters": ["orders.revenue >= 20"]}`, `
name revenue
ann 150
bob 30
dee 20`},
	{"a condition on a measure that is not shown", `{"measures": ["orders.revenue"], "dimensions": ["customers.name"], "filters": ["tickets.ticket_count > 1"]}`, `
name revenue
ann 150`},
	{"a segment filters rows", `{"measures": ["orders.revenue"], "dimensions": ["orders.status"], "segments": ["orders.completed"]}`, `
status revenue
paid 137`},
	{"a segment over a step down", `{"measures": ["customers.customer_count"], "segments": ["orders.completed"]}`, `
customer_count
2`},
	{"order, limit, offset", `{"measures": ["orders.revenue"], "dimensions": ["customers.name"], "order_by": [{"field": "orders.revenue", "direction": "desc"}], "limit": 2, "offset": 1}`, `
name revenue
bob 30
dee 20`},
	{"NULL is last in both directions", `{"measures": ["orders.revenue"], "dimensions": ["customers.segment"], "order_by": ["-customers.segment"]}`, `
segment revenue
retail 170
- 40`},
	{"a boolean dimension", `{"measures": ["orders.revenue"], "dimensions": ["orders.is_paid"]}`, `
is_paid revenue
0 53
1 137
- 20`},
	{"a parent of a parent", `{"measures": ["items.units"], "dimensions": ["regions.title"]}`, `
title units
north 9
south 4
- 10`},
	{"dimensions alone", `{"measures": [], "dimensions": ["orders.status"]}`, `
status
open
paid
-`},
	{"months", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.day", "granularity": "month"}]}`, `
day_month revenue
2024-01-01 150
2024-02-01 50
2024-03-01 10`},
	{"weeks start on Mondays", `{"measures": ["orders.order_count"], "dimensions": [{"field": "orders.day", "granularity": "week"}]}`, `
day_week order_count
2024-01-29 3
2024-02-26 1
2024-03-04 2`},
	{"a date range includes its last day", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.day", "granularity": "month", "date_range": ["2024-01-31", "2024-02-29"]}]}`, `
day_month revenue
2024-01-01 50
2024-02-01 50`},
	{"medians and percentiles interpolate", `{"measures": ["orders.middle", "orders.p90", "orders.order_count"], "dimensions": ["orders.status"]}`, `
status middle p90 order_count
open 26.5 45.3 2
paid 30 86 3
- 20 20 1`},
	{"a median without rows is NULL", `{"measures": ["orders.middle"], "filters": ["orders.id < 0"]}`, `
middle
-`},
	{"a median counts a row once per finer group", `{"measures": ["orders.middle"], "dimensions": ["items.category"]}`, `
category middle
food 75
toys 100
- 13.5`},
	{"stock is taken on the last day of the group", `{"measures": ["stock.closing", "stock.opening", "stock.readings"]}`, `
closing opening readings
1 14 5`},
	{"of each month", `{"measures": ["stock.closing", "stock.closing_per_sku", "stock.readings"], "dimensions": [{"field": "stock.day", "granularity": "month"}]}`, `
day_month closing closing_per_sku readings
2024-01-01 4 13 3
2024-02-01 1 8 2`},
	{"after filters", `{"measures": ["stock.closing"], "filters": ["stock.sku = 'a'"]}`, `
closing
7`},
	{"a share of everything", `{"measures": ["orders.revenue", "orders.revenue_share"], "dimensions": ["customers.segment"], "filters": ["orders.revenue_share > 0.5"]}`, `
segment revenue revenue_share
retail 170 0.80952381`},
	{"shares of finer groups do not add up", `{"measures": ["orders.revenue_share"], "dimensions": ["items.category"]}`, `
category revenue_share
food 0.71428571
toys 0.47619048
- 0.28571429`},
	{"a share of a distinct count", `{"measures": ["orders.buyers", "orders.buyers_share"], "dimensions": ["orders.status"]}`, `
status buyers buyers_share
open 1 0.25
paid 3 0.75
- 1 0.25`},
	{"an average of sums per customer", `{"measures": ["orders.per_customer", "orders.average"]}`, `
per_customer average
66.666667 35`},
	{"within groups", `{"measures": ["orders.per_customer"], "dimensions": ["orders.status"]}`, `
status per_customer
open 50
paid 65
- 20`},
	{"a month later", `{"measures": ["orders.revenue", "orders.revenue_prev_month"], "dimensions": [{"field": "orders.day", "granularity": "month"}]}`, `
day_month revenue revenue_prev_month
2024-01-01 150 -
2024-02-01 50 150
2024-03-01 10 50
2024-04-01 - 10`},
	{"a shift reads outside of the range", `{"measures": ["orders.revenue", "orders.revenue_prev_month"], "dimensions": [{"field": "orders.day", "granularity": "month", "date_range": ["2024-02-01", "2024-03-31"]}]}`, `
day_month revenue revenue_prev_month
2024-02-01 50 150
2024-03-01 10 50`},
	{"a window of days", `{"measures": ["orders.revenue_3d", "orders.revenue"], "dimensions": [{"field": "orders.day", "granularity": "day", "date_range": ["2024-01-31", "2024-02-04"]}]}`, `
day_day revenue_3d revenue
2024-01-31 150 50
2024-02-01 180 30
2024-02-02 80 -
2024-02-03 30 -
2024-02-04 - -`},
	{"a window of days without a range", `{"measures": ["orders.revenue_3d"], "dimensions": [{"field": "orders.day", "granularity": "day"}], "limit": 4}`, `
day_day revenue_3d
2024-01-30 100
2024-01-31 150
2024-02-01 180
2024-02-02 80`},
	{"since the start of the month, for every group", `{"measures": ["orders.revenue_mtd"], "dimensions": [{"field": "orders.day", "granularity": "week", "date_range": ["2024-01-29", "2024-02-11"]}, "orders.status"]}`, `
day_week status revenue_mtd
2024-01-29 open 50
2024-01-29 paid 130
2024-02-05 open -
2024-02-05 paid 30`},
	{"a measure per entity as a dimension", `{"measures": ["customers.customer_count"], "dimensions": [{"measure": "orders.order_count", "per": ["customers.id"], "name": "orders", "filter": "orders.status <> 'open'"}]}`, `
orders customer_count
0 2
1 2`},
	{"rows by a measure per entity", `{"measures": ["orders.revenue", "orders.order_count"], "filters": [{"measure": "orders.order_count", "per": ["customers.id"], "filter": "orders.status = 'paid'", "op": "gte", "values": [1]}]}`, `
revenue order_count
180 3`},
	{"rows by a measure per entity or by related rows", `{"measures": ["orders.revenue", "orders.order_count"], "filters": [{"or": ["any(items.qty = 4)", {"measure": "orders.order_count", "per": ["customers.id"], "op": "gt", "values": [1]}]}]}`, `
revenue order_count
180 3`},
	{"rows compared with a measure at a fixed grain", `{"measures": ["items.units", "items.item_count"], "filters": [{"left": "items.qty", "op": "lt", "right": {"measure": "items.mean", "per": ["items.category"], "scope": "unfiltered", "times": 0.8}}, "items.id <> 4"]}`, `
units item_count
3 2`},
	{"gaps", `{"measures": ["orders.order_count", "orders.revenue"], "dimensions": [{"field": "orders.day", "granularity": "week"}], "fill_gaps": true, "filters": ["orders.id < 5"]}`, `
day_week order_count revenue
2024-01-29 3 180
2024-02-05 0 -
2024-02-12 0 -
2024-02-19 0 -
2024-02-26 1 20`},
	{"members without rows", `{"measures": ["orders.order_count"], "dimensions": ["customers.name"], "filters": ["orders.status = 'paid'"], "include_empty": true}`, `
name order_count
ann 1
bob 1
cem 0
dee 0
- 1`},
}

func TestRows(t *testing.T) {
	t.Parallel()
	m, db := shopModel(t, engine(t, "sqlite")), shopDatabase(t)
	for _, tt := range exact {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), answer(t, m, db, tt.request)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A wrong number is worse than a refusal.
func TestRefusals(t *testing.T) {
	t.Parallel()
	m, db := shopModel(t, engine(t, "sqlite")), shopDatabase(t)
	for _, tt := range []struct{ name, request, want string }{
		{"a dimension that one home does not lead to", `{"measures": ["orders.revenue", "tickets.ticket_count"], "dimensions": ["orders.status"]}`, "dimension_not_reachable"},
		{"a filter that one home does not lead to", `{"measures": ["tickets.ticket_count"], "filters": ["orders.status = 'paid'"]}`, "filter_not_applicable"},
		{"a finer dimension where it is an error", `{"measures": ["orders.revenue"], "dimensions": ["items.category"], "fanout": "error"}`, "fanout"},
		{"rows and groups in one OR", `{"measures": ["orders.revenue"], "dimensions": ["orders.status"], "filters": ["orders.status = 'paid' OR orders.revenue > 10"]}`, "mixed_row_and_aggregate_or"},
		{"hours of days", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.day", "granularity": "hour"}]}`, "granularity_not_applicable"},
		{"months of a text", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.status", "granularity": "month"}]}`, "granularity_not_applicable"},
		{"a granularity that no calendar has", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.day", "granularity": "mounth"}]}`, "invalid_request"},
		{"a window per entity", `{"measures": ["orders.revenue"], "dimensions": [{"expr": "per(orders.revenue_mtd, customers.id)", "name": "x"}]}`, "not_supported"},
		{"an unknown measure", `{"measures": ["orders.revenu"]}`, "unknown_member"},
		{"a number for a text", `{"measures": ["orders.revenue"], "filters": ["orders.status = 1"]}`, "invalid_expression"},
		{"nothing to measure", `{"measures": []}`, "invalid_request"},
		{"an aggregate of rows of no source", `{"measures": [{"expr": "sum(orders.id * tickets.id)", "name": "x"}]}`, "no_common_grain"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := answer(t, m, db, tt.request)
			if !strings.HasPrefix(got, "error "+tt.want+": ") {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// An aggregate inside a definition goes by the name of its measure.
func TestAggregatesOfADefinition(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := shopModel(t, d).With(model.Parse("refunds.yaml", []byte(`
name: refunds
table: refunds
primary_key: [id]
dimensions: [{name: id, type: number}]
measures:
  - {name: per_row, expr: sum(amount) / count(*)}
  - {name: lost, expr: sum(amount) / sum(nowhere.amount)}
joins:
  - {to: orders, on: "refunds.order_id = orders.id", relationship: many_to_one}
`)), model.Parse("reasons.yaml", []byte(`
name: reasons
table: reasons
primary_key: [id]
dimensions: [{name: id, type: number}, {name: title, type: string}]
joins:
  - {to: refunds, on: "reasons.refund_id = refunds.id", relationship: many_to_one}
`)))
	q, err := compiled(t, m, d, `{"measures": ["refunds.per_row"], "dimensions": ["reasons.title"]}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"non_additive_across_groups: refunds.per_row counts a row in full for every reasons.title that it has; its groups do not add up to the total"}, q.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	for request, want := range map[string]string{
		`{"measures": ["refunds.per_row"], "dimensions": ["tickets.kind"]}`: "refunds.per_row cannot be grouped by tickets.kind",
		`{"measures": ["refunds.lost"]}`:                                    "refunds.lost cannot be used: there is no source or role called nowhere",
	} {
		if _, err := compiled(t, m, d, request); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", request, err, want)
		}
	}
}

// Whatever a source is called, what a refusal offers can be written as it stands.
func TestOddNames(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := shopModel(t, d).With(
		model.Parse("details.yaml", []byte("name: Order Details\ntable: details\nmeasures:\n  - {name: pieces, agg: count}\n  - {name: group, agg: count}\n")),
		model.Parse("more.yaml", []byte("name: order\ntable: more\nmeasures:\n  - {name: pieces, agg: count}\n")),
	)
	for _, c := range []struct {
		member, fix string
		offers      []string
	}{
		{"Order Details.pieces", `write names that have spaces, or words of SQL, in quotes: "Order Details".pieces`, nil},
		{`\"Order Details\".peices`, `write "Order Details".pieces`, []string{`"Order Details".pieces`}},
		{"pieces", `write the one that is meant in full: "Order Details".pieces`, []string{`"Order Details".pieces`, "order.pieces"}},
	} {
		_, err := compiled(t, m, d, `{"measures": ["`+c.member+`"]}`)
		e, ok := errors.AsType[*refusal.Error](err)
		if !ok {
			t.Errorf("%s: %v", c.member, err)
			continue
		}
		if diff := cmp.Diff(c.offers, slices.Concat(e.DidYouMean, e.Candidates)); diff != "" || e.Fix != c.fix {
			t.Errorf("%s: fix %q, offers (-want +got):\n%s", c.member, e.Fix, diff)
		}
		for _, offered := range slices.Concat(e.DidYouMean, e.Candidates) {
			text, err := json.Marshal(map[string]any{"measures": []string{offered}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := compiled(t, m, d, string(text)); err != nil {
				t.Errorf("%s is offered, but: %v", offered, err)
			}
		}
	}
}

// What a reader of the numbers has to know, and how they were made.
func TestNotesAndPlan(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	q, err := compiled(t, shopModel(t, d), d, `{"measures": ["orders.revenue", "items.units", {"measure": "orders.order_count", "filters": ["orders.status = 'paid'"]}, {"expr": "count(items.id)", "name": "n"}], "dimensions": ["items.category"], "filters": ["orders.status = 'paid'", "orders.revenue > 1"]}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"having: orders.revenue > 1 limits the groups that are shown, not the rows that are measured",
		"non_additive_across_groups: orders.revenue counts a row in full for every items.category that it has; its groups do not add up to the total",
		"non_additive_across_groups: orders.order_count counts a row in full for every items.category that it has; its groups do not add up to the total",
	}, q.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	want := compile.Plan{
		Branches: []compile.Branch{
			{Home: "orders", Measures: []string{"orders.revenue", "orders.order_count"}, Joins: []string{"orders → items (one_to_many)"}, Filters: []string{"orders.status = 'paid'"}, Fanout: true, Classes: []compile.Rollup{compile.Distributive, compile.Distributive}},
			{Home: "items", Measures: []string{"items.units", "count(items.id)"}, Joins: []string{"items → orders (many_to_one)"}, Filters: []string{"orders.status = 'paid'"}, Classes: []compile.Rollup{compile.Distributive, compile.Distributive}},
		},
		Dimensions: []string{"items.category"}, Having: []string{"orders.revenue > 1"}, Notes: q.Notes,
	}
	if diff := cmp.Diff(want, q.Plan); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	var columns []string
	for _, c := range q.Columns {
		columns = append(columns, strings.Join([]string{c.Name, c.Member, c.Unit, string(c.Provenance)}, "|"))
	}
	if diff := cmp.Diff([]string{"category|items.category||defined", "revenue|orders.revenue|EUR|defined", "units|items.units||defined", "order_count|orders.order_count||composed", "n|||ad_hoc"}, columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// The sources of a query are all that its statement reads, those of a measure per entity
// too.
func TestSources(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := shopModel(t, d)
	for request, want := range map[string][]string{
		`{"measures": ["orders.revenue"]}`:                                      {"orders"},
		`{"measures": ["orders.revenue"], "dimensions": ["customers.segment"]}`: {"customers", "orders"},
		`{"measures": ["orders.per_customer"]}`:                                 {"customers", "orders"},
	} {
		q, err := compiled(t, m, d, request)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range q.Sources {
			got = append(got, m.Source(id).Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", request, diff)
		}
	}
}
