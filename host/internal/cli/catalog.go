package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk/dialect"
)

func (a *app) catalogCommand() *cobra.Command {
	return a.group("catalog", "What scans found in the warehouses",
		a.catalogListCommand(), a.catalogTablesCommand(), a.catalogShowCommand(),
		a.catalogHistoryCommand(), a.catalogDiffCommand(), a.relationshipsCommand())
}

// scanned is a connection with its snapshots, of which there is one at least.
type scanned struct {
	connection.Connection
	catalog *catalog.Catalog
	image   *catalog.Image
	// dialect says how the engine compares names; nil when nobody knows.
	dialect *dialect.Dialect
}

func (s *scanned) snapshot() review.Snapshot {
	return review.Snapshot{Connection: s.ID, Image: s.image, Dialect: s.dialect}
}

// connectionFlag adds -c to a command that reads snapshots.
func connectionFlag(cmd *cobra.Command, id *string) *cobra.Command {
	cmd.Flags().StringVarP(id, "connection", "c", "", "connection id; may be left out if only one is configured or scanned")
	return cmd
}

// onScanned runs f on a connection with its last snapshot.
func (a *app) onScanned(cmd *cobra.Command, id string, f func(*Rooms, *scanned) error) error {
	ctx := cmd.Context()
	return a.withRooms(ctx, func(rooms *Rooms) error {
		c, err := a.chooseScanned(ctx, rooms, id)
		if err != nil {
			return err
		}
		s := &scanned{Connection: c, catalog: rooms.Catalogs.Of(string(c.ID)), dialect: a.dialectOf(ctx, rooms, c)}
		if s.image, err = s.catalog.Latest(); err != nil {
			return err
		}
		return f(rooms, s)
	})
}

// chooseScanned returns the named connection, or the only one that there is or
// that was scanned.
func (a *app) chooseScanned(ctx context.Context, rooms *Rooms, id string) (connection.Connection, error) {
	current, err := rooms.Project.Current(ctx)
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
		if history, err := rooms.Catalogs.Of(string(c.ID)).History(); err != nil || history != nil {
			one = append(one, c)
		}
	}
	if len(one) == 1 {
		return one[0], nil
	}
	return connection.Connection{}, noConnection(all)
}

// dialectOf returns the dialect of a connection's server as it was last seen.
func (a *app) dialectOf(ctx context.Context, rooms *Rooms, c connection.Connection) *dialect.Dialect {
	found, err := rooms.Connectors.Find(c.Connector, c.Path)
	if err != nil {
		return nil // a snapshot can be read without its connector
	}
	state, err := rooms.Known(ctx, c)
	if err != nil {
		a.warn(err)
	}
	return connection.Known{Description: found.Description, Server: state.Server}.Dialect()
}

// snapshotDocument is what a snapshot is and what it is worth.
type snapshotDocument struct {
	SyncID          string            `json:"syncId"`
	ScanRunID       string            `json:"scanRunId,omitempty"`
	ExtractedAt     string            `json:"extractedAt"`
	Mode            catalog.Mode      `json:"mode"`
	Content         string            `json:"content"`
	Tables          int               `json:"tables"`
	Columns         int               `json:"columns"`
	ForeignKeys     int               `json:"foreignKeys"`
	ProfiledTables  int               `json:"profiledTables"`
	ProfiledColumns int               `json:"profiledColumns"`
	SampledRows     int64             `json:"sampledRows,omitempty"`
	ValuesPerColumn int               `json:"valuesPerColumn,omitempty"`
	ProfiledAt      string            `json:"profiledAt,omitempty"`
	Include         []string          `json:"include,omitempty"`
	Exclude         []string          `json:"exclude,omitempty"`
	Warnings        []warningDocument `json:"warnings"`

	identity catalog.Identity // what it was made of
}

