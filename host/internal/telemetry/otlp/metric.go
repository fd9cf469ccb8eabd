package otlp

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Gauges are asked for the state of things when metrics are sent; a nil one is
// left out. They must return quickly.
type Gauges struct {
	// Sessions is how many clients have a session over HTTP.
	Sessions func() int
	// Connectors is the state of each connector process that was ever asked for.
	Connectors func() []Connector
	// Index is how many files the search index has, and their bytes.
	Index func() (files int, bytes int64)
	// History is how many calls this process recorded, and how many it could not.
	History func() (recorded, lost int64)
}

// Connector is a connector process.
type Connector struct {
	Name, State     string
	Starts, Crashes int64
}

// Call is one tool call that was answered.
type Call struct {
	Tool, Outcome string
	Failed        bool
	Rows          int
	Elapsed       time.Duration
}

// durations are the bounds of the histogram that OpenTelemetry's conventions for
// MCP ask for, in seconds.
var durations = []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}

type meter struct {
	duration metric.Float64Histogram
	calls    metric.Int64Counter
	rows     metric.Int64Counter
}

func newMeter(m metric.Meter, g Gauges) (*meter, error) {
	b := &builder{Meter: m}
	out := &meter{
		duration: b.histogram("mcp.server.operation.duration", "How long tool calls took."),
		calls:    b.counter("loam.tool.calls", "{call}", "Tool calls by tool and outcome."),
		rows:     b.counter("loam.tool.rows", "{row}", "Rows that tool calls delivered."),
	}
	if g.Sessions != nil {
		b.gauge("loam.sessions", "{session}", "Clients with a session over HTTP.", func() int64 { return int64(g.Sessions()) })
	}
	if g.Index != nil {
		b.gauge("loam.index.files", "{file}", "Files of the search index.", func() int64 { files, _ := g.Index(); return int64(files) })
		b.gauge("loam.index.size", "By", "Bytes of the search index.", func() int64 { _, bytes := g.Index(); return bytes })
	}
	if g.History != nil {
		b.total("loam.history.recorded", "{call}", "Tool calls that the history has.", func() int64 { n, _ := g.History(); return n })
		b.total("loam.history.lost", "{call}", "Tool calls that the history does not have.", func() int64 { _, n := g.History(); return n })
	}
	if g.Connectors != nil {
		b.connectors(g.Connectors)
	}
	return out, b.err
}

// Count counts a call; a nil Telemetry counts nothing.
func (t *Telemetry) Count(ctx context.Context, c Call) {
	if t == nil || t.meter == nil {
		return
	}
	tool := attribute.String("gen_ai.tool.name", c.Tool)
	attrs := []attribute.KeyValue{attribute.String("mcp.method.name", "tools/call"), tool}
	if c.Failed {
		attrs = append(attrs, attribute.String(errorType, c.Outcome))
	}
	t.meter.duration.Record(ctx, c.Elapsed.Seconds(), metric.WithAttributes(attrs...))
	t.meter.calls.Add(ctx, 1, metric.WithAttributes(tool, attribute.String("loam.outcome", c.Outcome)))
	if c.Rows > 0 {
		t.meter.rows.Add(ctx, int64(c.Rows), metric.WithAttributes(tool))
	}
}

// builder makes instruments and keeps the first error.
type builder struct {
	metric.Meter
	err error
}

func (b *builder) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *builder) histogram(name, description string) metric.Float64Histogram {
	h, err := b.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(durations...))
	b.keep(err)
	return h
}

func (b *builder) counter(name, unit, description string) metric.Int64Counter {
	c, err := b.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	b.keep(err)
	return c
}

func (b *builder) gauge(name, unit, description string, read func() int64) {
	_, err := b.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description), metric.WithInt64Callback(
		func(_ context.Context, o metric.Int64Observer) error { o.Observe(read()); return nil }))
	b.keep(err)
}

func (b *builder) total(name, unit, description string, read func() int64) {
	_, err := b.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(description), metric.WithInt64Callback(
		func(_ context.Context, o metric.Int64Observer) error { o.Observe(read()); return nil }))
	b.keep(err)
}

// connectors observes all processes of a connector together.
func (b *builder) connectors(read func() []Connector) {
	processes, err := b.Int64ObservableGauge("loam.connector.processes", metric.WithUnit("{process}"), metric.WithDescription("Connector processes by state."))
	b.keep(err)
	starts, err := b.Int64ObservableCounter("loam.connector.starts", metric.WithUnit("{start}"), metric.WithDescription("Starts of connectors."))
	b.keep(err)
	crashes, err := b.Int64ObservableCounter("loam.connector.crashes", metric.WithUnit("{crash}"), metric.WithDescription("Connectors that ended by themselves or failed to start."))
	b.keep(err)
	if b.err != nil {
		return
	}
	_, err = b.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		type place struct{ name, state string }
		byState, byName := map[place]int64{}, map[string]Connector{}
		for _, c := range read() {
			byState[place{c.Name, c.State}]++
			sum := byName[c.Name]
			byName[c.Name] = Connector{Starts: sum.Starts + c.Starts, Crashes: sum.Crashes + c.Crashes}
		}
		for at, n := range byState {
			o.ObserveInt64(processes, n, metric.WithAttributes(attribute.String("loam.connector", at.name), attribute.String("loam.state", at.state)))
		}
		for name, c := range byName {
			attrs := metric.WithAttributes(attribute.String("loam.connector", name))
			o.ObserveInt64(starts, c.Starts, attrs)
			o.ObserveInt64(crashes, c.Crashes, attrs)
		}
		return nil
	}, processes, starts, crashes)
	b.keep(err)
}
