package setting

import (
	"cmp"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project"
)

func projectKeys(p *project.Project) []Setting {
	set := history.Set(p.History.Off, p.History.Keep, p.History.Rows, history.Arguments(p.History.Arguments))
	toolsets := p.MCP.Toolsets
	if len(toolsets) == 0 && len(p.MCP.Tools) == 0 {
		toolsets = []string{"research"}
	}
	keys := []Setting{
		{Key: "project.fiscal_year_start", Value: orNull(int(p.FiscalYearStart))},
		{Key: "mcp.toolsets", Value: orEmpty(toolsets)}, {Key: "mcp.tools", Value: orEmpty(p.MCP.Tools)}, {Key: "mcp.exclude_tools", Value: orEmpty(p.MCP.ExcludeTools)},
		{Key: "mcp.read_only", Value: p.MCP.ReadOnly}, {Key: "mcp.ask", Value: cmp.Or(p.MCP.Ask, project.AskAmbiguous)},
		{Key: "telemetry.endpoint", Value: orNull(p.Telemetry.Endpoint)}, {Key: "telemetry.prometheus", Value: orNull(p.Telemetry.Prometheus)},
	}
	if set.Off {
		return append(keys, Setting{Key: "history", Value: "off"})
	}
	return append(keys, Setting{Key: "history.keep", Value: set.Keep.String()}, Setting{Key: "history.rows", Value: set.Rows},
		Setting{Key: "history.arguments", Value: set.Arguments})
}

func memoryKeys(m *project.Memory) []Setting {
	keys := []Setting{
		{Key: "memory.review", Value: cmp.Or(m.Review, "balanced")}, {Key: "memory.scope", Value: cmp.Or(m.Scope, "global")},
		{Key: "memory.approve_over_mcp", Value: m.ApproveOverMCP}, {Key: "memory.approve_from", Value: orEmpty(m.ApproveFrom)},
		{Key: "memory.refuse", Value: orEmpty(m.Refuse)}, {Key: "memory.learn_from", Value: orEmpty(m.LearnFrom)},
		{Key: "memory.probe.max_bytes", Value: cmp.Or(m.ProbeMaxBytes, project.DefaultProbeBytes)}, {Key: "memory.planner", Value: cmp.Or(m.Planner, "rules")},
	}
	if m.ApproveFrom == nil {
		keys[3].Value = project.DefaultApproveFrom()
	}
	for _, kind := range project.MemoryKinds() {
		if word := m.Policy[kind]; word != "" {
			keys = append(keys, Setting{Key: "memory.policy." + kind, Value: word})
		}
	}
	if m.LLM.Kind != "" { // the key is a reference, never the secret
		keys = append(keys, Setting{Key: "memory.llm.kind", Value: m.LLM.Kind}, Setting{Key: "memory.llm.base_url", Value: m.LLM.BaseURL},
			Setting{Key: "memory.llm.model", Value: m.LLM.Model}, Setting{Key: "memory.llm.api_key", Value: orNull(m.LLM.APIKey)},
			Setting{Key: "memory.llm.daily_tokens", Value: orNull(m.LLM.DailyTokens)}, Setting{Key: "memory.llm.timeout", Value: orNull(length(m.LLM.Timeout))})
	}
	return keys
}

func consoleKeys(c *project.Console) []Setting { // the tokens are references, never the secrets
	return []Setting{
		{Key: "console.enabled", Value: !c.Off}, {Key: "console.token", Value: orNull(c.Token)}, {Key: "console.reader_token", Value: orNull(c.ReaderToken)},
		{Key: "console.reader_query", Value: c.ReaderQuery}, {Key: "console.idle", Value: cmp.Or(c.Idle, project.DefaultConsoleIdle).String()},
	}
}

// connectionKeys are those of the connections but config.
func connectionKeys(p *project.Project) (keys []Setting) {
	for _, c := range p.Connections.All() {
		at := "connections." + string(c.ID) + "."
		limits, scan := c.Limits.OrDefault(), c.Scan.OrDefault()
		isolation := cmp.Or(c.Isolation, connection.IsolationShared)
		keys = append(keys, Setting{Key: at + "connector", Value: c.Connector}, Setting{Key: at + "limits.timeout", Value: limits.Timeout.String()},
			Setting{Key: at + "limits.max_rows", Value: orNull(limits.MaxRows)}, Setting{Key: at + "limits.concurrency", Value: limits.Concurrency},
			Setting{Key: at + "limits.memory", Value: limits.Memory}, Setting{Key: at + "scan.mode", Value: scan.Mode},
			Setting{Key: at + "scan.profile_budget", Value: scan.ProfileBudget.String()}, Setting{Key: at + "scan.values_per_column", Value: scan.ValuesPerColumn},
			Setting{Key: at + "isolation", Value: isolation})
	}
	return keys
}

// orNull returns nil for the zero value, which stands for no value.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func length(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// orEmpty returns an empty list for nil.
func orEmpty(list []string) []string { return append([]string{}, list...) }
