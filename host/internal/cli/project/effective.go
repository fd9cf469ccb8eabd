package project

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/telemetry/otlp"
)

// The origins of a setting.
const (
	fromFlag    = "flag"
	fromEnv     = "env"
	fromFile    = "file"
	fromDefault = "default"
)

// setting is the effective value of a key.
type setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // null = there is none
	From  string `json:"from"`
	// By is the flag or the variable, Line the line of loam.yaml.
	By   string `json:"by,omitempty"`
	Line int    `json:"line,omitempty"`
}

func (a *commands) configCommand() *cobra.Command {
	return command.Group("config", "Show the settings of the project", &cobra.Command{
		Use:   "show",
		Short: "Show the effective settings, and where each comes from",
		Long: `Shows the settings that are in force: of a flag, of the environment, of loam.yaml with its
line, or the default. What a connector needs to connect is not shown here, because some of it
is secret: loam connection show has it, with references in place of secrets.`,
		Example: "  loam config show\n  loam config show --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				current, err := services.Project.Current(cmd.Context())
				if err != nil {
					return err
				}
				settings, err := a.settings(current, os.Getenv)
				if err != nil {
					return err
				}
				return a.term.Answer(map[string]any{"project": current.File, "settings": settings}, func() error { return a.printSettings(settings) })
			})
		},
	})
}

func (a *commands) printSettings(settings []setting) error {
	rows := make([][]string, len(settings))
	for i, s := range settings {
		text := ""
		if s.Value != nil {
			raw, err := json.Marshal(s.Value)
			if err != nil {
				return err
			}
			if text = string(raw); raw[0] == '"' {
				text = fmt.Sprint(s.Value)
			}
		}
		from := s.From
		switch {
		case s.By != "":
			from += " " + s.By
		case s.Line > 0:
			from += fmt.Sprintf(" line %d", s.Line)
		}
		rows[i] = []string{s.Key, text, from}
	}
	return a.term.Table([]string{"SETTING", "VALUE", "FROM"}, rows)
}

// settings returns the effective settings of a project, in the order of loam.yaml.
func (a *commands) settings(p *project.Project, getenv func(string) string) ([]setting, error) {
	state, err := project.FindState(p.Dir, getenv)
	if err != nil {
		return nil, err
	}
	folder := setting{Key: "project folder", Value: p.Dir, From: fromDefault}
	switch {
	case a.invocation.Dir != "":
		folder.From, folder.By = fromFlag, "--project-dir"
	case getenv(project.DirVariable) != "":
		folder.From, folder.By = fromEnv, project.DirVariable
	}
	place := setting{Key: "state folder", Value: string(state), From: fromDefault}
	if getenv(project.StateVariable) != "" {
		place.From, place.By = fromEnv, project.StateVariable
	}
	all := []setting{folder, place}
	for _, k := range slices.Concat(projectKeys(p), memoryKeys(&p.Memory), consoleKeys(&p.Console), connectionKeys(p)) {
		k.From = fromDefault
		if k.Line = p.Line(k.Key); k.Line > 0 {
			k.From = fromFile
		}
		all = append(all, k)
	}
	receiver := otlp.Settings{Endpoint: p.Telemetry.Endpoint, Getenv: getenv}
	if endpoint, by := receiver.Where(); endpoint != "" && by != "telemetry.endpoint" {
		at := slices.IndexFunc(all, func(s setting) bool { return s.Key == "telemetry.endpoint" })
		all[at] = setting{Key: all[at].Key, Value: endpoint, From: fromEnv, By: by}
	}
	return all, nil
}

