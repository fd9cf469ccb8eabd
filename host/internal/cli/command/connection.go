package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
)

// ConnectionFlag adds -c to a command that reads snapshots.
func ConnectionFlag(cmd *cobra.Command, id *string) *cobra.Command {
	cmd.Flags().StringVarP(id, "connection", "c", "", "connection id; may be left out if only one is configured or scanned")
	return cmd
}

// Scanned returns the named connection; without a name the only one, or the
// only one that was scanned.
func Scanned(ctx context.Context, source *project.Source, catalogs *catalog.Set, id string) (connection.Connection, error) {
	current, err := source.Current(ctx)
	if err != nil {
		return connection.Connection{}, err
	}
	return current.Connections.Choose(connection.ID(id), func(c connection.Connection) bool {
		// A damaged catalog counts as scanned: the command reports the damage.
		history, err := catalogs.Of(string(c.ID)).History()
		return err != nil || history != nil
	})
}
