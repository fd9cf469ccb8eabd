package project

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) connectionCommand() *cobra.Command {
	return command.Group("connection", "Manage the configured connections to warehouses",
		a.connectionAddCommand(), a.connectionSetCommand(), a.connectionUnsetCommand(), a.connectionListCommand(), a.connectionShowCommand(),
		a.connectionTestCommand(), a.connectionLoginCommand(), a.connectionRemoveCommand())
}

func (a *commands) connectionListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the connections and what is known of them",
		Long:    "Lists the connections of loam.yaml with their last known states. No connector is started.",
		Example: "  loam connection list --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				all, err := a.known(cmd.Context(), services)
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.term.Document(map[string]any{"connections": all})
				}
				if len(all) == 0 {
					a.term.Infof("no connections yet; add one: loam connection add ID CONNECTOR key=value…")
					return nil
				}
				rows := make([][]string, len(all))
				for i, c := range all {
					rows[i] = []string{string(c.ID), c.Connector, string(c.Status), c.DisplayName, c.Description}
				}
				return a.term.Table([]string{"ID", "CONNECTOR", "STATUS", "NAME", "DESCRIPTION"}, rows)
			})
		},
	}
}

func (a *commands) connectionRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove ID",
		Short:   "Remove a connection from loam.yaml",
		Example: "  loam connection remove warehouse",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, id := cmd.Context(), connection.ID(args[0])
			return a.open(ctx, func(services *Services) error {
				current, err := services.Project.Current(ctx)
				if err != nil {
					return err
				}
				c, err := current.Connections.Get(id)
				if err != nil {
					return err
				}
				if err := project.Remove(ctx, current.Dir, id); err != nil {
					return err
				}
				a.forgetSecrets(ctx, current.Dir, c.Config, nil)
				return a.term.Done(map[string]any{"removed": id}, "removed %s from %s", id, current.File)
			})
		},
	}
}

func (a *commands) connectionTestCommand() *cobra.Command {
	var resume bool
	cmd := &cobra.Command{
		Use:   "test ID",
		Short: "Test a connection step by step",
		Long: `Tests a connection step by step: configuration, name resolution, TCP, TLS, login,
database, permission to read, inability to write, as far as they apply. Prints the SQL with
which an administrator creates a least-privilege account, where that is missing.
A suspended warehouse stays suspended, and nothing is billed, without --resume.`,
		Example: "  loam connection test warehouse",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				return a.testConnection(cmd.Context(), services, connection.ID(args[0]), resume)
			})
		},
	}
	cmd.Flags().BoolVar(&resume, "resume", false, "resume a suspended warehouse, which is billed")
	return cmd
}

func (a *commands) testConnection(ctx context.Context, services *Services, id connection.ID, resume bool) error {
	tested, err := services.Health.TestConnection(ctx, id, resume, func(s sdk.TestStep) {
		if !a.term.JSON {
			a.printStep(s)
		}
	})
	if err != nil {
		return err
	}
	if a.term.JSON {
		if err := a.term.Document(tested); err != nil {
			return err
		}
	}
	if !tested.OK {
		return tested.Failed
	}
	a.term.Infof("next: loam sql -c %s \"select 1\"", id)
	return nil
}

// steps runs the staged checks of a connection, and prints each, except with --json. failed is the
// first failed step; nil = none.
func (a *commands) steps(ctx context.Context, c connection.Connection, test func(context.Context, connection.Connection, func(sdk.TestStep)) error) (steps []sdk.TestStep, failed *sdk.TestStep, err error) {
	err = test(ctx, c, func(s sdk.TestStep) {
		steps = append(steps, s)
		if s.Err != nil && failed == nil {
			failed = &s
		}
		if !a.term.JSON {
			a.printStep(s)
		}
	})
	return steps, failed, err
}

func (a *commands) printStep(s sdk.TestStep) {
	mark, detail := a.term.Style(a.term.Out, "32")("ok  "), s.Detail
	switch {
	case s.Err != nil:
		mark, detail = a.term.Style(a.term.Out, "31")("FAIL"), s.Err.Error()
	case s.Warning:
		mark = a.term.Style(a.term.Out, "33")("warn")
	}
	fmt.Fprintf(a.term.Out, "%s  %-9s %6s  %s\n", mark, s.Name, stepTime(s.Elapsed), detail)
	for _, statement := range s.Statements {
		fmt.Fprintf(a.term.Out, "        %s\n", statement)
	}
}

// stepTime formats the duration of a step with two or three digits, so that a fast step is not 0s.
func stepTime(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < time.Millisecond:
		return max(d.Round(time.Microsecond), time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
