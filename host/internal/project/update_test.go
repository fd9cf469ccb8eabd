package project

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

const commented = `version: 1 # the format
connections:
  other: {connector: x}

  # ours
  main:
    connector: foodb   # the engine
    config:
      # where it is
      host: old   # why there
      tls:
        cert: a.pem
        key: "b.pem" # ours

      # read what
      schemas: [a, b] # two
      tables:
        # first
        - x
        - y
    # none yet
    limits: {timeout: 5s}

# the rest
mcp: {}
`

// TestUpdate: of a file, the lines of the keys that changed are others, and no more.
func TestUpdate(t *testing.T) {
	t.Parallel()
	flow := "version: 1\nconnections:\n  main: {connector: foodb, config: {host: old, tls: {cert: a.pem, key: b.pem}}} # mine\n"
	empty := "version: 1\nconnections:\n  main:\n    connector: foodb\n    config: {}\n      # host: x\n"
	for name, c := range map[string]struct {
		before   string
		change   func(*connection.Connection)
		old, new string // what is replaced in the text
	}{
		"a value":       {commented, func(c *connection.Connection) { c.Config["host"] = "new: 1" }, "host: old   # why", "host: 'new: 1' # why"},
		"nested":        {commented, func(c *connection.Connection) { tls(c)["key"] = "env:KEY" }, `key: "b.pem" # ours`, "key: env:KEY # ours"},
		"new":           {commented, func(c *connection.Connection) { c.Config["port"] = float64(5432) }, "        - y\n", "        - y\n      port: 5432\n"},
		"new, nested":   {commented, func(c *connection.Connection) { tls(c)["ca"] = true }, "# ours\n\n      # read", "# ours\n        ca: true\n\n      # read"},
		"new mapping":   {commented, func(c *connection.Connection) { c.Config["ssh"] = map[string]any{"host": "h"} }, "        - y\n", "        - y\n      ssh:\n        host: h\n"},
		"a flow list":   {commented, func(c *connection.Connection) { c.Config["schemas"] = []any{"c"} }, "[a, b] # two", "[c] # two"},
		"a list":        {commented, func(c *connection.Connection) { c.Config["tables"] = []any{"z"} }, "        # first\n        - x\n        - y\n", "        - z\n"},
		"unset":         {commented, func(c *connection.Connection) { delete(c.Config, "host") }, "      # where it is\n      host: old   # why there\n", ""},
		"unset a list":  {commented, func(c *connection.Connection) { delete(c.Config, "schemas") }, "      # read what\n      schemas: [a, b] # two\n", ""},
		"unset nested":  {commented, func(c *connection.Connection) { delete(tls(c), "cert") }, "        cert: a.pem\n", ""},
		"unset mapping": {commented, func(c *connection.Connection) { delete(c.Config, "tls") }, "      tls:\n        cert: a.pem\n        key: \"b.pem\" # ours\n", ""},
		"a name":        {commented, func(c *connection.Connection) { c.DisplayName = "Main" }, "    limits: {timeout: 5s}\n", "    limits: {timeout: 5s}\n    display_name: Main\n"},
		"flow":          {flow, func(c *connection.Connection) { c.Config["host"] = "new" }, "host: old", "host: new"},
		"flow, nested":  {flow, func(c *connection.Connection) { tls(c)["key"] = "c.pem" }, "b.pem", "c.pem"},
		"flow, unset":   {flow, func(c *connection.Connection) { delete(tls(c), "cert") }, "cert: a.pem, ", ""},
		"flow, new":     {flow, func(c *connection.Connection) { c.Config["port"] = 1 }, "b.pem}", "b.pem}, port: 1"},
		"no config yet": {empty, func(c *connection.Connection) { c.Config["host"] = "h" }, "config: {}\n", "config:\n      host: h\n"},
		"all of it":     {strings.NewReplacer(" {}", "", "# host", "host").Replace(empty), func(c *connection.Connection) { delete(c.Config, "host") }, "    config:\n      host: x\n", ""},
		"carriage returns": {
			"version: 1\r\nconnections:\r\n  main:\r\n    connector: foodb\r\n    config: {host: old}\r\n", func(c *connection.Connection) { c.Config["host"] = "new" },
			"old", "new",
		},
		"nothing": {commented, func(*connection.Connection) {}, "", ""},
	} {
		was := only(t, c.before)
		now := was.WithConfig(deepCopy(was.Config))
		c.change(&now)
		got, err := update([]byte(c.before), "", was, now)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.old != "" && strings.Count(c.before, c.old) != 1 {
			t.Fatalf("%s: the test's text is not there once", name)
		}
		if diff := cmp.Diff(strings.Replace(c.before, c.old, c.new, 1), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestUpdateRefused(t *testing.T) {
	t.Parallel()
	anchored := "version: 1\nconnections:\n  main:\n    connector: foodb\n    config: &c {host: old}\n  second:\n    connector: foodb\n    config: *c\n"
	was := only(t, anchored)
	now := was.WithConfig(map[string]any{"host": "new"})
	if _, err := update([]byte(anchored), "", was, now); sdk.KindOf(err) != sdk.KindUnsupported || !strings.Contains(sdk.AsError(err, "").Hint, "host: new") {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(commented), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Update(context.Background(), dir, was, now); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("a connection that changed meanwhile: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, FileName)); err != nil || string(text) != commented {
		t.Errorf("the file was changed: %v", err)
	}
}

func only(t *testing.T, text string) connection.Connection {
	t.Helper()
	p, err := parse("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Connections.Get("main")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tls(c *connection.Connection) map[string]any { return c.Config["tls"].(map[string]any) }

func deepCopy(config map[string]any) map[string]any {
	config = maps.Clone(config)
	for key, value := range config {
		if inner, ok := value.(map[string]any); ok {
			config[key] = deepCopy(inner)
		}
	}
	return config
}
