package search

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text"
)

type searchFlags struct {
	connection string
	kinds      []string
	limit      int
	values     bool
	tables     bool
	cursor     string
}

func (a *commands) searchCommand() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search WORD... | --tables WORD... | --value VALUE...",
		Short: "Search tables, measures and pages, or find the columns that contain a value",
		Long: `Searches tables and columns, the sources, measures and dimensions of semantic layer files,
and wiki pages, by their names, descriptions, comments, expressions, sampled values and
text, best first. It returns the same as the tool discover_data. loam sl query accepts the
ids of measures and dimensions. The texts of files (loam ingest files) are only searched
with --kind file.

With --value each argument is a value, and the columns that contain it, also within a longer
text, are listed. Only sampled values of scans are searched: a hit proves that the column
contains the value, a miss proves nothing. It returns the same as the tool
dictionary_search.

With --tables it lists tables with their columns that match, and the tables that they are
joined with. It returns the same as the tool search_schema.`,
		Example: `  loam search revenue by customer segment
  loam search --kind column --limit 30 shipped date
  loam search --kind sl_measure,sl_dimension churn
  loam search --tables shipped country
  loam search --value "Acme Corp" Zürich`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return command.Usage(cmd, "search for what?")
			case f.limit < 1:
				return command.Usage(cmd, "--limit must be 1 at least")
			case f.values && (cmd.Flags().Changed("kind") || cmd.Flags().Changed("limit")):
				return command.Usage(cmd, "--value goes with neither --kind nor --limit")
			case f.tables && (f.values || cmd.Flags().Changed("kind")):
				return command.Usage(cmd, "--tables goes with neither --kind nor --value")
			case f.cursor != "" && !f.tables:
				return command.Usage(cmd, "--cursor goes with --tables alone")
			case f.tables:
				if !cmd.Flags().Changed("limit") {
					f.limit = 0
				}
				return a.searchTables(cmd, f, strings.Join(args, " "))
			case f.values:
				return a.searchValues(cmd, f, args)
			}
			return a.searchWords(cmd, f, strings.Join(args, " "))
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.connection, "connection", "c", "", "only this connection, and pages without another connection")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only these kinds: table, column, sl_source, sl_measure, sl_dimension, wiki, file, checkpoint, remediation; may be given several times")
	flags.IntVar(&f.limit, "limit", 15, "most results to list")
	flags.BoolVar(&f.tables, "tables", false, "list tables, with their columns that match (20, or --limit up to 100)")
	flags.StringVar(&f.cursor, "cursor", "", "with --tables: go on from the cursor of the answer before")
	flags.BoolVar(&f.values, "value", false, "the arguments are values: find the columns that contain them")
	return cmd
}

func (a *commands) searchWords(cmd *cobra.Command, f searchFlags, query string) error {
	return a.open(cmd.Context(), func(services *Services) error {
		answer, err := services.Discover.Search(cmd.Context(), discover.SearchRequest{
			Query: query, Connection: connection.ID(f.connection), Kinds: f.kinds, Limit: f.limit,
		})
		if err != nil {
			return err
		}
		return a.term.Answer(answer, func() error { return a.printRefs(answer) })
	})
}

func (a *commands) printRefs(answer *discover.SearchAnswer) error {
	rows := make([][]string, len(answer.Refs))
	for i, r := range answer.Refs {
		id := r.ID
		if r.Copies > 0 {
			id += fmt.Sprintf(" and %d like it", r.Copies)
		}
		rows[i] = []string{strconv.Itoa(i + 1), r.Kind, id, string(r.ConnectionID), matchedOn(&r), strconv.FormatFloat(r.Score, 'f', 3, 64), aboutRef(r)}
	}
	if len(rows) > 0 {
		if err := a.term.NewTable([]string{"#", "KIND", "ID", "CONNECTION", "MATCHED ON", "SCORE", "ABOUT"}, 0, 5).Rows(rows); err != nil {
			return err
		}
	}
	a.term.Notes(answer.Notes)
	return nil
}

