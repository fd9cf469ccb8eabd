package semanticquery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

func TestRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tests := []struct {
		name, body string
		names      []string
		rows       []string
	}{
		{
			"a defined measure by a dimension of another source",
			`{"measures": ["orders.revenue"], "dimensions": ["customers.segment"]}`,
			[]string{"segment", "revenue"},
			[]string{`"home" 30`, `"pro" 30`, `null 90`},
		},
		{
			"a source that no file describes",
			`{"measures": ["lines.row_count"], "dimensions": ["lines.sku"]}`,
			[]string{"sku", "row_count"},
			[]string{`"cap" 1`, `"ink" 1`, `"pen" 2`},
		},
		{
			"measures of two homes, neither of which the other changes",
			`{"measures": ["orders.revenue", "lines.row_count"], "dimensions": ["customers.name"]}`,
			[]string{"name", "revenue", "row_count"},
			[]string{`"Ada" 30 3`, `"Bob" 30 1`, `"Cy" 40 0`, `null 50 0`},
		},
		{
			"no rows", `{"measures": ["orders.revenue"], "dimensions": ["orders.status"], "filters": ["orders.amount > 1000"]}`,
			[]string{"status", "revenue"},
			nil,
		},
		{
			"another spelling of the request", `{"metrics": "orders.paid_rate", "group_by": "orders.day.month", "order": "-paid_rate"}`,
			[]string{"day_month", "paid_rate"},
			[]string{`"2026-01-01" 1`, `"2026-02-01" 0.5`},
		},
		{
			"a relative range, as of now", `{"measures": ["orders.order_count"], "date_range": "last month"}`,
			[]string{"order_count"},
			[]string{"4"},
		},
		{
			"a duplicate name", `{"measures": ["orders.row_count", "lines.row_count"]}`,
			[]string{"row_count", "lines_row_count"},
			[]string{"5 4"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, c, out := f.ask(t, tt.body)
			if diff := cmp.Diff(tt.names, a.names); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rows, a.rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if out.RowCount != len(tt.rows) || out.Truncated || a.columns != 1 || a.compiled != c || c.Connection != "shop" {
				t.Errorf("outcome %+v of %s, columns told %d times", out, c.Connection, a.columns)
			}
		})
	}
}

// TestRowLimits counts what comes back around every limit there is.
func TestRowLimits(t *testing.T) {
	t.Parallel()
	const (
		cut     = "The result was cut at 1000 rows, which is the most without a limit."
		reached = "rows was reached"
	)
	tests := []struct {
		name, more string // added to the request
		connection int    // limits.max_rows
		bytes      int
		want       int
		by         sdk.TruncatedBy
		note       string
	}{
		{"exactly the default", `, "filters": ["numbers.n <= 1000"]`, 0, -1, 1000, "", ""},
		{"one more than the default", `, "filters": ["numbers.n <= 1001"]`, 0, -1, 1000, sdk.TruncatedByRows, cut},
		{"far more than the default", ``, 0, -1, 1000, sdk.TruncatedByRows, cut},
		{"a limit above the rows", `, "limit": 1501`, 0, -1, 1500, "", ""},
		{"a limit of all rows", `, "limit": 1500`, 0, -1, 1500, "", "The limit of 1500 rows was reached: there may be more. Raise limit, or go on with offset 1500."},
		{"a limit below", `, "limit": 7, "offset": 3`, 0, -1, 7, "", "go on with offset 10."},
		{"beyond the end", `, "limit": 7, "offset": 3000`, 0, -1, 0, "", ""},
		{"the connection's limit", ``, 600, -1, 600, sdk.TruncatedByRows, "the most that connection shop allows (limits.max_rows)"},
		{"the connection's limit is the default", ``, 1000, -1, 1000, sdk.TruncatedByRows, "limits.max_rows"},
		{"the connection's limit is one more than the default", ``, 1001, -1, 1000, sdk.TruncatedByRows, cut},
		{"the connection's limit below the request's", `, "limit": 700`, 600, -1, 600, sdk.TruncatedByRows, "limits.max_rows"},
		{"the connection's limit is the request's", `, "limit": 600`, 600, -1, 600, "", reached},
		{"bytes", ``, 0, 200, 29, sdk.TruncatedByBytes, "cut after 29 rows"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.connections[0].Limits.MaxRows = tt.connection
			a := &answer{}
			c, out, err := f.Run(t.Context(), semanticquery.Request{
				Body: json.RawMessage(`{"measures": ["numbers.row_count"], "dimensions": ["numbers.n"]` + tt.more + `}`), MaxBytes: tt.bytes,
			}, a)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.rows) != tt.want || out.RowCount != tt.want || out.Truncated != (tt.by != "") || out.TruncatedBy != tt.by {
				t.Errorf("%d rows, %+v; want %d, truncated by %q", len(a.rows), out, tt.want, tt.by)
			}
			if got := notes(c, out); !strings.Contains(got, tt.note) || tt.note == "" && got != "" {
				t.Errorf("notes %q, want %q", got, tt.note)
			}
		})
	}
}

