package project

import (
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/readonly"
)

type connectorDocument struct {
	ID          string   `json:"id"`
	Version     string   `json:"version"`
	DisplayName string   `json:"displayName"`
	Path        string   `json:"path"`
	Trust       string   `json:"trust"`
	ReadOnly    string   `json:"readOnly"`
	Abilities   []string `json:"abilities"`
	// Allows are the keywords with which a statement may begin, Beyond the ones among them that only
	// a few engines have, Ignored the ones that the connector declares but Loam refuses.
	Allows  []string `json:"allows"`
	Beyond  []string `json:"allowsBeyond"`
	Ignored []string `json:"refused,omitempty"`
	Problem string   `json:"problem,omitempty"`
	// Connections use it. Newest is the version that an index has.
	Connections []string `json:"connections"`
	Newest      string   `json:"newest,omitempty"`
}

func (a *commands) connectorCommand() *cobra.Command {
	reset := &cobra.Command{
		Use:   "reset CONNECTOR",
		Short: "Let a disabled connector start again",
		Long: `Lets a disabled connector start at once, in every running host of this user. A host disables
a connector that fails repeatedly, for a minute at first and for half an hour at most.`,
		Example: "  loam connector reset CONNECTOR",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				found, err := services.Connectors.Find(args[0], "")
				if err != nil {
					return err
				}
				if err := connector.RequestReset("", found.Name); err != nil {
					return err
				}
				return a.term.Done(map[string]any{"reset": found.Name}, "%s may start again", found.Name)
			})
		},
	}
	return command.Group("connector", "List, show, install, reset, check, write and publish connectors",
		append(a.installCommands(), a.connectorListCommand(), a.connectorInfoCommand(), reset, a.connectorCheckCommand(), a.connectorNewCommand(),
			a.connectorPackageCommand(), a.connectorSignCommand(), a.connectorKeygenCommand(), a.connectorIndexCommand(), a.connectorPushCommand())...)
}

func newConnectorDocument(c connector.Installed, trust policy.Level) connectorDocument {
	if c.Err != nil {
		return connectorDocument{ID: c.Name, Path: c.Manifest, Problem: c.Err.Error(), Abilities: []string{}, Allows: []string{}, Beyond: []string{}, Connections: []string{}}
	}
	allowed := readonly.Allowed(c.Description.Dialects)
	d := connectorDocument{
		ID: c.Name, Version: c.Description.Version, DisplayName: c.Description.DisplayName, Path: c.Binary,
		Trust: string(trust), ReadOnly: c.Description.Capabilities.ReadOnly.String(), Abilities: abilities(c.Description.Capabilities),
		Allows: append([]string{}, allowed.Words...), Beyond: append([]string{}, allowed.Beyond...), Ignored: allowed.Ignored, Connections: []string{},
	}
	return d
}

func abilities(c sdk.Capabilities) []string {
	list := []string{"sql", "scan"}
	for _, a := range []struct {
		has  bool
		name string
	}{
		{c.Profile, "profile"},
		{c.Explain, "explain"},
		{c.Validate, "validate"},
		{c.QueryLog, "query_log"},
		{c.ServerCancel, "cancel"},
		{c.CostEstimate, "cost"},
		{c.IncrementalScan, "incremental_scan"},
		{c.Params, "params"},
		{c.Authenticate, "login"},
	} {
		if a.has {
			list = append(list, a.name)
		}
	}
	return list
}
