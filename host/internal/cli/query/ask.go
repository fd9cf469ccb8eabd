package query

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

type semanticQueryFlags struct {
	requestFlags
	connection, format string
	timeout            time.Duration
}

func (a *commands) semanticQueryCommand() *cobra.Command {
	var f semanticQueryFlags
	cmd := &cobra.Command{
		Use:   "query [-c CONNECTION] {-m MEASURE... [-b DIMENSION...] [-w CONDITION...] | --file FILE | -}",
		Short: "Ask for measures by dimensions",
		Long: `Queries measures by dimensions: compiles the request to one read-only statement, runs it and
prints the rows as they arrive. It returns the same as the tool sl_query. The request is in
flags, in a file or on standard input; docs/semantic.md describes the language.

--format sql and plan print the statement or its plan without asking a warehouse. --format
json, which is the same as --json, prints one document with the rows and a description of
each column.

A request that cannot be answered correctly is refused, with the possible choices.`,
		Example: `  loam sl query -m orders.revenue -b customers.segment -b orders.created_at.month \
      -w "orders.status = 'paid'" --order -revenue --limit 10
  loam sl query -m "sum(orders.amount) as total" --date-range "last 3 months"
  loam sl query --file q.json --format sql
  echo '{"measures": ["orders.revenue"]}' | loam sl query --json -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.settleFormat(cmd, &f); err != nil {
				return err
			}
			body, err := f.body(a, cmd, args)
			if err != nil {
				return err
			}
			return a.querySemantics(cmd.Context(), f, semanticquery.Request{
				Connection: connection.ID(f.connection), Body: body, MaxBytes: noLimit,
			})
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.connection, "connection", "c", "", "connection id; may be left out if only one has the members of the request, or the file names it")
	flags.StringVar(&f.format, "format", "table", "table, json, sql or plan")
	flags.DurationVar(&f.timeout, "timeout", 0, "give up after this time (default: the connection's timeout)")
	return cmd
}

// settleFormat lets --json and --format mean one thing.
func (a *commands) settleFormat(cmd *cobra.Command, f *semanticQueryFlags) error {
	switch f.format {
	case "table", "json", "sql", "plan":
	default:
		return command.Usage(cmd, "unknown format %q: table, json, sql or plan", f.format)
	}
	if f.timeout < 0 {
		return command.Usage(cmd, "--timeout must not be negative")
	}
	if a.term.JSON && cmd.Flags().Changed("format") && f.format != "json" {
		return command.Usage(cmd, "--json is the same as --format json, and not as --format %s", f.format)
	}
	a.term.JSON = a.term.JSON || f.format == "json"
	if a.term.JSON {
		f.format = "json"
	}
	return nil
}

func (a *commands) querySemantics(ctx context.Context, f semanticQueryFlags, r semanticquery.Request) error {
	return a.within(ctx, f.timeout, func(ctx context.Context, services *Services) error {
		if f.format == "sql" || f.format == "plan" {
			compiled, err := services.Semantic.Compile(ctx, r)
			if err != nil {
				return err
			}
			return a.printCompiled(f.format, compiled)
		}
		line := a.term.NewProgress()
		r.Progress = line.Update
		result := newSemanticResult(f.format, a.term)
		compiled, outcome, err := services.Semantic.Run(ctx, r, shownAnswer{result, line})
		line.Clear()
		if err != nil {
			return err
		}
		if err := result.finish(compiled, outcome); err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "write the result: %w", err)
		}
		return nil
	})
}
