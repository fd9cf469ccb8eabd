// Package otlp sends traces and metrics to an OpenTelemetry receiver, by its
// protocol over HTTP, and lets Prometheus fetch the metrics. It does nothing that
// is not configured.
//
// All settings besides the endpoint are OTEL_ environment variables: headers
// with secrets, certificates, sampling, intervals.
package otlp

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// The variables of OpenTelemetry that name a receiver, for all and by signal,
// and others that decide whether there is one.
const (
	envEndpoint        = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envTracesEndpoint  = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	envMetricsEndpoint = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
	envProtocol        = "OTEL_EXPORTER_OTLP_PROTOCOL"
	envDisabled        = "OTEL_SDK_DISABLED"
)

// logEvery is how often at most it is logged that nothing arrives.
const logEvery = time.Minute

// Settings say where to send.
type Settings struct {
	// Endpoint of the project, without the path of a signal; "" = none. The
	// environment goes before it.
	Endpoint string
	// Prometheus is the address, host:port, at which the project has metrics
	// fetched; "" = none. The environment goes before it.
	Prometheus string
	Getenv     func(string) string
}

// receiver is what of the settings is in force.
type receiver struct {
	traces, metrics bool
	url             string // "" = the exporters read the environment
}

// Where is the endpoint that is in force, for people, and which setting names
// it; "" when there is none.
func (s Settings) Where() (endpoint, setting string) {
	if strings.EqualFold(s.Getenv(envDisabled), "true") {
		return "", ""
	}
	for _, name := range []string{envEndpoint, envTracesEndpoint, envMetricsEndpoint} {
		if value := s.Getenv(name); value != "" {
			return shown(value), name
		}
	}
	if s.Endpoint != "" {
		return shown(s.Endpoint), "telemetry.endpoint"
	}
	return "", ""
}

// shown is an address without what may be a secret in it.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is none"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func (s Settings) receiver() (receiver, error) {
	_, setting := s.Where()
	switch setting {
	case "":
		return receiver{}, nil
	case "telemetry.endpoint":
		return receiver{traces: true, metrics: true, url: strings.TrimRight(s.Endpoint, "/")}, nil
	}
	if protocol := s.Getenv(envProtocol); protocol != "" && protocol != "http/protobuf" {
		return receiver{}, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "%s is %q, and Loam speaks http/protobuf", envProtocol, protocol).
			WithHint("name the receiver's HTTP port (4318 by convention) in %s and set %s=http/protobuf", setting, envProtocol)
	}
	all := s.Getenv(envEndpoint) != ""
	return receiver{traces: all || s.Getenv(envTracesEndpoint) != "", metrics: all || s.Getenv(envMetricsEndpoint) != ""}, nil
}

// Config is what a Telemetry is made of. Settings, Version and Logger are
// required.
type Config struct {
	Settings
	Version string
	Logger  *slog.Logger
	Gauges  Gauges
}

// Telemetry collects and sends. Concurrency: any goroutine.
type Telemetry struct {
	tracer   *tracer // nil when no traces are asked for
	meter    *meter  // nil when no metrics are
	traces   *trace.TracerProvider
	metrics  *metric.MeterProvider
	scraped  *scrape // nil when no metrics are fetched
	complain *complaints
}

// Start returns what sends to the receiver that the settings name and answers
// Prometheus, nil when they name neither. It contacts nobody: a receiver that is not there is said in the log
// when there is something to send. So is an address at which it cannot listen: the server of another client of
// the project may have it.
// Errors: KindUnsupported for a protocol that is not spoken, KindInvalid for
// other settings that cannot be.
func Start(ctx context.Context, c Config) (*Telemetry, error) {
	r, err := c.receiver()
	if err != nil || !r.traces && !r.metrics && c.Scraped() == "" {
		return nil, err
	}
	t := &Telemetry{complain: &complaints{log: c.Logger}}
	otel.SetErrorHandler(t.complain) // the only way to hear of what did not arrive
	res, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "loam"), attribute.String("service.version", c.Version),
			attribute.String("service.instance.id", rand.Text())),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, unusable(err)
	}
	if r.traces {
		exporter, err := otlptrace.New(ctx, otlptracehttp.NewClient(r.traceOptions()...))
		if err != nil {
			return nil, unusable(err)
		}
		t.traces = trace.NewTracerProvider(trace.WithResource(res), trace.WithBatcher(exporter))
		t.tracer = &tracer{t.traces.Tracer("loam", tracerVersion(c.Version))}
	}
	if err := t.measure(ctx, r, res, c); err != nil {
		t.Close(ctx)
		return nil, unusable(err)
	}
	return t, nil
}

