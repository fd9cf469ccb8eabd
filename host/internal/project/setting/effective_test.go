package setting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/history"
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
		want Setting
	}{
		{"", none, Setting{Key: "project folder", Value: dir, From: FromDefault}},
		{dir, none, Setting{Key: "project folder", Value: dir, From: FromFlag, By: "--project-dir"}},
		{"", map[string]string{project.DirVariable: dir}, Setting{Key: "project folder", Value: dir, From: FromEnv, By: project.DirVariable}},
		{"", none, Setting{Key: "state folder", Value: filepath.Join(dir, ".loam"), From: FromDefault}},
		{"", none, Setting{Key: "mcp.ask", Value: "off", From: FromFile, Line: 2}},
		{"", none, Setting{Key: "mcp.read_only", Value: false, From: FromDefault}},
		{"", none, Setting{Key: "history.keep", Value: "168h0m0s", From: FromFile, Line: 4}},
		{"", none, Setting{Key: "history.rows", Value: 100_000, From: FromDefault}},
		{"", none, Setting{Key: "memory.policy.page", Value: "pending", From: FromFile, Line: 7}},
		{"", none, Setting{Key: "console.enabled", Value: true, From: FromDefault}},
		{"", none, Setting{Key: "console.token", Value: "env:CONSOLE", From: FromFile, Line: 8}},
		{"", none, Setting{Key: "console.reader_token", From: FromDefault}},
		{"", none, Setting{Key: "console.idle", Value: "30m0s", From: FromFile, Line: 8}},
		{"", none, Setting{Key: "telemetry.endpoint", Value: "http://localhost:4318", From: FromFile, Line: 5}},
		{
			"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:4318"},
			Setting{Key: "telemetry.endpoint", Value: "http://other:4318", From: FromEnv, By: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		},
		{"", none, Setting{Key: "connections.shop.limits.timeout", Value: "5s", From: FromFile, Line: 13}},
		{"", none, Setting{Key: "connections.shop.scan.mode", Value: "enriched", From: FromDefault}},
	} {
		all, err := Of(p, tt.flag, func(name string) string { return tt.env[name] })
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

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		setting      Setting
		text, origin string
	}{
		{Setting{From: FromDefault}, "", "default"},
		{Setting{Value: "a <b>", From: FromFile, Line: 3}, "a <b>", "file line 3"},
		{Setting{Value: history.Shape, From: FromEnv, By: "X"}, "shape", "env X"},
		{Setting{Value: []string{"a", "b"}}, `["a","b"]`, ""},
		{Setting{Value: true}, "true", ""},
	} {
		text, err := tt.setting.Text()
		if err != nil || text != tt.text || tt.setting.Origin() != tt.origin {
			t.Errorf("%+v: %q of %q, %v", tt.setting, text, tt.setting.Origin(), err)
		}
	}
	if got := withoutPassword("https://ada:hush@receiver:4318"); strings.Contains(got, "hush") {
		t.Errorf("the password is in %s", got)
	}
}
