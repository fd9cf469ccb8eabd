package project

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/failure"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// shownConnection is the document of loam connection show.
type shownConnection struct {
	health.Connection
	// Config is the configuration in loam.yaml, with references to secrets; null if the connector is
	// not installed, because then it is not known which keys are secrets.
	Config map[string]any `json:"config"`
	// Dialects are the connector's dialects, Abilities its capabilities.
	Dialects  []string `json:"dialects,omitempty"`
	Abilities []string `json:"abilities,omitempty"`
	// ReadOnlyProven says that the server was tested to refuse writes when it was last opened.
	ReadOnlyProven bool `json:"readOnlyProven"`
	// Warnings are the warnings about the account when the connection was last opened.
	Warnings []string `json:"warnings,omitempty"`
	// Problem is why the connector is not known; null = it is.
	Problem *failure.Failure `json:"problem,omitempty"`
}

func (a *commands) connectionShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show what is configured and known of one connection",
		Long: `Shows one connection: its configuration, with references in place of secrets, the dialects
and abilities of its connector, the last known server and account, the mechanism that keeps
it read-only, the last scan and the semantic layer. No connector is started.`,
		Example: "  loam connection show warehouse\n  loam connection show warehouse --json",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				d, err := a.showConnection(cmd.Context(), services, connection.ID(args[0]))
				if err != nil {
					return err
				}
				return a.term.Answer(d, func() error { return a.printConnection(d) })
			})
		},
	}
}

func (a *commands) showConnection(ctx context.Context, services *Services, id connection.ID) (*shownConnection, error) {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return nil, err
	}
	c, err := current.Connections.Get(id)
	if err != nil {
		return nil, err
	}
	known, state, problems := services.Health.Connection(ctx, c)
	for _, p := range problems {
		a.term.Warn(p)
	}
	d := &shownConnection{
		Connection:     known,
		ReadOnlyProven: state.Server.ReadOnly == sdk.ReadOnlySession || state.Server.ReadOnly == sdk.ReadOnlyEngine,
	}
	for _, w := range state.Server.Warnings {
		d.Warnings = append(d.Warnings, w.Summary)
	}
	found, err := services.Connectors.Find(c.Connector, c.Path)
	if err != nil {
		d.Problem = failure.New(sdk.AsError(err, sdk.SourceHost))
		return d, nil
	}
	for _, one := range found.Description.Dialects {
		if !slices.Contains(d.Dialects, one.Name) {
			d.Dialects = append(d.Dialects, one.Name)
		}
	}
	d.Abilities = abilities(found.Description.Capabilities)
	d.ReadOnly = cmp.Or(d.ReadOnly, found.Description.Capabilities.ReadOnly.String())
	d.Config, err = shownConfig(c, found.Description.ConfigSchema)
	return d, err
}

// shownConfig returns the configuration of a connection, with references to its secrets. A secret
// that is written as a value, which everything else refuses, is not shown.
func shownConfig(c connection.Connection, schema json.RawMessage) (map[string]any, error) {
	split, err := connection.SplitConfig(c, schema, secret.IsReference)
	if err != nil {
		return nil, err
	}
	config := map[string]any{}
	if err := json.Unmarshal(split.JSON, &config); err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "a configuration that was marshalled before is no JSON: %w", err)
	}
	for path, reference := range split.References {
		setKey(config, path, reference)
	}
	for _, path := range split.Literals {
		setKey(config, path, "(a value: replace it by a reference)")
	}
	return config, nil
}

// setKey sets the value of a dotted key.
func setKey(config map[string]any, path, value string) {
	outer, last, nested := strings.Cut(path, ".")
	if !nested {
		config[path] = value
		return
	}
	inner, ok := config[outer].(map[string]any)
	if !ok {
		inner = map[string]any{}
		config[outer] = inner
	}
	setKey(inner, last, value)
}

func (a *commands) printConnection(d *shownConnection) error {
	proven := "no: every statement is examined all the same"
	switch {
	case d.ReadOnlyProven:
		proven = "yes, when it was last opened"
	case d.OpenedAt == "":
		proven = "not yet: loam connection test " + string(d.ID)
	}
	facts := [][2]string{
		{"connector", d.Connector}, {"name", d.DisplayName}, {"description", d.Description}, {"status", string(d.Status)},
		{"dialects", strings.Join(d.Dialects, ", ")}, {"abilities", strings.Join(d.Abilities, " ")},
		{"server", d.Server}, {"account", d.User}, {"last opened", cmp.Or(d.OpenedAt, "never")},
		{"read-only by", d.ReadOnly}, {"proven", proven},
		{"last scan", d.LastScan.Text()}, {"semantic layer", d.SemanticLayer.Text()},
	}
	for _, w := range d.Warnings {
		facts = append(facts, [2]string{"warning", w})
	}
	for _, failure := range []*failure.Failure{d.Failure, d.Problem} {
		if failure != nil {
			facts = append(facts, [2]string{"problem", failure.Message})
		}
	}
	facts = append(facts, configLines("config.", d.Config)...)
	if _, err := fmt.Fprintln(a.term.Out, d.ID); err != nil {
		return err
	}
	for _, fact := range facts {
		if fact[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(a.term.Out, "  %-15s %s\n", terminal.Escape(fact[0]), terminal.Escape(fact[1])); err != nil {
			return err
		}
	}
	return nil
}

// configLines returns a configuration as dotted keys and values, ordered by key.
func configLines(prefix string, config map[string]any) (lines [][2]string) {
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if inner, ok := config[key].(map[string]any); ok {
			lines = append(lines, configLines(prefix+key+".", inner)...)
			continue
		}
		value := config[key]
		text, ok := value.(string)
		if !ok {
			encoded, err := json.Marshal(value)
			if err != nil {
				panic(fmt.Sprintf("project: a value that was decoded from JSON is none: %v", err))
			}
			text = string(encoded)
		}
		lines = append(lines, [2]string{prefix + key, text})
	}
	return lines
}
