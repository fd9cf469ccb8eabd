package project

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/connection"
)

// render writes a connection as its lines of YAML, from the first column on,
// with step spaces per level.
func render(c connection.Connection, step int) (string, error) {
	config := mapping{}
	for _, name := range slices.Sorted(maps.Keys(c.Config)) {
		config.put(name, c.Config[name], true)
	}
	limits := mapping{}
	limits.put("timeout", connection.ShortDuration(c.Limits.Timeout), c.Limits.Timeout > 0)
	limits.put("max_rows", c.Limits.MaxRows, c.Limits.MaxRows > 0)
	limits.put("concurrency", c.Limits.Concurrency, c.Limits.Concurrency > 0)
	limits.put("memory", byteSize(c.Limits.Memory), c.Limits.Memory > 0)
	scan := renderScan(c.Scan)
	body := mapping{}
	body.put("connector", c.Connector, true)
	body.put("path", c.Path, c.Path != "")
	body.put("display_name", c.DisplayName, c.DisplayName != "")
	body.put("description", c.Description, c.Description != "")
	body.put("config", config.node(), len(c.Config) > 0)
	body.put("limits", limits.node(), c.Limits != connection.Limits{})
	body.put("scan", scan.node(), len(scan.content) > 0)
	body.put("isolation", string(c.Isolation), c.Isolation != "")
	entry := mapping{}
	entry.put(string(c.ID), body.node(), true)

	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(step)
	err := errors.Join(config.err, body.err, encoder.Encode(entry.node()), encoder.Close())
	if err != nil {
		return "", fmt.Errorf("write connection %s: %w", c.ID, err)
	}
	return out.String(), nil
}

func renderScan(s connection.Scan) (scan mapping) {
	scan.put("mode", s.Mode, s.Mode != "")
	scan.put("include", s.Include, len(s.Include) > 0)
	scan.put("exclude", s.Exclude, len(s.Exclude) > 0)
	scan.put("profile_views", true, s.ProfileViews)
	scan.put("foreign_tables", true, s.ForeignTables)
	scan.put("profile_budget", connection.ShortDuration(s.ProfileBudget), s.ProfileBudget > 0)
	scan.put("max_bytes", byteSize(s.MaxBytes), s.MaxBytes > 0)
	scan.put("values_per_column", s.ValuesPerColumn, s.ValuesPerColumn > 0)
	scan.put("keep_values", s.KeepValues, len(s.KeepValues) > 0)
	scan.put("withhold_values", s.WithholdValues, len(s.WithholdValues) > 0)
	scan.put("withhold_rows", true, s.WithholdRows)
	return scan
}

// mapping collects the keys of a YAML mapping in order.
type mapping struct {
	content []*yaml.Node
	err     error
}

func (m *mapping) put(name string, value any, given bool) {
	if !given {
		return
	}
	k, v := &yaml.Node{}, &yaml.Node{}
	k.SetString(name)
	m.err = errors.Join(m.err, v.Encode(value))
	m.content = append(m.content, k, v)
}

func (m *mapping) node() *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: m.content}
}

// indent puts prefix before every line that is not empty.
func indent(text, prefix string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(prefix)
		}
		out.WriteString(line)
	}
	return out.String()
}
