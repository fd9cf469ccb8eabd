package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Show the project and what was last known of its connections",
		Long:    "Shows the project and what was last known of its connections. Nothing is started or contacted; loam doctor does that.",
		Example: "  loam status --json",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error { return a.status(cmd.Context(), rooms) })
		},
	}
}

type statusDocument struct {
	Version     string                     `json:"version"`
	Project     string                     `json:"project"`
	State       string                     `json:"state"`
	Connections []connectionStatusDocument `json:"connections"`
}

type connectionStatusDocument struct {
	connectionDocument
	Server   string `json:"server,omitempty"`
	ReadOnly string `json:"readOnly,omitempty"`
	SeenAt   string `json:"seenAt,omitempty"`
	Error    string `json:"error,omitempty"`
}

func (a *app) status(ctx context.Context, rooms *Rooms) error {
	current, err := rooms.Project.Current(ctx)
	if err != nil {
		return err
	}
	all, err := rooms.Status(ctx)
	if err != nil {
		return err
	}
	doc := statusDocument{Version: a.program.Version, Project: current.File, State: rooms.StatePath, Connections: []connectionStatusDocument{}}
	for i, base := range connectionDocuments(all) {
		s := all[i]
		d := connectionStatusDocument{connectionDocument: base, Server: s.Server(), ReadOnly: s.ReadOnly.Mechanism, Error: s.Error}
		if !s.SeenAt.IsZero() {
			d.SeenAt = s.SeenAt.UTC().Format("2006-01-02T15:04:05Z")
		}
		doc.Connections = append(doc.Connections, d)
	}
	if a.json {
		return a.document(doc)
	}
	fmt.Fprintf(a.out, "project  %s\nstate    %s\n\n", doc.Project, doc.State)
	rows := make([][]string, len(doc.Connections))
	for i, c := range doc.Connections {
		seen := c.SeenAt
		if seen == "" {
			seen = "never"
		}
		if c.Error != "" {
			seen += ": " + c.Error
		}
		rows[i] = []string{string(c.ID), c.Connector, c.Status, c.Server, c.ReadOnly, seen}
	}
	return a.table([]string{"CONNECTION", "CONNECTOR", "STATUS", "SERVER", "READ-ONLY BY", "LAST SEEN"}, rows)
}
