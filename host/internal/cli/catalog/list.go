package catalog

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) catalogCommand() *cobra.Command {
	return command.Group("catalog", "Show scanned tables, snapshots and relationships",
		a.catalogListCommand(), a.catalogTablesCommand(), a.catalogShowCommand(),
		a.catalogHistoryCommand(), a.catalogDiffCommand(), a.relationshipsCommand())
}

// scanned is a connection with its snapshots, of which there is one at least.
type scanned struct {
	connection.Connection
	catalog *catalog.Catalog
	// scope has the snapshot, and the dialect by which the engine compares names; nil when nobody knows.
	scope review.Scope
}

// onScanned runs f on a connection with its last snapshot.
func (a *commands) onScanned(cmd *cobra.Command, id string, f func(*Services, *scanned) error) error {
	ctx := cmd.Context()
	return a.open(ctx, func(services *Services) error {
		c, err := command.Scanned(ctx, services.Project, services.Catalogs, id)
		if err != nil {
			return err
		}
		s := &scanned{Connection: c, catalog: services.Catalogs.Of(string(c.ID)), scope: review.Scope{Connection: c.ID, Dialect: services.Dialect(ctx, c)}}
		if s.scope.Snapshot, err = s.catalog.Latest(); err != nil {
			return err
		}
		return f(services, s)
	})
}

// CatalogDocument is a connection with its last snapshot, null when it was
// never scanned.
type CatalogDocument struct {
	ConnectionID connection.ID      `json:"connectionId"`
	LastScan     *snapshot.Document `json:"lastScan"`
	Error        *terminal.Failure  `json:"error,omitempty"`
}

func (a *commands) catalogListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the connections and their last snapshots",
		Long: `Lists the connections with their last snapshots: time and mode of the scan, counts of tables
and columns, and what the scan could not read. No connector is started.`,
		Example: "  loam catalog list --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error { return a.listCatalogs(cmd.Context(), services) })
		},
	}
}

func (a *commands) listCatalogs(ctx context.Context, services *Services) error {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	all := current.Connections.All()
	docs, rows := make([]CatalogDocument, len(all)), make([][]string, len(all))
	for i, c := range all {
		docs[i].ConnectionID = c.ID
		rows[i] = []string{string(c.ID), "", "", "never", "", "", "", ""}
		history, err := services.Catalogs.Of(string(c.ID)).History()
		switch {
		case err != nil:
			docs[i].Error = terminal.NewFailure(err)
			rows[i][3] = "damaged"
			a.term.Warn(err)
		case len(history) > 0:
			d := snapshot.New(history[0])
			docs[i].LastScan = &d
			rows[i] = append([]string{string(c.ID)}, snapshot.Cells(history[0])...)
		}
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"connections": docs})
	}
	if len(all) == 0 {
		a.term.Infof("no connections yet; add one: loam connection add ID CONNECTOR key=value…")
		return nil
	}
	t := a.term.NewTable(append([]string{"CONNECTION"}, snapshot.Headers...), 4, 5, 6, 7)
	if err := t.Rows(rows); err != nil {
		return err
	}
	for _, c := range docs {
		switch {
		case c.LastScan == nil && c.Error == nil:
			a.term.Infof("next: loam scan %s", c.ConnectionID)
		case c.LastScan != nil && len(c.LastScan.Warnings) > 0:
			a.term.Infof("%s, %s:", c.ConnectionID, text.Count(len(c.LastScan.Warnings), "warning"))
			snapshot.PrintWarnings(a.term, c.LastScan.Identity)
		}
	}
	return nil
}

func (a *commands) catalogHistoryCommand() *cobra.Command {
	var id string
	return command.ConnectionFlag(&cobra.Command{
		Use:     "history [-c CONNECTION]",
		Short:   "List the snapshots of a connection that are kept",
		Long:    "Lists the stored snapshots of a connection, newest first. Snapshots of equal content have the same CONTENT.",
		Example: "  loam catalog history -c warehouse",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onScanned(cmd, id, func(_ *Services, s *scanned) error {
				history, err := s.catalog.History()
				if err != nil {
					return err
				}
				docs, rows := make([]snapshot.Document, len(history)), make([][]string, len(history))
				for i, h := range history {
					docs[i] = snapshot.New(h)
					rows[i] = append(snapshot.Cells(h), terminal.Cut(h.Content, 12))
				}
				return a.term.Answer(map[string]any{"connectionId": s.ID, "snapshots": docs}, func() error {
					return a.term.NewTable(append(snapshot.Headers[:len(snapshot.Headers):len(snapshot.Headers)], "CONTENT"), 3, 4, 5, 6).Rows(rows)
				})
			})
		},
	}, &id)
}
