package semanticquery_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// load runs SQL in the shop's database, behind Loam's back.
func (f *fixture) load(t testing.TB, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// validate wants a report.
func (f *fixture) validate(t testing.TB, r validation.Request) *validation.Report {
	t.Helper()
	report, err := f.Validate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// brief is a report as lines: problems, then checks.
func brief(r *validation.Report) string {
	var lines []string
	for _, c := range r.Connections {
		if c.Error != "" {
			lines = append(lines, "error "+c.Error)
		}
		for _, p := range c.Problems {
			lines = append(lines, fmt.Sprintf("%s %s:%d:%d %s %s", p.Severity, p.File, p.Line, p.Column, p.Path, p.Message))
		}
		for _, k := range c.Checks {
			line := fmt.Sprintf("%s %s %s%s %s", k.Kind, k.Status, k.Source, strings.Repeat("→"+k.To, min(1, len(k.To))), k.Columns)
			if k.Severity != "" {
				line += fmt.Sprintf(" %s: %s %q", k.Severity, k.Message, k.Examples)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func wantBrief(t testing.TB, r *validation.Report, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), brief(r)); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, brief(r))
	}
}

// What is wrong with files is told with its place, and with none of it the
// warehouse is asked.
func TestValidateFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "broken.yaml", "name: broken\n  table: [\n")
	f.write(t, "customers.yaml", "name: customers\ndimensions:\n  - {name: label, type: string, expr: \"upper(nmae)\"}\nmeasures:\n  - {name: people, agg: count}\njoins:\n  - {to: regions, on: \"customers.region = regions.id\", relationship: many_to_one}\n")
	r := f.validate(t, validation.Request{})
	if f.statements.Load()+f.leases.Load() != 0 {
		t.Errorf("%d statements, %d leases", f.statements.Load(), f.leases.Load())
	}
	wantBrief(t, r, `
error semantic-layer/shop/broken.yaml:2:1  is no valid YAML: mapping values are not allowed in this context; text with braces, colons or asterisks needs quotes
error semantic-layer/shop/customers.yaml:3:46 dimensions.label.expr customers has no column or dimension nmae; did you mean name?
error semantic-layer/shop/customers.yaml:7:10 joins[0].to there is no source called regions`)
	c := r.Connections[0]
	if got := []int{c.Files, c.Sources, c.Defined, r.Errors, r.Warnings}; !cmp.Equal(got, []int{3, 5, 3, 3, 0}) {
		t.Errorf("files, sources, defined ones, errors, warnings: %v", got)
	}
	r = f.validate(t, validation.Request{Sources: []string{"orders"}})
	wantBrief(t, r, ``)
}

// A table that a file names is one that the last scan found; nobody can tell
// without a scan, and what the scan was told to leave out may be there.
func TestValidateTables(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "misspelt.yaml", "name: misspelt\ndescription: x\ntable: main.ordrs\n")
	f.write(t, "second.yaml", "name: second\ntable: MAIN.orders\n")
	f.write(t, "query.yaml", "name: query\nsql: SELECT 1 AS one\n")
	wantBrief(t, f.validate(t, validation.Request{}),
		`error semantic-layer/shop/misspelt.yaml:3:8 table the last scan found no table main.ordrs, the nearest is main.orders; run loam scan shop if it is new`)
	f.connections[0].Scan.Include = []string{"main.*"}
	wantBrief(t, f.validate(t, validation.Request{Sources: []string{"misspelt"}}),
		`warning semantic-layer/shop/misspelt.yaml:3:8 table the last scan found no table main.ordrs, the nearest is main.orders; run loam scan shop if it is new, `+
			`or mind that scan.include and scan.exclude of the connection may leave it out: then nobody knows its columns`)
	if err := os.RemoveAll(filepath.Join(f.dir, "catalog")); err != nil {
		t.Fatal(err)
	}
	f.serve()
	r := f.validate(t, validation.Request{})
	wantBrief(t, r, ``)
	if notes := r.Connections[0].Notes; len(notes) != 1 || !strings.Contains(notes[0], "was never scanned") {
		t.Errorf("%q", notes)
	}
}

