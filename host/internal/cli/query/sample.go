package query

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) sampleCommand() *cobra.Command {
	var r ask.SampleRequest
	var where []string
	cmd := &cobra.Command{
		Use:   "sample [-c CONNECTION] TABLE",
		Short: "Read some rows of a table from its warehouse",
		Long: `Reads some rows of a scanned table from its warehouse, in no order: neither counts nor sums of
them mean anything. Columns whose values the catalog withholds are not read, and are named.

--where is a condition as JSON; it may be given several times, and all must hold. Its op is
equals, not_equals, in, not_in, gt, gte, lt, lte, between, contains, starts_with, ends_with,
is_null or is_not_null, and means what it means in the semantic layer.
"loam catalog show --sample N" prints rows of the last scan, and asks no warehouse.`,
		Example: `  loam catalog sample -c warehouse orders
  loam catalog sample orders --columns id,status --limit 5
  loam catalog sample orders --where '{"column": "status", "op": "in", "values": ["paid", "open"]}'`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Table = args[0]
			for _, text := range where {
				c, err := readCondition(cmd, text)
				if err != nil {
					return err
				}
				r.Where = append(r.Where, c)
			}
			return a.sample(cmd, r)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP((*string)(&r.Connection), "connection", "c", "", "connection id; may be left out if only one is configured")
	flags.StringSliceVar(&r.Columns, "columns", nil, "only these columns")
	flags.StringArrayVarP(&where, "where", "w", nil, "only rows that fulfil this condition, as JSON")
	flags.IntVarP(&r.Limit, "limit", "n", ask.DefaultRows, "most rows, up to 100")
	return cmd
}

func readCondition(cmd *cobra.Command, text string) (c ask.Condition, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil || c.Column == "" || dec.More() {
		return c, command.Usage(cmd, "--where %s is no condition", text).
			WithHint(`write for instance --where '{"column": "status", "op": "equals", "values": ["paid"]}'`)
	}
	return c, nil
}

func (a *commands) sample(cmd *cobra.Command, r ask.SampleRequest) error {
	ctx := cmd.Context()
	if r.Limit < 1 {
		return command.Usage(cmd, "--limit must be 1 at least")
	}
	return a.open(ctx, func(services *Services) error {
		report := a.term.NewProgress()
		r.MaxBytes, r.Progress = noLimit, report.Update
		format := "table"
		if a.term.JSON {
			format = "json"
		}
		rows := newResultWriter(format, a.term)
		out, err := services.Ask.Sample(ctx, r, shownResult{rows, report})
		report.Clear()
		if err != nil {
			return err
		}
		if document, ok := rows.(*jsonResult); ok {
			err = document.rows.End(sampleTail{newResultTail(out.Summary), out.Withheld})
		} else {
			err = rows.finish(out.Summary)
			a.term.Notes(out.Notes)
		}
		if err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "write the rows: %w", err)
		}
		return nil
	})
}

// sampleTail is what is known of a sample after its last row.
type sampleTail struct {
	resultTail
	Withheld []string `json:"withheld"`
}
