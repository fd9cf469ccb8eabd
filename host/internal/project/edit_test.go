package project

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

var small = connection.Connection{ID: "new", Connector: "foodb"}

const smallLines = "  new:\n    connector: foodb\n"

func TestAdd(t *testing.T) {
	t.Parallel()
	whole := connection.Connection{
		ID: "new", Connector: "acme/foodb", Path: "bin/foodb", DisplayName: "yes", Description: "two\nlines: # and more",
		Config: map[string]any{"port": 5432, "host": "0123", "tls": map[string]any{"on": true}, "schemas": []string{"a", "null"}, "empty": "", "none": nil},
		Limits: connection.Limits{Timeout: 2 * time.Minute, MaxRows: 10, Concurrency: 2, Memory: 100_000_001},
		Scan: connection.Scan{
			Mode: connection.ScanEnriched, Include: []string{"*.orders"}, Exclude: []string{"yes"}, ProfileViews: true, ForeignTables: true,
			ProfileBudget: time.Hour, ValuesPerColumn: 5, KeepValues: []string{"a"}, WithholdValues: []string{"b"},
		},
		Isolation: connection.IsolationConnection,
	}
	tests := []struct {
		name         string
		c            connection.Connection
		before, want string
	}{
		{"first", small, string(template), strings.Replace(string(template), "connections: {}\n", "connections:\n"+smallLines, 1)},
		{"no key", small, "version: 1\n", "version: 1\nconnections:\n" + smallLines},
		{"no key, no newline", small, "version: 1", "version: 1\nconnections:\n" + smallLines},
		{"no key, comment at the end", small, "version: 1\n\n# the end\n", "version: 1\nconnections:\n" + smallLines + "\n# the end\n"},
		{"empty value", small, "connections:   # mine\nversion: 1\n", "connections:   # mine\n" + smallLines + "version: 1\n"},
		{"empty value, indented comment", small, "version: 1\nconnections:\n  # later\n", "version: 1\nconnections:\n  # later\n" + smallLines},
		{"null", small, "version: 1\nconnections: ~ # mine\n", "version: 1\nconnections: # mine\n" + smallLines},
		{"braces and a comment", small, "version: 1\nconnections: { } # é\nx: 1\n", ""},
		{
			"behind the others", small, "version: 1\nconnections:\n  a:\n    connector: x # why\n\n  # b is old\n  b: {connector: y}\n",
			"version: 1\nconnections:\n  a:\n    connector: x # why\n\n  # b is old\n  b: {connector: y}\n" + smallLines,
		},
		{"before the next key", small, "connections:\n  a: {connector: x}\n\n# the version\nversion: 1\n", "connections:\n  a: {connector: x}\n" + smallLines + "\n# the version\nversion: 1\n"},
		{"behind an indented comment", small, "version: 1\nconnections:\n  a: {connector: x}\n  # b: {connector: y}\n\n\n", "version: 1\nconnections:\n  a: {connector: x}\n  # b: {connector: y}\n" + smallLines + "\n\n"},
		{"indent of the file", small, "version: 1\nconnections:\n    a:\n        connector: x\n", "version: 1\nconnections:\n    a:\n        connector: x\n    new:\n        connector: foodb\n"},
		{"indent of one", small, "version: 1\nconnections:\n a:\n  connector: x\n", "version: 1\nconnections:\n a:\n  connector: x\n new:\n   connector: foodb\n"},
		{"no newline at the end", small, "version: 1\nconnections:\n  a: {connector: x}", "version: 1\nconnections:\n  a: {connector: x}\n" + smallLines},
		{"carriage returns", small, "version: 1\r\nconnections:\r\n  a: {connector: x}\r\n", "version: 1\r\nconnections:\r\n  a: {connector: x}\r\n  new:\r\n    connector: foodb\r\n"},
		{"document marks", small, "---\nversion: 1\nconnections:\n  a: {connector: x}\n...\n", "---\nversion: 1\nconnections:\n  a: {connector: x}\n" + smallLines + "...\n"},
		{"literal text that looks like a comment", small, "version: 1\nconnections:\n  a:\n    connector: x\n    description: |\n      one\n      # two\nx: 1\n", ""},
		{"literal text at the end", small, "version: 1\nconnections:\n  a:\n    connector: x\n    description: |\n      one\n      # two\n", "version: 1\nconnections:\n  a:\n    connector: x\n    description: |\n      one\n      # two\n" + smallLines},
		{"everything", whole, "version: 1\n", `version: 1
connections:
  new:
    connector: acme/foodb
    path: bin/foodb
    display_name: "yes"
    description: |-
      two
      lines: # and more
    config:
      empty: ""
      host: "0123"
      none: null
      port: 5432
      schemas:
        - a
        - "null"
      tls:
        "on": true
    limits:
      timeout: 2m
      max_rows: 10
      concurrency: 2
      memory: 100000001B
    scan:
      mode: enriched
      include:
        - '*.orders'
      exclude:
        - "yes"
      profile_views: true
      foreign_tables: true
      profile_budget: 1h
      values_per_column: 5
      keep_values:
        - a
      withhold_values:
        - b
    isolation: connection
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, tt.before)
			_, err := Add(t.Context(), dir, tt.c)
			got := contents(t, filepath.Join(dir, FileName))
			if tt.want == "" { // not a project file
				if sdk.KindOf(err) != sdk.KindInvalid || got != tt.before {
					t.Errorf("error %v, file %q", err, got)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Fatalf("%v (-want +got):\n%s", err, diff)
			}
			p, err := Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := p.Connections.Get("new"); err != nil || !same(c, normal(tt.c, dir)) {
				t.Errorf("read again: %+v, %v", c, err)
			}
			if err := Remove(t.Context(), dir, "new"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAddRefusals(t *testing.T) {
	t.Parallel()
	odd := small
	odd.Config = map[string]any{"a": math.NaN()}
	empty := small
	empty.Connector = ""
	bad := small
	bad.ID = "No Good"
	over := small
	over.Limits.Concurrency = 1000
	tests := []struct {
		name, text string
		c          connection.Connection
		kind       sdk.Kind
		says       string // message or hint
	}{
		{"taken", "version: 1\nconnections: {new: {connector: x}}\n", small, sdk.KindConflict, "loam connection remove new"},
		{"id", "version: 1\n", bad, sdk.KindInvalid, "lower-case letters"},
		{"value", "version: 1\n", odd, sdk.KindInvalid, "config.a: is a number that can be misread"},
		{"no connector", "version: 1\n", empty, sdk.KindInvalid, "connector: must name a connector"},
		{"limit", "version: 1\n", over, sdk.KindInvalid, "limits.concurrency: must be a whole number from 1 to 64"},
		{"broken file", "version: 1\nfoo: 1\n", small, sdk.KindInvalid, "correct loam.yaml"},
		{"connections in braces", "version: 1\nconnections: {a: {connector: x}}\n", small, sdk.KindUnsupported, "add these lines under connections yourself:\n" + smallLines},
		{"file in braces", "{version: 1}\n", small, sdk.KindUnsupported, smallLines},
		{"indented file", "  version: 1\n", small, sdk.KindUnsupported, smallLines},
		{"value on its own line", "version: 1\nconnections:\n  {}\n", small, sdk.KindUnsupported, smallLines},
		{"kept blank lines", "version: 1\nconnections:\n  a:\n    connector: x\n    description: |+\n      one\n\n\n", small, sdk.KindUnsupported, smallLines},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, tt.text)
			_, err := Add(t.Context(), dir, tt.c)
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != tt.kind || e.Hint == "" || !strings.Contains(e.Msg+e.Hint, tt.says) {
				t.Errorf("error %+v, want %s that says %q", e, tt.kind, tt.says)
			}
			if got := contents(t, filepath.Join(dir, FileName)); got != tt.text {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	const three = `# head
version: 1
connections: # all of them
  # about a
  # in two lines
  a:
    connector: x # why
    # inside a

  # about b
  b:
    connector: y
    description: |
      text
      # of b

  # about c
  c: {connector: z}

# tail
`
	tests := []struct {
		name, text, id, want string
	}{
		{"first", three, "a", `# head
version: 1
connections: # all of them

  # about b
  b:
    connector: y
    description: |
      text
      # of b

  # about c
  c: {connector: z}

# tail
`},
		{"middle", three, "b", `# head
version: 1
connections: # all of them
  # about a
  # in two lines
  a:
    connector: x # why
    # inside a

  # about c
  c: {connector: z}

# tail
`},
		{"last", three, "c", `# head
version: 1
connections: # all of them
  # about a
  # in two lines
  a:
    connector: x # why
    # inside a

  # about b
  b:
    connector: y
    description: |
      text
      # of b

# tail
`},
		{"only", "version: 1\nconnections:\n  a:\n    connector: x\n", "a", "version: 1\nconnections:\n"},
		{"only, then another key", "connections:\n  a: {connector: x}\nversion: 1\n", "a", "connections:\nversion: 1\n"},
		{"at the end after a blank line", "version: 1\nconnections:\n  a: {connector: x}\n\n  b: {connector: y}\n", "b", "version: 1\nconnections:\n  a: {connector: x}\n"},
		{"no newline at the end", "version: 1\nconnections:\n  a: {connector: x}\n  b: {connector: y}", "b", "version: 1\nconnections:\n  a: {connector: x}\n"},
		{"carriage returns", "version: 1\r\nconnections:\r\n  a: {connector: x}\r\n  b: {connector: y}\r\n", "a", "version: 1\r\nconnections:\r\n  b: {connector: y}\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, tt.text)
			err := Remove(t.Context(), dir, connection.ID(tt.id))
			if diff := cmp.Diff(tt.want, contents(t, filepath.Join(dir, FileName))); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestRemoveRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		kind       sdk.Kind
		hint       string
	}{
		{"unknown", "version: 1\nconnections: {old: {connector: x}}\n", sdk.KindNotFound, "old"},
		{"in braces", "version: 1\nconnections: {a: {connector: x}}\n", sdk.KindUnsupported, "remove connections.a yourself"},
		{"anchor in use", "version: 1\nconnections:\n  a: &a {connector: x}\n  b: *a\n", sdk.KindUnsupported, "remove connections.a yourself"},
		{"connections by alias", "version: 1\nconnections: {b: &b {connector: x}, a: *b}\n", sdk.KindUnsupported, "remove connections.a yourself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, tt.text)
			e := sdk.AsError(Remove(t.Context(), dir, "a"), sdk.SourceHost)
			if e == nil || e.Kind != tt.kind || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("error %+v, want %s with the hint %q", e, tt.kind, tt.hint)
			}
			if got := contents(t, filepath.Join(dir, FileName)); got != tt.text {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

// FuzzEdit: adding a connection keeps every line and every connection, and
// removing it again keeps the others.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{full, string(template), "version: 1\n", "connections:\n  a: {connector: x}\n\n# c\nversion: 1\n", "version: 1\nconnections:\n a:\n  connector: 'x'\n  description: |\n   # text\n\n"} {
		f.Add([]byte(text), "a description")
	}
	f.Fuzz(func(t *testing.T, text []byte, description string) {
		const dir = "/project"
		before, err := parse(dir, text)
		if err != nil {
			return
		}
		c := connection.Connection{ID: "fuzz", Connector: "x", Description: description, Config: map[string]any{"key": description}}
		added, err := add(text, dir, c)
		if err != nil {
			return
		}
		wantLines(t, string(text), string(added))
		p, err := parse(dir, added)
		if err != nil || p.Connections.Len() != before.Connections.Len()+1 {
			t.Fatalf("after adding: %v", err)
		}
		if got, err := p.Connections.Get("fuzz"); err != nil || got.Description != description || got.Config["key"] != description {
			t.Fatalf("the added connection is %+v, %v", got, err)
		}
		removed, err := remove(added, dir, "fuzz")
		if err != nil {
			t.Fatalf("removing what was added: %v", err)
		}
		if !holds(removed, dir, before.Connections.All()) {
			t.Fatalf("add and remove made %q of %q", removed, text)
		}
	})
}

// wantLines reports lines of before that are not in after, in order. The line
// of an empty connections key may change.
func wantLines(t *testing.T, before, after string) {
	t.Helper()
	rest := strings.Split(strings.ReplaceAll(after, "\r\n", "\n"), "\n")
	for line := range strings.Lines(before) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "connections") || strings.HasPrefix(line, "\"connections") || strings.HasPrefix(line, "'connections") || line == "" {
			continue
		}
		for len(rest) > 0 && rest[0] != line {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			t.Fatalf("line %q is gone from %q", line, after)
		}
	}
}