func TestInclude(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, c, _ := f.ask(t, `{"measures": ["orders.revenue"], "include": ["sql", "plan"]}`)
	if !slices.Contains(c.Notes, c.LimitNote()) || c.LimitNote() == "" || !c.IncludeSQL || !c.IncludePlan || !strings.HasSuffix(c.Query.SQL, "LIMIT 1001") || len(c.Query.Plan.Branches) != 1 {
		t.Errorf("%+v", c)
	}
	if c.Request.Limit != 0 {
		t.Errorf("the request asks for %d rows, and nobody said so", c.Request.Limit)
	}
	if _, c, _ = f.ask(t, `{"measures": ["orders.revenue"], "include": []}`); c.IncludeSQL || c.IncludePlan {
		t.Errorf("%+v", c)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "tickets.yaml", `{name: tickets, sql: "SELECT 1 AS id, 'open' AS state", primary_key: [id], dimensions: [{name: state, type: string, values: [open, shut]}], measures: [{name: n, agg: count}]}`)
	tests := []struct{ name, body, want string }{
		{
			"a value that the definition has not", `{"measures": ["tickets.n"], "filters": ["tickets.state = 'opn'"]}`,
			`tickets.state has no value "opn" by its definition; known: "open", "shut".`,
		},
		{"nothing to say", `{"measures": ["orders.revenue"]}`, ""},
		{"what was normalised", `{"metrics": ["orders.revenue"]}`, `"metrics" was read as measures`},
		{"a fan-out", `{"measures": ["orders.revenue"], "dimensions": ["lines.sku"]}`, "orders.revenue"},
		{
			"a value that there was not", `{"measures": ["orders.revenue"], "filters": ["orders.status = 'payed'"]}`,
			`orders.status had no value "payed" when it was scanned at 2026-03-15T11:00:00Z; known: "paid", "refunded", "pending".`,
		},
		{
			"one among others, in a structured filter", `{"measures": ["orders.revenue"], "filters": [{"or": [{"field": "orders.status", "op": "in", "values": ["paid", "pendin"]}]}]}`,
			`no value "pendin" when it was scanned at 2026-03-15T11:00:00Z; known: "pending", "paid", "refunded".`,
		},
		{"of a measure's own filter", `{"measures": [{"name": "x", "expr": "sum(orders.amount)", "filters": ["orders.status <> 'lost'"]}]}`, `no value "lost"`},
		{"the source left out", `{"measures": ["orders.revenue"], "filters": ["status IN ('paid', 'lost')"]}`, `no value "lost"`},
		{"one that there was", `{"measures": ["orders.revenue"], "filters": ["orders.status = 'paid'"]}`, ""},
		{"never of a column whose values are not kept", `{"measures": ["orders.revenue"], "filters": ["orders.email = 'nobody@x'"]}`, ""},
		{"nor of one that was not counted", `{"measures": ["orders.revenue"], "filters": ["customers.segment = 'prof'"]}`, ""},
		{"nor of a search", `{"measures": ["orders.revenue"], "filters": ["orders.status LIKE 'x%'"]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, c, out := f.ask(t, tt.body)
			if got := notes(c, out); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("notes %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNoInfinities(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, _, _ := f.ask(t, `{"measures": [{"name": "x", "expr": "sum(orders.amount) / sum(orders.amount - orders.amount)"}, {"name": "big", "expr": "max(numbers.n * 1e308)"}]}`)
	var cells []any
	if err := json.Unmarshal([]byte("["+strings.ReplaceAll(a.rows[0], " ", ",")+"]"), &cells); err != nil {
		t.Fatalf("%q: %v", a.rows, err)
	}
	if cells[0] != nil {
		t.Errorf("a division by zero gives %v", cells[0])
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		change  func(*testing.T, *fixture)
		request semanticquery.Request
		kind    sdk.Kind
		code    refusal.Code
		message string
		choices []string
	}{
		{"no such measure", nil, body(`{"measures": ["orders.revenu"]}`), sdk.KindNotFound, refusal.CodeUnknownMember, "orders.revenu", []string{"orders.revenue"}},
		{"no JSON", nil, body(`{"measures": `), sdk.KindInvalid, refusal.CodeInvalidRequest, "request", nil},
		{"nothing", nil, body(``), sdk.KindInvalid, refusal.CodeInvalidRequest, "request", nil},
		{"an unknown key", nil, body(`{"measure_s": ["orders.revenue"]}`), sdk.KindInvalid, refusal.CodeInvalidRequest, "measure_s", []string{"measures"}},
		{
			"another connection in the call than in the request", nil,
			semanticquery.Request{Connection: "shop", Body: json.RawMessage(`{"measures": ["orders.revenue"], "connectionId": "crm"}`)},
			sdk.KindInvalid, "", `the call names connection "shop" and the request "crm"`, nil,
		},
		{
			"an unknown connection", nil, body(`{"measures": ["orders.revenue"], "connection_id": "shp"}`),
			sdk.KindNotFound, "", `there is no connection "shp"`,
			[]string{"shop"},
		},
		{
			"several connections have it and none is named", func(t *testing.T, f *fixture) {
				f.connections = append(f.connections, connection.Connection{ID: "crm", Connector: "sqlite"}, connection.Connection{ID: "attic", Connector: "sqlite"})
				f.write(t, "../crm/people.yaml", peopleYAML)
				f.write(t, "people.yaml", peopleYAML)
			},
			body(`{"measures": ["people.n"]}`), sdk.KindInvalid, "", "2 connections have what is asked for, and the request names none",
			[]string{"crm", "shop"},
		},
		{
			"no connections", func(t *testing.T, f *fixture) { f.connections = nil },
			body(`{"measures": ["orders.revenue"]}`), sdk.KindNotFound, "", "the project has no connections", nil,
		},
		{
			"no dialect", func(t *testing.T, f *fixture) { f.description.Dialects = nil },
			body(`{"measures": ["orders.revenue"]}`), sdk.KindUnsupported, "", "connector sqlite describes no SQL dialect", nil,
		},
		{
			"a dialect that cannot be written", func(t *testing.T, f *fixture) {
				f.description.Dialects = append(f.description.Dialects[:0:0], f.description.Dialects...)
				f.description.Dialects[0].Forms = nil
			},
			body(`{"measures": ["orders.revenue"]}`), sdk.KindUnsupported, "", "(forms), so the semantic layer cannot query connection shop", nil,
		},
		{
			"a table that is gone", func(t *testing.T, f *fixture) {
				f.write(t, "ghosts.yaml", "name: ghosts\ntable: ghosts\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: n, agg: count}]\n")
			},
			body(`{"measures": ["ghosts.n"]}`), sdk.KindNotFound, "", "ghosts", nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if tt.change != nil {
				tt.change(t, f)
			}
			a := &answer{}
			c, out, err := f.Run(t.Context(), tt.request, a)
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.message) || e.Hint == "" {
				t.Fatalf("got %v (%+v), want %s: %s", err, e, tt.kind, tt.message)
			}
			if refused, ok := errors.AsType[*refusal.Error](err); ok != (tt.code != "") || ok && refused.Code != tt.code {
				t.Errorf("code %v, want %q", refused, tt.code)
			}
			if tt.choices != nil {
				if diff := cmp.Diff(tt.choices, e.Candidates); diff != "" {
					t.Errorf("candidates (-want +got):\n%s", diff)
				}
			}
			if c != nil || out.RowCount != 0 || len(a.rows) > 0 {
				t.Errorf("an answer besides: %v %v", c, a.rows)
			}
		})
	}
}

const peopleYAML = "name: people\nsql: select 1 as id\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: n, agg: count}]\n"

// TestOnlyConnectionThatHasIt: a request that names no connection goes to the only one
// whose semantic layer has what it names, and is compiled once.
func TestOnlyConnectionThatHasIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.connections = append(f.connections, connection.Connection{ID: "crm", Connector: "sqlite"})
	f.write(t, "../crm/people.yaml", peopleYAML)
	for request, want := range map[string]connection.ID{
		`{"measures": ["orders.revenue"]}`: "shop",
		`{"measures": ["people.n"]}`:       "crm",
		`{"measures": ["paid_rate"], "dimensions": ["status"], "segments": ["completed"], "filters": ["orders.customer_id > 0"]}`:                                                  "shop",
		`{"measures": [{"expr": "count_distinct(orders.email)", "name": "buyers"}], "filters": ["buyers > 0"], "segments": ["orders.completed"], "dimensions": ["orders.status"]}`: "shop",
	} {
		c, _, err := f.Run(t.Context(), body(request), &answer{})
		if err != nil || c.Connection != want {
			t.Errorf("%s: %+v, %v; want %s", request, c, err, want)
		}
		before := f.compilations.Load()
		if _, err := f.Compile(t.Context(), body(request)); err != nil || f.compilations.Load() != before+1 {
			t.Errorf("%s: %d compilations, %v", request, f.compilations.Load()-before, err)
		}
	}
	// What is in no semantic layer is refused by the only one that was scanned.
	_, _, err := f.Run(t.Context(), body(`{"measures": ["orders.revenu"]}`), &answer{})
	if e, ok := errors.AsType[*refusal.Error](err); !ok || e.Code != refusal.CodeUnknownMember {
		t.Errorf("%v", err)
	}
	if a, err := f.ReadSource(t.Context(), semanticquery.SourceRequest{Name: "people"}); err != nil || a.Connection != "crm" {
		t.Errorf("%+v, %v", a, err)
	}
}

func body(text string) semanticquery.Request {
	return semanticquery.Request{Body: json.RawMessage(text)}
}

// TestNeverScanned: what files define works without a snapshot, and a name that is
// not there is refused with the reason.
func TestNeverScanned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.connections = append(f.connections, connection.Connection{ID: "new", Connector: "sqlite"})
	a := &answer{}
	_, _, err := f.Run(t.Context(), semanticquery.Request{Connection: "new", Body: json.RawMessage(`{"measures": ["orders.revenue"]}`)}, a)
	if err == nil || !strings.Contains(err.Error(), "was never scanned") {
		t.Errorf("%v", err)
	}
	if e, ok := errors.AsType[*refusal.Error](err); !ok || e.Code != refusal.CodeUnknownMember {
		t.Errorf("%#v", err)
	}
}

// TestUnreadableFile: an answer says what it could not look at.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	folder := filepath.Join(f.dir, "semantic-layer", "shop")
	if err := os.Symlink(filepath.Join(f.dir, "shop.db"), filepath.Join(folder, "elsewhere.yaml")); err != nil {
		t.Skip("no links here: ", err)
	}
	_, c, out := f.ask(t, `{"measures": ["orders.revenue"]}`)
	if got := notes(c, out); !strings.HasPrefix(got, "What a file says has no part in this answer: ") || !strings.Contains(got, "elsewhere.yaml") {
		t.Errorf("notes %q", got)
	}
}

// TestEdits: what was saved a moment ago is what counts, and a broken file stops
// what it defines alone.
func TestEdits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const request = `{"measures": ["orders.revenue"]}`
	if a, _, _ := f.ask(t, request); a.rows[0] != "150" {
		t.Fatal(a.rows)
	}
	f.write(t, "orders.yaml", strings.Replace(ordersYAML, "agg: sum, expr: amount,", "agg: max, expr: amount,", 1))
	if a, _, _ := f.ask(t, request); a.rows[0] != "50" {
		t.Errorf("after an edit: %v", a.rows)
	}
	f.write(t, "orders.yaml", strings.Replace(ordersYAML, "{name: revenue,", "{name: revenue", 1))
	_, _, err := f.Run(t.Context(), body(request), &answer{})
	if e, ok := errors.AsType[*refusal.Error](err); !ok || e.Code != refusal.CodeBroken || !strings.Contains(e.Message, "(semantic-layer/shop/orders.yaml:14:1)") {
		t.Errorf("of a broken file: %v", err)
	}
	if a, _, _ := f.ask(t, `{"measures": ["lines.row_count"]}`); a.rows[0] != "4" {
		t.Errorf("beside a broken file: %v", a.rows)
	}
	f.write(t, "orders.yaml", ordersYAML)
	if a, _, _ := f.ask(t, request); a.rows[0] != "150" {
		t.Errorf("after the repair: %v", a.rows)
	}
}

type refusing struct {
	answer
	err error
}

func (r *refusing) Row([][]byte) error { return r.err }

func TestSinkAndContext(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	broken := errors.New("the pipe is gone")
	if _, _, err := f.Run(t.Context(), body(`{"measures": ["orders.revenue"]}`), &refusing{err: broken}); !errors.Is(err, broken) {
		t.Errorf("the sink's error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := f.Run(ctx, body(`{"measures": ["orders.revenue"]}`), &answer{}); err == nil {
		t.Error("a cancelled request was answered")
	}
}

// TestCancel: a statement that would never end ends with its request.
func TestCancel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "endless.yaml", `
name: endless
sql: WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c
dimensions: [{name: n, type: number}]
measures: [{name: total, agg: sum, expr: n}]
`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	whole := f.session
	f.session = begun{whole, cancel}
	_, _, err := f.Run(ctx, body(`{"measures": ["endless.total"]}`), &answer{})
	if sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("%v", err)
	}
	f.session = whole
	f.connections[0].Limits.Timeout = 50 * time.Millisecond
	if _, _, err = f.Run(t.Context(), body(`{"measures": ["endless.total"]}`), &answer{}); sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("%v", err)
	}
}

// A request that is cancelled while it is compiled ends with that, and not with what the
// compiler would have found.
func TestCancelWhileCompiling(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := body(`{"measures": ["orders.revenue"], "dimensions": ["orders.unheard_of"]}`)
	r.Progress = func(_ float64, message string) {
		if message == "Generating SQL" {
			cancel()
		}
	}
	if _, err := f.Compile(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// begun is a session that tells when a statement begins.
type begun struct {
	sdk.Session
	tell func()
}

func (b begun) Validate(ctx context.Context, r sdk.ValidateRequest) (sdk.Validation, error) {
	return b.Session.(sdk.Validator).Validate(ctx, r)
}

func (b begun) Execute(ctx context.Context, r sdk.ExecuteRequest, w *sdk.RowWriter) error {
	b.tell()
	return b.Session.Execute(ctx, r, w)
}

func TestProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var got []string
	last := -1.0
	_, _, err := f.Run(t.Context(), semanticquery.Request{
		Body: json.RawMessage(`{"measures": ["orders.revenue"], "dimensions": ["orders.status"]}`),
		Progress: func(fraction float64, message string) {
			if fraction <= last || fraction > 1 {
				t.Errorf("%v after %v", fraction, last)
			}
			last = fraction
			got = append(got, fmt.Sprintf("%.1f %s", fraction, message))
		},
	}, &answer{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0.0 Compiling query", "0.3 Generating SQL", "0.6 Executing", "1.0 Fetched 3 rows"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// TestConcurrently runs many requests while the model changes: each answer is of one
// model as a whole, before an edit or after it.
func TestConcurrently(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	models := []string{ordersYAML, strings.ReplaceAll(strings.Replace(ordersYAML, "agg: sum, expr: amount,", "agg: sum, expr: amount * 2,", 1), "agg: sum, expr: amount, filter", "agg: sum, expr: amount * 2, filter")}
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if i%8 == 0 {
				f.write(t, "orders.yaml", models[i/8%2])
			}
			a := &answer{}
			if _, _, err := f.Run(t.Context(), body(`{"measures": ["orders.revenue", "orders.paid_revenue"]}`), a); err != nil {
				t.Error(err)
			} else if a.rows[0] != "150 80" && a.rows[0] != "300 160" {
				t.Errorf("of two models: %v", a.rows)
			}
		})
	}
	wg.Wait()
	if n := f.statements.Load(); n != 64 {
		t.Errorf("%d statements", n)
	}
}
