package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/request"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

// metrics is the semantic layer below the server.
type metrics struct {
	*world
	// answer is what a query finds, refusal what is said instead.
	answer  played
	refusal error

	mu    sync.Mutex
	asked semanticquery.Request
	read  semanticquery.SourceRequest
}

// played is an answer.
type played struct {
	compiled semanticquery.Compiled
	engine   []sdk.Column
	rows     [][]string
	outcome  query.Summary
}

func (m *metrics) config() Config {
	c := m.world.config()
	c.Semantic = m
	return c
}

// Run plays the answer; a query of "block" waits for the end of its context.
func (m *metrics) Run(ctx context.Context, r semanticquery.Request, sink semanticquery.Sink) (*semanticquery.Compiled, query.Summary, error) {
	if _, _, _, err := request.NormaliseCall(r.Body); err != nil {
		return nil, query.Summary{}, err
	}
	m.mu.Lock()
	m.asked = r
	m.mu.Unlock()
	if strings.Contains(string(r.Body), `"block"`) {
		m.started <- "block"
		<-ctx.Done()
		m.ended <- context.Cause(ctx)
		return nil, query.Summary{}, ctx.Err()
	}
	if m.refusal != nil {
		return nil, query.Summary{}, m.refusal
	}
	if r.Progress != nil {
		for i, stage := range []string{"Compiling query", "Generating SQL", "Executing", "Fetched 2 rows"} {
			r.Progress([]float64{0, 0.3, 0.6, 1}[i], stage)
		}
	}
	if err := sink.Columns(&m.answer.compiled, m.answer.engine); err != nil {
		return nil, query.Summary{}, err
	}
	for _, row := range m.answer.rows {
		cells := make([][]byte, len(row))
		for i, cell := range row {
			cells[i] = []byte(cell)
		}
		if err := sink.Row(cells); err != nil {
			return nil, query.Summary{}, err
		}
	}
	return &m.answer.compiled, m.answer.outcome, nil
}

func (m *metrics) ReadSource(_ context.Context, r semanticquery.SourceRequest) (*semanticquery.SourceAnswer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = r
	if m.refusal != nil {
		return nil, m.refusal
	}
	return &semanticquery.SourceAnswer{
		Connection: r.Connection, Name: "orders", Identity: "main.orders", PrimaryKey: []string{"id"}, TimeZone: "UTC",
		Measures: []semanticquery.Measure{{Name: "revenue", Kind: "simple", Agg: "sum", Expr: "amount < 5"}}, Segments: []semanticquery.Segment{},
		Dimensions: []semanticquery.Dimension{{Name: "status", Type: "string"}}, Joins: []semanticquery.Join{}, Reachable: []semanticquery.Reachable{},
	}, nil
}

// revenue is an answer with everything in it.
func revenue() played {
	return played{
		compiled: semanticquery.Compiled{
			Connection: "warehouse",
			Query: &compile.Query{
				SQL:  "SELECT 1 < 2",
				Plan: compile.Plan{Branches: []compile.Branch{{Home: "orders", Measures: []string{"orders.revenue"}}}},
				Columns: []compile.Column{
					{Name: "segment", Member: "customers.segment", Type: sdk.TypeText, Provenance: compile.Defined},
					{Name: "revenue", Member: "orders.revenue", Unit: "EUR", Format: "currency", Provenance: compile.Defined},
					{Name: "x", Type: sdk.TypeInt64, Provenance: compile.AdHoc},
				},
			},
			Notes: []string{"groups <overlap>"},
		},
		engine:  []sdk.Column{{Name: "segment", NativeType: "TEXT", Type: sdk.TypeText}, {Name: "revenue", Type: sdk.TypeDecimal}, {Name: "x"}},
		rows:    [][]string{{`"a<b"`, `"12.50"`, `1`}, {`null`, `null`, `0`}},
		outcome: query.Summary{RowCount: 2, Elapsed: 1234 * time.Microsecond},
	}
}

const revenueRows = `{"columns":[` +
	`{"member":"customers.segment","name":"segment","nativeType":"TEXT","provenance":"defined","type":"text"},` +
	`{"format":"currency","member":"orders.revenue","name":"revenue","provenance":"defined","type":"decimal","unit":"EUR"},` +
	`{"name":"x","provenance":"ad_hoc","type":"int64"}],` +
	`"connectionId":"warehouse","elapsedMs":1,"headers":["segment","revenue","x"],"notes":["groups \u003coverlap\u003e"%s],` +
	`%s"rowCount":2,"rows":[["a\u003cb","12.50",1],[null,null,0]],%s"truncated":%s}`

