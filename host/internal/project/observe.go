package project

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// The largest history of calls that a project may configure: each call takes up
// to 5 KiB.
const (
	MaxHistoryKeep = 10 * 365 * 24 * time.Hour
	MaxHistoryRows = 10_000_000
)

// History is the settings of the history of tool calls; a zero field is the
// default.
type History struct {
	Off       bool
	Keep      time.Duration
	Rows      int
	Arguments string // "shape", "full" or "none"
}

// Telemetry is the settings of traces and metrics.
type Telemetry struct {
	Endpoint   string // of an OTLP receiver, without path; "" = none
	Prometheus string // address of this machine at which metrics are fetched, host:port; "" = none
}

func (d *decoder) history(n *yaml.Node, path string, into *History) {
	if n.Kind == yaml.ScalarNode && (n.Value == "off" || n.Value == "false") {
		into.Off = true
		return
	}
	d.mapping(n, path, []key{
		{"keep", false, func(n *yaml.Node, path string) { d.age(n, path, MaxHistoryKeep, &into.Keep) }},
		{"rows", false, func(n *yaml.Node, path string) { d.integer(n, path, 1, MaxHistoryRows, &into.Rows) }},
		{"arguments", false, func(n *yaml.Node, path string) {
			d.oneOf(n, path, []string{"shape", "full", "none"}, &into.Arguments)
		}},
	}, "; history: off keeps nothing")
}

// age decodes a time that may be in days: 30d.
func (d *decoder) age(n *yaml.Node, path string, most time.Duration, into *time.Duration) {
	length, ok := ParseAge(n.Value)
	if !ok || n.Kind != yaml.ScalarNode || length <= 0 || length > most {
		d.problem(n, path, "must be a time above 0 and up to %dd, such as 30d or 12h, not %s", most/(24*time.Hour), kindName(n))
		return
	}
	*into = length
}

// ParseAge reads a time as time.ParseDuration does, and whole days: 30d.
func ParseAge(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		const most = 100 * 365
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err == nil && n <= most
	}
	length, err := time.ParseDuration(text)
	return length, err == nil
}

func (d *decoder) telemetry(n *yaml.Node, path string, into *Telemetry) {
	d.mapping(n, path, []key{
		{"endpoint", false, func(n *yaml.Node, path string) {
			d.text(n, path, &into.Endpoint)
			if u, err := url.Parse(into.Endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
				// It is not quoted: an address may hold a password.
				d.problem(n, path, "must be the address of an OTLP receiver over HTTP, such as http://localhost:4318, without user or query")
			}
		}},
		{"prometheus", false, func(n *yaml.Node, path string) {
			d.text(n, path, &into.Prometheus)
			if !isLocal(into.Prometheus) {
				d.problem(n, path, "must be an address of this machine with a port, such as 127.0.0.1:9464; OTEL_EXPORTER_PROMETHEUS_HOST in the environment names any other")
			}
		}},
	}, "; what else OpenTelemetry needs is in the OTEL_ variables of the environment")
	if *into == (Telemetry{}) && n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		d.problem(n, path, "names neither endpoint nor prometheus")
	}
}

// isLocal reports whether an address, host:port, is of this machine alone: a project from
// elsewhere opens no port to others.
func isLocal(address string) bool {
	host, port, err := net.SplitHostPort(address)
	_, portErr := strconv.ParseUint(port, 10, 16)
	return err == nil && portErr == nil && isLoopback(host)
}
