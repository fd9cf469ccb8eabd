package project

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/health"
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

// known returns every connection with its last known state. It warns of what cannot be read, of an equal failure once.
func (a *commands) known(ctx context.Context, services *Services) ([]health.Connection, error) {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return nil, err
	}
	all := current.Connections.All()
	docs := make([]health.Connection, len(all))
	warned := map[string]bool{}
	for i, c := range all {
		d, _, problems := services.Health.Connection(ctx, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, p := range problems {
			if !warned[p.Error()] {
				a.term.Warn(p)
			}
			warned[p.Error()] = true
		}
		docs[i] = d
	}
	return docs, nil
}

func (a *commands) status(ctx context.Context, services *Services) error {
	s, err := services.Health.Status(ctx)
	if err != nil {
		return err
	}
	for _, p := range s.Problems {
		a.term.Warn(p)
	}
	return a.term.Answer(s, func() error { return a.printStatus(s) })
}

func (a *commands) printStatus(s *health.Status) error {
	waits := ""
	if s.Server.Serving != nil && s.Server.Console != "" {
		waits = "console  " + s.Server.Console + "\n"
	}
	if said := s.Remembered.Text(time.Now()); said != "" {
		waits += "memory   " + said + "\n"
	}
	if s.Index != nil && !s.Index.Current {
		waits += "index    not up to date\n"
	}
	if _, err := fmt.Fprintf(a.term.Out, "project  %s\nserver   %s\nhistory  %s\n%s\n", s.Project, s.Server.Text(), s.History.Text(), waits); err != nil {
		return err
	}
	rows := make([][]string, len(s.Connections))
	for i, c := range s.Connections {
		seen := cmp.Or(c.OpenedAt, "never")
		if c.Failure != nil {
			seen = c.FailedAt + ": " + c.Failure.Message
		}
		rows[i] = []string{string(c.ID), c.Connector, string(c.Status), c.LastScan.Text(), c.SemanticLayer.Text(), c.Server, c.ReadOnly, seen}
	}
	err := a.term.Table([]string{"CONNECTION", "CONNECTOR", "STATUS", "LAST SCAN", "SEMANTIC LAYER", "SERVER", "READ-ONLY BY", "LAST SEEN"}, rows)
	if err != nil {
		return err
	}
	mcp.PrintProblems(a.term, s.Server.Problems)
	for _, c := range s.Connections {
		if c.SemanticLayer != nil && c.SemanticLayer.Problems > 0 {
			a.term.Infof("files of the semantic layer have problems; see them: loam sl validate")
			break
		}
	}
	return nil
}