func TestSemanticQuery(t *testing.T) {
	t.Parallel()
	const plan = `"plan":{"branches":[{"home":"orders","measures":["orders.revenue"]}]},`
	const rows = "segment,revenue,x\na<b,12.50,1\n,,0\nnote: revenue is in EUR\nnote: x is ad_hoc\nnote: groups <overlap>"
	tests := []struct {
		name  string
		spoil func(*played)
		want  string
		text  string
	}{
		{"rows", func(*played) {}, fmt.Sprintf(revenueRows, "", "", "", "false"), rows},
		{"with the statement", func(p *played) { p.compiled.IncludeSQL = true }, fmt.Sprintf(revenueRows, "", "", `"sql":"SELECT 1 \u003c 2",`, "false"), rows + "\nsql: SELECT 1 < 2"},
		{"with the plan", func(p *played) { p.compiled.IncludePlan = true }, fmt.Sprintf(revenueRows, "", plan, "", "false"), rows + "\n" + strings.TrimSuffix(plan, ",")},
		{"cut", func(p *played) {
			p.outcome.Truncated, p.outcome.TruncatedBy, p.outcome.Notes = true, sdk.TruncatedByBytes, []string{"ask for less"}
		}, fmt.Sprintf(revenueRows, `,"ask for less"`, "", "", `true,"truncatedBy":"bytes"`), rows + "\nnote: ask for less"},
		{"nothing found, nothing to say", func(p *played) {
			p.rows, p.outcome.RowCount, p.compiled.Notes = nil, 0, nil
			p.compiled.Query.Columns, p.engine = p.compiled.Query.Columns[2:], p.engine[2:]
		}, `{"columns":[{"name":"x","provenance":"ad_hoc","type":"int64"}],"connectionId":"warehouse","elapsedMs":1,"headers":["x"],"rowCount":0,"rows":[],"truncated":false}`, "x\n(0 rows)\nnote: x is ad_hoc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &metrics{world: newWorld(), answer: revenue()}
			tt.spoil(&m.answer)
			c := m.config()
			c.AnswerSize = 123
			result := checked(t, connect(t, lines[0], c, nil), "sl_query", map[string]any{"measures": []any{"orders.revenue"}})
			if diff := cmp.Diff(tt.want, compact(t, result.StructuredContent)); diff != "" {
				t.Errorf("structured content (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.text, textOf(t, result)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if m.asked.MaxBytes != 123 {
				t.Errorf("the answer may have %d characters", m.asked.MaxBytes)
			}
		})
	}
}

