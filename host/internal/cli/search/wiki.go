package search

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
)

func (a *commands) wikiCommand() *cobra.Command {
	return command.Group("wiki", "Read, search and write wiki pages",
		a.wikiListCommand(), a.wikiSearchCommand(), a.wikiReadCommand(), a.wikiCheckCommand())
}

// PageDocument is a page in a list of them.
type PageDocument struct {
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

func (a *commands) wikiListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the wiki's pages",
		Long: `Lists the pages of wiki/global and, when LOAM_USER is set, of wiki/user/$LOAM_USER. A user's
page hides the global one of the same key.`,
		Example: "  loam wiki list --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				view, err := services.Wiki.View(cmd.Context())
				if err != nil {
					return err
				}
				return a.listPages(view)
			})
		},
	}
}

func (a *commands) listPages(view *wiki.View) error {
	docs, rows := []PageDocument{}, [][]string{}
	for _, key := range view.Keys() {
		p, err := view.Page(key)
		if err != nil {
			return err
		}
		docs = append(docs, PageDocument{
			Key: p.Key, Scope: p.Scope, Path: p.Path, Title: p.Title, Summary: terminal.OrNull(p.Summary), Tags: terminal.OrEmpty(p.Tags),
			Connections: terminal.OrEmpty(p.Connections), UpdatedAt: terminal.Moment(p.Updated), Reviewed: p.Reviewed,
		})
		rows = append(rows, []string{p.Key, string(p.Scope), terminal.Cut(p.Title, terminal.MaxComment), strings.Join(p.Tags, ", "), text.Ago(p.Updated)})
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"pages": docs, "broken": len(view.Problems())})
	}
	if len(rows) == 0 && len(view.Problems()) == 0 {
		a.term.Infof("no pages yet; write one: wiki/global/revenue.md")
		return nil
	}
	if err := a.term.NewTable([]string{"KEY", "SCOPE", "TITLE", "TAGS", "UPDATED"}).Rows(rows); err != nil {
		return err
	}
	if n := len(view.Problems()); n > 0 {
		a.term.Infof("warning: %s cannot be read as pages; see why: loam wiki check", text.Count(n, "file"))
	}
	return nil
}

func (a *commands) wikiSearchCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "search WORD...",
		Short:   "Search the wiki's pages",
		Long:    "Searches the titles, summaries and texts of the wiki's pages, best first. It returns the same as the tool wiki_search.",
		Example: "  loam wiki search net revenue",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return command.Usage(cmd, "search for what?")
			case limit < 1:
				return command.Usage(cmd, "--limit must be 1 at least")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				answer, err := services.Discover.SearchWiki(cmd.Context(), strings.Join(args, " "), limit)
				if err != nil {
					return err
				}
				return a.term.Answer(answer, func() error { return a.printPages(answer) })
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "most results to list")
	return cmd
}

func (a *commands) printPages(answer *discover.WikiAnswer) error {
	rows := make([][]string, len(answer.Results))
	for i, r := range answer.Results {
		rows[i] = []string{r.Key, terminal.Cut(r.Title, terminal.MaxComment), r.MatchedOn, terminal.Cut(r.Snippet, terminal.MaxAbout)}
	}
	if len(rows) > 0 {
		if err := a.term.NewTable([]string{"KEY", "TITLE", "MATCHED ON", "TEXT"}).Rows(rows); err != nil {
			return err
		}
	}
	if more := answer.Total - len(rows); more > 0 {
		a.term.Infof("%s more: --limit %d", text.Count(more, "page"), answer.Total)
	}
	a.term.Notes(answer.Notes)
	return nil
}

func (a *commands) wikiReadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "read KEY",
		Short: "Print a page",
		Long: `Prints the markdown of a page, without its frontmatter. Control characters are escaped on a
terminal, but not in a file or a pipe.`,
		Example: "  loam wiki read revenue",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				page, err := services.Discover.ReadWiki(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.term.Answer(page, func() error { return a.printPage(page) })
			})
		},
	}
}

func (a *commands) printPage(p *discover.WikiPage) error {
	dim := a.term.Style(a.term.Err, "2")
	a.term.Infof("%s", dim(terminal.Escape(fmt.Sprintf("%s: %s (%s, updated %s)", p.Key, p.Title, p.Scope, p.Provenance.UpdatedAt))))
	text := p.Body
	if terminal.IsTerminal(a.term.Out) {
		text = terminal.EscapeText(text)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(a.term.Out, text)
	return err
}

func (a *commands) wikiCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Look for files that are no pages and for links that lead nowhere",
		Long: `Lists wiki files that cannot be read as pages, links to missing pages, and sl_refs to
missing members of semantic layers. Exits with the code of the first file that cannot be
read; if there are only broken links and references, with 5.`,
		Example: "  loam wiki check",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				f := a.term.NewFindings()
				if err := services.CheckWiki(cmd.Context(), f.Add); err != nil {
					return err
				}
				return f.End()
			})
		},
	}
}
