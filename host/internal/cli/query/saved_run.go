package query

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
)

type savedRunFlags struct {
	connection, format string
	parameters         []string
	maxRows            int
	unreviewed         bool
}

func (a *commands) savedRunCommand() *cobra.Command {
	var f savedRunFlags
	cmd := &cobra.Command{
		Use:   "run NAME [-c CONNECTION] [-p NAME=VALUE]...",
		Short: "Run a saved query with parameters",
		Long: `Runs a saved query, read-only, and prints its rows as they arrive. Each value is sent as a
bound parameter and never becomes part of the SQL. A list is one -p for each element, or a
JSON array. A query that nobody has reviewed runs with --unreviewed alone; agents cannot
run it at all.`,
		Example: `  loam queries run top-hosts -p start_date=2024-01-01
  loam queries run top-hosts -p statuses=paid -p statuses=open --json
  loam queries run top-hosts -p 'statuses=["paid","open"]' --format csv`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.term.JSON {
				f.format = "json"
			}
			return a.runSaved(cmd, args[0], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.connection, "connection", "c", "", "connection id, where several have a query of this name")
	flags.StringArrayVarP(&f.parameters, "parameter", "p", nil, "a value of a parameter; repeat it for others, and for the elements of a list")
	flags.StringVar(&f.format, "format", "table", "table, json or csv")
	flags.IntVar(&f.maxRows, "max-rows", query.DefaultMaxRows, "most rows to print; 0 = no limit")
	flags.BoolVar(&f.unreviewed, "unreviewed", false, "run it although nobody has reviewed it")
	return cmd
}

func (a *commands) runSaved(cmd *cobra.Command, name string, f *savedRunFlags) error {
	if f.format != "table" && f.format != "json" && f.format != "csv" {
		return command.Usage(cmd, "unknown format %q: table, json or csv", f.format)
	}
	if f.maxRows < 0 {
		return command.Usage(cmd, "--max-rows must not be negative")
	}
	ctx := cmd.Context()
	return a.open(ctx, func(services *Services) error {
		saved, err := services.Approved.Show(ctx, name, connection.ID(f.connection))
		if err != nil {
			return err
		}
		values, err := valuesOf(cmd, saved.Parameters, f.parameters)
		if err != nil {
			return err
		}
		result := newResultWriter(f.format, a.term)
		report := a.term.NewProgress()
		run := approved.Run{
			Name: name, Connection: saved.ConnectionID, Parameters: values, MaxRows: f.maxRows, MaxBytes: noLimit, Progress: report.Update, Unreviewed: f.unreviewed,
		}
		if f.maxRows == 0 {
			run.MaxRows = noLimit
		}
		r, err := services.Approved.Execute(ctx, run, shownResult{result, report})
		report.Clear()
		if err != nil {
			return err
		}
		if document, ok := result.(*jsonResult); ok {
			err = document.finishSaved(r)
		} else {
			err = result.finish(r.Summary)
		}
		if err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "write the result: %w", err)
		}
		a.term.Notes(r.Notes)
		return nil
	})
}

// finishSaved ends the document of a saved query.
func (r *jsonResult) finishSaved(s *approved.Result) error {
	return r.rows.End(struct {
		resultTail
		Query approved.Identity `json:"query"`
		Bound map[string]any    `json:"bound"`
	}{resultTail{s.RowCount, s.Truncated, s.TruncatedBy, s.Elapsed.Milliseconds(), s.Notes}, s.Query, s.Bound})
}

// valuesOf returns the values of name=value arguments in the form of JSON. It does not check them.
func valuesOf(cmd *cobra.Command, declared []savedquery.Parameter, args []string) (map[string]any, error) {
	values := map[string]any{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, command.Usage(cmd, "%q is not of the form name=value", arg)
		}
		t := typeOf(declared, name)
		had, twice := values[name]
		if !t.List() {
			if twice {
				return nil, command.Usage(cmd, "%s is given twice, and it is no list", name)
			}
			values[name] = valueOf(t, value)
			continue
		}
		list, _ := had.([]any)
		var many []any
		if decoder := json.NewDecoder(strings.NewReader(value)); strings.HasPrefix(value, "[") {
			decoder.UseNumber()
			if err := decoder.Decode(&many); err != nil || decoder.More() {
				return nil, command.Usage(cmd, "%s begins with [ and is no JSON array", name)
			}
			values[name] = append(list, many...)
			continue
		}
		values[name] = append(list, valueOf(t.Element(), value))
	}
	return values, nil
}

// typeOf returns the declared type; a string for a name that is not declared.
func typeOf(declared []savedquery.Parameter, name string) savedquery.Type {
	for _, p := range declared {
		if p.Name == name {
			return p.Type
		}
	}
	return savedquery.String
}

// valueOf returns the JSON value that a text stands for; the text itself where it stands for none of the type.
func valueOf(t savedquery.Type, value string) any {
	switch {
	case t == savedquery.Integer:
		return json.Number(value)
	case t == savedquery.Boolean && (value == "true" || value == "false"):
		return value == "true"
	}
	return value
}
