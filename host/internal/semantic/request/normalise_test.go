package request_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// querySchema is the published schema of a query, in a complete validator.
func querySchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	const name = "semantic-query-v1.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(model.Schemas()[name]))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// canonical returns the normal form of a request and its notes, and tests that the
// form fits the schema and that it is its own normal form.
func canonical(t *testing.T, schema *jsonschema.Schema, raw string) (string, []string) {
	t.Helper()
	r, notes, err := request.Normalise(json.RawMessage(raw))
	if err != nil {
		t.Errorf("%s: %v", raw, err)
		return "", nil
	}
	form, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again, more, err := request.Normalise(form)
	if err != nil || len(more) > 0 {
		t.Errorf("%s: %v, notes %q", form, err, more)
	}
	if diff := cmp.Diff(r, again); diff != "" {
		t.Errorf("%s means something else when it is read again (-want +got):\n%s", form, diff)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s does not fit the schema: %v", form, err)
	}
	return string(form), notes
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	schema := querySchema(t)
	for _, tt := range []struct {
		name, raw, want string
		notes           []string
	}{
		{
			"the normal form", `{"measures": ["orders.revenue"], "dimensions": [{"field": "orders.created_at", "granularity": "month"}], "filters": ["orders.status = 'paid'"], "segments": ["orders.completed"], "order_by": [{"field": "orders.revenue", "direction": "desc"}], "limit": 10, "offset": 5, "include_empty": true, "time_zone": "Europe/Berlin", "fanout": "error"}`,
			`{"measures":["orders.revenue"],"dimensions":[{"field":"orders.created_at","granularity":"month"}],"filters":["orders.status = 'paid'"],"segments":["orders.completed"],"order_by":[{"field":"orders.revenue","direction":"desc"}],"limit":10,"offset":5,"include_empty":true,"time_zone":"Europe/Berlin","fanout":"error"}`, nil,
		},
		{"the connection as answers spell it", `{"measures": ["m"], "connectionId": "w"}`, `{"measures":["m"]}`, nil},
		{"defaults are left out, and null is nothing", `{"measures": ["m"], "dimensions": null, "limit": 1000, "fanout": "distinct", "order_by": [], "connection_id": "w", "include": ["sql", "plan"]}`, `{"measures":["m"],"fanout":"distinct"}`, nil},
		{
			"a date range of a dimension", `{"measures": ["m"], "dimensions": [{"field": "o.at", "granularity": "day", "date_range": ["2024-05-01", "2024-05-31"], "fill": true}]}`,
			`{"measures":["m"],"dimensions":[{"field":"o.at","granularity":"day"}],"date_ranges":[{"field":"o.at","from":"2024-05-01","to":"2024-05-31"}],"fill_gaps":true}`, nil,
		},
		{
			"a fixed-grain filter", `{"measures": [{"expr": "sum(l.price) / 7.0", "name": "yearly"}], "filters": [{"left": "l.qty", "op": "lt", "right": {"measure": "l.avg_qty", "per": ["p.id"], "scope": "unfiltered", "times": 0.2}}]}`,
			`{"measures":[{"expr":"sum(l.price) / 7.0","name":"yearly"}],"filters":[{"left":"l.qty","op":"lt","right":{"measure":"l.avg_qty","per":["p.id"],"scope":"unfiltered","times":0.2}}]}`, nil,
		},
		{
			"a filter on a measure per entity", `{"measures": ["c.n"], "filters": [{"measure": "o.n", "per": ["c.id"], "filter": "o.paid", "op": "gt", "values": [1]}, {"measure": "o.n", "per": ["c.id"], "op": "is_null"}]}`,
			`{"measures":["c.n"],"filters":[{"measure":"o.n","per":["c.id"],"filter":"o.paid","op":"gt","values":[1]},{"measure":"o.n","per":["c.id"],"op":"is_null"}]}`, nil,
		},
		{
			"a filter on a measure of groups", `{"measures": ["c.n"], "dimensions": ["c.id"], "filters": [{"measure": "o.n", "op": "gt", "values": [1]}]}`,
			`{"measures":["c.n"],"dimensions":["c.id"],"filters":[{"field":"o.n","op":"gt","values":[1]}]}`, []string{"filters[0].measure was read as field"},
		},
		{
			"a measure per entity", `{"measures": ["c.n"], "dimensions": [{"measure": "o.n", "filter": "o.note NOT LIKE '%x%'", "per": ["c.id"], "name": "k"}], "order_by": [{"field": "k", "direction": "desc"}]}`,
			`{"measures":["c.n"],"dimensions":[{"measure":"o.n","per":["c.id"],"filter":"o.note NOT LIKE '%x%'","name":"k"}],"order_by":[{"field":"k","direction":"desc"}]}`, nil,
		},

		{
			"dimension objects of other layers", `{"measures": ["m"], "dimensions": [{"dimension": "o.at", "granularity": "month"}, {"name": "o.at", "grain": "year"}, {"id": "c.segment"}]}`,
			`{"measures":["m"],"dimensions":[{"field":"o.at","granularity":"month"},{"field":"o.at","granularity":"year"},"c.segment"]}`,
			[]string{`"dimensions[0].dimension" was read as field`, `"dimensions[1].grain" was read as granularity`, `dimensions[1].name was read as field`, `"dimensions[2].id" was read as field`},
		},
		{
			"a period behind a name", `{"measures": ["m"], "dimensions": ["orders.created_at.month", "orders.created_at__year", "date_trunc('week', orders.created_at)", "orders.month"]}`,
			`{"measures":["m"],"dimensions":[{"field":"orders.created_at","granularity":"month"},{"field":"orders.created_at","granularity":"year"},{"field":"orders.created_at","granularity":"week"},"orders.month"]}`,
			[]string{`dimensions[0] was read as orders.created_at with the granularity month`, `dimensions[1] was read as orders.created_at with the granularity year`, `dimensions[2] was read as orders.created_at with the granularity week`},
		},
		{"a name that ends like a period, in full", `{"measures": ["m"], "dimensions": [{"field": "a.b.month"}]}`, `{"measures":["m"],"dimensions":[{"field":"a.b.month"}]}`, nil},
		{
			"words for granularities", `{"measures": ["m"], "dimensions": [{"field": "o.at", "granularity": "Monthly"}, {"field": "o.at", "timeGrain": "days"}]}`,
			`{"measures":["m"],"dimensions":[{"field":"o.at","granularity":"month"},{"field":"o.at","granularity":"day"}]}`,
			[]string{`dimensions[0].granularity "Monthly" was read as month`, `"dimensions[1].timeGrain" was read as granularity`, `dimensions[1].timeGrain "days" was read as day`},
		},

		{
			"order keys", `{"measures": ["revenue"], "order_by": ["-revenue", "revenue DESC", "revenue", "revenue desc nulls first", {"id": "revenue", "desc": true}, {"field": "revenue", "direction": "ascending"}, ["revenue", "desc"], "revenue:asc"]}`,
			`{"measures":["revenue"],"order_by":[{"field":"revenue","direction":"desc"},{"field":"revenue","direction":"desc"},{"field":"revenue"},{"field":"revenue","direction":"desc","nulls":"first"},{"field":"revenue","direction":"desc"},{"field":"revenue"},{"field":"revenue","direction":"desc"},{"field":"revenue"}]}`,
			[]string{
				`order_by[0] "-revenue" was read as revenue descending`, `order_by[1] "revenue DESC" was read as revenue descending`, `order_by[3] "revenue desc nulls first" was read as revenue descending`,
				`one more was read in the same way`, `"order_by[4].id" was read as field`, `order_by[4].desc was read as the direction of revenue`, `order_by[5].direction was read as revenue ascending`, `order_by[6] was read as revenue descending`,
			},
		},
		{
			"one order key as a pair", `{"measures": ["revenue"], "orderBy": ["revenue", "desc"]}`, `{"measures":["revenue"],"order_by":[{"field":"revenue","direction":"desc"}]}`,
			[]string{`"orderBy" was read as order_by`, `orderBy[0] was read as revenue descending`},
		},
		{"nested pairs", `{"measures": ["revenue"], "order_by": [["revenue", "desc"]]}`, `{"measures":["revenue"],"order_by":[{"field":"revenue","direction":"desc"}]}`, []string{`order_by[0] was read as revenue descending`}},
		{
			"order keys in one text", `{"measures": ["revenue"], "order_by": "revenue desc, c.name"}`, `{"measures":["revenue"],"order_by":[{"field":"revenue","direction":"desc"},{"field":"c.name"}]}`,
			[]string{`order_by was read as a list`, `order_by[0] "revenue desc" was read as revenue descending`, `order_by[1] " c.name" was read as c.name ascending`},
		},
		{"a column whose name ends like a direction", `{"measures": [{"expr": "sum(o.x)", "name": "total desc"}], "order_by": ["total desc"]}`, `{"measures":[{"expr":"sum(o.x)","name":"total desc"}],"order_by":[{"field":"total desc"}]}`, nil},
		{"an order by a period", `{"measures": ["m"], "dimensions": ["o.x.month", {"field": "o.y", "granularity": "day"}, {"field": "o.y", "granularity": "year", "name": "y"}], "order_by": ["o.x.month", "-o.y.year"]}`, "", nil},

		{
			"single texts for lists", `{"measures": "orders.revenue", "dimensions": "c.segment", "filters": "c.segment = 'x'", "segments": "s.t", "order_by": "c.segment"}`,
			`{"measures":["orders.revenue"],"dimensions":["c.segment"],"filters":["c.segment = 'x'"],"segments":["s.t"],"order_by":[{"field":"c.segment"}]}`,
			[]string{"measures was read as a list of one", "dimensions was read as a list of one", "filters was read as a list of one", "2 more were read in the same way"},
		},
		{
			"lists as JSON in a text", `{"measures": "[\"orders.revenue\", \"orders.n\"]", "dimensions": "[{\"field\": \"o.at\", \"granularity\": \"day\"}]", "order_by": "[{\"id\": \"orders.n\", \"desc\": true}]"}`,
			`{"measures":["orders.revenue","orders.n"],"dimensions":[{"field":"o.at","granularity":"day"}],"order_by":[{"field":"orders.n","direction":"desc"}]}`,
			[]string{"measures was read from a JSON text", "dimensions was read from a JSON text", "order_by was read from a JSON text", `"order_by[0].id" was read as field`, "order_by[0].desc was read as the direction of orders.n"},
		},
		{"all of it as JSON in a text", `"{\"measures\": [\"m\"]}"`, `{"measures":["m"]}`, []string{"the request was read from a JSON text"}},
		{
			"numbers and truth values as texts", `{"measures": ["m"], "limit": "50", "offset": 1e1, "include_empty": "true"}`, `{"measures":["m"],"limit":50,"offset":10,"include_empty":true}`,
			[]string{"limit was read as a number", "include_empty was read as true"},
		},

		{
			"Cube", `{"measures": ["Orders.count"], "timeDimensions": [{"dimension": "Orders.createdAt", "granularity": "month", "dateRange": ["2024-01-01", "2024-03-31"]}, {"dimension": "Orders.paidAt", "dateRange": "last 7 days"}], "filters": [{"member": "Orders.status", "operator": "notEquals", "values": ["open", "lost"]}, {"or": [{"member": "Orders.amount", "operator": "gt", "values": ["100"]}, {"dimension": "Orders.note", "operator": "set"}]}], "order": {"Orders.count": "desc"}, "timezone": "UTC"}`,
			`{"measures":["Orders.count"],"dimensions":[{"field":"Orders.createdAt","granularity":"month"}],"date_ranges":[{"field":"Orders.createdAt","from":"2024-01-01","to":"2024-03-31"},{"field":"Orders.paidAt","relative":"last 7 days"}],"filters":[{"field":"Orders.status","op":"not_in","values":["open","lost"]},{"or":[{"field":"Orders.amount","op":"gt","values":["100"]},{"field":"Orders.note","op":"is_not_null"}]}],"order_by":[{"field":"Orders.count","direction":"desc"}],"time_zone":"UTC"}`,
			[]string{
				`"timeDimensions" was read as time_dimensions`, `"order" was read as order_by`, `"timezone" was read as time_zone`, "timeDimensions was read as dimensions with a granularity and date_ranges",
				`"timeDimensions[0].dimension" was read as field`, `"timeDimensions[0].dateRange" was read as date_range`, `"timeDimensions[1].dimension" was read as field`, `"timeDimensions[1].dateRange" was read as date_range`,
				`"filters[0].member" was read as field`, `"filters[0].operator" was read as op`, `filters[0].operator "notEquals" was read as not_equals`, `filters[0] with several values was read as not_in`,
				`"filters[1].or[0].member" was read as field`, `"filters[1].or[0].operator" was read as op`, `"filters[1].or[1].dimension" was read as field`, `"filters[1].or[1].operator" was read as op`,
				`filters[1].or[1].operator "set" was read as is_not_null`, "order.Orders.count was read as Orders.count descending",
			},
		},
		{
			"MetricFlow", `{"metrics": ["revenue"], "group_by": ["metric_time__month", "customer__segment"], "where": "{{ Dimension('customer__segment') }} = 'a''b' AND {{ TimeDimension('order__day', 'month') }} > '2024-01-01'", "order_by": ["-revenue"]}`,
			`{"measures":["revenue"],"dimensions":[{"field":"metric_time","granularity":"month"},"customer.segment"],"filters":["customer.segment = 'a''b' AND date_trunc('month', order.day) \u003e '2024-01-01'"],"order_by":[{"field":"revenue","direction":"desc"}]}`,
			[]string{
				`"metrics" was read as measures`, `"group_by" was read as dimensions`, `"where" was read as filters`, `group_by[0] was read as metric_time with the granularity month`, `group_by[1] was read as customer.segment`, `where was read as a list of one`,
				`where was read without its {{ … }}: "customer.segment = 'a''b' AND date_trunc('month', order.day) > '2024-01-01'"`, `order_by[0] "-revenue" was read as revenue descending`,
			},
		},
		{
			"conditions on measures apart", `{"measures": ["m"], "where": ["o.a = 1"], "having": ["m > 2"]}`, `{"measures":["m"],"filters":["o.a = 1","m \u003e 2"]}`,
			[]string{`"where" was read as filters`, `"having" was read as filters`, "having was put with the filters, where conditions on measures are"},
		},

		{
			"ad-hoc measures", `{"measures": [{"expr": "sum(o.amount)", "name": "total"}, "avg(o.amount)", "count(*) AS n", {"agg": "countDistinct", "field": "o.customer_id", "name": "buyers"}, {"measure": "o.revenue", "name": "r"}, {"measure": "o.revenue", "filters": ["o.paid"]}, {"name": "o.n"}]}`,
			`{"measures":[{"expr":"sum(o.amount)","name":"total"},{"expr":"avg(o.amount)"},{"expr":"count(*)","name":"n"},{"expr":"count_distinct(o.customer_id)","name":"buyers"},{"expr":"o.revenue","name":"r"},{"measure":"o.revenue","filters":["o.paid"]},"o.n"]}`,
			[]string{`measures[1] was read as an ad-hoc measure, {"expr": …}`, `measures[2] was read as an ad-hoc measure, {"expr": …}`, `measures[3] was read as {"expr": "count_distinct(o.customer_id)"}`, "measures[6].name was read as measure"},
		},
		{
			"structured filters", `{"measures": ["m"], "filters": [{"and": [{"field": "o.a", "op": "in", "values": [1, "x", true, null]}, {"not": {"field": "o.b", "op": "is_null"}}]}, {"field": "o.c", "op": "=", "value": "x"}, {"field": "o.c", "op": "NOT IN", "values": "[\"a\", \"b\"]"}, {"sql": "o.d > 1"}, "{\"field\": \"o.e\", \"op\": \"equals\", \"values\": [1.50]}"]}`,
			`{"measures":["m"],"filters":[{"and":[{"field":"o.a","op":"in","values":[1,"x",true,null]},{"not":{"field":"o.b","op":"is_null"}}]},{"field":"o.c","op":"equals","values":["x"]},{"field":"o.c","op":"not_in","values":["a","b"]},"o.d \u003e 1",{"field":"o.e","op":"equals","values":[1.50]}]}`,
			[]string{`"filters[1].value" was read as values`, `filters[1].op "=" was read as equals`, `filters[1].value was read as a list of one`, `filters[2].op "NOT IN" was read as not_in`, `filters[2].values was read from a JSON text`, `filters[3] was read as an expression`, `filters[4] was read from a JSON text`},
		},
		{
			"other order keys", `{"measures": ["m"], "dimensions": [{"field": "o.at", "granularity": "day"}], "order_by": [{"m": "desc"}, {"field": "o.at", "granularity": "day"}, "+m", "{\"field\": \"m\"}"]}`,
			`{"measures":["m"],"dimensions":[{"field":"o.at","granularity":"day"}],"order_by":[{"field":"m","direction":"desc"},{"field":"o.at"},{"field":"m"},{"field":"m"}]}`,
			[]string{"order_by[0] was read as m descending", "order_by[1].granularity was read as the dimension with that granularity", "order_by[1] was read as o.at ascending", `order_by[2] "+m" was read as m ascending`, "order_by[3] was read from a JSON text"},
		},
		{"one order key as an object", `{"measures": ["m"], "order_by": {"field": "m", "direction": "desc"}}`, `{"measures":["m"],"order_by":[{"field":"m","direction":"desc"}]}`, []string{"order_by was read as a list of one"}},
		{
			"objects as JSON in texts", `{"measures": ["{\"measure\": \"m\"}"], "dimensions": ["{\"field\": \"o.at\", \"granularity\": \"day\"}"]}`, `{"measures":["m"],"dimensions":[{"field":"o.at","granularity":"day"}]}`,
			[]string{"measures[0] was read from a JSON text", "dimensions[0] was read from a JSON text"},
		},
		{
			"a range of an object", `{"measures": ["m"], "date_range": {"start": "2024-01-01", "end": "2024-02-01"}}`, `{"measures":["m"],"date_ranges":[{"from":"2024-01-01","to":"2024-02-01"}]}`,
			[]string{`"date_range.start" was read as from`, `"date_range.end" was read as to`, "date_range was read as date_ranges"},
		},
		{"spaces around names", `{"measures": [" m "]}`, `{"measures":["m"]}`, []string{"spaces around measures[0] were dropped"}},
		{"ranges", `{"measures": ["m"], "date_range": "last month"}`, `{"measures":["m"],"date_ranges":[{"relative":"last month"}]}`, []string{"date_range was read as a range of the default time dimension"}},
		{
			"ranges in full", `{"measures": ["m"], "date_ranges": [{"field": "o.at", "start": "2024-05-01"}, {"field": "o.at", "via": ["r"], "to": "2024-Q2"}, {"field": "o.at", "range": ["2024-01", "2024-02"]}, {"field": "o.at", "relative": "Past 7 Days"}, {"field": "o.at", "relative": "2024-01-01 to 2024-02-01"}]}`,
			`{"measures":["m"],"date_ranges":[{"field":"o.at","from":"2024-05-01"},{"field":"o.at","via":["r"],"to":"2024-Q2"},{"field":"o.at","from":"2024-01","to":"2024-02"},{"field":"o.at","relative":"last 7 days"},{"field":"o.at","from":"2024-01-01","to":"2024-02-01"}]}`,
			[]string{`"date_ranges[0].start" was read as from`, `"date_ranges[2].range" was read as relative`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form, notes := canonical(t, schema, tt.raw)
			if tt.name == "an order by a period" {
				tt.want = `{"measures":["m"],"dimensions":[{"field":"o.x","granularity":"month"},{"field":"o.y","granularity":"day"},{"field":"o.y","granularity":"year","name":"y"}],"order_by":[{"field":"o.x"},{"field":"y","direction":"desc"}]}`
				tt.notes = notes
			}
			if diff := cmp.Diff(tt.want, form); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("notes -want +got:\n%s", diff)
			}
		})
	}
}