// Measures that are nothing by themselves are asked about with the dimensions that
// they need, together as far as these go together; what nobody can ask for as it
// stands is neither asked about nor called wrong.
func TestValidateSpecialMeasures(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "metrics.yaml", `metrics:
  - {name: last_year, type: time_shift, measure: orders.revenue, offset: 1 year}
  - {name: growth, type: derived, expr: "orders.revenue / last_year - 1"}
  - {name: to_date, type: cumulative, measure: orders.revenue, grain_to_date: month}
  - {name: fortnight, type: cumulative, measure: orders.revenue, window: 14 days}
  - {name: running, type: cumulative, measure: orders.revenue}
  - {name: part, type: share, measure: orders.revenue}
  - {name: part_of_status, type: share, measure: orders.revenue, within: [orders.status]}
  - {name: each, type: nested, measure: orders.revenue, agg: avg, per: [orders.customer_id]}
  - {name: timeless, type: time_shift, measure: lines.row_count, offset: 1 month}
`)
	request := validation.Request{Data: true, Sources: []string{"metrics"}}
	wantBrief(t, f.validate(t, request), `expression ok metrics [part each last_year growth to_date fortnight running part_of_status]`)
	if got := f.statements.Load(); got > 6 {
		t.Errorf("%d statements", got)
	}
	f.write(t, "orders.yaml", strings.Replace(ordersYAML, "{name: revenue, agg: sum, expr: amount,", "{name: revenue, agg: sum, expr: no_such_function(amount), dialect: sqlite,", 1))
	f.write(t, "metrics.yaml", "metrics:\n  - {name: running, type: cumulative, measure: orders.revenue}\n  - {name: twice, type: cumulative, measure: running}\n")
	wantBrief(t, f.validate(t, validation.Request{}),
		`error semantic-layer/shop/metrics.yaml:3:12 metrics.twice running is a cumulative measure inside of a cumulative one, which has no meaning: the values of one window hold the days of others, so that days would count several times: query running, or orders.revenue itself`)
	f.write(t, "metrics.yaml", "metrics:\n  - {name: running, type: cumulative, measure: orders.revenue}\n  - {name: good, type: time_shift, measure: orders.order_count, offset: 1 year}\n")
	wantBrief(t, f.validate(t, request), `expression violated metrics [running] error: The engine refuses metrics.running, so every query with it fails: no such function: no_such_function. []`)
}

// What lies beside the folders of connections is in the report of all of them.
func TestValidateStrangers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "../shpo/orders.yaml", ordersYAML)
	if r := f.validate(t, validation.Request{}); !cmp.Equal(r.Strangers, []string{"shpo"}) || r.Warnings != 1 || r.Errors != 0 {
		t.Errorf("%+v", r)
	}
	if r := f.validate(t, validation.Request{Connection: "shop"}); len(r.Strangers) != 0 || r.Warnings != 0 {
		t.Errorf("of one connection: %+v", r)
	}
}

// What is no portable expression is the engine's own SQL, which a warning says
// unless the file does; what cannot be SQL of any engine is wrong.
func TestValidateForeignSQL(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "foreign.yaml", `name: foreign
table: orders
dimensions:
  - {name: silent, type: boolean, expr: "status GLOB 'p*'"}
  - {name: said, type: boolean, expr: "status GLOB 'p*'", dialect: sqlite}
  - {name: cut, type: number, expr: "amount +"}
measures:
  - {name: total, agg: sum, expr: "amount *"}
`)
	wantBrief(t, f.validate(t, validation.Request{}), `
error semantic-layer/shop/foreign.yaml:6:46 dimensions.cut.expr the expression ends where a value is expected; complete the expression
error semantic-layer/shop/foreign.yaml:8:44 measures.total.expr the expression ends where a value is expected; complete the expression
warning semantic-layer/shop/foreign.yaml:4:49 dimensions.silent.expr is taken for SQL of sqlite as it stands, for the portable language does not have it (GLOB stands where the end of the expression is expected); say dialect: sqlite if that is meant`)
}

