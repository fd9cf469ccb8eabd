package query

import (
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) savedCheckCommand() *cobra.Command {
	var id string
	var offline bool
	cmd := &cobra.Command{
		Use:   "check [NAME] [-c CONNECTION]",
		Short: "Check the files of saved queries",
		Long: `Checks the files of saved queries: their declarations, the places of their placeholders, that
the guard and the engine accept the statement with all optional parts and with none.
Nothing is run. Exits with 2 when a check fails.`,
		Example: `  loam queries check
  loam queries check top-hosts --offline
  loam queries check -c shop --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return command.Usage(cmd, "%d arguments given, at most one expected", len(args))
			}
			name := append(args, "")[0]
			return a.open(cmd.Context(), func(services *Services) error {
				all, err := services.Approved.Check(cmd.Context(), name, connection.ID(id), !offline)
				if err != nil {
					return err
				}
				if err := a.printChecked(all); err != nil {
					return err
				}
				return failedFiles(all)
			})
		},
	}
	cmd.Flags().StringVarP(&id, "connection", "c", "", "only this connection (default: all)")
	cmd.Flags().BoolVar(&offline, "offline", false, "ask no engine")
	return cmd
}

func (a *commands) printChecked(all []approved.Checked) error {
	if a.term.JSON {
		return a.term.Document(map[string]any{"files": all})
	}
	var rows [][]string
	for _, f := range all {
		for _, c := range f.Checks {
			rows = append(rows, checkRow(f.File, c))
		}
	}
	if len(rows) == 0 {
		a.term.Infof("there are no saved queries; docs/queries.md shows how to write one")
		return nil
	}
	return a.term.Table([]string{"FILE", "CHECK", "RESULT", "WHY"}, rows)
}

func checkRow(file string, c savedquery.Check) []string {
	result := "ok"
	if !c.OK {
		result = "FAILED"
	}
	return []string{file, c.Check, result, c.Message}
}

// failedFiles is the error of files that failed a check.
func failedFiles(all []approved.Checked) error {
	failed := 0
	for _, f := range all {
		if !f.OK {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s of saved queries failed a check", text.Count(failed, "file")).
		WithHint("mend what is listed, and run loam queries check again")
}

func (a *commands) savedAddCommand() *cobra.Command {
	var id, file string
	var replace bool
	cmd := &cobra.Command{
		Use:   "add NAME -c CONNECTION [--file FILE]",
		Short: "Propose a saved query from a file",
		Long: `Reads the file of a saved query, from --file or from standard input, checks it like
recommend_query does, and proposes it. The change waits for loam review approve, which
writes queries/CONNECTION/NAME.sql with reviewed: true.`,
		Example: `  loam queries add top-hosts -c shop --file top-hosts.sql
  loam queries add top-hosts -c shop --file top-hosts.sql --replace --json`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, err := command.Text(cmd, a.term, "query", file, nil)
			if err != nil {
				return err
			}
			saved, err := savedquery.Parse([]byte(content))
			if err != nil {
				return err
			}
			saved.Reviewed = false // a person decides
			proposal := memory.QueryProposal{Name: args[0], Query: saved}
			if replace {
				proposal.Replaces = args[0]
			}
			return a.open(cmd.Context(), func(services *Services) error {
				done, err := services.Suggest.ProposeQuery(cmd.Context(), memory.Call{Actor: a.invocation.Actor(), Connection: id}, proposal)
				if err != nil {
					return err
				}
				return a.printSuggested(done)
			})
		},
	}
	cmd.Flags().StringVarP(&id, "connection", "c", "", "connection id (see: loam connection list)")
	cmd.Flags().StringVarP(&file, "file", "f", "", `the file ("-" is standard input)`)
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the query of this name")
	return cmd
}

func (a *commands) printSuggested(done *memory.SuggestedQuery) error {
	var err error
	if a.term.JSON {
		err = a.term.Document(done)
	} else {
		rows := make([][]string, len(done.Checks))
		for i, c := range done.Checks {
			rows[i] = checkRow("", c)[1:]
		}
		if len(rows) > 0 {
			err = a.term.Table([]string{"CHECK", "RESULT", "WHY"}, rows)
		}
	}
	switch {
	case err != nil:
		return err
	case done.ChangeID != nil:
		a.term.Infof("proposed as change %s: %s", *done.ChangeID, done.Review)
		return nil
	case done.Reason != nil && failedAny(done.Checks):
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s", *done.Reason).WithHint("mend the file, and run loam queries add again")
	case done.Reason != nil:
		a.term.Infof("%s", *done.Reason)
	}
	return nil
}

func failedAny(all []savedquery.Check) bool {
	for _, c := range all {
		if !c.OK {
			return true
		}
	}
	return false
}
