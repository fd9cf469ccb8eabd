package project

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func (a *commands) connectionSetCommand() *cobra.Command {
	var displayName, description string
	cmd := &cobra.Command{
		Use:   "set ID [KEY=VALUE]...",
		Short: "Change keys of a connection in loam.yaml",
		Long: `Changes configuration keys of a connection in loam.yaml. Every other line of the file stays
as it is, comments too. Keys and values are those of loam connection add: dotted where they
nest, lists separated by commas, secrets by reference. They are checked against the
connector's schema before anything is written; a connection to files is also opened first.

A trusted connection stays trusted. This command does not allow a connection that is not
trusted yet (see: loam trust).`,
		Example: `  loam connection set warehouse host=db2.internal port=5433
  loam connection set warehouse password=keyring:warehouse-password
  loam connection set warehouse --description "Orders and customers, since 2019"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			values, err := command.KeyValues(cmd, args[1:])
			if err != nil {
				return err
			}
			named, described := cmd.Flags().Changed("display-name"), cmd.Flags().Changed("description")
			if len(values) == 0 && !named && !described {
				return command.Usage(cmd, "nothing to change is given: KEY=VALUE, --display-name or --description")
			}
			return a.changeConnection(cmd.Context(), connection.ID(args[0]), func(c *connection.Connection, with connector.Installed) error {
				if named {
					c.DisplayName = displayName
				}
				if described {
					c.Description = description
				}
				config, err := typedConfig(with.Description.ConfigSchema, values)
				if err != nil {
					return err
				}
				*c = c.WithConfig(merged(c.Config, config))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&displayName, "display-name", "", "name shown to people")
	cmd.Flags().StringVar(&description, "description", "", "description of the warehouse, for agents")
	return cmd
}

func (a *commands) connectionUnsetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unset ID KEY...",
		Short: "Take keys of a connection out of loam.yaml",
		Long: `Removes configuration keys of a connection from loam.yaml, with the comment right above
them. The connector's defaults apply from then on. The remaining keys are checked against
the connector's schema before anything is written.`,
		Example: "  loam connection unset warehouse port tls.cert",
		Args:    cobra.MinimumNArgs(2), //nolint:mnd // an id and a key
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeConnection(cmd.Context(), connection.ID(args[0]), func(c *connection.Connection, _ connector.Installed) error {
				config := merged(c.Config, nil)
				for _, key := range args[1:] {
					if !unset(config, key) {
						return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %q has no key %s in %s", c.ID, key, project.FileName).
							WithHint("see what it has: loam connection show %s", c.ID)
					}
				}
				*c = c.WithConfig(config)
				return nil
			})
		},
	}
}

// configured returns a connection of the project and its connector.
func configured(ctx context.Context, services *Services, id connection.ID) (current *project.Project, c connection.Connection, found connector.Installed, err error) {
	if current, err = services.Project.Current(ctx); err != nil {
		return nil, c, found, err
	}
	if c, err = current.Connections.Get(id); err != nil {
		return nil, c, found, err
	}
	found, err = services.Connectors.Find(c.Connector, c.Path)
	return current, c, found, err
}

// changeConnection changes a connection in loam.yaml, if its connector accepts the result.
func (a *commands) changeConnection(ctx context.Context, id connection.ID, change func(*connection.Connection, connector.Installed) error) error {
	return a.open(ctx, func(services *Services) error {
		current, was, found, err := configured(ctx, services, id)
		if err != nil {
			return err
		}
		c := was
		if err := change(&c, found); err != nil {
			return err
		}
		trusted, err := a.replaceConnection(ctx, services, current.Dir, was, c, found)
		if err != nil {
			return err
		}
		if err := a.term.Done(map[string]any{"changed": id}, "changed %s in %s", id, current.File); err != nil {
			return err
		}
		if trusted {
			a.term.Infof("next: loam connection test %s", id)
		} else {
			a.term.Infof("next: loam trust   (it was not allowed before, and is not allowed by this)")
		}
		return nil
	})
}

// replaceConnection replaces was by c in loam.yaml, if its connector accepts c. A trusted connection
// stays trusted.
func (a *commands) replaceConnection(ctx context.Context, services *Services, dir string, was, c connection.Connection, found connector.Installed) (trusted bool, err error) {
	_, refused := services.Trust.Trust.Check(was, found)
	if err := a.checkConfig(ctx, services, c, found); err != nil {
		return false, err
	}
	if refused == nil {
		trust.AcceptOwn(ctx, a.term, services.Trust, c, found)
		if connection.Local(found.Description.ConfigSchema) {
			if err := a.openable(ctx, services, c); err != nil {
				return false, err
			}
		}
	}
	if _, err := project.Update(ctx, dir, was, c); err != nil {
		return false, err
	}
	a.forgetSecrets(ctx, dir, was.Config, c.Config)
	return refused == nil, nil
}

// merged returns a configuration in which the keys of another one replace its own.
func merged(config, with map[string]any) map[string]any {
	all := map[string]any{}
	for key, value := range config {
		if inner, ok := value.(map[string]any); ok {
			value = merged(inner, nil)
		}
		all[key] = value
	}
	for key, value := range with {
		inner, ok := value.(map[string]any)
		if was, nested := all[key].(map[string]any); ok && nested {
			value = merged(was, inner)
		}
		all[key] = value
	}
	return all
}

// unset removes a dotted key, and the objects above it that are empty then. It returns false if
// there is no such key.
func unset(config map[string]any, key string) bool {
	outer, rest, nested := strings.Cut(key, ".")
	value, ok := config[outer]
	if !ok {
		return false
	}
	if nested {
		inner, ok := value.(map[string]any)
		if !ok || !unset(inner, rest) {
			return false
		}
		if len(inner) > 0 {
			return true
		}
	}
	delete(config, outer)
	return true
}

// unknownKey returns an error for a key that the connector does not have, with the existing keys.
func unknownKey(connectorName string, configSchema json.RawMessage, config map[string]any) error {
	keys, err := connection.Keys(configSchema)
	if err != nil {
		return err
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
	}
	for _, line := range configLines("", config) {
		if slices.Contains(names, line[0]) || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, line[0]+".") }) {
			continue
		}
		e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "connector %s has no key %s", connectorName, line[0]).
			WithHint("its keys are %s; see: loam connector show %s", strings.Join(names, ", "), connectorName)
		e.Candidates = sqlkit.Nearest(line[0], names)
		if len(e.Candidates) > 0 {
			_ = e.WithHint("did you mean %s? All keys: loam connector show %s", strings.Join(e.Candidates, ", "), connectorName)
		}
		return e
	}
	return nil
}
