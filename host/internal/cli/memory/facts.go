package memory

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) factsCommand() *cobra.Command {
	return command.Group("facts", "List facts from pages and learned measures, and their contradictions",
		a.factsListCommand(), a.factsCheckCommand())
}

func (a *commands) factsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [WORDS]",
		Short: "List what is stated",
		Long: `Lists the statements of wiki pages, and the measures and segments that Loam learned, with
their subjects, authors and places. With WORDS only those that contain all of them.`,
		Example: `  loam facts list
  loam facts list active customer --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				all, err := services.Records.Facts(cmd.Context(), memory.FactsRequest{Words: args})
				if err != nil {
					return err
				}
				return a.listFacts(all, args)
			})
		},
	}
}

func (a *commands) listFacts(all []memory.Fact, words []string) error {
	if a.term.JSON {
		return a.term.Document(map[string]any{"facts": all})
	}
	if len(all) == 0 && len(words) > 0 {
		a.term.Infof("no statement has these words: loam facts list shows all")
		return nil
	}
	if len(all) == 0 {
		a.term.Infof(`nothing is stated: loam ingest text "…", or write a page below wiki/`)
		return nil
	}
	rows := make([][]string, len(all))
	for i := range all {
		f := &all[i]
		rows[i] = []string{f.Subject, f.Attribute, f.Says, f.Trust, f.Place()}
	}
	return a.term.Table([]string{"ABOUT", "KIND", "SAYS", "TRUST", "WHERE"}, rows)
}

// exitFound is the exit code of a check that found something.
const exitFound = 1

func (a *commands) factsCheckCommand() *cobra.Command {
	var conflicts, stale bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "List statements that contradict each other or may not hold any more",
		Long: `Lists statements that contradict each other, and stale ones: those whose time is over or
whose table or column is not in the newest snapshot, and measures that were not tested for
30 days. loam wiki check lists references of pages to missing members.

The exit code is 1 when something is found.`,
		Example: `  loam facts check
  loam facts check --conflicts --json`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				all, err := services.Records.Facts(cmd.Context(), memory.FactsRequest{})
				if err != nil {
					return err
				}
				both := conflicts == stale
				return a.checkFacts(slices.DeleteFunc(all, func(f memory.Fact) bool {
					return !((both || conflicts) && len(f.Conflicts) > 0 || (both || stale) && len(f.Stale) > 0)
				}))
			})
		},
	}
	cmd.Flags().BoolVar(&conflicts, "conflicts", false, "only statements that contradict each other")
	cmd.Flags().BoolVar(&stale, "stale", false, "only statements that may be outdated")
	return cmd
}

func (a *commands) checkFacts(found []memory.Fact) error {
	if len(found) > 0 {
		a.invocation.Code = exitFound
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"facts": found})
	}
	if len(found) == 0 {
		a.term.Infof("no statement contradicts another one, and none is stale")
		return nil
	}
	rows := make([][]string, len(found))
	for i := range found {
		f := &found[i]
		why := slices.Clone(f.Stale)
		if len(f.Conflicts) > 0 {
			why = append(why, "contradicts "+strings.Join(f.Conflicts, ", "))
		}
		rows[i] = []string{f.Subject, f.Says, f.Trust, f.Place(), strings.Join(why, "; ")}
	}
	if err := a.term.Table([]string{"ABOUT", "SAYS", "TRUST", "WHERE", "WHY"}, rows); err != nil {
		return err
	}
	a.term.Infof("%s; mend the pages, or take back what was learned: loam review", text.Count(len(found), "statement"))
	return nil
}
