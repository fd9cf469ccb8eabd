package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
)

func (a *app) wikiCommand() *cobra.Command {
	return a.group("wiki", "The pages that say what words and numbers mean",
		a.wikiListCommand(), a.wikiSearchCommand(), a.wikiReadCommand(), a.wikiCheckCommand())
}

// pageDocument is a page in a list of them.
type pageDocument struct {
	Key         string     `json:"key"`
	Scope       wiki.Scope `json:"scope"`
	Path        string     `json:"path"`
	Title       string     `json:"title"`
	Summary     *string    `json:"summary"`
	Tags        []string   `json:"tags"`
	Connections []string   `json:"connectionIds"`
	UpdatedAt   string     `json:"updatedAt"`
	Reviewed    bool       `json:"reviewed"`
}

func (a *app) wikiListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the wiki's pages",
		Long: `Lists the pages of wiki/global and, when LOAM_USER is set, of wiki/user/$LOAM_USER, as
they are on disk now. A user's page stands in for the global one of the same key.`,
		Example: "  loam wiki list --json",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				view, err := rooms.Wiki.View(cmd.Context())
				if err != nil {
					return err
				}
				return a.listPages(view)
			})
		},
	}
}

func (a *app) listPages(view *wiki.View) error {
	docs, rows := []pageDocument{}, [][]string{}
	for _, key := range view.Keys() {
		p, err := view.Page(key)
		if err != nil {
			return err
		}
		docs = append(docs, pageDocument{
			Key: p.Key, Scope: p.Scope, Path: p.Path, Title: p.Title, Summary: orNull(p.Summary), Tags: orEmpty(p.Tags),
			Connections: orEmpty(p.Connections), UpdatedAt: moment(p.Updated), Reviewed: p.Reviewed,
		})
		rows = append(rows, []string{p.Key, string(p.Scope), cut(p.Title, maxComment), strings.Join(p.Tags, ", "), text.Ago(p.Updated)})
	}
	if a.json {
		return a.document(map[string]any{"pages": docs, "broken": len(view.Problems())})
	}
	if len(rows) == 0 && len(view.Problems()) == 0 {
		a.say("no pages yet; write one: wiki/global/revenue.md")
		return nil
	}
	if err := a.newTable([]string{"KEY", "SCOPE", "TITLE", "TAGS", "UPDATED"}).rows(rows); err != nil {
		return err
	}
	if n := len(view.Problems()); n > 0 {
		a.say("warning: %s cannot be read as pages; see why: loam wiki check", text.Count(n, "file"))
	}
	return nil
}

// orEmpty is a list that is never null.
func orEmpty(list []string) []string { return append([]string{}, list...) }

func (a *app) wikiSearchCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "search WORD...",
		Short:   "Search the wiki's pages",
		Long:    "Searches the titles, summaries and texts of the wiki's pages, best first. It answers what wiki_search does.",
		Example: "  loam wiki search net revenue",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError(cmd, "search for what?")
			case limit < 1:
				return usageError(cmd, "--limit must be 1 at least")
			}
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				answer, err := rooms.Discover.SearchWiki(cmd.Context(), strings.Join(args, " "), limit)
				if err != nil {
					return err
				}
				if a.json {
					return a.document(answer)
				}
				return a.printPages(answer)
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many results at most")
	return cmd
}

func (a *app) printPages(answer *discover.WikiAnswer) error {
	rows := make([][]string, len(answer.Results))
	for i, r := range answer.Results {
		rows[i] = []string{r.Key, cut(r.Title, maxComment), r.MatchedOn, cut(r.Snippet, maxAbout)}
	}
	if len(rows) > 0 {
		if err := a.newTable([]string{"KEY", "TITLE", "MATCHED ON", "TEXT"}).rows(rows); err != nil {
			return err
		}
	}
	if more := answer.Total - len(rows); more > 0 {
		a.say("%s more: --limit %d", text.Count(more, "page"), answer.Total)
	}
	a.notes(answer.Notes)
	return nil
}

func (a *app) wikiReadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "read KEY",
		Short: "Print a page",
		Long: `Prints the markdown of a page as it is on disk now, without its frontmatter. A terminal
gets control characters escaped; a file or a pipe gets the text as it is.`,
		Example: "  loam wiki read revenue",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				page, err := rooms.Discover.ReadWiki(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if a.json {
					return a.document(page)
				}
				return a.printPage(page)
			})
		},
	}
}

func (a *app) printPage(p *discover.WikiPage) error {
	dim := a.style(a.err, "2")
	a.say("%s", dim(shown(fmt.Sprintf("%s: %s (%s, updated %s)", p.Key, p.Title, p.Scope, p.Provenance.UpdatedAt))))
	text := p.Body
	if isTerminal(a.out) {
		text = shownText(text)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(a.out, text)
	return err
}

func (a *app) wikiCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Look for files that are no pages and for links that lead nowhere",
		Long: `Looks for files of the wiki that cannot be read as pages, for links to pages that do not
exist, and for sl_refs that no semantic layer offers. Exits with the code of the first file
that cannot be read; links and references that lead nowhere alone are code 5.`,
		Example: "  loam wiki check",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				f := findings{app: a}
				if err := rooms.Health.CheckWiki(cmd.Context(), f.add); err != nil {
					return err
				}
				return f.end()
			})
		},
	}
}
