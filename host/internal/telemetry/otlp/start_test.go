package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// collector decodes what an OTLP receiver is sent.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	status  int // 0 = 200
	posts   []string
	spans   []*tracepb.Span
	metrics map[string]*metricspb.Metric // the last of each name
	from    map[string]string            // the resource
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: map[string]*metricspb.Metric{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.status != 0 {
			w.WriteHeader(c.status)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(r.Body); err != nil {
			return err
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.posts = append(c.posts, r.URL.Path)
	switch r.URL.Path {
	case "/v1/traces":
		var req collecttraces.ExportTraceServiceRequest
		if err := proto.Unmarshal(text, &req); err != nil {
			return err
		}
		for _, resource := range req.ResourceSpans {
			c.from = values(resource.Resource.Attributes)
			for _, scope := range resource.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	case "/v1/metrics":
		var req collectmetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(text, &req); err != nil {
			return err
		}
		for _, resource := range req.ResourceMetrics {
			for _, scope := range resource.ScopeMetrics {
				for _, m := range scope.Metrics {
					c.metrics[m.Name] = m
				}
			}
		}
	default:
		return fmt.Errorf("a post to %s", r.URL.Path)
	}
	return nil
}

func values(attrs []*v1.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attrs {
		switch v := a.Value.Value.(type) {
		case *v1.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		default:
			all[a.Key] = strings.TrimSpace(a.Value.String())
		}
	}
	return all
}

func noEnv(string) string { return "" }

func start(t *testing.T, c Config) *Telemetry {
	t.Helper()
	if c.Getenv == nil {
		c.Getenv = noEnv
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	tel, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return tel
}

// Spans of a call arrive in their order of nesting, inside the client's span.
func TestTraces(t *testing.T) {
	c := newCollector(t)
	tel := start(t, Config{Settings: Settings{Endpoint: c.URL + "/"}, Version: "1.2.3"})
	ctx, _ := telemetry.Begin(t.Context(), tel.Tracer())
	ctx, call := telemetry.StartFrom(ctx, "tools/call sql_execution", telemetry.Serving,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", telemetry.With("gen_ai.tool.name", "sql_execution"), telemetry.With("empty", ""))
	inner, query := telemetry.Start(ctx, "query", telemetry.Internal)
	_, execute := telemetry.Start(inner, "execute", telemetry.Asking, telemetry.With("b", true))
	execute.Set(telemetry.With("db.response.returned_rows", int64(3)))
	execute.End("")
	query.End("timeout")
	call.End("timeout")
	tel.Close(t.Context())

	if len(c.spans) != 3 {
		t.Fatalf("%d spans", len(c.spans))
	}
	execution, queried, called := c.spans[0], c.spans[1], c.spans[2] // as they ended
	if !bytes.Equal(execution.ParentSpanId, queried.SpanId) || !bytes.Equal(queried.ParentSpanId, called.SpanId) ||
		fmt.Sprintf("%x %x", called.TraceId, called.ParentSpanId) != "0af7651916cd43dd8448eb211c80319c b7ad6b7169203331" {
		t.Errorf("nesting: %v", c.spans)
	}
	kinds := []tracepb.Span_SpanKind{execution.Kind, queried.Kind, called.Kind}
	if !slices.Equal(kinds, []tracepb.Span_SpanKind{tracepb.Span_SPAN_KIND_CLIENT, tracepb.Span_SPAN_KIND_INTERNAL, tracepb.Span_SPAN_KIND_SERVER}) {
		t.Errorf("kinds %v", kinds)
	}
	if diff := cmp.Diff(map[string]string{"gen_ai.tool.name": "sql_execution", "error.type": "timeout"}, values(called.Attributes)); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if called.Status.Code != tracepb.Status_STATUS_CODE_ERROR || execution.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("status %v, %v", called.Status, execution.Status)
	}
	if c.from["service.name"] != "loam" || c.from["service.version"] != "1.2.3" || c.from["service.instance.id"] == "" {
		t.Errorf("from %v", c.from)
	}
	for name := range c.from {
		if strings.HasPrefix(name, "process.") || strings.HasPrefix(name, "host.") {
			t.Errorf("the resource tells %s", name) // a command line may hold a token
		}
	}
}

func TestMetrics(t *testing.T) {
	c := newCollector(t)
	tel := start(t, Config{Settings: Settings{Endpoint: c.URL}, Gauges: Gauges{
		Sessions: func() int { return 7 },
		Connectors: func() []Connector {
			return []Connector{
				{Name: "sqlite", State: "ready", Starts: 2, Crashes: 1},
				{Name: "sqlite", State: "ready", Starts: 1},
				{Name: "postgres", State: "backoff", Starts: 3, Crashes: 3},
			}
		},
		Index:   func() (int, int64) { return 4, 1000 },
		History: func() (int64, int64) { return 10, 2 },
	}})
	for range 3 {
		tel.Count(t.Context(), Call{Tool: "sql_execution", Outcome: "ok", Rows: 5, Elapsed: 30 * time.Millisecond})
	}
	tel.Count(t.Context(), Call{Tool: "sql_execution", Outcome: "timeout", Failed: true, Elapsed: time.Minute})
	tel.Close(t.Context())

	got := map[string]int64{}
	for name, m := range c.metrics {
		points := m.GetSum().GetDataPoints()
		points = append(points, m.GetGauge().GetDataPoints()...)
		for _, p := range points {
			v := values(p.Attributes)
			got[strings.TrimSpace(name+" "+v["loam.connector"]+v["loam.state"]+v["loam.outcome"])] = p.GetAsInt()
		}
		for _, p := range m.GetHistogram().GetDataPoints() {
			got[strings.TrimSpace(name+" "+values(p.Attributes)["error.type"])] = int64(p.GetCount())
			if diff := cmp.Diff(durations, p.ExplicitBounds); diff != "" {
				t.Errorf("bounds (-want +got):\n%s", diff)
			}
		}
	}
	want := map[string]int64{
		"mcp.server.operation.duration": 3, "mcp.server.operation.duration timeout": 1,
		"loam.tool.calls ok": 3, "loam.tool.calls timeout": 1, "loam.tool.rows": 15,
		"loam.sessions": 7, "loam.index.files": 4, "loam.index.size": 1000, "loam.history.recorded": 10, "loam.history.lost": 2,
		"loam.connector.processes sqliteready": 2, "loam.connector.processes postgresbackoff": 1,
		"loam.connector.starts sqlite": 3, "loam.connector.starts postgres": 3,
		"loam.connector.crashes sqlite": 1, "loam.connector.crashes postgres": 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A receiver that is not there, or refuses, is a line in the log and no more.
func TestReceiverIsAway(t *testing.T) {
	for _, tt := range []struct {
		name string
		hurt func(*collector)
	}{
		{"gone", func(c *collector) { c.Close() }},
		{"refusing", func(c *collector) { c.status = http.StatusUnauthorized }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCollector(t)
			tt.hurt(c)
			var log bytes.Buffer
			tel := start(t, Config{Settings: Settings{Endpoint: c.URL}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			ctx, _ := telemetry.Begin(t.Context(), tel.Tracer())
			_, span := telemetry.Start(ctx, "x", telemetry.Serving)
			span.End("")
			ending, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			tel.Close(ending)
			if n := strings.Count(log.String(), "telemetry does not arrive"); n != 1 {
				t.Errorf("said %d times:\n%s", n, &log)
			}
			err := Probe(t.Context(), Settings{Endpoint: c.URL, Getenv: noEnv})
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Kind != sdk.KindUnavailable || !strings.Contains(e.Msg, c.URL) || !strings.Contains(e.Hint, "telemetry.endpoint") {
				t.Errorf("probe: %v", err)
			}
		})
	}
}

func TestProbe(t *testing.T) {
	c := newCollector(t)
	if err := Probe(t.Context(), Settings{Endpoint: c.URL, Getenv: noEnv}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"/v1/traces"}, c.posts); diff != "" || len(c.spans) != 0 {
		t.Errorf("posts (-want +got):\n%s", diff)
	}
	if err := Probe(t.Context(), Settings{Getenv: noEnv}); err != nil {
		t.Errorf("without a receiver: %v", err)
	}
}

// The environment goes before the project, and the exporters read it.
func TestEnvironment(t *testing.T) {
	c := newCollector(t)
	t.Setenv(envEndpoint, c.URL)
	tel := start(t, Config{Settings: Settings{Endpoint: "http://127.0.0.1:1", Getenv: func(name string) string {
		if name == envEndpoint {
			return c.URL
		}
		return ""
	}}})
	tel.Count(t.Context(), Call{Tool: "t", Outcome: "ok"})
	tel.Close(t.Context())
	if !slices.Contains(c.posts, "/v1/metrics") {
		t.Errorf("posts %v", c.posts)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		env             map[string]string
		endpoint        string
		where           string
		traces, metrics bool
		kind            sdk.Kind
	}{
		{name: "nothing"},
		{name: "the project", endpoint: "http://x", where: "http://x telemetry.endpoint", traces: true, metrics: true},
		{name: "the environment", env: map[string]string{envEndpoint: "http://y"}, endpoint: "http://x", where: "http://y " + envEndpoint, traces: true, metrics: true},
		{name: "traces alone", env: map[string]string{envTracesEndpoint: "http://y"}, where: "http://y " + envTracesEndpoint, traces: true},
		{name: "metrics alone", env: map[string]string{envMetricsEndpoint: "http://y"}, where: "http://y " + envMetricsEndpoint, metrics: true},
		{name: "switched off", env: map[string]string{envEndpoint: "http://y", envDisabled: "TRUE"}, endpoint: "http://x"},
		{name: "another protocol", env: map[string]string{envEndpoint: "http://y", envProtocol: "grpc"}, where: "http://y " + envEndpoint, kind: sdk.KindUnsupported},
		{name: "the protocol", env: map[string]string{envEndpoint: "http://y", envProtocol: "http/protobuf"}, where: "http://y " + envEndpoint, traces: true, metrics: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := Settings{Endpoint: tt.endpoint, Getenv: func(name string) string { return tt.env[name] }}
			endpoint, setting := s.Where()
			if got := strings.TrimSpace(endpoint + " " + setting); got != tt.where {
				t.Errorf("where: %q, want %q", got, tt.where)
			}
			r, err := s.receiver()
			if r.traces != tt.traces || r.metrics != tt.metrics || sdk.KindOf(err) != tt.kind {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// Nothing configured costs nothing, on a nil Telemetry as well.
func TestOff(t *testing.T) {
	tel := start(t, Config{})
	if tel != nil || tel.Tracer() != nil {
		t.Fatalf("started %v", tel)
	}
	ctx, _ := telemetry.Begin(t.Context(), tel.Tracer())
	if n := testing.AllocsPerRun(100, func() {
		tel.Count(ctx, Call{})
		_, span := telemetry.Start(ctx, "x", telemetry.Internal)
		span.End("")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	tel.Close(ctx)
}