// matchedOn says in which field a reference was found, and of one with some of the words
// that it has no more.
func matchedOn(r *discover.Ref) string {
	if r.Partial {
		return r.MatchedOn + ", in part"
	}
	return r.MatchedOn
}

// aboutRef is the text that says most of a reference: where it matched, else
// its summary; of the semantic layer what people wrote, else how it is computed.
func aboutRef(r discover.Ref) string {
	texts := []*string{r.Snippet, r.Summary}
	if strings.HasPrefix(r.Kind, "sl_") {
		texts = []*string{r.Summary, r.Snippet}
	}
	for _, text := range texts {
		if text != nil {
			return terminal.Cut(*text, terminal.MaxAbout)
		}
	}
	return ""
}

func (a *commands) searchValues(cmd *cobra.Command, f searchFlags, values []string) error {
	return a.open(cmd.Context(), func(services *Services) error {
		answer, err := services.Discover.Values(cmd.Context(), discover.ValuesRequest{Values: values, Connection: connection.ID(f.connection)})
		if err != nil {
			return err
		}
		return a.term.Answer(answer, func() error { return a.printValues(answer) })
	})
}

func (a *commands) printValues(answer *discover.ValuesAnswer) error {
	t := a.term.NewTable([]string{"VALUE", "CONNECTION", "TABLE", "COLUMN", "HOLDS", "DISTINCT VALUES"}, 5)
	for _, r := range answer.Results {
		for _, m := range r.Matches {
			distinct := "-"
			if m.Cardinality != nil {
				distinct = strconv.FormatInt(*m.Cardinality, 10)
			}
			if err := t.Row([]string{terminal.Cut(r.Value, terminal.MaxValue), string(m.ConnectionID), m.SourceName, m.ColumnName, terminal.Cut(m.MatchedValue, terminal.MaxValue), distinct}); err != nil {
				return err
			}
		}
		if r.Truncated {
			if err := t.Row([]string{terminal.Cut(r.Value, terminal.MaxValue), "", fmt.Sprintf("… %d of %d", len(r.Matches), r.Total), "", "", ""}); err != nil {
				return err
			}
		}
		for _, m := range r.Misses {
			if err := t.Row([]string{terminal.Cut(r.Value, terminal.MaxValue), string(m.ConnectionID), missText(m.Reason), "", "", ""}); err != nil {
				return err
			}
			for _, w := range m.Withheld {
				if err := t.Row([]string{terminal.Cut(r.Value, terminal.MaxValue), string(m.ConnectionID), w.SourceName, w.ColumnName, "withheld: " + w.Reason, "-"}); err != nil {
					return err
				}
			}
			if more := m.WithheldTotal - len(m.Withheld); more > 0 {
				if err := t.Row([]string{terminal.Cut(r.Value, terminal.MaxValue), string(m.ConnectionID), fmt.Sprintf("… and %d more", more), "", "", ""}); err != nil {
					return err
				}
			}
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range answer.Searched {
		if s.Coverage.SyncID != nil {
			a.term.Infof("searched %s: %s", s.ConnectionID, coverageText(s.Coverage))
		}
	}
	a.term.Notes(answer.Notes)
	return nil
}

// missText says in words why a connection has no match.
func missText(reason string) string {
	return cmp.Or(map[string]string{
		"value_not_in_sample":  "not among the sampled values",
		"no_profile_artifact":  "its values were never sampled",
		"no_candidate_columns": "no column's values are kept",
		"withheld":             "may be in columns whose values are not kept:",
	}[reason], reason)
}

func coverageText(c discover.Coverage) string {
	text := text.Count(c.ProfiledColumns, "profiled column")
	if c.SampledRows != nil {
		text += fmt.Sprintf(", up to %d rows of a table", *c.SampledRows)
	}
	if c.ValuesPerColumn != nil {
		text += fmt.Sprintf(", up to %d values of a column", *c.ValuesPerColumn)
	}
	if c.ProfiledAt != nil {
		text += ", as of " + terminal.Escape(*c.ProfiledAt)
	}
	return text
}
