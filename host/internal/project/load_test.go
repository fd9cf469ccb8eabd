package project

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

const full = `# A comment.
version: 1
connections:
  warehouse:
    connector: acme/foodb
    path: bin/loam-connector-foodb
    display_name: The warehouse
    description: >
      What everyone
      asks.
    config:
      host: db.internal
      port: 5432
      password: env:PGPASSWORD
      ssl: true
      ratio: 0.5
      big: 18446744073709551615
      small: -9223372036854775808
      day: 2024-02-30
      nothing: null
      quoted: "0123"
      schemas: [public, 'no', yes]
      tls: {key: "file:key.pem", ca: [{name: a}]}
    limits: {timeout: 1m30s, max_rows: 10000, concurrency: 8, memory: 4GiB}
    scan:
      mode: structural
      include: [sales.*, "2024"]
      exclude: ['*_old']
      profile_views: true
      foreign_tables: true
      profile_budget: 30m
      values_per_column: 200
      keep_values: [crm.agent.full_name]
      withhold_values: ["*.note"]
    isolation: connection
  other: &other
    connector: csv
    config: {}
  same: *other
mcp: {toolsets: [research], tools: [a, b], exclude_tools: [c], read_only: true, ask: off}
project: {fiscal_year_start: 10}
`

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, full)
	p, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	csv := connection.Connection{ID: "other", Connector: "csv", Config: map[string]any{}, Dir: dir}
	same := csv
	same.ID = "same"
	want := []connection.Connection{{
		ID: "warehouse", Connector: "acme/foodb", Path: filepath.Join(dir, "bin", "loam-connector-foodb"),
		DisplayName: "The warehouse", Description: "What everyone asks.\n",
		Config: map[string]any{
			"host": "db.internal", "port": int64(5432), "password": "env:PGPASSWORD", "ssl": true, "ratio": 0.5,
			"big": uint64(math.MaxUint64), "small": int64(math.MinInt64), "day": "2024-02-30", "nothing": nil, "quoted": "0123",
			"schemas": []any{"public", "no", "yes"},
			"tls":     map[string]any{"key": "file:key.pem", "ca": []any{map[string]any{"name": "a"}}},
		},
		Limits: connection.Limits{Timeout: 90 * time.Second, MaxRows: 10000, Concurrency: 8, Memory: 4 << 30},
		Scan: connection.Scan{
			Mode: connection.ScanStructural, Include: []string{"sales.*", "2024"}, Exclude: []string{"*_old"}, ProfileViews: true, ForeignTables: true,
			ProfileBudget: 30 * time.Minute, ValuesPerColumn: 200, KeepValues: []string{"crm.agent.full_name"}, WithholdValues: []string{"*.note"},
		},
		Isolation: connection.IsolationConnection, Dir: dir,
	}, csv, same}
	if diff := cmp.Diff(want, p.Connections.All(), cmpopts.IgnoreUnexported(connection.Connection{})); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	tools := Selection{Toolsets: []string{"research"}, Tools: []string{"a", "b"}, ExcludeTools: []string{"c"}, ReadOnly: true, Ask: AskOff}
	if diff := cmp.Diff(tools, p.MCP); diff != "" {
		t.Errorf("mcp (-want +got):\n%s", diff)
	}
	if p.FiscalYearStart != time.October {
		t.Errorf("the fiscal year starts in %s", p.FiscalYearStart)
	}
	if p.Dir != dir || p.File != filepath.Join(dir, FileName) {
		t.Errorf("project in %s, file %s", p.Dir, p.File)
	}
}