// warningDocument is what a scan could not read.
type warningDocument struct {
	Object  string `json:"object,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

func newSnapshotDocument(id catalog.Identity) snapshotDocument {
	d := snapshotDocument{
		SyncID: id.SyncID, ScanRunID: id.ScanRunID, ExtractedAt: moment(id.ExtractedAt), Mode: id.Mode, Content: id.Content,
		Tables: id.Counts.Tables, Columns: id.Counts.Columns, ForeignKeys: id.Counts.ForeignKeys,
		ProfiledTables: id.Counts.Profiles, ProfiledColumns: id.Counts.ProfiledColumns,
		SampledRows: id.Coverage.SampledRows, ValuesPerColumn: id.Coverage.ValuesPerColumn, ProfiledAt: moment(id.Coverage.ProfiledAt),
		Include: id.Coverage.Include, Exclude: id.Coverage.Exclude, Warnings: []warningDocument{}, identity: id,
	}
	for _, w := range id.Coverage.Warnings {
		d.Warnings = append(d.Warnings, warningDocument(w))
	}
	return d
}

// catalogDocument is a connection with its last snapshot, null when it was
// never scanned.
type catalogDocument struct {
	ConnectionID connection.ID     `json:"connectionId"`
	LastScan     *snapshotDocument `json:"lastScan"`
	Error        *failureDocument  `json:"error,omitempty"`
}

func (a *app) catalogListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the connections and their last snapshots",
		Long: `Lists the connections with their last snapshots: when it was made and how deep it
looked, what it holds, and what the scan could not read. No connector is started.`,
		Example: "  loam catalog list --json",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error { return a.listCatalogs(cmd.Context(), rooms) })
		},
	}
}

func (a *app) listCatalogs(ctx context.Context, rooms *Rooms) error {
	current, err := rooms.Project.Current(ctx)
	if err != nil {
		return err
	}
	all := current.Connections.All()
	docs, rows := make([]catalogDocument, len(all)), make([][]string, len(all))
	for i, c := range all {
		docs[i].ConnectionID = c.ID
		rows[i] = []string{string(c.ID), "", "", "never", "", "", "", ""}
		history, err := rooms.Catalogs.Of(string(c.ID)).History()
		switch {
		case err != nil:
			docs[i].Error = failureOf(err)
			rows[i][3] = "damaged"
			a.warn(err)
		case len(history) > 0:
			d := newSnapshotDocument(history[0])
			docs[i].LastScan = &d
			rows[i] = append([]string{string(c.ID)}, snapshotCells(history[0])...)
		}
	}
	if a.json {
		return a.document(map[string]any{"connections": docs})
	}
	if len(all) == 0 {
		a.say("no connections yet; add one: loam connection add ID CONNECTOR key=value…")
		return nil
	}
	t := a.newTable(append([]string{"CONNECTION"}, snapshotHeaders...), 4, 5, 6, 7)
	if err := t.rows(rows); err != nil {
		return err
	}
	for _, c := range docs {
		switch {
		case c.LastScan == nil && c.Error == nil:
			a.say("next: loam scan %s", c.ConnectionID)
		case c.LastScan != nil && len(c.LastScan.Warnings) > 0:
			a.say("%s, %s:", c.ConnectionID, text.Count(len(c.LastScan.Warnings), "warning"))
			a.sayWarnings(c.LastScan.identity)
		}
	}
	return nil
}

var snapshotHeaders = []string{"SNAPSHOT", "MODE", "SCANNED", "TABLES", "COLUMNS", "PROFILED", "WARNINGS"}

func snapshotCells(id catalog.Identity) []string {
	return []string{
		id.SyncID, string(id.Mode), text.Ago(id.ExtractedAt), strconv.Itoa(id.Counts.Tables), strconv.Itoa(id.Counts.Columns),
		strconv.Itoa(id.Counts.ProfiledColumns), strconv.Itoa(len(id.Coverage.Warnings)),
	}
}

// maxWarnings is how many warnings of a scan are printed in full.
const maxWarnings = 20

// sayWarnings tells what a scan could not read.
func (a *app) sayWarnings(id catalog.Identity) {
	for i, w := range id.Coverage.Warnings {
		if i == maxWarnings {
			a.say("… and %s; all of them: loam catalog list --json", text.Count(len(id.Coverage.Warnings)-i, "more warning"))
			return
		}
		a.say("warning: %s", shown(strings.TrimPrefix(w.Object+": "+w.Message, ": ")))
	}
}

func (a *app) catalogHistoryCommand() *cobra.Command {
	var id string
	return connectionFlag(&cobra.Command{
		Use:     "history [-c CONNECTION]",
		Short:   "List the snapshots of a connection that are kept",
		Long:    "Lists the snapshots of a connection that are kept, newest first. Two of equal content have the same CONTENT.",
		Example: "  loam catalog history -c warehouse",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onScanned(cmd, id, func(_ *Rooms, s *scanned) error {
				history, err := s.catalog.History()
				if err != nil {
					return err
				}
				docs, rows := make([]snapshotDocument, len(history)), make([][]string, len(history))
				for i, h := range history {
					docs[i] = newSnapshotDocument(h)
					rows[i] = append(snapshotCells(h), cut(h.Content, 12))
				}
				if a.json {
					return a.document(map[string]any{"connectionId": s.ID, "snapshots": docs})
				}
				return a.newTable(append(snapshotHeaders[:len(snapshotHeaders):len(snapshotHeaders)], "CONTENT"), 3, 4, 5, 6).rows(rows)
			})
		},
	}, &id)
}
