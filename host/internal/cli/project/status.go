package project

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/project"
)

func (a *commands) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Show the project and the last known state of its connections",
		Long:    "Shows the project, its MCP server and the last known state of its connections. No connector is started and no\nwarehouse contacted; loam doctor does that.",
		Example: "  loam status --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error { return a.status(cmd.Context(), services) })
		},
	}
}

type StatusDocument struct {
	Version string         `json:"version"`
	Project string         `json:"project"`
	Server  *health.Server `json:"server"`
	History *health.Calls  `json:"history"` // null when the state cannot be read
	// Remembered is the waiting texts and changes of the memory; null when the state cannot be read.
	Remembered  *health.Remembered   `json:"remembered"`
	Connections []connectionDocument `json:"connections"`
}

// connectionDocument is a connection and its last known state.
type connectionDocument struct {
	ID          connection.ID     `json:"id"`
	Connector   string            `json:"connector"`
	DisplayName string            `json:"displayName"`
	Description string            `json:"description,omitempty"`
	Status      connection.Status `json:"status"`
	Server      string            `json:"server,omitempty"`
	User        string            `json:"user,omitempty"`
	ReadOnly    string            `json:"readOnly,omitempty"`
	OpenedAt    string            `json:"openedAt,omitempty"`
	Failure     *terminal.Failure `json:"failure,omitempty"`
	FailedAt    string            `json:"failedAt,omitempty"`
	// LastScan is null when the connection was never scanned, or the list of scans cannot be read.
	LastScan *snapshot.Document `json:"lastScan"`
	// SemanticLayer is null when there are no files, or the folder cannot be read.
	SemanticLayer *health.Layer `json:"semanticLayer"`
}

// known returns every connection with its last known state. If the state cannot be read, it prints a
// warning and returns the connections without it.
func (a *commands) known(ctx context.Context, services *Services) (*project.Project, []connectionDocument, error) {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return nil, nil, err
	}
	all := current.Connections.All()
	docs := make([]connectionDocument, len(all))
	for i, c := range all {
		state, err := services.Known(ctx, c)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil && i == 0: // the others fail with the same error
			a.term.Warn(err)
		}
		history, err := services.Catalogs.Of(string(c.ID)).History()
		if err != nil {
			a.term.Warn(err)
		}
		docs[i] = newConnectionDocument(c, state, history)
		if docs[i].SemanticLayer, err = services.Health.Layer(ctx, c.ID); err != nil {
			a.term.Warn(err)
		}
	}
	return current, docs, nil
}

func newConnectionDocument(c connection.Connection, state connection.State, history []catalog.Identity) connectionDocument {
	d := connectionDocument{
		ID: c.ID, Connector: c.Connector, DisplayName: c.Name(), Description: c.Description, Status: state.Status(len(history) > 0),
		Server: strings.TrimSpace(state.Server.Product + " " + state.Server.Version), User: state.Server.CurrentUser,
		ReadOnly: state.Server.ReadOnlyMechanism, OpenedAt: terminal.Moment(state.OpenedAt), FailedAt: terminal.Moment(state.FailedAt),
	}
	if state.Failure != nil {
		d.Failure = terminal.NewFailure(state.Failure)
	}
	if len(history) > 0 {
		last := snapshot.New(history[0])
		d.LastScan = &last
	}
	return d
}

func (a *commands) status(ctx context.Context, services *Services) error {
	current, all, err := a.known(ctx, services)
	if err != nil {
		return err
	}
	server, err := services.Health.Server(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil: // show the rest anyway
		a.term.Warn(err)
		server = &health.Server{State: daemon.Unknown}
	}
	calls, err := services.Health.Calls(ctx, current)
	if err != nil && len(all) == 0 { // with connections, known has warned already
		a.term.Warn(err)
	}
	remembered, err := services.Health.Remembered(ctx)
	if err != nil && calls != nil {
		a.term.Warn(err)
	}
	if a.term.JSON {
		return a.term.Document(StatusDocument{
			Version: a.invocation.Version, Project: current.File, Server: server, History: calls, Remembered: remembered, Connections: all,
		})
	}
	waits := ""
	if said := remembered.Text(time.Now()); said != "" {
		waits = "memory   " + said + "\n"
	}
	if _, err := fmt.Fprintf(a.term.Out, "project  %s\nserver   %s\nhistory  %s\n%s\n", current.File, server.Text(), calls.Text(), waits); err != nil {
		return err
	}
	rows := make([][]string, len(all))
	for i, c := range all {
		seen := cmp.Or(c.OpenedAt, "never")
		if c.Failure != nil {
			seen = c.FailedAt + ": " + c.Failure.Message
		}
		rows[i] = []string{string(c.ID), c.Connector, string(c.Status), c.LastScan.Text(), c.SemanticLayer.Text(), c.Server, c.ReadOnly, seen}
	}
	err = a.term.Table([]string{"CONNECTION", "CONNECTOR", "STATUS", "LAST SCAN", "SEMANTIC LAYER", "SERVER", "READ-ONLY BY", "LAST SEEN"}, rows)
	if err != nil {
		return err
	}
	mcp.PrintProblems(a.term, server.Problems)
	for _, c := range all {
		if c.SemanticLayer != nil && c.SemanticLayer.Problems > 0 {
			a.term.Infof("files of the semantic layer have problems; see them: loam sl validate")
			break
		}
	}
	return nil
}