// Whatever a caller writes for the same question reaches the layer as it was
// written, and means the same there.
func TestSemanticQueryTakesEveryShape(t *testing.T) {
	t.Parallel()
	const canonical = `{"connection_id":"warehouse","measures":["orders.revenue"],"dimensions":["customers.segment",{"field":"orders.created_at","granularity":"month"}],` +
		`"filters":["orders.status = 'paid'"],"order_by":[{"field":"orders.revenue","direction":"desc"}],"limit":10}`
	want, call, _, err := request.NormaliseCall(json.RawMessage(canonical))
	if err != nil || call.Connection != "warehouse" {
		t.Fatal(call, err)
	}
	tests := []struct{ name, args string }{
		{"canonical", canonical},
		{"connectionId", strings.Replace(canonical, "connection_id", "connectionId", 1)},
		{"nulls", strings.Replace(canonical, `"limit":10`, `"limit":10,"segments":null,"offset":null`, 1)},
		{"whole numbers with a fraction", strings.Replace(canonical, `"limit":10`, `"limit":10.0`, 1)},
		{
			"texts for lists", `{"connection_id":"warehouse","measures":"orders.revenue","dimensions":["customers.segment","orders.created_at.month"],` +
				`"filters":"orders.status = 'paid'","order_by":"-orders.revenue","limit":10}`,
		},
		{
			"lists in texts", `{"connection_id":"warehouse","measures":"[\"orders.revenue\"]","dimensions":"[\"customers.segment\",{\"field\":\"orders.created_at\",\"granularity\":\"month\"}]",` +
				`"filters":"[\"orders.status = 'paid'\"]","order_by":"[[\"orders.revenue\",\"desc\"]]","limit":10}`,
		},
		{
			"MetricFlow", `{"connectionId":"warehouse","metrics":["orders.revenue"],"group_by":["customers.segment","orders.created_at__month"],` +
				`"where":"orders.status = 'paid'","order_by":["-orders.revenue"],"limit":10}`,
		},
		{
			"camel case", `{"connectionId":"warehouse","measures":["orders.revenue"],"dimensions":["customers.segment",{"dimension":"orders.created_at","granularity":"month"}],` +
				`"filters":["orders.status = 'paid'"],"orderBy":[{"id":"orders.revenue","desc":true}],"limit":10}`,
		},
		{
			"Cube", `{"connectionId":"warehouse","measures":["orders.revenue"],"dimensions":["customers.segment"],"timeDimensions":[{"dimension":"orders.created_at","granularity":"month"}],` +
				`"filters":["orders.status = 'paid'"],"order":{"orders.revenue":"desc"},"limit":10}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &metrics{world: newWorld(), answer: revenue()}
			if result := checked(t, connect(t, lines[3], m.config(), nil), "sl_query", object(t, tt.args)); result.IsError {
				t.Fatal(textOf(t, result))
			}
			got, call, _, err := request.NormaliseCall(m.asked.Body)
			if err != nil || call.Connection != "warehouse" {
				t.Fatalf("%s: %+v, %v", m.asked.Body, call, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// What is wrong with a request is told with its place, before the layer is asked.
func TestSemanticQueryRefusesArguments(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, want string }{
		{"nothing", `{}`, "invalid_request: measures: nothing is asked for"},
		{"a negative limit", `{"measures":["a.b"],"limit":-1}`, "invalid_request: limit: "},
		{"a limit beyond all", `{"measures":["a.b"],"limit":1000001}`, "invalid_request: limit: "},
		{"a limit that is half", `{"measures":["a.b"],"limit":1.5}`, "invalid_request: limit: "},
		{"a negative offset", `{"measures":["a.b"],"offset":-1}`, "invalid_request: offset: "},
		{"a text for a number", `{"measures":["a.b"],"limit":"ten"}`, "invalid_request: limit: "},
		{"a number for a measure", `{"measures":[7]}`, "invalid_request: measures[0]: "},
		{"an unknown key", `{"measures":["a.b"],"filtres":[]}`, "Did you mean: filters?"},
		{"an unknown key inside", `{"measures":["a.b"],"filters":[{"field":"a.c","op":"equals","values":[1],"x":2}]}`, "invalid_request: filters[0]: "},
		{"said twice", `{"measures":["a.b"],"metrics":["a.c"]}`, "invalid_request: m"},
		{"an unknown fanout", `{"measures":["a.b"],"fanout":"explode"}`, "invalid_request: fanout: "},
		{"include of what there is not", `{"measures":["a.b"],"include":["secrets"]}`, "invalid_request: include"},
		{"a connection that is a number", `{"measures":["a.b"],"connection_id":7}`, "invalid_request: connection_id: "},
		{"two statements", `{"measures":["a.b"],"filters":["a.c = 1; DROP TABLE a"]}`, "invalid_expression: filters[0]: "},
	}
	m := &metrics{world: newWorld(), answer: revenue()}
	c := connect(t, lines[0], m.config(), nil)
	for _, tt := range tests {
		result := checked(t, c, "sl_query", object(t, tt.args))
		text := textOf(t, result)
		if !result.IsError || !strings.Contains(text, tt.want) || !strings.Contains(text, "\nFix: ") {
			t.Errorf("%s: %s", tt.name, text)
		}
	}
	if m.asked.Body != nil {
		t.Errorf("the layer was asked: %s", m.asked.Body)
	}
}

// A refusal that is not about the request is told like that of other tools.
func TestSemanticQueryFails(t *testing.T) {
	t.Parallel()
	severalConnections := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there are 2 connections, and the request names none").WithHint("name one")
	severalConnections.Candidates = []string{"a", "b"}
	m := &metrics{world: newWorld(), refusal: fmt.Errorf("query: %w", severalConnections)}
	c := connect(t, lines[0], m.config(), nil)
	for name, args := range map[string]map[string]any{
		"sl_query": {"measures": []any{"a.b"}}, "sl_read_source": {"connectionId": "warehouse", "source": "a"},
	} {
		const want = `{"category":"caller","code":"invalid","details":{"candidates":["a","b"]},"hint":"name one","message":"there are 2 connections, and the request names none","retryable":false}`
		if diff := cmp.Diff(want, compact(t, checked(t, c, name, args).StructuredContent)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSemanticQueryIsCancelled(t *testing.T) {
	t.Parallel()
	for _, l := range lines {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			m := &metrics{world: newWorld(), answer: revenue()}
			c := connect(t, l, m.config(), nil)
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, &sdkmcp.CallToolParams{Name: "sl_query", Arguments: map[string]any{"measures": []any{"block"}}})
				failed <- err
			}()
			receive(t, m.started)
			cancel()
			if cause := receive(t, m.ended); !errors.Is(cause, context.Canceled) && sdk.KindOf(cause) != sdk.KindCanceled {
				t.Errorf("cause: %v", cause)
			}
			if err := receive(t, failed); !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestSemanticQueryReportsProgress(t *testing.T) {
	t.Parallel()
	for _, l := range lines {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			seen := make(chan string, 16)
			m := &metrics{world: newWorld(), answer: revenue()}
			c := connect(t, l, m.config(), &sdkmcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdkmcp.ProgressNotificationClientRequest) {
				seen <- fmt.Sprint(r.Params.Progress, " ", r.Params.Message)
			}})
			params := &sdkmcp.CallToolParams{Name: "sl_query", Arguments: map[string]any{"measures": []any{"a.b"}}}
			params.SetProgressToken("p")
			if result, err := c.CallTool(t.Context(), params); err != nil || result.IsError {
				t.Fatal(err, result)
			}
			for _, want := range []string{"0 Compiling query", "0.3 Generating SQL", "0.6 Executing", "1 Fetched 2 rows"} {
				if got := receive(t, seen); got != want {
					t.Errorf("progress %q, want %q", got, want)
				}
			}
		})
	}
}

func TestReadSource(t *testing.T) {
	t.Parallel()
	all := semanticquery.SourceRequest{Connection: "warehouse", Name: "orders", MaxChars: 99}
	some := all
	some.Dimensions = []string{"status"}
	tests := []struct {
		name, args string
		want       semanticquery.SourceRequest
	}{
		{"as published", `{"connectionId":"warehouse","source":"orders"}`, all},
		{"sourceName", `{"connectionId":"warehouse","sourceName":"orders"}`, all},
		{"source_name", `{"connection_id":"warehouse","source_name":"orders","dimensions":null}`, all},
		{"name", `{"connectionId":"warehouse","name":"orders"}`, all},
		{"dimensions", `{"connectionId":"warehouse","source":"orders","dimensions":["status"]}`, some},
		{"one dimension", `{"connectionId":"warehouse","source":"orders","dimensions":"status"}`, some},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &metrics{world: newWorld()}
			c := m.config()
			c.AnswerSize = 99
			result := checked(t, connect(t, lines[0], c, nil), "sl_read_source", object(t, tt.args))
			if diff := cmp.Diff(tt.want, m.read); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if text := textOf(t, result); !strings.Contains(text, "\n  revenue = sum of amount < 5\n") || !strings.Contains(compact(t, result.StructuredContent), `"expr":"amount `) {
				t.Errorf("text %s", text)
			}
		})
	}
}

