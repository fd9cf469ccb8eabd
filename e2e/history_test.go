package e2e

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// bearer carries a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// receiver takes what is sent over OTLP.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	raw   []byte // of all requests
	spans []*tracepb.Span
	calls map[string]int64 // of the counter of calls, by outcome
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{calls: map[string]int64{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		if err := r.take(q); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take(q *http.Request) error {
	body := io.Reader(q.Body)
	if q.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(q.Body); err != nil {
			return err
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw = append(r.raw, text...)
	if strings.HasSuffix(q.URL.Path, "/traces") {
		var traces collecttraces.ExportTraceServiceRequest
		if err := proto.Unmarshal(text, &traces); err != nil {
			return err
		}
		for _, resource := range traces.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
		return nil
	}
	var metrics collectmetrics.ExportMetricsServiceRequest
	if err := proto.Unmarshal(text, &metrics); err != nil {
		return err
	}
	r.count(&metrics)
	return nil
}

func (r *receiver) count(metrics *collectmetrics.ExportMetricsServiceRequest) {
	for _, resource := range metrics.ResourceMetrics {
		for _, scope := range resource.ScopeMetrics {
			for _, m := range scope.Metrics {
				if m.Name != "loam.tool.calls" {
					continue
				}
				for _, p := range m.GetSum().GetDataPoints() {
					for _, a := range p.Attributes {
						if a.Key == "loam.outcome" {
							r.calls[a.Value.GetStringValue()] = p.GetAsInt()
						}
					}
				}
			}
		}
	}
}

type recorded struct {
	Calls []struct {
		ID, Tool, Connection, Outcome, Client, Transport, Principal, Session string
		Rows                                                                 *int
		Arguments                                                            map[string]any
	}
	Gaps []any
}

// configure adds to the configuration of a project.
func configure(t *testing.T, dir, text string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, "loam.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestHistory: 64 clients call at once, the server is ended while the last calls
// still wait to be written, and every call is there, once, in the history, in
// the log, as a trace and in the counters; what was looked for is in none of them.
func TestHistory(t *testing.T) {
	heavy(t, "the history of 64 clients")
	const clients, token, secret = 64, "t0ken-of-the-test", "ada.lovelace@example.com"
	dir := demoProject(t)
	otlp := newReceiver(t)
	configure(t, dir, fmt.Sprintf("telemetry: {endpoint: %q}\n", otlp.URL))
	daemon := startDaemon(t, dir, "--token", token, "--rate", "0")
	var calling sync.WaitGroup
	for range clients {
		s := client(t, &mcp.StreamableClientTransport{Endpoint: daemon.URL, HTTPClient: &http.Client{Transport: bearer(token)}})
		calling.Go(func() {
			rows, refused := s.sql(t.Context(), t, "shop", "select name from customers where email <> '"+secret+"' order by id limit 3", nil)
			if refused != nil || rows.RowCount != 3 {
				t.Errorf("%+v, %+v", rows, refused)
			}
			if _, refused := s.sql(t.Context(), t, "shop", "delete from customers where email = '"+secret+"'", nil); refused == nil || refused.Code != "not_read_only" {
				t.Errorf("a delete: %+v", refused)
			}
		})
	}
	calling.Wait()
	if stop := loam(t, dir, "mcp", "stop"); stop.code != 0 {
		t.Fatalf("stop: %+v", stop)
	}

	var h recorded
	unmarshal(t, []byte(loam(t, dir, "history", "--limit", "0", "--json").stdout), &h)
	ids, sessions, outcomes, log := map[string]bool{}, map[string]bool{}, map[string]int64{}, logged(dir)
	for _, c := range h.Calls {
		ids[c.ID], sessions[c.Session] = true, true
		outcomes[c.Outcome]++
		if c.Tool != "sql_execution" || c.Connection != "shop" || c.Client != "e2e" || c.Transport != "http" || c.Principal != "token" {
			t.Fatalf("%+v", c)
		}
		want := "select name from customers where email <> ? order by id limit ?"
		if c.Outcome != "ok" {
			want = "delete from customers where email = ?"
		}
		if c.Arguments["sql"] != want || (c.Outcome == "ok") != (c.Rows != nil && *c.Rows == 3) {
			t.Fatalf("%+v", c)
		}
		if n := strings.Count(log, "request_id="+c.ID+"\n"); n != 1 {
			t.Errorf("%s is in %d lines of the log", c.ID, n)
		}
	}
	want := map[string]int64{"ok": clients, "not_read_only": clients}
	if diff := cmp.Diff(want, outcomes) + cmp.Diff(want, otlp.calls); diff != "" || len(h.Gaps) > 0 {
		t.Errorf("outcomes in the history and in the counters (-want +got), gaps %v:\n%s", h.Gaps, diff)
	}
	if len(ids) != 2*clients || sessions[""] {
		t.Errorf("%d ids, sessions %v", len(ids), sessions)
	}
	spans := map[string]int{}
	for _, s := range otlp.spans {
		spans[s.Name]++
	}
	if diff := cmp.Diff(map[string]int{"tools/call sql_execution": 2 * clients, "query": 2 * clients, "connector lease": clients, "execute": clients}, spans); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	kept := map[string][]byte{"the log": []byte(log), "what was sent": otlp.raw}
	files, err := filepath.Glob(filepath.Join(dir, ".loam", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil { // the others are folders
			kept[f] = text
		}
	}
	for where, text := range kept {
		for _, word := range []string{secret, token} {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s holds %s", where, word)
			}
		}
	}
	shown := loam(t, dir, "history", "show", h.Calls[0].ID)
	if shown.code != 0 || !strings.Contains(shown.stdout, h.Calls[0].Session) {
		t.Errorf("%+v", shown)
	}
}

// TestSecretsAreTakenOut: an agent that writes a secret of the host into a
// statement finds it neither in its error nor, where whole arguments are kept,
// in the history.
func TestSecretsAreTakenOut(t *testing.T) {
	t.Parallel()
	heavy(t, "secrets in what is kept")
	const token = "t0ken_of_the_test"
	dir := demoProject(t)
	configure(t, dir, "history: {arguments: full}\n")
	daemon := startDaemon(t, dir, "--token", token)
	s := client(t, &mcp.StreamableClientTransport{Endpoint: daemon.URL, HTTPClient: &http.Client{Transport: bearer(token)}})
	_, refused := s.sql(t.Context(), t, "shop", "select "+token+" from customers", nil)
	if refused == nil || refused.Code != "not_found" || !strings.Contains(refused.Message, "[redacted]") || strings.Contains(fmt.Sprint(*refused), token) {
		t.Errorf("%+v", refused)
	}
	if stop := loam(t, dir, "mcp", "stop"); stop.code != 0 {
		t.Fatalf("stop: %+v", stop)
	}
	var h recorded
	unmarshal(t, []byte(loam(t, dir, "history", "--json").stdout), &h)
	if len(h.Calls) != 1 || h.Calls[0].Arguments["sql"] != "select [redacted] from customers" {
		t.Errorf("%+v", h)
	}
	if strings.Contains(logged(dir), token) {
		t.Error("the log holds it")
	}
}