func projectKeys(p *project.Project) []setting {
	set := history.Set(p.History.Off, p.History.Keep, p.History.Rows, history.Arguments(p.History.Arguments))
	toolsets := p.MCP.Toolsets
	if len(toolsets) == 0 && len(p.MCP.Tools) == 0 {
		toolsets = []string{"research"}
	}
	keys := []setting{
		{Key: "project.fiscal_year_start", Value: orNull(int(p.FiscalYearStart))},
		{Key: "mcp.toolsets", Value: terminal.OrEmpty(toolsets)}, {Key: "mcp.tools", Value: terminal.OrEmpty(p.MCP.Tools)}, {Key: "mcp.exclude_tools", Value: terminal.OrEmpty(p.MCP.ExcludeTools)},
		{Key: "mcp.read_only", Value: p.MCP.ReadOnly}, {Key: "mcp.ask", Value: cmp.Or(p.MCP.Ask, project.AskAmbiguous)},
		{Key: "telemetry.endpoint", Value: orNull(p.Telemetry.Endpoint)}, {Key: "telemetry.prometheus", Value: orNull(p.Telemetry.Prometheus)},
	}
	if set.Off {
		return append(keys, setting{Key: "history", Value: "off"})
	}
	return append(keys, setting{Key: "history.keep", Value: set.Keep.String()}, setting{Key: "history.rows", Value: set.Rows},
		setting{Key: "history.arguments", Value: set.Arguments})
}

func memoryKeys(m *project.Memory) []setting {
	keys := []setting{
		{Key: "memory.review", Value: cmp.Or(m.Review, "balanced")}, {Key: "memory.scope", Value: cmp.Or(m.Scope, "global")},
		{Key: "memory.approve_over_mcp", Value: m.ApproveOverMCP}, {Key: "memory.approve_from", Value: terminal.OrEmpty(m.ApproveFrom)},
		{Key: "memory.refuse", Value: terminal.OrEmpty(m.Refuse)}, {Key: "memory.learn_from", Value: terminal.OrEmpty(m.LearnFrom)},
		{Key: "memory.probe.max_bytes", Value: cmp.Or(m.ProbeMaxBytes, project.DefaultProbeBytes)}, {Key: "memory.planner", Value: cmp.Or(m.Planner, "rules")},
	}
	if m.ApproveFrom == nil {
		keys[3].Value = project.DefaultApproveFrom()
	}
	for _, kind := range project.MemoryKinds() {
		if word := m.Policy[kind]; word != "" {
			keys = append(keys, setting{Key: "memory.policy." + kind, Value: word})
		}
	}
	if m.LLM.Kind != "" { // the key is a reference, never the secret
		keys = append(keys, setting{Key: "memory.llm.kind", Value: m.LLM.Kind}, setting{Key: "memory.llm.base_url", Value: m.LLM.BaseURL},
			setting{Key: "memory.llm.model", Value: m.LLM.Model}, setting{Key: "memory.llm.api_key", Value: orNull(m.LLM.APIKey)},
			setting{Key: "memory.llm.daily_tokens", Value: orNull(m.LLM.DailyTokens)}, setting{Key: "memory.llm.timeout", Value: orNull(length(m.LLM.Timeout))})
	}
	return keys
}

func consoleKeys(c *project.Console) []setting { // the tokens are references, never the secrets
	return []setting{
		{Key: "console.enabled", Value: !c.Off}, {Key: "console.token", Value: orNull(c.Token)}, {Key: "console.reader_token", Value: orNull(c.ReaderToken)},
		{Key: "console.reader_query", Value: c.ReaderQuery}, {Key: "console.idle", Value: cmp.Or(c.Idle, project.DefaultConsoleIdle).String()},
	}
}

// connectionKeys are those of the connections but config.
func connectionKeys(p *project.Project) (keys []setting) {
	for _, c := range p.Connections.All() {
		at := "connections." + string(c.ID) + "."
		limits, scan := c.Limits.OrDefault(), c.Scan.OrDefault()
		isolation := cmp.Or(c.Isolation, connection.IsolationShared)
		keys = append(keys, setting{Key: at + "connector", Value: c.Connector}, setting{Key: at + "limits.timeout", Value: limits.Timeout.String()},
			setting{Key: at + "limits.max_rows", Value: orNull(limits.MaxRows)}, setting{Key: at + "limits.concurrency", Value: limits.Concurrency},
			setting{Key: at + "limits.memory", Value: limits.Memory}, setting{Key: at + "scan.mode", Value: scan.Mode},
			setting{Key: at + "scan.profile_budget", Value: scan.ProfileBudget.String()}, setting{Key: at + "scan.values_per_column", Value: scan.ValuesPerColumn},
			setting{Key: at + "isolation", Value: isolation})
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
