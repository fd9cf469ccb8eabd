package project

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/demo"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

type demoWriter = func(ctx context.Context, path string, statements iter.Seq[string]) error

func (a *commands) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Build a sample project and walk through real calls",
		Long: `Builds a project on two sample databases in DIR (default: loam-demo), starts the real
MCP server on it and makes real calls: list the connections, scan them, search by a
question, show a table, find the column that contains a value, query approved measures,
learn and review a definition, run a query, see a write refused, cancel a query, set up a
client. What is left to decide, loam console shows. You can go on using the project.`,
		Example: "  loam demo\n  loam sql --project-dir loam-demo -c shop \"select * from order_totals limit 5\"",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "loam-demo"
			if len(args) == 1 {
				dir = args[0]
			}
			dir, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			return a.runDemo(cmd.Context(), dir)
		},
	}
}

func (a *commands) runDemo(ctx context.Context, dir string) error {
	executable, err := os.Executable()
	if err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "find this program: %w", err)
	}
	made, err := demo.Build(ctx, dir, a.writeSample)
	if err != nil {
		return err
	}
	if made {
		a.invocation.Dir = dir
		err := a.open(ctx, func(services *Services) error { return trust.AcceptAll(ctx, a.term, services.Trust) })
		if err != nil {
			return err
		}
	}
	bold := a.term.Style(a.term.Out, "1")
	fmt.Fprintf(a.term.Out, "%s %s\n", bold("A sample project:"), dir)
	tour := demo.Tour{Executable: executable, Dir: dir, Out: a.term.Out, Bold: bold, Dim: a.term.Style(a.term.Out, "2")}
	if err := tour.Run(ctx); err != nil {
		return err
	}
	fmt.Fprintln(a.term.Out, bold("Go on here"))
	for _, command := range []string{
		`agents setup`, `search revenue by customer segment`, `catalog show -c crm ticket`, `catalog relationships -c crm`,
		`sl query -c shop -m refund_rate -b orders.currency`, `sql -c shop "select * from order_totals limit 5"`, `status`, `console`,
	} {
		fmt.Fprintf(a.term.Out, "  %s --project-dir %s %s\n", text.ShellWord(executable), text.ShellWord(dir), command)
	}
	return nil
}