func TestReadSourceRefusesArguments(t *testing.T) {
	t.Parallel()
	m := &metrics{world: newWorld()}
	c := connect(t, lines[0], m.config(), nil)
	for args, want := range map[string]string{
		`{"source":"orders"}`:                                           "connectionId: expected a string, got nothing",
		`{"connectionId":"warehouse"}`:                                  "source: expected a string, got nothing",
		`{"connectionId":"warehouse","source":""}`:                      "source: expected a text that is not empty",
		`{"connectionId":"warehouse","source":"a","name":"b"}`:          "name: expected one of the names connectionId, dimensions, source",
		`{"connectionId":"warehouse","source":"a","dimensions":[1]}`:    "dimensions[0]: expected a string, got 1",
		`{"connectionId":"warehouse","source":{"name":"a"}}`:            "source: expected a string, got an object",
		`{"connectionId":"warehouse","source":"a","dimension":["b"]}`:   "did you mean dimensions?",
		`{"connectionId":"warehouse","source":"a","dimensions":[null]}`: "dimensions[0]: expected a string, got null",
	} {
		result := checked(t, c, "sl_read_source", object(t, args))
		if text := textOf(t, result); !result.IsError || !strings.Contains(text, want) {
			t.Errorf("%s: %s", args, text)
		}
	}
}

// An answer of many rows is written into one buffer: a row costs no allocation
// but the growth of that.
func TestRowsCostNoAllocations(t *testing.T) {
	p := revenue()
	cells := [][]byte{[]byte(`"a"`), []byte(`1`), []byte(`null`)}
	allocations := func(rows int) float64 {
		return testing.AllocsPerRun(10, func() {
			var a measured
			if err := a.Columns(&p.compiled, p.engine); err != nil {
				t.Error(err)
			}
			a.text = slices.Grow(a.text, rows*len(`["a",1,null],`)+1000)
			for range rows {
				if err := a.Row(cells); err != nil {
					t.Error(err)
				}
			}
			if _, err := a.finish(&p.compiled, p.outcome); err != nil {
				t.Error(err)
			}
		})
	}
	few, many := allocations(1), allocations(10_000)
	t.Logf("%v allocations for 1 row, %v for 10,000", few, many)
	if many > few+100 { // the encoder of the other members pools its buffers
		t.Errorf("%v allocations for 1 row, %v for 10,000", few, many)
	}
}