// A computed dimension that is called like a column is a warning, where it stands.
func TestValidateShadowedColumn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "shadowed.yaml", `name: shadowed
table: orders
dimensions:
  - {name: amount, type: number, expr: "round(amount / 100, 0)"}
measures:
  - {name: total, agg: sum, expr: amount}
`)
	wantBrief(t, f.validate(t, validation.Request{}), `
warning semantic-layer/shop/shadowed.yaml:4:12 dimensions.amount is called like a column: in definitions of shadowed the name alone means the column, and shadowed.amount means this dimension; give the dimension another name to tell them apart`)
}

const marketYAML = `
name: market
table: market
primary_key: [id]
dimensions:
  - {name: id, type: number}
  - {name: status, type: string, values: [open, shut]}
  - {name: email, type: string, values: [nobody]}
  - {name: loud, type: string, expr: "upper(status)"}
  - {name: wrong, type: string, expr: "no_such_function(status)", dialect: sqlite}
  - {name: gone, type: string, expr: "left_out"}
measures:
  - {name: total, agg: sum, expr: price}
  - {name: strange, agg: sum, expr: "no_such_other(price)", dialect: sqlite}
segments:
  - {name: cheap, expr: "price < 10"}
joins:
  - {to: traders, on: "market.trader = traders.id", relationship: many_to_one}
  - {role: inspector, to: traders, on: "market.inspector = inspector.mail", relationship: many_to_one}
`

const marketData = `
CREATE TABLE traders (id INTEGER, mail TEXT);
INSERT INTO traders VALUES (1, 'x@x'), (1, 'y@x'), (2, 'z@x');
CREATE TABLE market (id INTEGER, trader INTEGER, inspector TEXT, status TEXT, email TEXT, price INTEGER, left_out TEXT);
INSERT INTO market VALUES (1, 1, 'x@x', 'open', 'a@x', 5, ''), (2, 2, 'q@x', 'lost', 'b@x', 6, ''), (2, 3, NULL, 'shut', NULL, 7, '');
`

// The data is asked about everything that is declared, once each, and every check
// says what follows.
func TestValidateData(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.load(t, marketData)
	f.write(t, "market.yaml", marketYAML)
	f.scan(t)
	wantBrief(t, f.validate(t, validation.Request{Data: true, Sources: []string{"market"}}), `
expression violated market [wrong] error: The engine refuses market.wrong, so every query with it fails: no such function: no_such_function. []
expression violated market [strange] error: The engine refuses market.strange, so every query with it fails: no such function: no_such_other. []
primary_key violated market [id] error: market.id is not unique: 1 value repeats (up to 2 times). Rows with the same key are taken for one by finer dimensions, and joins to market lead to several rows: measures are counted too rarely or too often. ["2"]
to_one violated market→traders [trader] error: 1 row of market leads to several rows of traders (up to 2): measures of market are counted too often by what traders has, and filters on traders; 1 row of market leads to no row of traders, 33.3% of those with a key: by what traders has they are the group NULL. ["1"]
to_one ok market→traders [inspector] warning: 1 row of market leads to no row of traders, 50% of those with a key: by what traders has they are the group NULL. []
values violated market [status] warning: The data has 1 value of market.status that its list of values lacks: filters on them are refused. Add them to values, or leave values out. []
values violated market [email] warning: The data has 2 values of market.email that its list of values lacks: filters on them are refused. Add them to values, or leave values out. []`)
}