// refused is what is wrong with a request, by its code and place.
func refused(t testing.TB, raw string) *refusal.Error {
	t.Helper()
	r, _, err := request.Normalise(json.RawMessage(raw))
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		t.Fatalf("%.200s: %v, %+v", raw, err, r)
	}
	if e.Message == "" || e.Fix == "" {
		t.Errorf("%.200s: no message or fix: %+v", raw, e)
	}
	return e
}

func TestNormaliseRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"not": `, 70) + `"o.a"` + strings.Repeat("}", 70)
	for _, tt := range []struct{ name, raw, want, near string }{
		{"nothing", ``, "request: it is no JSON", ""},
		{"half of it", `{"measures": ["m"`, "request: it is no JSON: it ends too early", ""},
		{"more of it", `{"measures": ["m"]} {}`, "request: something follows the JSON", ""},
		{"a list", `["m"]`, "request: it must be an object, not a list", ""},
		{"no members", `{"filters": []}`, "measures: nothing is asked for", ""},
		{"an unknown key", `{"measures": ["m"], "filtres": []}`, `request: there is no key "filtres"`, "filters"},
		{"an unknown key of an entry", `{"measures": ["m"], "order_by": [{"field": "m", "direktion": "desc"}]}`, `order_by[0]: there is no key "direktion"`, "direction"},
		{"a key twice", `{"measures": ["m"], "limit": 1, "limit": 2}`, `request: the key "limit" is there twice`, ""},
		{"a key in two spellings", `{"measures": ["m"], "order_by": ["m"], "orderBy": ["n"]}`, `orderBy: "orderBy" says the same as "order_by"`, ""},
		{"what other layers have and this does not", `{"measures": ["m"], "ungrouped": true}`, `request: there is no key "ungrouped"`, ""},
		{"a negative limit", `{"measures": ["m"], "limit": -1}`, "limit: -1 rows cannot be asked for", ""},
		{"no rows", `{"measures": ["m"], "limit": 0}`, "limit: 0 rows cannot be asked for", ""},
		{"too many rows", `{"measures": ["m"], "limit": 1000001}`, "limit: 1000001 rows are too many", ""},
		{"half a row", `{"measures": ["m"], "limit": 1.5}`, "limit: it is a whole number, not the number 1.5", ""},
		{"an endless number", `{"measures": ["m"], "limit": 1e999999999}`, "limit: it is a whole number, not the number 1e999999999", ""},
		{"a negative offset", `{"measures": ["m"], "offset": -5}`, "offset: it must not be negative", ""},
		{"an offset beyond all rows", `{"measures": ["m"], "offset": 1000000000000000000}`, "offset: the number 1000000000000000000 is too large", ""},
		{"a limit beyond all numbers", `{"measures": ["m"], "limit": 1000000000000000000}`, "limit: the number 1000000000000000000 is too large", ""},
		{"a limit of another type", `{"measures": ["m"], "limit": "many"}`, `limit: it is a whole number, not the text "many"`, ""},
		{"a number for a name", `{"measures": [7]}`, "measures[0]: a measure is a text or an object, not the number 7", ""},
		{"an empty name", `{"measures": [" "]}`, "measures[0]: the text is empty", ""},
		{"a name with parts missing", `{"measures": ["orders."]}`, "measures[0]: the expression ends where a name behind the dot is expected", ""},
		{"an expression and a field", `{"measures": ["m"], "dimensions": [{"expr": "lower(o.a)", "field": "o.a"}]}`, "dimensions[0]: it is an expression and something else at once", ""},
		{"an expression that does not parse", `{"measures": ["m"], "dimensions": ["lower(o.a"]}`, "dimensions[0]: the expression ends where a comma or ) is expected", ""},
		{"per without an entity", `{"measures": ["m"], "dimensions": ["per(o.n)"]}`, "dimensions[0]: a ) stands where , and what the measure is per: per(orders.order_count, customers.id) is expected", ""},
		{"per inside of per", `{"measures": ["m"], "filters": ["per(sum(per(o.n, o.a)), o.b) > 1"]}`, "filters[0]: per stands inside per", ""},
		{"a misspelt granularity", `{"measures": ["m"], "dimensions": [{"field": "o.at", "granularity": "mon-th"}]}`, `dimensions[0].granularity: there is no granularity "mon-th"`, "month"},
		{"a list in a list", `{"measures": ["m"], "filters": [{"field": "o.a", "op": "in", "values": [[1, 2]]}]}`, "filters[0].values[0]: a value is a text, a number, true, false or null, not a list", ""},
		{"an unknown operator", `{"measures": ["m"], "filters": [{"field": "o.a", "op": "equls", "values": [1]}]}`, `filters[0].op: there is no operator "equls"`, "equals"},
		{"LIKE, which has wildcards", `{"measures": ["m"], "filters": [{"field": "o.a", "op": "like", "values": ["a%"]}]}`, `filters[0].op: there is no operator "like"`, ""},
		{"a comparison without an operator", `{"measures": ["m"], "filters": [{"field": "o.a", "values": [1]}]}`, "filters[0]: a comparison has a field and an op", ""},
		{"and beside a comparison", `{"measures": ["m"], "filters": [{"field": "o.a", "op": "is_null", "and": []}]}`, `filters[0]: "and" stands alone in a filter`, ""},
		{"an empty or", `{"measures": ["m"], "filters": [{"or": []}]}`, "filters[0].or: the list is empty", ""},
		{"filters as a number", `{"measures": ["m"], "filters": [5]}`, "filters[0]: a filter is a text or an object, not the number 5", ""},
		{"no direction", `{"measures": ["m"], "order_by": [["m", "up"]]}`, `order_by[0]: a direction is asc or desc, not the text "up"`, ""},
		{"a direction of another type", `{"measures": ["m"], "order_by": [{"field": "m", "direction": -1}]}`, "order_by[0].direction: a direction is asc or desc, not the number -1", ""},
		{"an order by one of two periods", `{"measures": ["m"], "dimensions": ["o.x.month", "o.x.year"], "order_by": ["o.x.year"]}`, "order_by[0]: o.x is among the dimensions at several granularities", ""},
		{"another word for fanout", `{"measures": ["m"], "fanout": "distint"}`, `fanout: it is one of distinct and error, not the text "distint"`, "distinct"},
		{"a zone that there is not", `{"measures": ["m"], "time_zone": "Mars/Olympus"}`, `time_zone: there is no time zone "Mars/Olympus"`, ""},
		{"the machine's zone", `{"measures": ["m"], "time_zone": "Local"}`, `time_zone: there is no time zone "Local"`, ""},
		{"a path for a zone", `{"measures": ["m"], "time_zone": "../../etc/passwd"}`, `time_zone: there is no time zone "../../etc/passwd"`, ""},
		{"a range of a number", `{"measures": ["m"], "date_range": 7}`, "date_range: a date is a text, not the number 7", ""},
		{"a range in other words", `{"measures": ["m"], "date_range": "recently"}`, `date_range: "recently" is no range of time`, ""},
		{"three ends", `{"measures": ["m"], "date_range": ["2024-01-01", "2024-01-02", "2024-01-03"]}`, "date_range: it has 3 entries", ""},
		{"a day that there is not", `{"measures": ["m"], "date_range": ["2024-02-30", "2024-03-01"]}`, `date_range[0]: "2024-02-30" is no date or time`, ""},
		{"an empty text for a range", `{"measures": ["m"], "date_ranges": [{"field": "o.at", "from": ""}]}`, "date_ranges[0].from: the text is empty", ""},
		{"a range without ends", `{"measures": ["m"], "date_ranges": [{"field": "o.at"}]}`, "date_ranges[0]: it has no ends", ""},
		{"a range of both kinds", `{"measures": ["m"], "date_ranges": [{"relative": "today", "from": "2024"}]}`, "date_ranges[0]: it has both a relative range and ends", ""},
		{"a range that is a text", `{"measures": ["m"], "date_ranges": ["today"]}`, `date_ranges[0]: a range is an object, not the text "today"`, ""},
		{"a range with a wrong name", `{"measures": ["m"], "date_ranges": [{"field": "o.", "from": "2024"}]}`, "date_ranges[0].field: the expression ends where a name behind the dot is expected", ""},
		{"a range with a wrong day", `{"measures": ["m"], "date_range": {"from": "yesterday morning"}}`, `date_range.from: "yesterday morning" is no date or time`, ""},
		{"a range of ends that are numbers", `{"measures": ["m"], "dimensions": [{"field": "o.at", "date_range": [2024, 2025]}]}`, "dimensions[0].date_range[0]: a date is a text, not the number 2024", ""},
		{"a list for a time dimension", `{"measures": ["m"], "time_dimensions": ["o.at"]}`, `time_dimensions[0]: it is an object, not the text "o.at"`, ""},
		{"a field and a measure for a dimension", `{"measures": ["m"], "dimensions": [{"field": "o.a", "measure": "m"}]}`, "dimensions[0]: it is a field and the value of a measure at once", ""},
		{"a range of a measure", `{"measures": ["m"], "dimensions": [{"measure": "m", "date_range": ["2024-01-01", "2024-01-31"]}]}`, "dimensions[0]: what is computed has no way and no range", ""},
		{"a dimension without a name", `{"measures": ["m"], "dimensions": [{"granularity": "day"}]}`, "dimensions[0]: it names no dimension", ""},
		{"a dimension as a number", `{"measures": ["m"], "dimensions": [1]}`, "dimensions[0]: a dimension is a text or an object, not the number 1", ""},
		{"a measure without anything", `{"measures": [{"filters": ["o.a"]}]}`, "measures[0]: it names no measure", ""},
		{"a measure of two kinds", `{"measures": [{"measure": "m", "expr": "sum(o.a)"}]}`, "measures[0]: it names a measure and composes one", ""},
		{"an aggregate over nothing", `{"measures": [{"agg": "sum"}]}`, "measures[0]: an ad-hoc measure has an aggregate and what it is over", ""},
		{"an aggregate that there is not", `{"measures": [{"agg": "summ", "field": "o.a"}]}`, `measures[0].agg: there is no aggregate "summ"`, "sum"},
		{"an aggregate over an aggregate", `{"measures": [{"agg": "sum", "field": "avg(o.a)"}]}`, "measures[0]: ", ""},
		{"a name of a column that is too long", `{"measures": [{"expr": "sum(o.a)", "name": "` + strings.Repeat("n", 2001) + `"}]}`, "measures[0].name: the name has 2001 bytes; the limit is 2000", ""},
		{"a measure per nothing", `{"measures": ["m"], "filters": [{"measure": "m", "filter": "o.a", "op": "gt", "values": [1]}]}`, "filters[0]: the value of a measure per entity has a measure, per and an op", ""},
		{"a measure per an empty list", `{"measures": ["m"], "filters": [{"measure": "m", "per": [], "op": "gt", "values": [1]}]}`, "filters[0].per: it does not say per what m is", ""},
		{"a field and a measure in a filter", `{"measures": ["m"], "filters": [{"field": "o.a", "measure": "m", "per": ["c.id"], "op": "gt", "values": [1]}]}`, "filters[0]: field does not stand with the value of a measure per entity", ""},
		{"right without left", `{"measures": ["m"], "filters": [{"field": "o.a", "op": "lt", "left": "o.b", "right": {"measure": "m"}}]}`, "filters[0]: left stands with right", ""},
		{"right and values", `{"measures": ["m"], "filters": [{"left": "o.a", "op": "lt", "right": {"measure": "m"}, "values": [1]}]}`, "filters[0]: a comparison has values or right, not both", ""},
		{"right that is a text", `{"measures": ["m"], "filters": [{"left": "o.a", "op": "lt", "right": "m"}]}`, `filters[0].right: it is an object, not the text "m"`, ""},
		{"right without a measure", `{"measures": ["m"], "filters": [{"left": "o.a", "op": "lt", "right": {"times": 2}}]}`, "filters[0].right: it names no measure", ""},
		{"no times", `{"measures": ["m"], "filters": [{"left": "o.a", "op": "lt", "right": {"measure": "m", "times": 0}}]}`, "filters[0].right.times: a factor is a number other than 0, not the number 0", ""},
		{"a scope that there is not", `{"measures": ["m"], "filters": [{"left": "o.a", "op": "lt", "right": {"measure": "m", "scope": "filterd"}}]}`, `filters[0].right.scope: it is one of filtered and unfiltered, not the text "filterd"`, "filtered"},
		{"an order key as a number", `{"measures": ["m"], "order_by": [1]}`, "order_by[0]: the number 1 is no order key", ""},
		{"an order key without a field", `{"measures": ["m"], "order_by": [{"direction": "desc", "nulls": "last"}]}`, "order_by[0]: an object is no order key", ""},
		{"a direction said twice", `{"measures": ["m"], "order_by": [{"field": "m", "direction": "desc", "desc": true}]}`, "order_by[0]: it has a direction and desc", ""},
		{"NULL in the middle", `{"measures": ["m"], "order_by": [{"field": "m", "nulls": "middle"}]}`, `order_by[0].nulls: it is one of last and first, not the text "middle"`, ""},
		{"a period that is not among the dimensions", `{"measures": ["m"], "dimensions": ["o.a"], "order_by": [{"field": "o.a", "granularity": "day"}]}`, "order_by[0]: o.a by day is not among the dimensions", ""},
		{"something else to include", `{"measures": ["m"], "include": ["sqll"]}`, `include[0]: it is one of sql and plan, not the text "sqll"`, "sql"},
		{"a template of something else", `{"measures": ["m"], "where": "{{ Secret('x') }} = 1"}`, "where: { stands where a name is expected", ""},
		{"a time dimension without anything", `{"measures": ["m"], "time_dimensions": [{"field": "o.at"}]}`, "time_dimensions[0]: it has neither a granularity nor a range", ""},
		{"too deep", `{"measures": ["m"], "filters": [` + deep + `]}`, "request: it nests deeper than 64 levels", ""},
		{"too many members", `{"measures": [` + strings.Repeat(`"m",`, 1000) + `"m"]}`, "measures: it has 1001 entries; the limit is 1000", ""},
		{"too many values", `{"measures": ["m"], "filters": [{"field": "o.a", "op": "in", "values": [` + strings.Repeat(`1,`, 10_000) + `1]}]}`, "filters[0].values: it has 10001 entries", ""},
		{"too many conditions in all", `{"measures": ["m"], "filters": [` + strings.Repeat(`{"or": ["o.a", "o.b"]},`, 400) + `"o.c"]}`, "the request has more than 1000 conditions", ""},
		{"a long name", `{"measures": ["` + strings.Repeat("a", 2001) + `"]}`, "measures[0]: the name has 2001 bytes; the limit is 2000", ""},
		{"half a character", `{"measures": ["m"], "filters": ["o.a = '\ud800'"]}`, "request: it has half of a surrogate pair", ""},
		{"bytes that are no text", "{\"measures\": [\"m\xff\"]}", "request: it is not valid UTF-8", ""},
		{"NUL in a value", `{"measures": ["m"], "filters": [{"field": "o.a", "op": "equals", "values": ["a\u0000b"]}]}`, "filters[0].values[0]: the text has a NUL character", ""},
		{"letters that cannot be seen in a column", `{"measures": [{"expr": "sum(o.a)", "name": "a\u202eb"}]}`, `measures[0].name: the name "a·b" has characters that cannot be seen`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := refused(t, tt.raw)
			if !strings.HasPrefix(e.Message, tt.want) && !strings.HasSuffix(e.Message, tt.want) {
				t.Errorf("%q, want %q", e.Message, tt.want)
			}
			if got := strings.Join(e.DidYouMean, " "); got != tt.near {
				t.Errorf("did you mean %q, want %q", got, tt.near)
			}
			if len(e.Text()) > 2000 {
				t.Errorf("%d bytes are more than a screen", len(e.Text()))
			}
		})
	}
}

// TestNormaliseKeepsItsMeaning: an astral character in an escape is one character.
func TestNormaliseKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	r, _, err := request.Normalise(json.RawMessage(`{"measures": ["m"], "filters": [{"field": "o.a", "op": "equals", "values": ["\ud83d\ude00 \\ud800"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Filters[0].Values[0]; got != `😀 \ud800` {
		t.Errorf("%q", got)
	}
}

func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{
		`{"measures": ["orders.revenue"], "dimensions": ["orders.created_at.month"], "filters": ["orders.status = 'paid'"], "order_by": ["-orders.revenue"]}`,
		`{"metrics": "[\"a\"]", "group_by": ["a__b", "metric_time__day"], "where": "{{ Dimension('a__b') }} = 1"}`,
		`{"measures": [{"agg": "sum", "field": "a.b"}, "count(*) as n", {"measure": "x", "filters": [{"or": ["a", {"not": "b"}]}]}], "timeDimensions": [{"dimension": "a.b", "dateRange": "last 7 days"}]}`,
		`{"measures": ["m"], "order_by": {"a": "desc", "b": "asc"}, "limit": "5", "date_range": ["2024-01-01", "2024-Q2"], "time_zone": "+02:00"}`,
		`{"dimensions": [{"measure": "m", "per": "x.y", "name": "k"}], "order_by": [["k", "desc"], {"id": "k", "grain": "month"}], "filters": [{"left": "a", "op": "<", "right": {"measure": "m", "times": 1e-3}}]}`,
		`"{\"measures\": \"m\"}"`, `{"measures": ["\"a b\".c AS \"d e\""]}`, `{"measures": ["m"], "date_ranges": [{"relative": "since 2024-01-01", "via": []}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, _, err := request.Normalise(raw)
		if err != nil {
			e, ok := errors.AsType[*refusal.Error](err)
			if !ok || e.Message == "" || len(e.Text()) > 8000 {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		form, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		again, notes, err := request.Normalise(form)
		if err != nil || len(notes) > 0 {
			t.Fatalf("%q: %s: %v, %q", raw, form, err, notes)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("%q: %s (-want +got):\n%s", raw, form, diff)
		}
	})
}

// BenchmarkNormalise reads a request of three measures, dimensions and filters.
func BenchmarkNormalise(b *testing.B) {
	for name, raw := range map[string]string{
		"normal":  `{"measures": ["orders.revenue", "orders.order_count", "items.units"], "dimensions": ["customers.segment", {"field": "orders.created_at", "granularity": "month"}, "orders.status"], "filters": ["orders.status = 'paid'", {"field": "customers.segment", "op": "in", "values": ["a", "b"]}, "orders.id > 5"], "order_by": [{"field": "orders.revenue", "direction": "desc"}]}`,
		"another": `{"measures": "[\"Orders.revenue\", \"Orders.count\"]", "timeDimensions": [{"dimension": "Orders.createdAt", "granularity": "month", "dateRange": "last 12 months"}], "filters": [{"member": "Orders.status", "operator": "notEquals", "values": ["open"]}], "order": {"Orders.count": "desc"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := request.Normalise(json.RawMessage(raw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestNormaliseCall(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]request.Call{
		`{"measures": ["m"]}`: {},
		`{"measures": ["m"], "connection_id": "w", "include": ["sql"]}`:       {Connection: "w", SQL: true},
		`{"measures": ["m"], "connectionId": "w", "include": "plan"}`:         {Connection: "w", Plan: true},
		`{"measures": ["m"], "include": ["plan", "sql", "plan"]}`:             {SQL: true, Plan: true},
		`"{\"measures\": [\"m\"], \"connection\": \"w\", \"include\": null}"`: {Connection: "w"},
	} {
		_, call, _, err := request.NormaliseCall(json.RawMessage(raw))
		if err != nil || call != want {
			t.Errorf("%s: %+v, %v; want %+v", raw, call, err, want)
		}
	}
}
