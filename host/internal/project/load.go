package project

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// version is the one version of the file format.
const version = 1

// maxFileBytes bounds a project file; a thousand connections take 200 KiB.
const maxFileBytes = 1 << 20

// Project is the content of a project file. It never changes.
type Project struct {
	// Dir is the project folder and File the project file, absolute.
	Dir, File   string
	Connections *connection.Registry
	// FiscalYearStart is the month in which the fiscal year starts; 0 = there is none.
	FiscalYearStart time.Month
	MCP             Selection
	History         History
	Telemetry       Telemetry
	Memory          Memory
	Console         Console
	Sources         Sources
	Workspace       Workspace
	Connectors      Connectors
	positions       map[string]position
}

// Load reads the project in dir.
// Errors: KindNotFound without a project file, KindInvalid with all Problems in
// its chain or for what is no regular file, KindDenied.
func Load(dir string) (*Project, error) {
	file := filepath.Join(dir, FileName)
	text, err := read(file)
	if err != nil {
		return nil, err
	}
	return parse(dir, text)
}

func read(file string) (text []byte, err error) {
	info, err := os.Stat(file) // before the open, which waits for ever at a named pipe
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no %s in %s", FileName, filepath.Dir(file)).
			WithHint("run `loam init` there, or name the project with --project-dir")
	case err != nil:
		return nil, unreadable(file, err)
	case !info.Mode().IsRegular():
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is no regular file", file).
			WithHint("move it away and run `loam init`, or name the project with --project-dir")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, unreadable(file, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err = io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, unreadable(file, err)
	}
	if len(text) > maxFileBytes {
		return nil, Problems{{Msg: "the file is larger than 1 MiB"}}.err(file)
	}
	return text, nil
}

func unreadable(file string, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", file, err).WithHint("let this user read it")
}

func parse(dir string, text []byte) (*Project, error) {
	p := &Project{Dir: dir, File: filepath.Join(dir, FileName)}
	d := &decoder{positions: map[string]position{}}
	var connections []connection.Connection
	if root := d.document(bytes.TrimPrefix(text, []byte("\ufeff"))); root != nil {
		d.mapping(root, "", []key{
			{"version", true, d.version},
			{"connections", false, func(n *yaml.Node, path string) { connections = d.connections(n, path, dir) }},
			{"project", false, func(n *yaml.Node, path string) { d.project(n, path, p) }},
			{"mcp", false, func(n *yaml.Node, path string) { d.mcp(n, path, &p.MCP) }},
			{"history", false, func(n *yaml.Node, path string) { d.history(n, path, &p.History) }},
			{"telemetry", false, func(n *yaml.Node, path string) { d.telemetry(n, path, &p.Telemetry) }},
			{"memory", false, func(n *yaml.Node, path string) { d.memory(n, path, &p.Memory) }},
			{"console", false, func(n *yaml.Node, path string) { d.console(n, path, &p.Console) }},
			{"sources", false, func(n *yaml.Node, path string) { d.sources(n, path, dir, &p.Sources) }},
			{"workspace", false, func(n *yaml.Node, path string) { d.workspace(n, path, &p.Workspace) }},
			{"connectors", false, func(n *yaml.Node, path string) { d.connectorVersions(n, path, &p.Connectors) }},
			{"connector_indexes", false, func(n *yaml.Node, path string) { d.connectorIndexes(n, path, dir, &p.Connectors) }},
			{"connector_policy", false, func(n *yaml.Node, path string) { d.connectorPolicy(n, path, &p.Connectors.Policy) }},
		}, "")
	}
	if err := d.problems.err(p.File); err != nil {
		return nil, err
	}
	var err error
	p.positions = d.positions
	p.Connections, err = connection.New(connections)
	return p, err
}

func (d *decoder) version(n *yaml.Node, path string) {
	var number int
	before := len(d.problems)
	d.integer(n, path, 1, 1<<20, &number)
	if len(d.problems) == before && number != version {
		d.problem(n, path, "is %d, but this Loam knows only %d; upgrade loam", number, version)
	}
}

func (d *decoder) project(n *yaml.Node, path string, into *Project) {
	d.mapping(n, path, []key{
		{"fiscal_year_start", false, func(n *yaml.Node, path string) {
			d.integer(n, path, int(time.January), int(time.December), (*int)(&into.FiscalYearStart))
		}},
	}, "")
}

func (d *decoder) connections(n *yaml.Node, path, dir string) (all []connection.Connection) {
	pairs, _ := d.pairs(n, path)
	for _, p := range pairs {
		if err := connection.ID(p.name).Validate(); err != nil {
			e := sdk.AsError(err, sdk.SourceHost)
			d.problem(p.key, join(path, p.name), "%s: %s", e.Msg, e.Hint)
		}
		d.positions[join(path, p.name)] = position{p.key.Line, p.key.Column}
		all = append(all, d.connection(p, join(path, p.name), dir))
	}
	return all
}