// measure makes the instruments and whoever reads them.
func (t *Telemetry) measure(ctx context.Context, r receiver, res *resource.Resource, c Config) error {
	options := []metric.Option{metric.WithResource(res)}
	if r.metrics {
		exporter, err := otlpmetrichttp.New(ctx, r.metricOptions()...)
		if err != nil {
			return err
		}
		options = append(options, metric.WithReader(metric.NewPeriodicReader(exporter)))
	}
	if address := c.Scraped(); address != "" {
		var err error
		if t.scraped, err = newScrape(ctx, address, c.Logger); err != nil {
			c.Logger.Warn("metrics cannot be fetched", "error", err)
		} else {
			options = append(options, metric.WithReader(t.scraped.reader))
		}
	}
	if len(options) == 1 {
		return nil
	}
	t.metrics = metric.NewMeterProvider(options...)
	var err error
	t.meter, err = newMeter(t.metrics.Meter("loam"), c.Gauges)
	return err
}

// Tracer returns what spans go to, nil when nobody asks for them.
func (t *Telemetry) Tracer() telemetry.Tracer {
	if t == nil || t.tracer == nil {
		return nil
	}
	return t.tracer
}

func (r receiver) traceOptions() []otlptracehttp.Option {
	if r.url == "" {
		return nil
	}
	return []otlptracehttp.Option{otlptracehttp.WithEndpointURL(r.url + "/v1/traces")}
}

func (r receiver) metricOptions() []otlpmetrichttp.Option {
	if r.url == "" {
		return nil
	}
	return []otlpmetrichttp.Option{otlpmetrichttp.WithEndpointURL(r.url + "/v1/metrics")}
}

func unusable(err error) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "telemetry cannot be sent: %w", err).
		WithHint("correct telemetry.endpoint in loam.yaml and the OTEL_ variables of the environment")
}

// Close sends what is left and ends the sending. A receiver that does not take
// it is said in the log, and is no error: telemetry must not decide how a
// program ends.
func (t *Telemetry) Close(ctx context.Context) {
	if t == nil {
		return
	}
	err := t.scraped.Close(ctx)
	if t.traces != nil {
		err = errors.Join(err, t.traces.Shutdown(ctx))
	}
	if t.metrics != nil {
		err = errors.Join(err, t.metrics.Shutdown(ctx))
	}
	if err != nil {
		t.complain.Handle(err)
	}
}

// Probe sends an empty request to the receiver, and so finds out whether it is
// there and lets us in.
// Errors: KindUnavailable; those of Start.
func Probe(ctx context.Context, s Settings) error {
	r, err := s.receiver()
	if err != nil || !r.traces {
		return err
	}
	options := append(r.traceOptions(), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	client := otlptracehttp.NewClient(options...)
	if err := client.Start(ctx); err != nil {
		return unusable(err)
	}
	if err := errors.Join(client.UploadTraces(ctx, nil), client.Stop(ctx)); err != nil {
		endpoint, setting := s.Where()
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the telemetry receiver %s does not take anything: %w", endpoint, err).
			WithHint("start it, or correct or unset %s", setting)
	}
	return nil
}

// complaints tells the log what could not be sent, once in a while.
type complaints struct {
	log    *slog.Logger
	mu     sync.Mutex
	logged time.Time
}

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.logged) < logEvery {
		return
	}
	c.logged = time.Now()
	c.log.Warn("telemetry does not arrive; calls go on", "error", err)
}