func TestLoadWithoutConnections(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"version: 1\n", "version: 1\nconnections:\n", "version: 1\nconnections: {}\n", "\ufeffversion: 1\r\nconnections: ~\r\n", "---\nversion: 1\n...\n", string(template)} {
		p, err := parse(t.TempDir(), []byte(text))
		if err != nil || p.Connections.Len() != 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLoadProblems(t *testing.T) {
	t.Parallel()
	warehouse := func(lines string) string {
		return "version: 1\nconnections:\n  warehouse:\n    connector: foodb\n" + lines
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"line 1, column 1: the file is empty; it starts with version: 1"}},
		{"comments only", "# nothing\n", []string{"line 1, column 1: the file is empty; it starts with version: 1"}},
		{"no mapping", "- a\n", []string{"line 1, column 1: must be a mapping of keys to values, not a list"}},
		{"text", "hello\n", []string{`line 1, column 1: must be a mapping of keys to values, not "hello"`}},
		{"tab", "version: 1\n\tconnections:\n", []string{"is no valid YAML: line 2: found a tab character that violates indentation"}},
		{"not closed", "version: 1\nconnections: {a: \n", []string{"is no valid YAML: line 2: did not find expected node content"}},
		{"two documents", "version: 1\n---\nversion: 1\n", []string{"line 2, column 1: there is a second document; one file holds one project"}},
		{"broken second document", "version: 1\n---\n{\n", []string{"is no valid YAML: line 3: did not find expected node content"}},
		{"no version", "connections: {}\n", []string{"line 1, column 1: version: is missing"}},
		{"newer version", "version: 2\n", []string{"line 1, column 10: version: is 2, but this Loam knows only 1; upgrade loam"}},
		{"odd version", "version: one\n", []string{`line 1, column 10: version: must be a whole number from 1 to 1048576, not "one"`}},
		{"typo at the top", "version: 1\nconections: {}\n", []string{`line 2, column 1: conections: unknown key; did you mean "connections"?`}},
		{"unknown at the top", "version: 1\ntools: {}\n", []string{"line 2, column 1: tools: unknown key; known keys: version, connections, project, mcp, history, telemetry, memory, console, sources, workspace, connectors, connector_indexes, connector_policy"}},
		{"typo in a connection", warehouse("    isolaton: shared\n"), []string{`line 5, column 5: connections.warehouse.isolaton: unknown key; did you mean "isolation"?`}},
		{"swapped letters", warehouse("    confgi: {}\n"), []string{`line 5, column 5: connections.warehouse.confgi: unknown key; did you mean "config"?`}},
		{"connector's key outside config", warehouse("    database: x\n"), []string{"line 5, column 5: connections.warehouse.database: unknown key; known keys: connector, path, display_name, description, config, limits, scan, isolation; a key of the connector belongs under config"}},
		{"column in code points", "version: 1\nconnections: {a: {display_name: \"é — ü\", conector: x, connector: y}}\n", []string{`line 2, column 42: connections.a.conector: unknown key; did you mean "connector"?`}},
		{"key twice", warehouse("    connector: other\n"), []string{"line 5, column 5: connections.warehouse.connector: is there twice, first in line 4"}},
		{"connection twice", warehouse("  warehouse:\n    connector: b\n"), []string{"line 5, column 3: connections.warehouse: is there twice, first in line 3"}},
		{"config key twice", warehouse("    config:\n      a: 1\n      a: 2\n"), []string{"line 7, column 7: connections.warehouse.config.a: is there twice, first in line 6"}},
		{"bad id", "version: 1\nconnections:\n  My DB: {connector: a}\n", []string{`line 3, column 3: connections.My DB: "My DB" is no connection id: use lower-case letters, digits, - and _, a letter first, at most 63 characters`}},
		{"number as id", "version: 1\nconnections:\n  1: {connector: a}\n", []string{"line 3, column 3: connections: a key must be text; put it in quotes"}},
		{"connections as a list", "version: 1\nconnections:\n  - a\n", []string{"line 3, column 3: connections: must be a mapping of keys to values, not a list"}},
		{"empty connection", "version: 1\nconnections:\n  a:\n", []string{"line 3, column 5: connections.a.connector: is missing"}},
		{"empty connector", "version: 1\nconnections:\n  a: {connector: ''}\n", []string{"line 3, column 18: connections.a.connector: must name a connector; `loam connector list` shows them"}},
		{"number as text", warehouse("    display_name: 2024\n"), []string{`line 5, column 19: connections.warehouse.display_name: must be text, not "2024"; quotes make text of anything`}},
		{"config as text", warehouse("    config: host=a\n"), []string{`line 5, column 13: connections.warehouse.config: must be a mapping of keys to values, not "host=a"`}},
		{"empty config", warehouse("    config:\n"), []string{"line 5, column 12: connections.warehouse.config: must be a mapping of keys to values, not nothing"}},
		{"leading zero", warehouse("    config: {pin: 0123}\n"), []string{"line 5, column 19: connections.warehouse.config.pin: is a number that can be misread; write it in quotes to keep it as text, or as a plain number"}},
		{"hexadecimal", warehouse("    config: {pin: 0x1F}\n"), []string{"line 5, column 19: connections.warehouse.config.pin: is a number that can be misread; write it in quotes to keep it as text, or as a plain number"}},
		{"large integer", warehouse("    config: {pin: [99999999999999999999]}\n"), []string{"line 5, column 20: connections.warehouse.config.pin[0]: is a number that can be misread; write it in quotes to keep it as text, or as a plain number"}},
		{"not a number", warehouse("    config: {pin: .nan}\n"), []string{"line 5, column 19: connections.warehouse.config.pin: is a number that can be misread; write it in quotes to keep it as text, or as a plain number"}},
		{"tag", warehouse("    config: {password: !secret canary}\n"), []string{"line 5, column 24: connections.warehouse.config.password: has a tag, which is not supported; text that starts with ! needs quotes"}},
		{"alias that is none", warehouse("    config: {password: *canary}\n"), []string{"is no valid YAML: unknown anchor '…' referenced"}},
		{"merge key", warehouse("    config: &c {a: b}\n  other:\n    connector: x\n    config: {<<: *c}\n"), []string{"line 8, column 14: connections.other.config.<<: merge keys are not supported; write the keys out"}},
		{"memory", warehouse("    limits: {memory: 1MiB}\n"), []string{
			`line 5, column 22: connections.warehouse.limits.memory: must be a size from 64MiB to 1TiB, such as 512MiB or 4GiB, not "1MiB"`,
		}},
		{"memory without a number", warehouse("    limits: {memory: much}\n"), []string{
			`line 5, column 22: connections.warehouse.limits.memory: must be a size from 64MiB to 1TiB, such as 512MiB or 4GiB, not "much"`,
		}},
		{"limits", warehouse("    limits: {timeout: 60, max_rows: 0, concurrency: 65}\n"), []string{
			`line 5, column 23: connections.warehouse.limits.timeout: must be a time above 0 and up to 24h0m0s, such as 60s, 2m or 1h30m, not "60"`,
			`line 5, column 37: connections.warehouse.limits.max_rows: must be a whole number from 1 to 2147483647, not "0"`,
			`line 5, column 53: connections.warehouse.limits.concurrency: must be a whole number from 1 to 64, not "65"`,
		}},
		{"more limits", warehouse("    limits: {timeout: -1s, max_rows: 1.5, concurrency: '4'}\n"), []string{
			`line 5, column 23: connections.warehouse.limits.timeout: must be a time above 0 and up to 24h0m0s, such as 60s, 2m or 1h30m, not "-1s"`,
			`line 5, column 38: connections.warehouse.limits.max_rows: must be a whole number from 1 to 2147483647, not "1.5"`,
			`line 5, column 56: connections.warehouse.limits.concurrency: must be a whole number from 1 to 64, not "4"`,
		}},
		{"isolation", warehouse("    isolation: alone\n"), []string{`line 5, column 16: connections.warehouse.isolation: must be shared or connection, not "alone"`}},
		{"scan", warehouse("    scan: {mode: deep, include: sales, exclude: [7, a..b], profile_views: 1, profile_budget: 0s, values_per_column: 0, modes: x}\n"), []string{
			`line 5, column 18: connections.warehouse.scan.mode: must be structural or enriched, not "deep"`,
			`line 5, column 33: connections.warehouse.scan.include: must be a list of globs, such as ["sales.*"], not "sales"`,
			`line 5, column 50: connections.warehouse.scan.exclude[0]: must be text, not "7"; quotes make text of anything`,
			`line 5, column 53: connections.warehouse.scan.exclude[1]: is no glob: it needs text before and after each dot, such as "sales.*"`,
			`line 5, column 75: connections.warehouse.scan.profile_views: must be true or false, not "1"`,
			`line 5, column 94: connections.warehouse.scan.profile_budget: must be a time above 0 and up to 168h0m0s, such as 60s, 2m or 1h30m, not "0s"`,
			`line 5, column 117: connections.warehouse.scan.values_per_column: must be a whole number from 1 to 100000, not "0"`,
			`line 5, column 120: connections.warehouse.scan.modes: unknown key; did you mean "mode"?`,
		}},
		{"a fiscal year", "version: 1\nproject: {fiscal_year_start: 13, fiscal_year: 10}\n", []string{
			`line 2, column 30: project.fiscal_year_start: must be a whole number from 1 to 12, not "13"`,
			`line 2, column 34: project.fiscal_year: unknown key; known keys: fiscal_year_start`,
		}},
		{"a month by its name", "version: 1\nproject: {fiscal_year_start: October}\nmcp: {ask: always}\n", []string{
			`line 2, column 30: project.fiscal_year_start: must be a whole number from 1 to 12, not "October"`,
			`line 3, column 12: mcp.ask: must be ambiguous or off, not "always"`,
		}},
		{"mcp", "version: 1\nmcp: {toolset: [a], tools: x, exclude_tools: [7], read_only: perhaps}\n", []string{
			`line 2, column 7: mcp.toolset: unknown key; did you mean "toolsets"?`,
			`line 2, column 28: mcp.tools: must be a list of names, such as [a, b], not "x"`,
			`line 2, column 47: mcp.exclude_tools[0]: must be text, not "7"; quotes make text of anything`,
			`line 2, column 62: mcp.read_only: must be true or false, not "perhaps"`,
		}},
		{"all at once, in order", "connections:\n  a:\n    limits: {timout: 1s}\n  b: []\nfoo: 1\n", []string{
			"line 1, column 1: version: is missing",
			"line 3, column 5: connections.a.connector: is missing",
			`line 3, column 14: connections.a.limits.timout: unknown key; did you mean "timeout"?`,
			"line 4, column 6: connections.b: must be a mapping of keys to values, not a list",
			"line 5, column 1: foo: unknown key; known keys: version, connections, project, mcp, history, telemetry, memory, console, sources, workspace, connectors, connector_indexes, connector_policy",
		}},
		{"endless alias", warehouse("    config: &c {a: *c}\n"), []string{"line 5, column 13: connections.warehouse.config" + strings.Repeat(".a", maxDepth+1) + ": is nested too deeply or too large"}},
		{"alias bomb", warehouse("    config:\n" + bomb()), []string{"line 6, column 43: " + bombPath + ": is nested too deeply or too large"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, err := parse(dir, []byte(tt.text))
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindInvalid || e.Source != sdk.SourceHost || e.Hint == "" {
				t.Fatalf("error %+v, want an invalid one of the host with a hint", e)
			}
			problems, _ := errors.AsType[Problems](err)
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), problems.Error()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			for _, p := range problems {
				if !strings.Contains(e.Msg, p.String()) || !strings.HasPrefix(e.Msg, filepath.Join(dir, FileName)) {
					t.Errorf("message %q lacks %q or the file", e.Msg, p)
				}
			}
			if strings.Contains(e.Error(), "canary") {
				t.Errorf("a value of config is in the error: %v", e)
			}
		})
	}
}

// bomb unfolds to 10^6 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("      a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i, name := range []string{"a1", "a2", "a3", "a4", "a5"} {
		previous := "*a" + string(rune('0'+i))
		b.WriteString("      " + name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat(previous+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

const bombPath = "connections.warehouse.config.a4[7][8][8][8][9]"

func TestLoadFileProblems(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Load(dir)
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindNotFound || !strings.Contains(e.Hint, "loam init") {
		t.Errorf("without a file: %+v", e)
	}
	write(t, dir, strings.Repeat("#", maxFileBytes+1))
	if _, err := Load(dir); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a large file: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a folder instead of a file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add(template)
	f.Add([]byte("version: 1\nconnections: {a: {connector: b, config: &c {d: *c}}}\n"))
	f.Add([]byte("? [a]\n: *b\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parse("/project", text)
		if err == nil {
			for _, c := range p.Connections.All() {
				c.Fingerprint() // panics on a value that is no JSON
			}
			return
		}
		if e := sdk.AsError(err, sdk.SourceHost); e.Kind != sdk.KindInvalid || e.Hint == "" {
			t.Errorf("error %+v", e)
		}
	})
}
