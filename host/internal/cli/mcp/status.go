package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) mcpStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show whether the MCP server of the project runs, and how it is",
		Long: `Shows whether the server of loam mcp start is running, its address, and its connectors.
Stale means that its process ended without notice.`,
		Example: "  loam mcp status --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error { return a.mcpStatus(cmd.Context(), services) })
		},
	}
}

// mcpStatusDocument is what mcp status prints with --json.
type mcpStatusDocument struct {
	Project string `json:"project"`
	health.Server
	Connections []servedDocument `json:"connections"`
}

// servedDocument is a connection and the connector that runs for it.
type servedDocument struct {
	ID        connection.ID `json:"id"`
	Connector string        `json:"connector"`
	// State is that of the connector's process in the server, and Open whether
	// the connection is open in it.
	State string `json:"state"`
	Open  bool   `json:"open"`
	PID   int    `json:"pid,omitempty"`
	// Calls run on the connection, and wait for a slot of it.
	Calls   int `json:"calls"`
	Waiting int `json:"waiting"`
	// NextStart is when a connector that failed is started again at the earliest,
	// and Failure why it failed.
	NextStart time.Time `json:"nextStart,omitzero"`
	Failure   string    `json:"failure,omitempty"`
}

func (a *commands) mcpStatus(ctx context.Context, services *Services) error {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	server, err := services.Health.Server(ctx)
	if err != nil {
		return err
	}
	d := mcpStatusDocument{Project: current.File, Server: *server, Connections: []servedDocument{}}
	if server.Serving != nil {
		for _, c := range current.Connections.All() {
			served, calls := connectorOf(c, server.Live), server.Calls[string(c.ID)]
			served.Calls, served.Waiting = calls.Running, calls.Waiting
			d.Connections = append(d.Connections, served)
		}
	}
	return a.term.Answer(d, func() error { return a.printServer(&d) })
}

// connectorOf finds the connector that runs for a connection.
func connectorOf(c connection.Connection, live []daemon.Connector) servedDocument {
	d := servedDocument{ID: c.ID, Connector: c.Connector, State: string(connector.StateAbsent)}
	for _, l := range live {
		if l.Name == c.Connector && (l.Connection == string(c.ID) || l.Connection == "" && !c.Isolated()) {
			d.State, d.PID, d.NextStart, d.Failure = l.State, l.PID, l.NextStart, l.Failure
			d.Open = slices.Contains(l.Open, string(c.ID))
		}
	}
	return d
}

func (a *commands) printServer(d *mcpStatusDocument) error {
	lines := [][2]string{{"project", d.Project}, {"state", string(d.State)}}
	if s := d.Serving; s != nil {
		token := "not asked for"
		if s.Token {
			token = "asked for"
		}
		place := "background"
		if s.Foreground {
			place = "foreground"
		}
		lines = append(lines, [][2]string{
			{"url", s.URL},
			{"console", cmp.Or(s.Console, "none")},
			{"process", fmt.Sprintf("%d, in the %s, for %s (since %s)", s.PID, place, text.Elapsed(time.Since(s.StartedAt)), text.Clock(s.StartedAt))},
			{"version", s.Version},
			{"token", token},
			{"toolsets", orNone(s.Toolsets)},
			{"sessions", fmt.Sprint(s.Sessions)},
		}...)
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(a.term.Out, "%-9s %s\n", l[0], terminal.Escape(l[1])); err != nil {
			return err
		}
	}
	if err := a.printServed(d.Connections); err != nil {
		return err
	}
	for _, c := range d.Connections {
		if c.Failure != "" {
			a.term.Infof("%s: %s; its connector is started again from %s on", c.ID, terminal.Escape(c.Failure), text.Clock(c.NextStart))
		}
	}
	PrintProblems(a.term, d.Problems)
	return nil
}

// PrintProblems prints what is wrong with the server.
func PrintProblems(term *terminal.Terminal, all []health.Problem) {
	for _, p := range all {
		term.Infof("the server: %s", terminal.Escape(p.Problem))
		term.Infof("  %s", p.Mend)
	}
}

func (a *commands) printServed(all []servedDocument) error {
	if len(all) == 0 {
		return nil
	}
	rows := make([][]string, len(all))
	for i, c := range all {
		pid := ""
		if c.PID != 0 {
			pid = fmt.Sprint(c.PID)
		}
		calls := ""
		if c.Calls+c.Waiting > 0 {
			calls = fmt.Sprintf("%d, %d wait", c.Calls, c.Waiting)
		}
		rows[i] = []string{string(c.ID), c.Connector, c.State, yes(c.Open), pid, calls}
	}
	if _, err := fmt.Fprintln(a.term.Out); err != nil {
		return err
	}
	return a.term.Table([]string{"CONNECTION", "CONNECTOR", "STATE", "OPEN", "PROCESS", "CALLS"}, rows)
}
