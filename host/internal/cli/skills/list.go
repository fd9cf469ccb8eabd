package skills

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/skillset"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) listCommand() *cobra.Command {
	var r skillset.ListRequest
	cmd := &cobra.Command{
		Use:   "list [WORD]...",
		Short: "List skills, or find them by words",
		Long: `Lists the skills of the project with their trust and how often they helped. WORDs select by
name, title, category, tags and description, the best first. Agents get reviewed skills as
prompts; others only by name, as data.`,
		Example: `  loam skills list
  loam skills list close the month
  loam skills list --tag finance --sort usageCount --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			words := strings.Join(args, " ")
			if words != "" && (r.SortBy != "" || r.Cursor != "") {
				return command.Usage(cmd, "--sort and --cursor are for lists without words: the best come first")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				if words != "" {
					found, err := services.Skills.Search(cmd.Context(), skillset.SearchRequest{Query: words, TopK: r.Limit, Category: r.Category, Tags: r.Tags})
					if err != nil {
						return err
					}
					return a.term.Answer(found, func() error { return a.print(found, nil) })
				}
				l, err := services.Skills.List(cmd.Context(), r)
				if err != nil {
					return err
				}
				return a.term.Answer(l, func() error { return a.print(&l.Found, l.NextCursor) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Category, "category", "", "only this category")
	flags.StringSliceVar(&r.Tags, "tag", nil, "only skills with this tag; repeat it for several")
	flags.StringVar(&r.SortBy, "sort", "", strings.Join(skillset.Orders(), ", ")+" (default: createdAt), the highest first")
	flags.IntVarP(&r.Limit, "limit", "n", 0, "most skills to list, 1 to 100 (default: 10, with words 5)")
	flags.StringVar(&r.Cursor, "cursor", "", "nextCursor of the list before")
	return cmd
}

func (a *commands) print(f *skillset.Found, next *string) error {
	rows := make([][]string, len(f.Skills))
	for i, s := range f.Skills {
		rows[i] = []string{s.Name, shown(s.Version), s.Trust, usage(s.UsageCount, s.SuccessRate), terminal.Cut(s.Description, terminal.MaxAbout)}
	}
	if len(rows) > 0 {
		if err := a.term.Table([]string{"NAME", "VERSION", "TRUST", "USES", "ABOUT"}, rows); err != nil {
			return err
		}
	}
	a.term.Notes(f.Notes)
	switch {
	case next != nil:
		a.term.Infof("%d of %d; more: --limit %d, or --cursor %s", len(rows), f.Total, skillset.MaxListed, *next)
	case f.Total > len(rows):
		a.term.Infof("%d of %d; more: --limit %d", len(rows), f.Total, skillset.MaxListed)
	case len(rows) == 0:
		a.term.Infof("no skill fits; docs/skills.md shows how to write one")
	}
	return nil
}

func shown(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// usage says how often a skill was used, and how often it helped.
func usage(uses *int, rate *float64) string {
	if uses == nil {
		return ""
	}
	if rate == nil {
		return text.Count(*uses, "use")
	}
	return fmt.Sprintf("%s, %.0f %% helped", text.Count(*uses, "use"), 100**rate)
}
