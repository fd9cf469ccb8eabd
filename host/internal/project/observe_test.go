package project

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestObserve(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name, text string
		history    History
		telemetry  Telemetry
		problem    string
	}{
		{name: "nothing", text: ""},
		{
			name: "all", text: "history: {keep: 30d, rows: 5, arguments: full}\ntelemetry: {endpoint: 'http://localhost:4318'}",
			history: History{Keep: 30 * day, Rows: 5, Arguments: "full"}, telemetry: Telemetry{Endpoint: "http://localhost:4318"},
		},
		{name: "hours", text: "history: {keep: 36h}", history: History{Keep: 36 * time.Hour}},
		{name: "off", text: "history: off", history: History{Off: true}},
		{name: "false", text: "history: false", history: History{Off: true}},
		{name: "on", text: "history: on", problem: "history: must be a mapping"},
		{name: "a key that is none", text: "history: {row: 5}", problem: `did you mean "rows"?`},
		{name: "no time", text: "history: {keep: 30}", problem: "history.keep: must be a time above 0 and up to 3650d, such as 30d or 12h, not \"30\""},
		{name: "too long", text: "history: {keep: 3651d}", problem: "history.keep: must be a time"},
		{name: "never", text: "history: {keep: 0d}", problem: "history.keep: must be a time"},
		{name: "a huge number of days", text: "history: {keep: 99999999999d}", problem: "history.keep: must be a time"},
		{name: "no rows", text: "history: {rows: 0}", problem: "history.rows: must be a whole number from 1"},
		{name: "no such way", text: "history: {arguments: some}", problem: "history.arguments: must be shape or full or none"},
		{name: "no endpoint", text: "telemetry: {}", problem: "telemetry: names neither endpoint nor prometheus"},
		{name: "fetched", text: "telemetry: {prometheus: 'localhost:9464'}", telemetry: Telemetry{Prometheus: "localhost:9464"}},
		{name: "fetched by IPv6", text: "telemetry: {prometheus: '[::1]:0'}", telemetry: Telemetry{Prometheus: "[::1]:0"}},
		{name: "fetched by others", text: "telemetry: {prometheus: '0.0.0.0:9464'}", problem: "telemetry.prometheus: must be an address of this machine"},
		{name: "any address", text: "telemetry: {prometheus: ':9464'}", problem: "telemetry.prometheus: must be an address of this machine"},
		{name: "no port", text: "telemetry: {prometheus: '127.0.0.1'}", problem: "telemetry.prometheus: must be an address of this machine"},
		{name: "a port that is none", text: "telemetry: {prometheus: '127.0.0.1:99999'}", problem: "telemetry.prometheus: must be an address of this machine"},
		{name: "no scheme", text: "telemetry: {endpoint: 'localhost:4318'}", problem: "telemetry.endpoint: must be the address"},
		{name: "a password", text: "telemetry: {endpoint: 'https://me:hunter2@x'}", problem: "telemetry.endpoint: must be the address"},
		{name: "headers", text: "telemetry: {endpoint: 'https://x', headers: {a: b}}", problem: "OTEL_ variables"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := parse(t.TempDir(), []byte("version: 1\n"+tt.text))
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) || strings.Contains(err.Error(), "hunter2") {
					t.Fatalf("got %v, want %s", err, tt.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.history, p.History) + cmp.Diff(tt.telemetry, p.Telemetry); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