func (d *decoder) connection(p pair, path, dir string) connection.Connection {
	c := connection.Connection{ID: connection.ID(p.name), Config: map[string]any{}, Dir: dir}
	isolation := []string{string(connection.IsolationShared), string(connection.IsolationConnection)}
	d.mapping(p.value, path, []key{
		{"connector", true, func(n *yaml.Node, path string) {
			d.text(n, path, &c.Connector)
			if strings.TrimSpace(c.Connector) == "" {
				d.problem(n, path, "must name a connector; `loam connector list` shows them")
			}
		}},
		{"path", false, func(n *yaml.Node, path string) { d.text(n, path, &c.Path) }},
		{"display_name", false, func(n *yaml.Node, path string) { d.text(n, path, &c.DisplayName) }},
		{"description", false, func(n *yaml.Node, path string) { d.text(n, path, &c.Description) }},
		{"config", false, func(n *yaml.Node, path string) {
			if n.Kind != yaml.MappingNode {
				d.problem(n, path, "must be a mapping of keys to values, not %s", kindName(n))
				return
			}
			c.Config, _ = d.value(n, path, 0).(map[string]any)
		}},
		{"limits", false, func(n *yaml.Node, path string) { d.limits(n, path, &c.Limits) }},
		{"scan", false, func(n *yaml.Node, path string) { d.scan(n, path, &c.Scan) }},
		{"isolation", false, func(n *yaml.Node, path string) { d.oneOf(n, path, isolation, (*string)(&c.Isolation)) }},
	}, "; a key of the connector belongs under config")
	if c.Path != "" && !filepath.IsAbs(c.Path) {
		c.Path = filepath.Join(dir, c.Path)
	}
	return c
}

func (d *decoder) limits(n *yaml.Node, path string, into *connection.Limits) {
	const mostRows = 1<<31 - 1
	d.mapping(n, path, []key{
		{"timeout", false, func(n *yaml.Node, path string) { d.duration(n, path, connection.MaxTimeout, &into.Timeout) }},
		{"max_rows", false, func(n *yaml.Node, path string) { d.integer(n, path, 1, mostRows, &into.MaxRows) }},
		{"concurrency", false, func(n *yaml.Node, path string) { d.integer(n, path, 1, connection.MaxConcurrency, &into.Concurrency) }},
		{"memory", false, func(n *yaml.Node, path string) {
			d.bytes(n, path, connection.MinMemory, connection.MaxMemory, &into.Memory)
		}},
	}, "")
}

func (d *decoder) scan(n *yaml.Node, path string, into *connection.Scan) {
	globs := func(into *[]string) func(*yaml.Node, string) {
		return func(n *yaml.Node, path string) { d.globs(n, path, into) }
	}
	d.mapping(n, path, []key{
		{"mode", false, func(n *yaml.Node, path string) {
			d.oneOf(n, path, []string{connection.ScanStructural, connection.ScanEnriched}, &into.Mode)
		}},
		{"include", false, globs(&into.Include)},
		{"exclude", false, globs(&into.Exclude)},
		{"profile_views", false, func(n *yaml.Node, path string) { d.bool(n, path, &into.ProfileViews) }},
		{"foreign_tables", false, func(n *yaml.Node, path string) { d.bool(n, path, &into.ForeignTables) }},
		{"profile_budget", false, func(n *yaml.Node, path string) {
			d.duration(n, path, connection.MaxProfileBudget, &into.ProfileBudget)
		}},
		{"max_bytes", false, func(n *yaml.Node, path string) {
			d.bytes(n, path, connection.MinScanBytes, connection.MaxScanBytes, &into.MaxBytes)
		}},
		{"values_per_column", false, func(n *yaml.Node, path string) {
			d.integer(n, path, 1, connection.MaxValuesPerColumn, &into.ValuesPerColumn)
		}},
		{"keep_values", false, globs(&into.KeepValues)},
		{"withhold_values", false, globs(&into.WithholdValues)},
		{"withhold_rows", false, func(n *yaml.Node, path string) { d.bool(n, path, &into.WithholdRows) }},
	}, "")
}

// Selection says which tools of the MCP server are switched on. The server, which
// knows their names, checks them.
type Selection struct {
	// Toolsets are switched on as a whole, Tools one by one beside them.
	Toolsets, Tools []string
	// ExcludeTools are switched off again.
	ExcludeTools []string
	// ReadOnly switches off each tool that is not marked as read-only, even a named one.
	ReadOnly bool
	// Ask says when a person is asked: "ambiguous" or "off"; "" = ambiguous.
	Ask string
}

// AskAmbiguous asks a person what a refused call means, where the refusal names the choices; AskOff asks nobody.
const (
	AskAmbiguous = "ambiguous"
	AskOff       = "off"
)

func (d *decoder) mcp(n *yaml.Node, path string, into *Selection) {
	names := func(into *[]string) func(*yaml.Node, string) {
		return func(n *yaml.Node, path string) { d.names(n, path, into) }
	}
	d.mapping(n, path, []key{
		{"toolsets", false, names(&into.Toolsets)},
		{"tools", false, names(&into.Tools)},
		{"exclude_tools", false, names(&into.ExcludeTools)},
		{"read_only", false, func(n *yaml.Node, path string) { d.bool(n, path, &into.ReadOnly) }},
		{"ask", false, func(n *yaml.Node, path string) {
			d.oneOf(notFalse(n), path, []string{AskAmbiguous, AskOff}, &into.Ask)
		}},
	}, "")
}

// Line returns the line of a key in the project file, 0 when it is not there. The
// path is as in Problem.
func (p *Project) Line(path string) int { return p.positions[path].line }