// How many statements there are does not depend on the data.
func TestValidateStatements(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 1, 5000} {
		f := newFixture(t)
		f.load(t, marketData+fmt.Sprintf("DELETE FROM market; WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %d) INSERT INTO market (id, trader) SELECT n, n %% 2 FROM c WHERE n <= %d;", rows, rows))
		f.write(t, "market.yaml", `
name: market
table: market
primary_key: [id]
dimensions: [{name: id, type: number}, {name: loud, type: string, expr: "upper(status)"}, {name: status, type: string, values: [open]}]
measures: [{name: total, agg: sum, expr: price}]
joins:
  - {to: traders, on: "market.trader = traders.id", relationship: many_to_one}
  - {role: again, to: traders, on: "again.id = market.trader", relationship: one_to_one}
`)
		f.scan(t)
		r := f.validate(t, validation.Request{Data: true, Sources: []string{"market"}})
		// What it computes, its key, two joins, a list of values.
		if got := f.statements.Load(); got != 5 || len(r.Connections[0].Checks) != 5 {
			t.Errorf("%d rows: %d statements for %d checks", rows, got, len(r.Connections[0].Checks))
		}
		if got := r.Connections[0].Checks[1].Rows; got != int64(rows) {
			t.Errorf("%d rows of %d", got, rows)
		}
	}
}

// A key that the engine holds and no file declares is not asked about, unless its
// source is named: customers.id and numbers.n. SQLite lets the other keys be NULL.
func TestValidateEnforced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	wantBrief(t, f.validate(t, validation.Request{Data: true}), `
primary_key skipped customers [id]
primary_key ok lines [order_id line]
to_one ok lines→orders [order_id]
primary_key skipped numbers [n]
expression ok orders [revenue paid_revenue paid_rate completed]
primary_key ok orders [id]
to_one ok orders→customers [customer_id]`)
	wantBrief(t, f.validate(t, validation.Request{Data: true, Sources: []string{"lines"}}), `
primary_key ok lines [order_id line]
to_one ok lines→orders [order_id]`)
}

// Where a connector says too little of its dialect, files are looked at and the
// warehouse is not asked.
func TestValidateWithoutForms(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.description.Dialects = slices.Clone(f.description.Dialects)
	f.description.Dialects[0].Functions = nil
	f.write(t, "broken.yaml", "name: broken\nmesures: []\n")
	r := f.validate(t, validation.Request{})
	if c := r.Connections[0]; c.Error != "" || len(c.Problems) != 1 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "functions") {
		t.Errorf("%+v", c)
	}
	r = f.validate(t, validation.Request{Data: true})
	if c := r.Connections[0]; !strings.Contains(c.Error, "cannot query connection shop") || len(c.Checks) != 0 || f.statements.Load() != 0 || r.Errors != 2 {
		t.Errorf("%+v, %d statements", r, f.statements.Load())
	}
}

