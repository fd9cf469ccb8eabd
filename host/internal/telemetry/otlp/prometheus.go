package otlp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
)

// The variables of OpenTelemetry for metrics that are fetched.
// Source: OpenTelemetry, "Environment Variable Specification", Prometheus Exporter.
const (
	envMetricsExporter = "OTEL_METRICS_EXPORTER"
	envPrometheusHost  = "OTEL_EXPORTER_PROMETHEUS_HOST"
	envPrometheusPort  = "OTEL_EXPORTER_PROMETHEUS_PORT"
)

// MetricsPath is where Prometheus fetches metrics.
const MetricsPath = "/metrics"

// Scraped is the address at which Prometheus may fetch metrics, host:port; "" when it may
// not.
func (s Settings) Scraped() string {
	switch {
	case strings.EqualFold(s.Getenv(envDisabled), "true"):
		return ""
	case s.Getenv(envMetricsExporter) == "prometheus":
		return net.JoinHostPort(cmp.Or(s.Getenv(envPrometheusHost), "localhost"), cmp.Or(s.Getenv(envPrometheusPort), "9464"))
	}
	return s.Prometheus
}

// scrape answers Prometheus on a listener of its own.
type scrape struct {
	reader metric.Reader
	server *http.Server
	served sync.WaitGroup
}

// newScrape listens at address.
func newScrape(ctx context.Context, address string, log *slog.Logger) (*scrape, error) {
	const patience = 10 * time.Second
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()                                                        // of the instruments alone, not of the library's own
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo()) // there is one scope
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+MetricsPath, promhttp.HandlerFor(registry, promhttp.HandlerOpts{Timeout: patience}))
	s := &scrape{reader: reader, server: &http.Server{Handler: mux, ReadHeaderTimeout: patience, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}}
	s.served.Go(func() {
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("metrics are not served any more; calls go on", "error", err)
		}
	})
	log.Info("metrics are served", "url", fmt.Sprintf("http://%s%s", listener.Addr(), MetricsPath))
	return s, nil
}

// Close ends the listener; fetches that run have until ctx ends.
func (s *scrape) Close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	err := s.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.server.Close())
	}
	s.served.Wait()
	return err
}
