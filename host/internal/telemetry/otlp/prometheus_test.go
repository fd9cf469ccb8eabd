package otlp

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// fetch reads a page, "" where nobody listens.
func fetch(t *testing.T, url string) (status int, text string) {
	t.Helper()
	r, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(url)
	if err != nil {
		return 0, ""
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// served starts telemetry with a port of its own and returns the address from the log.
func served(t *testing.T, c Config) (*Telemetry, string) {
	t.Helper()
	var log bytes.Buffer
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	tel := start(t, c)
	url := regexp.MustCompile(`metrics are served" url=(\S+)`).FindStringSubmatch(log.String())
	if url == nil {
		t.Fatalf("the log does not name the address: %s", &log)
	}
	return tel, url[1]
}

// Prometheus fetches the instruments that a receiver is sent, and both get them.
func TestPrometheus(t *testing.T) {
	c := newCollector(t)
	tel, url := served(t, Config{Settings: Settings{Endpoint: c.URL, Prometheus: "127.0.0.1:0"}, Version: "1.2.3", Gauges: Gauges{
		Sessions:   func() int { return 7 },
		Connectors: func() []Connector { return []Connector{{Name: "sqlite", State: "ready", Starts: 2, Crashes: 1}} },
		Index:      func() (int, int64) { return 4, 1000 },
		History:    func() (int64, int64) { return 10, 2 },
	}})
	tel.Count(t.Context(), Call{Tool: "sql_execution", Outcome: "ok", Rows: 5, Elapsed: 30 * time.Millisecond})
	status, text := fetch(t, url)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	for _, line := range []string{
		`mcp_server_operation_duration_seconds_bucket{gen_ai_tool_name="sql_execution",mcp_method_name="tools/call",le="0.05"} 1`,
		`loam_tool_calls_total{gen_ai_tool_name="sql_execution",loam_outcome="ok"} 1`,
		`loam_tool_rows_total{gen_ai_tool_name="sql_execution"} 5`,
		`loam_connector_processes{loam_connector="sqlite",loam_state="ready"} 1`,
		`loam_connector_crashes_total{loam_connector="sqlite"} 1`,
		`loam_sessions 7`, `loam_index_files 4`, `loam_index_size_bytes 1000`, `loam_history_recorded_total 10`, `loam_history_lost_total 2`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is missing in\n%s", line, text)
		}
	}
	if strings.Contains(text, "go_goroutines") || !strings.Contains(text, `service_version="1.2.3"`) {
		t.Errorf("the page is\n%s", text)
	}
	if status, _ := fetch(t, strings.TrimSuffix(url, MetricsPath)+"/"); status != http.StatusNotFound {
		t.Errorf("another page: status %d", status)
	}
	tel.Close(t.Context())
	if status, _ := fetch(t, url); status != 0 {
		t.Errorf("after the end: status %d", status)
	}
	if _, sent := c.metrics["loam.tool.calls"]; !sent {
		t.Error("the receiver was sent nothing")
	}
}

// An address that another server has is a line in the log and no more.
func TestPrometheusWithoutItsPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var log bytes.Buffer
	tel := start(t, Config{Settings: Settings{Prometheus: taken.Addr().String()}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	tel.Count(t.Context(), Call{Tool: "t", Outcome: "ok"})
	tel.Close(t.Context())
	if !strings.Contains(log.String(), "metrics cannot be fetched") {
		t.Errorf("the log is %s", &log)
	}
}

func TestScraped(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"127.0.0.1:1":    {},
		"":               {envDisabled: "true", envMetricsExporter: "prometheus"},
		"localhost:9464": {envMetricsExporter: "prometheus"},
		"0.0.0.0:9000":   {envMetricsExporter: "prometheus", envPrometheusHost: "0.0.0.0", envPrometheusPort: "9000"},
	} {
		s := Settings{Prometheus: "127.0.0.1:1", Getenv: func(name string) string { return env[name] }}
		if got := s.Scraped(); got != want {
			t.Errorf("with %v: %q, want %q", env, got, want)
		}
	}
}
