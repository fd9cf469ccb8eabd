package project

import (
	"cmp"
	"strings"

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
}

func (a *commands) connectorCommand() *cobra.Command {
	list := &cobra.Command{
		Use:     "list",
		Short:   "List the connectors that are installed",
		Long:    "Lists the connectors found beside this program, in LOAM_CONNECTOR_PATH and in the user's and the system's connector folders.\nManifests are read; nothing is started.",
		Example: "  loam connector list --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				found := []connectorDocument{}
				for _, c := range services.Connectors.List() {
					found = append(found, newConnectorDocument(c))
				}
				if a.term.JSON {
					return a.term.Document(map[string]any{"connectors": found})
				}
				rows := make([][]string, len(found))
				for i, c := range found {
					rows[i] = []string{c.ID, c.Version, c.Trust, c.ReadOnly, strings.Join(c.Abilities, " "), cmp.Or(strings.Join(c.Beyond, " "), "-"), c.Path}
					if c.Problem != "" {
						rows[i] = []string{c.ID, "", "refused", "", c.Problem, "", c.Path}
					}
				}
				return a.term.Table([]string{"CONNECTOR", "VERSION", "TRUST", "READ-ONLY BY", "ABILITIES", "ALLOWS BEYOND", "PATH"}, rows)
			})
		},
	}
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
	return command.Group("connector", "List, show, reset, check and write connectors", list, a.connectorInfoCommand(), reset, a.connectorCheckCommand(), a.connectorNewCommand())
}

func newConnectorDocument(c connector.Installed) connectorDocument {
	if c.Err != nil {
		return connectorDocument{ID: c.Name, Path: c.Manifest, Problem: c.Err.Error(), Abilities: []string{}, Allows: []string{}, Beyond: []string{}}
	}
	allowed := readonly.Allowed(c.Description.Dialects)
	d := connectorDocument{
		ID: c.Name, Version: c.Description.Version, DisplayName: c.Description.DisplayName, Path: c.Binary,
		Trust: string(level(c)), ReadOnly: c.Description.Capabilities.ReadOnly.String(), Abilities: abilities(c.Description.Capabilities),
		Allows: append([]string{}, allowed.Words...), Beyond: append([]string{}, allowed.Beyond...), Ignored: allowed.Ignored,
	}
	return d
}

// level says how the origin of a connector is known, without a look at its files.
func level(c connector.Installed) policy.Level {
	switch {
	case c.ByPath:
		return policy.Path
	case c.Bundled && connector.KnowsBundled():
		return policy.Bundled
	}
	return policy.Local
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
