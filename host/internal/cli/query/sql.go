package query

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

type sqlFlags struct {
	connection, file, format string
	maxRows                  int
	timeout                  time.Duration
	examine                  examineFlags
}

func (a *commands) sqlCommand() *cobra.Command {
	var f sqlFlags
	cmd := &cobra.Command{
		Use:        "sql -c CONNECTION [STATEMENT]",
		SuggestFor: []string{"query", "run", "exec", "execute"},
		Short:      "Run one read-only statement",
		Long: `Run one read-only statement on a connection and print its rows as they arrive.

The statement comes from the argument, from --file, or from standard input (-). The guard
checks it before a connector starts, and the connector's engine checks it again.
CSV quotes only what must be quoted: NULL is an empty field, the empty text is "".

--check and --explain do not run the statement. --check prints whether it only reads, whether
the engine accepts it, its columns and its tables, and exits with the code that running it
would have; --explain prints the engine's plan. Both print findings: remarks such as a
value that a column lacks, which forbid nothing.`,
		Example: `  loam sql -c warehouse "select status, count(*) from orders group by status"
  loam sql -c warehouse --file report.sql --format csv > report.csv
  echo "select 1" | loam sql -c warehouse --json
  loam sql -c warehouse --check "select * from orders where id = $1" --parameters '[7]'
  loam sql -c warehouse --explain --file report.sql`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := command.Text(cmd, a.term, "statement", f.file, args)
			if err != nil {
				return err
			}
			if f.examine.wanted(cmd) {
				return a.examine(cmd, f, text)
			}
			if a.term.JSON {
				f.format = "json"
			}
			return a.runSQL(cmd, f, text)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.connection, "connection", "c", "", "connection id (see: loam connection list)")
	flags.StringVarP(&f.file, "file", "f", "", `read the statement from a file ("-" is standard input)`)
	flags.StringVar(&f.format, "format", "table", "table, json or csv")
	flags.IntVar(&f.maxRows, "max-rows", 1000, "most rows to print; 0 = no limit")
	flags.DurationVar(&f.timeout, "timeout", 0, "give up after this time (default: the connection's timeout)")
	f.examine.add(flags)
	return cmd
}

func (a *commands) runSQL(cmd *cobra.Command, f sqlFlags, text string) error {
	if f.format != "table" && f.format != "json" && f.format != "csv" {
		return command.Usage(cmd, "unknown format %q: table, json or csv", f.format)
	}
	if f.maxRows < 0 {
		return command.Usage(cmd, "--max-rows must not be negative")
	}
	return a.within(cmd.Context(), f.timeout, func(ctx context.Context, services *Services) error {
		result := newResultWriter(f.format, a.term)
		report := a.term.NewProgress()
		maxRows := f.maxRows
		if maxRows == 0 {
			maxRows = noLimit
		}
		summary, err := services.Run(ctx, query.Request{
			Connection: connection.ID(f.connection), SQL: text, MaxRows: maxRows, MaxBytes: noLimit, Progress: report.Update,
		}, shownResult{result, report})
		report.Clear()
		if err != nil {
			return discover.Offer(err, func() []string { return services.Discover.Statement(ctx, connection.ID(f.connection), text).Tables })
		}
		if summary.Nothing {
			summary.Notes = append(summary.Notes, finding.Notes(services.Findings.OfEmpty(ctx, connection.ID(f.connection), text))...)
		}
		if err := result.finish(summary); err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "write the result: %w", err)
		}
		for _, note := range summary.Notes {
			a.term.Infof("note: %s", note)
		}
		return nil
	})
}
