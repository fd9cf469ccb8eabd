package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// ConnectionFlag adds -c to a command that reads snapshots.
func ConnectionFlag(cmd *cobra.Command, id *string) *cobra.Command {
	cmd.Flags().StringVarP(id, "connection", "c", "", "connection id; may be left out if only one is configured or scanned")
	return cmd
}

// Scanned returns the named connection, or the only one that there is or
// that was scanned.
func Scanned(ctx context.Context, source *project.Source, catalogs *catalog.Set, id string) (connection.Connection, error) {
	current, err := source.Current(ctx)
	if err != nil {
		return connection.Connection{}, err
	}
	if id != "" {
		return current.Connections.Get(connection.ID(id))
	}
	all := current.Connections.All()
	if len(all) == 1 {
		return all[0], nil
	}
	var one []connection.Connection
	for _, c := range all {
		// What is damaged was scanned, and is to be told of.
		if history, err := catalogs.Of(string(c.ID)).History(); err != nil || history != nil {
			one = append(one, c)
		}
	}
	if len(one) == 1 {
		return one[0], nil
	}
	return connection.Connection{}, NoConnection(all)
}

// NoConnection says that a connection has to be named, and which there are.
func NoConnection(all []connection.Connection) error {
	if len(all) == 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the project has no connections").
			WithHint("add one: loam connection add ID CONNECTOR key=value…")
	}
	known := ""
	for _, c := range all {
		known += " " + string(c.ID)
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no connection given").
		WithHint("add -c with one of:%s", known)
}