// Values are shown of columns that a profile looked at and kept, and of no others.
func TestValidateExamples(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "orders.yaml", `
name: orders
table: orders
primary_key: [status]
unique_keys: [[email], [customer_id], [contact]]
dimensions:
  - {name: status, type: string, values: [paid]}
  - {name: email, type: string, values: [nobody]}
  - {name: customer_id, type: number}
  - {name: contact, type: string, expr: "lower(email)"}
`)
	f.load(t, "UPDATE orders SET customer_id = 1")
	var got []string
	for _, c := range f.validate(t, validation.Request{Data: true, Sources: []string{"orders"}}).Connections[0].Checks {
		if c.Status == validation.CheckViolated {
			got = append(got, fmt.Sprintf("%s%s%s", c.Kind, c.Columns, c.Examples))
			if strings.Contains(c.SQL, "example") != (len(c.Examples) > 0 && c.Kind != validation.CheckValues) {
				t.Errorf("%s asks for what is not shown: %s", c.Columns, c.SQL)
			}
		}
	}
	want := []string{"primary_key[status][paid]", "unique_key[email][]", "unique_key[customer_id][1]", "unique_key[contact][]", "values[status][pending refunded]", "values[email][]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A check that cannot be asked says so in the engine's words, and stops no other.
// A table that is gone is told once, not of every member.
func TestValidateFailures(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.load(t, "DROP TABLE customers")
	f.write(t, "people.yaml", "name: people\ntable: nowhere\nprimary_key: [id]\ndimensions: [{name: id, type: number}, {name: a, type: string}, {name: b, type: string}]\nmeasures: [{name: n, agg: count}]\n")
	wantBrief(t, f.validate(t, validation.Request{Data: true, Sources: []string{"people", "orders"}}), `
error semantic-layer/shop/people.yaml:2:8 table the last scan found no table nowhere; run loam scan shop if it is new
expression failed people [id a b] error: what people computes could not be checked: no such table: nowhere. []
primary_key failed people [id] error: people.id could not be checked: no such table: nowhere. []
expression ok orders [revenue paid_revenue paid_rate completed]
primary_key ok orders [id]
to_one failed orders→customers [customer_id] error: orders → customers could not be checked: no such table: main.customers. []`)
	if got := f.statements.Load(); got != 6 {
		t.Errorf("%d statements, not one per check and one to find out why", got)
	}
	r := f.validate(t, validation.Request{Data: true, Sources: []string{"orders"}})
	if c := r.Connections[0].Checks[2]; c.SQL == "" || c.File != "" || c.Join != "customers" {
		t.Errorf("%+v", c)
	}
}

// A warehouse that cannot be reached is not asked over and over.
func TestValidateUnreachable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.connections[0].Limits.Concurrency = 1
	var asked atomic.Int32
	f.run = func(context.Context) (query.Summary, error) {
		asked.Add(1)
		return query.Summary{}, sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the wire is cut")
	}
	f.load(t, marketData)
	f.write(t, "market.yaml", marketYAML)
	f.scan(t)
	checks := f.validate(t, validation.Request{Data: true, Sources: []string{"market", "orders"}}).Connections[0].Checks
	if asked.Load() != 3 || len(checks) < 6 {
		t.Errorf("asked %d times for %d checks", asked.Load(), len(checks))
	}
	for _, c := range checks {
		if c.Status != validation.CheckFailed || c.Severity != binding.SeverityError {
			t.Errorf("%+v", c)
		}
	}
}

// As many statements run at once as the connection allows, but for one. Cancelling
// ends those under way before Validate returns.
func TestValidateAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.connections[0].Limits.Concurrency = 3
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running, started atomic.Int32
	f.run = func(ctx context.Context) (query.Summary, error) {
		running.Add(1)
		defer running.Add(-1)
		if started.Add(1) == 2 { // both workers are here
			cancel()
		}
		<-ctx.Done()
		return query.Summary{}, sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "canceled")
	}
	_, err := f.Validate(ctx, validation.Request{Data: true, Sources: []string{"orders", "lines"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if running.Load() != 0 || started.Load() != 2 {
		t.Errorf("%d statements under way, %d were started", running.Load(), started.Load())
	}
}

type withoutAttic struct{ *layer.Layer }

func (w withoutAttic) Current(ctx context.Context, id connection.ID, d *dialect.Dialect) (*layer.State, error) {
	if id == "attic" {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "The attic is locked").WithHint("find the key")
	}
	return w.Layer.Current(ctx, id, d)
}

// A connection that cannot be read stops no other; what nobody has is refused.
func TestValidateConnections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.connections = append(f.connections, connection.Connection{ID: "attic", Connector: "sqlite"})
	f.Config.Layer = withoutAttic{f.Config.Layer.(*layer.Layer)}
	var fractions []float64
	r := f.validate(t, validation.Request{Data: true, Progress: func(done float64, _ string) { fractions = append(fractions, done) }})
	if len(r.Connections) != 2 || r.Connections[0].Error != "The attic is locked. Find the key." || r.Errors != 1 || len(r.Connections[1].Checks) != 7 {
		t.Errorf("%+v", r.Connections)
	}
	if !slices.IsSorted(fractions) || fractions[0] != 0 || fractions[len(fractions)-1] != 1 || len(fractions) < 9 {
		t.Errorf("progress %v", fractions)
	}
	for _, tt := range []struct {
		request validation.Request
		want    string
	}{
		{validation.Request{Connection: "shopp"}, "shopp"},
		{validation.Request{Sources: []string{"orders", "ordres"}}, "ordres"},
	} {
		_, err := f.Validate(t.Context(), tt.request)
		if sdk.KindOf(err) != sdk.KindNotFound || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one about %s", err, tt.want)
		}
	}
}
