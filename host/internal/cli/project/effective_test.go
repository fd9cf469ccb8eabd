package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/project"
)

// Each setting names where it comes from; what a connector needs to connect is not among them.
func TestSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "version: 1\nmcp: {ask: off}\nhistory:\n  keep: 7d\ntelemetry: {endpoint: \"http://localhost:4318\"}\nmemory:\n  policy: {page: pending}\n" +
		"console: {token: \"env:CONSOLE\", idle: 30m}\n" +
		"connections:\n  shop:\n    connector: foodb\n    config: {password: hush}\n    limits: {timeout: 5s}\n"
	if err := os.WriteFile(filepath.Join(dir, project.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	none := map[string]string{}
	for _, tt := range []struct {
		flag string
		env  map[string]string
		want setting
	}{
		{"", none, setting{Key: "project folder", Value: dir, From: fromDefault}},
		{dir, none, setting{Key: "project folder", Value: dir, From: fromFlag, By: "--project-dir"}},
		{"", map[string]string{project.DirVariable: dir}, setting{Key: "project folder", Value: dir, From: fromEnv, By: project.DirVariable}},
		{"", none, setting{Key: "state folder", Value: filepath.Join(dir, ".loam"), From: fromDefault}},
		{"", none, setting{Key: "mcp.ask", Value: "off", From: fromFile, Line: 2}},
		{"", none, setting{Key: "mcp.read_only", Value: false, From: fromDefault}},
		{"", none, setting{Key: "history.keep", Value: "168h0m0s", From: fromFile, Line: 4}},
		{"", none, setting{Key: "history.rows", Value: 100_000, From: fromDefault}},
		{"", none, setting{Key: "memory.policy.page", Value: "pending", From: fromFile, Line: 7}},
		{"", none, setting{Key: "console.enabled", Value: true, From: fromDefault}},
		{"", none, setting{Key: "console.token", Value: "env:CONSOLE", From: fromFile, Line: 8}},
		{"", none, setting{Key: "console.reader_token", From: fromDefault}},
		{"", none, setting{Key: "console.idle", Value: "30m0s", From: fromFile, Line: 8}},
		{"", none, setting{Key: "telemetry.endpoint", Value: "http://localhost:4318", From: fromFile, Line: 5}},
		{
			"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:4318"},
			setting{Key: "telemetry.endpoint", Value: "http://other:4318", From: fromEnv, By: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		},
		{"", none, setting{Key: "connections.shop.limits.timeout", Value: "5s", From: fromFile, Line: 13}},
		{"", none, setting{Key: "connections.shop.scan.mode", Value: "enriched", From: fromDefault}},
	} {
		a := &commands{invocation: &command.Invocation{Dir: tt.flag}}
		all, err := a.settings(p, func(name string) string { return tt.env[name] })
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, s := range all {
			if text, ok := s.Value.(string); strings.Contains(s.Key, "config") || ok && strings.Contains(text, "hush") {
				t.Errorf("%+v is shown", s)
			}
			if s.Key == tt.want.Key {
				found = true
				if s != tt.want {
					t.Errorf("%+v, want %+v", s, tt.want)
				}
			}
		}
		if !found {
			t.Errorf("no %s", tt.want.Key)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, project.FileName), []byte("version: 1\nhistory: off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err = project.Load(dir); err != nil {
		t.Fatal(err)
	}
	if last := projectKeys(p); last[len(last)-1].Value != "off" {
		t.Errorf("history: %+v", last[len(last)-1])
	}
}
